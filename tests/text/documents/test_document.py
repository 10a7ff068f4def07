"""Documents: a text, its name, its blocks."""

import dataclasses
import pickle

import pytest
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.text.documents.document import Block, BlockKind, Document


def test_a_document_of_a_text_alone_has_its_paragraphs():
    document = Document("One.\n\nTwo.")
    assert document == Document.from_text("One.\n\nTwo.")
    assert document.blocks == (
        Block(0, 4, BlockKind.PROSE),
        Block(6, 10, BlockKind.PROSE),
    )


def test_a_document_given_no_blocks_keeps_none():
    assert Document("Text.", blocks=()).blocks == ()


def test_an_empty_document_has_no_blocks():
    assert Document("").blocks == Document.from_markdown("").blocks == ()


def test_a_document_survives_pickling_and_copying():
    document = Document.from_markdown("# Title\n\nText.", name="a.md")
    assert pickle.loads(pickle.dumps(document)) == document
    assert dataclasses.replace(document, name="b.md").blocks == document.blocks


def test_blocks_are_separated_by_blank_lines():
    blocks = [
        (BlockKind.HEADING, " A "),
        (BlockKind.PROSE, "\n"),
        (BlockKind.CODE, "b"),
    ]
    document = Document.from_blocks(blocks, "x")
    assert (document.text, document.name) == ("A\n\nb", "x")
    assert [(b.start, b.end, b.kind) for b in document.blocks] == [
        (0, 1, BlockKind.HEADING),
        (3, 4, BlockKind.CODE),
    ]


@pytest.mark.parametrize("spans", [[(0, 9)], [(2, 2)], [(2, 3), (1, 2)], [(-1, 2)]])
def test_blocks_must_be_in_order_and_within_the_text(spans):
    blocks = tuple(Block(*span, BlockKind.PROSE) for span in spans)
    with refused(InputError, "blocks", "Block(start="):
        Document("Text.", blocks=blocks)


@pytest.mark.parametrize(
    ("text", "name", "facts"),
    [
        (b"bytes", "", ["text", "b'bytes'"]),
        (None, "", ["text", "None"]),
        ("", 3, ["name", "3"]),
    ],
)
def test_text_and_name_must_be_strings(text, name, facts):
    with refused(InputTypeError, *facts):
        Document(text, name)
