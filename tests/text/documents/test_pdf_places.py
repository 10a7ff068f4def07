"""Pages of the words of twenty PDFs, made here: columns, turns, notes and headers."""

from random import Random

import pytest
from pdf_files import lines, pdf

from thatch.text.documents.pdf import read_with_pieces
from thatch.text.documents.pdf_pages import pages_of

LINES_PER_PAGE = 24
# How a viewer turns the pages, and how the text is turned.
TURNS = [(0, 0), (90, 0), (180, 0), (270, 0), (90, 90), (270, 270), (0, 90), (0, 270)]


class Book:
    """A PDF of words that occur once, and the page of each."""

    def __init__(self, seed):
        random = Random(seed)
        self._num_words = 0
        self.page_of = {}
        self.asides = set()
        rotation, angle = TURNS[seed % len(TURNS)]
        self._columns = random.choice(["one", "two", "rows"])
        self._has_header = random.random() < 0.5
        self._has_notes = random.random() < 0.5
        pages = [self._page(page, random) for page in range(random.randint(3, 7))]
        self.content = pdf(*pages, rotation=rotation, angle=angle)

    def _page(self, page, random):
        columns = [
            [self._line(page, random) for _ in range(LINES_PER_PAGE)]
            for _ in range(1 if self._columns == "one" else 2)
        ]
        placed = [
            lines(*column, left=50 + 260 * k, size=9)
            for k, column in enumerate(columns)
        ]
        if self._columns == "rows":
            content = [line for row in zip(*placed, strict=True) for line in row]
        else:
            content = [line for column in placed for line in column]
        if self._has_header:
            content.insert(0, (50, 780, 9, f"Journal of Ice {page + 11}"))
        if self._has_notes:
            note = self._line(page, random)
            self.asides.update(note.split())
            content.append((50, 40, 7, f"{page + 1} {note}"))
        return content

    def _line(self, page, random):
        words = [f"{random.choice('bcdf')}o{self._letters()}" for _ in range(5)]
        self.page_of.update(dict.fromkeys(words, page + 1))
        return " ".join(words)

    def _letters(self):
        self._num_words += 1
        return "".join("abcdefghij"[int(digit)] for digit in f"{self._num_words:05}")


@pytest.mark.parametrize("seed", range(20))
def test_every_word_has_its_page(seed, tmp_path):
    book = Book(seed)
    document, _ = read_with_pieces(book.content, tmp_path / "book.pdf")
    found = {}
    for block in document.blocks:
        offset = block.start
        for word in document.text[block.start : block.end].split(" "):
            found[word] = (document.place_at(offset).page, block.kind.value)
            offset += len(word) + 1
    missing = book.page_of.keys() - found.keys()
    assert not missing
    wrong = {w for w, page in book.page_of.items() if found[w][0] != page}
    assert not wrong
    assert {w for w in book.page_of if found[w][1] == "aside"} == book.asides


@pytest.mark.parametrize("seed", range(20))
def test_words_are_in_the_order_of_the_columns(seed, tmp_path):
    book = Book(seed)
    document, _ = read_with_pieces(book.content, tmp_path / "book.pdf")
    words = " ".join(
        document.text[b.start : b.end]
        for b in document.blocks
        if b.kind.value == "prose"
    ).split()
    assert words == [word for word in book.page_of if word not in book.asides]


@pytest.mark.parametrize("seed", range(20))
def test_every_character_is_found_again_on_its_page(seed, tmp_path):
    book = Book(seed)
    path = tmp_path / "book.pdf"
    document, pieces = read_with_pieces(book.content, path)
    lines_by_place = {
        (line.page, line.first): line.text
        for page in pages_of(book.content, path)
        for line in page
    }
    for piece in pieces:
        line = lines_by_place[piece.page, piece.first]
        assert document.text[piece.start : piece.end] == line
    covered = sum(piece.end - piece.start for piece in pieces)
    assert covered >= len("".join(document.text.split()))
