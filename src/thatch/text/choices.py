"""Units, concepts, kinds of passages and styles of citations by name."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from thatch.errors import InputError, InputTypeError
from thatch.options import require_choice

if TYPE_CHECKING:
    from thatch.text.concepts.schemes import Concepts
    from thatch.text.costs.units import Unit
    from thatch.text.passages.passages import Granularity

ConceptsOrName: TypeAlias = (
    "Concepts | Callable[[str], Iterable[Hashable]] | str"  # imported on use
)


class Grouping(enum.StrEnum):
    """What the passages of a summary are grouped by."""

    DOCUMENT = "document"
    HEADING = "heading"


class CitationStyle(enum.StrEnum):
    """How a summary names its sources."""

    #: ``[1]`` after each passage, and a list of the sources below.
    NUMBERS = "numbers"
    #: Footnotes of Markdown.
    FOOTNOTES = "footnotes"
    #: The source itself after each passage, such as ``(report.pdf, p. 12)``.
    INLINE = "inline"


# The command line lists these names in its help without NumPy, so what they name is
# imported on use.
_UNITS = ("words", "characters", "sentences", "tokens")
#: Concept schemes, with a description of each.
_CONCEPTS = {
    "salience": "salient words and word pairs",
    "tf-idf": "words, weighted by tf-idf",
    "tf-idf-content": "words except stop words, weighted by tf-idf",
    "bigrams": "word pairs",
}


def unit_choices() -> dict[str, str]:
    """Names of units, with a description of each."""
    return {name: name for name in _UNITS}


def granularity_choices() -> dict[str, str]:
    """Names of kinds of passages, with a description of each."""
    from thatch.text.passages.passages import Granularity

    return {by.value: by.value for by in Granularity}


def concept_choices() -> dict[str, str]:
    """Names of concept schemes, with a description of each."""
    return _CONCEPTS


def unit_of(given: Unit | str | Any, *, default: str = "words") -> Unit:
    """Return the unit, the unit of that name, or the tokens of a tokenizer."""
    from thatch.text.costs import units

    if isinstance(given, units.Unit):
        return given
    if not isinstance(given, str) and (callable(given) or hasattr(given, "encode")):
        return units.tokens_by(given)
    name = require_choice("unit", given, _UNITS, default=default)
    unit: Unit = getattr(units, name.upper())
    return unit


def unit_with_tokenizer(unit: str, tokenizer: str | None) -> Unit:
    """Return the unit of that name, or the tokens of a tokenizer by name or path.

    >>> unit_with_tokenizer("words", None).name
    'words'
    """
    from thatch.text.costs.tokenizers import tokens_by_name

    if tokenizer is None:
        return unit_of(unit)
    if unit != "tokens":
        raise InputError(
            f"tokenizer applies only to unit tokens; the unit is {unit}.",
            hint="Set the unit to tokens, or leave out the tokenizer.",
        )
    return tokens_by_name(tokenizer)


def granularity_of(given: Granularity | str) -> Granularity:
    """Return the kind of passage, or the kind of that name."""
    from thatch.text.passages.passages import Granularity

    return Granularity(require_choice("by", given, Granularity, default="sentence"))


def concepts_of(given: ConceptsOrName) -> Concepts:
    """Return the concept scheme, the scheme of that name, or the function as one."""
    from thatch.text.concepts.salience import Salience
    from thatch.text.concepts.schemes import Bigrams, CustomConcepts, TfIdf

    if isinstance(given, str):
        name = require_choice("concepts", given, _CONCEPTS, default="salience")
        if name == "salience":
            return Salience()
        if name == "bigrams":
            return Bigrams()
        return TfIdf(remove_stop_words=name == "tf-idf-content")
    if hasattr(given, "weigh") and not isinstance(given, type):
        return given
    if isinstance(given, type) or not callable(given):
        raise InputTypeError(
            f"concepts is {given!r}; it must be a concept scheme, its name or a "
            "function.",
            hint="Pass Bigrams(), for example, or leave it out.",
        )
    return CustomConcepts(given)


def grouping_choices() -> dict[str, str]:
    """Names of what passages are grouped by."""
    return {group.value: group.value for group in Grouping}


def grouping_of(given: Grouping | str | None) -> Grouping | None:
    """Return what passages are grouped by, given it or its name; None for no groups.

    >>> grouping_of("heading")
    <Grouping.HEADING: 'heading'>
    """
    if given is None:
        return None
    return Grouping(require_choice("group", given, Grouping, default="no groups"))


def citation_style_of(given: CitationStyle | str) -> CitationStyle:
    """Return the style of citations, or the style of that name.

    >>> citation_style_of("footnotes")
    <CitationStyle.FOOTNOTES: 'footnotes'>
    """
    return CitationStyle(
        require_choice("cite", given, CitationStyle, default="numbers")
    )
