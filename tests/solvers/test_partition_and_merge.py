"""One problem in parts, and the promises that every solver keeps."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from problems import problems
from refusals import refused

from thatch import (
    CoverageProblem,
    Exact,
    GeneralizedGreedy,
    InputError,
    Status,
    TargetValue,
    solve,
)
from thatch.engines import LocalEngine
from thatch.errors import InputTypeError
from thatch.instances.random_graphs import BiregularGraph
from thatch.solvers import LocalSearch, PartitionAndMerge, StaticGreedy


class Here:
    """An engine that does everything at once, in reverse, to be quick."""

    def map(self, function, tasks):
        for task in reversed(tasks):
            yield task, function(task)


class Watching(Here):
    """An engine that remembers what it was given."""

    def __init__(self):
        self.tasks = []

    def map(self, function, tasks):
        self.tasks = list(tasks)
        return super().map(function, tasks)


@pytest.fixture(scope="module")
def wide():
    graph = BiregularGraph(
        num_items=4000, num_elements=12000, item_degree=9, element_degree=3
    )
    return graph.problem(budget=4000, seed=1)


@pytest.mark.parametrize("num_shards", [1, 2, 7, 50])
@given(problem=problems())
@settings(max_examples=25, deadline=None)
def test_the_answer_is_feasible_and_its_bound_holds(problem, num_shards):
    result = solve(problem, Exact(), engine=Here(), num_shards=num_shards)
    assert result.selection.is_feasible
    optimum = reference.optimum(problem)
    assert result.selection.value <= optimum * (1 + 1e-12)
    assert result.upper_bound >= optimum * (1 - 1e-12)


def test_an_answer_is_worth_nearly_that_of_one_machine(wide):
    whole = solve(wide, GeneralizedGreedy())
    apart = solve(wide, GeneralizedGreedy(), engine=Here(), num_shards=8)
    assert apart.selection.value >= 0.995 * whole.selection.value
    assert apart.gap < 0.02


def test_processes_and_one_process_answer_the_same(wide):
    here = solve(wide, GeneralizedGreedy(), engine=Here(), num_shards=5)
    there = solve(wide, GeneralizedGreedy(), engine=LocalEngine(2), num_shards=5)
    assert here.selection.items.tolist() == there.selection.items.tolist()
    assert here.upper_bound == there.upper_bound


def test_every_item_is_in_one_part_and_parts_are_of_one_size(wide):
    engine = Watching()
    solve(wide, GeneralizedGreedy(), engine=engine, num_shards=3)
    shards = [shard.problem for shard in engine.tasks]
    assert sorted(shard.num_items for shard in shards) == [1333, 1333, 1334]
    costs = np.concatenate([shard.costs for shard in shards])
    assert sorted(costs) == sorted(wide.costs)
    assert sum(shard.num_edges for shard in shards) == wide.num_edges
    assert all(shard.budget < wide.budget for shard in shards)


def test_few_items_may_be_spent_on_by_one_part_alone():
    """Where chance could deal all that is best to one part, it may take it all."""
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=20, seed=1)
    engine = Watching()
    solve(problem, engine=engine, num_shards=4)
    assert [shard.problem.budget for shard in engine.tasks] == [20] * 4


def test_a_seed_deals_the_items_out():
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=20, seed=1)

    def first_costs(seed):
        engine = Watching()
        solve(problem, StaticGreedy(), engine=engine, num_shards=4, seed=seed)
        return engine.tasks[0].problem.costs.tolist()

    assert first_costs(1) == first_costs(1) != first_costs(2)


def test_parts_have_a_million_edges_unless_told(wide):
    engine = Watching()
    solve(wide, GeneralizedGreedy(), engine=engine)
    assert len(engine.tasks) == 2


def test_every_shard_is_reported_and_may_be_the_last(wide):
    heard = []
    result = solve(
        wide,
        GeneralizedGreedy(),
        engine=Here(),
        num_shards=4,
        observers=[heard.append],
        stop=[TargetValue(1)],
    )
    assert [progress.step for progress in heard] == ["shard", "merge"]
    assert result.status is Status.TARGET_REACHED
    assert result.selection.is_feasible


def test_time_that_is_over_still_gives_an_answer(wide):
    result = solve(wide, engine=Here(), num_shards=4, max_seconds=0)
    assert result.status is Status.TIME_LIMIT
    assert result.selection.value > 0
    assert result.upper_bound < float("inf")


def test_a_time_limit_is_shared_between_the_rounds(wide):
    result = solve(wide, engine=Here(), num_shards=4, max_seconds=3)
    assert result.selection.value > 0
    assert result.gap < 0.05


@pytest.mark.parametrize("num_shards", [0, -1, 1.5])
def test_the_number_of_shards_must_be_positive(num_shards):
    with refused(InputError, "num_shards", num_shards):
        PartitionAndMerge(Here(), num_shards)


def test_what_is_no_engine_is_refused(wide):
    for engine in ("dask", LocalEngine):
        with refused(InputTypeError, "engine", repr(engine)):
            solve(wide, engine=engine)


def test_shards_need_an_engine(wide):
    with refused(InputError, "num_shards", 3):
        solve(wide, num_shards=3)


def test_nothing_to_choose_from_is_solved():
    from thatch import CoverageProblem

    problem = CoverageProblem.from_edges(
        np.zeros((0, 2), dtype=int), costs=[], weights=[], budget=1
    )
    assert solve(problem, engine=Here()).status is Status.OPTIMAL


class Forward(Here):
    """The same, in order."""

    def map(self, function, tasks):
        return super().map(function, list(reversed(tasks)))


def test_of_parts_as_good_the_same_is_taken_whichever_is_done_first():
    alike = CoverageProblem.from_sets(
        [{k} for k in range(8)], weights=[1.0] * 8, budget=1
    )
    first, last = (
        solve(alike, GeneralizedGreedy(), engine=engine, num_shards=4)
        for engine in (Forward(), Here())
    )
    assert first.selection.items.tolist() == last.selection.items.tolist()


def test_the_union_is_solved_by_the_solver_that_was_given(wide):
    """Of what the parts propose, an exact solver makes more than a greedy one."""
    found = {
        type(solver): solve(wide, solver, engine=Here(), num_shards=4).selection.value
        for solver in (GeneralizedGreedy(), LocalSearch())
    }
    assert found[LocalSearch] > found[GeneralizedGreedy]
