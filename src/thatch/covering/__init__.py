"""Covering: the least cost that covers a target."""
