"""Serving: requests, validated and handled in worker processes, and their answers."""
