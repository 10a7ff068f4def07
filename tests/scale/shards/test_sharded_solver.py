"""Solving in shards: the same as in memory, however it is cut and interrupted."""

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from shard_tools import SHORT, ThisProcess, graph_problem, sharded

from thatch import (
    Auto,
    BeliefPropagation,
    CoverageProblem,
    GeneralizedGreedy,
    MaxIterations,
    PricedProblem,
    propagate,
    solve,
    verify,
)
from thatch.errors import InputError, InputTypeError
from thatch.problem.instances.random_graphs import PowerLawGraph
from thatch.problem.selection import Selection
from thatch.run.result import Status
from thatch.scale import DaskEngine, LocalEngine, SparkEngine
from thatch.scale.running.sharded_descent import CERTIFICATE
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.effort import Effort
from thatch.solvers.exhaustive import Exhaustive
from thatch.solvers.solving import solve as solve_any


def files_of(folder):
    """All files but those that verify the last bound."""
    paths = [path for path in folder.rglob("*") if path.name != CERTIFICATE]
    return sorted(str(path.relative_to(folder)) for path in paths)


@pytest.mark.slow
@pytest.mark.parametrize("num_shards", [1, 4])
def test_messages_roundings_and_bound_are_those_in_memory(tmp_path, num_shards):
    problem = graph_problem()
    price = PricedProblem(problem).first_price
    settings = BeliefPropagation(
        price=price, max_iterations=40, has_greedy_completion=False
    )
    there = solve(
        sharded(problem, tmp_path, num_shards), settings, engine=ThisProcess()
    )
    here = solve(problem, settings)
    assert there.selection.value == here.selection.value
    iterations = Effort().sharded_descent_iterations
    descent = DualDescent(problem, Selection(problem, there.selection.items))
    (point,) = descent.points(iterations=iterations, iterations_per_point=iterations)
    assert there.upper_bound == np.floor(point.bound)
    changes = [each.largest_change for each in here.trace]
    others = [each.largest_change for each in there.trace][: len(changes)]
    np.testing.assert_allclose(others, changes, rtol=1e-9)


@pytest.mark.slow
@given(
    data=st.data(),
    num_items=st.integers(1, 7),
    num_elements=st.integers(1, 9),
    num_shards=st.integers(1, 4),
)
def test_bounds_hold_and_selections_are_within_the_budget(
    data, num_items, num_elements, num_shards, tmp_path_factory
):
    sets = data.draw(
        st.lists(
            st.sets(st.integers(0, num_elements - 1)),
            min_size=num_items,
            max_size=num_items,
        )
    )
    numbers = st.one_of(st.integers(0, 9), st.floats(0, 9))
    costs = data.draw(st.lists(numbers, min_size=num_items, max_size=num_items))
    weights = data.draw(st.lists(numbers, min_size=num_elements, max_size=num_elements))
    problem = CoverageProblem.from_edges(
        [(i, a) for i, covered in enumerate(sets) for a in sorted(covered)],
        costs=costs,
        weights=weights,
        budget=data.draw(st.one_of(st.just(0), numbers)),
    )
    folder = tmp_path_factory.mktemp("shards")
    found = solve(sharded(problem, folder, num_shards), SHORT, engine=ThisProcess())
    same = Selection(problem, found.selection.items)
    assert same.is_feasible
    assert found.selection.value == pytest.approx(same.value, rel=1e-12)
    optimum = solve(problem, Exhaustive()).selection.value
    assert found.selection.value <= optimum * (1 + 1e-12)
    assert found.upper_bound >= optimum * (1 - 1e-12)
    frame = found.to_frame("pandas")
    expected = solve(problem, Exhaustive())
    assert list(frame.columns) == list(expected.to_frame("pandas").columns)
    assert frame["covers"].to_list() == pytest.approx(list(same.coverages))
    assert frame["covers_alone"].to_list() == pytest.approx(list(same.contributions))


def test_a_finished_run_leaves_only_what_verifies_it(tmp_path):
    problem = sharded(graph_problem(), tmp_path)
    before = files_of(tmp_path)
    result = solve(problem, SHORT, engine=ThisProcess())
    assert files_of(tmp_path) == before
    assert len(list(tmp_path.rglob(CERTIFICATE))) == len(problem.shards)
    assert str(verify(problem, result)) == "verified"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fails_at", "precision"),
    [
        (0, "double"),
        (3, "double"),
        (10, "single"),
        (31, "double"),
        (36, "double"),
        (40, "single"),
        (63, "double"),
    ],
)
def test_a_killed_run_is_resumed_with_the_same_bytes(tmp_path, fails_at, precision):
    problem = sharded(graph_problem(), tmp_path)
    solver = BeliefPropagation(max_iterations=10, precision=precision)
    whole = ThisProcess()
    undisturbed = solve(problem, solver, engine=whole, stop=[MaxIterations(25)])
    engine = ThisProcess(fails_at)
    with pytest.raises(KeyboardInterrupt):
        solve(problem, solver, engine=engine)
    left = MaxIterations(25 - len(json_trace(tmp_path)))
    resumed = solve(problem, solver, engine=ThisProcess(), resume=True, stop=[left])
    assert np.array_equal(resumed.selection.items, undisturbed.selection.items)
    assert resumed.selection.value == undisturbed.selection.value
    assert resumed.upper_bound == undisturbed.upper_bound


