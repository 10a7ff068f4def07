"""Least costs and bounds of `cover`, on problems with constraints."""

from __future__ import annotations

from random import Random

from fuzz.attack import drawing
from fuzz.attack.calls import drawn_cover
from fuzz.attack.failures import failure_of as failure_of


def case(random: Random) -> tuple[str, bytes]:
    """A small problem, and what is asked about it, as JSON."""
    return ".json", drawing.case(random, drawn_cover).to_bytes()
