import csv
from itertools import combinations, product
from math import exp, fsum, log, log1p

import numpy as np
import pytest
from matplotlib.image import imread
from refusals import refused

from thatch import Document, InputError
from thatch.paper.text_figure import BUDGET, FIG3, FIG4, Outcome
from thatch.paper.text_sweep import TextExperiment
from thatch.text.datasets.clusters import Cluster

pytestmark = pytest.mark.slow

WORDS = [
    *("amber", "bridge", "copper", "delta", "ember", "falcon", "garden", "harbour"),
    *("island", "jungle", "kettle", "lantern", "meadow", "needle", "orchard"),
]
STOP_WORDS = ["the", "of", "and"]
BONUS = 1.5
PLACES = {"inverse_temperatures": (10.0, 45.0), "prices": (0.0, 0.005, 0.02)}


def sentence(rng):
    """About twenty words, no two with the same stem."""
    words = [*rng.choice(WORDS, 5), *rng.choice(STOP_WORDS, rng.integers(10, 20))]
    return " ".join(rng.permutation(words)).capitalize() + "."


def made_cluster(seed):
    rng = np.random.default_rng(seed)
    documents = [" ".join(sentence(rng) for _ in range(4)) for _ in range(3)]
    references = [" ".join(rng.choice(WORDS, 12)) for _ in range(2)]
    return Cluster(f"c{seed}", tuple(map(Document, documents)), tuple(references))


CLUSTERS = [made_cluster(seed) for seed in range(3)]


@pytest.fixture(scope="module")
def figure():
    heard = []
    experiment = TextExperiment(FIG3, **PLACES)
    figure = experiment.run(CLUSTERS, on_progress=heard.append)
    assert len(heard) == len(CLUSTERS)
    return figure


def words_of(text):
    return text.lower().replace(".", "").split()


def content_of(text):
    return [word for word in words_of(text) if word not in STOP_WORDS]


class SlowCluster:
    """What the paper says about a cluster, word by word."""

    def __init__(self, cluster, every_document):
        self.references = cluster.references
        texts = [document.text for document in cluster.documents]
        self.sentences = [f"{part}." for t in texts for part in t[:-1].split(". ")]
        firsts = {word for text in texts for word in content_of(text.split(".")[0])}
        every_word = [word for text in texts for word in content_of(text)]
        self.weights = {}
        for word in set(every_word):
            holders = sum(word in content_of(text) for text in every_document)
            rarity = log((1 + len(every_document)) / holders)
            share = every_word.count(word) / len(every_word)
            self.weights[word] = share * rarity * (BONUS if word in firsts else 1.0)

    def weight(self, chosen):
        covered = {word for k in chosen for word in content_of(self.sentences[k])}
        # Rounded once: the order of a set must not decide between equal sentences.
        return fsum(self.weights[word] for word in covered)

    def cost(self, chosen):
        return sum(len(words_of(self.sentences[k])) for k in chosen)

    def rouge_1(self, chosen):
        """Recall, in the mean over the references."""
        said = [w for k in chosen for w in content_of(self.sentences[k])]
        recalls = [
            sum(min(said.count(w), words.count(w)) for w in set(words)) / len(words)
            for words in map(content_of, self.references)
        ]
        return sum(recalls) / len(recalls)

    def optimum(self):
        numbers = range(len(self.sentences))
        return max(
            (
                chosen
                for size in range(len(numbers) + 1)
                for chosen in combinations(numbers, size)
                if self.cost(chosen) <= BUDGET
            ),
            key=self.weight,
        )

    def in_order(self, ratio):
        """Fill the budget with what has the best ratio to its cost."""
        chosen, left = [], list(range(len(self.sentences)))
        while left:
            k = max(left, key=lambda k: ratio(k, chosen) / self.cost([k]))
            left.remove(k)
            if self.cost([*chosen, k]) <= BUDGET:
                chosen.append(k)
        return chosen

    def generalized_greedy(self):
        return self.in_order(lambda k, c: self.weight([*c, k]) - self.weight(c))

    def static_order(self):
        return self.in_order(lambda k, c: self.weight([k]))

    def infinite_price_order(self):
        """The limit of Algorithm 2, at the inverse temperature of Fig. 3."""

        def merit(k, chosen):
            words = set(content_of(self.sentences[k]))
            return fsum(log1p(exp(45 * self.weights[word])) / 45 for word in words)

        return self.in_order(merit)