def json_trace(folder):
    """One entry per step that the killed run had done."""
    (journal,) = folder.rglob("run/journal.json")
    state = json.loads(journal.read_text())["state"]
    if state is None:
        return []
    descent = state["descent"] or {"num_steps": 0}
    return [None] * (state["messages"]["num_iterations"] + descent["num_steps"])


def test_without_resuming_a_killed_run_is_forgotten(tmp_path):
    problem = sharded(graph_problem(), tmp_path)
    before = files_of(tmp_path)
    undisturbed = solve(problem, SHORT, engine=ThisProcess())
    with pytest.raises(KeyboardInterrupt):
        solve(problem, SHORT, engine=ThisProcess(30))
    assert files_of(tmp_path) != before
    again = solve(problem, SHORT, engine=ThisProcess())
    assert again.upper_bound == undisturbed.upper_bound
    assert files_of(tmp_path) == before


class LateTasks(ThisProcess):
    """Tasks of a killed driver write a file during each step of another run."""

    def __init__(self, late):
        super().__init__()
        self._late = late

    def map(self, tasks):
        for finished in super().map(tasks):
            for task in self._late:
                sums = np.zeros(task.files.shard.num_items)
                task.files.keep("sums", task.number, sums)
            yield finished


def test_a_task_that_outlives_its_driver_writes_into_no_other_run(tmp_path):
    problem = sharded(graph_problem(), tmp_path)
    before = files_of(tmp_path)
    undisturbed = solve(problem, SHORT, engine=ThisProcess())
    killed = ThisProcess(20)
    with pytest.raises(KeyboardInterrupt):
        solve(problem, SHORT, engine=killed)
    again = solve(problem, SHORT, engine=LateTasks(killed.last_tasks))
    assert again.selection.items.tolist() == undisturbed.selection.items.tolist()
    assert again.trace[-1].upper_bound == undisturbed.trace[-1].upper_bound
    assert files_of(tmp_path) == before


def test_a_stopped_run_has_a_bound_and_can_go_on(tmp_path):
    problem = sharded(graph_problem(), tmp_path)
    undisturbed = solve(problem, SHORT, engine=ThisProcess())
    stopped = solve(problem, SHORT, engine=ThisProcess(), stop=[MaxIterations(4)])
    assert stopped.status is Status.ITERATION_LIMIT
    assert stopped.selection.is_feasible
    assert stopped.upper_bound >= undisturbed.upper_bound
    resumed = solve(problem, SHORT, engine=ThisProcess(), resume=True)
    assert resumed.upper_bound == undisturbed.upper_bound
    assert resumed.status is Status.FINISHED


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_a_run_ends_when_its_selection_is_proved(tmp_path, unit):
    sets = [{0, 1}, {2, 3}, {0}]
    weights = [unit * weight for weight in (3, 1, 4, 1)]
    problem = CoverageProblem.from_sets(sets, weights=weights, budget=2)
    shards = sharded(problem, tmp_path, 2)
    proved = solve(shards, engine=ThisProcess())
    assert proved.status is Status.OPTIMAL
    assert proved.selection.items.tolist() == [0, 1]
    assert proved.gap == pytest.approx(0.0, abs=1e-8)
    assert len(proved.trace) == 1
    assert list(tmp_path.rglob("run*")) == []


@pytest.mark.parametrize("fails_at", [2, 4, 5, 6])
def test_a_proved_run_that_is_resumed_is_as_undisturbed(tmp_path, fails_at):
    """The fourth to sixth tasks are those of the iteration that proves the start."""
    problem = CoverageProblem.from_sets([{0, 1}, {2, 3}, {0, 4}], budget=3)
    shards = sharded(problem, tmp_path, 3)
    proved = solve(shards, engine=ThisProcess())
    assert (proved.status, len(proved.trace)) == (Status.OPTIMAL, 1)

    def kill(progress):
        if fails_at == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(shards, engine=ThisProcess(fails_at), observers=[kill])
    resumed = solve(shards, engine=ThisProcess(), resume=True)
    assert resumed.status is Status.OPTIMAL
    assert resumed.selection.items.tolist() == proved.selection.items.tolist()
    assert resumed.upper_bound == proved.upper_bound == 5.0


def test_no_iterations_still_give_a_selection_and_a_bound(tmp_path):
    nothing = Auto(Effort(sharded_message_iterations=0, sharded_descent_iterations=0))
    result = solve(sharded(graph_problem(), tmp_path), nothing, engine=ThisProcess())
    assert result.selection.is_feasible
    assert result.selection.value > 0
    assert 0.0 < result.gap < 1.0


