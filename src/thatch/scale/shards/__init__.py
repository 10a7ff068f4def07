"""Shards: a problem stored in files, which no machine needs to hold as a whole."""
