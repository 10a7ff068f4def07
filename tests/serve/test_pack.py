"""Packing of documents by requests, which equals that of files by the library."""

import json
from pathlib import Path

import pytest
from refusals import refused

from thatch import InputError
from thatch.context import pack
from thatch.serve.handlers import answer_to
from thatch.serve.limits import Limits
from thatch.serve.requests import PackRequest

NOTES = Path(__file__).parents[2] / "examples" / "notes"
FILES = {path.name: path.read_text() for path in sorted(NOTES.iterdir())}
QUERY = "Why did the nightly import fail?"


def documents(files):
    return [{"name": name, "text": text} for name, text in files.items()]


def answer(files=FILES, limits=None, **fields):
    request = PackRequest(documents=documents(files), **fields)
    body = request.model_dump_json().encode()
    return json.loads(answer_to("pack", body, limits or Limits()))


def indices(parts):
    return [each["index"] for each in parts]


@pytest.mark.parametrize("query", ["", QUERY])
@pytest.mark.parametrize("format", ["text", "markdown", "xml", "json"])
def test_the_prompt_is_that_of_the_same_files(query, format):
    expected = pack(NOTES, 300, query=query or None, format=format)
    found = answer(query=query, budget=300, format=format, is_folder=True)
    assert found["text"] == expected.text
    assert found["tokens"] == expected.tokens <= found["budget"]
    assert [file["source"] for file in found["files"]] == [
        file.path for file in expected.files
    ]


@pytest.mark.parametrize("focus", [None, "docs", "all"])
def test_the_prompt_about_code_is_that_of_the_same_files(tmp_path, focus):
    files = {f"part{k}.py": f"def mend_roof_{k}(): ...\n" * 9 for k in range(12)}
    files["README.md"] = "# Roofs\n\nMend a roof.\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    options = {"query": "How do I mend a roof?", "budget": 500, "focus": focus}
    expected = pack(tmp_path, **options)
    assert ("README.md" in expected.text) == (focus == "docs")
    files = dict(sorted(files.items()))
    assert answer(files, is_folder=True, **options, format="xml")["text"] == (
        expected.text
    )


def test_every_chunk_is_in_the_prompt_or_has_a_reason():
    found = answer(query=QUERY, budget=150)
    both = [*found["chunks"], *found["dropped"]]
    assert sorted(indices(both)) == list(range(len(both)))
    assert all(each["reason"] for each in found["dropped"])
    (chosen,) = found["chunks"]
    lines = FILES[chosen["source"]].split("\n")
    text = "\n".join(lines[chosen["start_line"] - 1 : chosen["end_line"]])
    assert text in found["text"]


def test_what_is_decided_has_its_price():
    free = answer(query=QUERY, budget=150)
    (best,) = indices(free["chunks"])
    assert free["value"] == free["unconstrained_value"]
    found = answer(query=QUERY, budget=150, must_exclude=[best], must_include=[0])
    assert 0 in indices(found["chunks"])
    assert {each["index"]: each["reason"] for each in found["dropped"]}[best] == (
        "excluded by request"
    )
    assert found["value"] < found["unconstrained_value"] == free["value"]
    assert found["baseline"] == free["baseline"]


def test_the_baseline_bounds_the_value():
    found = answer(query=QUERY, budget=150)
    everything = answer(query=QUERY, budget=10_000)
    assert found["value"] <= found["baseline"]["total"]
    assert everything["value"] == pytest.approx(everything["baseline"]["total"])
    assert everything["baseline"]["total"] == pytest.approx(found["baseline"]["total"])


def test_the_most_relevant_chunks_alone_repeat_themselves():
    text = "The import failed at night, because the disk was full of old releases."
    files = {"a.md": text, "b.md": text, "c.md": "Old releases fill the disk."}
    found = answer(files, query="Why was the disk full?", budget=110)
    baseline = found["baseline"]
    assert baseline["num_repeats"] == 1
    assert found["value"] >= baseline["top_value"]
    (copy,) = [each for each in found["dropped"] if "redundant_with" in each]
    assert copy["redundant_with"] in indices(found["chunks"])


def test_files_of_a_folder_are_left_out_as_by_the_command():
    files = {
        ".gitignore": "build/\n*.log",
        "roof.py": "def mend(): ...",
        "build/roof.py": "def mend(): ...",
        "deep/.gitignore": "!kept.log\nmade.py",
        "deep/kept.log": "mended",
        "deep/made.py": "def mend(): ...",
        "yarn.lock": "mend@1",
        ".env": "MEND=1",
        "node_modules/mend.js": "mend()",
    }
    found = answer(files, query="mend", is_folder=True)
    read = {file["source"] for file in found["files"]}
    assert read == {".gitignore", "roof.py", "deep/.gitignore", "deep/kept.log"}
    assert {each["source"]: each["reason"] for each in found["skipped"]} == {
        "yarn.lock": "generated",
        ".env": "may contain secrets",
        "node_modules/mend.js": "packages, caches or history",
    }
    single = answer(files, query="mend", include=["yarn.lock"])
    assert [file["source"] for file in single["files"]] == ["yarn.lock"]


def test_documents_with_pages_name_them():
    pages = ["Snow fell on the roof. " * 80, "The roof was mended. " * 80]
    document = {
        "name": "report.pdf",
        "text": "\n\n".join(pages),
        "blocks": [{"start": 0, "end": 10}],
        "places": [{"start": 0, "page": 1}, {"start": len(pages[0]) + 2, "page": 2}],
        "is_extracted": True,
    }
    body = json.dumps({"documents": [document], "query": "Who mended it?"}).encode()
    found = json.loads(answer_to("pack", body, Limits()))
    parts = sorted(
        [*found["chunks"], *found["dropped"]], key=lambda each: each["index"]
    )
    assert [each["page"] for each in parts] == [1, 2]


def test_equal_and_missing_names_are_told_apart():
    body = {"documents": ["Snow fell.", *documents({"a.md": "One."})], "format": "text"}
    body["documents"].append({"name": "a.md", "text": "Two."})
    found = json.loads(answer_to("pack", json.dumps(body).encode(), Limits()))
    names = {file["source"] for file in found["files"]}
    assert names == {"document 1", "a.md", "a.md (2)"}


def test_invalid_requests_are_refused():
    with refused(InputError, "must_include", "99"):
        answer(must_include=[99])
    with refused(InputError, "must_exclude", "99"):
        answer(must_exclude=[99])
    with refused(InputError, "0", "must_include", "must_exclude"):
        answer(must_include=[0], must_exclude=[0])
    with refused(InputError, "budget", "3"):
        answer(must_include=[0], budget=3)
    with refused(InputError, "tokenizer", "/etc/passwd"):
        answer(tokenizer="/etc/passwd")
    with refused(InputError, "documents", str(len(FILES))):
        answer(limits=Limits(max_documents=1))


def test_an_empty_prompt_says_why():
    assert answer({"a.md": "Snow fell."}, query="boats")["warnings"] == [
        "no chunk matches the query, so the prompt is empty."
    ]