def outcome_of(choices):
    """Means and standard errors, by the textbook."""
    weights = [slow.weight(chosen) for slow, chosen in choices]
    scores = [slow.rouge_1(chosen) for slow, chosen in choices]
    return [
        number
        for values in (weights, scores)
        for number in (np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5)
    ]


@pytest.fixture(scope="module")
def slow_clusters():
    texts = [d.text for cluster in CLUSTERS for d in cluster.documents]
    return [SlowCluster(cluster, texts) for cluster in CLUSTERS]


def row_of(outcome):
    return [outcome.weight, outcome.weight_sem, outcome.rouge_1, outcome.rouge_1_sem]


def test_levels_are_what_a_slow_count_gives(figure, slow_clusters):
    """Weights after the paper, sentences by trying all, ROUGE-1 by counting words."""
    optimum = outcome_of([(slow, slow.optimum()) for slow in slow_clusters])
    assert row_of(figure.levels["optimum"])[:2] == pytest.approx(optimum[:2])
    for name, choose in (
        ("g-greedy", SlowCluster.generalized_greedy),
        ("static order", SlowCluster.static_order),
        ("infinite price", SlowCluster.infinite_price_order),
    ):
        expected = outcome_of([(slow, choose(slow)) for slow in slow_clusters])
        assert row_of(figure.levels[name]) == pytest.approx(expected), name


def test_nothing_covers_more_than_the_optimum(figure):
    optimum = figure.levels["optimum"].weight
    assert figure.levels["g-greedy"].weight <= optimum
    assert figure.levels["g-greedy"].weight >= figure.levels["static order"].weight
    assert figure.levels["thatch's default"].weight <= optimum
    assert len(figure.points) == 6
    for point in figure.points:
        assert 0 < point.outcome.weight <= optimum
        assert 0 <= point.outcome.rouge_1 <= 1


def test_a_high_price_leaves_the_order_of_an_infinite_one():
    figure = TextExperiment(FIG3, (45.0,), (1e6,)).run(CLUSTERS)
    (point,) = figure.points
    assert row_of(point.outcome) == pytest.approx(
        row_of(figure.levels["infinite price"])
    )


def test_a_high_price_leaves_the_static_order():
    """Where the temperature is too low for a word of small weight to be noise."""
    figure = TextExperiment(FIG3, (1e4,), (5.0,)).run(CLUSTERS)
    (point,) = figure.points
    assert point.outcome.weight == pytest.approx(figure.levels["static order"].weight)


def test_the_best_temperature_is_the_one_with_the_highest_peak(figure):
    best = figure.best_inverse_temperature
    weights = {beta: figure.peak(beta).outcome.weight for beta in (10.0, 45.0)}
    assert weights[best] == max(weights.values())
    assert [p.price for p in figure.curve(best)] == list(PLACES["prices"])


def test_stop_words_count_in_the_second_figure(figure):
    kept = TextExperiment(FIG4, **PLACES).run(CLUSTERS)
    assert kept.levels["optimum"].weight != figure.levels["optimum"].weight


def test_a_background_changes_which_words_are_rare(figure):
    background = [Document("An amber bridge.")] * 5
    other = TextExperiment(FIG3, **PLACES).run(CLUSTERS, background=background)
    texts = [d.text for c in CLUSTERS for d in c.documents]
    texts += [document.text for document in background]
    slow = [SlowCluster(cluster, texts) for cluster in CLUSTERS]
    expected = outcome_of([(one, one.generalized_greedy()) for one in slow])
    assert row_of(other.levels["g-greedy"]) == pytest.approx(expected)
    assert other.levels["g-greedy"] != figure.levels["g-greedy"]


def test_threads_change_nothing(figure):
    assert TextExperiment(FIG3, num_threads=2, **PLACES).run(CLUSTERS) == figure


def test_means_have_standard_errors():
    outcome = Outcome.of(np.array([1.0, 3.0]), np.array([0.5, 0.5]))
    assert outcome == Outcome(2.0, 1.0, 0.5, 0.0)


def test_the_table_contains_every_point_and_level(figure, tmp_path):
    figure.write_csv(tmp_path / "fig3.csv")
    with (tmp_path / "fig3.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        *("solver", "inverse_temperature", "price"),
        *("weight", "weight_sem", "rouge_1", "rouge_1_sem"),
    ]
    expected = [
        ("bp", f"{p.inverse_temperature:g}", f"{p.price:g}", p.outcome)
        for p in figure.points
    ]
    expected += [(name, "", "", level) for name, level in figure.levels.items()]
    for row, (solver, beta, price, outcome) in zip(rows, expected, strict=True):
        solver_found, *place = list(row.values())[:3]
        assert (solver_found, *place) == (solver, beta, price)
        numbers = [float(number) for number in list(row.values())[3:]]
        assert numbers == pytest.approx(row_of(outcome), rel=1e-5)


