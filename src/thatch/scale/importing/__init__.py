"""Importing: shards from tables of edges, costs and weights."""
