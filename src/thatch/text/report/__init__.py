"""Summaries as a page of HTML that is one file."""
