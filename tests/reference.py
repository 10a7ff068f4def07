"""Slow, obvious implementations that the fast ones must agree with."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp


def softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def log_one_minus(log_p):
    """ln(1 - p), for p a product of many factors below 1."""
    if log_p == 0.0:
        return -math.inf
    return math.log(-math.expm1(log_p))


def messages(problem, beta, mu, *, damping=0.5, iterations=150, start=None):
    """Equations (BP1) and (BP2) edge by edge: h_hat, and every largest change."""
    graph = problem.edges
    items = {a: graph.items_of(a).tolist() for a in range(problem.num_elements)}
    elements = {i: graph.elements_of(i).tolist() for i in range(problem.num_items)}
    h_hat = start or {(a, i): 0.0 for a in items for i in items[a]}
    changes = []
    for _ in range(iterations):
        h = {
            (i, a): -mu * problem.costs[i]
            + math.fsum(h_hat[b, i] for b in elements[i] if b != a)
            for i in elements
            for a in elements[i]
        }
        new = {
            (a, i): reply(
                beta, problem.weights[a], [h[j, a] for j in items[a] if j != i]
            )
            for a, i in h_hat
        }
        damped = {e: damping * h_hat[e] + (1 - damping) * new[e] for e in h_hat}
        changes.append(max((abs(damped[e] - h_hat[e]) for e in h_hat), default=0.0))
        h_hat = damped
    return h_hat, changes


def by_edge(problem, messages):
    """Messages of all edges, as here: by element and item."""
    graph = problem.edges
    pairs = [
        (a, i) for a in range(problem.num_elements) for i in graph.items_of(a).tolist()
    ]
    return dict(zip(pairs, messages.tolist(), strict=True))


def sweep(problem, beta, mu, h_hat, order, *, damping=0.5):
    """The same for one element after the other, each from the newest h_hat."""
    h_hat = dict(h_hat)
    for a in order:
        items = problem.edges.items_of(a).tolist()
        h_i = item_fields(problem, h_hat, mu)
        h = {j: h_i[j] - h_hat[a, j] for j in items}
        for i in items:
            new = reply(beta, problem.weights[a], [h[j] for j in items if j != i])
            h_hat[a, i] = damping * h_hat[a, i] + (1 - damping) * new
    return h_hat


def reply(beta, w, fields):
    """-(1/beta) ln{1 - q prod 1/(1 + e^(beta h))}, summed as (1 - p) + (1 - q) p."""
    if beta == math.inf:
        none_is_in = w + math.fsum(max(0.0, h) for h in fields)
        return min([none_is_in, *(_some_is_in(fields, j) for j in range(len(fields)))])
    log_p = -math.fsum(softplus(beta * h) for h in fields)
    return -np.logaddexp(log_one_minus(log_p), log_p - softplus(beta * w)) / beta


def _some_is_in(fields, j):
    """What is lost at zero temperature if item j must be in and others are as liked."""
    return max(0.0, -fields[j])


def item_fields(problem, h_hat, mu):
    """Equation (BP3)."""
    return np.array(
        [
            -mu * problem.costs[i]
            + math.fsum(h_hat[a, i] for a in problem.edges.elements_of(i).tolist())
            for i in range(problem.num_items)
        ]
    )


def element_fields(problem, h_hat, beta, mu):
    """Equation (BP4)."""
    h_i = item_fields(problem, h_hat, mu)
    return np.array(
        [
            reply(
                beta,
                problem.weights[a],
                [h_i[j] - h_hat[a, j] for j in problem.edges.items_of(a).tolist()],
            )
            for a in range(problem.num_elements)
        ]
    )


class Enumeration:
    """The paper's partition function, summed over every x and y."""

    def __init__(self, problem, beta, mu):
        num_items, num_elements = problem.num_items, problem.num_elements
        covers = np.zeros((num_items, num_elements))
        for i in range(num_items):
            covers[i, problem.edges.elements_of(i)] = 1
        xs = (np.arange(2**num_items)[:, None] >> np.arange(num_items)) & 1
        covered = xs @ covers > 0
        # The sum over y_a is 1 if a is uncovered, 1 + e^(beta w_a) if it is covered.
        logs = covered @ np.logaddexp(0.0, beta * problem.weights)
        logs -= beta * mu * (xs @ problem.costs)
        # Summed without rounding: the reference must be the better of the two.
        log_z = logs.max() + math.log(math.fsum(np.exp(logs - logs.max()).tolist()))
        probabilities = np.exp(logs - log_z)
        self.item_marginals = probabilities @ xs
        claimed = 1.0 / (1.0 + np.exp(-np.minimum(beta * problem.weights, 700.0)))
        self.element_marginals = probabilities @ covered * claimed
        energy = mu * problem.costs @ self.item_marginals
        energy -= problem.weights @ self.element_marginals
        self.free_energy = -log_z / beta
        self.entropy = beta * (energy - self.free_energy)


