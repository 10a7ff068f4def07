"""Mutated problem files: each must be solved, or refused as invalid input."""

from __future__ import annotations

import io
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from fuzz.commands import failure_of_command, preload
from fuzz.mutations import mutated

from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.files import FileFormat, write_instance
from thatch.problem.instances.toy import greedy_trap

#: Formats that are read, but not written.
GRAPHS = {
    FileFormat.DOMINATING_SET: b"c a path\np ds 4 3\n1 2\n2 3\n3 4\n",
    FileFormat.HITTING_SET: b"p hs 4 3\n1 2\n2 3 4\n1 4\n",
}
#: Files for other solvers, which are refused.
PROGRAMS = {FileFormat.MPS.value, FileFormat.LP.value}


def case(random):
    """The suffix and the mutated content of a file."""
    valid = seeds()
    suffix = random.choice(sorted(valid))
    return suffix, mutated(valid[suffix], random)


def failure_of(path):
    """What is wrong with how ``thatch solve`` ends on a file."""
    readable = {suffix: seeds()[suffix] for suffix in seeds().keys() - PROGRAMS}
    preload("solve", readable, "--budget", 2)
    return failure_of_command("solve", path, "--budget", 2, "--max-seconds", 2)


@cache
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
    files = {form.value: [text] for form, text in GRAPHS.items()}
    with tempfile.TemporaryDirectory() as folder:
        for form in [each for each in FileFormat if each not in GRAPHS]:
            files[form.value] = []
            for problem in (named, plain, unweighted):
                if form in (FileFormat.SET_COVER, FileFormat.RAIL):
                    problem = unweighted
                path = Path(folder) / f"problem{form.value}"
                write_instance(problem, path)
                files[form.value].append(path.read_bytes())
    # Recognized by their contents.
    files[".dat"] = files[".scp"] + files[".rail"] + files[".txt"]
    files[".json"].append(
        b'{"format": "thatch-coverage", "version": 1, "sets": [[0], [1, 2]]}'
    )
    with np.load(io.BytesIO(files[".npz"][0])) as arrays:
        compressed = io.BytesIO()
        np.savez_compressed(compressed, **arrays)
    files[".npz"].append(compressed.getvalue())
    return files
