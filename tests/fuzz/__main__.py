"""Search for inputs that break a promise, for a given time.

    PYTHONPATH=tests python -m fuzz --seconds 60 solvers documents
    PYTHONPATH=tests python -m fuzz --cases 30000 --processes 16 proofs covers plans

Each target is a module with two functions: `case` draws an input as a suffix and bytes,
and `failure_of` says what is wrong with a file, or returns None. Inputs that fail are
written to a folder; in ``tests/data/fuzz/TARGET`` the tests replay them. The same seed
draws the same cases, in one process or in many.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from fuzz.shares import Plan, run_share

#: What is fuzzed, each by the module of the same name.
TARGETS = (
    "solvers",
    "proofs",
    "covers",
    "plans",
    "problem_files",
    "documents",
    "http_requests",
    "corpus_jobs",
)


def main() -> int:
    """Run the targets in turn; exit code 1 if any input fails."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit")
    parser.add_argument("--cases", type=int, help="cases per target, instead of a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--failures", type=Path, default=Path("build/fuzz"))
    given = parser.parse_args()
    targets = given.targets or TARGETS
    for name in targets:
        if name not in TARGETS:
            parser.error(f"there is no target {name!r}; choose from {TARGETS}")
    plan = Plan(targets, given.seed, given.cases, given.seconds, given.failures)
    share = partial(run_share, plan, num_shares=given.processes)
    if given.processes == 1:
        tallies = [share(0)]
    else:
        # Processes of a pool of multiprocessing could not start any of their own.
        with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
            tallies = list(pool.map(share, range(given.processes)))
    num_failures = 0
    for name in targets:
        cases = sum(tally[name][0] for tally in tallies)
        failures = sum(tally[name][1] for tally in tallies)
        num_failures += failures
        print(f"{name}: {cases} cases, {failures} failures")
    return 1 if num_failures else 0


if __name__ == "__main__":
    sys.exit(main())
