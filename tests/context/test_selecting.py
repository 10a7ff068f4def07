import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused

import thatch
from thatch import InputError
from thatch.context import DropReason, SelectOptions
from thatch.errors import InputTypeError
from thatch.text import WORDS, tokens_by

FERRY = "The ferry to the island leaves the north pier at noon."
LATE = "On Sundays the ferry is an hour late, and the pier is crowded."
BREAD = "The baker on Mill Street sells rye bread with walnuts."
CONCERT = "A violin concert filled the old theater on Friday night."
NOTES = [BREAD, FERRY, CONCERT, LATE]


def reasons(context):
    return {each.index: each.reason for each in context.dropped}


def test_the_callers_own_objects_come_back():
    chunks = [
        SimpleNamespace(page_content=text, metadata={"id": text}) for text in NOTES
    ]
    context = thatch.select(
        chunks, 12, query="When does the ferry leave?", unit="words"
    )
    (selected,) = context.chunks
    assert selected.chunk is chunks[1]
    assert (selected.index, selected.text, selected.tokens) == (1, FERRY, 11)
    assert context.objects == [chunks[1]]
    assert context.indices == [1]
    assert (context.tokens, context.budget, context.unit) == (11, 12, "words")


def test_every_chunk_is_selected_or_dropped_with_a_reason():
    context = thatch.select(NOTES, 24, query="ferry pier", unit=WORDS)
    assert context.indices == [1, 3]
    assert reasons(context) == {
        0: DropReason.LOW_RELEVANCE,
        2: DropReason.LOW_RELEVANCE,
    }
    assert context.text == f"{FERRY}\n\n{LATE}"


def test_the_value_is_certified():
    context = thatch.select(NOTES, 24, query="ferry pier", unit="words")
    assert context.gap == 0
    assert context.value == pytest.approx(sum(each.gain for each in context.chunks))
    assert context.upper_bound == pytest.approx(context.value)


def test_a_copy_is_dropped_and_names_the_other():
    context = thatch.select([FERRY, BREAD, FERRY], 40, query="ferry", unit="words")
    assert context.indices == [0]
    assert reasons(context)[2] is DropReason.REDUNDANT
    assert context.dropped[1].redundant_with == 0


def test_what_overlapping_windows_share_counts_once():
    words = [f"word{k}" for k in range(90)]
    windows = [" ".join(words[k : k + 30]) for k in (0, 3, 5, 60)]
    context = thatch.select(windows, 60, scores=[1.0, 0.95, 0.9, 0.85], unit="words")
    assert context.indices == [0, 3]
    assert reasons(context) == {1: DropReason.REDUNDANT, 2: DropReason.REDUNDANT}


def test_the_longest_copy_that_fits_is_taken():
    short = "The ferry to the island leaves the north pier"
    context = thatch.select([short, FERRY], 10, query="ferry", unit="words")
    assert context.indices == [0]
    assert reasons(context) == {1: DropReason.REDUNDANT}


def test_a_chunk_above_the_budget_is_too_long():
    context = thatch.select([FERRY, "A ferry."], 5, query="ferry", unit="words")
    assert context.indices == [1]
    assert reasons(context) == {0: DropReason.TOO_LONG}


def test_the_most_relevant_chunk_is_in_if_it_fits():
    texts = [" ".join(f"w{k}x{i}" for i in range(5)) for k in range(6)]
    texts[0] = " ".join(f"long{i}" for i in range(8))
    scores = [1.0, 0.99, 0.99, 0.5, 0.5, 0.5]
    context = thatch.select(texts, 10, scores=scores, unit="words")
    assert 0 in context.indices


def test_scores_decide_where_they_are_given():
    context = thatch.select(NOTES, 12, scores=[0.1, 0.2, 9.0, 0.3], unit="words")
    assert context.indices == [2]
    assert context.chunks[0].relevance == 1
    logits = thatch.select(NOTES, 12, scores=[-9, -8.5, -0.1, -7], unit="words")
    assert logits.indices == [2]


def test_without_a_query_what_many_say_is_selected():
    texts = ["Zebras graze.", "The ferry was late.", "Late ferry, and rain, again."]
    context = thatch.select(texts, 4, unit="words")
    assert context.indices == [1]


def test_a_limit_per_group_is_kept():
    chunks = [
        {"text": f"The ferry number {k} leaves pier {k}.", "source": "abc"[k % 3]}
        for k in range(9)
    ]
    context = thatch.select(
        chunks, 60, query="ferry pier", unit="words", group="source", per_group=1
    )
    sources = [each.chunk["source"] for each in context.chunks]
    assert sorted(sources) == ["a", "b", "c"]
    assert set(reasons(context).values()) == {DropReason.QUOTA}


def test_what_must_be_included_is():
    context = thatch.select(NOTES, 22, query="ferry", unit="words", must_include=[0])
    assert context.indices == [0, 1]
    same = thatch.select(
        NOTES, 22, query="ferry", unit="words", must_include=lambda text: text == BREAD
    )
    assert same.indices == [0, 1]


