from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import GeneralizedGreedy, InputError, Status, Summarizer, summarize
from thatch.errors import InputTypeError
from thatch.solvers import StaticGreedy
from thatch.text.concepts.schemes import CustomConcepts

DANGLING = 2.0
# Sentences, each with the severity of its flaw by hand.
SEVERITIES = {
    "Snow fell on most of the northern hills.": 0.0,
    "Rain fell on all roads of the town.": 0.0,
    "Most roads of the town led over hills.": 0.0,
    "He saw snow on most of the hills.": DANGLING,
    "However, rain fell on most of the roads.": DANGLING,
    "Rain fell on these roads of the town:": 10 / 3,
    "All of the northern roads led over": 10 / 3,
    "Rain fell (see Table 2) on most hills.": 1.0,
    "Snow fell on hills.": 1.0,
}
# At the beginning, there is nothing before it, and it may be a title.
FLAWED_ELSEWHERE = {
    "He saw snow on most of the hills.",
    "However, rain fell on most of the roads.",
    "All of the northern roads led over",
}
SCHEME = CustomConcepts(
    lambda text: text.lower().strip(".:").split(), lambda word: len(word)
)
FLAWED = "All of it was sold. This is what the old mayor of the town wanted."


def words_of(sentence):
    return sentence.lower().strip(".:").split()


def severity_of(k, texts, chosen):
    """Severity of a sentence's flaw, given which sentences are chosen with it."""
    is_first = k == 0 and texts[k] in FLAWED_ELSEWHERE
    severity = 0.0 if is_first else SEVERITIES[texts[k]]
    has_antecedent = k - 1 in chosen and not severity_of(k - 1, texts, ())
    return 0.0 if severity == DANGLING and has_antecedent else severity


def value_by_hand(chosen, texts, readability, beside=()):
    """Sum over concepts of the weight, times the share of the best chosen sentence."""
    best = {}
    for k in chosen:
        share = max(0.0, 1.0 - severity_of(k, texts, beside or chosen) * readability)
        for word in words_of(texts[k]):
            best[word] = max(best.get(word, 0.0), share)
    return sum(len(word) * share for word, share in best.items())


chosen_sentences = st.lists(
    st.sampled_from(list(SEVERITIES)), min_size=1, max_size=6, unique=True
)
shares = st.sampled_from([0.0, 0.3, 0.5, 1.0]) | st.floats(0.0, 1.0)


# Paragraphs, so that a sentence without an end is not joined to the next.
@given(chosen_sentences, st.integers(0, 40), shares)
def test_the_value_and_the_bound_follow_the_definition(texts, budget, readability):
    summarizer = Summarizer(concepts=SCHEME, readability=readability, language="en")
    summary = summarizer.summarize("\n\n".join(texts), budget)
    chosen = [texts.index(sentence.text) for sentence in summary.sentences]
    expected = value_by_hand(chosen, texts, readability)
    assert summary.value == pytest.approx(expected)
    best = max(
        value_by_hand(others, texts, readability)
        for size in range(len(texts) + 1)
        for others in combinations(range(len(texts)), size)
        if sum(len(texts[k].split()) for k in others) <= budget
    )
    assert summary.upper_bound >= best - 1e-9 * (1 + best)
    if summary.status is Status.OPTIMAL:
        assert summary.value == pytest.approx(best)


@given(chosen_sentences, shares)
def test_what_a_sentence_covers_alone_adds_up(texts, readability):
    summarizer = Summarizer(concepts=SCHEME, readability=readability, language="en")
    summary = summarizer.summarize("\n\n".join(texts), 100)
    chosen = [texts.index(sentence.text) for sentence in summary.sentences]
    for k, sentence in zip(chosen, summary.sentences, strict=True):
        others = [each for each in chosen if each != k]
        without = value_by_hand(others, texts, readability, beside=chosen)
        loss = summary.value - without
        assert sentence.weight == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize("concepts", ["salience", "tf-idf", "bigrams"])
