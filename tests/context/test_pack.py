"""Packing files: the prompt is within the budget, and every file is accounted for."""

import json
import os
import random
import subprocess
import tempfile
import textwrap
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from systems import posix

from thatch.context import ContextFormat, Order, pack
from thatch.errors import InputError, InputTypeError
from thatch.text import tokens_by


def function(k):
    """A function whose words are in no other one."""
    rng = random.Random(k)
    words = ["".join(rng.choices("abcdefghij", k=8)) for _ in range(30)]
    body = "".join(f"    {word} = {rng.random()}\n" for word in words)
    return f"def departure_{k}(pier):\n{body}"


FILES = {
    ".gitignore": "*.log\nbuild/\n",
    "README.md": "# Ferries\n\nShows when the next ferry leaves each pier.\n",
    "src/timetable.py": (
        '"""Timetables of ferries."""\n\n\n' + "\n\n".join(map(function, range(8)))
    ),
    "src/importNightly.js": "function readHarborData() {\n  return fetch(url);\n}\n",
    "src/page.html": "<p>1 < 2 && ]]> ```</p>\n",
    "deploy.md": "# How to deploy\n\nTag a release and wait for the tests to pass.\n"
    "Copy it to the machine, run the migrations, restart the service.\n",
    "runbook.md": "# How to deploy\n\nTag a release and wait for the tests to pass.\n"
    "Copy it to the machine, run the migrations, restart the service.\n",
    "debug.log": "secret departure\n",
    "build/out.py": "departure = 1\n",
    "package-lock.json": "{}",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ferries")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    (folder / "logo.png").write_bytes(b"\x89PNG\0\1")
    (folder / "empty.txt").write_text("\n\n")
    return folder


def by_path(packed):
    return {file.path: file for file in packed.files}


def test_the_query_decides_what_is_in(folder):
    packed = pack(folder, 80, query="How do I deploy a release?")
    assert {chunk.path for chunk in packed.chunks} <= {"deploy.md", "runbook.md"}
    assert "Tag a release" in packed.text
    assert packed.text.count("Tag a release") == 1


def test_words_within_names_are_found(folder):
    packed = pack(folder, 60, query="harbor data")
    assert [chunk.path for chunk in packed.chunks][:1] == ["src/importNightly.js"]


def test_without_a_query_the_readme_comes_first(folder):
    packed = pack(folder, 45)
    assert [chunk.path for chunk in packed.chunks] == ["README.md"]


def test_ignored_files_are_left_out(folder):
    packed = pack(folder, 100_000)
    assert "secret" not in packed.text
    assert not {"debug.log", "build/out.py"} & by_path(packed).keys()
    assert {file.path: file.reason for file in packed.skipped} == {
        "empty.txt": "empty",
        "logo.png": "binary",
        "package-lock.json": "generated",
    }


def test_patterns_choose_files(folder):
    packed = pack(folder, 100_000, include=["*.md"], exclude=["deploy.md"])
    assert set(by_path(packed)) == {"README.md", "runbook.md"}


def test_every_chunk_is_accounted_for(folder):
    packed = pack(folder, 400, query="departure_3")
    context = packed.context
    indices = sorted(each.index for each in [*context.chunks, *context.dropped])
    assert indices == list(range(len(indices)))
    for file in packed.files:
        assert file.is_whole == (not file.reason)
        assert (file.tokens > 0) == (file.num_selected > 0)
    chosen = {file.path for file in packed.files if file.num_selected}
    assert chosen == {chunk.path for chunk in packed.chunks}


def test_a_copy_is_named_with_its_original(folder):
    files = by_path(pack(folder, 100_000, query="deploy"))
    reasons = {files["deploy.md"].reason, files["runbook.md"].reason}
    assert reasons in (
        {"", "says what deploy.md says"},
        {"", "says what runbook.md says"},
    )


def test_lines_and_gaps_are_shown(folder):
    packed = pack(
        folder, 1800, query="departure_0 departure_7", format="text", include=["*.py"]
    )
    lines = (folder / "src/timetable.py").read_text().splitlines()
    header, *body = packed.text.splitlines()
    assert header.startswith("src/timetable.py, lines ")
    numbers = []
    for span in header.partition("lines ")[2].rstrip(":").split(", "):
        first, _, last = span.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    expected = [lines[k - 1] for k in numbers if lines[k - 1]]
    assert "[...]" in body
    assert [line for line in body if line not in ("", "[...]")] == expected


def test_a_whole_file_is_printed_as_it_is(folder):
    path = folder / "src/timetable.py"
    packed = pack(path, 100_000, format="json")
    ((document,),) = [json.loads(packed.text)]
    assert document["text"] == path.read_text().rstrip("\n")
    assert "lines" not in document
    assert packed.files[0].is_whole


def test_xml_is_well_formed(folder):
    documents = ET.fromstring(pack(folder, 100_000).text)
    texts = {each.get("source"): each.text.strip() for each in documents}
    assert texts["src/page.html"] == FILES["src/page.html"].strip()


def test_a_fence_is_longer_than_those_in_the_file(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\n````\ncode\n````\n")
    text = pack(tmp_path, 1000, format="markdown").text
    assert text == "## a.md\n\n`````\n# A\n\n````\ncode\n````\n`````"


def test_a_limit_per_file_holds(folder):
    packed = pack(folder, 100_000, query="departure", per_file=2)
    assert all(file.num_selected <= 2 for file in packed.files)
    assert by_path(packed)["src/timetable.py"].reason == "limit per file reached"


def tokenizer(text):
    """Counts pieces of two characters, so that joined texts have fewer than parts."""
    return (len(text) + 1) // 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    budget=st.integers(0, 1500),
    format=st.sampled_from(ContextFormat),
    order=st.sampled_from(Order),
    query=st.sampled_from([None, "departure pier", "deploy", "1 < 2", "zebra"]),
    unit=st.sampled_from(["tokens", "words", "characters", tokens_by(tokenizer)]),
)
def test_the_prompt_never_exceeds_the_budget(
    folder, budget, format, order, query, unit
):
    packed = pack(
        folder, budget, query=query, format=format, order=order, unit=unit, per_file=3
    )
    assert packed.unit.measure(packed.text) <= budget
    assert packed.tokens == packed.unit.measure(packed.text)


def test_an_empty_folder_gives_an_empty_prompt(tmp_path):
    packed = pack(tmp_path, 100)
    assert (packed.text, packed.files, packed.tokens) == ("", (), 0)
    assert "no file" in packed.warnings[0]


def test_only_binary_files_give_an_empty_prompt(tmp_path):
    (tmp_path / "data.bin").write_bytes(b"\0\1\2")
    packed = pack(tmp_path, 100)
    assert packed.text == ""
    assert [file.reason for file in packed.skipped] == ["binary"]


def test_what_matches_nothing_gives_an_empty_prompt(folder):
    packed = pack(folder, 1000, query="xylophone")
    assert packed.text == ""
    assert "matches the query" in packed.warnings[0]


@pytest.mark.parametrize("budget", [0, 1, 3])
def test_a_tiny_budget_gives_an_empty_prompt(folder, budget):
    packed = pack(folder, budget)
    assert packed.text == ""
    assert f"budget of {budget} tokens" in packed.warnings[0]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("budget", -1),
        ("format", "yaml"),
        ("order", "random"),
        ("per_file", 0),
        ("query", "?!"),
        ("paths", ["nowhere"]),
    ],
)
def test_an_invalid_argument_is_named(folder, option, value):
    arguments = {"paths": folder, "budget": 10} | {option: value}
    with pytest.raises(
        InputError, match=str(option if option != "paths" else "nowhere")
    ):
        pack(**arguments)


