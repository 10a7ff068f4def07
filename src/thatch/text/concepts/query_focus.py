"""Query focus: concepts count for how close to the query they are used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Passages

__all__ = ["focused"]


def focused(table: ConceptTable, passages: Passages, query: str) -> ConceptTable:
    """The table with weights that follow the query.

    A passage answers the query by the share of the query's terms that it holds, rare
    ones counting more; a concept counts for the mean answer of the passages that hold
    it, squared.
    """
    answers = _answers(passages, query)
    num_concepts = len(table.concepts)
    holders = np.bincount(table.held, minlength=num_concepts)
    sums = np.bincount(
        table.held, weights=answers[table.passages], minlength=num_concepts
    )
    nearness = sums / np.maximum(holders, 1)
    # Squared, or what the whole text repeats would outweigh what was asked for.
    return replace(table, weights=table.weights * nearness**2)


def _answers(passages: Passages, query: str) -> Floats:
    """How much of the query each passage holds, 0 to 1: float64, one a passage."""
    terms = Terms(passages.language)
    (asked,) = (set(found) for found in terms.of_each([query]))
    # A query of nothing but stop words still asks for them.
    asked = (asked - terms.stop_terms()) or asked
    if not asked:
        raise InputError(
            f"query must hold a word, got {query!r}.", hint="Leave the query out."
        )
    found = [set(held) for held in terms.of_each(p.text for p in passages)]
    is_held = np.array([[term in held for term in sorted(asked)] for held in found])
    if not found:
        return np.zeros(0)
    num_holders = is_held.sum(axis=0)
    if not num_holders.any():
        raise InputError(
            f"query must share a word with the text, got {query!r}.",
            hint="Use words of the text, or leave the query out.",
        )
    # A word of every passage tells none of them apart; one of a few says what is meant.
    rarities = np.log((1 + len(found)) / np.maximum(num_holders, 1))
    rarities[num_holders == 0] = 0.0
    answers: Floats = is_held @ (rarities / rarities.sum())
    return answers