def test_a_readability_of_0_changes_nothing(concepts):
    text = " ".join(SEVERITIES)
    table = Summarizer(concepts=concepts, readability=0).task(text, 0).table
    plain = Summarizer(concepts=concepts).concepts.weigh(
        Summarizer().task(text, 0).passages
    )
    assert table.concepts == plain.concepts
    assert table.weights.tolist() == plain.weights.tolist()


def test_a_sentence_that_refers_to_another_counts_fully_with_it():
    fox = "He saw a fox on one of the old roads of the town."
    text = f"Snow fell on all of the northern hills. {fox}"
    before = text[: -len(fox) - 1]
    assert summarize(text, 13).text == before
    assert summarize(text, 13, require="fox").text == fox
    assert summarize(text, 21, readability=1).text == text
    assert summarize(text, 1, unit="sentences").text == before
    assert summarize(text, 2, unit="sentences").text == text
    alone, both = (summarize(text, n, require="fox").value for n in (13, 21))
    assert both == pytest.approx(summarize(text, 21, readability=0).value)
    assert alone < 0.5 * summarize(text, 13, require="fox", readability=0).value


@pytest.mark.parametrize("solver", [GeneralizedGreedy(), StaticGreedy()])
def test_a_sentence_and_its_antecedent_are_one_item_whatever_the_solver(solver):
    text = " ".join(list(SEVERITIES)[:4])
    summary = summarize(text, 100, solver=solver)
    assert summary.text == text
    assert summary.cost == len(text.split())
    assert summary.value == pytest.approx(summary.task.table.weights.sum())


def test_a_sentence_is_selected_once_for_two_reasons():
    text = (
        "Snow fell on all of the northern hills. He saw a fox in the town. "
        "A storm hit the northern coast. However, the old bridge over the river held."
    )
    summary = summarize(text, 100)
    assert summary.text == text
    assert summary.cost == len(text.split())
    assert len(summary.sentences) == 4
    assert repr(summary).startswith("Summary(4 of 4 passages")
    total = summary.task.table.weights.sum()
    assert summary.value == pytest.approx(total)


def test_a_sentence_after_a_flawed_one_covers_nothing_at_1():
    text = "Snow fell on these northern hills: He saw a fox in the old town."
    text = text.replace(": ", ":\n\n")
    assert not Summarizer(readability=1).task(text, 100).antecedents
    assert summarize(text, 100, require="fox", readability=1).value == 0


def test_with_a_limit_per_group_sentences_are_selected_one_by_one():
    text = "Snow fell on all of the northern hills. He saw a fox in the old town."
    summarizer = Summarizer(group="document", per_group=1)
    assert len(summarizer.summarize(text, 100).sentences) == 1


def test_the_better_sentence_is_chosen_of_two_that_say_the_same():
    text = (
        "A storm hit the northern coast. However, the old bridge over the river fell. "
        "Over the river fell, however, the old bridge."
    )
    rules = {"budget": 8, "require": "bridge", "concepts": SCHEME.concepts_of}
    assert summarize(text, readability=1, **rules).text.startswith("Over the river")


def test_concepts_are_named_once():
    summary = summarize(" ".join(SEVERITIES), 100, readability=0.5)
    for sentence in summary.sentences:
        assert len(set(sentence.concepts)) == len(sentence.concepts)


@pytest.mark.parametrize("by", ["paragraph", "file"])
def test_only_sentences_have_flaws(by):
    results = [
        Summarizer(by=by, readability=share).summarize(FLAWED, 100).value
        for share in (0, 1)
    ]
    assert results[0] == results[1] > 0


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), float("inf")])
def test_a_share_is_from_0_to_1(share):
    with refused(InputError, "readability", share):
        Summarizer(readability=share)


@pytest.mark.parametrize("share", ["much", None])
def test_a_share_is_a_number(share):
    with refused(InputTypeError, "readability", share):
        Summarizer(readability=share)
