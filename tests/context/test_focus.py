"""Questions about code: source comes first, and what they name is in the prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.context import pack
from thatch.context.packing.code_query import CodeQuery
from thatch.context.packing.code_ranking import code_scores
from thatch.context.packing.focus import Focus, focus_of, in_focus
from thatch.context.packing.signatures import signature_of
from thatch.context.repository.code_chunks import FileChunk, cut
from thatch.context.repository.file_roles import role_of
from thatch.errors import InputError

MEND = "def mend_roof(tiles):\n    return [tile.nail() for tile in tiles]\n"
FILES = {
    "README.md": "# Roofs\n\nHow to mend a roof: mend the roof, mend the roof.\n",
    "docs/mending.md": "# Mending a roof\n\nTo mend a roof, call mend_roof.\n" * 3,
    "CHANGES.md": "- Mend roofs faster.\n- Mend a roof at night.\n" * 5,
    "tests/test_mending.py": "def test_mend_roof():\n    assert mend_roof([]) == []\n",
    "house/mending.py": f"import os\n\n\n{MEND}",
    **{f"house/part{k}.py": f"def paint_{k}(wall):\n    ...\n" for k in range(12)},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("roofs")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    return folder


def paths(folder, query, **options):
    packed = pack(folder, 400, query=query, order="relevance", **options)
    return list(dict.fromkeys(chunk.path for chunk in packed.chunks))


def ranked(files, query):
    """Names of chunks, the best first."""
    chunks = [chunk for path, text in files.items() for chunk in cut(text, path)]
    scores = code_scores(chunks, query)
    best = sorted(zip(-scores, chunks, strict=True), key=lambda each: each[0])
    return [(chunk.path, chunk.name) for _, chunk in best]


def test_source_comes_without_tests_and_docs(folder):
    assert paths(folder, "mend a roof") == ["house/mending.py"]


@pytest.mark.parametrize(
    ("focus", "expected"),
    [
        ("code", {"house/mending.py"}),
        ("tests", {"tests/test_mending.py"}),
        ("docs", {"README.md", "docs/mending.md", "CHANGES.md"}),
    ],
)
def test_the_focus_decides_which_files_are_chosen_from(folder, focus, expected):
    found = paths(folder, "mend a roof", focus=focus)
    assert found
    assert set(found) <= expected


def test_with_focus_on_all_everything_is_chosen_from(folder):
    found = paths(folder, "mend a roof", focus="all")
    assert {role_of(path).value for path in found} >= {"source", "docs"}


@pytest.mark.parametrize(
    ("query", "focus"),
    [
        ("Which tests cover mend_roof?", Focus.TESTS),
        ("Is mend_roof in the documentation?", Focus.DOCS),
        ("mend_roof fails on Windows", Focus.CODE),
        (
            "mend_roof fails\n\n" + "The tests pass and the docs say so. " * 9,
            Focus.CODE,
        ),
        (None, Focus.ALL),
    ],
)
def test_the_question_decides_the_focus(query, focus):
    assert focus_of(query, list(FILES)) is focus


def test_among_notes_with_few_scripts_the_focus_is_on_all():
    notes = [f"note{k}.md" for k in range(90)]
    assert focus_of("mend a roof", [*notes, "plot.py"]) is Focus.ALL


def test_a_document_that_the_question_names_is_in_the_focus():
    is_in = in_focus(["a.py", "docs/b.md", "c.md"], Focus.CODE, "see docs/b.md")
    assert is_in.tolist() == [True, True, False]


def test_what_no_source_mentions_is_looked_for_elsewhere(folder):
    assert paths(folder, "faster at night")[0] == "CHANGES.md"


def test_files_outside_of_the_focus_are_explained(folder):
    packed = pack(folder, 400, query="mend a roof")
    reasons = {file.path: file.reason for file in packed.files}
    assert reasons["README.md"] == "not in the focus"


def test_an_unknown_focus_is_an_error(folder):
    with pytest.raises(InputError, match="focus"):
        pack(folder, 400, query="roof", focus="cod")


def test_a_named_identifier_comes_first():
    files = {
        "a.py": "def check(roof):\n    '''Check the roof: nails, tiles, rain.'''\n",
        "b.py": "def nail_down(x):\n    return x\n",
    }
    query = "It fails\n\nafter `nail_down` was called, the roof leaks"
    assert ranked(files, query)[0] == ("b.py", "nail_down")


def test_a_named_file_comes_first():
    text = "def mend(roof):\n    return roof\n"
    files = {f"house/part{k}.py": text for k in range(5)}
    assert ranked(files, "mend fails in house/part3.py")[0][0] == "house/part3.py"


def test_the_frame_that_raised_comes_first():
    traceback = (
        "it crashes\n\nTraceback (most recent call last):\n"
        '  File "/home/ada/house/a.py", line 2, in mend\n'
        '  File "/home/ada/house/b.py", line 90, in lift\nValueError: 3\n'
    )
    files = {
        "house/a.py": "def mend(roof):\n    return roof\n",
        "house/b.py": "def drop(x):\n    return x\n" * 90 + "def lift(x):\n    pass\n",
        "house/c.py": "def mend(roof):\n    'Mend the roof.'\n",
    }
    (path, name), second, *_ = ranked(files, traceback)
    assert path == "house/b.py"
    assert "lift" in name
    assert second == ("house/a.py", "mend")


def test_a_method_of_a_module_that_is_named_with_dots_comes_first():
    text = "class Roof:\n    def mend(self):\n        pass\n"
    files = {"house/a.py": text, "house/b.py": text, "shed/b.py": text}
    assert ranked(files, "call house.b.Roof.mend")[0][0] == "house/b.py"


def test_a_large_file_does_not_crowd_out_a_small_one():
    filler = "\n\n".join(
        f"def part{k}(roof):\n    'Roof {k}.'\n" + "    x = 1\n" * 30 for k in range(60)
    )
    files = {"large.py": filler, "small.py": "def mend(roof):\n    pass\n"}
    assert ranked(files, "mend a roof")[0][0] == "small.py"


def test_a_word_that_is_repeated_in_a_log_counts_once():
    weights = CodeQuery.of("mend\n\n" + "rain " * 500).weights
    assert weights == {"mend": 4.0, "rain": 1.0}


def test_files_without_room_are_in_the_prompt_by_a_signature(tmp_path):
    for k in range(30):
        body = "".join(f"    roof.nail_{k}_{i}(tile)\n" for i in range(40))
        (tmp_path / f"part{k}.py").write_text(f"def mend_{k}(roof):\n{body}")
    packed = pack(tmp_path, 2500, query="mend a roof", format="text")
    kinds = [chunk.kind for chunk in packed.chunks]
    assert kinds.count("signature") >= 5
    assert packed.tokens <= 2500
    signature = next(chunk for chunk in packed.chunks if chunk.kind == "signature")
    assert f"{signature.path}, lines 1:\n{signature.text}\n" in f"{packed.text}\n"
    assert len(packed.chunks) + len(packed.context.dropped) == 30


def test_a_signature_is_the_line_below_decorators_and_comments():
    text = "# mend\n@cache\ndef mend(\n    roof,\n): ..."
    signature = signature_of(FileChunk("a.py", text, 7, 11, "Roof.mend", "function"))
    assert (signature.text, signature.start_line) == ("def mend(", 9)


@given(query=st.text(max_size=60))
def test_any_question_can_be_ranked(query):
    chunks = cut(MEND, "roof.py")
    scores = code_scores(chunks, query)
    assert scores.shape == (len(chunks),)
    assert (scores >= 0).all()


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/roof.py", "source"),
        ("web/roof.html", "source"),
        ("tests/data/roof.json", "tests"),
        ("roof_test.go", "tests"),
        ("docs/conf.py", "docs"),
        ("CHANGES", "docs"),
        ("setup.cfg", "data"),
    ],
)
def test_the_path_tells_what_a_file_is_for(path, role):
    assert role_of(path).value == role
