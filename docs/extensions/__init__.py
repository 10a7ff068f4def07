"""Sphinx extensions for this documentation."""
