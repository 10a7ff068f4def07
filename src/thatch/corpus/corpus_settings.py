"""Settings of a corpus job: its columns, and how each row is summarized."""

from __future__ import annotations

from dataclasses import dataclass, field

from thatch.arrays import number
from thatch.errors import InputError
from thatch.text.concepts.background import Background
from thatch.text.summary_settings import SummaryCall, SummarySettings

__all__ = [
    "ERROR",
    "LEFT_OUT",
    "STATUS",
    "SCHEMA_FIELDS",
    "CorpusSettings",
    "require_id_column",
]

#: Column of the errors of rows, in the output and in rows that already failed.
ERROR = "error"
#: Column of the status of the solver; null if there is no summary.
STATUS = "status"
#: Column of the texts of a row that could not be read.
LEFT_OUT = "left_out"
#: Column of document ids: in the input, all documents of a cluster; in the output, one
#: per sentence of the summary.
SOURCES = "sources"
#: Columns of the output after the id, and the names of their Arrow types.
SCHEMA_FIELDS = {
    "summary": "string",
    #: Number of the text in the row's list, and of the sentence in that text, from 0.
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
    """Columns of a corpus, and how each row is summarized.

    All values are plain, so that they can be sent to other machines.

    >>> CorpusSettings(budget=50).summary.unit
    'words'
    """

    #: Column of unique row ids.
    id: str = "id"
    #: Column of texts, or of lists of texts that are summarized together.
    text: str = "text"
    budget: float = SummaryCall.budget
    summary: SummarySettings = SummarySettings()
    #: For concepts tf-idf: how many documents contain each word.
    background: Background = field(default_factory=Background, repr=False)
    seed: int = 0
    #: Maximum size of the texts of one row, in bytes; more is an error of that row.
    max_bytes: int = 16 * 2**20

    def __post_init__(self) -> None:
        if not number("budget", self.budget) >= 0:
            raise InputError(
                f"budget must be >= 0, got {self.budget}.", hint="Pass 0 or more."
            )
        require_id_column("id", self.id, text=self.text)
        if self.text in (ERROR, LEFT_OUT, SOURCES):
            raise InputError(
                f"text is {self.text!r}, which is a column of the output.",
                hint="Rename the column.",
            )
        # Invalid settings would fail every row: raise the error once.
        self.summary.summarizer(self.background)


def require_id_column(name: str, column: str, *, text: str) -> None:
    """Require that the output can have this column."""
    if column in (*SCHEMA_FIELDS, LEFT_OUT, SOURCES, text):
        raise InputError(
            f"{name} must be neither the text nor a column of the output, got "
            f"{column!r}.",
            hint="Rename the column.",
        )
