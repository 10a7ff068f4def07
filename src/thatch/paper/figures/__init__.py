"""Figures of the experiments, drawn with matplotlib."""
