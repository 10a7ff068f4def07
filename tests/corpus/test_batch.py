"""Summaries of a batch: each row independent of the others."""

import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from thatch import InputError, Summarizer
from thatch.corpus import CorpusSettings, summarize_batch
from thatch.errors import InputTypeError
from thatch.errors.installation import install_command
from thatch.text.summary_settings import SummarySettings

TEXTS = [
    "The bridge closed on Monday. Cracks were found in two piers.",
    "Snow fell all day. Nobody came. All day the snow fell on the town.",
    "The mayor was surprised. The mill leaks. The roof of the mill is old.",
]
SETTINGS = CorpusSettings(budget=8)


def batch(texts, type=None, **columns):
    ids = [f"r{k}" for k in range(len(texts))]
    column = pa.array(texts, type=type)
    extra = {name: pa.array(values) for name, values in columns.items()}
    return pa.RecordBatch.from_pydict({"id": ids, "text": column, **extra})


def answers(texts, type=None, settings=SETTINGS, **columns):
    return summarize_batch(batch(texts, type, **columns), settings).to_pylist()


def test_rows_equal_the_summaries_of_the_summarizer():
    for row, text in zip(answers(TEXTS), TEXTS, strict=True):
        summary = Summarizer().summarize(text, 8)
        assert row["summary"] == summary.text
        assert row["value"] == summary.value
        assert (row["cost"], row["gap"]) == (summary.cost, summary.gap)
        assert row["status"] == summary.status.label
        assert row["positions"] == [s.position for s in summary.sentences]
        assert row["error"] is None


@pytest.mark.parametrize("solver", ["bp", "ggreedy"])
def test_rows_are_independent_with_other_solvers_too(solver):
    chosen = CorpusSettings(budget=8, summary=SummarySettings(solver=solver))
    alone = [answers([text], settings=chosen)[0] | {"id": ""} for text in TEXTS]
    together = [row | {"id": ""} for row in answers(TEXTS, settings=chosen)]
    assert together == alone
    best = [row["value"] for row in answers(TEXTS)]
    assert all(
        0 < row["value"] <= most for row, most in zip(together, best, strict=True)
    )


def test_a_row_that_lacks_required_words_gets_an_error():
    chosen = CorpusSettings(budget=8, summary=SummarySettings(require=("mill",)))
    rows = answers(TEXTS, settings=chosen)
    assert [row["error"] is None for row in rows] == [False, False, True]
    assert "mill" in rows[2]["summary"]


def test_several_texts_of_a_row_are_summarized_together():
    (row,) = answers([TEXTS])
    summary = Summarizer().summarize(TEXTS, 8)
    assert row["summary"] == summary.text
    assert row["documents"] == [s.document for s in summary.sentences]


