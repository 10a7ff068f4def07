"""Selecting: from chunks and a budget to the context for a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any, Generic, TypedDict, TypeVar, Unpack
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, Ints, numbers
from thatch.context.selection.chunks import (
    GroupOf,
    Required,
    TextOf,
    groups_of,
    required_of,
    texts_of,
)
from thatch.context.selection.context import Context, SelectedChunk
from thatch.context.selection.dropping import baseline_of, dropped_chunks
from thatch.context.selection.fitting import Deadline, Packed, packed
from thatch.context.selection.objective import scaled
from thatch.context.selection.pool import Pool
from thatch.context.selection.ranked_pool import Printing, RankedPool
from thatch.context.selection.rendering import ContextFormat, Order, Rendering
from thatch.context.selection.selection_task import SelectionTask
from thatch.errors import InputError, InputTypeError
from thatch.files.languages import language_code
from thatch.options import require_choice, require_integer
from thatch.run.stopping import MaxSeconds
from thatch.text.choices import unit_of
from thatch.text.costs.units import Unit
from thatch.text.grouping import require_group_limit
from thatch.text.task import checked_budget

T = TypeVar("T")

# Candidates are the best chunks, until their total size is this many times the budget;
# more of them, if these repeat each other or their groups may not have more.
_TIMES_BUDGET = (3.0, 12.0, inf)
# With less than this many times the candidates, another search is not worthwhile.
_LEAST_GROWTH = 2.0
# However long the ranking takes, the search gets this share of the time limit.
_LEAST_TIME_SHARE = 0.25
# Pairs of chunks that share text: per second of the time limit, and at least. Chunks
# made of a few words share almost everything.
_EDGES_PER_SECOND, _LEAST_EDGES = 500_000, 100_000


def select(
    chunks: Iterable[T],
    budget: float,
    *,
    query: str | None = None,
    scores: ArrayLike | None = None,
    text: TextOf[T] | None = None,
    printed: TextOf[T] | None = None,
    unit: Unit | str | Any = "tokens",
    group: GroupOf[T] | None = None,
    per_group: int | None = None,
    must_include: Required[T] | None = None,
    must_exclude: Required[T] | None = None,
    embeddings: ArrayLike | None = None,
    order: Order | str = Order.SOURCE,
    window: int = 0,
    format: ContextFormat | Rendering | str = ContextFormat.TEXT,
    header: str | None = None,
    separator: str = "\n\n",
    language: str | None = None,
    max_seconds: float = 0.2,
) -> Context[T]:
    """Select the chunks that a language model should read, within a token budget.

    The most relevant chunks are selected, and duplicates are kept once. The printed
    text never exceeds the budget, and the answer has a bound on what any other
    selection could be worth. Nothing is downloaded, and nothing is kept between calls.

    Parameters
    ----------
    chunks
        Strings, mappings, or objects such as LangChain's documents. Their fields or
        metadata provide titles, dates, speakers, sources and positions.
    budget
        The maximum size of the printed text.
    query
        The question. Relevance is lexical: words, and the structure that chunks are in.
    scores
        Relevance of each chunk by your own ranker, instead of the query. Higher is
        better.
    text
        How to get the text of a chunk: a field, or a function.
    printed
        How to get the text that is printed, such as one with metadata. Default: the
        chunk's text.
    unit
        ``tokens`` (estimated), ``words``, ``characters``, a `Unit`, or any tokenizer.
    group, per_group
        What chunks are grouped by (a field, a function or one value per chunk), and the
        maximum number of chunks per group. Accompanying chunks do not count.
    must_include
        Chunks that are always selected: indices, or a function. Their accompanying
        chunks are left out if they do not fit.
    must_exclude
        Chunks that are never selected: indices, or a function. They still help decide
        what is relevant, so you can compare values with and without them.
    embeddings
        One row per chunk: chunks with nearly the same direction count as duplicates.
    order
        ``source``, ``relevance``, or ``edges``: the most relevant at both ends.
    window
        How many neighbors on each side accompany a selected chunk.
    format
        ``text``, ``markdown``, ``xml`` or ``json``; or your own rendering, which has
        its own headers and separators.
    header, separator
        Printed above the chunks of a source, with ``{source}``, and between chunks.
    language
        Language code or name. Default: guessed.
    max_seconds
        Time limit, in seconds of processor time. The ranking counts, but at least a
        quarter of the time is left for the search, which usually takes a few
        milliseconds.

    Raises
    ------
    InputError, InputTypeError
        If an argument is invalid, or what must be included does not fit the budget.

    >>> import thatch
    >>> notes = ["The import failed: the disk was full.", "The page is slow.",
    ...          "The import failed, as the disk was full."]
    >>> context = thatch.select(notes, 30, query="Why did the import fail?")
    >>> context.text
    'The import failed: the disk was full.'
    >>> [(each.index, each.explanation) for each in context.dropped]
    [(1, 'less relevant than the others'), (2, 'repeats chunk 0')]
    """
    _require_strings(query=query, header=header, separator=separator)
    given = _list_of(chunks)
    texts = texts_of(given, text)
    shown = texts if printed is None else texts_of(given, printed)
    groups = groups_of(given, group)
    require_integer("window", window, hint="Pass 0 for no neighbors.")
    hint = 'Set group to the name of a field, such as group="source".'
    require_group_limit(groups, per_group, hint=hint)
    MaxSeconds(max_seconds)  # raises if it is invalid
    deadline = Deadline.within(max_seconds)
    if not isinstance(format, Rendering):
        format = Rendering(format, header, separator)  # type: ignore[arg-type]
    printing = Printing(format, unit_of(unit, default="tokens"), checked_budget(budget))
    code = None if language is None else language_code(language)
    max_edges = max(_LEAST_EDGES, _EDGES_PER_SECOND * max_seconds)
    pool = Pool.of(texts, given, groups=groups, language=code, max_pairs=max_edges)
    pool, relevances = _ranked(pool, query, scores)
    worths = None if scores is None else pool.with_neighbors(relevances)
    required, excluded = _decided(given, must_include, must_exclude)
    wanted = Order(require_choice("order", order, list(Order), default="source"))
    task_of = partial(
        SelectionTask.of,
        RankedPool(shown, pool, relevances, printing, wanted, worths),
        window=window,
        required=required,
        excluded=excluded,
        embeddings=_rows(embeddings, len(texts)),
        groups=groups,
        per_group=per_group,
    )
    searched_of = partial(task_of, max_edges=max_edges)
    deadline = deadline.leaving(_LEAST_TIME_SHARE * max_seconds)
    task, found = _searched(searched_of, deadline)
    return _context(given, task, found, task_of)


def _searched(
    task_of: Callable[..., SelectionTask], deadline: Deadline
) -> tuple[SelectionTask, Packed]:
    """The task with as many candidates as needed, and what is selected from them.

    There are no more candidates than can be measured and compared in time.
    """
    clock, (reached, *others) = deadline.clock, _TIMES_BUDGET
    began = clock()
    task = task_of(times_budget=reached)
    seconds = clock() - began
    found = packed(task, deadline)
    for wanted in others:
        affordable = deadline.seconds_left / max(seconds, 1e-6)
        if not found.needs_more_candidates or affordable < _LEAST_GROWTH:
            break
        most = len(task.ranked.texts) / max(1, task.problem.num_items)
        is_affordable = affordable >= min(wanted / reached, most)
        reached = wanted if is_affordable else affordable * reached
        began = clock()
        task = task_of(times_budget=reached)
        seconds = clock() - began
        found = packed(task, deadline)
    return task, found


class SelectOptions(TypedDict, Generic[T], total=False):
    """The optional arguments of `select`, for functions that pass them on."""

    query: str | None
    scores: ArrayLike | None
    text: TextOf[T] | None
    printed: TextOf[T] | None
    unit: Unit | str | Any
    group: GroupOf[T] | None
    per_group: int | None
    must_include: Required[T] | None
    must_exclude: Required[T] | None
    embeddings: ArrayLike | None
    order: Order | str
    window: int
    format: ContextFormat | Rendering | str
    header: str | None
    separator: str
    language: str | None
    max_seconds: float


async def aselect(
    chunks: Iterable[T], budget: float, **options: Unpack[SelectOptions[T]]
) -> Context[T]:
    """Select chunks as `select` does, without blocking the event loop.

    Parameters
    ----------
    chunks, budget
        As in `select`.
    **options
        All other arguments of `select`.

    >>> import asyncio, thatch
    >>> asyncio.run(thatch.aselect(["Snow fell.", "It rained."], 5, query="snow")).text
    'Snow fell.'
    """
    given = _list_of(chunks)
    # Python runs one thread at a time: more of them would only keep the loop waiting.
    async with _lock():
        return await asyncio.to_thread(lambda: select(given, budget, **options))


# The lock of each event loop that selects, freed with the loop.
_LOCKS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def _lock() -> asyncio.Lock:
    return _LOCKS.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def _context(
    chunks: Sequence[T],
    task: SelectionTask,
    found: Packed,
    task_of: Callable[[], SelectionTask],
) -> Context[T]:
    """The answer, with the caller's own chunks."""
    selection = found.selection
    items = selection.items.tolist()
    gains = dict(
        zip(task.candidates[items].tolist(), task.own_gains(selection), strict=True)
    )
    ranked, printed = task.ranked, task.printed(items)
    value = task.value(selection)
    return Context(
        chunks=[
            SelectedChunk(
                chunks[k],
                k,
                ranked.texts[k],
                ranked.sources[k],
                cost,
                float(ranked.relevances[k]),
                gains.get(k, 0.0),
            )
            for k, cost in zip(printed, ranked.costs(printed).tolist(), strict=True)
        ],
        dropped=list(dropped_chunks(chunks, task, selection)),
        tokens=task.size(items),
        budget=task.budget,
        unit=ranked.printing.unit.name,
        note=ranked.printing.unit.note,
        value=value,
        upper_bound=max(task.upper_bound(found.upper_bound), value),
        status=found.status,
        rendering=ranked.printing.rendering,
        measure_baseline=partial(baseline_of, task_of),
    )


