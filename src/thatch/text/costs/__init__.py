"""Costs: what a passage takes of the budget as printed."""
