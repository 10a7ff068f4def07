"""Readability: concepts count fully where a sentence that stands on its own says them.

A sentence with a flaw, such as one that begins with "However", covers only a share of
the weight of its concepts; the rest is covered by sentences without it. So a flawed
sentence is chosen only for what no other says as well, and the task remains a coverage
problem, with its certificate. A sentence that refers to the one before covers all of
its concepts where that one, its antecedent, is selected as well.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import pairwise

import numpy as np

from thatch.arrays import Flags, Floats, distinct, number
from thatch.errors import InputError
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.passages.flaws import Flaw
from thatch.text.passages.passages import Passages

# How serious each flaw is: at the default readability of 0.3, sentences that are not
# even whole cover nothing, and those that dangle cover two fifths.
_SEVERITIES = dict.fromkeys(Flaw, 10 / 3) | {
    Flaw.DANGLING: 2.0,
    Flaw.CROSS_REFERENCE: 1.0,
    Flaw.LIST_ITEM: 2.0,
    Flaw.SHORT: 1.0,
}


def require_readability(readability: float) -> None:
    """Require a readability from 0 to 1."""
    if not 0.0 <= number("readability", readability) <= 1.0:
        raise InputError(
            f"readability is {readability}; it must be from 0 to 1.",
            hint="Pass 0 to ignore how sentences read, 1 to avoid every flaw.",
        )


def antecedents_of(
    flaws: Mapping[int, Flaw], passages: Passages, *, ruled_out: Container[int]
) -> dict[int, int]:
    """For each sentence that refers to the one before, the index of that one.

    Only where the one before may be selected and has no flaw itself.
    """
    return {
        p: p - 1
        for p, flaw in flaws.items()
        if flaw is Flaw.DANGLING
        and passages.all[p].position > 0
        and p - 1 not in flaws
        and p - 1 not in ruled_out
        and p not in ruled_out
    }


def readable(
    table: ConceptTable,
    passages: Passages,
    readability: float,
    *,
    flaws: Mapping[int, Flaw],
    antecedents: Container[int],
) -> tuple[ConceptTable, Flags]:
    """Return the table in which sentences with flaws cover less of their concepts.

    A sentence with a flaw of severity s covers the share 1 - s x readability of the
    weight of each of its concepts, or nothing. To this end concepts are divided into
    parts. The second value has a flag per pair of the table: whether the passage covers
    the concept only where its antecedent is selected as well.
    """
    credits = np.ones(len(passages))
    may_be_joint = np.zeros(len(passages), dtype=np.bool_)
    for p, flaw in flaws.items():
        credits[p] = max(0.0, 1.0 - readability * _SEVERITIES[flaw])
        may_be_joint[p] = p in antecedents
    parts, needs_antecedent = [], []
    for levels, divided in _by_levels(table, credits):
        credit_of_pair = credits[divided.passage_indices]
        is_joint = may_be_joint[divided.passage_indices]
        for below, level in pairwise([0.0, *levels]):
            is_alone = credit_of_pair >= level
            is_kept = is_alone | is_joint
            parts.append(divided.part(level - below, is_kept))
            needs_antecedent.append(~is_alone[is_kept])
    return ConceptTable.joined(parts), np.concatenate(needs_antecedent)


def _by_levels(
    table: ConceptTable, credits: Floats
) -> Iterator[tuple[list[float], ConceptTable]]:
    """The concepts, by the shares to which sentences cover them.

    Most concepts have no flawed sentence: they stay whole.
    """
    levels = sorted({*credits[credits > 0.0].tolist(), 1.0})
    credit_of_pair = credits[table.passage_indices]
    # One bit per level below 1.
    codes = np.zeros(len(table.concepts), dtype=np.int64)
    for k, level in enumerate(levels[:-1]):
        codes[table.concept_indices[credit_of_pair == level]] |= 1 << k
    # Without any concept, there is still a table.
    for code in distinct(codes).tolist() or [0]:
        found = [level for k, level in enumerate(levels[:-1]) if code >> k & 1]
        yield [*found, 1.0], table.restricted_to(codes == code)