def test_a_pattern_that_is_no_list_is_an_error(folder):
    with pytest.raises(InputTypeError, match="include"):
        pack(folder, 10, include="*.py")


def test_a_repository_within_a_repository_is_left_out(tmp_path):
    for path in (tmp_path, tmp_path / "inner"):
        path.mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q", path], check=True)
        (path / "a.py").write_text("x = 1\n")
    packed = pack(tmp_path, 1000)
    assert [file.path for file in packed.files] == ["a.py"]


def test_equal_texts_in_one_file_are_printed_once(tmp_path):
    block = "".join(f"value_{n} = compute({n})\n" for n in range(60))
    (tmp_path / "a.txt").write_text(f"{block}\n{block}\n{block}")
    packed = pack(tmp_path, 100_000, format="text")
    assert packed.unit.measure(packed.text) <= 100_000
    assert packed.text.count("value_7 = ") == 1


@posix
@pytest.mark.parametrize("format", ContextFormat)
@pytest.mark.parametrize("query", [None, "snow"])
def test_a_name_that_is_not_text_can_be_printed(tmp_path, format, query):
    try:
        (tmp_path / os.fsdecode(b"\xff.md")).write_text("Snow fell.")
    except OSError:
        pytest.skip("names of files are text here")
    packed = pack(tmp_path, 100, format=format, query=query)
    assert "Snow fell." in packed.text
    assert packed.text.encode()


