"""Shards on a GPU, kept there or passing through, against one problem in memory."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused
from shard_tools import SHORT, ThisProcess

from thatch import BeliefPropagation, CoverageProblem, PricedProblem, solve
from thatch.errors import InputError
from thatch.problem.instances.random_graphs import PowerLawGraph
from thatch.problem.selection import Selection
from thatch.run.result import Status
from thatch.run.run import Run
from thatch.run.stopping import MaxIterations, MaxSeconds
from thatch.scale import LocalEngine, ShardedProblem
from thatch.solvers.belief_propagation.batch import Batch
from thatch.solvers.belief_propagation.schedule import Schedule
from thatch.solvers.bounds import dual_bound
from thatch.solvers.bounds.dual_descent import DualDescent

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
    from thatch.scale.running import gpu_shards as module

    sizes = [module.bytes_of(facts) for facts in sharded.shards]
    shards = module.GpuShards(sharded, max_bytes=sum(sizes[:num_kept]))
    assert shards.num_kept == num_kept
    return shards


def messages_of(sharded, shards, priced, schedule, *, real=np.float64, algebra):
    from thatch.scale.running.gpu_sharded_messages import GpuShardedMessages
    from thatch.scale.running.sharded_messages import MessageRules
    from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation
    from thatch.solvers.belief_propagation.loop import MessagesState

    state = MessagesState(priced.first_price)
    rules = MessageRules(
        schedule, priced.used_inverse_temperature, is_price_free=priced.price is None
    )
    representation = GpuRepresentation(real, algebra)
    messages = GpuShardedMessages(
        sharded, shards, rules, state, representation=representation
    )
    return messages, state


def marginals(sharded, priced, messages, state):
    """Marginals of the present messages."""
    scaled_price = priced.used_inverse_temperature * state.price
    totals = scaled_price * sharded.costs + messages.log_sums.get()
    return 1.0 / (1.0 + np.exp(np.clip(totals, -690.0, 690.0)))


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
    found, state = messages_of(
        sharded, shards_of(sharded, num_kept), priced, schedule, algebra=algebra
    )
    for t in range(schedule.max_iterations):
        expected.iterate(t)
        found.iterate()
        np.testing.assert_allclose(
            found.item_fields().get(), expected.item_fields, rtol=1e-9, atol=1e-9
        )
        assert state.price == pytest.approx(expected.price, rel=1e-9)
        # The device compares singles.
        assert state.largest_change == pytest.approx(
            expected.largest_change, rel=1e-5, abs=1e-6
        )
    (beliefs,) = expected.beliefs()
    np.testing.assert_allclose(
        marginals(sharded, priced, found, state),
        beliefs.item_marginals,
        rtol=1e-9,
        atol=1e-9,
    )


def test_messages_in_singles_are_close(problem, sharded):
    schedule = Schedule(max_iterations=20)
    priced = PricedProblem(problem, inverse_temperature=1.0, price=3.0)
    expected = Batch([priced], schedule, Run())
    expected.start()
    shards = shards_of(sharded, 2)
    found, state = messages_of(
        sharded, shards, priced, schedule, real=np.float32, algebra="LINEAR"
    )
    for t in range(schedule.max_iterations):
        expected.iterate(t)
        found.iterate()
    (beliefs,) = expected.beliefs()
    found_marginals = marginals(sharded, priced, found, state)
    np.testing.assert_allclose(found_marginals, beliefs.item_marginals, atol=1e-4)


@pytest.mark.parametrize("num_kept", [0, 2, NUM_SHARDS])
@pytest.mark.parametrize(("real", "tolerance"), [("float64", 1e-9), ("float32", 1e-3)])
def test_the_bound_is_that_of_one_problem_in_memory(
    problem, sharded, num_kept, real, tolerance
):
    import cupy

    from thatch.scale.running.gpu_sharded_descent import GpuShardedDescent
    from thatch.solvers.belief_propagation.loop import DescentState

    start = solve(problem, "greedy").selection
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    chosen[start.items] = 1
    expected = DualDescent(problem, start)
    found = GpuShardedDescent(
        sharded,
        shards_of(sharded, num_kept),
        state=DescentState(cupy.asarray(chosen), start.value),
        real=getattr(np, real),
    )
    for num_steps in (1, 30, 60):
        while found.num_steps < num_steps:
            expected.iterate(1)
            found.step()
        bound = dual_bound(problem, expected.multipliers)
        assert found.bound() == pytest.approx(bound, rel=tolerance)


def solved(sharded, max_bytes, *, resume=False, **settings):
    """50 iterations of messages, 100 steps of the descent and the bound."""
    from thatch.scale.running.gpu_sharded_solver import GpuShardedSolver

    messages = BeliefPropagation(max_iterations=50)
    return GpuShardedSolver(messages, 100, resume, max_bytes).solve(
        sharded, Run(device="gpu", **settings)
    )


def require_same(found, expected):
    assert np.array_equal(found.selection.items, expected.selection.items)
    assert found.selection.value == expected.selection.value
    assert found.upper_bound == expected.upper_bound
    assert found.status is expected.status


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
        require_same(other, first)


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


@pytest.mark.parametrize("max_bytes", [0, None])
# During the messages, after the last ones, and during the descent.
@pytest.mark.parametrize("iteration", [7, 50, 51, 120, 150])
def test_a_stopped_run_is_resumed_as_if_undisturbed(
    sharded, tmp_path, max_bytes, iteration
):
    undisturbed = solved(sharded, max_bytes)
    stopped = solved(sharded, max_bytes, stop=[MaxIterations(iteration)])
    assert stopped.status is Status.ITERATION_LIMIT
    resumed = solved(sharded, max_bytes, resume=True)
    require_same(resumed, undisturbed)
    assert len(resumed.trace) == len(undisturbed.trace) - iteration
    assert list(tmp_path.rglob("run*")) == []


@pytest.mark.parametrize("iterations", [(3, 20), (30, 90), (70, 80)])
def test_a_run_may_be_stopped_twice(sharded, iterations):
    undisturbed = solved(sharded, 0)
    first, second = iterations
    solved(sharded, 0, stop=[MaxIterations(first)])
    solved(sharded, 0, resume=True, stop=[MaxIterations(second - first)])
    resumed = solved(sharded, 0, resume=True)
    require_same(resumed, undisturbed)
    assert len(resumed.trace) == len(undisturbed.trace) - second


@pytest.mark.parametrize("iteration", [7, 120])
@pytest.mark.parametrize(("before", "after"), [(0, None), (None, 0)])
def test_a_resumed_run_keeps_the_order_of_its_messages(
    sharded, monkeypatch, iteration, before, after
):
    """Other shards stay on the device than before."""
    from thatch._kernels import gpu as kernels

    monkeypatch.setattr(kernels, "_MIN_EDGES_TO_REORDER", 1)
    monkeypatch.setattr(kernels, "_EDGES_PER_REGION", 20)
    undisturbed = solved(sharded, before)
    solved(sharded, before, stop=[MaxIterations(iteration)])
    require_same(solved(sharded, after, resume=True), undisturbed)


@pytest.mark.parametrize("max_bytes", [0, None])
@pytest.mark.parametrize(
    ("last_checkpoint", "last_step"), [(7, 7), (5, 20), (40, 60), (50, 50), (80, 99)]
)
def test_a_killed_run_goes_on_from_its_last_checkpoint(
    sharded, tmp_path, monkeypatch, max_bytes, last_checkpoint, last_step
):
    undisturbed = solved(sharded, max_bytes)
    seconds = "thatch.scale.running.checkpoints._SECONDS_BETWEEN"
    monkeypatch.setattr(seconds, 0.0)

    def kill(progress):
        if progress.iteration == last_checkpoint:
            monkeypatch.setattr(seconds, math.inf)
        if progress.iteration == last_step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(sharded, max_bytes, observers=[kill])
    # The last two checkpoints, at most.
    states = list(tmp_path.rglob("shard-*/run-*-state-*.npy"))
    assert len(states) == 2 * NUM_SHARDS
    resumed = solved(sharded, max_bytes, resume=True)
    require_same(resumed, undisturbed)
    assert len(resumed.trace) == len(undisturbed.trace) - last_checkpoint


def test_a_run_that_was_killed_before_a_checkpoint_starts_again(sharded):
    undisturbed = solved(sharded, 0)

    def kill(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(sharded, 0, observers=[kill])
    resumed = solved(sharded, 0, resume=True)
    require_same(resumed, undisturbed)
    assert len(resumed.trace) == len(undisturbed.trace)


def test_what_cannot_be_resumed_is_refused(sharded, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    with refused(InputError, "no run of these shards"):
        solved(sharded, 0, resume=True)
    assert sorted(tmp_path.rglob("*")) == before
    solve(sharded, SHORT, engine=ThisProcess(), stop=[MaxIterations(3)])
    with refused(InputError, "the device differs", "(cpu, now gpu)"):
        solve(sharded, SHORT, device="gpu", resume=True)
    solve(sharded, SHORT, device="gpu", stop=[MaxIterations(3)])
    with refused(InputError, "the device differs", "(gpu, now cpu)"):
        solve(sharded, SHORT, engine=ThisProcess(), resume=True)
    with refused(InputError, "the budget differs", "(20, now 9)"):
        solve(sharded.with_budget(9), SHORT, device="gpu", resume=True)
    next(tmp_path.rglob("shard-00001/run-*-state-*.npy")).unlink()
    with refused(InputError, "cannot resume", "missing"):
        solve(sharded, SHORT, device="gpu", resume=True)
    solve(sharded, SHORT, device="gpu")
    with refused(InputError, "no run of these shards"):
        solve(sharded, SHORT, device="gpu", resume=True)


def test_messages_that_a_time_limit_ends_early_are_said_to_be_so(sharded, monkeypatch):
    undisturbed = solved(sharded, 0)
    seconds = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: seconds[-1])
    monkeypatch.setattr("thatch.run.run.time", clock)

    def observer(progress):
        seconds.append(30.0 * progress.iteration)

    result = solved(sharded, 0, stop=[MaxSeconds(100)], observers=[observer])
    # Messages get 40 seconds.
    steps = [progress.step for progress in result.trace[:4]]
    assert steps == ["bp", "bp", "bp", "dual descent"]
    assert result.status is Status.TIME_LIMIT
    monkeypatch.undo()
    # It goes on with the messages, and starts the descent again.
    resumed = solved(sharded, 0, resume=True)
    require_same(resumed, undisturbed)
    assert len(resumed.trace) == len(undisturbed.trace) - 3


@pytest.mark.parametrize("max_bytes", [0, None])
@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_a_run_ends_when_its_selection_is_proved(gpu, tmp_path, max_bytes, unit):
    sets = [{0, 1}, {2, 3}, {0}]
    weights = [unit * weight for weight in (3, 1, 4, 1)]
    small = CoverageProblem.from_sets(sets, weights=weights, budget=2)
    proved = solved(
        ShardedProblem.from_problem(small, tmp_path, num_shards=2), max_bytes
    )
    assert proved.status is Status.OPTIMAL
    assert proved.selection.items.tolist() == [0, 1]
    assert proved.gap == pytest.approx(0.0, abs=1e-8)
    assert [progress.step for progress in proved.trace] == ["bp"]


def test_stages_are_those_on_engines(problem, sharded):
    """Values and bounds of every step agree, up to rounding errors."""
    messages = BeliefPropagation(max_iterations=20, precision="double")
    stop = [MaxIterations(40)]
    there = solve(sharded, messages, device="gpu", stop=stop, progress=False)
    here = solve(sharded, messages, engine=ThisProcess(), stop=stop, progress=False)
    assert there.status is here.status
    assert len(there.trace) == len(here.trace)
    for one, other in zip(there.trace, here.trace, strict=True):
        assert one.step == other.step
        assert one.value == pytest.approx(other.value, rel=0.01)
        assert one.upper_bound == pytest.approx(other.upper_bound, rel=1e-3)


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
    from thatch.scale.running.gpu_sharded_solver import GpuShardedSolver

    with refused(InputError, "inverse_temperature is inf", "finite"):
        GpuShardedSolver(BeliefPropagation(beta=math.inf), 1).solve(
            sharded, Run(device="gpu")
        )


def test_solve_passes_shards_through_a_gpu(problem, sharded):
    result = solve(sharded, device="gpu", progress=False)
    assert result.selection.value == Selection(problem, result.selection.items).value
    assert 0.0 <= result.gap < 0.02
    with refused(InputError, "engine", "gpu"):
        solve(sharded, device="gpu", engine=LocalEngine(num_workers=1))
