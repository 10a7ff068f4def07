import pytest

from thatch.context.repository.sections import headings, sections
from thatch.text.documents.document import BlockKind, Document

MARKDOWN = """\
---
title: x
---
Roofs
=====

Text.

## Reed ##

~~~
# no heading
~~~

| a |
|---|

Straw
-----
- item
---
"""
RST = """\
=====
Roofs
=====

Text.

Reed
----

Water
~~~~~

=====  =====
a      b
=====  =====

Straw
-----
"""
ADOC = "= Roofs\n\n----\n== no heading\n----\n\n== Reed ==\n"
LATEX = "\\documentclass{article}\n\\section*{Roofs}\nText.\n  \\subsection{Reed}\n"


@pytest.mark.parametrize(
    ("text", "suffix", "expected"),
    [
        (MARKDOWN, ".md", [(3, 1, "Roofs"), (8, 2, "Reed"), (17, 2, "Straw")]),
        (
            RST,
            ".rst",
            [(0, 1, "Roofs"), (6, 2, "Reed"), (9, 3, "Water"), (16, 2, "Straw")],
        ),
        (ADOC, ".adoc", [(0, 1, "Roofs"), (6, 2, "Reed")]),
        (LATEX, ".tex", [(1, 3, "Roofs"), (3, 4, "Reed")]),
        ("Roofs\n=====\nText.\n", ".txt", [(0, 1, "Roofs")]),
        ("", ".md", []),
    ],
    ids=["markdown", "rst", "asciidoc", "latex", "plain", "empty"],
)
def test_headings_are_found(text, suffix, expected):
    found = headings(text.split("\n"), suffix)
    assert [heading for heading in found if heading[2] != "- item"] == expected


def test_headings_of_markdown_are_those_of_the_reader():
    text = "# A\n\nText.\n\n## B `c`\n\nB\n---\n\n    # code\n\n> # quoted\n\n# D #\n"
    document = Document.from_markdown(text)
    expected = [
        (text.count("\n", 0, block.start), block.level)
        for block in document.blocks
        if block.kind is BlockKind.HEADING and "quoted" not in text[block.start :][:9]
    ]
    found = headings(text.split("\n"), ".md")
    assert [heading[:2] for heading in found] == expected


def test_a_section_starts_at_the_first_line():
    assert sections([]) == [(0, ())]
    assert sections([(0, 1, "A")]) == [(0, ("A",))]


def test_a_section_ends_those_of_its_level_and_below():
    found = sections([(0, 1, "A"), (2, 3, "B"), (4, 2, "C"), (6, 1, "D")])
    assert [path for _, path in found] == [("A",), ("A", "B"), ("A", "C"), ("D",)]
