"""Which columns of a corpus are read, and what a row of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thatch.corpus.corpus_settings import ERROR, LEFT_OUT, SOURCES

__all__ = ["Columns", "Row"]


@dataclass(frozen=True)
class Columns:
    """Which columns are read, and of what kind they are where files do not say."""

    #: None if rows need not be told apart.
    id: str | None
    text: str
    #: Column that says which documents belong together, if that matters.
    cluster: str | None = None
    #: Whether all ids are whole numbers, in formats that leave it open.
    has_numbers: bool = False
    #: Whether texts come in lists, in formats that leave it open.
    has_lists: bool = False
    #: Whether rows are clusters that were brought together before.
    is_grouped: bool = False

    @property
    def names(self) -> list[str]:
        """Names of all columns that are read."""
        keys = [name for name in (self.id, self.cluster) if name is not None]
        added = [ERROR, LEFT_OUT, SOURCES] if self.is_grouped else []
        return [*keys, self.text, *added]


@dataclass(frozen=True)
class Row:
    """A row of a format that does not say what its columns are."""

    id: Any = None
    cluster: str | None = None
    #: Bytes, or a list of them.
    text: Any = None
    error: str | None = None
