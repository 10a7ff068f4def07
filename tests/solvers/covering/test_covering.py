"""Covers against enumeration: reached, never above their bound, optimal if proved."""

import itertools
import signal
from math import fsum, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem
from refusals import refused

from thatch import (
    CoverageProblem,
    InputError,
    Interruption,
    MaxIterations,
    Selection,
    Status,
    TargetGap,
    cover,
    solve,
)
from thatch.errors import InputTypeError
from thatch.solvers import Exhaustive
from thatch.solvers.covering import cover_task, searching

SHARES = [None, 1.0, 0.95, 0.7, 0.5, 0.1, 0.0]
SEEDS = st.integers(0, 2**32 - 1)


def least_cost(problem, target, coverable):
    """The cost of the cheapest selection that covers the target, by enumeration."""
    slack = coverable - target
    if slack and not problem.has_integer_weights:
        slack += 0.75e-12 * coverable
    is_coverable = problem.edges.element_degrees > 0
    least = fsum(problem.costs)
    for size in range(problem.num_items + 1):
        for items in itertools.combinations(range(problem.num_items), size):
            selection = Selection.of(problem, items)
            missing = problem.weights[is_coverable & ~selection.covered]
            if selection.cost < least and fsum(missing) <= slack:
                least = selection.cost
    return least


def checked(problem, **options):
    """The result of `cover`, compared with enumeration."""
    result = cover(problem, num_threads=1, **options)
    optimum = least_cost(problem, result.target, result.coverable)
    assert result.selection.value >= result.target - 2e-12 * result.coverable
    assert result.selection.is_feasible
    assert result.cost == fsum(problem.costs[result.selection.items])
    assert result.lower_bound <= optimum * (1 + 1e-12)
    assert result.cost >= optimum
    if result.status is Status.OPTIMAL:
        assert result.cost <= optimum * (1 + 1e-7)
    return result


def beasley(seed, *, num_items=120, num_elements=40, density=0.06):
    """Random costs from 1 to 100; every element has two items at least."""
    rng = np.random.default_rng(seed)
    is_edge = rng.random((num_items, num_elements)) < density
    for a in range(num_elements):
        is_edge[rng.choice(num_items, 2, replace=False), a] = True
    costs = rng.integers(1, 101, num_items)
    return CoverageProblem.from_matrix(is_edge, costs=costs, budget=0)


@given(seed=SEEDS, share=st.sampled_from(SHARES))
def test_small_problems_are_covered_at_the_least_cost(seed, share):
    problem = random_problem(seed, max_items=8, max_elements=12)
    found = checked(problem, share=share, share_of="coverable")
    assert found.status is Status.OPTIMAL


@given(seed=SEEDS, share=st.sampled_from(SHARES))
def test_of_equally_cheap_covers_one_covers_most(seed, share):
    problem = random_problem(seed, max_items=8, max_elements=12)
    costs = np.random.default_rng(seed).integers(1, 4, problem.num_items)
    problem = problem.with_costs(costs)
    result = cover(problem, share=share, share_of="coverable", num_threads=1)
    best = solve(problem.with_budget(result.cost), Exhaustive()).selection
    assert result.selection.value == best.value


@given(seed=SEEDS, share=st.sampled_from(SHARES))
def test_without_time_there_is_a_cover_and_a_bound(seed, share):
    problem = random_problem(seed, max_items=8, max_elements=12)
    checked(problem, share=share, share_of="coverable", max_seconds=0)


def test_without_time_nothing_is_presolved(monkeypatch):
    problem = beasley(0)
    expected = cover(problem, num_threads=1).lower_bound
    monkeypatch.setattr(cover_task, "reduce", None)
    monkeypatch.setattr(searching, "CoverDescent", None)
    result = cover(problem, max_seconds=0)
    assert result.share == 1.0
    assert result.status is Status.TIME_LIMIT
    assert 0.0 < result.lower_bound <= expected


@given(seed=SEEDS, part=st.floats(0.001, 1))
def test_a_weight_is_covered_at_the_least_cost(seed, part):
    problem = random_problem(seed, max_items=7, max_elements=10)
    every = problem.with_budget(fsum(problem.costs))
    weight = part * every.reachable_weight
    assert checked(problem, weight=weight).status is Status.OPTIMAL


@pytest.mark.parametrize("is_unit", [False, True])
@pytest.mark.parametrize("share", [None, 0.9])
def test_the_optimum_is_that_of_highs(share, is_unit):
    optimize = pytest.importorskip("scipy.optimize")
    problem = beasley(3)
    if is_unit:
        problem = problem.with_costs(np.ones(problem.num_items))
    result = cover(problem, share=share)
    edges = problem.edges
    num_items, num_elements = problem.num_items, problem.num_elements
    rows = np.zeros((num_elements + 1, num_items + num_elements))
    for a in range(num_elements):
        rows[a, edges.items_of(a)] = 1.0
        rows[a, num_items + a] = 1.0
    rows[num_elements, num_items:] = -1.0
    least = np.append(np.ones(num_elements), result.target - num_elements)
    found = optimize.milp(
        np.append(problem.costs, np.zeros(num_elements)),
        integrality=np.ones(num_items + num_elements),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(rows, lb=least),
    )
    assert (result.status, result.cost) == (Status.OPTIMAL, round(found.fun))


