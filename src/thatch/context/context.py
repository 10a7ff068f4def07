"""Contexts: the selected chunks, as callers passed them, and what was dropped."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from thatch.context.rendering import Rendering
from thatch.run.result import Status

__all__ = ["Context", "DropReason", "DroppedChunk", "SelectedChunk"]

T = TypeVar("T")


class DropReason(enum.Enum):
    """Why a chunk was not selected; the value is shown to people."""

    REDUNDANT = "repeats another chunk"
    TOO_LONG = "larger than the budget"
    QUOTA = "limit of its group reached"
    LOW_RELEVANCE = "less relevant than the others"
    NO_ROOM = "no room beside the others"
    EMPTY = "contains no text"


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

    @property
    def explanation(self) -> str:
        """The reason as a phrase."""
        if self.redundant_with is None:
            return self.reason.value
        return f"repeats chunk {self.redundant_with}"


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

    @property
    def gap(self) -> float:
        """Share of the upper bound that may be missing; 0 means proved optimal."""
        if self.upper_bound <= self.value:
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
