import pytest
from refusals import refused

import thatch
from thatch import InputError
from thatch.context import DropReason

SOURCED = [
    {"text": "one two three", "source": "a"},
    {"text": "four five six", "source": "a"},
    *({"text": f"w{k}"} for k in range(9)),
]


def test_a_required_chunk_comes_before_the_best_of_its_group():
    pages = [
        {"text": "The ferry leaves at noon.", "source": "a"},
        {"text": "Rules.", "source": "a"},
    ]
    context = thatch.select(
        pages, 40, query="ferry", group="source", per_group=1, must_include=[1]
    )
    assert context.indices == [1]


@pytest.mark.parametrize("budget", [9, 10, 11, 30])
def test_a_header_that_required_chunks_share_counts_once(budget):
    context = thatch.select(
        SOURCED,
        budget,
        scores=[0.1, 0.1, *[1] * 9],
        unit="words",
        header="h h {source}: ",
        must_include=[0, 1],
    )
    assert set(context.indices) >= {0, 1}
    assert context.tokens <= budget


@pytest.mark.parametrize("budget", [4, 8, 11, 13, 18, 40])
def test_headings_of_required_chunks_are_printed_if_they_fit(budget):
    chunks = [
        "# Long heading of the first part",
        "alpha beta",
        "# Long heading of the second part",
        "gamma delta",
    ]
    context = thatch.select(
        chunks, budget, scores=[1] * 4, unit="words", must_include=[1, 3]
    )
    assert set(context.indices) >= {1, 3}
    assert (len(context) == 4) == (budget >= 18)


def test_required_chunks_above_the_budget_are_refused():
    with refused(InputError, "must_include, which need 6", 5):
        thatch.select(SOURCED, 5, unit="words", must_include=[0, 1])


@pytest.mark.parametrize("format", ["text", "markdown", "xml", "json"])
@pytest.mark.parametrize("unit", ["tokens", "characters", "words"])
def test_what_fits_exactly_is_in(format, unit):
    chunks = [
        {"text": "ferry captain from pier at noon island leaves.", "source": "a.md"},
        {"text": "Bread.", "source": "b.md"},
    ]
    options = {"unit": unit, "format": format, "scores": [1, 0.01]}
    size = thatch.select(chunks[:1], 10_000, **{**options, "scores": [1]}).tokens
    context = thatch.select(chunks, size, **options)
    assert context.indices == [0]
    assert context.tokens == size


def test_what_fits_beside_no_other_has_no_room():
    chunks = ["one two three four", "five six seven", "eight"]
    context = thatch.select(chunks, 4, scores=[0.9, 1, 0.1], unit="words")
    assert context.indices == [1, 2]
    (dropped,) = context.dropped
    assert dropped.reason is DropReason.NO_ROOM


def test_a_heading_is_printed_though_a_neighbor_does_not_fit():
    chunks = ["# Boats", "The ferry leaves.", "word " * 30]
    context = thatch.select(
        [{"text": text, "position": k} for k, text in enumerate(chunks)],
        12,
        query="ferry",
        unit="words",
        window=1,
    )
    assert context.indices == [0, 1]


def test_empty_neighbors_and_copies_accompany_nothing():
    ferry = "The ferry leaves the north pier at noon."
    chunks = [
        {"text": text, "position": k} for k, text in enumerate(["", ferry, ferry])
    ]
    context = thatch.select(chunks, 40, query="ferry", unit="words", window=1)
    assert context.text == ferry
