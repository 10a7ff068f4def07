import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
import reference
from cases import for_each
from problems import groups_of, random_problem

from thatch import CoverageProblem

ALL_NODES = 10**7


def tried(kernel, problem):
    """Cost, value and items of every selection that the kernel finds worth it."""
    edges = problem.edges
    size = 2**problem.num_items
    costs, values = np.empty(size), np.empty(size)
    choices = np.empty(size, dtype=np.int32)
    start = np.empty(2, dtype=np.int64)
    kernel.try_all(
        np.arange(problem.num_items),
        np.array([0, problem.num_items]),
        problem.costs,
        problem.budget,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        costs,
        values,
        choices,
        start,
    )
    assert start[0] == 0
    return costs[: start[1]], values[: start[1]], choices[: start[1]]


@for_each("seed", range(40))
def test_every_selection_has_one_as_good_among_those_tried(kernel, seed):
    problem = random_problem(seed, max_items=7)
    costs, values, choices = tried(kernel("enumeration"), problem)
    for cost, value, choice in zip(costs, values, choices.tolist(), strict=True):
        chosen = [i for i in range(problem.num_items) if choice >> i & 1]
        assert cost == pytest.approx(math.fsum(problem.costs[chosen]), rel=1e-12)
        assert value == pytest.approx(reference.value(problem, chosen), rel=1e-12)
    for size in range(problem.num_items + 1):
        for chosen in itertools.combinations(range(problem.num_items), size):
            cost = math.fsum(problem.costs[list(chosen)])
            if cost <= problem.budget * (1 - 1e-12):
                value = reference.value(problem, chosen)
                is_as_good = values >= value * (1 - 1e-12)
                assert (is_as_good & (costs <= cost * (1 + 1e-12))).any()


@for_each("seed", range(20))
def test_the_frontier_is_what_nothing_beats_and_its_hull(kernel, seed):
    rng = np.random.default_rng(seed)
    costs, values = rng.integers(0, 30, (2, 25)).astype(float)
    order = np.lexsort((-values, costs))
    costs, values = costs[order], values[order]
    marks = np.zeros((2, 25), dtype=np.int8)
    kernel("enumeration").mark_frontier(np.array([0, 25]), costs, values, *marks)
    points = list(zip(costs, values, strict=True))
    for k, (cost, value) in enumerate(points):
        beaten = any(
            (c <= cost and v >= value and (c, v) != (cost, value)) for c, v in points
        )
        assert bool(marks[0, k]) == (not beaten and points.index((cost, value)) == k)
    for price in 10.0 ** rng.uniform(-3, 3, 50):
        merits = values - price * costs
        assert merits[marks[1] == 1].max() == pytest.approx(merits.max())
    assert (marks[1] <= marks[0]).all()


