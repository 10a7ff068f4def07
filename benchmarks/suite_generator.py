"""A generated test suite for `suites.py`: a program in layers, and tests that call it.

The program has files of functions, and functions of blocks of lines. Some blocks of a
function are its usual path; the others are special cases. Functions call functions of
the same file and of lower layers. A test calls a few functions of one file, with some
of their special cases; in functions that those call, special cases are rare. Most tests
also run the lines of shared fixtures. Durations grow with the number of lines, and have
a long tail.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from coverage import CoverageData

#: Share of the files in each layer, from the lowest; tests are as many per file.
LAYERS = (0.15, 0.35, 0.5)
LINES_PER_FILE = 200
LINES_PER_BLOCK = 4
BLOCKS_PER_FUNCTION = 4
CALLS_PER_FUNCTION = 2.0
CALLS_PER_TEST = 3
#: Probability that a block is on the usual path, and that a special case runs where a
#: test calls the function itself, or only reaches it.
ON_USUAL_PATH, SPECIAL_IF_CALLED, SPECIAL_IF_REACHED = 0.4, 0.3, 0.01
SHARE_WITH_FIXTURES = 0.85
FIXTURE_FUNCTIONS = 15


@dataclass(frozen=True)
class GeneratedSuite:
    """What each test runs, and how long it takes."""

    node_ids: list[str]
    #: Lines of each file, per test.
    lines: list[dict[str, list[int]]]
    seconds: list[float]

    def write_coverage(self, path: Path) -> None:
        """Write the file that coverage would write."""
        written = CoverageData(str(path))
        for node_id, lines in zip(self.node_ids, self.lines, strict=True):
            written.set_context(f"{node_id}|run")
            written.add_lines(lines)
        written.close()


class _Program:
    """Functions in files, and which functions each one calls."""

    def __init__(self, num_lines: int, rng: np.random.Generator) -> None:
        self.num_files = num_lines // LINES_PER_FILE
        self.per_file = LINES_PER_FILE // (LINES_PER_BLOCK * BLOCKS_PER_FUNCTION)
        bounds = np.cumsum([0, *LAYERS[:-1]]) * self.num_files
        self.layer = np.searchsorted(bounds, np.arange(self.num_files), "right") - 1
        num_functions = self.num_files * self.per_file
        self.is_usual = rng.random((num_functions, BLOCKS_PER_FUNCTION)) < ON_USUAL_PATH
        self.is_usual[:, 0] = True
        self.calls = [self._calls(function, rng) for function in range(num_functions)]

    def _calls(self, function: int, rng: np.random.Generator) -> list[int]:
        file = function // self.per_file
        below = np.flatnonzero(self.layer < self.layer[file])
        # A few files of lower layers serve each file, and few functions most callers.
        served_by = below[(file * 7 + np.arange(6)) % below.size] if below.size else []
        calls = []
        for _ in range(rng.poisson(CALLS_PER_FUNCTION)):
            if len(served_by) and rng.random() < 0.7:
                called_file = int(rng.choice(served_by))
            else:
                called_file = file
            called = int(self.per_file * rng.random() ** 2)
            calls.append(called_file * self.per_file + called)
        return calls

    def reached_from(self, functions: list[int]) -> set[int]:
        reached, waiting = set(functions), list(functions)
        while waiting:
            new = set(self.calls[waiting.pop()]) - reached
            reached |= new
            waiting += new
        return reached

    def place(self, block: int) -> tuple[int, int]:
        """File and first line of a block."""
        blocks_per_file = self.per_file * BLOCKS_PER_FUNCTION
        file, inside = divmod(block, blocks_per_file)
        return file, 1 + inside * LINES_PER_BLOCK


def generated_suite(
    num_tests: int = 3_000, num_lines: int = 70_000, seed: int = 0
) -> GeneratedSuite:
    """Draw a suite."""
    rng = np.random.default_rng(seed)
    program = _Program(num_lines, rng)
    fixtures = set(range(FIXTURE_FUNCTIONS))
    node_ids, lines, seconds = [], [], []
    for test in range(num_tests):
        file = test % program.num_files
        start = file * program.per_file
        called = start + rng.integers(program.per_file, size=CALLS_PER_TEST)
        reached = program.reached_from(called.tolist())
        if rng.random() < SHARE_WITH_FIXTURES:
            reached |= fixtures
        blocks = _blocks(program, np.array(sorted(reached)), called, rng)
        node_ids.append(f"tests/test_module_{file:03}.py::test_case_{test:04}")
        lines.append(_lines(program, blocks.tolist()))
        seconds.append(_duration(blocks.size, rng))
    return GeneratedSuite(node_ids, lines, seconds)


def _blocks(
    program: _Program, reached: np.ndarray, called: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Blocks that run: the usual path of each function, and some special cases."""
    chances = np.where(np.isin(reached, called), SPECIAL_IF_CALLED, SPECIAL_IF_REACHED)
    shape = reached.size, BLOCKS_PER_FUNCTION
    runs = program.is_usual[reached] | (rng.random(shape) < chances[:, None])
    return (reached[:, None] * BLOCKS_PER_FUNCTION + np.arange(shape[1]))[runs]


def _lines(program: _Program, blocks: list[int]) -> dict[str, list[int]]:
    lines: dict[str, list[int]] = {}
    for block in blocks:
        file, first = program.place(block)
        name = f"/project/src/layer_{program.layer[file]}/module_{file:03}.py"
        lines.setdefault(name, []).extend(range(first, first + LINES_PER_BLOCK))
    return lines


def _duration(num_blocks: int, rng: np.random.Generator) -> float:
    return round(1e-4 * num_blocks * float(rng.lognormal(0.0, 1.2)) + 5e-4, 6)