def test_differences_are_those_at_the_peaks(figure):
    found = [(d.inverse_temperature, d.peak_of, d.minus) for d in figure.differences]
    compared = ("g-greedy", "static order", "infinite price")
    assert found == list(product(figure.shown, ("weight", "rouge_1"), compared))
    for each in figure.differences:
        points = figure.curve(each.inverse_temperature)
        (peak,) = (p.outcome for p in points if p.price == each.price)
        highest = max(getattr(point.outcome, each.peak_of) for point in points)
        assert getattr(peak, each.peak_of) == highest
        level = figure.levels[each.minus]
        assert each.weight == pytest.approx(peak.weight - level.weight)
        assert each.rouge_1 == pytest.approx(peak.rouge_1 - level.rouge_1)


def test_errors_of_differences_are_paired(slow_clusters, tmp_path):
    """At a very high price, belief propagation chooses what a slow count knows."""
    figure = TextExperiment(FIG3, (45.0,), (1e6,)).run(CLUSTERS)
    figure.write_csv(tmp_path / "fig3.csv")
    with (tmp_path / "fig3-differences.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(figure.differences) == 6
    for each, row in zip(figure.differences, rows, strict=True):
        choose = {
            "g-greedy": SlowCluster.generalized_greedy,
            "static order": SlowCluster.static_order,
            "infinite price": SlowCluster.infinite_price_order,
        }[each.minus]
        expected = []
        for measure in (SlowCluster.weight, SlowCluster.rouge_1):
            paired = [
                measure(slow, slow.infinite_price_order()) - measure(slow, choose(slow))
                for slow in slow_clusters
            ]
            expected += [np.mean(paired), np.std(paired, ddof=1) / len(paired) ** 0.5]
        assert row_of(each) == pytest.approx(expected, abs=1e-12)
        assert float(row["rouge_1_sem"]) == pytest.approx(each.rouge_1_sem, rel=1e-5)
        assert f"minus {each.minus}" in "".join(figure.findings)


def test_the_picture_is_not_blank(figure, tmp_path):
    figure.write_picture(tmp_path / "fig3.png")
    assert imread(tmp_path / "fig3.png").std() > 0.05


BAD_CLUSTERS = {
    "one": (CLUSTERS[:1], ["clusters", 1]),
    "none": ([], ["clusters", 0]),
    "without references": (
        [CLUSTERS[0], Cluster("lonely", CLUSTERS[0].documents)],
        ["cluster", "'lonely'"],
    ),
    "with an empty reference": (
        [CLUSTERS[0], Cluster("mute", CLUSTERS[0].documents, (" ",))],
        ["cluster", "'mute'"],
    ),
    "without documents": (
        [CLUSTERS[0], Cluster("hollow", (), ("A summary.",))],
        ["cluster", "'hollow'"],
    ),
    "of empty documents": (
        [CLUSTERS[0], Cluster("blank", (Document(" "),), ("A summary.",))],
        ["cluster", "'blank'"],
    ),
}


@pytest.mark.parametrize("kind", BAD_CLUSTERS)
def test_incomplete_clusters_are_refused(kind):
    clusters, facts = BAD_CLUSTERS[kind]
    with refused(InputError, *facts):
        TextExperiment(FIG3).run(clusters)


def test_at_least_one_thread_is_required():
    with refused(InputError, "threads", 0):
        TextExperiment(FIG3, num_threads=0)


def test_clusters_without_words_have_weight_0():
    signs = Cluster("signs", (Document("? ! ..."),), ("A summary.",))
    figure = TextExperiment(FIG3, **PLACES).run([signs, signs])
    assert {level.weight for level in figure.levels.values()} == {0.0}


def test_an_interrupt_ends_the_experiment():
    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TextExperiment(FIG3, **PLACES).run(CLUSTERS, on_progress=interrupt)


def test_prices_must_be_sorted_and_distinct():
    for prices in ((), (0.1, 0.0), (0.1, 0.1)):
        with refused(InputError, "prices", prices):
            TextExperiment(FIG3, prices=prices)
