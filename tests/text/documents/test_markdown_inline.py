"""Markup within paragraphs of Markdown: what a browser would not show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from thatch import Document

CASES = [
    ("A **bold** and *light* word.", "A bold and light word."),
    ("snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"),
    ("***both*** and **_mixed_**", "both and mixed"),
    ("See [the docs](https://example.org 'title').", "See the docs."),
    ("See [the docs][1] and [it].\n\n[1]: a\n[IT]: b", "See the docs and it."),
    ("An array [0] and [x] stay.", "An array [0] and [x] stay."),
    ("[![badge](a.svg)](b) Text", " Text"),
    ("A ![picture](a.png) here.", "A  here."),
    ("Use `a * b * c` and ``x`y``.", "Use a * b * c and x`y."),
    (r"Not \*light\* and 1\. item", "Not *light* and 1. item"),
    ("R&amp;D &lt; 5 &copy; &nothing;", "R&D < 5 © &nothing;"),
    ("Press <kbd>Ctrl</kbd>+<kbd>C</kbd>.<br>Next", "Press Ctrl+C. Next"),
    (
        "See <https://example.org> or <a@example.org>.",
        "See https://example.org or a@example.org.",
    ),
    ("A claim[^1] here.\n\n[^1]: A note.", "A claim here."),
    ("~~old~~ ~too~ new, ~5 or ~6", "old too new, ~5 or ~6"),
    ("> one **two**\n> three", "one two\nthree"),
    ("> one `two\n> three`", "one two\nthree"),
    ("one <!-- two\nthree --> four", "one  four"),
    ("é **漢** \ud800 &eacute; *x*", "é 漢 \ud800 é x"),
    ("<p>\nR&amp;D <b>*a*</b>", "R&D *a*"),
    ("---\na: é\n---\n\n*é*", "---\na: é\n---"),
    ("a < b and b > c", "a < b and b > c"),
    ("[a [nested](b) link](c)", "[a nested link](c)"),
    ("**never closed", "**never closed"),
    ("`never closed", "`never closed"),
]


def shown(text):
    document = Document.from_markdown(text)
    block = document.blocks[0]
    return document.shown(block.start, block.end).text


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_markup_is_not_shown(text, expected):
    assert shown(text) == expected


PIECES = st.sampled_from(
    [
        *("a", "b c", " ", " ", "*", "**", "_", "`", "``", "[", "]", "](u)", "!["),
        *("\\", "&amp;", "<b>", "</b>", ".", "(", ")", "é", "漢", "]["),
    ]
)


def text_by_parser(text):
    """The text of a paragraph as a full parser shows it."""
    (inline,) = [t for t in MarkdownIt("commonmark").parse(text) if t.type == "inline"]
    return "".join(
        ""
        if t.type in ("image", "html_inline")
        else "\n"
        if "break" in t.type
        else t.content
        for t in inline.children
    )


@given(st.lists(PIECES, max_size=14).map(lambda pieces: "x " + "".join(pieces) + " y"))
def test_shown_text_is_that_of_a_full_parser(text):
    assert "".join(shown(text).split()) == "".join(text_by_parser(text).split())


@given(st.lists(PIECES, max_size=14).map(lambda pieces: "x " + "".join(pieces) + " y"))
def test_every_part_of_what_is_shown_has_its_place_in_the_source(text):
    document = Document.from_markdown(text)
    for block in document.blocks:
        whole = document.shown(block.start, block.end)
        for k, character in enumerate(whole.text):
            start, end = whole.source_span(k, k + 1)
            assert document.shown(start, end).text == character
