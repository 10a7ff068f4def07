"""Background: document frequencies of terms in a large collection."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from thatch.errors import FileFormatError
from thatch.files.atomic_writes import atomic_write
from thatch.files.languages import language_code
from thatch.files.reading import read_bytes
from thatch.text.documents.document import Document
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import languages_of

_FORMAT, _VERSION = "thatch-background", 1


@dataclass(frozen=True)
class Background:
    """Document frequencies of terms.

    >>> texts = ["A vote.", "The votes are in."]
    >>> background = Background.of(Document.from_text(text) for text in texts)
    >>> background.num_documents, background.counts["vote"]
    (2, 2)
    """

    #: Number of documents in the collection.
    num_documents: int = 0
    #: Number of documents that contain each term.
    counts: Mapping[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, documents: Iterable[Document], *, language: str | None = None
    ) -> Background:
        """Count over the documents. Default language: guessed for each of them."""
        given = list(documents)
        if language is None:
            codes = languages_of(given)
        else:
            codes = [language_code(language)] * len(given)
        counts: Counter[str] = Counter()
        for code in dict.fromkeys(codes):
            texts = (d.text for d, own in zip(given, codes, strict=True) if own == code)
            for terms in Terms(code).of_each(texts):
                counts.update(set(terms))
        return cls(len(given), counts)

    def without(self, other: Background) -> Background:
        """Return the counts without those of some of the documents."""
        counts = Counter(self.counts)
        counts.subtract(other.counts)
        return Background(self.num_documents - other.num_documents, counts)

    def __add__(self, other: Background) -> Background:
        """Return the sum of both, which must have no document in common."""
        counts = Counter(self.counts)
        counts.update(other.counts)
        return Background(self.num_documents + other.num_documents, counts)


def write_background(background: Background, path: str | Path) -> None:
    """Save a background as JSON, by an atomic write.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "news.json"
    >>> write_background(Background(2, {"vote": 1}), path)
    >>> read_background(path).counts
    {'vote': 1}
    """
    with atomic_write(path) as draft:
        draft.write_bytes(background_bytes(background))


def background_bytes(background: Background) -> bytes:
    """Return a background as the content of a file."""
    values = {
        "format": _FORMAT,
        "version": _VERSION,
        "num_documents": background.num_documents,
        "counts": dict(sorted(background.counts.items())),
    }
    return json.dumps(values, ensure_ascii=False, indent=0).encode()


def read_background(path: str | Path) -> Background:
    """Read a background that `write_background` saved.

    Raises
    ------
    FileFormatError
        If the file contains something else.
    InputError
        If the file cannot be read.
    """
    return parsed_background(read_bytes(Path(path)), path)


def parsed_background(content: bytes, path: str | Path) -> Background:
    """Return the background that the content of a file contains."""
    try:
        values = json.loads(content)
        if (values["format"], values["version"]) != (_FORMAT, _VERSION):
            raise ValueError
        counts = {str(term): int(count) for term, count in values["counts"].items()}
        return Background(int(values["num_documents"]), counts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            path,
            "the file is not a background written by thatch corpus-stats.",
            hint="Check the path.",
        ) from error
