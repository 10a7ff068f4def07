"""Every solver tells the truth about problems whose optimum is known by enumeration."""

import pytest
from fuzz import solvers

from thatch import CoverageProblem, Status, write_instance
from thatch.problem.selection import Selection

pytestmark = pytest.mark.slow


class Wrong:
    """Claims that choosing nothing is optimal."""

    def solve(self, problem, run):
        return run.result(Selection.of(problem, []), Status.OPTIMAL, upper_bound=0.0)


def test_a_wrong_proof_is_found(monkeypatch, tmp_path):
    monkeypatch.setitem(solvers.solvers(), "wrong", Wrong())
    path = tmp_path / "problem.json"
    write_instance(CoverageProblem.from_sets([{0}], budget=1), path)
    assert "Wrong" in solvers.failure_of(path)


def test_the_optimum_is_that_of_the_exact_sums():
    """Ten items at 0.1 cost 1 together, though their sum in order is below 1."""
    sets = [{i} for i in range(10)]
    problem = CoverageProblem.from_sets(sets, costs=[0.1] * 10, budget=1)
    assert solvers.optimum(problem).value == 10.0
    fewer = problem.with_budget(0.99)
    assert solvers.optimum(fewer).value == 9.0
