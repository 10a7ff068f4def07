"""Settings of a corpus job, the names of its columns, and its fingerprint.

The fingerprint is everything that decides what a job writes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from thatch import __version__
from thatch.arrays import number
from thatch.errors import InputError
from thatch.files.locations import Format, Location, version_of
from thatch.options import require_integer
from thatch.text.concepts.background import Background
from thatch.text.summary_settings import SummaryCall, SummarySettings

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
                f"keep is {', '.join(self.keep)}; it names a column twice.",
                hint="Name every column once.",
            )


def require_kept_column(name: str, *, id: str) -> None:
    """Require a column whose name the result does not use."""
    if name in (id, *SCHEMA_FIELDS):
        raise InputError(
            f"keep contains {name!r}, which is a column of the result.",
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


def fingerprint_of(
    files: list[Location],
    settings: CorpusSettings,
    *,
    group_by: str | None,
    format: Format,
) -> dict[str, Any]:
    """Everything that must be the same for a job to be resumed, as plain values."""
    background = settings.background
    counts = [background.num_documents, sorted(background.counts.items())]
    values = {
        "version of thatch": __version__,
        "input": version_of(files),
        "group_by": group_by,
        "format": format,
        "id": settings.id,
        "text": settings.text,
        "keep": settings.keep,
        "budget": settings.budget,
        "seed": settings.seed,
        "max_bytes": settings.max_bytes,
        **asdict(settings.summary),
        "background": hashlib.sha256(json.dumps(counts).encode()).hexdigest(),
    }
    # As it is read back from a file, with lists in place of tuples.
    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain


def digest_of(fingerprint: dict[str, Any]) -> str:
    """A short form of a fingerprint, equal only if all values are equal.

    >>> digest_of({"budget": 1, "seed": 0}) == digest_of({"seed": 0, "budget": 1})
    True
    """
    content = json.dumps(fingerprint, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()


def require_same(fingerprint: dict[str, Any], file: Location) -> None:
    """Require the fingerprint of the original run, which a file contains."""
    try:
        known = dict(json.loads(file.content() or b""))
    except (ValueError, TypeError) as error:
        raise InputError(
            f"cannot resume: {file.address} is damaged.",
            hint="Remove its folder and start again, or choose another output.",
        ) from error
    differences = [
        _difference(name, known.get(name), value)
        for name, value in fingerprint.items()
        if value != known.get(name)
    ]
    if differences:
        raise InputError(
            f"cannot resume the job in {file.address}: {', '.join(differences)}.",
            hint="Use the settings of the original run, or choose another output.",
        )


def _difference(name: str, known: object, value: object) -> str:
    """How a setting differs from the original run, and its values if they are short.

    >>> _difference("budget", 100, 200)
    'budget differs from the original run (100, now 200)'
    """
    values = f" ({known!r}, now {value!r})"
    # Longer values are not shown in errors.
    has_values = name != "background" and len(values) <= 100
    return f"{name} differs from the original run{values if has_values else ''}"
