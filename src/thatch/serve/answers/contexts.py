"""Selected chunks as plain data: the JSON of the HTTP API and of the MCP tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.serve.answers.general import filled

if TYPE_CHECKING:
    from thatch.context.selection.context import Context


@dataclass(frozen=True)
class SelectedChunkAnswer:
    """A chunk that was selected."""

    #: Its index in the request, from 0.
    index: int
    text: str
    #: Its size as printed, in the unit of the budget.
    tokens: float
    #: How relevant it is, from 0 to 1.
    relevance: float
    #: What the value would lose without it.
    gain: float
    #: Where it is from, if that is known.
    source: str | None = None


@dataclass(frozen=True)
class DroppedChunkAnswer:
    """A chunk that was not selected."""

    #: Its index in the request, from 0.
    index: int
    relevance: float
    reason: str
    #: Index of the selected chunk that says the same.
    redundant_with: int | None = None
    #: Its size as printed; left out if others rank far above it.
    tokens: float | None = None
    #: What it would add to the value if there were room; left out with the size.
    gain: float | None = None


@dataclass(frozen=True)
class ContextAnswer:
    """Selected chunks, as they are printed."""

    text: str
    chunks: list[SelectedChunkAnswer]
    dropped: list[DroppedChunkAnswer]
    #: Size of the text, in the unit of the budget.
    tokens: float
    budget: float
    unit: str
    value: float
    upper_bound: float
    gap: float
    status: str
    #: Caveat about the unit, if there is one.
    note: str
    #: Why nothing was selected; empty if something was.
    warning: str

    @classmethod
    def of(cls, context: Context[Any]) -> ContextAnswer:
        """Plain data of a context."""
        return filled(
            cls,
            context,
            chunks=[
                filled(SelectedChunkAnswer, each, source=each.source or None)
                for each in context.chunks
            ],
            dropped=[
                filled(DroppedChunkAnswer, each, reason=each.reason.value)
                for each in context.dropped
            ],
            status=context.status.label,
            warning=_warning(context),
        )


def _warning(context: Context[Any]) -> str:
    """Why a context is empty; an empty string if it is not."""
    from thatch.context.selection.context import DropReason

    if context.chunks:
        return ""
    with_text = [
        each for each in context.dropped if each.reason is not DropReason.EMPTY
    ]
    if not with_text:
        return "no chunk contains text, so nothing is selected."
    if not any(each.relevance > 0 for each in with_text):
        return "no chunk matches the query, so nothing is selected."
    return f"no relevant chunk fits in {context.budget:,.10g} {context.unit}."