def test_marginals_agree_with_those_in_memory(tmp_path):
    from thatch.files.locations import Location
    from thatch.scale.running.shard_steps import AllShards, perform
    from thatch.scale.running.sharded_messages import EngineMessages, MessageRules
    from thatch.solvers.belief_propagation.loop import MessagesState
    from thatch.solvers.belief_propagation.schedule import Precision, Schedule

    graph = PowerLawGraph(num_items=300, num_elements=900, mean_item_degree=9)
    problem = graph.problem(budget=200, seed=1)
    priced = PricedProblem(problem, price=4.5)
    (beliefs,) = propagate([priced], max_iterations=50)
    folder = Location.of(tmp_path).child("run")
    folder.make_folder()
    with ThisProcess().session(perform, num_tasks=5) as session:
        messages = EngineMessages(
            problem := sharded(problem, tmp_path / "shards", 5),
            AllShards(problem, session, folder),
            MessageRules(Schedule(), priced.used_inverse_temperature, False),
            MessagesState(4.5),
            precision=Precision.DOUBLE,
        )
        for _ in range(50):
            messages.iterate()
    totals = 4.5 * priced.used_inverse_temperature * problem.costs + messages.log_sums
    marginals = 1.0 / (1.0 + np.exp(totals))
    assert np.abs(marginals - beliefs.item_marginals).max() < 1e-9


def test_only_one_run_at_a_time_uses_the_shards(tmp_path):
    problem = sharded(graph_problem(), tmp_path)

    def solve_again(_):
        with refused(InputError, "in use by"):
            solve(problem, SHORT, engine=ThisProcess())

    stop = MaxIterations(1)
    solve(problem, SHORT, engine=ThisProcess(), observers=[solve_again], stop=[stop])


def test_what_cannot_be_done_on_shards_is_refused(tmp_path):
    problem = graph_problem(num_items=20)
    shards = sharded(problem, tmp_path)
    with refused(InputError, "GeneralizedGreedy", "shards"):
        solve(shards, GeneralizedGreedy())
    with refused(InputError, "inverse_temperature is 1e+06", "at most"):
        solve(shards, BeliefPropagation(inverse_temperature=1e6))
    with refused(InputError, "engine", "in memory"):
        solve_any(problem, engine=ThisProcess())
    with refused(InputError, "resume", "in memory"):
        solve_any(problem, resume=True)
    with refused(InputTypeError, "engine is 'dask'"):
        solve(shards, engine="dask")


@pytest.mark.parametrize("weight", [0.0, 3.0])
def test_zero_temperature_is_refused(tmp_path, weight):
    problem = CoverageProblem.from_edges(
        [(0, 0)], costs=[1], weights=[weight], budget=1
    )
    solver = BeliefPropagation(inverse_temperature=np.inf)
    with refused(InputError, "inverse_temperature is inf", "finite"):
        solve(sharded(problem, tmp_path, 1), solver, engine=ThisProcess())


def test_shards_without_items_or_edges_are_solved(tmp_path):
    problem = CoverageProblem.from_edges([], costs=[], weights=[1.0], budget=1)
    empty = solve(sharded(problem, tmp_path / "a", 1), engine=ThisProcess())
    assert (len(empty.selection), empty.upper_bound) == (0, 0.0)
    problem = CoverageProblem.from_edges([], costs=[1.0], weights=[1.0], budget=1)
    idle = solve(sharded(problem, tmp_path / "b", 1), engine=ThisProcess())
    assert (idle.selection.value, idle.upper_bound) == (0.0, 0.0)


def test_a_folder_in_memory_holds_shards(tmp_path):
    problem = graph_problem(num_items=60)
    address = f"memory://{os.getpid()}/{tmp_path.name}"
    elsewhere = solve(sharded(problem, address), SHORT, engine=ThisProcess())
    here = solve(sharded(problem, tmp_path), SHORT, engine=ThisProcess())
    assert elsewhere.upper_bound == here.upper_bound
    assert elsewhere.selection.value == here.selection.value


@pytest.mark.parametrize(
    "engine", [None, LocalEngine(num_workers=1), DaskEngine(), SparkEngine()]
)
def test_other_processes_cannot_see_a_folder_in_memory(tmp_path, engine):
    address = f"memory://{os.getpid()}/{tmp_path.name}"
    problem = sharded(graph_problem(num_items=60), address)
    with refused(InputError, address, "processes"):
        solve(problem, SHORT, engine=engine)


def test_shards_that_replace_others_are_opened_anew(tmp_path):
    """Workers keep shards mapped; these have the same sizes and total weight."""
    first, second = graph_problem(seed=1), graph_problem(seed=2)
    flat = [
        CoverageProblem(
            np.ones(each.num_items), np.ones(each.num_elements), 80.0, each.edges
        )
        for each in (first, second)
    ]
    for problem in flat:
        shards = sharded(problem, tmp_path, overwrite=True)
        found = solve(shards, SHORT, engine=ThisProcess())
        same = Selection(problem, found.selection.items)
        assert found.selection.value == same.value
