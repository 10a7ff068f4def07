"""Documents that expand to more than their memory are refused."""

from random import Random

import pytest
from fuzz import documents

pytestmark = pytest.mark.slow


def test_a_pdf_that_expands_to_more_than_its_memory_is_refused(thatch, tmp_path):
    """PDFium would take gigabytes for the graphics states of this page."""
    path = tmp_path / "bomb.pdf"
    stream = documents.deflated(100_000_000, b"q ")
    path.write_bytes(documents.pdf(Random(0), stream, b"/Filter /FlateDecode"))
    assert thatch("summarize", path)[:2] == (2, "")


def test_a_word_document_that_expands_too_far_is_refused(thatch, tmp_path):
    suffix, content = documents.zip_bomb(Random(0))
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(content)
    code, out, err = thatch("summarize", path)
    assert (code, out) == (2, "")
    assert "unpacked" in err
