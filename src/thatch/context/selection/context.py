"""Contexts: the selected chunks, as callers passed them, and what was dropped."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from thatch.context.selection.rendering import Rendering
from thatch.machine.caching import cached_property
from thatch.run.result import Status

T = TypeVar("T")


class DropReason(enum.Enum):
    """Why a chunk was not selected; the value is shown to people."""

    REDUNDANT = "repeats another chunk"
    TOO_LONG = "larger than the budget"
    QUOTA = "limit of its group reached"
    LOW_RELEVANCE = "less relevant than the others"
    NO_ROOM = "did not fit the budget"
    EMPTY = "contains no text"
    EXCLUDED = "excluded by request"


@dataclass(frozen=True, slots=True)
class SelectedChunk(Generic[T]):
    """A selected chunk.

    >>> SelectedChunk("Snow fell.", 0, "Snow fell.", "", 3, 1.0, 3.0).index
    0
    """

    #: The caller's own object.
    chunk: T
    #: Its index in the input.
    index: int
    text: str
    #: Where it is from; empty if that is not known.
    source: str
    #: What it adds to the printed text, with the separator before it, in the unit of
    #: the budget.
    tokens: float
    #: How relevant it is, from 0 to 1.
    relevance: float
    #: What the value would lose without it. A chunk that only accompanies another, as
    #: a heading does, gains nothing itself.
    gain: float


@dataclass(frozen=True, slots=True)
class DroppedChunk(Generic[T]):
    """A chunk that was not selected, and why.

    >>> DroppedChunk("We left.", 1, 0.2, DropReason.REDUNDANT, 0).explanation
    'repeats chunk 0'
    """

    #: The caller's own object.
    chunk: T
    #: Its index in the input.
    index: int
    #: How relevant it is, from 0 to 1.
    relevance: float
    reason: DropReason
    #: Index of the chunk that says the same.
    redundant_with: int | None = None
    #: Its size as printed; None if it was not measured, because others rank far above.
    tokens: float | None = None
    #: What it would add to the value if there were room; None if it was not measured.
    gain: float | None = None

    @property
    def explanation(self) -> str:
        """The reason as a phrase."""
        if self.redundant_with is None:
            return self.reason.value
        return f"repeats chunk {self.redundant_with}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a selection can be compared with.

    >>> Baseline(total=50.0, top_value=20.0, num_top=3, num_repeats=1).num_top
    3
    """

    #: Value of all chunks together, each thing that they say counted once.
    total: float
    #: Value of the most relevant chunks, as many as the budget has room for as printed,
    #: whether or not they repeat each other: what a search engine returns.
    top_value: float
    #: Number of these chunks.
    num_top: int
    #: Number of them that repeat another one of them.
    num_repeats: int


@dataclass(frozen=True, eq=False)
class Context(Generic[T]):
    """What `select` returns: the selected chunks, as they are printed.

    >>> import thatch
    >>> context = thatch.select(["Snow fell.", "It rained."], 5, query="snow")
    >>> context.objects, context.text, context.gap
    (['Snow fell.'], 'Snow fell.', 0.0)
    """

    chunks: Sequence[SelectedChunk[T]]
    dropped: Sequence[DroppedChunk[T]]
    #: Size of the printed text, in the unit of the budget.
    tokens: float
    budget: float
    #: Name of the unit, such as ``tokens``.
    unit: str
    #: What users should know about sizes, such as that they are estimates.
    note: str
    #: Total relevance-weighted size of what is covered.
    value: float
    #: No selection of chunks whose sizes are within the budget has a greater value,
    #: among those with the most relevant chunk and what must be included. Headers,
    #: companions and limits per group, which make selections smaller, are not counted.
    upper_bound: float
    status: Status
    rendering: Rendering
    #: Computes the baseline, which takes longer than the selection.
    measure_baseline: Callable[[], Baseline] = field(repr=False)

    @cached_property
    def baseline(self) -> Baseline:
        """What the selection can be compared with; computed on first use."""
        return self.measure_baseline()

    @property
    def share(self) -> float:
        """Value as a share of that of all chunks; 0 if nothing is worth anything."""
        total = self.baseline.total
        return self.value / total if total > 0 else 0.0

    @property
    def gap(self) -> float:
        """Share of the upper bound that may be missing; 0 means proved optimal."""
        if self.upper_bound <= self.value or self.status is Status.OPTIMAL:
            return 0.0
        return (self.upper_bound - self.value) / self.upper_bound

    @property
    def objects(self) -> list[T]:
        """The caller's own objects, in order."""
        return [each.chunk for each in self.chunks]

    @property
    def indices(self) -> list[int]:
        """Indices of the selected chunks in the input, in order."""
        return [each.index for each in self.chunks]

    @property
    def text(self) -> str:
        """The printed text, in the format that was chosen; it is within the budget."""
        return self.rendering.joined([(each.source, each.text) for each in self.chunks])

    def __len__(self) -> int:
        return len(self.chunks)

    def __repr__(self) -> str:
        return (
            f"Context({len(self.chunks)} of {len(self.chunks) + len(self.dropped)} "
            f"chunks, {self.tokens:g} of {self.budget:g} {self.unit}, "
            f"gap {self.gap:.2%})"
        )
