import json
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import Document, InputError, Summarizer, summarize
from thatch.errors import FileFormatError
from thatch.text.concepts.known import (
    KnownConcepts,
    add_known,
    read_known,
    write_known,
)
from thatch.text.concepts.schemes import CustomConcepts

# Words that are their own terms, in any language.
WORDS = ["ash", "elm", "fir", "oak", "yew"]
MONDAY = "The dam above the town broke on Monday. Two farms were flooded by the river."
TUESDAY = "The dam above the town broke on Monday. A minister visited both schools."
SCHEME = CustomConcepts(
    lambda text: text.lower().strip(".").split(), lambda word: len(word)
)

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(
    lambda words: " ".join(words).capitalize() + "."
)
texts = st.lists(sentences, min_size=1, max_size=5).map(" ".join)


def words_of(sentence):
    return sentence.lower().strip(".").split()


def split(text):
    return [each.strip() + "." for each in text.removesuffix(".").split(".")]


def long_text(num_sentences=60):
    """A text that shares a few words between its sentences, and ends in new ones."""
    lines = [f"Road{k} and road{k + 1} met at a mill." for k in range(num_sentences)]
    return " ".join([*lines, "Quartz glitters beneath windswept heather everywhere."])


@given(st.lists(texts, min_size=1, max_size=3))
def test_words_and_pairs_of_adjacent_words_are_known(given_texts):
    known = KnownConcepts.of([Document(text) for text in given_texts], language="en")
    expected = set()
    for sentence in (s for text in given_texts for s in split(text)):
        expected |= {*words_of(sentence), *pairwise(words_of(sentence))}
    assert known.concepts == expected


@given(texts, texts)
def test_known_values_of_an_own_scheme_weigh_less(text, earlier):
    summarizer = Summarizer(concepts=SCHEME, known=earlier, readability=0)
    task = summarizer.task(text, 100)
    known = {*words_of(earlier.replace(".", ""))}
    for word, weight in zip(task.table.concepts, task.table.weights, strict=True):
        assert weight == (0.3 if word in known else 1.0) * len(word)
    for p, sentence in enumerate(split(text)):
        num_new = sum(word not in known for word in words_of(sentence))
        is_old = num_new <= 0.05 * len(words_of(sentence))
        assert (task.ruled_out.get(p) == "nothing new") == is_old


@given(texts, texts)
def test_known_pairs_weigh_less_and_known_words_what_they_did(text, earlier):
    plain, task = (
        Summarizer(known=known, readability=0, language="en").task(text, 100)
        for known in (None, earlier)
    )
    known = {p for sentence in split(earlier) for p in pairwise(words_of(sentence))}
    words = {*words_of(earlier.replace(".", ""))}
    has_pairs = any(isinstance(concept, tuple) for concept in plain.table.concepts)
    before = zip(plain.table.concepts, plain.table.weights, strict=True)
    for (concept, weight), now in zip(before, task.table.weights, strict=True):
        is_less = concept in (known if has_pairs else words)
        assert now == pytest.approx((0.3 if is_less else 1.0) * weight)


def test_known_words_put_together_in_a_new_way_are_news():
    known = "The river flooded two farms. The minister visited the town."
    assert summarize("The minister flooded the town.", known=known).text
    assert not summarize("The river flooded two farms.", known=known).text


def test_a_new_story_beside_a_long_known_one_is_not_hidden():
    story = "Quartz glitters beneath windswept heather. Larks nest there again."
    texts = [long_text(), story]
    summary = summarize(texts, known=long_text())
    assert "Larks nest there again." in summary.text
    assert "Road7" not in summary.text


@given(texts, st.integers(0, 12))
def test_a_text_that_is_known_is_not_summarized(text, budget):
    summary = summarize(text, budget, known=text)
    assert (summary.text, summary.value) == ("", 0)
    assert set(summary.task.ruled_out.values()) == {"nothing new"}


def test_words_of_one_sentence_in_a_long_text_are_known_too():
    text = long_text()
    assert summarize(text, known=text).text == ""
    changed = text.replace("Quartz", "Basalt")
    assert summarize(changed, known=text).text.startswith("Basalt glitters")


def test_what_another_condition_rules_out_keeps_its_reason():
    summary = summarize(TUESDAY, known=MONDAY, exclude="dam")
    assert {left.reason for left in summary.left_out} == {"excluded: dam"}


def test_earlier_texts_known_concepts_and_documents_are_the_same():
    expected = summarize(TUESDAY, known=MONDAY)
    assert expected.text == "A minister visited both schools."
    for known in (
        [MONDAY],
        Document(MONDAY),
        KnownConcepts.of([Document(MONDAY)]),
    ):
        summary = summarize(TUESDAY, known=known)
        assert (summary.text, summary.value) == (expected.text, expected.value)


def test_nothing_known_changes_nothing():
    plain, empty = summarize(TUESDAY, 8), summarize(TUESDAY, 8, known=KnownConcepts())
    assert (plain.text, plain.value) == (empty.text, empty.value)


def test_an_own_scheme_knows_its_own_values():
    scheme = CustomConcepts(
        lambda text: [int(w) for w in text.strip(".").split() if w.isdigit()]
    )
    summarizer = Summarizer(concepts=scheme, known="Rooms 7 and 8 are free.")
    summary = summarizer.summarize("Rooms 7 and 8 are taken. Room 9 is free.", 100)
    assert summary.text == "Room 9 is free."


@given(
    st.frozensets(
        st.text(max_size=4) | st.tuples(st.text(max_size=4), st.text(max_size=4)),
        max_size=8,
    )
)
def test_a_state_file_contains_all_words_and_pairs(tmp_path_factory, concepts):
    path = tmp_path_factory.mktemp("state") / "read.json"
    write_known(KnownConcepts(concepts), path)
    assert read_known(path).concepts == concepts


def test_what_several_processes_add_is_all_there(tmp_path):
    path = tmp_path / "read.json"
    words = [f"word{k}" for k in range(8)]
    with ProcessPoolExecutor(4) as pool:
        [
            *pool.map(
                add_known, [KnownConcepts(frozenset({w})) for w in words], [path] * 8
            )
        ]
    assert read_known(path).concepts == set(words)


GOOD = {
    "format": "thatch known concepts",
    "version": 1,
    "words": ["snow"],
    "pairs": [["snow", "fell"]],
}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "null",
        "7",
        '{"format":',
        "[" * 100_000,
        json.dumps(GOOD)[:-1],
        json.dumps(GOOD | {"version": 2}),
        json.dumps(GOOD | {"format": "thatch-coverage"}),
        json.dumps(GOOD | {"words": "snow"}),
        json.dumps(GOOD | {"words": [1]}),
        json.dumps(GOOD | {"words": None}),
        json.dumps(GOOD | {"pairs": ["ab"]}),
        json.dumps(GOOD | {"pairs": [["snow", 7]]}),
        json.dumps({k: v for k, v in GOOD.items() if k != "pairs"}),
    ],
)
def test_a_damaged_state_file_is_refused(tmp_path, content):
    path = tmp_path / "read.json"
    path.write_text(content)
    with refused(FileFormatError, "read.json"):
        read_known(path)


def test_bytes_that_are_not_text_are_refused(tmp_path):
    (tmp_path / "read.json").write_bytes(b"\xff\xfe\x00{")
    with refused(FileFormatError, "read.json"):
        read_known(tmp_path / "read.json")


def test_a_missing_state_file_is_said_to_be_missing(tmp_path):
    with refused(InputError, "No such file"):
        read_known(tmp_path / "nowhere.json")
