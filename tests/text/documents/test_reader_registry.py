"""Readers of other packages, installed as packages are."""

import tomllib
from pathlib import Path

import pytest
from refusals import refused

from thatch.errors import FileFormatError, InputError, MissingExtraError, PluginError
from thatch.text.documents.reader_registry import (
    BUILT_IN,
    GROUP,
    reader_of,
    suffixes,
)
from thatch.text.documents.readers import read_document, read_documents

READER = """
from thatch.text import Document

def read(content, path, *, encoding):
    return Document.from_text(content.decode(encoding or "utf-8").upper(), str(path))
"""


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.shout").write_text("Snow fell.")
    (folder / "b.txt").write_text("We left.")
    return folder


def test_the_table_of_built_in_readers_is_that_of_the_package():
    project = Path(__file__).parents[3] / "pyproject.toml"
    declared = tomllib.loads(project.read_text())["project"]["entry-points"][GROUP]
    assert declared == BUILT_IN
    assert list(declared) == list(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_reader_can_be_loaded(name):
    assert callable(reader_of(f".{name}"))


@pytest.mark.parametrize("suffix", [".shout", "shout", "SHOUT"])
def test_an_installed_reader_reads_its_files(install_reader, notes, suffix):
    assert read_document(notes / "a.shout").text == "Snow fell."
    install_reader("a_reader", READER, suffix)
    assert read_document(notes / "a.shout").text == "SNOW FELL."
    assert suffixes()[-1] == ".shout"


def test_a_folder_is_read_by_the_registered_readers(install_reader, notes):
    install_reader("a_reader", READER, ".shout")
    assert [d.text for d in read_documents([notes])] == ["SNOW FELL.", "We left."]


def test_an_installed_reader_is_given_the_encoding(install_reader, notes):
    install_reader("a_reader", READER, ".shout")
    (notes / "a.shout").write_bytes("Müde.".encode("latin-1"))
    assert read_document(notes / "a.shout", encoding="latin-1").text == "MÜDE."


def test_built_in_readers_take_precedence(install_reader, notes):
    install_reader("a_reader", READER, ".txt")
    assert read_document(notes / "b.txt").text == "We left."


@pytest.mark.parametrize(
    "code", ["import no_such_package", "1 / 0", "reed = None", "def read(: pass"]
)
def test_a_reader_that_cannot_be_imported_is_named(install_reader, notes, code):
    install_reader("a_reader", code, ".shout")
    with pytest.raises(PluginError, match=r"thatch\.readers: \.shout = a_reader:read"):
        read_document(notes / "a.shout")


def test_a_folder_skips_what_a_broken_reader_should_have_read(install_reader, notes):
    install_reader("a_reader", "import no_such_package", ".shout")
    skipped = []
    documents = read_documents(
        [notes], on_skip=lambda path, why: skipped.append((path.name, why))
    )
    assert [d.text for d in documents] == ["We left."]
    ((name, why),) = skipped
    assert name == "a.shout" and "a_reader:read" in why


def test_a_reader_that_fails_on_a_file_is_named_with_the_file(install_reader, notes):
    install_reader(
        "a_reader", "def read(content, path, *, encoding):\n    1 / 0", ".shout"
    )
    with pytest.raises(FileFormatError, match=r"a\.shout: .*ZeroDivision") as caught:
        read_document(notes / "a.shout")
    assert caught.value.path == notes / "a.shout"


def test_a_reader_must_return_a_document(install_reader, notes):
    install_reader(
        "a_reader", "def read(content, path, *, encoding):\n    return 3", ".shout"
    )
    with pytest.raises(PluginError, match=r"a_reader:read.* int"):
        read_document(notes / "a.shout")


def test_errors_that_a_reader_raises_on_purpose_pass(install_reader, notes):
    code = (
        "from thatch.errors import MissingExtraError\n"
        "raise MissingExtraError('Shouting', package='voice', extra='files')\n"
    )
    install_reader("a_reader", code, ".shout")
    with pytest.raises(MissingExtraError, match="voice"):
        read_document(notes / "a.shout")


def test_two_readers_of_one_suffix_are_refused(install_reader, notes):
    install_reader("a_reader", READER, ".shout")
    install_reader("a_reader_too", READER, "shout")
    with pytest.raises(PluginError, match=r"\.shout.*a_reader") as caught:
        read_document(notes / "a.shout")
    assert "a_reader_too:read" in caught.value.message


@pytest.mark.parametrize(
    "failure",
    [
        "raise KeyError('title')",
        "raise UnicodeError",
        "raise MemoryError",
        "raise BaseException('panic')",
        "return read(content, path, encoding=encoding)",
    ],
)
def test_whatever_a_reader_raises_costs_its_file_alone(install_reader, notes, failure):
    code = f"def read(content, path, *, encoding):\n    {failure}"
    install_reader("a_reader", code, ".shout")
    skipped = []
    documents = read_documents(
        [notes], on_skip=lambda path, why: skipped.append((path.name, why))
    )
    assert [document.text for document in documents] == ["We left."]
    ((name, why),) = skipped
    assert name == "a.shout" and why
    with refused(InputError, "a.shout"):
        read_document(notes / "a.shout")


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_not_an_error_of_a_reader(install_reader, notes, interrupt):
    code = f"def read(content, path, *, encoding):\n    raise {interrupt.__name__}"
    install_reader("a_reader", code, ".shout")
    with pytest.raises(interrupt):
        read_documents([notes])


def test_a_built_in_reader_that_cannot_be_imported_is_named(notes, monkeypatch):
    (notes / "c.html").write_text("<p>Snow fell.")
    monkeypatch.setitem(BUILT_IN, "html", "thatch.text.documents.html:missing")
    with refused(PluginError, ".html", "AttributeError"):
        read_document(notes / "c.html")