def test_a_required_copy_replaces_its_original():
    short = "The ferry to the island leaves the north pier"
    context = thatch.select(
        [FERRY, short], 40, query="x", unit="words", must_include=[1]
    )
    assert context.indices == [1]


def test_what_must_be_included_has_to_fit():
    with refused(InputError, 5, "must_include"):
        thatch.select(NOTES, 5, query="ferry", unit="words", must_include=[0])
    with refused(InputError, "per_group", "must_include"):
        thatch.select(
            NOTES,
            99,
            unit="words",
            must_include=[0, 1],
            group=[1, 1, 2, 3],
            per_group=1,
        )


def test_embeddings_tell_what_says_the_same():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.01], [-1.0, 0.5]])
    context = thatch.select(
        NOTES, 99, scores=[3, 2, 1, 1], unit="words", embeddings=rows
    )
    assert context.indices == [0, 1, 3]
    assert reasons(context) == {2: DropReason.REDUNDANT}


@pytest.mark.parametrize(
    ("order", "indices"),
    [("source", [0, 1, 2, 3]), ("relevance", [2, 1, 0, 3]), ("edges", [2, 0, 3, 1])],
)
def test_orders(order, indices):
    context = thatch.select(NOTES, 99, scores=[2, 3, 4, 1], unit="words", order=order)
    assert context.indices == indices


def test_a_window_brings_neighbors():
    chunks = [
        {"text": f"Day {k}: {w}.", "position": k} for k, w in enumerate("abcdefg")
    ]
    chunks[3]["text"] = "The ferry sank."
    context = thatch.select(chunks, 11, query="ferry", unit="words", window=1)
    assert context.indices == [2, 3, 4]
    assert [each.gain > 0 for each in context.chunks] == [False, True, False]


def test_a_heading_travels_with_its_text():
    texts = ["# Boats", FERRY, "# Food", BREAD]
    context = thatch.select(texts, 14, query="bread", unit="words")
    assert context.indices == [2, 3]
    assert thatch.select(texts, 10, query="bread", unit="words").indices == [3]


def test_a_heading_without_text_stands_for_itself():
    assert thatch.select(["# Roofs"], 10).indices == [0]
    assert thatch.select([BREAD, "# Boats"], 99, query="boats").indices == [1]


def test_code_stays_with_the_line_that_introduces_it():
    texts = ["Bread is fine.", "Install the ferry like this:", "    pip install ferry"]
    context = thatch.select(texts, 9, query="like this", unit="words")
    assert context.indices == [1, 2]


def test_headers_and_elements_count():
    chunks = [{"text": text, "source": "notes.md"} for text in NOTES]
    for format in ("markdown", "xml", "json"):
        for budget in range(40):
            context = thatch.select(
                chunks, budget, query="ferry", unit=tokens_by(len), format=format
            )
            assert len(context.text) <= budget or not context.chunks


def test_arguments_that_do_not_match_are_refused():
    with refused(InputError, "scores", 1, 4):
        thatch.select(NOTES, 9, scores=[1])
    with refused(InputError, "scores[1]", "nan"):
        thatch.select(NOTES, 9, scores=[1, float("nan"), 0, 0])
    with refused(InputError, "embeddings"):
        thatch.select(NOTES, 9, embeddings=[1, 2, 3, 4])
    with refused(InputError, "per_group"):
        thatch.select(NOTES, 9, per_group=1)
    with refused(InputError, "order", "'best'"):
        thatch.select(NOTES, 9, order="best")
    with refused(InputError, "format", "'yaml'"):
        thatch.select(NOTES, 9, format="yaml")
    with refused(InputError, "budget", -1):
        thatch.select(NOTES, -1)
    with refused(InputTypeError, "chunks[0]"):
        thatch.select([3], 9)


@pytest.mark.parametrize("chunks", [[], [""], ["", "  \n"]])
def test_nothing_is_selected_from_nothing(chunks):
    context = thatch.select(chunks, 9, query="ferry")
    assert (context.text, context.tokens, len(context)) == ("", 0, 0)
    assert set(reasons(context).values()) <= {DropReason.EMPTY}


def test_a_budget_of_zero_selects_nothing():
    context = thatch.select(NOTES, 0, query="ferry")
    assert context.text == ""
    assert len(context.dropped) == 4


