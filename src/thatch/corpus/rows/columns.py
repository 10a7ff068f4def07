"""The columns to read from a corpus, and a row of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.corpus.corpus_settings import ERROR, LEFT_OUT, SOURCES

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Columns", "Row"]


@dataclass(frozen=True)
class Columns:
    """The columns to read, and their types where the file format has none."""

    #: Column of row ids; None if they are not needed.
    id: str | None
    text: str
    #: Column of cluster ids, if rows are to be grouped.
    cluster: str | None = None
    #: Columns that are copied to the result.
    keep: tuple[str, ...] = ()
    #: Their types in the result, once they are known.
    kept_types: tuple[pa.DataType, ...] = ()
    #: Whether all ids are integers, in JSON lines and CSV.
    has_numbers: bool = False
    #: Whether texts are lists, in JSON lines and CSV.
    has_lists: bool = False
    #: Whether rows are clusters, which were grouped before.
    is_grouped: bool = False

    @property
    def names(self) -> list[str]:
        """Names of all columns to read."""
        keys = [name for name in (self.id, self.cluster) if name is not None]
        added = [ERROR, LEFT_OUT, SOURCES] if self.is_grouped else []
        # Ids first; the text may be kept, too.
        return list(dict.fromkeys([*keys, self.text, *added, *self.keep]))


@dataclass(frozen=True)
class Row:
    """A row of JSON lines or CSV."""

    id: Any = None
    cluster: str | None = None
    #: Bytes, or a list of them.
    text: Any = None
    error: str | None = None
    #: Values of the kept columns; empty if the row cannot be read.
    kept: tuple[Any, ...] = ()
