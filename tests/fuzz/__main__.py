"""Search for inputs that break a promise, for a given time.

    PYTHONPATH=tests python -m fuzz --seconds 60 solvers documents

Each target is a module with two functions: `case` draws an input as a suffix and bytes,
and `failure_of` says what is wrong with a file, or returns None. Inputs that fail are
written to a folder; in ``tests/data/fuzz/TARGET`` the tests replay them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import traceback
from importlib import import_module
from itertools import count, cycle
from pathlib import Path
from random import Random
from time import monotonic

#: What is fuzzed, each by the module of the same name.
TARGETS = ("solvers", "problem_files", "documents", "http_requests", "corpus_jobs")


def main() -> int:
    """Run the targets in turn; exit code 1 if any input fails."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit")
    parser.add_argument("--cases", type=int, help="cases per target, instead of a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--failures", type=Path, default=Path("build/fuzz"))
    given = parser.parse_args()
    targets = given.targets or TARGETS
    for name in targets:
        if name not in TARGETS:
            parser.error(f"there is no target {name!r}; choose from {TARGETS}")
    num_cases = dict.fromkeys(targets, 0)
    num_failures = dict.fromkeys(targets, 0)
    end = monotonic() + given.seconds
    for number, name in zip(_rounds(len(targets)), cycle(targets), strict=False):
        is_over = monotonic() >= end if given.cases is None else number >= given.cases
        if is_over:
            break
        num_cases[name] += 1
        num_failures[name] += _run_case(name, f"{given.seed}-{number}", given.failures)
    for name in targets:
        print(f"{name}: {num_cases[name]} cases, {num_failures[name]} failures")
    return 1 if any(num_failures.values()) else 0


def _rounds(size: int):
    """0, 0, ..., 1, 1, ...: the number of the round of each case."""
    return (k // size for k in count())


def _run_case(name: str, seed: str, failures: Path) -> bool:
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


if __name__ == "__main__":
    sys.exit(main())
