from collections import Counter

import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_problem

from thatch import CoverageProblem, Selection
from thatch.solvers.swapping import GROWTH, swaps_of, weights_and_growths


def swaps_for(kernel, problem, best, worth, *, budget):
    first, growth = weights_and_growths(worth, GROWTH)
    return kernel("swaps").Swaps(
        problem.costs,
        problem.weights,
        problem.edges,
        best,
        budget=budget,
        bits=88172645463325252,
        y=first,
        growth=growth,
    )


def searched(kernel, problem, *, slack=0.0, start=None, work=20_000, least_saving=1.0):
    """Items of the best cover after some work, and whether one was marked."""
    best = np.zeros(problem.num_items, dtype=np.int8)
    best[range(problem.num_items) if start is None else start] = 1
    worth = problem.weights if slack else np.ones(problem.num_elements)
    swaps = swaps_for(kernel, problem, best, worth, budget=problem.costs.sum())
    cost = swaps.find_covers(work, slack, 1e300, least_saving, 0.0)
    found = Selection.of(problem, np.flatnonzero(best))
    assert cost == 1e300 or cost == pytest.approx(found.cost)
    return found, cost < 1e300


def filled(kernel, problem, *, max_work=30_000):
    """Items that cover most within the budget, and the weight that is left."""
    best = np.zeros(problem.num_items, dtype=np.int8)
    swaps = swaps_for(kernel, problem, best, problem.weights, budget=problem.budget)
    left = swaps.fill(max_work, problem.weights.sum())
    return np.flatnonzero(best).tolist(), left


def covered_problem(seed):
    """A random problem with positive costs in which every element has an item."""
    problem = random_problem(seed)
    is_edge = np.zeros((problem.num_items, problem.num_elements), dtype=int)
    for i in range(problem.num_items):
        is_edge[i, problem.edges.elements_of(i)] = 1
    is_edge[0] = 1
    return CoverageProblem.from_matrix(
        is_edge, costs=problem.costs + 1.0, weights=problem.weights + 1.0, budget=0
    )


@for_each("share", [0.0, 0.2])
@for_each("seed", range(8))
def test_what_is_marked_is_a_cover(kernel, seed, share):
    problem = covered_problem(seed)
    slack = share * float(problem.weights.sum())
    found, has_improved = searched(kernel, problem, slack=slack, least_saving=1e-9)
    assert has_improved
    assert problem.weights[~found.covered].sum() <= slack


def test_the_cheapest_cover_is_found(kernel):
    rows = {"a": {0, 1, 2}, "b": {3, 4, 5}, "c": {0, 3}, "d": {1, 4}, "e": {2, 5}}
    problem = CoverageProblem.from_sets(rows, costs=[2, 2, 1, 1, 1], budget=0)
    found, _ = searched(kernel, problem)
    assert found.labels == ["c", "d", "e"]


def test_a_start_that_is_no_cover_becomes_one(kernel):
    problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=0)
    found, has_improved = searched(kernel, problem, start=[1])
    assert has_improved
    assert found.items.tolist() == [0, 2]


def test_the_search_ends_if_nothing_is_needed(kernel):
    problem = CoverageProblem.from_sets([{0}, {1}], budget=0)
    found, _ = searched(kernel, problem, slack=5.0)
    assert len(found) == 0


@pytest.mark.parametrize("slack", [-1.0, 3.0])
def test_a_greedy_cover_takes_the_most_gain_per_cost(kernel, slack):
    rows = {"a": {0, 1, 2}, "b": {2, 3}, "c": {3, 4, 5}, "d": {6}}
    problem = CoverageProblem.from_sets(rows, costs=[1, 1, 2, 9], budget=0)
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    edges = problem.edges
    kernel("greedy_covers").cover_greedily(
        problem.costs,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        slack,
        chosen,
    )
    assert np.flatnonzero(chosen).tolist() == ([0, 2] if slack > 0 else [0, 2, 3])


@for_each("seed", range(10))
def test_a_full_budget_comes_close_to_the_optimum(kernel, seed):
    problem = random_problem(seed, max_items=10)
    chosen, left = filled(kernel, problem)
    value = reference.value(problem, chosen)
    assert problem.costs[chosen].sum() <= problem.budget
    assert value >= 0.97 * reference.optimum(problem)
    coverable = problem.weights[problem.edges.element_degrees > 0].sum()
    assert left == pytest.approx(coverable - value, abs=1e-9 * coverable)


