"""``thatch keyphrases``."""

import json

import pytest

TEXT = (
    "The central bank raised interest rates on Tuesday. Economists had expected the "
    "central bank to wait. Higher interest rates make loans dear."
)


@pytest.fixture
def report(tmp_path):
    """A text in which two phrases occur twice."""
    (tmp_path / "report.txt").write_text(TEXT)


def test_one_phrase_is_printed_per_line(thatch, report):
    code, out, err = thatch("keyphrases", "report.txt", "--count", "2")
    assert (code, err) == (0, "")
    assert sorted(out.splitlines()) == ["central bank", "interest rates"]


def test_json_has_one_object_per_phrase(thatch, report):
    _, plain, _ = thatch("keyphrases", "report.txt")
    code, out, err = thatch("keyphrases", "report.txt", "--format", "json")
    assert (code, err) == (0, "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["phrase"] for row in rows] == plain.splitlines()
    assert all(row["weight"] > 0 and row["passages"] >= 1 for row in rows)


def test_a_query_comes_first(thatch, report):
    _, out, _ = thatch("keyphrases", "report.txt", "-n", "1", "--query", "bank")
    assert out == "central bank\n"


def test_phrases_go_to_a_file_if_one_is_named(thatch, report, tmp_path):
    _, expected, _ = thatch("keyphrases", "report.txt")
    assert thatch("keyphrases", "report.txt", "-o", "out.txt") == (0, "", "")
    assert (tmp_path / "out.txt").read_text() == expected


@pytest.mark.parametrize("text", ["", "# A\n", "... !"])
def test_a_text_without_phrases_is_warned_about(thatch, tmp_path, text):
    (tmp_path / "x.md").write_text(text)
    code, out, err = thatch("keyphrases", "x.md")
    assert (code, out) == (0, "")
    assert err.startswith("warning: ") and err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("nowhere.txt",), "nowhere.txt"),
        (("report.txt", "-n", "0"), "count"),
        (("report.txt", "--format", "html"), "html"),
        (("report.txt", "-o", "report.txt"), "report.txt"),
        (("bytes.txt",), "bytes.txt"),
    ],
)
def test_errors_name_what_is_wrong(thatch, report, tmp_path, arguments, fact):
    (tmp_path / "bytes.txt").write_bytes(b"\x00\x01")
    code, out, err = thatch("keyphrases", *arguments)
    error, hint = err.splitlines()
    assert (code, out) == (2, "")
    assert fact in error and hint.startswith("hint: ")
