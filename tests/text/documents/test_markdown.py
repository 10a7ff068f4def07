"""Markdown: what is a sentence's, and what is a mark's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from thatch.text.documents.markdown import markdown_blocks


def shown(text):
    return [(text[b.start : b.end], b.kind.value) for b in markdown_blocks(text)[0]]


TABLE = [("a", "prose"), ("| b | c |\n|---|:-:|\n| 1 | 2 |", "code"), ("d", "prose")]
CASES = [
    ("# Title", [("Title", "heading")]),
    ("## Title ##\ntext", [("Title", "heading"), ("text", "prose")]),
    ("####### seven", [("####### seven", "prose")]),
    ("#hashtag", [("#hashtag", "prose")]),
    ("# C#", [("C#", "heading")]),
    ("#\n# #", []),
    ("Title\n===\nand\nmore\n---", [("Title", "heading"), ("and\nmore", "heading")]),
    ("one\ntwo\n\nthree", [("one\ntwo", "prose"), ("three", "prose")]),
    ("- a\n* b\n+ c\n1. d\n2) e", [(c, "prose") for c in "abcde"]),
    ("- a\n  b\nc", [("a\n  b\nc", "prose")]),
    ("- a\n  - b\n\n    c", [("a", "prose"), ("b", "prose"), ("c", "prose")]),
    ("- [ ] to do\n- [x] done", [("to do", "prose"), ("done", "prose")]),
    ("In\n1986. Rain.", [("In\n1986. Rain.", "prose")]),
    ("- a\n---\nb", [("a", "prose"), ("b", "prose")]),
    ("> a\n> b", [("a\n> b", "prose")]),
    ("> a\n>\n> b\n> > c", [("a", "prose"), ("b", "prose"), ("c", "prose")]),
    ("> > - a\nb", [("a\nb", "prose")]),
    ("> # a\n> ```\n> b\n> ```", [("a", "heading"), ("```\n> b\n> ```", "code")]),
    ("> ```\n> a\nb", [("```\n> a", "code"), ("b", "prose")]),
    (
        "a\n\n    b\n\n    c\n\nd",
        [("a", "prose"), ("b\n\n    c", "code"), ("d", "prose")],
    ),
    ("a\n    b", [("a\n    b", "prose")]),
    ("- a\n\n      b", [("a", "prose"), ("b", "code")]),
    ("- a\n\n# b\n\n    c", [("a", "prose"), ("b", "heading"), ("c", "code")]),
    ("```py\n# a\n\n- b\n```\nc", [("```py\n# a\n\n- b\n```", "code"), ("c", "prose")]),
    ("~~~\n```\n~~~~\na", [("~~~\n```\n~~~~", "code"), ("a", "prose")]),
    ("```\nnever closed", [("```\nnever closed", "code")]),
    ("```a``` b", [("```a``` b", "prose")]),
    ("a\n| b | c |\n|---|:-:|\n| 1 | 2 |\n\nd", TABLE),
    ("a | b", [("a | b", "prose")]),
    ("---\ntitle: a\n---\nb", [("---\ntitle: a\n---", "code"), ("b", "prose")]),
    ("---\nno front matter\n\n---\nb", [("no front matter", "prose"), ("b", "prose")]),
    ("[a]: http://b\n[c]: <d> 'e'", []),
    ("[a]:\n  http://b\ntext", [("text", "prose")]),
    ("[a]:\n<b c>\n'title'\ntext", [("text", "prose")]),
    ("[a]: b\n  (title)\n\ntext", [("text", "prose")]),
    ("> [a]:\n> b\n> text", [("text", "prose")]),
    ("[a]: b\n\n'text'", [("'text'", "prose")]),
    ("[a]:\n\ntext", [("[a]:", "prose"), ("text", "prose")]),
    ("[Note]:\nSome text.", [("[Note]:\nSome text.", "prose")]),
    ("[^1]: A note.\n[^2]: Two.", [("A note.", "prose"), ("Two.", "prose")]),
    ("***\n- - -\n___", []),
    ("<!-- a -->", []),
    ("<!-- a\n\nb -->\nc", [("c", "prose")]),
    ("a <!-- b\nc --> d", [("a <!-- b\nc --> d", "prose")]),
    ("a `<!-- b -->` c", [("a `<!-- b -->` c", "prose")]),
    ("a <!-- b", [("a <!-- b", "prose")]),
    ('<div align="center">\na\n</div>', [("a", "prose")]),
    ("<pre>\na. b.\n</pre>\nc", [("<pre>\na. b.\n</pre>", "code"), ("c", "prose")]),
    (
        "> <p>\n> a<br>\n> b\n> <!-- c -->\n> d\n> </p>",
        [("a<br>\n> b", "prose"), ("d", "prose")],
    ),
    ("<table>\n<tr><td>a\n</table>", [("<table>\n<tr><td>a\n</table>", "code")]),
    ("<table>\n\na\n\n</table>", [("a", "prose")]),
    ("<!-- never closed\n\na", []),
    ('!!! note "Title"\n    a', [("a", "prose")]),
    ("::: tip\na\n:::", [("a", "prose")]),
    ("> [!NOTE]\n> a", [("a", "prose")]),
    ("<pre>a</pre>\nc", [("<pre>a</pre>", "code"), ("c", "prose")]),
    ("[![a](b)](c) ![d](e)\nf", [("f", "prose")]),
    ("a **b** [c](d)", [("a **b** [c](d)", "prose")]),
    ("# a\r\n\r\nb\r\nc\r\n", [("a", "heading"), ("b\r\nc", "prose")]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_markers_are_outside_of_blocks(text, expected):
    assert shown(text) == expected


# Each is a block or two in any Markdown; blank lines go between them.
PARAGRAPHS = st.sampled_from(
    [
        *("word", "two\nlines", "# title", "title\n=====", "## closed ##", "***"),
        *("- item", "- one\n- two", "* a\n  b", "1. x\n2. y", "- a\n  - b\n    - c"),
        *(
            "> quote",
            "> - item",
            "    code",
            "```\ncode\n\ncode\n```",
            "~~~ py\nx\n~~~",
        ),
        *("- a\n\n  b", "1. a\n\n   b\n\n2. c", "[a]: http://b", "- # title"),
        *("> ```\n> a\n> ```", "-   wide\n\n    in it", "10. ten\n\n    in it"),
    ]
)


def texts_by_parser(text):
    """Texts of paragraphs and headings as a full parser finds them."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [" ".join(t.content.split()) for t in tokens if t.type == "inline"]


@given(st.lists(PARAGRAPHS, max_size=8))
def test_prose_and_headings_are_those_of_a_full_parser(paragraphs):
    text = "\n\n".join(paragraphs)
    found = [" ".join(t.split()) for t, kind in shown(text) if kind != "code"]
    assert found == texts_by_parser(text)
