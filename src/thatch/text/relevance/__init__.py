"""Relevance: how well passages answer a query, and which of them say the same."""
