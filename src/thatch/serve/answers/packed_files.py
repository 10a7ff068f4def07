"""Packed documents as plain data: the JSON of the HTTP API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.serve.answers.general import filled

if TYPE_CHECKING:
    from thatch.context.packing.packed_files import PackedFiles
    from thatch.context.repository.code_chunks import FileChunk


@dataclass(frozen=True, kw_only=True)
class PartAnswer:
    """A chunk of a document that is in the prompt."""

    #: Its index among the chunks of all documents, from 0.
    index: int
    #: Name of the document.
    source: str
    #: First and last line, from 1.
    start_line: int
    end_line: int
    #: What is defined there, or the headings above; may be empty.
    name: str
    #: How relevant it is, from 0 to 1.
    relevance: float
    #: Its size as printed, in the unit of the budget.
    tokens: float | None
    #: What the value would lose without it.
    gain: float | None
    #: Page on which it starts, where there are pages.
    page: int | None = None


@dataclass(frozen=True, kw_only=True)
class DroppedPartAnswer(PartAnswer):
    """A chunk that is not in the prompt.

    Size and gain are left out if others rank far above it; the gain is what it would
    add if there were room.
    """

    reason: str
    #: Index of the chunk in the prompt that says the same.
    redundant_with: int | None = None


@dataclass(frozen=True)
class PackedFileAnswer:
    """How much of a document is in the prompt."""

    source: str
    num_selected: int
    num_chunks: int
    tokens: float
    #: Why the rest is not in the prompt; empty if nothing is missing.
    reason: str


@dataclass(frozen=True)
class SkippedFileAnswer:
    """A document that was left out as a whole."""

    source: str
    reason: str


@dataclass(frozen=True)
class BaselineAnswer:
    """What the value can be compared with, if nothing must be included or excluded."""

    #: Value of all chunks together, each thing that they say counted once. Of very many
    #: chunks, only those that match best are counted.
    total: float
    #: Value of the most relevant chunks, as many as the budget has room for, whether or
    #: not they repeat each other.
    top_value: float
    #: Number of these chunks, and how many of them repeat another one.
    num_top: int
    num_repeats: int


@dataclass(frozen=True)
class PackAnswer:
    """A prompt, and which chunks of each document are in it."""

    text: str
    chunks: list[PartAnswer]
    dropped: list[DroppedPartAnswer]
    files: list[PackedFileAnswer]
    skipped: list[SkippedFileAnswer]
    #: Size of the prompt, in the unit of the budget.
    tokens: float
    budget: float
    unit: str
    value: float
    upper_bound: float
    gap: float
    status: str
    #: The value if nothing had to be included or excluded.
    unconstrained_value: float
    baseline: BaselineAnswer
    #: Caveat about the unit, if there is one.
    note: str
    #: What could not be read, and why the prompt is empty.
    warnings: list[str]

    @classmethod
    def of(cls, packed: PackedFiles) -> PackAnswer:
        """Plain data of a prompt."""
        context = packed.context
        return filled(
            cls,
            context,
            chunks=[
                filled(PartAnswer, each, **_place(each.chunk))
                for each in context.chunks
            ],
            dropped=[
                filled(
                    DroppedPartAnswer,
                    each,
                    reason=each.reason.value,
                    **_place(each.chunk),
                )
                for each in context.dropped
            ],
            files=[
                filled(PackedFileAnswer, file, source=file.path)
                for file in packed.files
            ],
            skipped=[
                SkippedFileAnswer(file.path, file.reason) for file in packed.skipped
            ],
            status=context.status.label,
            unconstrained_value=packed.unconstrained.value,
            baseline=filled(BaselineAnswer, packed.unconstrained.baseline),
            warnings=list(packed.warnings),
        )


def _place(chunk: FileChunk) -> dict[str, Any]:
    return {
        "source": chunk.path,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "name": chunk.name,
        "page": chunk.page,
    }
