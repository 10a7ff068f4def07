"""Requests: validated and handled in worker processes, within limits."""
