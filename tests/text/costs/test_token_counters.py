import io

import pytest
import sentencepiece
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, processors

from thatch.text.costs.units import tokens_by

TEXTS = ["the path", "", "<s> the </s>", "ein Weg\n\n  zurück", "道", "a\ud800b"]


def tiktoken_encoding():
    """Bytes, and one pair of them."""
    ranks = {bytes([k]): k for k in range(256)} | {b"th": 256}
    return tiktoken.Encoding(
        "bytes",
        pat_str=r"\s?\w+|\s+|[^\s\w]+",
        mergeable_ranks=ranks,
        special_tokens={"<s>": 257},
    )


def hugging_face_tokenizer():
    """Bytes, with a token added at the start of every text."""
    pieces = {piece: k for k, piece in enumerate(pre_tokenizers.ByteLevel.alphabet())}
    pieces["th"] = len(pieces)
    tokenizer = tokenizers.Tokenizer(models.BPE(pieces, [("t", "h")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(["<s>"])
    start = ("<s>", tokenizer.token_to_id("<s>"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[start]
    )
    return tokenizer


def sentencepiece_model():
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the path to the north", "ein Weg zurück"] * 20),
        model_writer=model,
        vocab_size=280,
        hard_vocab_limit=False,
        byte_fallback=True,
        minloglevel=2,
    )
    return model.getvalue()


HUGGING_FACE = hugging_face_tokenizer()
MODEL = sentencepiece_model()


@pytest.fixture(
    params=[
        tiktoken_encoding(),
        HUGGING_FACE,
        sentencepiece.SentencePieceProcessor(model_proto=MODEL, add_bos=True),
    ],
    ids=["tiktoken", "tokenizers", "sentencepiece"],
)
def tokenizer(request):
    return request.param


def test_many_texts_are_counted_as_one_by_one(tokenizer):
    unit = tokens_by(tokenizer)
    many = [f"{text} {k} the path" for k in range(20) for text in TEXTS]
    assert unit.measure_each(many) == [unit.measure(text) for text in many]


@given(st.lists(st.text(), max_size=4))
def test_any_texts_are_counted_as_one_by_one(texts):
    unit = tokens_by(HUGGING_FACE)
    assert unit.measure_each(texts) == [unit.measure(text) for text in texts]


def test_tokens_at_the_start_are_not_counted(tokenizer):
    assert tokens_by(tokenizer).measure("") == 0


def test_truncation_and_padding_are_ignored_but_kept():
    tokenizer = hugging_face_tokenizer()
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=50)
    unit = tokens_by(tokenizer)
    assert unit.measure_each(["the path", "a"]) == [6, 1]
    assert tokenizer.truncation["max_length"] == 3
    assert tokenizer.padding["length"] == 50


def test_a_tokenizer_of_transformers_is_counted_without_its_special_tokens():
    """Slow ones have only `encode`; fast ones contain a tokenizer of tokenizers."""

    class Slow:
        def encode(self, text, text_pair=None, add_special_tokens=True):
            return ["<s>"] * add_special_tokens + text.split()

    class Fast(Slow):
        backend_tokenizer = HUGGING_FACE

    assert tokens_by(Slow()).measure_each(["the path", ""]) == [2, 0]
    assert tokens_by(Fast()).measure_each(["the path", ""]) == [6, 0]
