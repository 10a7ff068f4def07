"""Records of a job that were damaged are as good as missing."""

import json
from dataclasses import asdict

import pytest

from thatch.corpus.parts import Receipt
from thatch.files.json_lines import record_in

RECEIPT = Receipt("job", 1, 2, 3, "0" * 64)
FACTS = asdict(RECEIPT)


def test_a_record_is_read_back():
    assert record_in(json.dumps(FACTS).encode(), Receipt) == RECEIPT


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b'{"job": ',
        b"\xff",
        b"[" * 10**6,
        b"7",
        json.dumps({"job": "job"}).encode(),
        json.dumps({**FACTS, "other": 1}).encode(),
    ],
    ids=["missing", "empty", "cut", "bytes", "deep", "number", "less", "more"],
)
def test_a_damaged_record_is_none(content):
    assert record_in(content, Receipt) is None
