from dataclasses import replace

import pytest
from refusals import refused

from thatch import Exact, InputError, Selection, Status, solve
from thatch.text.budget_fitting import fitting_result
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.costs.layout import Layout
from thatch.text.costs.units import WORDS, tokens_by
from thatch.text.documents.document import Document
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.summarizing import Summarizer

TEXT = "Snow fell. Snow fell again. Rain fell. Hail came down. Wind rose."


def task(budget, unit=WORDS, **rules):
    summarizer = Summarizer(
        unit=unit,
        concepts=CustomConcepts(
            lambda text: text.lower().strip(".").split(), lambda _: 1.0
        ),
        passage_filter=PassageFilter(min_words=0, **rules),
        layout=Layout(" "),
    )
    return summarizer.task([Document(TEXT)], budget)


def exactly(problem):
    return solve(problem, Exact())


def all_items(problem):
    """A result that chooses all there is, as the static order does."""
    return replace(exactly(problem), selection=Selection.of(problem, range(5)))


def test_what_fits_is_left_as_it_is():
    result = fitting_result(task(7), exactly)
    assert result.status is Status.OPTIMAL
    assert result.selection.value == exactly(task(7).problem).selection.value


def test_sentences_that_add_nothing_are_dropped_the_last_first():
    """Snow and fell are covered thrice: the sentence that says no more goes."""
    result = fitting_result(task(100), all_items)
    assert result.selection.items.tolist() == [1, 2, 3, 4]
    assert result.selection.value == exactly(task(100).problem).selection.value


def test_of_two_sentences_that_say_the_same_the_first_stays():
    documents = [Document("Rain fell. Rain fell. Wind rose.")]
    summarizer = Summarizer(
        passage_filter=PassageFilter(min_words=0), concepts=CustomConcepts(str.split)
    )
    result = fitting_result(
        summarizer.task(documents, 100),
        lambda p: replace(exactly(p), selection=Selection.of(p, range(3))),
    )
    assert result.selection.items.tolist() == [0, 2]


def more_than_its_parts(text):
    """Tokens that grow with the square of the text: no sum of costs knows them."""
    return len(text.split()) ** 2 / 4


@pytest.mark.parametrize("budget", [0, 1, 2, 5, 9, 16, 30])
def test_tokens_that_do_not_add_up_shrink_the_summary(budget):
    made = task(budget, tokens_by(more_than_its_parts))
    result = fitting_result(made, exactly)
    printed = made.printed(result.selection.items.tolist())
    assert more_than_its_parts(printed) <= budget
    assert bool(printed) == (budget >= 1)
    assert result.selection.value <= result.upper_bound


def test_a_summary_that_had_to_shrink_is_not_called_optimal():
    made = task(9, tokens_by(more_than_its_parts))
    assert exactly(made.problem).status is Status.OPTIMAL
    assert fitting_result(made, exactly).status is Status.FINISHED


def test_a_solver_that_ignores_smaller_budgets_is_cut_by_the_least():
    made = task(6)
    result = fitting_result(made, all_items)
    assert WORDS.measure(made.printed(result.selection.items.tolist())) <= 6
    assert len(result.selection) > 0


def test_requirements_that_do_not_fit_are_named():
    with refused(InputError, "budget", 4, 1, 2):
        fitting_result(task(4, require=("hail", "wind")), exactly)
    fitted = fitting_result(task(5, require=("hail", "wind")), exactly)
    assert fitted.selection.items.tolist() == [3, 4]
