"""Reduce a test suite: the fewest tests that run every line that all of them run.

The report comes from coverage.py with pytest-cov, which records the test of each line:

    pytest --cov --cov-context=test && coverage json --show-contexts

The sample is the report of five modules in `thatch.text` and their tests, without the
entries for functions and classes, which are not used here.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from thatch import CoverageProblem, Result, solve

SAMPLE = Path(__file__).parent / "coverage.json"


def lines_by_test(report: dict) -> dict[str, set[str]]:
    """Lines that each test runs. Lines that run on import have no test."""
    lines = defaultdict(set)
    for file, found in report["files"].items():
        for line, tests in found["contexts"].items():
            for test in tests:
                if test:
                    lines[test.removesuffix("|run")].add(f"{file}:{line}")
    return dict(lines)


def fewest_tests(problem: CoverageProblem) -> tuple[Result, Result]:
    """Results for the smallest budget that covers everything, and for one less."""
    below = solve(problem.with_budget(0))
    for num_tests in range(1, problem.num_items + 1):
        result = solve(problem.with_budget(num_tests))
        if result.selection.value == problem.num_elements:
            break
        below = result
    return result, below


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    sets = lines_by_test(json.loads(path.read_text()))
    problem = CoverageProblem.from_sets(sets, budget=0)
    print(f"{problem.num_items} tests run {problem.num_elements} lines")
    for num_tests in (1, 3, 5):
        selection = solve(problem.with_budget(num_tests)).selection
        print(f"the best {num_tests} run {selection.value / problem.num_elements:.0%}")
    result, below = fewest_tests(problem)
    selection = result.selection
    print(f"{len(selection)} run all of them:")
    for test, lines in zip(selection.labels, selection.contributions, strict=True):
        print(f"{lines:3.0f} lines alone  {test.rpartition('::')[2]:.66}")
    print(
        f"no {below.selection.problem.budget:.0f} run more than "
        f"{below.upper_bound:.0f} ({below.status.label})"
    )


if __name__ == "__main__":
    main()
