import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch import InputError
from thatch.context.selection.rendering import ContextFormat, Rendering, as_xml

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


# Control characters, halves of surrogate pairs, and characters that are none.
any_text = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cc", "Cs"]),
        st.sampled_from("\ufffe\uffff<>&]\"'"),
    ),
    max_size=20,
)
any_chunks = st.lists(st.tuples(any_text, any_text), min_size=1, max_size=5)


@given(any_chunks)
def test_xml_of_any_text_is_valid(given_chunks):
    printed = Rendering(ContextFormat.XML).joined(given_chunks)
    root = ElementTree.fromstring(printed.encode())
    assert len(root) == len(given_chunks)
    for element, (source, text) in zip(root, given_chunks, strict=True):
        assert len(element.get("source", "")) == len(source)
        # Readers of XML make one line break of two characters.
        assert len(element.text) == len(f"\n{text}\n".replace("\r\n", "\n"))


@given(any_chunks)
def test_json_of_any_text_can_be_encoded(given_chunks):
    printed = Rendering(ContextFormat.JSON).joined(given_chunks)
    found = json.loads(printed.encode())
    lengths = [(len(each.get("source", "")), len(each["text"])) for each in found]
    assert lengths == [(len(source), len(text)) for source, text in given_chunks]


def test_what_xml_cannot_contain_is_replaced():
    assert as_xml("a\x00b\ud800") == "a\ufffdb\ufffd"


@pytest.mark.parametrize("format", [ContextFormat.XML, ContextFormat.JSON])
def test_half_a_surrogate_pair_is_replaced(format):
    printed = Rendering(format).joined([("a\udcff.md", "Snow \ud800 fell.")])
    assert "a\ufffd.md" in printed
    assert "Snow \ufffd fell." in printed
    assert printed.encode().decode() == printed


@pytest.mark.parametrize("format", ContextFormat)
def test_a_format_can_be_named(format):
    assert Rendering(format.value) == Rendering(format)
    chunks = [("a.md", "Snow fell.")]
    assert Rendering(format.value).joined(chunks) == Rendering(format).joined(chunks)


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="'yaml'"):
        Rendering("yaml")
