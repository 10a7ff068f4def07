"""Clusters: documents on one subject, with the summaries people wrote of them."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.text.documents.document import Document

__all__ = ["Cluster"]


@dataclass(frozen=True)
class Cluster:
    """Documents on one subject, and reference summaries where there are any.

    >>> Cluster("storm", (Document("It rained."),), ("Rain.",)).references
    ('Rain.',)
    """

    name: str
    documents: tuple[Document, ...]
    #: Summaries written by people, as plain text.
    references: tuple[str, ...] = ()
