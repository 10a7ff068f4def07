"""Selecting: from chunks and a budget to the context for a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypedDict, TypeVar, Unpack
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, numbers
from thatch.context.chunks import (
    GroupOf,
    Required,
    TextOf,
    groups_of,
    required_of,
    texts_of,
)
from thatch.context.context import Context, SelectedChunk
from thatch.context.dropping import dropped_chunks
from thatch.context.objective import scaled
from thatch.context.packing import packed
from thatch.context.pool import Pool
from thatch.context.printing import Printing
from thatch.context.rendering import ContextFormat, Order, Rendering
from thatch.context.selection_task import SelectionTask
from thatch.errors import InputError
from thatch.options import require_choice, require_integer
from thatch.run.result import Result
from thatch.run.stopping import MaxSeconds
from thatch.text.choices import unit_of
from thatch.text.costs.units import Unit
from thatch.text.task import checked_budget

__all__ = ["SelectOptions", "aselect", "select"]

T = TypeVar("T")


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

    The most relevant chunks are selected; of those that say the same only one. The
    printed text never exceeds the budget, and the answer has a bound on what any other
    selection could be worth. Nothing is downloaded, and nothing is kept between calls.

    Parameters
    ----------
    chunks
        Strings, mappings, or objects such as LangChain's documents. Fields of theirs or
        of their metadata tell titles, dates, speakers, sources and positions.
    budget
        The maximum size of the printed text.
    query
        The question. Relevance is lexical: words, and the structure that chunks are in.
    scores
        Relevance of each chunk by a ranker of your own, larger for the better, in place
        of the query.
    text
        How to get the text of a chunk: a field, or a function.
    printed
        How to get a chunk as it is printed, such as with its metadata. Default: its
        text.
    unit
        ``tokens`` (estimated), ``words``, ``characters``, a `Unit`, or any tokenizer.
    group, per_group
        What chunks are grouped by, a field, a function or one value per chunk, and the
        maximum number of chunks per group.
    must_include
        Chunks that are selected in any case: indices, or a function.
    embeddings
        One row per chunk: chunks of nearly the same direction say the same.
    order
        ``source``, ``relevance``, or ``edges``: the most relevant at both ends.
    window
        How many neighbors on each side accompany a selected chunk.
    format
        ``text``, ``markdown``, ``xml`` or ``json``; or a rendering of your own, which
        has its own headers and separators.
    header, separator
        Printed above the chunks of a source, with ``{source}``, and between chunks.
    language
        Language code. Default: guessed.
    max_seconds
        Time limit of the solver, which mostly needs some milliseconds.

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
    [(1, 'less relevant than the others'), (2, 'says what another one says: 0')]
    """
    given = list(chunks)
    texts = texts_of(given, text)
    shown = texts if printed is None else texts_of(given, printed)
    groups = groups_of(given, group)
    _require_limits(groups, per_group, window)
    MaxSeconds(max_seconds)  # raises if it is invalid
    rendering = (
        format
        if isinstance(format, Rendering)
        else Rendering(_format_of(format), header, separator)
    )
    printing = Printing(rendering, unit_of(unit), checked_budget(budget))
    pool = Pool.of(texts, given, groups=groups, language=language)
    task = SelectionTask.of(
        shown,
        pool,
        _relevances(pool, query, scores),
        printing=printing,
        order=_order_of(order),
        window=window,
        required=required_of(given, must_include),
        embeddings=_rows(embeddings, len(texts)),
        groups=groups,
        per_group=per_group,
    )
    return _context(given, task, packed(task, max_seconds=max_seconds))


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
    """Select chunks as `select` does, in another thread: the event loop goes on.

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
    given = list(chunks)
    # Python runs one thread at a time: more of them would only keep the loop waiting.
    async with _turn():
        return await asyncio.to_thread(lambda: select(given, budget, **options))


# The lock of each event loop that selects; it goes with the loop.
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def _turn() -> asyncio.Lock:
    return _TURNS.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def _context(chunks: Sequence[T], task: SelectionTask, result: Result) -> Context[T]:
    """The answer, with the caller's own chunks."""
    selection = result.selection
    items = selection.items.tolist()
    gains = dict(
        zip(task.candidates[items].tolist(), task.own_gains(selection), strict=True)
    )
    printed = task.printed(items)
    sources = task.pool.sources
    costs = task.printing.costs([(sources[k], task.texts[k]) for k in printed])
    value = task.value(selection)
    return Context(
        chunks=[
            SelectedChunk(
                chunks[k],
                k,
                task.texts[k],
                sources[k],
                cost,
                float(task.relevances[k]),
                gains.get(k, 0.0),
            )
            for k, cost in zip(printed, costs.tolist(), strict=True)
        ],
        dropped=list(dropped_chunks(chunks, task, selection)),
        tokens=task.size(items),
        budget=task.printing.budget,
        unit=task.printing.unit.name,
        note=task.printing.unit.note,
        value=value,
        upper_bound=max(task.upper_bound(result.upper_bound), value),
        status=result.status,
        rendering=task.printing.rendering,
    )


def _relevances(pool: Pool, query: str | None, scores: ArrayLike | None) -> Floats:
    """Relevance of each chunk, from the scores, the query, or the pool itself."""
    if scores is not None:
        given = numbers("scores", scores)
        _require_one_per_chunk("scores", len(given), len(pool.originals))
        if not np.isfinite(given).all():
            k = int(np.argmin(np.isfinite(given)))
            raise InputError(
                f"scores[{k}] is {given[k]}; scores must be finite.",
                hint="Leave out chunks that have no score.",
            )
        return pool.shared(scaled(given))
    return pool.centralities() if query is None else pool.relevances(query)


def _rows(embeddings: ArrayLike | None, count: int) -> Floats | None:
    if embeddings is None:
        return None
    rows = np.asarray(embeddings, dtype=np.float64)
    if rows.ndim != 2:
        raise InputError(
            f"embeddings has {rows.ndim} dimensions; it must have two.",
            hint="Pass one row per chunk.",
        )
    _require_one_per_chunk("embeddings", len(rows), count)
    return rows


def _require_one_per_chunk(name: str, found: int, count: int) -> None:
    if found != count:
        raise InputError(
            f"{name} has {found} entries; one per chunk, {count}, was expected.",
            hint=f"Pass {name} in the order of the chunks.",
        )


def _require_limits(
    groups: Sequence[str] | None, per_group: int | None, window: int
) -> None:
    require_integer("window", window, hint="Pass 0 for no neighbors.")
    if per_group is None:
        return
    require_integer("per_group", per_group, least=1, hint="Omit it for no limit.")
    if groups is None:
        raise InputError(
            f"per_group is {per_group}, but there are no groups.",
            hint='Set group to the name of a field, such as group="source".',
        )


def _format_of(given: ContextFormat | str) -> ContextFormat:
    return ContextFormat(
        require_choice("format", given, list(ContextFormat), default="text")
    )


def _order_of(given: Order | str) -> Order:
    return Order(require_choice("order", given, list(Order), default="source"))
