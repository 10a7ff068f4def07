import pytest

from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.priors import prior


def value(path, *, kind="function", text="x = 1", start_line=1):
    return prior(FileChunk(path, text, start_line, start_line + 1, kind=kind))


def test_chunks_are_in_the_order_in_which_one_reads_a_repository():
    in_order = [
        value("README.md", kind="text"),
        value("pyproject.toml", kind="data"),
        value("src/roof/__main__.py", kind="code"),
        value("src/roof/mend.py", text='def f():\n    """Mends."""'),
        value("src/roof/mend.py"),
        value("src/roof/table.csv", kind="data"),
        value("vendor/roof/mend.go"),
    ]
    assert in_order == sorted(in_order, reverse=True)
    assert len(set(in_order)) == len(in_order)


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_roof.py",
        "roof_test.go",
        "src/roof.spec.ts",
        "conftest.py",
        "test/a.c",
    ],
)
def test_tests_are_below_what_they_test(path):
    assert value(path) < value("src/roof/a/b/c.py")


def test_words_within_names_are_no_folders():
    assert value("src/latest/contest.py") == value("src/roofs/mending.py")


@pytest.mark.parametrize("path", ["LICENSE", "CHANGELOG.md", ".github/workflows/a.yml"])
def test_legal_texts_and_hidden_files_are_last(path):
    assert value(path, kind="text") <= 0.1


def test_values_are_between_0_and_1():
    deep = "/".join(["vendor"] * 30 + ["a.py"])
    for path in (deep, "README", "a", "docs/README.rst"):
        assert 0 < value(path) <= 1
