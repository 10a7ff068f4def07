"""Settings of `select` and `pack`, as the command line and the API name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.errors import InputError
from thatch.options import option, require_choices
from thatch.text.choices import unit_with_tokenizer
from thatch.text.summary_settings import (
    language_option,
    per_group_option,
    query_option,
    tokenizer_option,
    unit_option,
)

if TYPE_CHECKING:
    from pathlib import Path

    from thatch.context.packing.best_chunks import ChunkPacking
    from thatch.context.packing.packed_files import PackedFiles
    from thatch.context.selection.context import Context

_GROUPS = ("source", "title", "section", "speaker", "date")


def _format_choices() -> dict[str, str]:
    from thatch.context.selection.rendering import ContextFormat

    return {each.value: each.value for each in ContextFormat}


def _order_choices() -> dict[str, str]:
    return {
        "source": "as in the sources",
        "relevance": "the most relevant first",
        "edges": "the most relevant at both ends",
    }


def _focus_choices() -> dict[str, str]:
    return {
        "code": "source",
        "docs": "documentation and other prose",
        "tests": "tests",
        "all": "all files",
    }


@dataclass(frozen=True, kw_only=True)
class _ContextSettings:
    budget: float = option(
        8000, help="Maximum size of the printed text, including all names", minimum=0
    )
    query: str = query_option("text")
    unit: str = unit_option("tokens")
    tokenizer: str | None = tokenizer_option()
    order: str = option(
        "source", help="Order of the chunks", choices=_order_choices, metavar="ORDER"
    )


@dataclass(frozen=True, kw_only=True)
class PackSettings(_ContextSettings):
    """Options of ``thatch pack``."""

    format: str = option(
        "xml", help="Format of the prompt", choices=_format_choices, metavar="FORMAT"
    )
    include: tuple[str, ...] = option(
        (),
        help="Take only files that match this pattern, such as *.py or src/**",
        metavar="GLOB",
    )
    exclude: tuple[str, ...] = option(
        (), help="Leave out files and folders that match this pattern", metavar="GLOB"
    )
    per_file: int | None = per_group_option("chunks per file")
    focus: str | None = option(
        None,
        help="Which files to choose from",
        choices=_focus_choices,
        default_text="what the query asks for",
        metavar="FOCUS",
    )
    max_seconds: float = option(
        2.0, help="Time limit of the solver, in seconds", minimum=0
    )

    def packing(self, max_seconds: float | None = None) -> ChunkPacking:
        """How chunks of documents are packed, within a time limit of the caller."""
        from thatch.context.packing.best_chunks import ChunkPacking

        require_choices(self)
        seconds = self.max_seconds
        return ChunkPacking.of(
            self.budget,
            unit_with_tokenizer(self.unit, self.tokenizer),
            query=self.query or None,
            format=self.format,
            order=self.order,
            per_file=self.per_file,
            focus=self.focus,
            max_seconds=seconds if max_seconds is None else min(seconds, max_seconds),
        )

    def packed(
        self, paths: Iterable[str | Path], *, encoding: str | None = None
    ) -> PackedFiles:
        """Pack files and folders."""
        from thatch.context.packing.packed_files import packed_from

        return packed_from(
            self.packing(),
            paths,
            include=self.include,
            exclude=self.exclude,
            encoding=encoding,
        )


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A chunk to select, with what is known about it.

    >>> TextChunk("Snow fell.", source="diary.md").score is None
    True
    """

    text: str
    source: str | None = None
    title: str | None = None
    section: str | None = None
    speaker: str | None = None
    date: str | None = None
    #: Relevance by a ranker of the caller.
    score: float | None = None


@dataclass(frozen=True, kw_only=True)
class SelectSettings(_ContextSettings):
    """Options of a selection of chunks."""

    group: str | None = option(
        None,
        help="What to group chunks by",
        choices=lambda: dict(zip(_GROUPS, _GROUPS, strict=True)),
        default_text="none",
        metavar="FIELD",
        label="Group by",
    )
    per_group: int | None = per_group_option("chunks per group")
    window: int = option(
        0,
        help="Number of neighbors on each side that accompany a selected chunk",
        minimum=0,
        maximum=100,
    )
    format: str = option(
        "text", help="Format of the text", choices=_format_choices, metavar="FORMAT"
    )
    header: str | None = option(
        None,
        help="Text above the chunks of a source; {source} is its name",
        default_text="none, or ## {source} in Markdown",
        has_escapes=True,
    )
    separator: str = option(
        "\n\n",
        help="Text between chunks",
        default_text="a blank line",
        has_escapes=True,
    )
    language: str | None = language_option()

    def selected(
        self,
        chunks: Sequence[TextChunk],
        *,
        must_include: Sequence[int] = (),
        must_exclude: Sequence[int] = (),
        max_seconds: float | None = None,
    ) -> Context[TextChunk]:
        """Select from chunks; their scores are used if all of them have one."""
        from thatch.context.selection.selecting import select
        from thatch.files.languages import language_code

        require_choices(self)
        _require_groups(chunks, self.group)
        # The default is declared once, by `select`.
        limit: Any = {} if max_seconds is None else {"max_seconds": max_seconds}
        return select(
            chunks,
            self.budget,
            query=self.query or None,
            scores=_scores(chunks),
            unit=unit_with_tokenizer(self.unit, self.tokenizer),
            group=self.group,
            per_group=self.per_group,
            must_include=must_include,
            must_exclude=must_exclude,
            order=self.order,
            window=self.window,
            format=self.format,
            header=self.header,
            separator=self.separator,
            language=None if self.language is None else language_code(self.language),
            **limit,
        )


def _scores(chunks: Sequence[TextChunk]) -> list[float] | None:
    scores = [chunk.score for chunk in chunks if chunk.score is not None]
    if scores and len(scores) < len(chunks):
        k = next(k for k, chunk in enumerate(chunks) if chunk.score is None)
        raise InputError(
            f"chunks[{k}] has no score, but {len(scores)} of {len(chunks)} chunks "
            "have one.",
            hint="Pass a score for every chunk, or for none.",
        )
    return scores or None


def _require_groups(chunks: Sequence[TextChunk], group: str | None) -> None:
    # The error of `select` offers a function, which a request cannot contain.
    if group is None or not chunks:
        return
    if all(getattr(chunk, group) is None for chunk in chunks):
        raise InputError(
            f"group is {group!r}, but no chunk has such a field.",
            hint=f"Pass {group} for the chunks, or group by another field.",
        )
