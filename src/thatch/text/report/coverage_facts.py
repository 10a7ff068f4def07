"""What a summary covers: of each document, and of the most important terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Ints, distinct, sums_by
from thatch.text.summary import Summary
from thatch.text.task import SummaryTask


@dataclass(frozen=True, slots=True)
class DocumentShare:
    """How much of a document is in a summary."""

    #: Number of its passages.
    num_passages: int
    #: Number of those that are selected.
    num_chosen: int
    #: Share of the weight of its own concepts that the summary covers, from 0 to 1.
    covered: float


@dataclass(frozen=True, slots=True)
class ImportantTerm:
    """A term of the text, and where a summary covers it."""

    #: As it is written most often.
    name: str
    #: Weight of its concepts together.
    weight: float
    #: Number of the first sentence of the summary that covers it, from 1; 0 for none.
    sentence: int


def document_shares(summary: Summary) -> list[DocumentShare]:
    """Return how much the summary covers of each document.

    A concept of several documents counts for each of them, whichever it is covered by.
    """
    task, table = summary.task, summary.task.table
    num_documents, num_concepts = len(task.passages.documents), len(table.concepts)
    document_of = np.array([p.document for p in task.passages], dtype=np.int64)
    own = distinct(
        document_of[table.passage_indices] * num_concepts + table.concept_indices
    )
    documents, concepts = np.divmod(own, max(num_concepts, 1))
    weights = table.weights[concepts]
    is_covered = _first_sentences(summary)[concepts] > 0
    totals = sums_by(documents, weights, num_documents)
    covered = sums_by(documents, weights * is_covered, num_documents)
    num_passages = np.bincount(document_of, minlength=num_documents)
    num_chosen = np.bincount(document_of[summary.passages], minlength=num_documents)
    shares = covered / np.where(totals > 0, totals, 1.0)
    return [
        DocumentShare(*each)
        for each in zip(
            num_passages.tolist(), num_chosen.tolist(), shares.tolist(), strict=True
        )
    ]


def important_terms(summary: Summary, *, at_most: int = 20) -> list[ImportantTerm]:
    """Return the heaviest terms of the text, under the names that readers know."""
    task = summary.task
    sentences = _first_sentences(summary).tolist()
    heaviest = sorted(
        (
            (name, sum(task.table.weights[concepts].tolist()), concepts)
            for name, concepts in _concepts_by_name(task).items()
        ),
        key=lambda term: -term[1],
    )[: 2 * at_most]
    # "Apollo 13" rather than "13".
    words = (name.split(" ") for name, _, _ in heaviest)
    parts = {word for several in words if len(several) > 1 for word in several}
    return [
        ImportantTerm(
            name,
            weight,
            min((sentences[a] for a in concepts if sentences[a]), default=0),
        )
        for name, weight, concepts in heaviest
        if name not in parts
    ][:at_most]


def _concepts_by_name(task: SummaryTask) -> dict[str, list[int]]:
    """The concepts that explain something, by the words that they are known by."""
    found: dict[str, list[int]] = {}
    is_shown = task.is_concept_shown.tolist()
    for a, name in enumerate(task.words_of_concepts):
        if is_shown[a] and task.terms_of_concepts[a]:
            found.setdefault(name, []).append(a)
    return found


def _first_sentences(summary: Summary) -> Ints:
    """Per concept: the number of the first sentence that covers it, or 0."""
    task, table = summary.task, summary.task.table
    number_of = np.zeros(len(task.passages), dtype=np.int64)
    number_of[summary.passages] = np.arange(1, len(summary.passages) + 1)
    numbers = number_of[table.passage_indices]
    pairs = np.flatnonzero((numbers > 0) & task.is_counted(summary.passages))
    none = len(summary.passages) + 1
    first = np.full(len(table.concepts), none, dtype=np.int64)
    np.minimum.at(first, table.concept_indices[pairs], numbers[pairs])
    first[first == none] = 0
    return first
