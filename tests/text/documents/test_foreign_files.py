"""HTML and Word: real files, made here."""

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
    "meta",
    [
        '<meta property="article:published_time" content="2024-05-01T10:00Z">',
        "<meta content='2024/05/01' name='date'>",
        '<script type="application/ld+json">{"datePublished": "2024-05-01"}</script>',
    ],
)
def test_a_page_may_say_when_it_was_published(tmp_path, meta):
    page = PAGE.replace("{meta}", meta)
    document = read_document(saved(tmp_path, "a.html", page.encode()))
    assert document.date == "2024-05-01"
    ice = document.text.index("No ferry")
    assert document.headings_at(ice) == ("The harbour freezes", "What it means")


def test_captions_of_a_short_page_are_asides(tmp_path):
    page = b"<h2>Ice</h2><figure><figcaption>Ice.</figcaption></figure><p>It froze."
    document = read_document(saved(tmp_path, "a.html", page))
    kinds = [(b.kind.value, b.level) for b in document.blocks]
    assert kinds == [("heading", 2), ("aside", 0), ("prose", 0)]


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


def test_a_page_of_which_only_a_table_was_found_is_read_as_a_whole(tmp_path):
    rows = "".join(f"<tr><td>State {k}</td><td>{k * 1000}</td></tr>" for k in range(60))
    page = f"<div><p>This is a list of states.</p><table>{rows}</table></div>"
    document = read_document(saved(tmp_path, "a.html", page.encode()))
    assert "This is a list of states." in [text for text, _ in parts(document)]
