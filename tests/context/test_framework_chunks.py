"""Chunks as splitters and readers of frameworks make them."""

import pytest

from thatch import select
from thatch.context import DropReason
from thatch.context.selection.pool import Pool

TEXTS = ["The disk was full.", "Nobody came.", "It rained.", "We left at noon."]


@pytest.mark.parametrize("name", ["page", "page_label"])
def test_offsets_that_begin_anew_on_each_page_are_ordered_by_page(name):
    places = [(1, 0), (2, 0), (1, 19), (9, 0)]
    chunks = [
        {"source": "a.pdf", name: str(page), "start_index": start}
        for page, start in places
    ]
    structure = Pool.of(TEXTS, chunks).structure
    assert structure.order.tolist() == [0, 2, 1, 3]
    assert structure.runs[0] == structure.runs[2] == structure.runs[1]
    assert structure.runs[3] != structure.runs[0]


def test_pages_with_other_labels_are_no_order():
    chunks = [
        {"source": "a.pdf", "page_label": "iv", "start_index": start}
        for start in (40, 0, 20, 60)
    ]
    assert Pool.of(TEXTS, chunks).structure.order.tolist() == [1, 2, 0, 3]


def test_a_heading_is_found_where_it_is_in_the_source():
    texts = ["# South", "It thawed.", "Snow fell.", "# North"]
    chunks = [{"source": "a.md", "start_index": k} for k in (20, 28, 9, 0)]
    assert Pool.of(texts, chunks).headings.tolist() == [0, 0, 3, 3]


def test_chunks_are_compared_by_text_and_measured_as_printed():
    chunks = [("a long name of a file", TEXTS[0]), ("another name", TEXTS[0])]
    context = select(
        chunks,
        100,
        query="disk",
        text=lambda chunk: chunk[1],
        printed=": ".join,
        unit="characters",
    )
    assert context.text == "a long name of a file: The disk was full."
    assert context.tokens == len(context.text)
    assert [each.reason for each in context.dropped] == [DropReason.REDUNDANT]


@pytest.mark.parametrize("chunks", [[], [{"text": " ", "source": "a.md"}]])
def test_a_quota_of_no_candidates_is_no_error(chunks):
    assert select(chunks, 10, group="source", per_group=1).objects == []
