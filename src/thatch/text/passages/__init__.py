"""Passages: what a summary is selected from, and which of them may be selected."""
