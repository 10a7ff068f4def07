"""Solvers of set cover made to work with a budget, for `set_cover_methods.py`.

Set cover asks for the cheapest items that cover everything. If a greedy cover costs
little more than the budget, the solver gets the whole time for that. Otherwise leaving
an element uncovered is made possible, by a further set that covers only this element
and costs its weight times a price; the price is adapted over several rounds until the
items cost about the budget. In both cases the least useful items are dropped until the
rest is affordable, and what is left of the budget is spent greedily.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from method_process import Model, Task

# A greedy cover of at most this many budgets is close to affordable.
NEARLY_AFFORDABLE = 1.3
ROUNDS = 5
# Costs with prices are rounded to integers; the budget is this many units.
UNITS = 10_000_000

#: Takes a file of sets and a time limit; returns the chosen sets.
Cover = Callable[[Path, float], np.ndarray]


def within_budget(task: Task, cover: Cover, path: Path) -> np.ndarray:
    """Return the best affordable items of all rounds; sets are written to the path."""
    model = task.model
    with task.paused():
        sets = Sets(model)
        price = last_price(model, greedy(model))
        cost_of_cover = model.costs[greedy(model, budget=np.inf)].sum()
    if cost_of_cover <= NEARLY_AFFORDABLE * model.budget:
        with task.paused():
            sets.write(path)
        return affordable_part(model, cover(path, task.seconds_left))
    best, below, above = np.zeros(0, dtype=np.int64), 0.0, np.inf
    for done in range(ROUNDS):
        with task.paused():
            sets.write(path, price=price)
        chosen = cover(path, task.seconds_left / (ROUNDS - done))
        chosen = chosen[chosen < model.num_items]
        if model.costs[chosen].sum() > model.budget:
            above = price
        else:
            below = price
        with task.paused():
            items = affordable_part(model, chosen)
        if model.value_of(items) > model.value_of(best):
            best = items
            task.record(model.value_of(best))
        price = next_price(below, above)
        if task.elapsed >= task.seconds:
            break
    return best


def next_price(below: float, above: float) -> float:
    if below == 0.0:
        return above / 2
    return 2 * below if above == np.inf else float(np.sqrt(below * above))


class Sets:
    """The sets of a problem, written in the rail format of OR-Library."""

    def __init__(self, model: Model) -> None:
        self._model = model
        degrees = np.diff(model.element_start)
        # Elements that nothing covers cannot be asked for.
        self._elements = np.flatnonzero((degrees > 0) & (model.weights > 0))
        number = np.zeros(model.num_elements, dtype=np.int64)
        number[self._elements] = np.arange(1, self._elements.size + 1)
        starts, columns = model.by_item.indptr, number[model.by_item.indices]
        self._members = []
        for first, end in pairwise(starts):
            members = [str(k) for k in columns[first:end].tolist() if k]
            self._members.append(" ".join([str(len(members)), *members]))

    def write(self, path: Path, *, price: float = np.inf) -> None:
        """Write the items as sets and, at a finite price, one set per element."""
        model, lines = self._model, list(self._members)
        costs = model.costs
        if price < np.inf:
            penalties = price * model.weights[self._elements]
            costs = np.concatenate([costs, penalties])
            lines += [f"1 {k}" for k in range(1, self._elements.size + 1)]
        if (costs != np.round(costs)).any():
            costs = np.maximum(1, np.round(costs * (UNITS / model.budget)))
        with path.open("w", encoding="ascii") as file:
            file.write(f"{self._elements.size} {len(lines)}\n")
            for cost, line in zip(costs.tolist(), lines, strict=True):
                file.write(f"{cost:.0f} {line}\n")


def greedy(
    model: Model, items: np.ndarray | None = None, *, budget: float | None = None
) -> np.ndarray:
    """Add the items that cover most per cost until none is affordable."""
    budget = model.budget if budget is None else budget
    start, members = model.by_item.indptr, model.by_item.indices
    chosen = [] if items is None else items.tolist()
    open_weights = model.weights.copy()
    for i in chosen:
        open_weights[members[start[i] : start[i + 1]]] = 0.0
    left = budget - model.costs[chosen].sum()
    costs = np.maximum(model.costs, 1e-300)
    ratios = (model.by_item @ open_weights) / costs
    queue = [(-ratio, i) for i, ratio in enumerate(ratios.tolist()) if ratio > 0]
    heapq.heapify(queue)
    while queue:
        # Gains only fall: an item whose gain is still the largest is the best.
        _, i = heapq.heappop(queue)
        if model.costs[i] > left + 1e-9:
            continue
        covered = members[start[i] : start[i + 1]]
        ratio = open_weights[covered].sum() / costs[i]
        if ratio <= 0:
            continue
        if queue and ratio < -queue[0][0]:
            heapq.heappush(queue, (-ratio, i))
            continue
        chosen.append(i)
        open_weights[covered] = 0.0
        left -= model.costs[i]
    return np.array(chosen, dtype=np.int64)


def last_price(model: Model, items: np.ndarray) -> float:
    """Cost per weight of the item that was added last."""
    if items.size == 0:
        return 1.0
    gain = model.value_of(items) - model.value_of(items[:-1])
    return float(model.costs[items[-1]] / max(gain, 1e-300))


def affordable_part(model: Model, items: np.ndarray) -> np.ndarray:
    """Drop the items that lose least per cost, then spend what is left."""
    rows = model.by_item[items]
    is_kept = np.ones(items.size, dtype=bool)
    spent = model.costs[items].sum()
    while spent > model.budget + 1e-9:
        counts = rows.T @ is_kept
        losses = rows @ np.where(counts == 1, model.weights, 0.0)
        ratios = losses / np.maximum(model.costs[items], 1e-300)
        ratios[~is_kept] = np.inf
        worst = int(np.argmin(ratios))
        is_kept[worst] = False
        spent -= model.costs[items[worst]]
    return greedy(model, items[is_kept])
