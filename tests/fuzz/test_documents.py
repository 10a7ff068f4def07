"""Documents that once ended in a traceback, hung or exhausted the memory."""

import random
from pathlib import Path

import pytest
from fuzz import documents

DATA = Path(__file__).parent.parent / "data" / "fuzz" / "documents"
NUM_RANDOM = 60


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_a_document_that_once_failed_is_read_or_refused(thatch, path):
    _assert_read_or_refused(thatch, path)


@pytest.mark.parametrize("seed", range(NUM_RANDOM))
def test_a_damaged_document_is_read_or_refused(thatch, tmp_path, seed):
    rng = random.Random(seed)
    suffix, make = rng.choice(list(documents.VALID.items()))
    path = tmp_path / f"a{suffix}"
    path.write_bytes(documents.damaged(make(rng), rng))
    _assert_read_or_refused(thatch, path)


def test_a_pdf_that_expands_to_more_than_its_memory_is_refused(thatch, tmp_path):
    """PDFium would take gigabytes for the graphics states of this page."""
    path = tmp_path / "bomb.pdf"
    stream = documents.deflated(100_000_000, b"q ")
    path.write_bytes(documents.pdf(random.Random(0), stream, b"/Filter /FlateDecode"))
    assert thatch("summarize", path)[:2] == (2, "")


def test_a_word_document_that_expands_too_far_is_refused(thatch, tmp_path):
    name, content = documents.zip_bomb(random.Random(0))
    (tmp_path / name).write_bytes(content)
    code, out, err = thatch("summarize", tmp_path / name)
    assert (code, out) == (2, "")
    assert "unpacked" in err


def _assert_read_or_refused(thatch, path):
    code, _, err = thatch("summarize", path)
    assert code in (0, 2)
    if code == 2:
        error, hint = err.splitlines()
        assert error.startswith("error: ") and hint.startswith("hint: ")
