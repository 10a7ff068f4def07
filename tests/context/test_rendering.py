import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.context.rendering import ContextFormat, Rendering

# XML has no other characters.
texts = st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF), max_size=20)
chunks = st.lists(st.tuples(texts, texts), min_size=1, max_size=5)


@given(chunks)
def test_xml_is_read_as_it_was_written(given_chunks):
    root = ElementTree.fromstring(Rendering(ContextFormat.XML).joined(given_chunks))
    assert [(e.get("source", ""), e.text[1:-1]) for e in root] == given_chunks


@given(chunks)
def test_json_is_read_as_it_was_written(given_chunks):
    found = json.loads(Rendering(ContextFormat.JSON).joined(given_chunks))
    assert [(each.get("source", ""), each["text"]) for each in found] == given_chunks


def test_chunks_of_one_source_have_one_header():
    rendering = Rendering(ContextFormat.TEXT, "<{source}>\n", "\n--\n")
    chunks = [("a", "1"), ("a", "2"), ("", "3"), ("a", "4")]
    assert rendering.joined(chunks) == "<a>\n1\n--\n2\n--\n3\n--\n<a>\n4"


def test_text_without_a_header_is_plain():
    assert Rendering().joined([("a", "1"), ("b", "2")]) == "1\n\n2"


@pytest.mark.parametrize("format", ContextFormat)
def test_nothing_is_printed_as_nothing(format):
    assert Rendering(format).joined([]) == ""
