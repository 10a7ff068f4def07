"""The fingerprint of a job: everything that decides what it writes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from thatch import __version__
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.errors import InputError
from thatch.files.locations import Format, Location, version_of

__all__ = ["digest_of", "fingerprint_of", "require_same"]

# Longer values are not shown in errors.
_MAX_CHARACTERS = 100


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
            f"cannot resume the job of {file.address}: {', '.join(differences)}.",
            hint="Use the settings of the original run, or choose another output.",
        )


def _difference(name: str, known: object, value: object) -> str:
    """How a setting differs from the original run; with the values if they are short.

    >>> _difference("budget", 100, 200)
    'budget differs from the original run (100, now 200)'
    """
    values = f" ({known!r}, now {value!r})"
    has_values = name != "background" and len(values) <= _MAX_CHARACTERS
    return f"{name} differs from the original run{values if has_values else ''}"