def _list_of(chunks: Iterable[T]) -> list[T]:
    if isinstance(chunks, str | bytes | Mapping) or not isinstance(chunks, Iterable):
        raise InputTypeError(
            f"chunks is {chunks!r:.60}; a list of chunks was expected.",
            hint="Pass a list, even for a single chunk.",
        )
    return list(chunks)


def _decided(
    chunks: Sequence[T],
    must_include: Required[T] | None,
    must_exclude: Required[T] | None,
) -> tuple[Ints, Ints]:
    """Indices of the chunks that must be selected, and of those that must not be."""
    required = required_of(chunks, must_include)
    excluded = required_of(chunks, must_exclude, name="must_exclude")
    both = sorted(set(required.tolist()) & set(excluded.tolist()))
    if both:
        raise InputError(
            f"chunk {both[0]} is both in must_include and in must_exclude.",
            hint="Take it out of one of them.",
        )
    return required, excluded


def _require_strings(**values: str | None) -> None:
    for name, value in values.items():
        if value is not None and not isinstance(value, str):
            raise InputTypeError(
                f"{name} is {value!r:.60}; a string was expected.",
                hint=f"Pass {name} as a string.",
            )


def _ranked(
    pool: Pool, query: str | None, scores: ArrayLike | None
) -> tuple[Pool, Floats]:
    """Relevance of each chunk, and the pool with the near-copies that it prefers."""
    if scores is None and query is None:
        return pool, pool.centralities()
    if scores is None and query is not None:
        pool = pool.for_query(query)
        return pool, pool.relevances(query)
    relevances = _given_relevances(pool, scores)
    pool = pool.for_scores(relevances)
    return pool, pool.shared(relevances)


