"""Plain text: paragraphs, list items and underlined headings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.documents.blocks import BlockKind, plain_blocks
from thatch.text.documents.markdown import markdown_blocks


def blocks_of_markdown(text):
    return markdown_blocks(text)[0]


FINDERS = [plain_blocks, blocks_of_markdown]
# What the finders look for, and what has broken others.
PIECES = [
    *"-*•#>|=~`_[]()!:.1\n\r\t\f\v\0 ",
    *("\r\n", "\n\n", "\u2028", "\u2029", "\x85", "\ud800", "漢字", "שלום", "word"),
    *("    ", "- ", "1. ", "```", "~~~", "<!--", "-->", "<p>", "---", "![a](b)"),
    *("|-|", "[a]: b", "[^1]: ", "<pre>", "</pre>"),
]
MARKED = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=40).map("".join)
WORDS = st.text(st.sampled_from("abc漢ש.,\0\ufeff \n\t\r\f\u2029"), max_size=60)


def shown(text, find=plain_blocks):
    return [text[block.start : block.end] for block in find(text)]


@pytest.mark.parametrize("find", FINDERS)
@given(text=MARKED)
def test_blocks_of_any_text_are_in_order_and_trimmed(find, text):
    end = 0
    for block in find(text):
        assert end <= block.start < block.end <= len(text)
        held = text[block.start : block.end]
        assert held == held.strip() != ""
        end = block.end


@pytest.mark.parametrize("find", FINDERS)
@given(text=WORDS)
def test_every_character_of_prose_is_in_a_block(find, text):
    held = {at for block in find(text) for at in range(block.start, block.end)}
    missed = [at for at, c in enumerate(text) if at not in held and not c.isspace()]
    assert not missed


@given(text=WORDS)
def test_paragraphs_end_at_blank_lines(text):
    for held in shown(text):
        assert all(line.strip() for line in held.splitlines())
        assert "\f" not in held
        assert "\u2029" not in held


@pytest.mark.parametrize("find", FINDERS)
@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\r\n\f", "\u2029\u3000"])
def test_white_space_has_no_blocks(find, text):
    assert find(text) == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_wrapped_paragraph_is_one_block(end):
    text = end.join(["One", "two.", "", " Three."])
    assert shown(text) == [f"One{end}two.", "Three."]


def test_long_lines_are_paragraphs_of_their_own():
    long_line = "word " * 50
    text = f"Headline\n{long_line}\nLast.\n\nWrapped\nlines."
    assert shown(text) == ["Headline", long_line.strip(), "Last.", "Wrapped\nlines."]


@pytest.mark.parametrize("bullet", ["- ", "* ", "• ", "•", "  -\t"])
def test_list_items_lose_their_bullets(bullet):
    text = f"Buy:\n{bullet}milk\n{bullet}eggs,\n  six of them\n\nThen rest."
    items = ["Buy:", "milk", "eggs,\n  six of them", "Then rest."]
    assert shown(text) == items


def test_a_dash_within_a_paragraph_is_not_a_bullet():
    assert shown("The house\n- a big one -\nstood.") == [
        "The house\n- a big one -\nstood."
    ]


@pytest.mark.parametrize("text", ["-5 degrees.", "--help", "*bold*", "-", "*"])
def test_a_mark_without_text_is_not_a_bullet(text):
    assert shown(text) == [text]


def test_an_underlined_line_is_a_heading():
    blocks = plain_blocks("Title\n=====\nText\nmore.\n-----\n* * *\n***")
    kinds = [block.kind for block in blocks]
    assert kinds == [BlockKind.HEADING, BlockKind.PROSE, BlockKind.PROSE]


@pytest.mark.parametrize("find", FINDERS)
def test_a_huge_line_is_one_block(find):
    text = "word " * 2_000_000
    assert [(b.start, b.end) for b in find(text)] == [(0, len(text) - 1)]


@pytest.mark.slow
@pytest.mark.parametrize("find", FINDERS)
def test_a_hundred_thousand_paragraphs_are_as_many_blocks(find):
    assert len(find("A line.\n\n" * 100_000)) == 100_000


@pytest.mark.slow
@pytest.mark.parametrize("find", FINDERS)
@pytest.mark.parametrize(
    "piece",
    [">", "- ", "<!--", "<!---->", "[", "![", "|-", "# ", "`<!--", " |", "> - ", "*"],
)
def test_a_megabyte_of_marks_is_read_in_one_go(find, piece):
    """Each of these would take hours if a rule looked at a line again and again."""
    for text in (piece * (10**6 // len(piece)), f"{piece * 10**5}x\n|-"):
        assert len(find(text)) <= 2
