"""Covering: the cheapest way to reach a target."""