def moderate(seed):
    """A small problem all of whose items are affordable, and whose elements are met."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, max_items=8, max_elements=10)
    is_edge = rng.random((problem.num_items, problem.num_elements)) < 0.4
    is_edge[0] |= ~is_edge.any(axis=0)
    is_whole = rng.random() < 0.5
    costs = rng.integers(1, 9, problem.num_items).astype(float)
    weights = rng.integers(1, 9, problem.num_elements).astype(float)
    return type(problem).from_matrix(
        is_edge,
        costs=costs if is_whole else costs * 0.37,
        weights=weights if is_whole else weights * 0.73,
        budget=float(rng.uniform(9, 20)),
    )


@dataclass
class Point:
    """What a kernel reads of a dual point."""

    multipliers: np.ndarray
    reduced_profits: np.ndarray
    price: float
    group_prices: np.ndarray


def begun(kernel, problem, point, best):
    return kernel("enumeration").Branch(
        problem.costs,
        problem.weights,
        problem.edges,
        groups_of(problem),
        best,
        dual=point,
        order=np.argsort(-np.abs(point.reduced_profits), kind="stable"),
    )


def random_point(problem, seed):
    """Charges between 0 and the weights, a price, and what items earn there."""
    rng = np.random.default_rng(seed)
    multipliers = problem.weights * rng.random(problem.num_elements) ** rng.choice(
        [0.3, 2]
    )
    price = float(rng.choice([0.0, 0.3, 1.0]))
    sums = [
        multipliers[problem.edges.elements_of(i)].sum()
        for i in range(len(problem.costs))
    ]
    profits = np.array(sums) - price * problem.costs
    none = np.zeros(problem.group_limits[1].size)
    return Point(multipliers, profits, price, none)


def branched(
    kernel,
    problem,
    seed,
    *,
    slack,
    least_gain=1e-12,
    max_nodes=ALL_NODES,
    nodes_per_call=None,
):
    """Nodes left, whether the search is over, and the items found."""
    found = np.zeros(problem.num_items, dtype=np.int8)
    search = begun(kernel, problem, random_point(problem, seed), found)
    rounding = 1e-11 * problem.budget
    limits = problem.budget + rounding, problem.budget - rounding, slack, least_gain
    if nodes_per_call is None:
        nodes_left, is_over, is_found = search.search(*limits, max_nodes)
    else:
        nodes_left, is_over, is_found = max_nodes, False, False
        while not is_over:
            left, is_over, is_more = search.search(*limits, nodes_per_call)
            nodes_left -= nodes_per_call - left
            is_found |= is_more
    items = np.flatnonzero(found).tolist()
    assert is_found or not items
    return nodes_left, is_over, items


@for_each("seed", range(12))
def test_every_selection_is_worth_the_bound_less_its_losses(seed):
    problem = moderate(seed)
    point = random_point(problem, seed)
    multipliers, price = point.multipliers, point.price
    bound = reference.dual_value(problem, multipliers=multipliers, price=price)
    for chosen in reference.feasible_selections(problem):
        losses = reference.losses(problem, chosen, multipliers=multipliers, price=price)
        assert min(losses) >= 0.0
        assert reference.value(problem, chosen) == pytest.approx(bound - sum(losses))


@for_each("seed", range(25))
def test_the_optimum_is_found_whatever_the_charges(kernel, seed):
    problem = moderate(seed)
    _, is_over, found = branched(kernel, problem, seed, slack=1e9)
    assert is_over
    assert reference.value(problem, found) == pytest.approx(reference.optimum(problem))


@for_each("seed", range(25))
def test_what_may_just_be_given_away_is_enough_and_less_finds_nothing(kernel, seed):
    problem = moderate(seed)
    point = random_point(problem, seed)
    multipliers, price = point.multipliers, point.price
    bound = reference.dual_value(problem, multipliers=multipliers, price=price)
    least = bound - reference.optimum(problem)
    _, _, found = branched(kernel, problem, seed, slack=least + 1e-9)
    assert reference.value(problem, found) == pytest.approx(reference.optimum(problem))
    nodes_left, _, found = branched(kernel, problem, seed, slack=least - 1e-6)
    assert nodes_left > 0
    assert found == []


def test_a_search_that_does_not_end_has_no_nodes_left(kernel):
    problem = moderate(3)
    for max_nodes in (1, 2, 5):
        nodes_left, _, _ = branched(kernel, problem, 3, slack=1e9, max_nodes=max_nodes)
        assert nodes_left == 0


def test_what_it_needs_is_the_same_however_many_nodes_there_are(kernel):
    problem = moderate(3)
    nodes_left, _, found = branched(kernel, problem, 3, slack=1e9)
    needed = ALL_NODES - nodes_left
    answer = branched(kernel, problem, 3, slack=1e9, max_nodes=needed + 1)
    assert answer == (1, True, found)
    assert branched(kernel, problem, 3, slack=1e9, max_nodes=needed)[0] == 0


@pytest.mark.parametrize("nodes_per_call", [1, 2, 7])
def test_a_search_that_is_paused_finds_the_same(kernel, nodes_per_call):
    for seed in range(8):
        problem = moderate(seed)
        answers = [
            branched(kernel, problem, seed, slack=1e9, nodes_per_call=nodes)
            for nodes in (None, nodes_per_call)
        ]
        assert answers[0] == answers[1]


def test_a_lower_slack_ends_a_paused_search_sooner(kernel):
    problem = moderate(3)
    point = random_point(problem, 3)
    left = []
    for slack in (1e9, -1.0):
        search = begun(kernel, problem, point, np.zeros(problem.num_items, np.int8))
        budget = problem.budget
        assert search.search(budget, budget, 1e9, 1e-12, 5)[0] == 0
        left.append(search.search(budget, budget, slack, 1e-12, ALL_NODES)[0])
    # The node where it was paused is the only one left.
    assert left[0] < left[1] == ALL_NODES - 1


def test_a_search_pauses_at_a_cost_too_close_to_the_budget(kernel):
    problem = moderate(3)
    _, _, items = branched(kernel, problem, 3, slack=1e9)
    budget = float(problem.costs[items].sum())
    found = np.zeros(problem.num_items, dtype=np.int8)
    search = begun(kernel, problem, random_point(problem, 3), found)
    limits = budget * (1 + 1e-11), budget * (1 - 1e-11), 1e9, 1e-12, ALL_NODES
    paused_at = []
    is_over = False
    while not is_over:
        _, is_over, is_found = search.search(*limits)
        if is_found:
            paused_at.append(np.flatnonzero(found).tolist())
    assert items in paused_at


def test_without_a_least_gain_a_search_pauses_at_every_selection(kernel):
    problem = CoverageProblem.from_sets([{0}, {1}], costs=[1, 1], budget=1)
    point = Point(problem.weights, np.ones(2), 0.0, np.zeros(0))
    found = np.zeros(2, dtype=np.int8)
    search = begun(kernel, problem, point, found)
    seen = []
    is_over = False
    while not is_over:
        _, is_over, is_found = search.search(1.0, 1.0, 1.0, 0.0, 100)
        if is_found:
            seen.append(np.flatnonzero(found).tolist())
    assert sorted(seen) == [[0], [1]]


def test_choosing_nothing_is_an_answer_too(kernel):
    problem = CoverageProblem.from_sets([{0}], costs=[2], budget=1)
    start = np.zeros(1, dtype=np.int8)
    point = Point(np.zeros(1), np.zeros(1), 0.0, np.zeros(0))
    search = begun(kernel, problem, point, start)
    assert search.search(1.0, 1.0, 1.0, 0.5, 100)[1:] == (True, True)
