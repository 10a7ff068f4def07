"""Mutated problem files: each must be solved, or refused as invalid input.

Run it to search for files that break this::

    PYTHONPATH=tests python -m fuzz.problem_files --count 1000 --seed 1
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import os
import resource
import select
import signal
import sys
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic

import numpy as np
from fuzz.mutations import mutated

from thatch.cli.app import run
from thatch.instances.files import FileFormat, write_instance
from thatch.instances.toy import greedy_trap
from thatch.problem.coverage_problem import CoverageProblem

MAX_MEMORY = 2**30  # bytes
MAX_SECONDS = 10.0
DONE, REFUSED = 0, 2


@dataclass(frozen=True)
class Outcome:
    """How ``thatch solve FILE`` ended."""

    #: Exit code; None if it did not end in time.
    code: int | None
    output: str
    seconds: float

    @property
    def is_expected(self):
        """Whether the file was solved, or refused with a hint and no traceback."""
        if self.code not in (DONE, REFUSED) or "Traceback" in self.output:
            return False
        return self.code == DONE or "hint:" in self.output


def seeds():
    """Small valid files, by suffix: every format, with names and without."""
    named = greedy_trap().problem
    rng = np.random.default_rng(0)
    plain = CoverageProblem.from_matrix(
        rng.random((12, 20)) < 0.3,
        costs=rng.random(12),
        weights=rng.random(20),
        budget=2.5,
    )
    unweighted = CoverageProblem.from_sets([[0, 1], [1, 2], [3]], budget=2)
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for form in FileFormat:
            files[form.value] = []
            for problem in (named, plain, unweighted):
                if form is FileFormat.SET_COVER:
                    problem = unweighted
                path = Path(folder) / f"problem{form.value}"
                write_instance(problem, path)
                files[form.value].append(path.read_bytes())
    files[".json"].append(
        b'{"format": "thatch-coverage", "version": 1, "sets": [[0], [1, 2]]}'
    )
    with np.load(io.BytesIO(files[".npz"][0])) as arrays:
        compressed = io.BytesIO()
        np.savez_compressed(compressed, **arrays)
    files[".npz"].append(compressed.getvalue())
    return files


def mutated_files(count, random):
    """Pairs of a suffix and the mutated content of a file."""
    valid = seeds()
    for _ in range(count):
        suffix = random.choice(sorted(valid))
        yield suffix, mutated(valid[suffix], random)


def load_everything():
    """Import what a command imports, so that the processes need not do it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        for suffix, contents in seeds().items():
            path = Path(folder) / f"valid{suffix}"
            path.write_bytes(contents[0])
            assert run(["solve", str(path), "--budget", "2"]) == DONE


def outcome_of(path):
    """Run ``thatch solve`` on a file, in a process with limits of time and memory."""
    start = monotonic()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Threads that wait for work do not matter to the child.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        _solve(path, writer)  # does not return
    os.close(writer)
    output = bytearray()
    is_over = False
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        while not is_over:
            left = start + MAX_SECONDS - monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return Outcome(None, output.decode(errors="replace"), MAX_SECONDS)
            piece = pipe.read(2**16)
            output += piece
            is_over = not piece
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Outcome(code, output.decode(errors="replace"), monotonic() - start)


def _solve(path, writer):
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                code = run(["solve", str(path), "--budget", "2", "--max-seconds", "2"])
            except BaseException:
                traceback.print_exc()
        os.write(writer, printed.getvalue()[-4000:].encode(errors="replace"))
    finally:
        os._exit(code)


def main():
    """Search for files that break the promise; exit code 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"))
    given = parser.parse_args()
    counts, slowest = {}, 0.0
    load_everything()
    with tempfile.TemporaryDirectory() as folder:
        for suffix, content in mutated_files(given.count, Random(given.seed)):
            path = Path(folder) / f"mutated{suffix}"
            path.write_bytes(content)
            outcome = outcome_of(path)
            slowest = max(slowest, outcome.seconds)
            kind = outcome.code if outcome.is_expected else "broken"
            counts[kind] = counts.get(kind, 0) + 1
            if not outcome.is_expected:
                name = hashlib.sha256(content).hexdigest()[:12]
                given.failures.mkdir(parents=True, exist_ok=True)
                (given.failures / f"{name}{suffix}").write_bytes(content)
                print(f"{name}{suffix}: {outcome.code}\n{outcome.output[-1500:]}")
    print(f"{counts}, slowest {slowest:.2f} s")
    return 1 if "broken" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
