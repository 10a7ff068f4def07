"""Readability: concepts count fully where a sentence that stands on its own says them.

A sentence with a flaw, such as one that begins with "However", covers only a share of
the weight of its concepts; the rest is covered by sentences without it. So a flawed
sentence is chosen only for what no other says as well, and the task remains a coverage
problem, with its certificate.
"""

from __future__ import annotations

import numpy as np

from thatch.arrays import Floats, number
from thatch.errors import InputError
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.passages.flaws import Flaw, flaws_of
from thatch.text.passages.passages import Passages

__all__ = ["readable", "require_readability"]

# How serious each flaw is: at the default readability of 0.3, sentences that are not
# even whole cover nothing, and those that dangle cover two fifths.
_SEVERITIES = {
    Flaw.FRAGMENT: 10 / 3,
    Flaw.CAPTION: 10 / 3,
    Flaw.BYLINE: 10 / 3,
    Flaw.NOTICE: 10 / 3,
    Flaw.INTRODUCTION: 10 / 3,
    Flaw.DANGLING: 2.0,
    Flaw.CROSS_REFERENCE: 1.0,
    Flaw.SHORT: 1.0,
}


def require_readability(readability: float) -> None:
    """Require a readability from 0 to 1."""
    if not 0.0 <= number("readability", readability) <= 1.0:
        raise InputError(
            f"readability is {readability}; it must be from 0 to 1.",
            hint="Pass 0 to ignore how sentences read, 1 to avoid every flaw.",
        )


def readable(
    table: ConceptTable, passages: Passages, readability: float
) -> ConceptTable:
    """Return the table in which sentences with flaws cover less of their concepts.

    A sentence with a flaw of severity s covers the share 1 - s x readability of the
    weight of each of its concepts, or nothing. To this end concepts are divided into
    parts.

    Parameters
    ----------
    table
        The concepts of the passages, with their weights.
    passages
        The passages.
    readability
        From 0, where flaws do not matter, to 1.
    """
    credits = _credits(passages, readability)
    levels = np.array(sorted({*credits[credits > 0.0].tolist(), 1.0}))
    if (credits == 1.0).all():
        return table
    credit_of_pair = credits[table.passage_indices]
    # Most concepts have no flawed sentence: they stay whole.
    is_divided = np.zeros(len(table.concepts), dtype=np.bool_)
    is_divided[table.concept_indices[credit_of_pair < 1.0]] = True
    parts = [table.restricted_to(~is_divided)]
    divided = table.restricted_to(is_divided)
    credit_of_pair = credits[divided.passage_indices]
    for below, level in zip(np.append(0.0, levels[:-1]), levels, strict=True):
        parts.append(divided.part(float(level - below), credit_of_pair >= level))
    return ConceptTable.joined(parts)


def _credits(passages: Passages, readability: float) -> Floats:
    """Share of its concepts' weights that each passage covers."""
    credits = np.ones(len(passages))
    for p, flaw in flaws_of(passages).items():
        credits[p] = max(0.0, 1.0 - readability * _SEVERITIES[flaw])
    return credits
