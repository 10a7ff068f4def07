"""Concept schemes: the concepts of passages, and the weight of each concept."""
