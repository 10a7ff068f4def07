import numpy as np
import pytest
from refusals import refused

from thatch import InputError, summarize
from thatch.errors import InputTypeError
from thatch.problem.selection import Selection
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.costs.layout import Layout
from thatch.text.documents.document import Document
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.summarizing import Summarizer

TEXT = "Snow fell. Rain and snow fell. Nobody came. Wind came."
VARIED = "Snow fell. Nobody came. Rivers rose. Ferries stopped."


def task(weight=1.0, budget=6, **rules):
    concepts = CustomConcepts(
        lambda text: text.lower().strip(".").split(), lambda _: weight
    )
    summarizer = Summarizer(
        concepts=concepts,
        passage_filter=PassageFilter(min_words=0, **rules),
        layout=Layout(" / "),
        readability=0,
    )
    return summarizer.task([Document(TEXT)], budget)


def test_items_are_the_candidates_and_elements_the_concepts():
    made = task(exclude=("rain",))
    problem = made.problem
    assert made.choosable.tolist() == [0, 2, 3]
    assert made.texts == ("Snow fell.", "Nobody came.", "Wind came.")
    names = made.table.names()
    held = [{names[a] for a in problem.edges.elements_of(i)} for i in range(3)]
    assert held == [{"snow", "fell"}, {"nobody", "came"}, {"wind", "came"}]
    assert problem.num_elements == len(names) == 7


def test_separators_are_part_of_the_costs_and_one_of_the_budget():
    assert task().problem.costs.tolist() == [3, 5, 3, 3]
    assert task(budget=6).problem.budget == 7


@pytest.mark.parametrize("weight", [1e-12, 1.0, 1e12])
def test_a_requirement_outweighs_all_concepts_of_any_size(weight):
    made = task(weight, require=("wind", "nobody"))
    problem = made.problem
    all_concepts = made.table.weights.sum()
    assert (problem.weights[-2:] > all_concepts).all()
    met = Selection.of(problem, [2, 3])
    concepts = 3 * weight
    assert met.value - made.weight_of_requirements == pytest.approx(concepts, rel=1e-9)
    assert met.value > Selection.of(problem, [0, 1, 2]).value


def test_requirements_count_even_where_nothing_else_does():
    made = task(0.0, require=("wind",))
    assert made.problem.weights.tolist() == [1.0]
    assert made.problem.edges.items_of(0).tolist() == [3]


def test_another_budget_leaves_the_rest():
    made = task(require=("wind",))
    other = made.with_budget(2)
    assert other.budget == 2
    assert other.texts == made.texts
    assert np.array_equal(other.problem.weights, made.problem.weights)


def test_items_are_printed_in_the_order_of_the_text():
    assert task().printed([0, 2]) == "Snow fell. / Nobody came."
    assert task().printed([]) == ""


@pytest.mark.parametrize(
    ("ratio", "budget"), [(0, 0), (0.5, 6.5), (1, 13), (1 / 13, 1), (7 / 13, 7)]
)
def test_a_ratio_is_a_share_of_all_that_may_be_selected(ratio, budget):
    # Ten words, and three separators.
    assert task().with_ratio(ratio).budget == pytest.approx(budget)
    assert task(exclude=("rain",)).with_ratio(1).budget == 8


def test_a_ratio_is_exact_where_floating_point_is_not():
    text = " ".join(["Snow lay on hills."] * 25)
    made = Summarizer().task(text, 0)
    assert 0.29 * made.size < 29
    assert made.with_ratio(0.29).budget == 29


def test_a_ratio_of_1_is_room_for_everything():
    assert summarize(VARIED, ratio=1).text == VARIED
    assert summarize(VARIED, ratio=0).text == ""
    assert summarize(VARIED, ratio=0.5).cost <= 0.5 * 8


@pytest.mark.parametrize("unit", ["words", "characters", "sentences", "tokens"])
def test_a_ratio_is_measured_in_the_unit(unit):
    summary = summarize(VARIED, ratio=0.5, unit=unit)
    whole = summarize(VARIED, ratio=1, unit=unit)
    assert (whole.text, whole.cost) == (VARIED, whole.budget)
    assert summary.budget == pytest.approx(whole.budget / 2)
    assert 0 < summary.cost <= summary.budget


def test_an_empty_text_has_an_empty_share():
    assert summarize("", ratio=0.5).budget == 0


@pytest.mark.parametrize("ratio", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_ratio_is_from_0_to_1(ratio):
    with refused(InputError, "ratio", ratio):
        task().with_ratio(ratio)


def test_a_ratio_is_a_number():
    with refused(InputTypeError, "ratio", "'half'"):
        task().with_ratio("half")


def test_pinned_passages_are_selected_and_struck_ones_are_not():
    free = task(budget=9)
    chosen = Summarizer().summary_of(free.with_choices(pinned=[2], struck=[1]))
    assert [s.position for s in chosen.sentences] == [0, 2, 3]
    best = Summarizer().summary_of(free)
    assert [s.position for s in best.sentences] == [1, 2]
    assert chosen.value < best.value
    assert chosen.gap == 0
    (out,) = (s for s in chosen.left_out if s.position == 1)
    assert out.reason == "struck out"


def test_choices_by_hand_equal_enumeration_under_them():
    free = task(budget=9)
    for pinned in range(4):
        for struck in set(range(4)) - {pinned}:
            made = free.with_choices(pinned=[pinned], struck=[struck])
            summary = Summarizer().summary_of(made)
            assert pinned in summary.passages
            assert struck not in summary.passages
            assert summary.value == pytest.approx(_best(free, pinned, struck))


def _best(free, pinned, struck):
    allowed = [p for p in range(4) if p != struck]
    selections = [
        Selection.of(free.problem, [p for p in allowed if code >> p & 1])
        for code in range(16)
        if code >> pinned & 1 and not code >> struck & 1
    ]
    return max(s.value for s in selections if s.cost <= free.problem.budget)


def test_a_struck_antecedent_is_not_selected_together_with_another_passage():
    text = "Snow fell on the town during the night. It also stopped all ferries."
    made = Summarizer().task(text, 13)
    assert made.antecedents == {1: 0}
    assert Summarizer().summary_of(made).passages == [0, 1]
    assert Summarizer().summary_of(made.with_choices(struck=[0])).passages == [1]


def test_choices_by_hand_are_checked():
    with refused(InputError, "pinned", "7", "4 passages"):
        task().with_choices(pinned=[7])
    with refused(InputError, "struck", "-1"):
        task().with_choices(struck=[-1])
    with refused(InputError, "passage 2", "pinned", "struck out"):
        task().with_choices(pinned=[2], struck=[2])
    with refused(InputError, "passage 1", "pinned"):
        task(exclude=("rain",)).with_choices(pinned=[1])
