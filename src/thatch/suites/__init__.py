"""Test suites: the cheapest tests that keep a share of the coverage."""
