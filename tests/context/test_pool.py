from datetime import date

import numpy as np
import pytest

from thatch.context.selection.pool import Pool, with_dates_in_words

TURNS = [
    "[1:56 pm on 8 May, 2023] Ann: I went to the harbor to see the ferries.",
    "[1:57 pm on 8 May, 2023] Bob Lee: Nice! Which ferries?",
    "[9:02 am on 3 June, 2023] Ann: Bread again. The oven is hot.",
    "[9:03 am on 3 June, 2023] Bob Lee: Save me a slice of bread.",
]


def test_dates_and_speakers_are_read_from_what_texts_begin_with():
    pool = Pool.of(TURNS)
    assert pool.structure.speakers == ("Ann", "Bob Lee", "Ann", "Bob Lee")
    assert pool.structure.sections.tolist() == [0, 0, 1, 1]
    assert pool.structure.labels[2] == "3 June, 2023"
    assert "ann" not in pool.terms.vocabulary


def test_fields_tell_more_than_texts():
    chunks = [
        {"text": "Hi.", "speaker": "Ann", "date": date(2023, 5, 8), "session": 1},
        {"text": "Ho.", "speaker": "Bob", "date": date(2023, 5, 9), "session": 2},
    ]
    pool = Pool.of(["Hi.", "Ho."], chunks)
    assert pool.structure.speakers == ("Ann", "Bob")
    assert pool.structure.labels == ["8 May 2023", "9 May 2023"]
    assert pool.structure.sections.tolist() == [0, 1]


def test_words_before_a_colon_are_no_speakers_if_few_texts_have_them():
    texts = ["Note: snow fell.", "Warning: ice.", "Hint: stay.", "It thawed."]
    assert set(Pool.of(texts).structure.speakers) == {""}


def test_positions_in_a_source_make_neighbors_whatever_the_order():
    chunks = [
        {"text": text, "metadata": {"source": source, "chunk_index": k}}
        for text, source, k in [
            ("c", "x", 2),
            ("a", "x", 0),
            ("b", "x", 1),
            ("q", "y", 0),
        ]
    ]
    structure = Pool.of([chunk["text"] for chunk in chunks], chunks).structure
    assert structure.order.tolist() == [1, 2, 0, 3]
    assert list(zip(*structure.neighbors(1), strict=True)) == [(1, 2), (2, 0)]


def test_offsets_make_neighbors_of_chunks_that_overlap_or_touch():
    chunks = [
        {"text": "x" * 100, "metadata": {"source": "s", "start_index": start}}
        for start in (0, 80, 5_000)
    ]
    structure = Pool.of([chunk["text"] for chunk in chunks], chunks).structure
    assert list(zip(*structure.neighbors(1), strict=True)) == [(0, 1)]


def test_the_chunk_above_is_the_heading_of_those_below():
    texts = ["Hi.", "# North", "Snow fell.", "# South", "It rained."]
    pool = Pool.of(texts)
    assert pool.headings.tolist() == [-1, 1, 1, 3, 3]
    assert pool.relevances("north").argmax() in (1, 2)


def test_near_copies_have_the_relevance_of_their_original():
    bridge = "The old stone bridge over the river closed on Monday for repairs."
    pool = Pool.of(["Bread is sold.", bridge, bridge.replace("Monday", "Sunday")])
    assert pool.originals.tolist() == [0, 1, 1]
    found = pool.relevances("When did the bridge close?")
    assert found[1] == found[2] == 1
    assert pool.shared(np.array([0.1, 0.2, 0.9])).tolist() == [0.1, 0.9, 0.9]


@pytest.mark.parametrize(
    ("written", "in_words"),
    [
        ("on 2023-05-08", "on 8 May 2023"),
        ("at 2023-05-08T13:56:00", "at 8 May 2023"),
        ("2023-13-45", "2023-13-45"),
        ("no date", "no date"),
    ],
)
def test_dates_are_compared_as_words(written, in_words):
    assert with_dates_in_words(written) == in_words


def test_nothing_is_a_pool_too():
    assert Pool.of([]).relevances("snow").tolist() == []
