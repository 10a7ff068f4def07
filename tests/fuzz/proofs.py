"""Optima and bounds of every solver, and of shards, on problems with constraints."""

from __future__ import annotations

from random import Random

from fuzz.attack import drawing
from fuzz.attack.calls import drawn_solve
from fuzz.attack.failures import failure_of as failure_of


def case(random: Random) -> tuple[str, bytes]:
    """A small problem, and what is asked about it, as JSON."""
    return ".json", drawing.case(random, drawn_solve).to_bytes()
