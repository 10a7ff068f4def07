"""The page of ``thatch serve`` and its HTTP API."""
