"""How the rows of a corpus are summarized."""

from __future__ import annotations

from dataclasses import dataclass, field

from thatch.arrays import number
from thatch.errors import InputError
from thatch.text.background import Background
from thatch.text.settings import SummarySettings

__all__ = ["CorpusSettings"]


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
    budget: float = 100
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
        # Whatever is wrong with the settings is wrong with every row: say it once.
        self.summary.summarizer(self.background)
