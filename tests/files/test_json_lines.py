"""JSON lines, valid and not."""

import io
import json
import tracemalloc

import pytest

from thatch.errors import FileFormatError, InputError
from thatch.files.json_lines import parse_json_lines, read_json_lines

MARK = "\ufeff".encode()


def parsed(content):
    return [
        (line.number, line.fields, line.problem)
        for line in parse_json_lines(io.BytesIO(content))
    ]


def read(path):
    return [line.fields for line in read_json_lines(path, example='{"id": 1}')]


def test_blank_lines_are_counted_but_skipped():
    assert parsed(b'\n{"a": 1}\r\n \n{"b": 2}') == [
        (2, {"a": 1}, ""),
        (4, {"b": 2}, ""),
    ]


def test_a_byte_order_mark_may_start_any_line():
    joined = MARK + b'{"a": 1}\n' + MARK + b'{"b": 2}\n' + MARK
    assert [fields for _, fields, _ in parsed(joined)] == [{"a": 1}, {"b": 2}]


def test_only_line_feeds_end_a_line():
    content = json.dumps({"a": "x\u2028y\x85z"}, ensure_ascii=False).encode()
    assert parsed(content) == [(1, {"a": "x\u2028y\x85z"}, "")]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b'{"a', "column"),
        (b"[1]", r"\[1\]"),
        (b"[" * 100_000, "nested"),
        (b"9" * 5000, "digits"),
        (b"{\0", "NUL"),
        (b'{"a": "\xe9"}', "0xe9"),
    ],
)
def test_a_line_that_is_not_an_object_has_a_problem(tmp_path, content, named):
    (line,) = parse_json_lines([content])
    assert line.problem
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n' + content)
    with pytest.raises(FileFormatError, match=named) as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert '{"id": 1}' in caught.value.hint


def test_fields_next_to_bytes_that_are_not_utf_8_are_kept():
    ((_, fields, problem),) = parsed(b'{"id": 7, "text": "caf\xe9"}')
    assert (fields["id"], fields["text"]) == (7, "caf\ufffd")
    assert "0xe9" in problem


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_names_the_encoding_of_a_file(tmp_path, encoding):
    path = tmp_path / "rows.jsonl"
    path.write_bytes('{"a": "ü"}\n{"b": 2}\n'.encode(encoding))
    assert read(path) == [{"a": "ü"}, {"b": 2}]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"text": "snow"}\n' * 200_000)
    tracemalloc.start()
    try:
        num_lines = sum(1 for _ in read_json_lines(path, example="{}"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert num_lines == 200_000
    assert peak < path.stat().st_size / 4


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=path.name):
            read(path)
