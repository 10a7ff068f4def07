"""HTML, PDF and Word: real files, made here."""

import io

import docx
import pytest

from thatch.errors import FileFormatError
from thatch.text.documents.readers import read_document

PAGE = """<html><head><title>Harbour</title>{meta}</head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul></nav>
<article><h1>The harbour freezes</h1>
<p>The harbour froze on <b>Monday</b>, for the first time in thirty years, and<br>
   ships waited outside.</p>
<h2>What it means</h2>
<ul><li>No ferry leaves before the weekend.</li>
<li>Fish is dear: Gr&ouml;&szlig;e.</li></ul>
<pre><code>ice = 12
open = False</code></pre>
<p>People walked over the ice to the island and back, as their parents had done.</p>
</article>
<footer>Imprint and privacy</footer><script>track("me");</script></body></html>"""


def parts(document):
    text = document.text
    return [(text[b.start : b.end], b.kind.value) for b in document.blocks]


def saved(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_the_main_text_of_a_page_is_found(tmp_path):
    found = parts(read_document(saved(tmp_path, "a.html", PAGE.encode())))
    assert found == [
        ("The harbour freezes", "heading"),
        (
            (
                "The harbour froze on Monday, for the first time in thirty years, and "
                "ships waited outside."
            ),
            "prose",
        ),
        ("What it means", "heading"),
        ("No ferry leaves before the weekend.", "prose"),
        ("Fish is dear: Größe.", "prose"),
        ("ice = 12\nopen = False", "code"),
        (
            (
                "People walked over the ice to the island and back, as their parents "
                "had done."
            ),
            "prose",
        ),
    ]


@pytest.mark.parametrize(
    ("meta", "encoding"),
    [
        ('<meta charset="iso-8859-1">', "latin-1"),
        ('<meta http-equiv="a" content="text/html; charset=windows-1252">', "cp1252"),
        ('<meta charset="no-such-thing">', "utf-8"),
        ("", "utf-16"),
    ],
)
def test_a_page_may_name_its_encoding(tmp_path, meta, encoding):
    page = PAGE.format(meta=meta).replace("Gr&ouml;&szlig;e", "Größe")
    document = read_document(saved(tmp_path, "a.htm", page.encode(encoding)))
    assert "Größe" in document.text


def test_a_page_of_a_few_words_is_taken_whole(tmp_path):
    head = b"<title>T</title><nav>Home</nav>"
    page = head + b"<p>It <b>rai</b>ned.<style>p {}</style><div>Sun.<br>"
    document = read_document(saved(tmp_path, "a.html", page))
    assert parts(document) == [("It rained.", "prose"), ("Sun.", "prose")]


@pytest.mark.parametrize(
    "page",
    [
        *(b"", b"<", b"<!doctype html>", b"<p", b"&#0;&#xD800;"),
        *(b"<p>Snow fell.</p><![>", b"<![foo[x]]>Snow.", b"a <![ b", b"<![CDATA[x"),
    ],
)
def test_a_page_without_words_is_an_empty_document(tmp_path, page):
    assert len(read_document(saved(tmp_path, "a.html", page)).blocks) <= 1


def pdf(*pages):
    """Return a PDF; a page is a list of (x, y, size, text)."""
    contents = [
        "\n".join(
            f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET" for x, y, size, text in page
        )
        for page in pages
    ]
    kids = " ".join(f"{4 + 2 * k} 0 R" for k in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        (
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
            "/Encoding /WinAnsiEncoding >>"
        ),
    ]
    for k, content in enumerate(contents):
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] "
            f"/Contents {5 + 2 * k} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    return with_index(objects)


