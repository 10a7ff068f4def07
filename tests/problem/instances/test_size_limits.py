"""Small files that describe large problems, and how long bad files take to read."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc
import zipfile
from math import inf
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from refusals import refused
from systems import limited_memory

from thatch.errors import FileFormatError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.files import (
    contents_of,
    problem_from_json,
    read_instance,
    write_instance,
)
from thatch.problem.instances.formats import npz
from thatch.problem.instances.formats.contents import ALWAYS_ALLOWED, max_described

MEMORY = 2**30  # bytes


def own_json(sets):
    return {"format": "thatch-coverage", "version": 1, "budget": 1, "sets": sets}


def test_the_largest_element_that_a_small_file_may_name_is_allowed():
    problem = problem_from_json(own_json([[ALWAYS_ALLOWED - 1]]))
    assert problem.num_elements == ALWAYS_ALLOWED
    with refused(FileFormatError, "sets[0]", ALWAYS_ALLOWED):
        problem_from_json(own_json([[ALWAYS_ALLOWED]]))


def test_a_caller_may_set_a_lower_limit():
    assert problem_from_json(own_json([[9]]), max_elements=10).num_elements == 10
    with refused(FileFormatError, "sets[0]", 10):
        problem_from_json(own_json([[10]]), max_elements=10)


def test_a_larger_file_may_describe_a_larger_problem():
    num_edges = ALWAYS_ALLOWED // 10 + 1
    assert max_described(num_edges) == 10 * num_edges > ALWAYS_ALLOWED


def test_a_rail_file_may_have_rows_that_no_column_covers():
    def contents(num_rows):
        return contents_of(f"{num_rows} 1\n1 1 2".encode(), Path("a.rail"))

    assert contents(ALWAYS_ALLOWED).weights.size == ALWAYS_ALLOWED
    with refused(FileFormatError, "rows", ALWAYS_ALLOWED):
        contents(ALWAYS_ALLOWED + 1)


def test_elements_with_weights_need_no_limit():
    values = own_json([[2]]) | {"weights": [1, 1, 1]}
    assert problem_from_json(values, max_elements=1).num_elements == 3


def test_a_compressed_archive_of_a_usual_problem_is_read(tmp_path):
    edges = [(i, a) for i in range(300) for a in range(300)]
    problem = CoverageProblem.from_edges(
        edges, costs=np.ones(300), weights=np.ones(300), budget=9
    )
    write_instance(problem, tmp_path / "plain.npz")
    with np.load(tmp_path / "plain.npz") as arrays:
        np.savez_compressed(tmp_path / "small.npz", **arrays)
    assert read_instance(tmp_path / "small.npz").num_edges == 90_000


def archive_of(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


SMALL_FILES = {
    "a.json": b'{"format": "thatch-coverage", "version": 1, "sets": [[99999999]]}',
    "a.txt": b"2000000000 1 1 1\n1 1\n1\n1",
    "b.txt": b"m=2000000000 n=2000000000 knapsack size=1\n1",
    "c.txt": b"2000000000 2000000000\n1",
    "a.scp": b"2147483647 0",
    "a.rail": b"4000001 0",
    "a.npz": archive_of(magic="thatch-coverage 1", costs=np.zeros(10**8, np.int8)),
}
READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
from thatch.cli import main
sys.argv[1:] = ["solve", sys.argv[1], "--budget", "1"]
main()
"""


@pytest.mark.slow
@limited_memory
@pytest.mark.parametrize("name", SMALL_FILES)
def test_a_small_file_is_refused_before_memory_is_allocated(tmp_path, name):
    target = tmp_path / name
    target.write_bytes(SMALL_FILES[name])
    assert target.stat().st_size < 300_000
    answer = subprocess.run(
        [sys.executable, "-c", READ, target, str(MEMORY)],
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 2, answer.stderr
    assert "memory" not in answer.stderr
    assert name in answer.stderr


@pytest.mark.parametrize(
    ("version", "length"), [(1, 11_000), (2, 11_000), (2, 30_000_000), (3, 30_000_000)]
)
def test_a_long_header_of_an_array_is_refused_before_it_is_read(version, length):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        size = length.to_bytes(2 if version == 1 else 4, "little")
        start = b"\x93NUMPY" + bytes([version, 0]) + size
        archive.writestr("magic.npy", start + b" " * length)
    tracemalloc.start()
    with refused(FileFormatError, "magic", length):
        npz.read(file.getvalue(), Path("a.npz"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


LONG_LINES = {
    "digits": lambda n: b"1 1 1 1\n" + b"1" * n + b"x",
    "fractions": lambda n: b"1 1 1 1\n" + b"1." + b"1" * n + b"x",
    "exponents": lambda n: b"1 1 1 1\n1e" + b"1" * n + b"x",
    "points": lambda n: b"1 1 1 1\n" + b"1." * n,
    "not a number": lambda n: b"1 1 1 1\n" + b"nan(" * n,
    "names in the first line": lambda n: b"m=1" + b"n=1" * n,
    "spaces in the first line": lambda n: b"m=1 n=1 knapsack" + b" " * n + b"x",
    "spaces in a heading": lambda n: b"m=1 n=1 knapsack size=1\n" + b" " * n + b"1",
}


@pytest.mark.slow
@pytest.mark.parametrize("line", LONG_LINES.values(), ids=LONG_LINES)
def test_the_time_to_refuse_a_long_line_is_linear(tmp_path, line):
    """Eight times the length takes 64 times as long if the time is quadratic."""

    def seconds(length):
        target = tmp_path / "a.txt"
        target.write_bytes(line(length))
        start = process_time()
        with refused(FileFormatError):
            read_instance(target, budget=1)
        return process_time() - start

    # A busy machine can lengthen a try, but not every try, and it shortens none.
    short, long = inf, inf
    for _ in range(20):
        short, long = min(short, seconds(20_000)), min(long, seconds(160_000))
        # Below a millisecond, other work outweighs the expression.
        if long < 30 * max(short, 1e-3):
            return
    pytest.fail(f"{long:g} s, and {short:g} s for an eighth of the length")
