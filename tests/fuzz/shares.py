"""Cases of several targets, shared among processes."""

from __future__ import annotations

import hashlib
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic


@dataclass(frozen=True)
class Plan:
    """What is fuzzed, and for how long: a number of cases, or else some seconds."""

    targets: Sequence[str]
    seed: int
    cases: int | None
    seconds: float
    failures: Path


def run_share(plan: Plan, first: int, *, num_shares: int) -> dict[str, tuple[int, int]]:
    """Run some of the cases; return how many there were per target, and failed.

    Parameters
    ----------
    plan
        What is run in all shares together.
    first
        The number of the first case.
    num_shares
        How far apart the numbers of the cases are.
    """
    tally = dict.fromkeys(plan.targets, (0, 0))
    end = monotonic() + plan.seconds
    is_timed = plan.cases is None
    numbers = count(first, num_shares)
    for number in numbers if is_timed else range(first, plan.cases, num_shares):
        for name in plan.targets:
            if is_timed and monotonic() >= end:
                return tally
            cases, failures = tally[name]
            has_failed = _has_failed(name, f"{plan.seed}-{number}", plan.failures)
            tally[name] = (cases + 1, failures + has_failed)
    return tally


def _has_failed(name: str, seed: str, failures: Path) -> bool:
    """Draw a case and check it; keep its file, and return True, if it fails."""
    target = import_module(f"fuzz.{name}")
    suffix, content = target.case(Random(f"{name}-{seed}"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"case{suffix}"
        path.write_bytes(content)
        try:
            failure = target.failure_of(path)
        except Exception:
            failure = traceback.format_exc()
    if failure is None:
        return False
    kept = failures / name / f"{hashlib.sha256(content).hexdigest()[:12]}{suffix}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(content)
    print(f"{name}, seed {seed}: {failure}\n  kept as {kept}", flush=True)
    return True
