"""Passages: what a summary is chosen from, and which of them may be chosen."""
