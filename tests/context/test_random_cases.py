"""Random pools, units, formats and limits: what every answer must satisfy."""

from collections import Counter

import tiktoken
from hypothesis import given
from hypothesis import strategies as st

import thatch
from thatch import InputError
from thatch.text import tokens_by

# Merges across what separates chunks, so that sizes do not add up.
RANKS = {bytes([k]): k for k in range(256)} | {
    piece: 256 + k
    for k, piece in enumerate([b"\n\n", b".\n", b".\n\n", b"as", b"ash", b" a", b"##"])
}
ENCODING = tiktoken.Encoding(
    "tests", pat_str=r"\s+|\S+", mergeable_ranks=RANKS, special_tokens={}
)
UNITS = {
    "words": lambda text: len(text.split()),
    "characters": len,
    tokens_by(ENCODING): lambda text: len(ENCODING.encode_ordinary(text)),
    # A tokenizer that adds a token at both ends.
    tokens_by(lambda text: len(text.split()) + 2): lambda t: len(t.split()) + 2,
}
words = st.sampled_from(
    ["ash", "elm", "fir", "oak", "yew", "sloe:", "a < b", "é", "##"]
)
texts = st.lists(words, max_size=12).map(" ".join)
chunks = st.fixed_dictionaries(
    {"text": texts, "source": st.sampled_from(["", "a.md", "b.md"])},
    optional={"position": st.integers(0, 9), "speaker": st.sampled_from(["Ann", "Bo"])},
)


def plain(options):
    """The options for a single chunk."""
    names = ("unit", "separator", "header", "format")
    return {"must_include": [0], **{name: options[name] for name in names}}


@given(data=st.data(), pool=st.lists(chunks, max_size=12))
def test_the_printed_text_never_exceeds_the_budget(data, pool):
    unit = data.draw(st.sampled_from(list(UNITS)))
    budget = data.draw(st.integers(0, 60))
    per_group = data.draw(st.none() | st.integers(1, 3)) if pool else None
    required = (
        data.draw(st.sets(st.integers(0, len(pool) - 1), max_size=2)) if pool else ()
    )
    options = dict(
        unit=unit,
        separator=data.draw(st.sampled_from(["\n\n", " ", "", "\n---\n", "."])),
        header=data.draw(
            st.none() | st.sampled_from(["", "{source}:\n", "## {source} "])
        ),
        order=data.draw(st.sampled_from(["source", "relevance", "edges"])),
        format=data.draw(st.sampled_from(["text", "markdown", "xml", "json"])),
        window=data.draw(st.integers(0, 2)),
        group=None if per_group is None else "source",
        per_group=per_group,
        must_include=required,
    )
    if data.draw(st.booleans()):
        options["scores"] = [data.draw(st.floats(-1, 1)) for _ in pool]
    else:
        options["query"] = data.draw(st.sampled_from(["ash", "elm fir", "nothing"]))
    try:
        context = thatch.select(pool, budget, **options)
    except InputError:
        groups = Counter(pool[k]["source"] for k in required)
        is_above_limit = per_group and max(groups.values()) > per_group
        alone = [thatch.select([pool[k]], 10_000, **plain(options)) for k in required]
        size = sum(UNITS[unit](each.text) for each in alone)
        assert is_above_limit or size + 20 > budget
        return
    size = UNITS[unit](context.text)
    assert size <= budget or not context.chunks
    assert context.tokens == size
    assert set(required) <= set(context.indices)
    indices = [*context.indices, *(each.index for each in context.dropped)]
    assert sorted(indices) == list(range(len(pool)))
    if per_group is not None and not options["window"]:
        chosen = Counter(each.source for each in context.chunks if each.gain > 0)
        assert max(chosen.values(), default=0) <= per_group
    assert 0 <= context.value <= context.upper_bound
