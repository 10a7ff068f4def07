"""Clusters: documents on one subject, with reference summaries written by people."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.text.documents.document import Document


@dataclass(frozen=True)
class Cluster:
    """Documents on one subject, with reference summaries if there are any.

    >>> Cluster("storm", (Document("It rained."),), ("Rain.",)).references
    ('Rain.',)
    """

    #: Name of the cluster.
    name: str
    #: The documents.
    documents: tuple[Document, ...]
    #: Reference summaries, as plain text.
    references: tuple[str, ...] = ()
