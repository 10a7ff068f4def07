import base64
import json
import os
import sys

import pytest
import sentencepiece
import tiktoken
from refusals import refused

from thatch.errors import FileFormatError, InputError, MissingExtraError
from thatch.text import tokens_by, tokens_by_name
from thatch.text.costs.tokenizers import tokens_by_file

RANKS = {bytes([k]): k for k in range(256)} | {b"th": 256}


def write_ranks(path, ranks=RANKS):
    lines = (f"{base64.b64encode(token).decode()} {k}\n" for token, k in ranks.items())
    path.write_text("".join(lines))
    return path


def write_hugging_face(path, *, max_length=None):
    path.write_text(
        json.dumps(
            {
                "version": "1.0",
                "truncation": max_length
                and {
                    "direction": "Right",
                    "max_length": max_length,
                    "strategy": "LongestFirst",
                    "stride": 0,
                },
                "padding": None,
                "added_tokens": [
                    {
                        "id": 3,
                        "content": "<end>",
                        "single_word": False,
                        "lstrip": False,
                        "rstrip": False,
                        "normalized": False,
                        "special": True,
                    }
                ],
                "normalizer": None,
                "pre_tokenizer": {"type": "Whitespace"},
                "post_processor": None,
                "decoder": None,
                "model": {
                    "type": "WordLevel",
                    "vocab": {"the": 0, "path": 1, "?": 2},
                    "unk_token": "?",
                },
            }
        )
    )
    return path


def test_a_vocabulary_of_tiktoken_is_split_as_its_name_says(tmp_path):
    unit = tokens_by_name(str(write_ranks(tmp_path / "cl100k_base.tiktoken")))
    assert unit.name == "tokens"
    assert unit.measure_each(["the path", "<|endoftext|>", ""]) == [6, 13, 0]


def test_a_vocabulary_of_tiktoken_is_recognized_by_its_number_of_tokens(tmp_path):
    ranks = RANKS | {b"%d" % k: k for k in range(10_000, 59_999)}
    assert len(ranks) == 50_256
    path = write_ranks(tmp_path / "9b5ad71b", ranks)
    assert tokens_by_name(str(path)).measure("12345 th") == 3


def test_a_vocabulary_that_no_encoding_has_is_refused(tmp_path):
    path = write_ranks(tmp_path / "own.tiktoken")
    with refused(FileFormatError, path, 257):
        tokens_by_name(str(path))


def test_a_bad_line_of_a_vocabulary_is_named(tmp_path):
    path = write_ranks(tmp_path / "cl100k_base.tiktoken")
    path.write_text(path.read_text() + "dGhl three\n")
    with refused(FileFormatError, path, "line 258", "three"):
        tokens_by_name(str(path))


def test_a_tokenizer_of_hugging_face_is_a_file_or_in_a_folder(tmp_path):
    path = write_hugging_face(tmp_path / "tokenizer.json", max_length=2)
    for place in (path, tmp_path):
        unit = tokens_by_name(str(place))
        assert unit.measure_each(["the path the path", "the"]) == [4, 1]


def test_special_tokens_of_a_file_are_text(tmp_path):
    path = write_hugging_face(tmp_path / "tokenizer.json")
    assert tokens_by_name(str(path)).measure("<end>") == 3


def test_a_model_of_sentencepiece_is_read(tmp_path):
    path = tmp_path / "m.model"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the path to the north"] * 20),
        model_prefix=str(path.with_suffix("")),
        vocab_size=30,
        minloglevel=2,
        hard_vocab_limit=False,
    )
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    unit, text = tokens_by_name(str(path)), "to the path <s>"
    assert unit.measure(text) == len(processor.encode(text))
    assert unit.measure_each([text]) == tokens_by(processor).measure_each([text])


def test_a_changed_file_is_read_again(tmp_path):
    path = write_hugging_face(tmp_path / "tokenizer.json")
    assert tokens_by_file(str(path)).measure("the path") == 2
    write_ranks(path.with_name("x")).rename(path)
    with refused(FileFormatError, path, 257):
        tokens_by_file(str(path))


@pytest.mark.parametrize("name", ["missing.json", "org/model", "./gpt-4o"])
def test_a_missing_file_is_named(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refused(InputError, "tokenizer", repr(name)):
        tokens_by_name(name)


def test_a_name_is_no_path_even_if_there_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    write_hugging_face(tmp_path / "gpt-4o")
    assert tokens_by_name("gpt-4o").name == "tokens (estimated)"
    assert tokens_by_name(f".{os.sep}gpt-4o").name == "tokens"


@pytest.mark.parametrize("content", [b"", b"hello", b"{}", b"{", b"\n\xff", b"\nhello"])
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "other.model"
    path.write_bytes(content)
    with refused(FileFormatError, path):
        tokens_by_name(str(path))


def test_a_folder_without_a_tokenizer_is_named(tmp_path):
    with refused(InputError, tmp_path, "tokenizer.json"):
        tokens_by_name(f"{tmp_path}/")


@pytest.mark.parametrize(
    ("package", "content"),
    [("tokenizers", b"{}"), ("sentencepiece", b"\n"), ("tiktoken", b"dGhl 0\n")],
)
def test_a_missing_package_is_named_with_the_command_that_adds_it(
    package, content, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, package, None)
    path = tmp_path / "tokenizer.model"
    path.write_bytes(content)
    with refused(MissingExtraError, package) as caught:
        tokens_by_name(str(path))
    assert caught.value.extra == "tokenizers"


def test_split_patterns_are_those_of_tiktoken(tmp_path, monkeypatch):
    """tiktoken's constructors load vocabularies, so they are given small ones."""
    from tiktoken_ext import openai_public

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *a, **k: RANKS)
    text = "It's 12345 CamelCase HTTPServer's\r\n\n  x = [1.5]; // naïve 道路 'S\t \n"
    for name in ("r50k_base", "p50k_base", "cl100k_base", "o200k_base"):
        made = openai_public.ENCODING_CONSTRUCTORS[name]()
        # All pairs of bytes that are in the text are tokens if they are not split.
        data = text.encode()
        pairs = dict.fromkeys(data[k : k + 2] for k in range(len(data) - 1))
        ranks = RANKS | {pair: 300 + k for k, pair in enumerate(pairs)}
        theirs = tiktoken.Encoding(
            name, pat_str=made["pat_str"], mergeable_ranks=ranks, special_tokens={}
        )
        path = write_ranks(tmp_path / f"{name}.tiktoken", ranks)
        assert tokens_by_name(str(path)).measure(text) == tokens_by(theirs).measure(
            text
        )