def _given_relevances(pool: Pool, scores: ArrayLike | None) -> Floats:
    given = numbers("scores", [] if scores is None else scores)
    _require_one_per_chunk("scores", len(given), len(pool.originals))
    if not np.isfinite(given).all():
        k = int(np.argmin(np.isfinite(given)))
        raise InputError(
            f"scores[{k}] is {given[k]}; scores must be finite.",
            hint="Leave out chunks that have no score.",
        )
    return scaled(given)


def _rows(embeddings: ArrayLike | None, count: int) -> Floats | None:
    if embeddings is None:
        return None
    try:
        rows = np.asarray(embeddings, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            "embeddings must contain rows of numbers.",
            hint="Pass one row of numbers per chunk, all of the same length.",
        ) from None
    if rows.ndim != 2:
        raise InputError(
            f"embeddings has {rows.ndim} dimensions; it must have two.",
            hint="Pass one row per chunk.",
        )
    _require_one_per_chunk("embeddings", len(rows), count)
    if not np.isfinite(rows).all():
        raise InputError(
            "embeddings contains numbers that are not finite.",
            hint="Leave out chunks that have no embedding.",
        )
    # Only directions matter, and large numbers would overflow.
    return rows / max(float(np.abs(rows).max(initial=0.0)), 1e-300)


def _require_one_per_chunk(name: str, found: int, count: int) -> None:
    if found != count:
        raise InputError(
            f"{name} has {found} entries; expected one per chunk, {count}.",
            hint=f"Pass {name} in the order of the chunks.",
        )
