"""Documents from files, folders and standard input."""

import io
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import refused

import thatch
from thatch.errors import FileFormatError, InputError, InputTypeError
from thatch.errors.installation import install_command
from thatch.text.documents.document import BlockKind
from thatch.text.documents.readers import read_document, read_documents

SENTENCE = "Größe zählt: 大小, שלום."


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


class Stdin:
    def __init__(self, content):
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("name", ["a.txt", "a.text", "a", "A.TXT", "a.py", "a.log"])
def test_anything_that_is_text_is_plain_text(write, name):
    path = write(name, "# no heading\n\nText.\n")
    document = read_document(path)
    assert document.text == "# no heading\n\nText.\n"
    assert document.name == str(path)
    assert {block.kind for block in document.blocks} == {BlockKind.PROSE}


@pytest.mark.parametrize("name", ["a.md", "a.markdown", "A.MD"])
def test_markdown_is_recognized_by_its_suffix(write, name):
    document = read_document(write(name, "# Title\n\nText.\n"))
    kinds = [block.kind for block in document.blocks]
    assert kinds == [BlockKind.HEADING, BlockKind.PROSE]


def test_an_empty_file_is_an_empty_document(write):
    assert read_document(write("a.txt", b"")).blocks == ()
    assert read_document(write("a.md", b"")).text == ""


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be"]
)
def test_byte_order_marks_name_the_encoding(write, encoding):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path = write("a.txt", f"{mark}{SENTENCE}".encode(encoding))
    assert read_document(path).text == SENTENCE


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "shift-jis"])
def test_the_encoding_can_be_given(write, encoding):
    text = "大小" if encoding == "shift-jis" else "naïve"
    path = write("a.txt", text.encode(encoding))
    assert read_document(path, encoding=encoding).text == text


def test_a_byte_that_is_not_text_is_named_with_its_place(write):
    path = write("a.txt", b"Line.\nna\xefve")
    with pytest.raises(FileFormatError) as caught:
        read_document(path)
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert "UTF-8" in caught.value.message
    assert "0xef at offset 8" in caught.value.message
    assert "encoding" in caught.value.hint
    assert "latin-1" in caught.value.hint


@pytest.mark.parametrize(
    ("content", "encoding", "facts"),
    [
        (b"\x89PNG\0\0", None, ["NUL", "offset 4"]),
        (b"\xff\xfea", None, ["UTF-16-LE", "0x61", "offset 2"]),
        (b"\xff", "ascii", ["ASCII", "0xff", "offset 0"]),
        (b"a", "klingon", ["encoding", "'klingon'"]),
        (b"6162", "hex", ["encoding", "'hex'"]),
        (b"a", "utf\0", ["encoding", "'utf"]),
    ],
)
def test_bytes_that_are_not_text_are_refused(write, content, encoding, facts):
    with refused(InputError, *facts):
        read_document(write("a.txt", content), encoding=encoding)


@pytest.mark.parametrize("name", ["missing.txt", "nul\0.txt", "folder"])
def test_what_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=name):
        read_document(tmp_path / name)


def test_standard_input_is_read_as_plain_text(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Stdin(SENTENCE.encode("utf-16")))
    document = read_document("-")
    assert (document.text, document.name) == (SENTENCE, "-")


def test_standard_input_without_bytes_is_read_as_it_is(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(SENTENCE))
    assert read_documents(["-"])[0].text == SENTENCE


def test_a_page_on_standard_input_is_recognized_by_its_first_bytes(monkeypatch):
    page = f"\n<!DOCTYPE html><html><body><p>{SENTENCE}</p></body></html>"
    monkeypatch.setattr(sys, "stdin", Stdin(page.encode()))
    document = read_document("-")
    assert (document.text, document.name) == (SENTENCE, "-")


def test_standard_input_that_is_not_text_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Stdin(b"\xff"))
    with pytest.raises(FileFormatError, match=r"standard input, line 1: .*0xff"):
        read_document("-")


def test_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input"):
        read_document("-")


def test_a_folder_is_read_in_order_without_hidden_files(write, tmp_path):
    for name in ("b.txt", "a/z.md", "a/.hidden", ".git/c.txt", "c"):
        write(name, name)
    (tmp_path / "a" / "around").symlink_to(tmp_path, target_is_directory=True)
    documents = read_documents([tmp_path / "c", tmp_path])
    assert [document.text for document in documents] == ["c", "a/z.md", "b.txt", "c"]


def test_files_in_a_folder_that_cannot_be_read_are_reported(write, tmp_path, caplog):
    write("a.txt", "Text.")
    picture, broken = write("b.png", b"\x89PNG\0"), write("c.pdf", b"no PDF")
    skipped = []
    documents = read_documents(
        [tmp_path], on_skip=lambda path, why: skipped.append((path, why))
    )
    assert [document.text for document in documents] == ["Text."]
    assert [path for path, _ in skipped] == [picture, broken]
    assert "NUL byte" in skipped[0][1]
    with caplog.at_level(logging.WARNING, logger="thatch"):
        read_documents([tmp_path])
    assert "Skipped" in caplog.text


@pytest.mark.parametrize(
    "charset", ["undefined", "idna", "punycode", "unicode_escape", "hex", "klingon"]
)
def test_a_page_may_name_an_encoding_that_no_page_has(write, tmp_path, charset):
    write("a.html", f"<meta charset={charset}><p>Größe zählt.")
    write("b.txt", "Text.")
    texts = [document.text for document in read_documents([tmp_path])]
    assert texts == ["Größe zählt.", "Text."]


def test_a_file_named_by_itself_must_be_readable(write, tmp_path):
    write("a.txt", "Text.")
    with refused(FileFormatError, "b.png"):
        read_documents([tmp_path, write("b.png", b"\0")])


def test_a_folder_without_documents_is_refused(tmp_path):
    with pytest.raises(InputError, match=tmp_path.name):
        read_documents([tmp_path])


@pytest.mark.parametrize("paths", ["notes.txt", Path("notes.txt")])
def test_one_path_is_not_a_list_of_paths(paths):
    with refused(InputTypeError, "paths", "notes.txt"):
        read_documents(paths)


@pytest.mark.parametrize(
    ("ending", "package"),
    [("html", "trafilatura"), ("pdf", "pypdfium2")],
)
def test_a_missing_package_is_named(write, ending, package):
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from thatch import read_document\n"
        "from thatch.errors import MissingExtraError\n"
        "try:\n    read_document(sys.argv[1])\n"
        "except MissingExtraError as error:\n    print(error)\n"
    )
    path = write(f"a.{ending}", b"x")
    command = [sys.executable, "-c", script, str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"needs {package}" in answer.stdout
    assert install_command("files") in answer.stdout


def test_reading_is_public():
    assert thatch.read_document is read_document
    assert thatch.read_documents is read_documents
