"""Query focus: concepts count for how close to the query they are used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.text.occurrences import ConceptTable
from thatch.text.passages import Passages
from thatch.text.terms import Terms

__all__ = ["focused"]


def focused(table: ConceptTable, passages: Passages, query: str) -> ConceptTable:
    """The table with weights that follow the query.

    A passage answers the query by the share of the query's terms that it holds; a
    concept counts for the mean answer of the passages that hold it.
    """
    answers = _answers(passages, query)
    num_concepts = len(table.concepts)
    holders = np.bincount(table.held, minlength=num_concepts)
    sums = np.bincount(
        table.held, weights=answers[table.passages], minlength=num_concepts
    )
    nearness = sums / np.maximum(holders, 1)
    return replace(table, weights=table.weights * nearness)


def _answers(passages: Passages, query: str) -> Floats:
    """Share of the query's terms that each passage holds: float64, one a passage."""
    terms = Terms(passages.language)
    (asked,) = (set(found) for found in terms.of_each([query]))
    # A query of nothing but stop words still asks for them.
    asked = (asked - terms.stop_terms()) or asked
    if not asked:
        raise InputError(
            f"query must hold a word, got {query!r}.", hint="Leave the query out."
        )
    found = terms.of_each(passage.text for passage in passages)
    answers = np.array([len(asked.intersection(held)) for held in found]) / len(asked)
    if passages.all and not answers.any():
        raise InputError(
            f"query must share a word with the text, got {query!r}.",
            hint="Use words of the text, or leave the query out.",
        )
    return answers
