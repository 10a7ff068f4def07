"""Figures, drawn with matplotlib from plain numbers."""