def test_the_budget_is_ignored():
    problem = beasley(0)
    costs = [cover(problem.with_budget(budget)).cost for budget in (0, 7, 1e9)]
    assert len(set(costs)) == 1


def test_decimal_costs_are_counted_exactly():
    problem = CoverageProblem.from_sets(
        [{0}, {1}, {0, 1}], costs=[0.1, 0.2, 0.35], budget=0
    )
    result = cover(problem)
    assert result.selection.items.tolist() == [0, 1]
    # The exact sum of the two costs is a little lower than the rounded one.
    assert result.gap == 0.0
    assert result.lower_bound == nextafter(result.cost, 0.0)


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1e9, 1e290])
def test_costs_may_be_tiny_or_huge(unit):
    rng = np.random.default_rng(1)
    is_edge = rng.random((9, 12)) < 0.3
    is_edge[0] = True
    costs = unit * rng.random(9)
    checked(CoverageProblem.from_matrix(is_edge, costs=costs, budget=0))


def test_items_without_cost_are_taken_where_they_help():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1, 2}, {0}], costs=[0, 3, 0], budget=0
    )
    result = cover(problem)
    assert (result.selection.items.tolist(), result.cost) == ([0, 1], 3.0)


@pytest.mark.parametrize(
    "problem",
    [
        CoverageProblem.from_sets([], budget=0),
        CoverageProblem.from_sets([set(), set()], budget=0),
        CoverageProblem.from_sets([{0}, {1}], weights=[0, 0], budget=0),
    ],
)
def test_nothing_costs_nothing(problem):
    result = cover(problem)
    assert (result.cost, result.gap, result.share) == (0.0, 0.0, 1.0)
    assert result.status is Status.OPTIMAL


def test_a_share_is_one_of_all_weight_or_of_the_coverable():
    problem = CoverageProblem.from_edges(
        [(0, 0), (1, 1)], costs=[1, 1], weights=[1, 1, 2]
    )
    result = cover(problem, share=0.5)
    assert (result.cost, result.target, result.share) == (2.0, 2.0, 0.5)
    result = cover(problem, share=0.5, share_of="coverable")
    assert (result.cost, result.target, result.share) == (1.0, 1.0, 0.25)
    assert (result.coverable, result.total) == (2.0, 4.0)
    with refused(InputError, 0.6, 0.5):
        cover(problem, share=0.6)
    with refused(InputError, "share_of"):
        cover(problem, share=0.6, share_of="covered")


def test_the_same_seed_gives_the_same_cover():
    problem = beasley(5, num_items=200, num_elements=60)
    first, second = (cover(problem, share=0.9, seed=3) for _ in range(2))
    assert first.selection.items.tolist() == second.selection.items.tolist()
    assert first.lower_bound == second.lower_bound


def test_the_trace_has_the_bound_and_the_cost():
    seen = []
    result = cover(beasley(2), observers=[seen.append])
    assert list(result.trace) == seen
    for earlier, later in itertools.pairwise(seen):
        assert earlier.value <= later.value <= later.upper_bound
        assert later.upper_bound <= earlier.upper_bound
    assert seen[-1].upper_bound == result.cost


def test_stopping_rules_end_the_search():
    problem = beasley(2)
    assert cover(problem, stop=[TargetGap(0.9)]).status is Status.TARGET_REACHED
    stopped = cover(problem, stop=[MaxIterations(1)])
    assert stopped.status is Status.ITERATION_LIMIT
    assert stopped.selection.value == problem.num_elements


@pytest.fixture
def interrupts():
    """Interrupts arrive, even if the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_ends_the_search_with_the_best_cover(interrupts):
    # Large enough that it is not proved for minutes, so that a busy machine notices the
    # interrupt before.
    problem = beasley(2, num_items=10_000, num_elements=1000)

    def interrupt(progress):
        if progress.iteration == 1:
            signal.raise_signal(signal.SIGINT)

    with Interruption() as interruption:
        result = cover(problem, share=0.97, stop=[interruption], observers=[interrupt])
    assert result.status is Status.INTERRUPTED
    assert result.selection.value >= result.target


def test_targets_that_make_no_sense_are_refused():
    problem = CoverageProblem.from_sets([{0}, {1, 2}], budget=1)
    for share in (-0.1, 1.1, float("nan"), float("inf")):
        with refused(InputError, "share", share):
            cover(problem, share=share)
    for weight in (-1.0, float("nan"), float("inf")):
        with refused(InputError, "weight", weight):
            cover(problem, weight=weight)
    with refused(InputError, "4.5", "3"):
        cover(problem, weight=4.5)
    with refused(InputError, "0.5", "2"):
        cover(problem, share=0.5, weight=2)
    with refused(InputTypeError, "share"):
        cover(problem, share="all")


def test_arguments_of_another_kind_are_refused():
    problem = CoverageProblem.from_sets([{0}], budget=1)
    with refused(InputTypeError, "problem"):
        cover([{0}])
    with refused(InputTypeError, "stop"):
        cover(problem, stop=TargetGap(0.1))
    with refused(InputError, "max_seconds"):
        cover(problem, max_seconds=-1)
    with refused(InputError, "num_threads"):
        cover(problem, num_threads=0)
