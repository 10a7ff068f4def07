"""Shards on a GPU, kept there or passing through, against one problem in memory."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused

from thatch import BeliefPropagation, CoverageProblem, PricedProblem, solve
from thatch.bounds import dual_bound
from thatch.bounds.dual_descent import DualDescent
from thatch.engines import LocalEngine
from thatch.errors import InputError
from thatch.instances.random_graphs import PowerLawGraph
from thatch.problem.selection import Selection
from thatch.run.result import Status
from thatch.run.run import Run
from thatch.run.stopping import MaxIterations, MaxSeconds
from thatch.sharding import ShardedProblem
from thatch.solvers.belief_propagation.batch import Batch
from thatch.solvers.belief_propagation.schedule import Schedule

pytestmark = pytest.mark.gpu

NUM_SHARDS = 5


@pytest.fixture(scope="module")
def problem():
    """Decimal costs and weights, so that no bound is rounded to an integer."""
    graph = PowerLawGraph(num_items=300, num_elements=900, mean_item_degree=9)
    drawn = graph.problem(budget=200, seed=3)
    return replace(
        drawn, costs=drawn.costs / 10, weights=drawn.weights / 7, budget=20.0
    )


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
        bound = dual_bound(problem, expected.multipliers)
        assert found.bound() == pytest.approx(bound, rel=tolerance)


def solved(sharded, max_bytes, **settings):
    from thatch.sharding.gpu_sharded_solver import GpuShardedSolver

    messages = BeliefPropagation(max_iterations=50)
    return GpuShardedSolver(messages, 100, max_bytes).solve(
        sharded, Run(device="gpu", **settings)
    )


@pytest.mark.parametrize("max_bytes", [0, None])
def test_solutions_are_feasible_and_certified(problem, sharded, max_bytes):
    result = solved(sharded, max_bytes)
    selection = Selection(problem, result.selection.items)
    assert selection.is_feasible
    assert result.selection.value == selection.value
    assert result.selection.cost == selection.cost
    assert result.status is Status.FINISHED
    assert selection.value <= result.upper_bound <= 1.02 * selection.value
    plain = BeliefPropagation(max_iterations=50, has_greedy_completion=False)
    assert selection.value >= 0.99 * solve(problem, plain).selection.value
    assert [progress.step for progress in result.trace[:50]] == ["bp"] * 50


def test_shards_that_pass_through_give_the_same_bytes(sharded):
    first, *others = [solved(sharded, max_bytes) for max_bytes in (0, None, 0, None)]
    for other in others:
        assert np.array_equal(other.selection.items, first.selection.items)
        assert other.selection.value == first.selection.value
        assert other.upper_bound == first.upper_bound


def test_large_shards_that_stay_are_reordered(problem, sharded, monkeypatch):
    from thatch._kernels import gpu as kernels

    expected = solved(sharded, None)
    monkeypatch.setattr(kernels, "_MIN_EDGES_TO_REORDER", 1)
    monkeypatch.setattr(kernels, "_EDGES_PER_REGION", 20)
    found = solved(sharded, None)
    assert found.selection.value == pytest.approx(expected.selection.value, rel=1e-3)
    assert found.upper_bound == pytest.approx(expected.upper_bound, rel=1e-3)


def test_a_run_that_is_stopped_has_a_selection_and_a_bound(sharded):
    result = solved(sharded, 0, stop=[MaxIterations(3)])
    assert result.status is Status.ITERATION_LIMIT
    assert 0.0 < result.selection.value <= result.upper_bound


def test_messages_that_a_time_limit_ends_early_are_said_to_be_so(sharded, monkeypatch):
    seconds = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: seconds[-1])
    monkeypatch.setattr("thatch.run.run.time", clock)

    def observer(progress):
        seconds.append(50.0)

    result = solved(sharded, 0, stop=[MaxSeconds(100)], observers=[observer])
    steps = [progress.step for progress in result.trace[:3]]
    assert steps == ["bp", "bp", "dual descent"]
    assert result.status is Status.TIME_LIMIT


@pytest.mark.parametrize(("num_items", "num_elements"), [(0, 0), (0, 3), (3, 0)])
def test_problems_with_nothing_in_them_are_solved(
    gpu, tmp_path, num_items, num_elements
):
    empty = CoverageProblem.from_edges(
        [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=2
    )
    result = solved(ShardedProblem.from_problem(empty, tmp_path, num_shards=2), 0)
    assert (result.selection.value, result.upper_bound) == (0.0, 0.0)


def test_zero_temperature_is_refused(sharded):
    from thatch.sharding.gpu_sharded_solver import GpuShardedSolver

    with refused(InputError, "inverse_temperature is inf", "finite"):
        GpuShardedSolver(BeliefPropagation(beta=math.inf), 1).solve(
            sharded, Run(device="gpu")
        )


def test_solve_passes_shards_through_a_gpu(problem, sharded):
    result = solve(sharded, device="gpu", progress=False)
    assert result.selection.value == Selection(problem, result.selection.items).value
    assert 0.0 <= result.gap < 0.02
    with refused(InputError, "resume", "gpu"):
        solve(sharded, device="gpu", resume=True)
    with refused(InputError, "engine", "gpu"):
        solve(sharded, device="gpu", engine=LocalEngine(num_workers=1))
