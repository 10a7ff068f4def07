"""Word documents: what python-docx writes, and parts of any name, size and content."""

import io
import zipfile
from pathlib import Path

import docx as python_docx
import pytest
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from refusals import refused

from thatch.errors import FileFormatError
from thatch.text.documents.docx import read

SCHEMAS = "http://schemas.openxmlformats.org"
OFFICE = f"{SCHEMAS}/officeDocument/2006/relationships"


def relationships(**targets):
    return f'<Relationships xmlns="{SCHEMAS}/package/2006/relationships">' + (
        "".join(
            f'<Relationship Id="{kind}" Type="{OFFICE}/{kind}" Target="{target}"/>'
            for kind, target in targets.items()
        )
        + "</Relationships>"
    )


def word(tag, content):
    main = f"{SCHEMAS}/wordprocessingml/2006/main"
    return f'<w:{tag} xmlns:w="{main}">{content}</w:{tag}>'


def package(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def with_body(body, *, main="word/document.xml", doctype=""):
    document = doctype + word("document", f"<w:body>{body}</w:body>")
    return package({"_rels/.rels": relationships(officeDocument=main), main: document})


def paragraph(text, style=""):
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def blocks(content):
    document = read(content, Path("a.docx"))
    return [(document.text[b.start : b.end], b.kind.value) for b in document.blocks]


def test_paragraphs_have_the_text_that_python_docx_finds():
    document = python_docx.Document()
    run = document.add_paragraph("One").add_run("\ttab")
    run.add_break(WD_BREAK.LINE)
    run.add_text("new line")
    run.add_break(WD_BREAK.PAGE)
    run.add_text("page & <tag> Größe 大小")
    children = (
        (
            '<w:hyperlink {}><w:r><w:t xml:space="preserve"> link </w:t></w:r>'
            "</w:hyperlink>"
        ),
        "<w:ins {}><w:r><w:t>inserted</w:t></w:r></w:ins>",
        "<w:r {}><w:cr/><w:noBreakHyphen/><w:ptab/><w:t/><w:sym/><w:t>end</w:t></w:r>",
        "<w:r {}><w:drawing><w:p><w:r><w:t>box</w:t></w:r></w:p></w:drawing></w:r>",
    )
    for child in children:
        document.add_paragraph("Start")
        document.element.body.p_lst[-1].append(parse_xml(child.format(nsdecls("w"))))
    file = io.BytesIO()
    document.save(file)
    texts = [text for text, _ in blocks(file.getvalue())]
    assert texts == [paragraph.text.strip() for paragraph in document.paragraphs]


def test_headings_are_found_by_the_names_of_their_styles():
    styles = word(
        "styles",
        '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Heading1"><w:name w:val="Body"/></w:style>',
    )
    body = paragraph("Title", "berschrift1") + paragraph("Text.", "Heading1")
    parts = {
        "_rels/.rels": relationships(officeDocument="/w/main.xml"),
        "w/main.xml": word("document", f"<w:body>{body}</w:body>"),
        "w/_rels/main.xml.rels": relationships(styles="../looks.xml"),
        "looks.xml": styles,
    }
    assert blocks(package(parts)) == [("Title", "heading"), ("Text.", "prose")]


def test_a_document_without_styles_has_the_usual_headings():
    body = paragraph("Title", "Heading1") + paragraph("Text.", "Normal")
    assert blocks(with_body(body)) == [("Title", "heading"), ("Text.", "prose")]


def test_a_table_is_one_block_with_a_row_per_line():
    row = "<w:tr><w:tc>{}{}</w:tc><w:tc>{}</w:tc></w:tr>"
    first = row.format(*map(paragraph, ("a", "b\n c", "d")))
    nested = f"<w:tr><w:tc>{paragraph('e')}<w:tbl>{first}</w:tbl></w:tc></w:tr>"
    body = f"<w:tbl>{first}{nested}</w:tbl>"
    assert blocks(with_body(body)) == [("a b c | d\ne", "code")]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "cp1252"])
