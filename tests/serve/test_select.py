"""Selection of chunks by requests, which equals that of the library."""

import json

import pytest
from pydantic import ValidationError

import thatch
from thatch import InputError
from thatch.serve.handlers import answer_to
from thatch.serve.limits import Limits
from thatch.serve.requests import SelectRequest, SummarizeRequest

CHUNKS = [
    {"text": "The import failed: the disk was full.", "source": "log.md"},
    {"text": "The page is slow.", "source": "log.md"},
    {"text": "The import failed, as the disk was full.", "source": "notes.md"},
    {"text": "Backups of the disk run at night.", "source": "notes.md"},
]
QUERY = "Why did the import fail?"


def answer(limits=None, **fields):
    body = SelectRequest(**fields).model_dump_json().encode()
    return json.loads(answer_to("select", body, limits or Limits()))


@pytest.mark.parametrize("format", ["text", "markdown", "xml", "json"])
@pytest.mark.parametrize("order", ["source", "relevance", "edges"])
def test_the_answer_is_that_of_the_library(format, order):
    options = {"query": QUERY, "format": format, "order": order}
    expected = thatch.select(CHUNKS, 40, **options)
    found = answer(chunks=CHUNKS, budget=40, **options)
    assert found["text"] == expected.text
    assert found["tokens"] == expected.tokens <= found["budget"] == 40
    assert [each["index"] for each in found["chunks"]] == expected.indices
    assert found["value"] == pytest.approx(expected.value)
    assert found["value"] <= found["upper_bound"]


def test_every_chunk_is_selected_or_dropped():
    found = answer(chunks=CHUNKS, query=QUERY, budget=14)
    indices = [each["index"] for each in [*found["chunks"], *found["dropped"]]]
    assert sorted(indices) == list(range(len(CHUNKS)))
    assert {"index", "text", "tokens", "relevance", "gain", "source"} == set(
        found["chunks"][0]
    )
    assert all(each["reason"] for each in found["dropped"])


def test_scores_replace_the_query():
    chunks = [{"text": "Snow fell.", "score": 0.1}, {"text": "We left.", "score": 9}]
    assert answer(chunks=chunks, budget=4)["text"] == "We left."


def test_a_chunk_can_be_required():
    found = answer(chunks=CHUNKS, query=QUERY, budget=20, must_include=[1])
    assert 1 in [each["index"] for each in found["chunks"]]
    with pytest.raises(InputError, match="must_include contains 4"):
        answer(chunks=CHUNKS, must_include=[4])
    with pytest.raises(ValidationError, match="must_include"):
        SelectRequest(chunks=CHUNKS, must_include=[-1])


@pytest.mark.parametrize("request_type", [SelectRequest, SummarizeRequest])
def test_the_schema_offers_no_tokenizer_file(request_type):
    described = request_type.model_json_schema()["properties"]["tokenizer"]
    assert "tiktoken" in described["description"]
    assert "file" not in described["description"]


def test_groups_have_a_limit():
    found = answer(chunks=CHUNKS, budget=100, group="source", per_group=1)
    sources = [each["source"] for each in found["chunks"]]
    assert len(sources) == len(set(sources))


def test_a_group_that_no_chunk_has_is_named_with_what_a_request_can_contain():
    with pytest.raises(InputError, match="'speaker'") as caught:
        answer(chunks=CHUNKS, group="speaker")
    assert "function" not in caught.value.hint
    assert answer(chunks=[], group="speaker")["chunks"] == []


def test_texts_alone_are_chunks():
    assert answer(chunks=["Snow fell.", "It rained."], query="snow", budget=5)["text"]


@pytest.mark.parametrize("format", ["text", "markdown", "xml", "json"])
@pytest.mark.parametrize("chunks", [[], [""], CHUNKS])
def test_a_budget_of_zero_selects_nothing(chunks, format):
    assert answer(chunks=chunks, budget=0, format=format)["chunks"] == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"unit": "pages"}, "pages"),
        ({"order": "random"}, "random"),
        ({"format": "yaml"}, "yaml"),
        ({"group": "color"}, "color"),
        ({"per_group": 2}, "per_group"),
        ({"query": "?"}, "query"),
        ({"tokenizer": "./here"}, "tokenizer"),
        ({"language": "klingon"}, "klingon"),
    ],
)
def test_an_invalid_option_is_named(fields, words):
    with pytest.raises(InputError, match=words):
        answer(chunks=CHUNKS, **fields)


@pytest.mark.parametrize(
    "fields", [{"chunks": 3}, {"chunks": [{}]}, {"chunks": ["a"], "budgets": 3}, {}]
)
def test_an_invalid_request_is_refused(fields):
    with pytest.raises(ValidationError):
        SelectRequest(**fields)


def test_too_many_chunks_are_refused():
    with pytest.raises(InputError, match="at most 3"):
        answer(Limits(max_chunks=3), chunks=CHUNKS)