def test_concurrent_calls_give_the_same_answers():
    queries = ["ferry", "bread", "concert", "late pier"]
    alone = [thatch.select(NOTES, 20, query=query).text for query in queries]
    options: SelectOptions = {"unit": "tokens"}

    async def together():
        calls = [thatch.aselect(NOTES, 20, query=query, **options) for query in queries]
        return [context.text for context in await asyncio.gather(*calls)]

    assert asyncio.run(together()) == alone


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("query", 5),
        ("query", ["snow"]),
        ("header", 5),
        ("separator", 5),
        ("group", 5),
        ("embeddings", [["a"]] * 4),
        ("embeddings", [[1.0], [1.0, 2.0], [1.0], [1.0]]),
        ("embeddings", [[float("nan")]] * 4),
        ("language", "klingon"),
    ],
)
def test_an_argument_of_another_kind_is_refused(name, value):
    with pytest.raises((InputError, InputTypeError)) as raised:
        thatch.select(NOTES, 20, **{"query": "ferry", name: value})
    assert name in str(raised.value)


@pytest.mark.parametrize("chunks", ["The ferry.", b"ferry", {"text": "The ferry."}, 5])
def test_chunks_are_a_list(chunks):
    with pytest.raises(InputTypeError, match="a list of chunks was expected"):
        thatch.select(chunks, 20)


def test_languages_have_names():
    houses = ["Die Häuser stehen am Fluss.", "Der Schnee liegt auf der Stadt."]
    context = thatch.select(houses, 40, query="Haus", language="german")
    assert context.indices == [0]


@pytest.mark.parametrize(
    "fields",
    [{"index": 2**70}, {"start": 5, "page": "9" * 30}, {"metadata": np.arange(3)}],
)
def test_unusual_fields_are_no_error(fields):
    chunks = [{"text": text, **fields} for text in NOTES]
    assert thatch.select(chunks, 12, query="ferry noon", unit="words").indices == [1]


def test_scores_of_any_size_are_taken():
    context = thatch.select(NOTES, 12, scores=[0, 1e308, 0, -1e308], unit="words")
    assert context.indices == [1]


def test_a_speaker_is_named_by_a_part_of_the_name_that_is_no_one_elses():
    talk = [
        {"speaker": "Ann Lee", "text": "I sold the boat in May."},
        {"speaker": "Tom Lee", "text": "I sold the boat in June."},
        {"speaker": "Tom Lee", "text": "It rains."},
    ]
    best = thatch.select(talk, 200, query="When did Ann Lee sell the boat?")
    relevance = {each.index: each.relevance for each in [*best.chunks, *best.dropped]}
    assert relevance[0] > relevance[1]


def test_a_heading_is_selected_for_the_text_below_it_unless_it_has_a_score():
    chunks = ["Bread is sold at six.", "# Ferry times", "It leaves the pier at noon."]
    asked = thatch.select(chunks, 9, query="ferry times", unit="words")
    assert [(each.index, each.gain > 0) for each in asked.chunks] == [
        (1, False),
        (2, True),
    ]
    assert 1 not in thatch.select(chunks, 3, query="ferry times", unit="words").indices
    scored = thatch.select(chunks, 5, scores=[0.2, 1, 0.1], unit="words")
    assert scored.chunks[-1].index == 1
    assert scored.chunks[-1].gain > 0


def test_what_is_excluded_is_not_selected_but_counts():
    free = thatch.select(NOTES, 24, query="ferry pier", unit="words")
    context = thatch.select(
        NOTES, 24, query="ferry pier", unit="words", must_exclude=[1]
    )
    assert context.indices == [3]
    assert reasons(context)[1] is DropReason.EXCLUDED
    relevance = {each.index: each.relevance for each in free.chunks}
    assert context.chunks[0].relevance == relevance[3]
    assert context.value < free.value


def test_a_copy_takes_the_place_of_what_is_excluded():
    copy = f"{FERRY} "
    chunks = [FERRY, BREAD, copy]
    context = thatch.select(chunks, 40, query="ferry", unit="words", must_exclude=[0])
    assert context.indices == [2]


def test_a_chunk_cannot_be_both_required_and_excluded():
    with refused(InputError, "chunk 1", "must_include", "must_exclude"):
        thatch.select(NOTES, 24, must_include=[1], must_exclude=[1])


def test_dropped_candidates_have_their_size_and_gain():
    context = thatch.select(NOTES, 12, query="ferry pier", unit="words")
    (late,) = [each for each in context.dropped if each.index == 3]
    assert late.tokens == 13
    larger = thatch.select(NOTES, 24, query="ferry pier", unit="words")
    assert late.gain == pytest.approx(larger.value - context.value)


def test_the_baseline_is_what_all_chunks_and_the_most_relevant_ones_are_worth():
    chunks = [FERRY, FERRY, LATE, BREAD]
    context = thatch.select(chunks, 35, query="ferry pier", unit="words")
    everything = thatch.select(chunks, 100, query="ferry pier", unit="words")
    assert context.baseline.total == pytest.approx(everything.value)
    assert context.share == pytest.approx(context.value / everything.value)
    # Two of the three that fit the budget say the same.
    assert (context.baseline.num_top, context.baseline.num_repeats) == (3, 1)
    alone = thatch.select([FERRY, LATE], 11, query="ferry pier", unit="words")
    assert alone.baseline.num_top == 1
