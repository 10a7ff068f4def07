"""Questions about code: source first, and the places that a question names."""

import random

import pytest

from thatch.context import Focus, pack
from thatch.context.packing.code_query import CodeQuery, Frame
from thatch.errors import InputError
from thatch.text import tokens_by

FORMATS = ["xml", "markdown", "json", "text"]


def function(k, name="departure"):
    """A function whose words are in no other one."""
    rng = random.Random(k)
    words = ["".join(rng.choices("abcdefghij", k=8)) for _ in range(10)]
    body = "".join(f"    {word} = {rng.random()}\n" for word in words)
    return f"def {name}_{k}(pier):\n{body}"


FILES = {
    "README.md": "# Ferries\n\nHow a timetable is parsed: parse the timetable.\n",
    "docs/parsing.md": "# Parse a timetable\n\nThe parser parses a timetable.\n",
    "tests/test_parsing.py": "def test_parse_timetable():\n    parse(timetable)\n",
    "ferries/parsing.py": (
        "import os\n\n\n"
        + function(1)
        + "\n\ndef parse_timetable(text):\n    return text.split()\n\n\n"
        + "\n\n".join(function(k, "arrival") for k in range(2, 9))
    ),
    "ferries/clock.py": "def summer_time(now):\n    return now\n",
    "ferries/piers/mooring.py": "class BollardCap:\n    load = 7\n",
    "ferries/history.py": "def remember(passage):\n    return passage\n",
    "notes.txt": "A zeppelin lands at noon.\n",
    "ferries/settings.ini": "[parse]\ntimetable = 1\n",
    **{f"ferries/part{k}.py": function(k, "route") for k in range(20, 32)},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ferries")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    return folder


def paths_of(packed):
    return {chunk.path for chunk in packed.chunks}


QUESTION = "How is a timetable parsed?"


def test_source_comes_before_tests_and_docs(folder):
    packed = pack(folder, 2000, query=QUESTION)
    assert "ferries/parsing.py" in paths_of(packed)
    assert all(path.startswith("ferries/") for path in paths_of(packed))
    reasons = {file.path: file.reason for file in packed.files}
    assert reasons["docs/parsing.md"] == "not in the focus"


@pytest.mark.parametrize(
    ("query", "start"),
    [
        ("What do the docs say about a timetable?", ("docs/", "README")),
        ("Which tests are there for a timetable?", "tests/"),
    ],
)
def test_a_question_about_docs_or_tests_selects_them(folder, query, start):
    paths = paths_of(pack(folder, 2000, query=query))
    assert paths
    assert all(path.startswith(start) for path in paths)


@pytest.mark.parametrize(
    ("focus", "start"),
    [("code", "ferries/"), ("docs", ("docs/", "READ", "note")), ("tests", "tests/")],
)
@pytest.mark.parametrize("query", [QUESTION, None])
def test_the_focus_can_be_given(folder, query, focus, start):
    paths = paths_of(pack(folder, 2000, query=query, focus=focus))
    assert paths
    assert all(path.startswith(start) for path in paths)
    assert paths_of(pack(folder, 2000, query=query, focus=Focus(focus))) == paths


def test_all_files_can_be_in_the_focus(folder):
    paths = paths_of(pack(folder, 2000, query=QUESTION, focus="all"))
    assert {"ferries/parsing.py", "docs/parsing.md", "tests/test_parsing.py"} <= paths


def test_an_unknown_focus_is_an_error(folder):
    with pytest.raises(InputError, match="focus"):
        pack(folder, 10, query=QUESTION, focus="cod")


NAMED = [
    ("Something is wrong in ferries/clock.py", "ferries/clock.py", "summer_time"),
    ("ferries.clock.summer_time is wrong", "ferries/clock.py", "summer_time"),
    ("`summer_time` is wrong", "ferries/clock.py", "summer_time"),
    ("from ferries.clock import summer_time", "ferries/clock.py", "summer_time"),
    ("Why is BollardCap wrong?", "ferries/piers/mooring.py", "BollardCap"),
    (
        'It fails\n  File "/home/ada/ferries/clock.py", line 90, in summer_time\n',
        "ferries/clock.py",
        "summer_time",
    ),
    (
        "It fails\n    at read (C:\\app\\ferries\\clock.py:2:7)",
        "ferries/clock.py",
        "summer_time",
    ),
]


@pytest.mark.parametrize(("query", "path", "name"), NAMED)
def test_what_the_question_names_is_included(folder, query, path, name):
    packed = pack(folder, 60, query=query)
    assert (path, name) in {(chunk.path, chunk.name) for chunk in packed.chunks}


def test_a_file_that_is_named_is_in_any_focus(folder):
    packed = pack(folder, 2000, query="Is docs/parsing.md right about a timetable?")
    assert "docs/parsing.md" in paths_of(packed)


def test_what_no_source_says_is_looked_for_in_all_files(folder):
    assert "notes.txt" in paths_of(pack(folder, 100, query="zeppelin"))


def test_a_large_file_does_not_keep_a_small_one_out(tmp_path):
    functions = (function(k, "mend_roof") for k in range(200))
    (tmp_path / "large.py").write_text("\n\n".join(functions))
    (tmp_path / "small.py").write_text("def mend_roof(tiles):\n    return tiles\n")
    for k in range(10):
        (tmp_path / f"other{k}.py").write_text(function(k, "other"))
    packed = pack(tmp_path, 1000, query="How do I mend a roof?")
    assert paths_of(packed) == {"large.py", "small.py"}


def test_whole_functions_stay_whole(folder):
    packed = pack(folder, 2000, query="`departure_1` in ferries/parsing.py")
    whole = [chunk for chunk in packed.chunks if chunk.kind != "signature"]
    assert function(1).strip() in [chunk.text for chunk in whole]
    for chunk in whole:
        assert chunk.text in FILES[chunk.path]
        assert chunk.text.count("def ") <= 1


def test_signatures_stand_for_what_does_not_fit(tmp_path):
    for k in range(12):
        (tmp_path / f"roof{k}.py").write_text(function(k, "mend_roof") * 3)
    packed = pack(tmp_path, 700, query="mend a roof", format="text")
    shown = [chunk for chunk in packed.chunks if chunk.kind == "signature"]
    assert shown
    files = {file.path: file for file in packed.files}
    for chunk in shown:
        assert chunk.text.startswith("def mend_roof")
        assert not files[chunk.path].is_whole
        assert files[chunk.path].reason == "only a signature fits the budget"


def tokenizer(text):
    """Counts pieces of two characters, so that joined texts have fewer than parts."""
    return (len(text) + 1) // 2


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("unit", ["tokens", tokens_by(tokenizer)])
@pytest.mark.parametrize("budget", [0, 20, 61, 150, 333, 1200])
def test_the_prompt_is_within_the_budget(folder, budget, unit, format):
    packed = pack(folder, budget, query="route and arrival", unit=unit, format=format)
    assert packed.tokens == packed.unit.measure(packed.text) <= budget


@pytest.mark.parametrize("query", ["the", "Où est la marée ?", "時刻表", "self"])
def test_any_question_has_an_answer_or_none(folder, query):
    packed = pack(folder, 100, query=query)
    assert packed.tokens <= 100


def test_notes_are_in_focus_where_there_is_little_code(tmp_path):
    for k in range(12):
        (tmp_path / f"note{k}.md").write_text(f"# Note {k}\n\nA roof leaks.\n")
    (tmp_path / "plot.py").write_text("def roof(): ...\n")
    packed = pack(tmp_path, 2000, query="roof")
    assert {file.reason for file in packed.files} != {"not in the focus"}
    assert "note0.md" in paths_of(packed)


def test_python_raised_in_its_last_frame_and_others_in_their_first():
    python = CodeQuery.of('File "a.py", line 1, in f\nFile "b.py", line 2, in g')
    assert python.frames == (Frame("b.py", 2, "g"), Frame("a.py", 1, "f"))
    go = CodeQuery.of("a.go:1\nb.go:2")
    assert go.frames == (Frame("a.go", 1), Frame("b.go", 2))


@pytest.mark.parametrize("part", ["a", "a.", "x/", "<!--", "aB_", 'File "'])
def test_pasted_data_takes_little_time(part):
    # From each position, it would take minutes.
    assert CodeQuery.of(part * 50_000).frames == ()
