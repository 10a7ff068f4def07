"""`select_tests`: the cheapest tests for a share, or the best for a time limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, isfinite

import numpy as np

from thatch.arrays import Flags, Ints, distinct, exact_sum, number
from thatch.errors import InputError
from thatch.options import counted
from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.stopping import TargetGap
from thatch.solvers.auto import Auto
from thatch.solvers.solving import solve
from thatch.suites.cheapest import GAP, SearchLimits, cheapest_tests
from thatch.suites.contexts import is_node_id
from thatch.suites.suite import Suite
from thatch.suites.suite_report import LostLines, SuiteReport, time

# How many of the tests that always run a note names: the rest of a line.
_MAX_LISTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """Chosen tests, and the bound: on the time with a share, else on the lines."""

    tests: Ints
    bound: float
    gap: float


def select_tests(
    suite: Suite,
    *,
    share: float | None = None,
    seconds: float | None = None,
    required: Iterable[str] = (),
    excluded: Iterable[str] = (),
    failed: Iterable[str] = (),
    limits: SearchLimits | None = None,
) -> SuiteReport:
    """Choose tests that keep a share of the covered lines, or the most within a time.

    Tests without coverage data are always chosen, and so are the required ones and
    those that failed in the last run, unless they are excluded. Lines that only
    excluded tests cover do not count. Either a share from 0 to 1 is given,
    which the cheapest tests keep, or the seconds that the tests may take, with the
    required ones. Without a time limit of the search, the result is the same in each
    run.
    """
    _require_goal(suite, share, seconds)
    excluded = set(excluded)
    failed = set(failed).intersection(suite.tests) - excluded
    task = _Task.of(suite, set(required), excluded, failed)
    limits = SearchLimits() if limits is None else limits
    if share is not None:
        choice = task.cheapest(share, limits)
    else:
        choice = task.best(number("seconds", seconds), limits)
    return _report(suite, task, choice, share, seconds)


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """The tests to choose from, and those that are chosen already."""

    problem: CoverageProblem
    #: int64, ascending: tests with coverage data, those required, those without data.
    free: Ints
    required: Ints
    new: Ints
    #: Tests that failed in the last run, with coverage data or without.
    failed: set[str]

    @classmethod
    def of(
        cls, suite: Suite, required: set[str], excluded: set[str], failed: set[str]
    ) -> _Task:
        for test in suite.tests:
            if test in required and test in excluded:
                raise InputError(
                    f"{test} is both required and excluded.",
                    hint="Remove one of the two markers.",
                )
        always = required | failed
        is_required = np.array([test in always for test in suite.tests], dtype=bool)
        is_excluded = np.array([test in excluded for test in suite.tests], dtype=bool)
        recorded = suite.is_recorded
        return cls(
            suite.problem,
            np.flatnonzero(recorded & ~is_required & ~is_excluded),
            np.flatnonzero(recorded & is_required),
            np.flatnonzero(~recorded & ~is_excluded),
            failed,
        )

    @property
    def always(self) -> Ints:
        return distinct(self.required, self.new)

    @property
    def every(self) -> Selection:
        """All tests that may run."""
        return Selection(self.problem, distinct(self.free, self.always))

    def cheapest(self, share: float, limits: SearchLimits) -> _Choice:
        restriction = Restriction.of(self.problem, self.free, self.required)
        target = (
            ceil(share * self.every.value - tolerances.INTEGER) - restriction.base_value
        )
        spent, chosen, least = self._cost_of(self.always), self.always, 0.0
        if target > 0:
            found = cheapest_tests(restriction.problem, target, limits)
            chosen = distinct(self.free[found.items], self.always)
            least = found.bound
        cost = self._cost_of(chosen)
        bound = min(spent + least, cost)
        return _Choice(chosen, bound, (cost - bound) / cost if cost else 0.0)

    def best(self, budget: float, limits: SearchLimits) -> _Choice:
        spent = self._cost_of(self.always)
        if spent > budget:
            raise InputError(
                f"the tests that always run ({counted(self.always.size, 'test')}) take "
                f"{time(spent)}; the limit is {time(budget)}.",
                hint="Raise the limit, require fewer tests, or record coverage for the "
                "tests that have none.",
            )
        problem = self.problem.with_budget(budget - self._cost_of(self.new))
        restriction = Restriction.of(problem, self.free, self.required)
        result = solve(
            restriction.problem,
            Auto(effort="fast"),
            max_seconds=limits.seconds_left,
            stop=[TargetGap(GAP), *limits.stop],
            seed=limits.seed,
            progress=False,
        )
        chosen = distinct(restriction.restored(result.selection).items, self.new)
        base = restriction.base_value
        bound = floor(result.upper_bound + base + tolerances.INTEGER)
        value = result.selection.value + base
        return _Choice(chosen, bound, (bound - value) / bound if bound else 0.0)

    def _cost_of(self, tests: Ints) -> float:
        return exact_sum(self.problem.costs[tests])


def _require_goal(suite: Suite, share: float | None, seconds: float | None) -> None:
    if (share is None) == (seconds is None):
        raise InputError(
            f"share is {share} and seconds is {seconds}; exactly one of them must be "
            "given.",
            hint="Pass share=0.95, for example.",
        )
    if share is not None and not 0.0 <= number("share", share) <= 1.0:
        raise InputError(
            f"share is {share}; it must be between 0 and 1.",
            hint="Pass 0.95 for 95 %, for example.",
        )
    if seconds is None:
        return
    budget = number("seconds", seconds)
    if not (isfinite(budget) and budget >= 0):
        raise InputError(
            f"seconds is {budget}; it must be finite and non-negative.",
            hint="Pass a time of 0 seconds or more.",
        )
    if suite.tests and not suite.has_durations:
        raise InputError(
            f"seconds is {budget:g}, but no duration of any test is known.",
            hint="Record them with pytest --thatch-record, or pass a file from "
            "pytest --junit-xml.",
        )


def _report(
    suite: Suite,
    task: _Task,
    choice: _Choice,
    share: float | None,
    seconds: float | None,
) -> SuiteReport:
    covered = task.every.covered
    kept = Selection(task.problem, choice.tests).covered
    has_times = suite.has_durations
    return SuiteReport(
        selected=[suite.tests[t] for t in choice.tests.tolist()],
        num_tests=len(suite.tests),
        seconds=exact_sum(suite.seconds[choice.tests]) if has_times else None,
        total_seconds=exact_sum(suite.seconds) if has_times else None,
        lines=int(task.problem.weights[kept].sum()),
        covered_lines=int(task.problem.weights[covered].sum()),
        share=share,
        budget=seconds,
        bound=choice.bound,
        gap=choice.gap,
        lost=_lost(suite, covered, kept),
        notes=list(_notes(suite, task)),
    )


def _listed(tests: list[str]) -> str:
    """Some of the tests that always run, for a note."""
    shown = ", ".join(tests[:_MAX_LISTED])
    others = len(tests) - _MAX_LISTED
    return f"{shown} and {others:,} more" if others > 0 else shown


def _lost(suite: Suite, covered: Flags, kept: Flags) -> list[LostLines]:
    """Lost lines by file, most first."""
    num_covered: dict[int, int] = {}
    lost: dict[int, list[int]] = {}
    for group, is_covered, is_kept in zip(suite.groups, covered, kept, strict=True):
        for file, line in group.lines if is_covered else ():
            num_covered[file] = num_covered.get(file, 0) + 1
            if not is_kept:
                lost.setdefault(file, []).append(line)
    files = sorted(lost, key=lambda file: (-len(lost[file]), suite.files[file]))
    return [
        LostLines(suite.files[f], len(lost[f]), num_covered[f], sorted(lost[f]))
        for f in files
    ]


def _notes(suite: Suite, task: _Task) -> Iterator[str]:
    failed = [test for test in suite.tests if test in task.failed]
    if failed:
        yield f"{counted(len(failed), 'test')} failed last time: {_listed(failed)}"
    new = [suite.tests[t] for t in task.new.tolist()]
    if new:
        yield f"{counted(len(new), 'test')} without coverage data: {_listed(new)}"
    required = {suite.tests[t] for t in task.required.tolist()} - task.failed
    if required:
        yield f"{counted(len(required), 'test')} required"
    num_excluded = len(suite.tests) - task.free.size - task.always.size
    if num_excluded:
        yield f"{counted(num_excluded, 'test')} excluded"
    if suite.matches.unmatched:
        yield (
            f"{counted(len(suite.matches.unmatched), 'test')} in the coverage data "
            "not among the collected tests: lines that only they cover do not count"
        )
    if suite.matches.ambiguous:
        yield (
            f"{counted(len(suite.matches.ambiguous), 'function')} in the coverage data "
            "shared by several collected tests, such as "
            f"{suite.matches.ambiguous[0]}: these count as tests without data"
        )
    if not all(map(is_node_id, suite.tests)):
        yield "the coverage data has names of functions, which pytest does not accept"
    if not suite.has_durations:
        yield "no durations are known: every test counts the same"
    elif suite.num_unknown_durations:
        unknown = counted(suite.num_unknown_durations, "test")
        yield f"{unknown} of unknown duration: the median of the others is assumed"
