import pytest

from thatch import Summarizer, summarize
from thatch.solvers import GeneralizedGreedy
from thatch.text import SENTENCES, TOKENS, CustomConcepts, PassageFilter
from thatch.text.report.headline import as_share, certificate, headline

TEXT = "Snow fell. Snow fell all day. We left the town at noon. Nobody came."


def test_the_best_summary_is_called_proved_best():
    summary = summarize(TEXT, 8)
    count, cost, covered = headline(summary).split(", ")
    assert count == f"{len(summary.passages)} of 4 sentences"
    assert cost == f"{summary.cost} of 8 words"
    assert (
        covered == f"{as_share(summary.coverage)} of what the text says: proved best."
    )
    assert certificate(summary).endswith("no selection within the budget covers more.")


def test_a_gap_is_named():
    # The greedy one takes the long sentence, which the two short ones outweigh.
    text = "a b c d. a b e. c d f."
    words = CustomConcepts(lambda text: text.strip(".").split())
    greedy = Summarizer(concepts=words, solver=GeneralizedGreedy(), readability=0)
    summary = greedy.summarize(text, 6)
    assert summary.gap > 0.1
    assert f"at most {as_share(summary.gap)} below the best" in headline(summary)
    more = as_share(summary.upper_bound / summary.value - 1)
    assert f"covers more than {more} more." in certificate(summary)


def test_bounds_on_tokens_are_conditional():
    summary = Summarizer(unit=TOKENS).summarize(TEXT, 12)
    assert headline(summary).endswith(", if costs add up.")
    assert certificate(summary).endswith(", if costs are added up passage by passage.")


def test_one_unit_is_in_the_singular():
    assert "1 of 1 sentence, 100" in headline(
        Summarizer(unit=SENTENCES).summarize("Snow fell.", 1)
    )


@pytest.mark.parametrize("choices", [{"pinned": [3]}, {"struck": [0]}])
def test_choices_by_hand_are_named(choices):
    summarizer = Summarizer()
    task = summarizer.task(TEXT, 8).with_choices(**choices)
    summary = summarizer.summary_of(task)
    assert headline(summary).endswith("with your choices.")
    assert "no selection with your choices within the budget" in certificate(summary)


def test_a_filter_is_no_choice_but_a_requirement_is():
    without = Summarizer(passage_filter=PassageFilter(exclude=("noon",)))
    assert not without.task(TEXT, 8).has_choices
    needed = Summarizer(passage_filter=PassageFilter(require=("noon",)))
    assert needed.task(TEXT, 8).has_choices


def test_a_question_is_named():
    summary = Summarizer(query="What was at noon?").summarize(TEXT, 8)
    assert "of what the text says about your question: " in headline(summary)


def test_an_empty_summary_says_why():
    summary = summarize(TEXT, 1)
    assert headline(summary) == "No sentence fits in 1 words: the shortest has 2."
    assert certificate(summary) == ""
