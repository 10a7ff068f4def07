"""Electronic books: chapters in order, and limits."""

import io
import zipfile

import pytest

from thatch.errors import FileFormatError
from thatch.text.documents.readers import document_of

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
CHAPTERS = {
    "text/one 1.xhtml": "<h1>Ice</h1><p>The harbor <i>froze</i>.</p><h2>Cold</h2>"
    "<figure><figcaption>Ice from above.</figcaption></figure><p>Größe zählt.</p>",
    "text/two.xhtml": "<h1>Ships</h1><p>Ships waited.</p><pre>x = 1\ny = 2</pre>"
    "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>",
}


def book(chapters=None, **files):
    """A book; further files replace those of the archive."""
    chapters = CHAPTERS if chapters is None else chapters
    items = "".join(
        f'<item id="c{k}" href="{name.replace(" ", "%20")}" '
        'media-type="application/xhtml+xml"/>'
        for k, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{k}"/>' for k in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>The Harbor</dc:title><dc:date>2024-05-01T00:00</dc:date></metadata>"
        f'<manifest>{items}<item id="nav" properties="nav" href="nav.xhtml" '
        'media-type="application/xhtml+xml"/></manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>'
    )
    contents = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package,
        "OEBPS/nav.xhtml": "<p>Contents</p>",
        **{f"OEBPS/{name}": f"<html><body>{t}" for name, t in chapters.items()},
        **files,
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            if text is not None:
                archive.writestr(name, text)
    return file.getvalue()


def test_chapters_are_read_in_order():
    document = document_of(book(), "a.epub")
    text = document.text
    assert [
        (text[b.start : b.end], b.kind.value, b.level) for b in document.blocks
    ] == [
        ("The Harbor", "heading", 1),
        ("Ice", "heading", 2),
        ("The harbor froze.", "prose", 0),
        ("Cold", "heading", 3),
        ("Ice from above.", "aside", 0),
        ("Größe zählt.", "prose", 0),
        ("Ships", "heading", 2),
        ("Ships waited.", "prose", 0),
        ("x = 1\ny = 2", "code", 0),
        ("a | b\n1 | 2", "code", 0),
    ]
    assert document.date == "2024-05-01"
    place = text.index("Größe")
    assert document.headings_at(place) == ("The Harbor", "Ice", "Cold")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no archive",
        b"PK\3\4",
        book(**{"META-INF/container.xml": None}),
        book(**{"OEBPS/book.opf": None}),
        book(**{"OEBPS/book.opf": "no XML"}),
        book(**{"OEBPS/text/two.xhtml": None}),
    ],
)
def test_what_is_no_book_is_refused(content):
    with pytest.raises(FileFormatError, match=r"a\.epub: .*EPUB") as caught:
        document_of(content, "a.epub")
    assert caught.value.hint


def test_an_encrypted_book_is_refused_but_fonts_may_be_encrypted():
    def encryption(name):
        text = f'<encryption><CipherReference URI="{name}"/></encryption>'
        return {"META-INF/encryption.xml": text}

    document_of(book(**encryption("OEBPS/font.otf")), "a.epub")
    with pytest.raises(FileFormatError, match="encrypted"):
        document_of(book(**encryption("OEBPS/text/two.xhtml")), "a.epub")


@pytest.mark.slow
def test_a_book_that_expands_too_far_is_refused():
    chapters = {f"c{k}.xhtml": "x" * (9 << 20) for k in range(8)}
    with pytest.raises(FileFormatError, match="unpacked"):
        document_of(book(chapters), "a.epub")


def test_entities_are_not_expanded():
    entities = '<!DOCTYPE c [<!ENTITY a "x">]>'
    document = document_of(
        book(**{"META-INF/container.xml": entities + CONTAINER}), "a.epub"
    )
    assert document.blocks
