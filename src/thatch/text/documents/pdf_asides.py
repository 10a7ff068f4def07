"""Asides in a PDF: captions, footnotes, references and formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thatch.text.documents.pdf_lines import Line

# Maximum size of footnotes, relative to that of the text, with and without a mark.
_MARKED_SIZE, _UNMARKED_SIZE = 0.93, 0.85
# Minimum share of letters that belong to words, in prose.
_WORD_SHARE, _WORD_SHARE_OF_EQUATION = 0.35, 0.6

_FIGURES = (
    "figure|fig|table|tab|scheme|chart|plate|algorithm|listing|exhibit|box|"
    "abbildung|abb|tabelle|figur|tableau|encadré|figura|tabla|gráfico|tabela|quadro|"
    "tabella|afbeelding|tabell|tabel|rysunek|rys|tabulka|obrázek|kuva|taulukko|"
    "рисунок|рис|таблица|табл"
)
_NUMBERED = (
    rf"(?:(?:suppl(?:ementary|\.)\s+)?(?:{_FIGURES})\.?\s*[A-Z]?\d+(?:\.\d+)*[a-z]?"
    r"|[图圖図表]\s*\d+(?:[.\-]\d+)*)"
)
_CAPTION = re.compile(
    rf"{_NUMBERED}\s*(?:[.:|)\u2013\u2014]|\s{{2,}}|\Z)", re.IGNORECASE
)
_SMALL_CAPTION = re.compile(rf"(?i:{_NUMBERED})\s+[^\W\d_a-z]")
_REFERENCES = re.compile(
    r"(?:(?:\d+|[ivx]+)\.?\s+)?(?:references(?: cited| and notes)?|bibliography|"
    r"literature(?: cited)?|works cited|literatur(?:verzeichnis|angaben)?|"
    r"quellen(?:verzeichnis)?|références(?: bibliographiques)?|bibliographie|"
    r"referencias(?: bibliográficas)?|bibliografía|referências(?: bibliográficas)?|"
    r"bibliografia|riferimenti(?: bibliografici)?|literatuur|referenser|referanser|"
    r"referencer|literatura|kirjallisuus|lähteet|kaynakça|kaynaklar|"
    r"(?:список )?литератур[аы]|источники|参考文献|參考文獻|참고문헌)\s*:?",
    re.IGNORECASE,
)
_FOOTNOTE_MARK = re.compile(r"(?:\(?\d{1,3}[.)]?|[*†‡§¶#\u2217⋆]{1,3}|[a-z]\))\s*\S")
_WORD = re.compile(r"[^\W\d_]{3,}")
# Two letters, or one of a script whose letters are words.
_LETTERS = re.compile(r"[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Digits, arrows and mathematical operators.
_SIGN = re.compile(r"[\d=<>+*/^|±·÷\xd7\u2190-\u22ff]")
_EQUATION_NUMBER = re.compile(r"\((?:[A-Z]?\d+(?:\.\d+)*[a-z]?)\)\s*\Z")


def is_caption(text: str, *, is_small: bool = False) -> bool:
    """Return whether a paragraph starts like the caption of a figure or a table.

    In a small font, a capital letter may follow the number.

    >>> is_caption("Table 2. Prices"), is_caption("Table 2 shows the prices.")
    (True, False)
    """
    pattern = _SMALL_CAPTION if is_small else _CAPTION
    return (_CAPTION.match(text) or pattern.match(text)) is not None


def is_references(text: str) -> bool:
    """Return whether a line is the title of a list of references.

    >>> is_references("7. References"), is_references("References are rare.")
    (True, False)
    """
    return not text[:1].islower() and _REFERENCES.fullmatch(text) is not None


def is_formula(text: str) -> bool:
    """Return whether a paragraph consists of symbols and numbers, not of words.

    >>> is_formula("E = mc² (3)"), is_formula("It is 3 o'clock.")
    (True, False)
    """
    num_shown = sum(not character.isspace() for character in text)
    num_in_words = sum(map(len, _WORD.findall(text)))
    if not num_in_words and not has_word(text):
        return True  # such as braces and single letters
    if not _SIGN.search(text):
        return False
    is_numbered = "=" in text and _EQUATION_NUMBER.search(text)
    least = _WORD_SHARE_OF_EQUATION if is_numbered else _WORD_SHARE
    return num_in_words < least * num_shown


def has_word(text: str) -> bool:
    """Return whether a text contains two letters in a row, or a sign for a word.

    >>> has_word("Oh"), has_word("R = P"), has_word("雪")
    (True, False, True)
    """
    return _LETTERS.search(text) is not None


def footnotes(lines: Sequence[Line], body_size: float) -> frozenset[int]:
    """Return which lines of a page are footnotes: small ones at the end of a column."""
    found: set[int] = set()
    k = 0
    while k < len(lines):
        first = k
        while k < len(lines) and lines[k].font_size <= body_size * _MARKED_SIZE:
            k += 1
        if _are_footnotes(lines, first, k, body_size):
            found.update(range(first, k))
        k = max(k, first + 1)
    return frozenset(found)


def _are_footnotes(
    lines: Sequence[Line], first: int, end: int, body_size: float
) -> bool:
    """Whether the lines from the first to the end, which are small, are footnotes."""
    if first == end or first == 0:
        return False
    is_last = end == len(lines) or lines[end].baseline > lines[end - 1].baseline
    is_below = lines[first].baseline < lines[first - 1].baseline
    is_small = lines[first].font_size <= body_size * _UNMARKED_SIZE
    is_marked = _FOOTNOTE_MARK.match(lines[first].text) is not None
    return is_last and is_below and (is_small or is_marked)
