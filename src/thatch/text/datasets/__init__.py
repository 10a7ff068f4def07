"""Clusters of documents with reference summaries, and the formats they come in."""
