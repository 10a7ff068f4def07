"""``thatch highlight``: what is under each annotation is the sentence."""

import ctypes

import pypdfium2
import pytest
from pdf_files import lines, pdf
from pypdfium2 import raw

from thatch.text.documents.pdf import highlighted, read_with_pieces

# How PDFium and fonts write a hyphen at the end of a line.
HYPHENS = "-\x02\ufffe"
PAGES = (
    [
        (50, 760, 18, "The frozen harbor"),
        *lines(
            "The harbor froze on Monday. Ships waited out-",
            "side, and people walked over the ice to the island. Fish",
            "became dear. The mayor of the town spoke about the",
        ),
    ],
    [*lines("ice, which nobody had seen for thirty years. Ferries stay.")],
)


def annotations(content):
    """Note and text under the quads of every highlight, by page, in order."""
    document = pypdfium2.PdfDocument(content)
    found = []
    for number in range(len(document)):
        page = document[number]
        for k in range(raw.FPDFPage_GetAnnotCount(page)):
            annotation = raw.FPDFPage_GetAnnot(page, k)
            assert raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_HIGHLIGHT
            size = raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0)
            note = (raw.FPDF_WCHAR * (size // 2))()
            raw.FPDFAnnot_GetStringValue(annotation, b"Contents", note, size)
            texts = [text_under(page, quad) for quad in quads(annotation)]
            found.append((number + 1, bytes(note).decode("utf-16-le")[:-1], texts))
    return found


def quads(annotation):
    for k in range(raw.FPDFAnnot_CountAttachmentPoints(annotation)):
        quad = raw.FS_QUADPOINTSF()
        assert raw.FPDFAnnot_GetAttachmentPoints(annotation, k, quad)
        yield quad


def text_under(page, quad):
    """Characters whose center is inside a quad."""
    characters = page.get_textpage()
    text = ""
    for k in range(characters.count_chars()):
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        raw.FPDFText_GetCharBox(characters, k, left, right, bottom, top)
        x, y = (left.value + right.value) / 2, (bottom.value + top.value) / 2
        is_inside = quad.x1 <= x <= quad.x2 and quad.y3 <= y <= quad.y1
        if is_inside and not raw.FPDFText_IsGenerated(characters, k):
            text += chr(raw.FPDFText_GetUnicode(characters, k))
    return text.strip()


def test_the_chosen_sentences_are_marked(thatch, tmp_path):
    (tmp_path / "in.pdf").write_bytes(pdf(*PAGES))
    require = ("--require", "Ships waited", "--require", "mayor")
    assert thatch("highlight", "in.pdf", "out.pdf", *require) == (0, "", "")
    found = annotations((tmp_path / "out.pdf").read_bytes())
    assert {page for page, _, _ in found} == {1, 2}
    assert all(note.startswith("thatch ") for _, note, _ in found)
    ships = next(texts for _, _, texts in found if texts[0].startswith("Ships"))
    assert ships[0].rstrip(HYPHENS) == "Ships waited out"
    assert ships[1:] == ["side, and people walked over the ice to the island."]


def test_pages_without_text_are_reported(thatch, tmp_path):
    (tmp_path / "in.pdf").write_bytes(pdf(*PAGES, "picture"))
    code, _, err = thatch("highlight", "in.pdf", "out.pdf")
    assert (code, err.count("in.pdf"), "(3)" in err) == (0, 1, True)


@pytest.mark.parametrize("turn", [(0, 0), (90, 0), (270, 270), (0, 90), (180, 0)])
def test_what_is_under_the_marks_is_the_passage(turn, tmp_path):
    rotation, angle = turn
    content = pdf(*PAGES, rotation=rotation, angle=angle)
    document, pieces = read_with_pieces(content, tmp_path / "in.pdf")
    words = document.text.split()
    for first in range(0, len(words) - 6, 5):
        passage = " ".join(words[first : first + 6])
        if passage not in document.text:
            continue
        start = document.text.index(passage)
        spans = [(start, start + len(passage))]
        marked = highlighted(content, tmp_path, pieces=pieces, spans=spans)
        under = "".join(
            text.rstrip(HYPHENS)
            for _, _, found in annotations(marked)
            for text in found
        )
        assert "".join(under.split()) == "".join(passage.split())


def test_a_page_is_turned_as_before():
    content = pdf(lines("Snow fell."), rotation=90)
    _, pieces = read_with_pieces(content, "in.pdf")
    marked = highlighted(content, "in.pdf", pieces=pieces, spans=[(0, 4)])
    assert pypdfium2.PdfDocument(marked)[0].get_rotation() == 90
    assert [(note, texts) for _, note, texts in annotations(marked)] == [
        ("thatch 1", ["Snow"])
    ]


def test_the_input_is_not_overwritten(thatch, tmp_path):
    content = pdf(*PAGES)
    (tmp_path / "in.pdf").write_bytes(content)
    code, _, err = thatch("highlight", "in.pdf", "in.pdf")
    assert (code, "in.pdf" in err) == (2, True)
    assert (tmp_path / "in.pdf").read_bytes() == content


@pytest.mark.parametrize("content", [b"no PDF", pdf([]), b""])
def test_what_cannot_be_read_is_refused_and_nothing_written(thatch, tmp_path, content):
    (tmp_path / "in.pdf").write_bytes(content)
    code, out, err = thatch("highlight", "in.pdf", "out.pdf")
    assert (code, out, "hint:" in err) == (2, "", True)
    assert not (tmp_path / "out.pdf").exists()
