import numpy as np
import pytest
from cases import for_each

from thatch import CoverageProblem, cover
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.solvers.proving.claims import Claim
from thatch.solvers.proving.elimination import elimination_order, prove_by_elimination
from thatch.solvers.proving.proof_tree import ProofTree
from thatch.verification import reasons_against_bound, verify


def random_cover(seed):
    """Every element has items; costs are ones, whole or real."""
    rng = np.random.default_rng(seed)
    num_items, num_elements = rng.integers(2, (11, 16), endpoint=True)
    is_edge = rng.random((num_items, num_elements)) < rng.choice([0.1, 0.2, 0.4])
    is_edge[rng.integers(num_items, size=num_elements), np.arange(num_elements)] = True
    costs = [
        np.ones(num_items),
        rng.integers(1, 9, num_items).astype(float),
        rng.uniform(1, 9, num_items),
    ][seed % 3]
    return CoverageProblem.from_matrix(is_edge, costs=costs, budget=0)


def least_cost(problem):
    """By enumeration."""
    costs = []
    for bits in range(2**problem.num_items):
        items = np.flatnonzero([bits >> i & 1 for i in range(problem.num_items)])
        selection = Selection(problem, items)
        if selection.covered.all():
            costs.append(selection.cost)
    return min(costs)


def tree_for(problem, cost):
    """A tree that starts with the claim that no cover is cheaper."""
    found = []
    every = problem.with_budget(float(problem.costs.sum()))

    def improved(selection):
        found.append(selection.cost)
        return tree.claim.costing(selection.cost)

    tree = ProofTree(
        Claim.of_cover(every, 0.0, cost), should_stop=lambda: False, improved=improved
    )
    return tree, found


@for_each("seed", range(30))
def test_it_finds_and_proves_the_cheapest_cover(seed):
    problem = random_cover(seed)
    least = least_cost(problem)
    tree, found = tree_for(problem, float(problem.costs.sum()) + 1.0)
    prove_by_elimination(tree, should_stop=lambda: False)
    # It may be that nothing is open any more.
    tree.grow()
    assert tree.is_proved
    assert tree.claim.least_cost == pytest.approx(least, rel=1e-12)
    assert found[-1] == tree.claim.least_cost
    steps = Certificate(tree.steps).as_dict()
    claim = {"most_left": 0.0}
    assert not reasons_against_bound(problem, steps, **claim, least_cost=least)
    # Nothing below the limit is lost by rounding; above it, nothing is shown.
    higher = least + 1.0
    assert reasons_against_bound(problem, steps, **claim, least_cost=higher)


def test_the_checker_refuses_other_orders():
    problem = CoverageProblem.from_sets([[0, 2], [0, 1], [1, 2]], budget=0)
    claim = {"most_left": 0.0, "least_cost": 2.0}

    def reasons(order, **changed):
        certificate = {"points": [], "steps": [{"eliminate": order}]}
        return reasons_against_bound(problem, certificate, **{**claim, **changed})

    assert reasons([1, 0, 2]) == ()
    assert reasons([1, 0, 2], least_cost=3.0)
    assert reasons([1, 0, 2], most_left=1.0)
    for order in ([], [0, 1], [0, 1, 1], [0, 1, 2, 3], [0, 1, -1], [0, 1, 2, 2]):
        assert reasons(order)


def test_the_checker_refuses_large_tables():
    size = 30
    pairs = [(u, v) for u in range(size) for v in range(u)]
    sets = [[a for a, pair in enumerate(pairs) if i in pair] for i in range(size)]
    problem = CoverageProblem.from_sets(sets, budget=0)
    steps = {"points": [], "steps": [{"eliminate": list(range(size))}]}
    (reason,) = reasons_against_bound(problem, steps, most_left=0.0, least_cost=2.0)
    assert "too large" in reason


def test_an_order_keeps_tables_of_a_path_small():
    sets = [[k, k + 1] for k in range(50)]
    order = elimination_order(sets, 51, should_stop=lambda: False)
    assert sorted(order) == list(range(51))
    assert elimination_order(sets, 51, should_stop=lambda: True) is None


def test_there_is_no_order_for_a_large_clique():
    assert elimination_order([list(range(40))], 40, should_stop=lambda: False) is None


def test_a_grid_of_neighborhoods_is_proved():
    """Dominating sets of grids, which linear relaxations do not prove."""
    side = 8
    cells = [(x, y) for x in range(side) for y in range(side)]
    sets = [
        [k for k, (u, v) in enumerate(cells) if abs(u - x) + abs(v - y) <= 1]
        for x, y in cells
    ]
    problem = CoverageProblem.from_sets(sets, budget=0)
    result = cover(problem)
    assert (result.cost, result.gap) == (16.0, 0.0)
    assert str(verify(problem, result)) == "verified"


def test_elements_that_can_not_count_any_more_need_no_item():
    """Element 0 needs two items, and has one left in a branch: item 3 is enough."""
    problem = CoverageProblem.from_sets(
        [{0}, {0}, {0}, {1}], weights=[1, 5], budget=4
    ).with_constraints(demands=[2, 1])
    last = [{"eliminate": [2, 3]}]
    first = [{"branch": 1, "without": last, "with": last}]
    steps = [{"branch": 0, "without": first, "with": [{"eliminate": [1, 2, 3]}]}]
    certificate = {"points": [], "steps": steps}
    [reason] = reasons_against_bound(
        problem, certificate, most_left=1.0, least_cost=2.0
    )
    assert "lower cost" in reason


@for_each("cost", [0.1, 0.3, 0.7, 1.1])
@for_each("seed", range(3))
def test_covers_of_equal_decimal_costs_are_verified(seed, cost):
    """As graphs, in which every element has two items."""
    rng = np.random.default_rng(seed)
    ends = np.unique(np.sort(rng.integers(0, 24, (60, 2)), axis=1), axis=0)
    ends = ends[ends[:, 0] != ends[:, 1]]
    edges = np.column_stack([ends.ravel(), np.repeat(np.arange(len(ends)), 2)])
    problem = CoverageProblem.from_edges(
        edges, costs=np.full(24, cost), weights=np.ones(len(ends))
    )
    result = cover(problem)
    assert result.gap == 0.0
    assert verify(problem, result)