def test_a_part_may_have_another_encoding(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + word(
        "document", f"<w:body>{paragraph('Größe')}</w:body>"
    )
    parts = {
        "_rels/.rels": relationships(officeDocument="a.xml"),
        "a.xml": text.encode(encoding),
    }
    assert blocks(package(parts)) == [("Größe", "prose")]


@pytest.mark.slow
@pytest.mark.parametrize("main", ["word/document.xml", "word/document.bin", "a.png"])
def test_the_limit_of_size_applies_to_a_part_of_any_name(main):
    with refused(FileFormatError, "67,108,864", "unpacked"):
        read(with_body(" " * (65 << 20), main=main), Path("a.docx"))


@pytest.mark.slow
@pytest.mark.parametrize("main", ["word/document.xml", "word/document.bin"])
def test_the_number_of_tags_is_limited(main):
    with refused(FileFormatError, "tags", "3,000,000"):
        read(with_body("<!---->" * 3_100_000, main=main), Path("a.docx"))


@pytest.mark.slow
def test_the_number_of_attributes_is_limited():
    element = "<a " + " ".join(f"a{k}=''" for k in range(100_000)) + "/>"
    with refused(FileFormatError, "attributes", "3,000,000"):
        read(with_body(element * 31), Path("a.docx"))


def test_the_size_of_a_tag_is_limited():
    with refused(FileFormatError, "tag", "8,388,608"):
        read(with_body(f"<a b='{'x' * (10 << 20)}'/>"), Path("a.docx"))


def test_a_long_document_with_long_tags_is_read():
    """12 MB, in tags that are longer than what is read at once."""
    element = f"<a b='{'x' * 300_000}'/>"
    body = paragraph("First.") + element * 40 + paragraph("Last.")
    assert blocks(with_body(body)) == [("First.", "prose"), ("Last.", "prose")]


@pytest.mark.slow
def test_the_number_of_parts_is_limited():
    with refused(FileFormatError, "50,001 files"):
        read(package({str(k): b"" for k in range(50_001)}), Path("a.docx"))


@pytest.mark.slow
def test_the_limits_apply_to_all_parts_together():
    half = "<!---->" * 1_600_000
    parts = {
        "_rels/.rels": relationships(officeDocument="a.xml"),
        "a.xml": word("document", half),
        "_rels/a.xml.rels": relationships(styles="b.xml"),
        "b.xml": word("styles", half),
    }
    with refused(FileFormatError, "tags", "3,000,000"):
        read(package(parts), Path("a.docx"))


@pytest.mark.slow
def test_pictures_are_not_unpacked():
    body = paragraph("Text.")
    parts = {
        "_rels/.rels": relationships(officeDocument="a.xml"),
        "a.xml": word("document", f"<w:body>{body}</w:body>"),
        "media/a.png": bytes(300 << 20),
    }
    assert blocks(package(parts)) == [("Text.", "prose")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\3\4",
        package({}),
        package({"_rels/.rels": relationships(styles="a.xml")}),
        package({"_rels/.rels": relationships(officeDocument="a.xml")}),
        package({"_rels/.rels": relationships(officeDocument="a"), "a": "<workbook/>"}),
        with_body("<w:p>"),
        with_body("", doctype="<!DOCTYPE a [<!ENTITY b 'c'>]>"),
        with_body("a" * 9_999)[:-2_000],
    ],
    ids=range(9),
)
def test_what_is_not_a_word_document_is_refused(content):
    with refused(FileFormatError, "a.docx", "Word"):
        read(content, Path("a.docx"))


def test_headings_have_levels_and_captions_are_asides(tmp_path):
    word = python_docx.Document()
    word.add_heading("The harbor", level=0)
    word.add_heading("Ice", level=1)
    word.add_heading("Depth", level=2)
    word.add_paragraph("Figure 1: Ice", style="Caption")
    path = tmp_path / "a.docx"
    word.save(str(path))
    document = read(path.read_bytes(), path)
    assert [b.level for b in document.blocks] == [1, 2, 3, 0]
    assert document.blocks[-1].kind.value == "aside"
    assert document.headings_at(len(document.text)) == ("The harbor", "Ice", "Depth")
