import json

import pytest
from refusals import refused

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
    ("summaries", "clusters", "facts"),
    [
        ([], [CLUSTER], ["s.jsonl", "empty"]),
        ([SUMMARY], [], ["s.jsonl", "line 1", "id", "'a'", "c.jsonl"]),
        ([SUMMARY, SUMMARY], [CLUSTER], ["s.jsonl", "line 2", "id", "'a'"]),
        (["{", SUMMARY], [CLUSTER], ["s.jsonl", "line 1", "JSON"]),
        (["[" * 10**5], [CLUSTER], ["s.jsonl", "line 1", "JSON"]),
        (["[1]"], [CLUSTER], ["s.jsonl", "line 1", "[1]"]),
        ([{"summary": "cat"}], [CLUSTER], ["line 1", "id", "missing"]),
        ([{"id": True}], [CLUSTER], ["line 1", "id", "True"]),
        ([{"id": "a"}], [CLUSTER], ["line 1", "summary", "missing"]),
        ([SUMMARY], [{"id": "a"}], ["c.jsonl", "line 1", "references", "missing"]),
        ([SUMMARY], [CLUSTER | {"references": []}], ["references", "[]"]),
        ([SUMMARY], [CLUSTER | {"references": ["x", 3]}], ["references", "3]"]),
    ],
)
def test_bad_lines_are_named(read, summaries, clusters, facts):
    with refused(FileFormatError, *facts):
        read(summaries, clusters)


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path):
    (tmp_path / "x.txt").write_bytes("\ufeffcat".encode())
    assert read_text(tmp_path / "x.txt") == "cat"


def test_text_that_is_not_utf8_is_refused_with_its_place(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"one\ncaf\xe9\n")
    with pytest.raises(FileFormatError, match="0xe9") as caught:
        read_text(tmp_path / "x.txt")
    assert caught.value.line == 2


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=tmp_path.name):
        read_text(tmp_path)
    with pytest.raises(InputError, match="nowhere"):
        read_text(tmp_path / "nowhere")
