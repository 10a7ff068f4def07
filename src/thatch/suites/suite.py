"""A test suite: how long its tests take, and which lines they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thatch.arrays import Flags, Floats, distinct, frozen
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.suites.contexts import Matches, is_node_id, matched
from thatch.suites.durations import duration_of
from thatch.suites.recording import LineGroup, Recording


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """Tests to choose from, with durations and lines."""

    #: Node ids, or names of functions where the recording has no node ids.
    tests: tuple[str, ...]
    #: float64, shape (num_tests,): unknown ones are the median of the others, or 1 if
    #: all are unknown.
    seconds: Floats
    #: Shape (num_tests,): whether there is coverage data of the test.
    is_recorded: Flags
    files: tuple[str, ...]
    #: Lines outside of test modules; tests are numbered as above.
    groups: tuple[LineGroup, ...]
    num_unknown_durations: int
    #: How the recorded names were matched.
    matches: Matches

    @classmethod
    def of(
        cls,
        recording: Recording,
        *,
        node_ids: Sequence[str] | None = None,
        durations: Mapping[str, float],
        root: Path | None = None,
    ) -> Suite:
        """Suite of a recording, whose tests cover some lines outside of test modules.

        By default, the collected tests are those of the recording. Names of files are
        made relative to the root, where they are below it.
        """
        tests = recording.tests if node_ids is None else tuple(node_ids)
        matches = matched(recording.tests, tests)
        known = [duration_of(test, durations) for test in tests]
        is_recorded = np.zeros(len(tests), dtype=np.bool_)
        number_of = {test: t for t, test in enumerate(tests)}
        for node_id in matches.node_ids.values():
            is_recorded[number_of[node_id]] = True
        return cls(
            tests,
            _filled(known),
            frozen(is_recorded),
            tuple(_relative(file, root) for file in recording.files),
            _groups(recording, matches, number_of),
            known.count(None),
            matches,
        )

    @property
    def has_durations(self) -> bool:
        """Whether any duration is known."""
        return self.num_unknown_durations < len(self.tests)

    @property
    def problem(self) -> CoverageProblem:
        """Tests as items that cost seconds, groups of lines as elements; no budget."""
        sizes = [group.tests.size for group in self.groups]
        items = [group.tests for group in self.groups]
        return CoverageProblem(
            self.seconds,
            frozen(np.array([len(group.lines) for group in self.groups], dtype=float)),
            0.0,
            Edges.between(
                np.concatenate(items) if items else np.zeros(0, dtype=np.int64),
                np.repeat(np.arange(len(sizes)), sizes),
                num_items=len(self.tests),
                num_elements=len(sizes),
            ),
        )


def _relative(file: str, root: Path | None) -> str:
    path = Path(file)
    is_below = root is not None and path.is_relative_to(root)
    return str(path.relative_to(root)) if root is not None and is_below else file


def _filled(known: list[float | None]) -> Floats:
    """The durations in whole microseconds, at least one; the median if unknown."""
    given = [seconds for seconds in known if seconds is not None]
    median = float(np.median(given)) if given else 1.0
    seconds = np.array([median if each is None else each for each in known])
    # Durations are counted in microseconds, so that costs are integers in that unit. No
    # test is free: one that takes no measurable time is not worth running twice.
    whole = np.maximum(np.round(seconds, 6), 1e-6)
    return frozen(whole)


def _groups(
    recording: Recording, matches: Matches, number_of: Mapping[str, int]
) -> tuple[LineGroup, ...]:
    number = np.full(len(recording.tests), -1, dtype=np.int64)
    for t, name in enumerate(recording.tests):
        if name in matches.node_ids:
            number[t] = number_of[matches.node_ids[name]]
    skipped = _test_modules(recording)
    lines_of: dict[bytes, list[tuple[int, int]]] = {}
    for group in recording.groups:
        tests = number[group.tests]
        lines = [line for line in group.lines if line[0] not in skipped]
        key = distinct(tests[tests >= 0]).tobytes()
        if key and lines:
            lines_of.setdefault(key, []).extend(lines)
    if recording.groups and not any(
        line[0] not in skipped for group in recording.groups for line in group.lines
    ):
        raise InputError(
            "the coverage data has only lines of the tests themselves.",
            hint="Measure the code that they test: pytest --cov=PACKAGE "
            "--cov-context=test.",
        )
    return tuple(
        LineGroup(frozen(np.frombuffer(key, dtype=np.int64)), tuple(lines))
        for key, lines in lines_of.items()
    )


def _test_modules(recording: Recording) -> set[int]:
    """Files that contain the tests: running a test does not test its own lines."""
    modules = set(_paths_of(recording.tests))
    names = {path.rpartition("/")[2] for path in modules}
    skipped = set()
    for number, file in enumerate(recording.files):
        parts = file.replace("\\", "/").split("/")
        if parts[-1] == "conftest.py":
            skipped.add(number)
        elif parts[-1] in names:
            ends = ("/".join(parts[k:]) for k in range(len(parts)))
            if not modules.isdisjoint(ends):
                skipped.add(number)
    return skipped


def _paths_of(tests: Iterable[str]) -> Iterable[str]:
    for test in tests:
        if is_node_id(test):
            path, _, name = test.partition("[")[0].partition("::")
            # A doctest is called after its object, and is in the file that it tests.
            if "." not in name:
                yield path
        else:
            *module, _function = test.split(".")
            yield "/".join(module) + ".py"
            yield "/".join(module[:-1]) + ".py"