def test_almost_everything_is_covered_where_few_items_do(kernel):
    """Ten small items that partition the elements, among many larger ones."""
    rng = np.random.default_rng(3)
    halves = [set(range(6 * k, 6 * k + 3)) for k in range(5)]
    halves += [set(range(6 * k + 3, 6 * k + 6)) for k in range(5)]
    large = [set(rng.choice(30, 8, replace=False).tolist()) for _ in range(30)]
    problem = CoverageProblem.from_sets([*halves, *large], budget=8)
    chosen, left = filled(kernel, problem, max_work=300_000)
    assert left <= 1
    assert len(chosen) <= 8


@pytest.mark.parametrize("kernel", ["uncompiled"], indirect=True)
@for_each("seed", range(5))
def test_scores_and_order_are_those_of_the_selection(kernel, seed):
    """After every step, what is kept equals what a count from scratch gives."""
    problem = random_problem(seed, max_items=10)
    sets = [
        set(problem.edges.elements_of(i).tolist()) for i in range(len(problem.costs))
    ]

    class Checked(kernel("swaps").Swaps):
        def _step(self):
            super()._step()
            chosen = set(self.heap[: self.num_chosen])
            counts = Counter(a for i in chosen for a in sets[i])
            for i, covered in enumerate(sets):
                alone = [a for a in covered if counts[a] == (1 if i in chosen else 0)]
                assert self.score[i] == sum(self.y[a] for a in alone)
            ranks = [self.score[i] * self.per_cost[i] for i in self.heap]
            for k in range(1, self.num_chosen):
                assert ranks[(k - 1) // 4] <= ranks[k]

    class Module:
        Swaps = Checked

    filled(lambda name: Module, problem, max_work=3_000)


def test_a_cheaper_cover_found_elsewhere_lowers_the_budget(kernel):
    problem = covered_problem(3)
    best = np.ones(problem.num_items, dtype=np.int8)
    worth = np.ones(problem.num_elements)
    swaps = swaps_for(kernel, problem, best, worth, budget=problem.costs.sum())
    cost = swaps.find_covers(20_000, 0.0, 1e300, 1e-9, 0.0)
    assert swaps.find_covers(20_000, 0.0, 0.5 * cost, 1e-9, 0.0) == 0.5 * cost
    assert problem.costs[best == 1].sum() == pytest.approx(cost)


def test_items_without_cost_and_budgets_of_nothing_do_no_harm(kernel):
    sets = [{0, 1}, {1, 2}, {3}, set()]
    for costs, budget, value in (([0, 0, 1, 1], 0, 3), ([1, 1, 1, 1], 0, 0)):
        problem = CoverageProblem.from_sets(sets, costs=costs, budget=budget)
        chosen, _ = filled(kernel, problem)
        assert problem.costs[chosen].sum() <= budget
        assert reference.value(problem, chosen) == value


def test_compiled_or_not_the_same_cover_is_found(kernel):
    """The work counts the same steps."""
    from thatch._kernels import swaps

    problem = covered_problem(11)
    found, _ = searched(kernel, problem)
    compiled, _ = searched(lambda name: swaps, problem)
    assert found.items.tolist() == compiled.items.tolist()


def test_large_searches_go_back_to_covers_only():
    """One of 20,000 items and more returns to the best cover when it strays."""
    num_pairs = 25_000
    # Each pair of elements has an item for both, and one for each.
    pair = np.arange(num_pairs)
    items = np.concatenate([pair, pair, pair + num_pairs, pair + 2 * num_pairs])
    elements = np.concatenate([2 * pair, 2 * pair + 1, 2 * pair, 2 * pair + 1])
    problem = CoverageProblem.from_edges(
        np.column_stack([items, elements]),
        costs=np.ones(3 * num_pairs),
        weights=np.ones(2 * num_pairs),
    )
    best = np.zeros(problem.num_items, dtype=np.int8)
    # No cover, but more items than a small search has.
    best[num_pairs : 2 * num_pairs] = 1
    worth = np.ones(problem.num_elements)
    swaps = swaps_of(
        problem.costs,
        problem.weights,
        problem.edges,
        best,
        worth,
        seed=1,
        budget=problem.budget,
    )
    cost = swaps.find_covers(20_000_000, 0.0, np.inf, 1.0, 0.0)
    found = Selection(problem, np.flatnonzero(best))
    assert found.covered.all()
    assert cost == found.cost == num_pairs
    # Nothing is cheaper: the search strays and returns, and keeps its cover.
    assert swaps.find_covers(5_000_000, 0.0, cost, 1.0, 0.0) == cost
    assert found.items.tolist() == np.flatnonzero(best).tolist()
