from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from refusals import refused

from thatch import InputError
from thatch.context.selection.chunks import fields_of, groups_of, required_of, texts_of
from thatch.errors import InputTypeError


@dataclass
class Note:
    body: str
    metadata: dict


class Node:
    def get_content(self):
        return "Snow fell."


@pytest.mark.parametrize(
    "chunk",
    [
        "Snow fell.",
        {"text": "Snow fell."},
        {"content": "Snow fell.", "id": 7},
        SimpleNamespace(page_content="Snow fell.", metadata={}),
        Note("Snow fell.", {}),
        Node(),
    ],
)
def test_texts_are_found_where_people_keep_them(chunk):
    assert texts_of([chunk]) == ["Snow fell."]


def test_a_field_or_a_function_names_the_text():
    assert texts_of([{"note": "Snow."}], "note") == ["Snow."]
    assert texts_of([("Snow.", 3)], lambda chunk: chunk[0]) == ["Snow."]


@pytest.mark.parametrize("chunk", [7, None, {"title": "Snow"}, {"text": 3}, object()])
def test_a_chunk_without_a_text_is_refused(chunk):
    with refused(InputTypeError, "chunks[1]"):
        texts_of(["Snow.", chunk])


def test_fields_of_chunks_come_before_those_of_their_metadata():
    chunk = {"text": "Hi.", "page": 1, "metadata": {"page": 2, "line": 3}}
    assert fields_of([chunk], ["page"]) == ("page", [1])
    assert fields_of([chunk], ["column", "line"]) == ("line", [3])
    assert fields_of([Note("Hi.", {"page": 4})], ["page"]) == ("page", [4])


def test_methods_are_no_fields():
    assert fields_of([(1, 2)], ["index", "count"]) == ("", [])


def test_groups_are_named_by_a_field_a_function_or_a_list():
    chunks = [{"text": "Hi.", "source": "a"}, {"text": "Ho.", "source": "b"}]
    assert groups_of(chunks, "source") == ["a", "b"]
    assert groups_of(chunks, lambda chunk: chunk["text"][:1]) == ["H", "H"]
    assert groups_of(chunks, [1, 2]) == ["1", "2"]
    assert groups_of(chunks, None) is None


def test_groups_that_no_chunk_has_are_refused():
    with refused(InputError, "'shelf'"):
        groups_of(["Hi."], "shelf")
    with refused(InputError, 2, 1):
        groups_of(["Hi."], ["a", "b"])


def test_what_must_be_included_is_sorted():
    assert required_of("abc", [2, 0, 2]).tolist() == [0, 2]
    assert required_of("abc", lambda chunk: chunk > "a").tolist() == [1, 2]
    assert required_of("abc", None).tolist() == []


@pytest.mark.parametrize("index", [3, -1, True, 0.5, "0"])
def test_indices_of_no_chunk_are_refused(index):
    with refused(InputError, repr(index)):
        required_of("abc", [index])


@pytest.mark.parametrize("required", ["0", b"0", 7])
def test_what_must_be_included_is_a_list(required):
    with refused(InputTypeError, repr(required)):
        required_of("abc", required)
