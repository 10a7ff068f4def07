"""How the rows of a corpus are summarized."""

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

#: Column that says what is wrong with a row, in answers and where it is known before.
ERROR = "error"
#: Column that says how the search for a summary ended; null where there is none.
STATUS = "status"
#: Column that says which texts of a row could not be read before.
LEFT_OUT = "left_out"
#: Column of the ids of documents that were brought together: all of a cluster in what
#: is read, one for each sentence in answers.
SOURCES = "sources"
#: Columns of the answer after the id, and the names of their Arrow types.
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
    """Which columns hold what, and how each row is summarized.

    They are plain values, so that they can be sent to other machines.

    >>> CorpusSettings(budget=50).summary.unit
    'words'
    """

    #: Column that tells rows apart.
    id: str = "id"
    #: Column of texts, or of lists of texts that are summarized together.
    text: str = "text"
    budget: float = SummaryCall.budget
    summary: SummarySettings = SummarySettings()
    #: For words: which of them are rare.
    background: Background = field(default_factory=Background, repr=False)
    seed: int = 0
    #: Bytes of one row's texts; more is an error of that row.
    max_bytes: int = 16 * 2**20

    def __post_init__(self) -> None:
        if not number("budget", self.budget) >= 0:
            raise InputError(
                f"budget must be >= 0, got {self.budget}.", hint="Pass 0 or more."
            )
        require_id_column("id", self.id, text=self.text)
        if self.text in (ERROR, LEFT_OUT, SOURCES):
            raise InputError(
                f"text must not be a column that is added, got {self.text!r}.",
                hint="Rename the column.",
            )
        # Whatever is wrong with the settings is wrong with every row: say it once.
        self.summary.summarizer(self.background)


def require_id_column(name: str, column: str, *, text: str) -> None:
    """Raise the error that says so if answers could not have this column."""
    if column in (*SCHEMA_FIELDS, LEFT_OUT, SOURCES, text):
        raise InputError(
            f"{name} must be neither the text nor a column of the answers, got "
            f"{column!r}.",
            hint="Rename the column.",
        )
