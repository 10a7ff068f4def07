"""Figures drawn with matplotlib."""
