"""What the reader of a stream of summaries knows already: --known and --remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thatch.cli.output import notify_skipped
from thatch.errors import InputError
from thatch.files.atomic_writes import require_writable

if TYPE_CHECKING:
    from thatch.text.concepts.known import KnownConcepts
    from thatch.text.documents.document import Document


@dataclass(frozen=True)
class Memory:
    """What earlier documents said, and the file that is to say so the next time."""

    #: None if no earlier documents were named.
    known: KnownConcepts | None
    #: File to write. Default: none.
    target: Path | None
    language: str | None
    #: Whether the file is one of those that were named as known.
    is_continued: bool = False

    @classmethod
    def of(
        cls,
        known: list[Path] | None,
        target: Path | None,
        language: str | None,
        encoding: str | None,
    ) -> Memory:
        """Read what is known: from documents, or from files that `write` wrote."""
        if target is not None:
            _require_state_file(target)
        if not known:
            return cls(None, target, language)
        from thatch.text.concepts.known import KnownConcepts, read_known
        from thatch.text.documents.readers import read_documents

        found = KnownConcepts()
        sources = []
        is_continued = False
        for path in known:
            if path.suffix.lower() != ".json":
                sources.append(path)
                continue
            is_target = target is not None and path.absolute() == target.absolute()
            is_continued |= is_target
            # The first time, there is nothing to remember yet.
            if path.exists() or not is_target:
                found |= read_known(path)
        if sources:
            documents = read_documents(
                sources, encoding=encoding, on_skip=notify_skipped
            )
            found |= KnownConcepts.of(documents, language=language)
        return cls(found, target, language, is_continued)

    def write(self, documents: Sequence[Document]) -> None:
        """Write what is known once these documents have been read, too."""
        if self.target is None:
            return
        from thatch.text.concepts.known import KnownConcepts, add_known, write_known

        found = KnownConcepts.of(documents, language=self.language)
        if self.known is not None:
            found |= self.known
        # Another command may have written to the file since it was read.
        write = add_known if self.is_continued else write_known
        write(found, self.target)


def _require_state_file(target: Path) -> None:
    require_writable(target)
    if target.suffix.lower() != ".json":
        raise InputError(
            f"--remember is {target}; the name of its file must end in .json.",
            hint="Otherwise --known would read the file as a document.",
        )