def with_index(objects):
    file = io.BytesIO()
    file.write(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(file.tell())
        file.write(f"{number} 0 obj\n{content}\nendobj\n".encode())
    start = file.tell()
    rows = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    file.write(f"xref\n0 {size}\n0000000000 65535 f \n{rows}".encode())
    file.write(f"trailer << /Size {size} /Root 1 0 R >>\n".encode())
    file.write(f"startxref\n{start}\n%%EOF\n".encode())
    return file.getvalue()


def lines(*texts, first=700, left=50):
    return [(left, first - 14 * k, 11, text) for k, text in enumerate(texts)]


def read_pdf(tmp_path, *pages):
    return parts(read_document(saved(tmp_path, "a.pdf", pdf(*pages))))


def test_lines_of_a_pdf_become_paragraphs_and_headings(tmp_path):
    page = [
        (50, 750, 18, "The harbour freezes"),
        *lines("The harbour froze on", "Monday, and ships", "waited outside."),
        *lines("People walked over the ice", "to the island.", first=640),
    ]
    assert read_pdf(tmp_path, page) == [
        ("The harbour freezes", "heading"),
        ("The harbour froze on Monday, and ships waited outside.", "prose"),
        ("People walked over the ice to the island.", "prose"),
    ]


def test_an_indented_line_after_a_sentence_starts_a_paragraph(tmp_path):
    page = lines("The harbour froze", "on Monday.", "Ships waited", "outside.")
    page[2] = (70, *page[2][1:])
    texts = [text for text, _ in read_pdf(tmp_path, page)]
    assert texts == ["The harbour froze on Monday.", "Ships waited outside."]


def test_hyphenated_words_are_joined_but_compounds_keep_their_hyphen(tmp_path):
    page = lines(
        "A well-known harbour is impor-",
        "tant. This one is well-",
        "known to Anglo-",
        "American sailors, from 1990-",
        "1995 and be-",
        "yond.",
    )
    assert [text for text, _ in read_pdf(tmp_path, page)] == [
        (
            "A well-known harbour is important. This one is well-known to "
            "Anglo-American sailors, from 1990-1995 and beyond."
        )
    ]


def test_paragraphs_continue_across_pages_and_columns(tmp_path):
    first = [*lines("The harbour froze", "on Monday, and"), *lines("all", left=300)]
    pages = [first, lines("ships waited", "outside.")]
    assert [text for text, _ in read_pdf(tmp_path, *pages)] == [
        "The harbour froze on Monday, and all ships waited outside."
    ]


def test_running_titles_and_page_numbers_are_omitted(tmp_path):
    pages = [
        [
            (50, 780, 11, "Harbour News"),
            *lines(f"The ice is {thick} thick", "today."),
            (300, 20, 11, f"{number}"),
        ]
        for number, thick in enumerate(["hardly", "rather", "very"], start=7)
    ]
    text = " ".join(text for text, _ in read_pdf(tmp_path, *pages))
    assert text == " ".join(
        f"The ice is {thick} thick today." for thick in ["hardly", "rather", "very"]
    )


def test_lines_that_two_pages_share_are_kept(tmp_path):
    pages = [[(50, 780, 11, "All is well."), *lines(f"Day {k}.")] for k in (3, 9)]
    text = " ".join(text for text, _ in read_pdf(tmp_path, *pages))
    assert text.count("All is well.") == 2


def test_bullets_of_a_pdf_start_paragraphs(tmp_path):
    page = lines("Buy:", "\\225 milk", "\\225 eggs", "and bread")
    assert [text for text, _ in read_pdf(tmp_path, page)] == [
        "Buy:",
        "milk",
        "eggs and bread",
    ]


def test_a_pdf_without_text_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"a\.pdf: .*2 pages"):
        read_pdf(tmp_path, [], [])


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.4\nbroken"])
def test_a_file_that_is_not_a_pdf_is_refused(tmp_path, content):
    with pytest.raises(FileFormatError, match=r"a\.pdf: .*PDF"):
        read_document(saved(tmp_path, "a.pdf", content))


def test_a_word_document_has_headings_paragraphs_and_tables(tmp_path):
    word = docx.Document()
    word.add_heading("The harbour", level=1)
    word.add_paragraph("It froze on Monday.")
    table = word.add_table(rows=2, cols=2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {number}"
    word.add_paragraph("")
    word.add_paragraph("Ships waited.", style="List Bullet")
    path = tmp_path / "a.docx"
    word.save(str(path))
    assert parts(read_document(path)) == [
        ("The harbour", "heading"),
        ("It froze on Monday.", "prose"),
        ("cell 0 | cell 1\ncell 2 | cell 3", "code"),
        ("Ships waited.", "prose"),
    ]


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"no zip"])
def test_a_file_that_is_not_a_word_document_is_refused(tmp_path, content):
    with pytest.raises(FileFormatError, match=r"a\.docx: .*Word"):
        read_document(saved(tmp_path, "a.docx", content))
