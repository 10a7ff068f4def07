"""Shards on a GPU, kept there or passing through, against one problem in memory."""

import math

import numpy as np
import pytest

from thatch import BeliefPropagation, PricedProblem, solve
from thatch.bounds.dual_bounds import DualPoint
from thatch.bounds.dual_descent import DualDescent
from thatch.instances.random_graphs import BiregularGraph, PowerLawGraph
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.sharding import ShardedProblem
from thatch.solvers.belief_propagation.batch import Batch
from thatch.solvers.belief_propagation.schedule import Schedule

pytestmark = pytest.mark.gpu

NUM_SHARDS = 5


@pytest.fixture(scope="module")
def problem():
    graph = PowerLawGraph(num_items=300, num_elements=900, mean_item_degree=9)
    return graph.problem(budget=200, seed=3)


@pytest.fixture
def sharded(gpu, problem, tmp_path):
    return ShardedProblem.from_problem(problem, tmp_path, num_shards=NUM_SHARDS)


def shards_of(sharded, num_kept):
    """Shards of which that many stay on the device."""
    from thatch.sharding import gpu_shards as module

    sizes = [module.bytes_of(facts) for facts in sharded.shards]
    shards = module.GpuShards(sharded, max_bytes=sum(sizes[:num_kept]))
    assert shards.num_kept == num_kept
    return shards


def messages_of(sharded, shards, priced, schedule, *, real=np.float64, algebra):
    from thatch.sharding.gpu_sharded_messages import GpuShardedMessages
    from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation

    return GpuShardedMessages(
        sharded,
        shards,
        schedule,
        representation=GpuRepresentation(real, algebra),
        inverse_temperature=priced.used_inverse_temperature,
        price=priced.first_price,
        is_price_free=priced.price is None,
    )


@pytest.mark.parametrize("num_kept", [0, 2, NUM_SHARDS])
@pytest.mark.parametrize(
    ("inverse_temperature", "price", "reinforcement", "algebra"),
    [
        (None, None, 0.9, "LINEAR"),
        (1.0, 3.0, 0.0, "LINEAR"),
        (None, 3.0, 0.0, "LOGS"),
    ],
)
def test_messages_are_those_of_one_problem_in_memory(
    problem, sharded, num_kept, inverse_temperature, price, reinforcement, algebra
):
    schedule = Schedule(max_iterations=30, reinforcement=reinforcement)
    priced = PricedProblem(
        problem, inverse_temperature=inverse_temperature, price=price
    )
    expected = Batch([priced], schedule, Run())
    expected.start()
    found = messages_of(
        sharded, shards_of(sharded, num_kept), priced, schedule, algebra=algebra
    )
    for t in range(schedule.max_iterations):
        expected.iterate(t)
        found.iterate()
        np.testing.assert_allclose(
            -found.totals.get(), expected.item_fields, rtol=1e-9, atol=1e-9
        )
        assert found.price == pytest.approx(expected.price, rel=1e-9)
        change = found.largest_change / priced.used_inverse_temperature
        # The device compares singles.
        assert change == pytest.approx(expected.largest_change, rel=1e-5, abs=1e-6)
    (beliefs,) = expected.beliefs()
    np.testing.assert_allclose(
        found.item_marginals(), beliefs.item_marginals, rtol=1e-9, atol=1e-9
    )


def test_messages_in_singles_are_close(problem, sharded):
    schedule = Schedule(max_iterations=20)
    priced = PricedProblem(problem, inverse_temperature=1.0, price=3.0)
    expected = Batch([priced], schedule, Run())
    expected.start()
    shards = shards_of(sharded, 2)
    found = messages_of(
        sharded, shards, priced, schedule, real=np.float32, algebra="LINEAR"
    )
    for t in range(schedule.max_iterations):
        expected.iterate(t)
        found.iterate()
    (beliefs,) = expected.beliefs()
    np.testing.assert_allclose(
        found.item_marginals(), beliefs.item_marginals, atol=1e-4
    )


@pytest.mark.parametrize("num_kept", [0, 2, NUM_SHARDS])
@pytest.mark.parametrize(("real", "tolerance"), [("float64", 1e-9), ("float32", 1e-3)])
def test_the_bound_is_that_of_one_problem_in_memory(
    problem, sharded, num_kept, real, tolerance
):
    import cupy

    from thatch.sharding.gpu_sharded_descent import GpuShardedDescent

    start = solve(problem, "greedy").selection
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    chosen[start.items] = 1
    expected = DualDescent(problem, start)
    found = GpuShardedDescent(
        sharded,
        shards_of(sharded, num_kept),
        chosen=cupy.asarray(chosen),
        value=start.value,
        real=getattr(np, real),
    )
    for num_steps in (1, 30, 60):
        while found.num_steps < num_steps:
            expected.iterate(1)
            found.step()
        bound = DualPoint.at(problem, expected.multipliers).bound
        assert found.bound() == pytest.approx(bound, rel=tolerance)


def solver(problem, max_bytes):
    from thatch.sharding.gpu_sharded_solver import GpuShardedSolver
    from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation

    return GpuShardedSolver(
        Schedule(max_iterations=50, reinforcement=0.9),
        GpuRepresentation(np.float32, "LINEAR"),
        PricedProblem(problem).used_inverse_temperature,
        descent_steps=100,
        max_bytes=max_bytes,
    )


@pytest.fixture(scope="module")
def decimal_problem():
    """A problem with decimal costs and weights."""
    graph = BiregularGraph(
        num_items=200, num_elements=600, item_degree=9, element_degree=3
    )
    drawn = graph.problem(budget=20, seed=1)
    return type(drawn)(drawn.costs / 10, drawn.weights / 7, 20.0, drawn.edges)


@pytest.mark.parametrize("max_bytes", [0, None])
def test_solutions_are_feasible_and_certified(
    gpu, decimal_problem, tmp_path, max_bytes
):
    problem = decimal_problem
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=3)
    reports = []
    found = solver(problem, max_bytes).solve(sharded, lambda **r: reports.append(r))
    selection = Selection(problem, found.items)
    assert selection.is_feasible
    assert found.value == selection.value
    assert found.value <= found.upper_bound
    plain = BeliefPropagation(max_iterations=50, has_greedy_completion=False)
    assert found.value >= 0.99 * solve(problem, plain).selection.value
    assert found.upper_bound <= 1.02 * found.value
    assert [r["step"] for r in reports[:50]] == ["bp"] * 50
    assert not any(math.isnan(r["value"]) for r in reports)


def test_shards_that_pass_through_give_the_same_bytes(gpu, decimal_problem, tmp_path):
    sharded = ShardedProblem.from_problem(decimal_problem, tmp_path, num_shards=4)
    solutions = [
        solver(decimal_problem, max_bytes).solve(sharded, lambda **_: None)
        for max_bytes in (0, None, 0, None)
    ]
    for other in solutions[1:]:
        assert np.array_equal(other.items, solutions[0].items)
        assert other.value == solutions[0].value
        assert other.upper_bound == solutions[0].upper_bound


def test_a_report_ends_the_steps(gpu, decimal_problem, tmp_path):
    sharded = ShardedProblem.from_problem(decimal_problem, tmp_path, num_shards=2)
    found = solver(decimal_problem, 0).solve(sharded, lambda **_: "enough")
    assert 0.0 < found.value <= found.upper_bound
