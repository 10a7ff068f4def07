"""What `solve` proves, its certificates show."""

import numpy as np
import pytest
from cases import for_each
from exact_optima import at_least, exact_optimum
from problems import random_problem, with_random_groups

from thatch import BeliefPropagation, CoverageProblem, solve
from thatch.planning import alternatives, sweep
from thatch.problem.instances.designs import projective_plane
from thatch.run.result import Status
from thatch.solvers import Exact, GeneralizedGreedy, LocalSearch
from thatch.verification import reasons_against_bound, verify


def graph_problem(seed, *, num_items, num_elements, degree, kind):
    """Random sets, with weights and costs that are whole, real or decimal."""
    rng = np.random.default_rng(seed)
    sets = [
        rng.choice(num_elements, rng.integers(0, 2 * degree), replace=False)
        for _ in range(num_items)
    ]

    def numbers(count):
        found = {
            "ones": np.ones(count),
            "whole": rng.integers(1, 20, count),
            "real": rng.random(count),
            "decimal": np.round(rng.random(count), 1),
        }
        return found[kind].astype(float)

    costs, weights = (
        numbers(num_items) + 0.1 * (kind == "decimal"),
        numbers(num_elements),
    )
    return CoverageProblem.from_sets(
        [each.tolist() for each in sets],
        costs=costs,
        weights=weights,
        budget=float(costs.sum() * 0.5 * rng.random()),
    )


@pytest.mark.parametrize("kind", ["ones", "whole", "real", "decimal"])
@for_each("seed", range(6))
def test_proved_results_are_verified(seed, kind):
    degree = 1 + seed % 4
    problem = graph_problem(
        seed, num_items=60, num_elements=110, degree=degree, kind=kind
    )
    result = solve(problem)
    assert str(verify(problem, result)) == "verified"
    assert result.gap < 1e-9
    # The same steps do not show what is false.
    below = {"most_covered": result.selection.value * (1.0 - 1e-9) - 1e-9}
    assert reasons_against_bound(problem, result.certificate, **below)


@for_each("seed", range(12))
def test_bounds_of_every_solver_are_verified(seed):
    problem = random_problem(seed)
    if seed % 2:
        problem = with_random_groups(problem, seed)
    if seed % 3 == 0 and problem.num_items > 1:
        problem = problem.with_decided(forbidden=[0])
    solvers = [GeneralizedGreedy(), LocalSearch(), Exact(), None]
    if problem.constraints is None:
        solvers.append(BeliefPropagation(max_iterations=20))
    for solver in solvers:
        result = solve(problem, solver)
        assert str(verify(problem, result)) == "verified", solver


@for_each("seed", range(20))
def test_what_is_optimal_is_so_in_exact_arithmetic(seed):
    problem = random_problem(seed, max_items=9)
    optimum = exact_optimum(problem)
    for solver in (None, "exact"):
        result = solve(problem, solver)
        assert result.status is Status.OPTIMAL
        assert result.upper_bound == at_least(optimum)
        assert result.selection.value == float(optimum)
        assert result.gap == 0.0


@for_each("seed", range(4))
def test_sweeps_and_alternatives_are_verified(seed):
    problem = graph_problem(seed, num_items=30, num_elements=50, degree=3, kind="whole")
    for result in sweep(problem, problem.budget * np.array([0.3, 0.6, 1.0])):
        assert str(verify(result.selection.problem, result)) == "verified"
    for result in alternatives(problem, 3):
        assert str(verify(problem, result)) == "verified"


def test_a_bound_from_overlaps_is_verified():
    plane = projective_plane(7, budget=5)
    result = solve(plane)
    assert (result.upper_bound, result.status) == (36.0, Status.OPTIMAL)
    assert str(verify(plane, result)) == "verified"


def test_small_components_are_verified():
    sets = [{2 * i, 2 * i + 1 - i % 2} for i in range(100)]
    problem = CoverageProblem.from_sets(sets, budget=60)
    result = solve(problem)
    assert str(verify(problem, result)) == "verified"


def test_an_item_of_a_group_that_cannot_be_full_replaces_another():
    """The other item of the group is forbidden."""
    problem = CoverageProblem.from_sets(
        [[1], [1], [], [0]], costs=[0.1, 0.1, 1.0, 0.1], budget=0.3
    )
    problem = problem.with_constraints(
        forbidden=[2], groups=["a", None, "a", None], at_most={"a": 1}
    )
    (result,) = sweep(problem, [0.1], nested=True)
    assert str(verify(problem.with_budget(0.1), result)) == "verified"
