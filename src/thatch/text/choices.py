"""Names that stand for units, concepts and kinds of passages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from thatch.errors import InputError, InputTypeError
from thatch.text.concepts.salience import Salience
from thatch.text.concepts.schemes import Bigrams, Concepts, CustomConcepts, TfIdf
from thatch.text.costs.units import CHARACTERS, SENTENCES, TOKENS, WORDS, Unit
from thatch.text.passages.passages import Granularity

__all__ = [
    "CONCEPTS",
    "UNITS",
    "ConceptsOrName",
    "granularity_of",
    "concepts_of",
    "unit_of",
]

Kind = TypeVar("Kind")
ConceptsOrName = Concepts | Callable[[str], Iterable[Hashable]] | str

UNITS: dict[str, Unit] = {
    "words": WORDS,
    "characters": CHARACTERS,
    "sentences": SENTENCES,
    "tokens": TOKENS,
}
CONCEPTS: dict[str, Concepts] = {
    "salience": Salience(),
    "tf-idf": TfIdf(),
    "tf-idf-content": TfIdf(remove_stop_words=True),
    "bigrams": Bigrams(),
}


def unit_of(given: Unit | str) -> Unit:
    """Return the unit, or the one of that name.

    >>> unit_of("characters").measure("four")
    4
    """
    if isinstance(given, Unit):
        return given
    return _named("unit", given, UNITS)


def granularity_of(given: Granularity | str) -> Granularity:
    """Return the kind of passage, or the one of that name.

    >>> granularity_of("file")
    <Granularity.FILE: 'file'>
    """
    return _named("by", given, {by.value: by for by in Granularity})


def concepts_of(given: ConceptsOrName) -> Concepts:
    """Return the set of concepts, the one of that name, or the function as one.

    >>> concepts_of("bigrams")
    Bigrams(min_documents=3)
    """
    if isinstance(given, str):
        return _named("concepts", given, CONCEPTS)
    if hasattr(given, "weigh") and not isinstance(given, type):
        return given
    if not callable(given) or isinstance(given, type):
        raise InputTypeError(
            "concepts must be a set of concepts, its name or a function, got "
            f"{given!r}.",
            hint="Pass Bigrams(), for example, or leave it out.",
        )
    return CustomConcepts(given)


def _named(name: str, given: str, known: dict[str, Kind]) -> Kind:
    if not isinstance(given, str) or given not in known:
        raise InputError(
            f"{name} must be one of {', '.join(known)}, got {given!r}.",
            hint="Check its spelling.",
        )
    return known[given]
