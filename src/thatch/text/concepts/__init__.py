"""Concept schemes: what a passage says, and what that is worth."""
