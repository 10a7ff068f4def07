import hashlib
import sys

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.text.costs.tokenizers import tokens_by_name
from thatch.text.costs.units import CHARACTERS, SENTENCES, TOKENS, WORDS, tokens_by

# Bytes, and one pair of them: enough to be an encoding.
BYTES = tiktoken.Encoding(
    "bytes",
    pat_str=r"\s?\w+|\s+|[^\s\w]+",
    mergeable_ranks={bytes([k]): k for k in range(256)} | {b"th": 256},
    special_tokens={"<|end|>": 257},
)


def test_units_measure_what_they_are_called():
    text = "It rains. We stay."
    assert WORDS.measure(text) == 4
    assert CHARACTERS.measure(text) == 18
    assert SENTENCES.measure(text) == 2


@pytest.mark.parametrize(
    "tokenizer", [BYTES, BYTES.encode, lambda text: len(BYTES.encode(text))]
)
def test_a_tokenizer_is_an_object_a_function_or_a_count(tokenizer):
    assert tokens_by(tokenizer).measure("the path") == 6


def test_what_looks_like_a_special_token_is_text():
    assert tokens_by(BYTES).measure("<|end|>") == len("<|end|>")


@pytest.mark.parametrize("count", [float("nan"), float("inf"), -1])
def test_an_invalid_number_of_tokens_is_named(count):
    with refused(InputError, "tokens", count, "'the path'"):
        tokens_by(lambda text: count).measure("the path")


@pytest.mark.parametrize("tokens", [None, (token for token in "ab")])
def test_tokens_must_be_a_list_or_a_number(tokens):
    with pytest.raises(InputTypeError, match=r"tokens .*(None|generator)"):
        tokens_by(lambda text: tokens).measure("the path")


def test_a_tokenizer_must_be_callable():
    with refused(InputTypeError, "tokenizer", "'cl100k_base'"):
        tokens_by("cl100k_base")


@given(st.lists(st.text(max_size=8), max_size=8))
@pytest.mark.parametrize("unit", [WORDS, CHARACTERS, TOKENS, tokens_by(BYTES)])
def test_texts_are_measured_together_as_one_by_one(unit, texts):
    assert unit.measure_each(texts) == [unit.measure(text) for text in texts]


def test_equal_texts_are_measured_once():
    measured = []
    unit = tokens_by(lambda text: measured.append(text) or text.split())
    assert unit.measure_each(iter(["a b", "c", "a b"])) == [2, 1, 2]
    assert measured == ["a b", "c"]


def test_an_estimate_exists_for_any_text():
    assert TOKENS.measure_each(["", "a\ud800"]) == [0, TOKENS.measure("a\ud800")]


def test_a_vocabulary_that_is_not_on_disk_is_not_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    unit = tokens_by_name("gpt-4o")
    assert unit.name == "tokens (estimated)"
    assert "o200k_base" in unit.note
    assert not list(tmp_path.iterdir())


def test_without_tiktoken_tokens_are_estimated(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    unit = tokens_by_name("gpt-4o")
    assert unit.measure("Four words are here.") == TOKENS.measure(
        "Four words are here."
    )
    assert unit.note == "tokens are estimated: tiktoken is not installed"


def test_an_encoding_on_disk_is_used(monkeypatch, tmp_path):
    """tiktoken checks what it reads; a file that it refuses shows that it was asked."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    address = "https://openaipublic.blob.core.windows.net/encodings/p50k_base.tiktoken"
    (tmp_path / hashlib.sha1(address.encode()).hexdigest()).write_bytes(b"")
    loaded = []
    monkeypatch.setattr(tiktoken, "get_encoding", lambda n: loaded.append(n) or BYTES)
    assert tokens_by_name("p50k_edit").name == "tokens"
    assert loaded == ["p50k_edit"]


def test_an_unknown_tokenizer_is_named():
    with refused(InputError, "tokenizer", "'clever'"):
        tokens_by_name("clever")
