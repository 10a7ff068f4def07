"""How long context selection takes, alone and for many callers of one event loop.

python benchmarks/context_speed.py FOLDER [--tokenizer NAME_OR_PATH]
    [--tables DOCUMENT...]

The texts (.md, .rst, .txt) of the folder are cut into chunks of 300 tokens. Each run
takes other chunks and another query, on one thread; tokens are counted. The gap is the
largest of all answers. Then many callers select at once by `aselect`, while the event
loop looks at the clock; each answer must be the one that is given alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from tables import Table, write_into

import thatch
from thatch.text import Unit, tokens_by_name
from thatch.text.language.words import words_of

_TOKENS_PER_CHUNK, _RUNS = 300, 15
# Number of chunks, and the budget.
_SIZES = ((200, 4_000), (2_000, 8_000))
_CALLERS, _CHUNKS_PER_CALLER, _CALLERS_BUDGET = 64, 200, 4_000
_SUFFIXES = frozenset({".md", ".rst", ".txt"})


def chunks_of(folder: Path, unit: Unit) -> Iterator[str]:
    """Pieces of the texts of a folder, cut at lines, of about as many tokens."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in _SUFFIXES or not path.is_file():
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        piece, size = list[str](), 0.0
        for line, cost in zip(lines, unit.measure_each(lines), strict=True):
            piece.append(line)
            size += cost + 1
            if size >= _TOKENS_PER_CHUNK:
                yield "\n".join(piece)
                piece, size = [], 0.0


def query_from(chunks: Sequence[str], choice: random.Random) -> str:
    """A query of some words of a chunk."""
    words = sorted({word for word in words_of(choice.choice(chunks)) if len(word) > 3})
    return " ".join(choice.sample(words, min(6, len(words)))) or "summary"


def row_of(
    chunks: Sequence[str], num_chunks: int, budget: float, unit: Unit
) -> list[str]:
    """The row of one size."""
    choice, seconds, gaps = random.Random(0), list[float](), list[float]()
    for _ in range(_RUNS):
        first = choice.randrange(max(len(chunks) - num_chunks, 0) + 1)
        pool = chunks[first : first + num_chunks]
        query = query_from(pool, choice)
        start = perf_counter()
        context = thatch.select(pool, budget, query=query, unit=unit)
        seconds.append(perf_counter() - start)
        gaps.append(context.gap)
    milliseconds = [1000 * each for each in seconds]
    return [
        f"{len(pool):,} chunks into {budget:,}",
        f"{median(milliseconds):.0f}",
        f"{max(milliseconds):.0f}",
        f"{max(gaps):.1%}",
    ]


async def longest_wait(pools: Sequence[tuple[Sequence[str], str]], unit: Unit) -> float:
    """Milliseconds that the event loop did not go on while all callers select."""
    longest, is_over = 0.0, False

    async def watch() -> None:
        nonlocal longest
        last = perf_counter()
        while not is_over:
            await asyncio.sleep(0)
            longest, last = max(longest, perf_counter() - last), perf_counter()

    watcher = asyncio.create_task(watch())
    calls = (
        thatch.aselect(pool, _CALLERS_BUDGET, query=query, unit=unit)
        for pool, query in pools
    )
    found = await asyncio.gather(*calls)
    is_over = True
    await watcher
    for (pool, query), context in zip(pools, found, strict=True):
        alone = thatch.select(pool, _CALLERS_BUDGET, query=query, unit=unit)
        assert alone.indices == context.indices, "an answer differs from that alone"
    return 1000 * longest


def main() -> None:
    parser = argparse.ArgumentParser(description="Time context selection.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokenizer", default="cl100k_base")
    parser.add_argument("--tables", nargs="*", type=Path, default=[])
    arguments = parser.parse_args()
    unit = tokens_by_name(arguments.tokenizer)
    print(unit.note or "tokens are counted")
    chunks = list(chunks_of(arguments.folder, unit))
    if not chunks:
        raise SystemExit(f"error: {arguments.folder} contains no .md, .rst or .txt")
    thatch.select(chunks[:10], 100, query="warm", unit=unit)
    rows = [row_of(chunks, *size, unit) for size in _SIZES]
    header = ["task", "median, ms", "longest, ms", "gap"]
    table = Table("context-speed", "Time of context selection", header, rows)
    print(table.markdown)
    choice, pools = random.Random(1), []
    for _ in range(_CALLERS):
        first = choice.randrange(max(len(chunks) - _CHUNKS_PER_CALLER, 0) + 1)
        pool = chunks[first : first + _CHUNKS_PER_CALLER]
        pools.append((pool, query_from(pool, choice)))
    wait = asyncio.run(longest_wait(pools, unit))
    print(f"{_CALLERS} callers: the event loop waited at most {wait:.0f} ms")
    for document in arguments.tables:
        write_into(document, [table])


if __name__ == "__main__":
    main()
