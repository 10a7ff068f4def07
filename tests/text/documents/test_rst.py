"""reStructuredText: blocks and markup, compared with docutils."""

import docutils.frontend
import docutils.nodes
import docutils.parsers.rst
import docutils.utils
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.documents.readers import document_of

TEXT = r"""
=====
 Ice
=====

:Date: 2024-05-01
:Author: Ann

The *harbor* froze **on Monday**, as ``ice`` and `ice
reports <https://example.org>`_ say [1]_.
See :pep:`8`, `the town`_, Ships_ and "*" \*here\*::

    x = 1

    y = 2

Ships
-----

- one item
  over two lines
- another::

    code

  and its second paragraph

1. first
2. second

   (a) nested

term : classifier
    Its definition.

:param ice: The ice, which
    is cold.

| A line
| of verse

  A quotation.

.. comment
   over lines

.. _the town: https://example.org

.. |ice| replace:: frozen water

About |ice| there is more.

.. [1] A note about
   the ice.

>>> 1 + 1
2

+---+---+
| a | b |
+---+---+

===  ===
a    b
===  ===
1    2
===  ===

North
~~~~~

.. note:: It is cold.

   Very cold.

.. warning::
   :class: red

   Do not walk.

.. image:: ice.png
   :alt: Ice

.. figure:: ice.png

   The caption.

.. code-block:: python
   :name: listing

   print("ice")

------------

The end.
"""


def parts(text, *kinds):
    document = document_of(text.encode(), "a.rst")
    return [
        (" ".join(document.shown(b.start, b.end).text.split()), b.kind.value)
        for b in document.blocks
        if not kinds or b.kind.value in kinds
    ]


def of_docutils(text):
    """Paragraphs, titles and terms, in order, without those of tables."""
    settings = docutils.frontend.get_default_settings(docutils.parsers.rst.Parser)
    settings.report_level, settings.halt_level = 5, 6
    document = docutils.utils.new_document("a.rst", settings)
    docutils.parsers.rst.Parser().parse(text, document)
    nodes = docutils.nodes
    for note in list(document.findall(nodes.footnote_reference)):
        note.parent.remove(note)
    for found in list(document.findall(nodes.substitution_reference)):
        shown = document.substitution_defs[found.astext()].astext()
        found.replace_self(nodes.Text(shown))
    return [
        " ".join(node.astext().split())
        for node in document.findall()
        if isinstance(
            node,
            nodes.paragraph
            | nodes.title
            | nodes.term
            | nodes.line_block
            | nodes.caption,
        )
        and not isinstance(node.parent, nodes.entry)
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_are_those_of_docutils(end):
    found = parts(TEXT.replace("\n", end), "prose", "heading", "aside")
    texts = [
        text.removeprefix(":Date: ").removeprefix(":Author: ") for text, _ in found
    ]
    assert texts == of_docutils(TEXT)


def test_what_is_code_and_what_is_aside():
    assert [text for text, _ in parts(TEXT, "code")] == [
        "x = 1 y = 2",
        "code",
        ">>> 1 + 1 2",
        "+---+---+ | a | b | +---+---+",
        "=== === a b === === 1 2 === ===",
        ':name: listing print("ice")',
    ]
    assert [text for text, _ in parts(TEXT, "aside")] == [
        *(":Date: 2024-05-01", ":Author: Ann", "term"),
        *("A note about the ice.", "The caption."),
    ]


def test_markup_is_not_shown():
    first = parts(TEXT, "prose")[0][0]
    assert first == (
        "The harbor froze on Monday, as ice and ice reports say . See PEP 8, the town, "
        'Ships and "*" *here*:'
    )


def test_titles_have_levels_by_their_styles():
    document = document_of(TEXT.encode(), "a.rst")
    end = document.text.index("The end")
    assert document.headings_at(end) == ("Ice", "Ships", "North")
    assert document.date == "2024-05-01"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (":func:`~os.path.join` joins.", "join joins."),
        (":class:`!Ice` and :ref:`the ice <ice>`.", "Ice and the ice."),
        ("A `link`__ and word_ and snake_case.", "A link and word and snake_case."),
        (r"re\ *Structured*\ Text", "reStructuredText"),
        ("2 * 3 * 4 and **kwargs and a*b*c", "2 * 3 * 4 and **kwargs and a*b*c"),
        ("[CIT2002]_ says |version|.", "[CIT2002] says version."),
        ("`<https://example.org>`_", "https://example.org"),
        ("``a`b`` and ``*``", "a`b and *"),
    ],
)
def test_inline_markup(text, shown):
    assert parts(text) == [(shown, "prose")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".. versionadded:: 3.2 It is new.", [("It is new.", "prose")]),
        (
            ".. function:: f(x)\n   :module: m\n\n   It works.",
            [("f(x) :module: m", "code"), ("It works.", "prose")],
        ),
        (".. toctree::\n\n   a\n   b\n\nText.", [("Text.", "prose")]),
        ("..\n   no\n\nText.", [("Text.", "prose")]),
        ("..\n\n   Quoted.", [("Quoted.", "prose")]),
        (
            "PEP: 8\nTitle: Style\n\nText.",
            [("PEP: 8 Title: Style", "aside"), ("Text.", "prose")],
        ),
        ("1. Ice\n------\n\nText.", [("1. Ice", "heading"), ("Text.", "prose")]),
        ("::\n\n  x", [("x", "code")]),
    ],
)
def test_blocks_of_directives_and_comments(text, expected):
    assert parts(text) == expected


@given(st.text(alphabet=" \n\t.:*`_|[]-=+>\\~<a1", max_size=200))
def test_any_text_is_read(text):
    document = document_of(text.encode(), "a.rst")
    for block in document.blocks:
        assert document.text[block.start : block.end].strip()
