"""Selecting chunks: which of them a prompt should contain, within a budget."""
