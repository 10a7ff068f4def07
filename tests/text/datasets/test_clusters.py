"""Clusters in JSON lines."""

import json
from pathlib import Path

import pytest
from refusals import refused

import thatch.text
from thatch.errors import FileFormatError, InputError
from thatch.text.datasets.clusters import Cluster, read_clusters
from thatch.text.documents.document import Document

SAMPLE = Path(__file__).parents[2] / "data" / "opinosis_sample.jsonl"


def saved(tmp_path, *lines, encoding="utf-8"):
    path = tmp_path / "clusters.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_bytes("\n".join(texts).encode(encoding))
    return path


def test_documents_references_and_names_are_read(tmp_path):
    path = saved(
        tmp_path,
        {"id": "storm", "documents": ["It rained.\n\nA lot."], "references": ["Rain."]},
        "",
        {"documents": [{"name": "evening", "text": "Sun."}, {"text": "Dew."}], "x": 1},
        {"id": 7, "documents": []},
    )
    assert read_clusters(path) == (
        Cluster("storm", (Document("It rained.\n\nA lot.", "document 1"),), ("Rain.",)),
        Cluster(
            "cluster 3", (Document("Sun.", "evening"), Document("Dew.", "document 2"))
        ),
        Cluster("7", ()),
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_and_carriage_returns_are_accepted(tmp_path, encoding):
    path = saved(tmp_path, '{"documents": ["a\u2028b"]}\r', "\r", encoding=encoding)
    assert read_clusters(path)[0].documents[0].text == "a\u2028b"


def test_a_real_file_is_read_whole():
    clusters = read_clusters(SAMPLE)
    rows = [json.loads(row) for row in SAMPLE.read_text("utf-8").splitlines()]
    assert [cluster.name for cluster in clusters] == [row["id"] for row in rows]
    for cluster, row in zip(clusters, rows, strict=True):
        assert [document.text for document in cluster.documents] == row["documents"]
        assert list(cluster.references) == row["references"]
        assert all(document.blocks for document in cluster.documents)


BAD_LINES = [
    ("{", "JSON", "'{'"),
    ("[" * 100_000, "JSON", "nested"),
    ("[1]", "JSON", "[1]"),
    ({}, "documents"),
    ({"documents": "text"}, "documents", "'text'"),
    ({"documents": [3]}, "document 1", "3"),
    ({"documents": ["a", {"name": "b"}]}, "document 2", "{'name': 'b'}"),
    ({"documents": [{"name": 1, "text": "b"}]}, "document 1", "{'name': 1"),
    ({"documents": [], "references": "r"}, "references", "'r'"),
    ({"documents": [], "references": [None]}, "reference 1", "None"),
    ({"id": [1], "documents": []}, "id", "[1]"),
    ({"id": True, "documents": []}, "id", "True"),
]


@pytest.mark.parametrize(("line", "facts"), [(bad, facts) for bad, *facts in BAD_LINES])
def test_a_bad_line_is_named(tmp_path, line, facts):
    path = saved(tmp_path, {"documents": []}, line)
    with refused(FileFormatError, *facts) as caught:
        read_clusters(path)
    assert (caught.value.path, caught.value.line) == (path, 2)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_clusters_is_refused(tmp_path, text):
    with pytest.raises(FileFormatError, match="empty"):
        read_clusters(saved(tmp_path, text))


def test_references_belong_to_folders(tmp_path):
    path = saved(tmp_path, {"documents": []})
    with refused(InputError, "references", tmp_path):
        read_clusters(path, tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.jsonl"):
        read_clusters(tmp_path / "none.jsonl")


def test_clusters_are_public():
    assert thatch.text.read_clusters is read_clusters
    assert thatch.text.Cluster is Cluster
