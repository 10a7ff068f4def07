"""Random problems for the tests."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from thatch import CoverageProblem
from thatch.problem.instances.random_graphs import BiregularGraph


def random_problem(seed, *, max_items=14, max_elements=20):
    """A small problem: sparse or dense, whole or real, free items, no edges."""
    rng = np.random.default_rng(seed)
    num_items = int(rng.integers(1, max_items + 1))
    num_elements = int(rng.integers(1, max_elements + 1))
    is_edge = rng.random((num_items, num_elements)) < rng.choice([0.05, 0.2, 0.5, 0.9])
    if rng.random() < 0.5:
        costs = rng.integers(0 if rng.random() < 0.3 else 1, 11, num_items).astype(
            float
        )
        weights = rng.integers(0 if rng.random() < 0.3 else 1, 11, num_elements).astype(
            float
        )
    elif rng.random() < 0.3:
        costs = 10.0 ** rng.uniform(-12, 12, num_items)
        weights = 10.0 ** rng.uniform(-12, 12, num_elements)
    else:
        costs = rng.random(num_items) * 10 ** rng.uniform(-3, 3)
        weights = rng.random(num_elements) * 10 ** rng.uniform(-3, 3)
    budget = float(costs.sum() * rng.choice([0.0, 0.1, 0.3, 0.6, 1.0]))
    return CoverageProblem.from_matrix(
        is_edge, costs=costs, weights=weights, budget=budget
    )


def moderate_problem(seed):
    """A small problem with loops, whose weights are neither tiny nor huge."""
    rng = np.random.default_rng(seed)
    return CoverageProblem.from_matrix(
        rng.random((7, 9)) < 0.4,
        costs=rng.uniform(0.5, 2.0, 7),
        weights=rng.uniform(0.5, 3.0, 9),
        budget=3.0,
    )


def steiner_triples(dimension, *, budget=17):
    """Points of an affine space over three elements; each covers its lines.

    In three dimensions: 27 points and 117 lines of three points each. All points are
    alike, so that a linear program bounds little.
    """
    points = list(itertools.product(range(3), repeat=dimension))
    index = {point: i for i, point in enumerate(points)}
    lines = set()
    for one, other in itertools.combinations(points, 2):
        third = tuple((-a - b) % 3 for a, b in zip(one, other, strict=True))
        lines.add(tuple(sorted(index[point] for point in (one, other, third))))
    return CoverageProblem.from_sets(
        [{line for line in lines if i in line} for i in range(len(points))],
        budget=budget,
    )


def random_tree(seed, *, max_items=16):
    """A problem whose graph has no loop: items and elements joined one by one."""
    rng = np.random.default_rng(seed)
    num_items = int(rng.integers(1, max_items + 1))
    num_elements = int(rng.integers(1, 20))
    waiting = [("item", i) for i in range(num_items)]
    waiting += [("element", a) for a in range(num_elements)]
    placed = {"item": [], "element": []}
    edges = []
    for k in rng.permutation(len(waiting)):
        side, node = waiting[k]
        other = placed["element" if side == "item" else "item"]
        if other and rng.random() < 0.95:
            neighbour = other[int(rng.integers(len(other)))]
            edges.append((node, neighbour) if side == "item" else (neighbour, node))
        placed[side].append(node)
    return CoverageProblem.from_edges(
        edges,
        costs=rng.uniform(0.1, 3.0, num_items),
        weights=rng.uniform(0.1, 3.0, num_elements),
        budget=3.0,
    )


@st.composite
def problems(draw, max_items=7, max_elements=9):
    """Any valid problem, with the costs and weights that hypothesis likes best."""
    numbers = st.one_of(
        st.integers(0, 10).map(float),
        st.floats(0, 1e6, allow_nan=False),
        st.floats(0, 1e300, allow_nan=False),
    )
    num_items = draw(st.integers(0, max_items))
    num_elements = draw(st.integers(0, max_elements))
    cells = [(i, a) for i in range(num_items) for a in range(num_elements)]
    edges = draw(st.lists(st.sampled_from(cells), unique=True)) if cells else []
    costs = draw(st.lists(numbers, min_size=num_items, max_size=num_items))
    weights = draw(st.lists(numbers, min_size=num_elements, max_size=num_elements))
    budget = draw(st.one_of(numbers, st.just(sum(costs)), st.just(sum(costs[:2]))))
    return CoverageProblem.from_edges(
        edges, costs=costs, weights=weights, budget=budget
    )


def long_problem():
    """What a JSON file holds of a problem that keeps the exact solver busy for long."""
    graph = BiregularGraph(
        num_items=1000, num_elements=3000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=1000, seed=0)
    return {
        "sets": [problem.edges.elements_of(i).tolist() for i in range(1000)],
        "costs": problem.costs.tolist(),
        "weights": problem.weights.tolist(),
        "budget": problem.budget,
    }


def groups_of(problem):
    """What kernels need: the group of each item, and the room in each group."""
    group, at_most = problem.group_limits
    return group, at_most.copy()


def with_random_groups(problem, seed):
    """The problem with a limit per group."""
    rng = np.random.default_rng(seed)
    groups = [None if g == 3 else g for g in rng.integers(0, 4, problem.num_items)]
    return problem.with_constraints(groups=groups, at_most=int(rng.integers(0, 3)))


def random_constraints(seed, problem):
    """Any mix of constraints, which may contradict each other."""
    rng = np.random.default_rng(seed)
    n = problem.num_items

    def some(most):
        return rng.permutation(n)[: rng.integers(1, most + 1)].tolist()

    def pairs():
        return [rng.permutation(n)[:2].tolist() for _ in range(rng.integers(1, 4))]

    given = {}
    if rng.random() < 0.35:
        given["required"] = some(2)
    if rng.random() < 0.35:
        required = given.get("required", [])
        given["forbidden"] = [i for i in some(2) if i not in required]
    if rng.random() < 0.5:
        given["groups"] = rng.integers(0, 3, n).tolist()
        given["at_most"] = int(rng.integers(0, 4))
    if rng.random() < 0.2:
        given["groups"] = rng.integers(0, 3, n).tolist()
        given["at_least"] = {g: 1 for g in set(given["groups"]) if rng.random() < 0.6}
        given.pop("at_most", None)
    if rng.random() < 0.3:
        costs = np.round(4 * rng.random(n), 1)
        given["budgets"] = {"staff": (costs, float(costs.sum() * rng.uniform(0.2, 1)))}
    if rng.random() < 0.25:
        given["demands"] = rng.integers(1, 3, problem.num_elements).tolist()
    if n > 1 and rng.random() < 0.25:
        given["prerequisites"] = pairs()
    if n > 1 and rng.random() < 0.25:
        given["conflicts"] = pairs()
    return given
