import json

import pytest

from thatch import InputError
from thatch.errors import FileFormatError
from thatch.rouge.files import read_cases, read_text

SUMMARY = {"id": "a", "summary": "cat"}
CLUSTER = {"id": "a", "references": ["cat", "dog"], "documents": ["unused"]}


@pytest.fixture
def read(tmp_path):
    def read(summaries, clusters):
        for name, rows in (("s.jsonl", summaries), ("c.jsonl", clusters)):
            lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
            (tmp_path / name).write_text("\n".join(lines) + "\n")
        return read_cases(tmp_path / "s.jsonl", tmp_path / "c.jsonl")

    return read


def test_summaries_meet_their_references_in_the_order_of_summaries(read):
    summaries = [{"id": "7", "summary": "dog"}, "", SUMMARY]
    cases = read(summaries, [CLUSTER, {"id": 7, "references": ["x"]}, {"id": "b"}])
    assert [(case.id, case.candidate, case.references) for case in cases] == [
        ("7", "dog", ("x",)),
        ("a", "cat", ("cat", "dog")),
    ]


@pytest.mark.parametrize(
    ("summaries", "clusters", "message"),
    [
        ([], [CLUSTER], "at least one summary, got none"),
        ([SUMMARY], [], r"s\.jsonl, line 1: every id must be one of .*, got 'a'"),
        ([SUMMARY, SUMMARY], [CLUSTER], "line 2: ids must differ, got 'a'"),
        (["{", SUMMARY], [CLUSTER], "line 1: every line must be a JSON object"),
        (["[" * 10**5], [CLUSTER], "line 1: every line must be a JSON object"),
        (["[1]"], [CLUSTER], "line 1: every line must be a JSON object, got"),
        ([{"summary": "cat"}], [CLUSTER], "id must be text or a whole number"),
        ([{"id": True}], [CLUSTER], "id must be text or a whole number, got True"),
        ([{"id": "a"}], [CLUSTER], "summary must be text, got none"),
        ([SUMMARY], [{"id": "a"}], "references must be a list of at least one"),
        ([SUMMARY], [CLUSTER | {"references": []}], r"at least one text, got \[\]"),
        ([SUMMARY], [CLUSTER | {"references": ["x", 3]}], "must be texts, got 3"),
    ],
)
def test_bad_lines_are_named(read, summaries, clusters, message):
    with pytest.raises(FileFormatError, match=message):
        read(summaries, clusters)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "x.txt").write_bytes("\ufeffcat".encode())
    assert read_text(tmp_path / "x.txt") == "cat"


def test_text_that_is_not_utf8_is_refused_with_its_place(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"one\ncaf\xe9\n")
    with pytest.raises(FileFormatError, match=r"line 2: .* got the byte 0xe9"):
        read_text(tmp_path / "x.txt")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match="must be a file, got the folder"):
        read_text(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path / "nowhere")
