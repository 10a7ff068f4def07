import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch import Document
from thatch.text.concepts.salience import prominence
from thatch.text.passages.passages import Passages


def passages_of(*counts, separator=" "):
    """Documents of so many sentences each."""
    return Passages.of(
        [
            Document(separator.join(f"Sentence {k} is here." for k in range(count)))
            for count in counts
        ],
        language="en",
    )


def by_hand(count, k, num_documents):
    """L^1.5 ([k = 0] + 2 / (1 + k/L)), twice that for up to five documents.

    For one document 2.5 times that, and [k = 0] twice.
    """
    length = max(1.0, count / 40)
    first = (2 if num_documents == 1 else 1) if k == 0 else 0
    score = length**1.5 * (first + 2 / (1 + k / length))
    return {1: 2.5}.get(num_documents, 2 if num_documents <= 5 else 1) * score


@given(st.lists(st.integers(0, 90), max_size=7))
def test_places_score_what_the_rule_says(counts):
    expected = [
        by_hand(count, k, len(counts)) for count in counts for k in range(count)
    ]
    assert prominence(passages_of(*counts)) == pytest.approx(np.array(expected))


def test_a_few_figures_by_hand():
    assert prominence(passages_of(3)).tolist() == pytest.approx([10, 2.5, 5 / 3])
    assert prominence(passages_of(3, 1)).tolist() == pytest.approx([6, 2, 4 / 3, 6])
    assert prominence(passages_of(*[1] * 6)).tolist() == [3.0] * 6
    long = prominence(passages_of(160))
    assert long[[0, 4]].tolist() == pytest.approx([2.5 * 8 * 4, 2.5 * 8 * 1])


def test_without_passages_there_are_no_scores():
    assert prominence(passages_of(0)).shape == (0,)
    assert prominence(passages_of()).shape == (0,)


def test_a_list_of_records_has_no_long_beginning():
    found = prominence(passages_of(100, separator="\n\n"))
    assert found[:3].tolist() == pytest.approx([3, 1, 2 / 3])


@pytest.mark.parametrize(
    ("num_paragraphs", "per_paragraph", "is_list"),
    [(30, 1, True), (29, 1, False), (60, 2, False)],
)
def test_many_paragraphs_of_one_sentence_are_a_list(
    num_paragraphs, per_paragraph, is_list
):
    sentences = " ".join(f"Part {k} is here." for k in range(per_paragraph))
    document = Document("\n\n".join([sentences] * num_paragraphs))
    first = prominence(Passages.of([document], language="en"))[0]
    assert (first == 3.0) == is_list
