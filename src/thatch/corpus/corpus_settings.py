"""Settings of a corpus job, and the names of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from thatch.arrays import number
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.text.concepts.background import Background
from thatch.text.summary_settings import SummaryCall, SummarySettings

__all__ = [
    "ERROR",
    "LEFT_OUT",
    "STATUS",
    "SCHEMA_FIELDS",
    "CorpusSettings",
    "require_id_column",
    "require_kept_column",
]

#: Column with the error of a row, in results and in batches to summarize.
ERROR = "error"
#: Column with the status of the solver; null if there is no summary.
STATUS = "status"
#: Column with the errors of texts that could not be read before.
LEFT_OUT = "left_out"
#: Column with ids of the documents of a cluster: all of them in batches to summarize,
#: one per sentence in results.
SOURCES = "sources"
#: Columns of the result after the id, and the names of their Arrow types.
SCHEMA_FIELDS = {
    "summary": "string",
    #: Index of the text in the list of the row, and of the sentence in that text.
    "documents": "list<int32>",
    "positions": "list<int32>",
    "cost": "double",
    "value": "double",
    "gap": "double",
    STATUS: "string",
    ERROR: "string",
}


@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """Which columns to read, and how to summarize each row.

    The values are plain, so that they can be sent to other machines.

    >>> CorpusSettings(budget=50).summary.unit
    'words'
    """

    #: Column of unique row ids.
    id: str = "id"
    #: Column of texts, or of lists of texts that are summarized together.
    text: str = "text"
    #: Other columns of the input to copy to the result, or "all" for all of them.
    keep: tuple[str, ...] | Literal["all"] = ()
    budget: float = SummaryCall.budget
    summary: SummarySettings = SummarySettings()
    #: Counts of a background corpus, by which rare words weigh more.
    background: Background = field(default_factory=Background, repr=False)
    seed: int = 0
    #: Largest size of the texts of a row, in bytes; a larger row gets an error.
    max_bytes: int = 16 * 2**20

    def __post_init__(self) -> None:
        if not number("budget", self.budget) >= 0:
            raise InputError(
                f"budget is {self.budget}; it must be non-negative.",
                hint="Pass 0 or more.",
            )
        require_integer("seed", self.seed, hint="Pass 0, for example.")
        hint = "Pass a number of bytes, such as 16777216."
        require_integer("max_bytes", self.max_bytes, least=1, hint=hint)
        # NumPy's integers are not JSON, which records the settings.
        object.__setattr__(self, "seed", int(self.seed))
        object.__setattr__(self, "max_bytes", int(self.max_bytes))
        require_id_column("id", self.id, text=self.text)
        self._require_kept_columns()
        if self.text in (ERROR, LEFT_OUT, SOURCES):
            raise InputError(
                f"text is {self.text!r}, which is the name of a column that is added.",
                hint="Rename the column.",
            )
        # Invalid settings would be an error of every row: raise it once, here.
        self.summary.summarizer(self.background)

    def _require_kept_columns(self) -> None:
        if self.keep == "all":
            return
        # A string would be taken for its characters.
        given: object = self.keep
        if isinstance(given, str):
            object.__setattr__(self, "keep", (given,))
        for name in self.keep:
            require_kept_column(name, id=self.id)
        if len(set(self.keep)) < len(self.keep):
            raise InputError(
                f"keep is {', '.join(self.keep)}; it has a column twice.",
                hint="Name every column once.",
            )


def require_kept_column(name: str, *, id: str) -> None:
    """Require a column whose name the result does not use."""
    if name in (id, *SCHEMA_FIELDS):
        raise InputError(
            f"keep has {name!r}, which is a column of the result.",
            hint="Rename the column, or do not keep it.",
        )


def require_id_column(name: str, column: str, *, text: str) -> None:
    """Require a column that can be copied to the result."""
    if column in (*SCHEMA_FIELDS, LEFT_OUT, SOURCES, text):
        raise InputError(
            f"{name} is {column!r}, which is the text column or a column of the "
            "result.",
            hint="Rename the column.",
        )