def method(name):
    """A method of some size."""
    return textwrap.indent(function(name).replace("departure_", ""), "    ")


@pytest.fixture
def caches(tmp_path):
    """A file with two classes that are cut into methods."""
    parts = [
        f"class {name}(Base):\n    {field} = 1\n\n" + "\n".join(map(method, methods))
        for name, field, methods in (
            ("Alpha", "size", ["grow", "read", "write", "pop"]),
            ("Beta", "limit", ["keep", "evict", "push", "close"]),
        )
    ]
    (tmp_path / "caches.py").write_text("\n\n".join(parts))
    return tmp_path


def test_methods_are_printed_below_the_line_of_their_class(caches):
    packed = pack(caches, 1200, query="evict push", format="text", per_file=2)
    lines = packed.text.splitlines()
    assert [chunk.name for chunk in packed.chunks] == ["Beta.evict", "Beta.push"]
    assert lines[1:4] == ["class Beta(Base):", "[...]", "    def evict(pier):"]
    assert packed.text.count("class Beta") == 1
    assert "class Alpha" not in packed.text


def test_each_class_is_printed_once(caches):
    packed = pack(caches, 4000, query="read evict push", format="text", per_file=3)
    shown = [line for line in packed.text.splitlines() if line.startswith("class")]
    assert shown == ["class Alpha(Base):", "class Beta(Base):"]


def test_a_class_that_is_printed_anyway_is_not_repeated(caches):
    packed = pack(caches, 100_000, format="text")
    assert packed.text == "caches.py:\n" + (caches / "caches.py").read_text().rstrip()


def test_json_names_what_is_printed(caches):
    packed = pack(caches, 1200, query="evict push", format="json", per_file=2)
    (document,) = json.loads(packed.text)
    assert document["name"] == "Beta.evict, Beta.push"


@settings(max_examples=25)
@given(
    budget=st.integers(0, 3000),
    format=st.sampled_from(ContextFormat),
    order=st.sampled_from(Order),
    unit=st.sampled_from(["tokens", "characters", tokens_by(tokenizer)]),
)
def test_lines_of_classes_are_within_the_budget(budget, format, order, unit):
    with tempfile.TemporaryDirectory() as folder:
        text = "class Beta:\n" + "\n".join(map(method, "abcd"))
        Path(folder, "a.py").write_text(text)
        packed = pack(
            folder, budget, query="def", format=format, order=order, unit=unit
        )
    assert packed.unit.measure(packed.text) <= budget


def test_files_of_the_same_suffix_are_not_alike(tmp_path):
    (tmp_path / "one.txt").write_text("The zeppelin lands at noon.\n")
    (tmp_path / "two.txt").write_text("Bread is baked in the morning.\n")
    (tmp_path / "three.md").write_text("Gardens need water.\n")
    packed = pack(tmp_path, 1000, query="zeppelin")
    assert [chunk.path for chunk in packed.chunks] == ["one.txt"]