class GroundState:
    """The largest value minus price times cost, over every set of items."""

    def __init__(self, problem, mu):
        num_items = problem.num_items
        covers = np.zeros((num_items, problem.num_elements))
        for i in range(num_items):
            covers[i, problem.edges.elements_of(i)] = 1
        xs = (np.arange(2**num_items)[:, None] >> np.arange(num_items)) & 1
        reduced_profits = (xs @ covers > 0) @ problem.weights - mu * (
            xs @ problem.costs
        )
        best = int(reduced_profits.argmax())
        self.surplus = float(reduced_profits[best])
        self.items = np.flatnonzero(xs[best])
        #: How much better it is to have an item in than out, the rest as is best.
        self.item_fields = np.array(
            [
                reduced_profits[xs[:, i] == 1].max()
                - reduced_profits[xs[:, i] == 0].max()
                for i in range(num_items)
            ]
        )


def optimum(problem):
    """Largest value within the budget, by trying every subset."""
    best = 0.0
    for size in range(problem.num_items + 1):
        for chosen in itertools.combinations(range(problem.num_items), size):
            if math.fsum(problem.costs[list(chosen)]) <= problem.budget:
                best = max(best, value(problem, chosen))
    return best


def value(problem, chosen):
    """Weight of the union of what the chosen items cover."""
    covered = set()
    for i in chosen:
        covered.update(problem.edges.elements_of(i).tolist())
    return math.fsum(problem.weights[a] for a in covered)


def feasible_selections(problem):
    """Every set of items within the budget."""
    for size in range(problem.num_items + 1):
        for chosen in itertools.combinations(range(problem.num_items), size):
            if math.fsum(problem.costs[list(chosen)]) <= problem.budget:
                yield chosen


def losses(problem, chosen, *, multipliers, price):
    """What a selection gives away of the dual bound: four kinds, loop by loop."""
    wrong = beyond_the_first = uncovered = 0.0
    for i in range(problem.num_items):
        surplus = _surplus(problem, i, multipliers, price)
        if (surplus > 0) != (i in chosen):
            wrong += abs(surplus)
    for a in range(problem.num_elements):
        count = sum(i in chosen for i in problem.edges.items_of(a).tolist())
        beyond_the_first += multipliers[a] * max(0, count - 1)
        uncovered += (problem.weights[a] - multipliers[a]) * (count == 0)
    unspent = price * (problem.budget - math.fsum(problem.costs[list(chosen)]))
    return wrong, beyond_the_first, uncovered, unspent


def dual_value(problem, *, multipliers, price):
    """The sum at the top of `bounds.py`, loop by loop."""
    total = price * problem.budget
    for a in range(problem.num_elements):
        total += problem.weights[a] - multipliers[a]
    for i in range(problem.num_items):
        total += max(0.0, _surplus(problem, i, multipliers, price))
    return total


def _surplus(problem, i, multipliers, price):
    earned = math.fsum(multipliers[a] for a in problem.edges.elements_of(i).tolist())
    return earned - price * problem.costs[i]


def greedy(problem, divisors):
    """Algorithm 1 as printed, but for items that gain nothing."""
    left = set(range(problem.num_items))
    chosen, covered = [], set()
    while left:
        gains = {
            i: math.fsum(
                problem.weights[a]
                for a in problem.edges.elements_of(i).tolist()
                if a not in covered
            )
            for i in left
        }

        def ratio(i, gains=gains):
            if gains[i] == 0:
                return 0.0
            return gains[i] / divisors[i] if divisors[i] else math.inf

        k = min(left, key=lambda i: (-ratio(i), i))
        left.remove(k)
        cost = math.fsum([*problem.costs[chosen], problem.costs[k]])
        if gains[k] > 0 and cost <= problem.budget:
            chosen.append(k)
            covered.update(problem.edges.elements_of(k).tolist())
    return sorted(chosen)


def integer_optimum(problem):
    """Optimum of whole weights by SciPy."""
    n, m = problem.num_items, problem.num_elements
    rows = np.zeros((m + 1, n + m))
    for a in range(m):
        rows[a, problem.edges.items_of(a)] = -1.0
        rows[a, n + a] = 1.0
    rows[m, :n] = problem.costs
    answer = milp(
        np.r_[np.zeros(n), -problem.weights],
        integrality=np.r_[np.ones(n), np.zeros(m)],
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(rows, ub=np.r_[np.zeros(m), problem.budget]),
        options={"mip_rel_gap": 0.0},
    )
    return round(-answer.fun)