@pytest.mark.parametrize(
    "type",
    [
        pa.string(),
        pa.large_string(),
        pa.binary(),
        pa.large_binary(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_every_arrow_type_of_text_gives_the_same_summaries(type):
    texts = [t.encode() for t in TEXTS] if pa.types.is_binary(type) else TEXTS
    texts = [t.encode() for t in TEXTS] if pa.types.is_large_binary(type) else texts
    assert answers(texts, type) == answers(TEXTS)


@settings(max_examples=20)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=6), st.integers(1, 6))
def test_the_batch_size_does_not_change_the_rows(picked, size):
    whole = batch([TEXTS[k] for k in picked])
    pieces = [
        summarize_batch(whole.slice(start, size), SETTINGS)
        for start in range(0, whole.num_rows, size)
    ]
    together = pa.Table.from_batches(pieces)
    assert together.to_pylist() == summarize_batch(whole, SETTINGS).to_pylist()


POISON = {
    "null": (None, ["text", "null"]),
    "empty": (b"", ["no sentence"]),
    "broken": (b"Snow \xff fell.", ["text", "UTF-8", "0xff", "5"]),
    "large": (b"a" * 3000, ["text", "2,000", "3,000"]),
    "long": (
        b"One two three four five six seven eight nine ten.",
        ["no sentence", "8"],
    ),
}


@pytest.mark.parametrize(("text", "facts"), POISON.values(), ids=POISON)
def test_an_error_of_one_row_does_not_affect_the_others(text, facts):
    texts = [TEXTS[0].encode(), text, TEXTS[1].encode()]
    rows = answers(texts, pa.binary(), CorpusSettings(budget=8, max_bytes=2000))
    assert all(fact in rows[1]["error"] for fact in facts)
    assert rows[1]["summary"] is None
    assert rows[1]["id"] == "r1"
    good = answers([TEXTS[0], TEXTS[1]])
    assert [row["summary"] for row in rows[::2]] == [row["summary"] for row in good]


def test_errors_of_the_input_are_kept():
    rows = answers(TEXTS[:2], error=[None, "invalid JSON."])
    assert [row["error"] for row in rows] == [None, "invalid JSON."]


def test_texts_of_a_list_that_cannot_be_read_are_left_out_and_named():
    texts = [None, TEXTS[0].encode(), b"Sn\xffow.", b"a" * 3000]
    (row,) = answers([texts], settings=CorpusSettings(budget=8, max_bytes=2000))
    assert row["error"].startswith("3 of 4 texts")
    for fact in ("(text 0)", "null", "(text 2)", "0xff", "(text 3)", "2,000", "3,000"):
        assert fact in row["error"]
    assert row["summary"] == Summarizer().summarize(TEXTS[0], 8).text
    assert set(row["documents"]) == {1}


def test_a_list_of_unreadable_texts_has_no_summary():
    (row,) = answers([[None, None]], pa.list_(pa.string()))
    assert row["error"].startswith("2 of 2 texts")
    assert "null" in row["error"]
    assert (row["summary"], row["status"]) == (None, None)


def test_a_list_too_large_as_a_whole_has_no_summary():
    chosen = CorpusSettings(budget=8, max_bytes=100)
    (row,) = answers([TEXTS], settings=chosen)
    size = sum(len(text) for text in TEXTS)
    assert "100 " in row["error"]
    assert str(size) in row["error"]
    assert row["summary"] is None


def test_ids_keep_their_type():
    numbers = pa.RecordBatch.from_pydict({"id": [7], "text": TEXTS[:1]})
    assert summarize_batch(numbers, SETTINGS).schema.field("id").type == pa.int64()


def test_an_empty_batch_has_an_empty_answer():
    empty = batch(TEXTS).slice(0, 0)
    assert summarize_batch(empty, SETTINGS).num_rows == 0


def test_missing_columns_and_wrong_types_are_named():
    with refused(InputError, "'body'", "id, text"):
        summarize_batch(batch(TEXTS), CorpusSettings(text="body"))
    with refused(InputError, "text", "int64"):
        answers([1, 2, 3])


@pytest.mark.parametrize(
    ("fields", "facts"),
    [
        ({"budget": -1}, ("budget", "-1")),
        ({"summary": SummarySettings(unit="pages")}, ("unit", "pages")),
        ({"text": "sources"}, ("text", "'sources'")),
    ],
)
def test_invalid_settings_are_refused_before_any_row(fields, facts):
    with refused(InputError, *facts):
        CorpusSettings(**fields)


@pytest.mark.parametrize("given", [{"id": [1], "text": ["A."]}, [], None])
def test_arguments_of_other_types_are_refused(given):
    with refused(InputTypeError, "batch", type(given).__name__):
        summarize_batch(given, SETTINGS)
    with refused(InputTypeError, "batch", "Table") as caught:
        summarize_batch(pa.table({"id": [1], "text": ["A."]}), SETTINGS)
    assert "to_batches" in caught.value.hint
    with refused(InputTypeError, "settings", "dict"):
        summarize_batch(batch(TEXTS), {"budget": 8})


def test_a_missing_pyarrow_is_named():
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from thatch.errors import MissingExtraError\n"
        "try: import thatch.corpus\n"
        "except MissingExtraError as error: print(error.hint)\n"
    )
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert install_command("corpus") in printed


NESTED = {
    "views": pa.array([[TEXTS[0]]], pa.list_(pa.string_view())),
    "words": pa.array([[TEXTS[0]]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "large": pa.array([[TEXTS[0]]], pa.large_list(pa.large_string())),
    "nulls": pa.array([None, [TEXTS[0]], []], pa.list_(pa.string())).slice(1, 1),
}


@pytest.mark.parametrize("column", NESTED.values(), ids=NESTED)
def test_every_arrow_type_of_list_gives_the_same_summary(column):
    given = pa.RecordBatch.from_arrays([pa.array(["r0"]), column], ["id", "text"])
    (row,) = summarize_batch(given, SETTINGS).to_pylist()
    assert row == answers([TEXTS[0]])[0]


def test_lists_of_lists_are_refused():
    with refused(InputError, "text", "list<"):
        answers([[[TEXTS[0]]]])
