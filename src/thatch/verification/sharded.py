"""Results of problems in shards, one shard in memory at a time.

Their certificate is a price per element, in files beside the shards, and the price of
the budget. What no element must earn, what items earn beyond their costs, and what the
budget allows bound the weight of every selection.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, fsum, inf
from typing import Any

import numpy as np

from thatch.verification.rows import BITS, Ints, NotProvedError, Row, floored, unit_of


def reasons_against_shards(problem: Any, result: Any) -> Iterator[str]:
    """Why a result of a problem in shards is not proved."""
    items = result.selection.items
    if fsum(problem.costs[items].tolist()) > problem.budget:
        yield "the selection exceeds the budget"
    if _covered(problem, items) != result.selection.value:
        yield f"the selection does not cover {result.selection.value!r}"
    if fsum([*_parts(problem), -result.upper_bound]) <= 0:
        return  # all items together cover no more
    prices = None if result.certificate is None else result.certificate.of_shards
    if prices is None:
        yield "the bound has no certificate"
        return
    try:
        most, unit, has_integers = _most(problem, prices)
    except NotProvedError as error:
        yield f"the certificate fails: {error}"
        return
    scale, bound = Fraction(2) ** unit, Fraction(result.upper_bound)
    target = (floor(bound) + 1) * scale if has_integers else bound * scale + 1
    if most >= floor(target):
        yield "the certificate fails: its prices allow more than the bound"


def _covered(problem: Any, items: Ints) -> float:
    """What a selection covers, rounded once."""
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    chosen[items] = 1
    return fsum(_parts(problem, chosen))


def _parts(problem: Any, chosen: Any = None) -> Iterator[float]:
    """Numbers that add up to what items cover; by default all items."""
    for number in range(len(problem.shards)):
        shard = problem.shard(number)
        counts = np.diff(shard.element_start)
        if chosen is not None:
            inside = chosen[shard.items][shard.element_items] > 0
            elements = _elements(shard)[inside]
            counts = np.bincount(elements, minlength=shard.num_elements)
        values = shard.weights[counts > 0].tolist()
        total = fsum(values)
        # The rounded sum, and what it lacks.
        yield total
        yield fsum([*values, -total])
        shard.release()


def _most(problem: Any, prices: Any) -> tuple[int, int, bool]:
    """What no selection exceeds, in units; the unit; whether weights are integers."""
    total, has_integers = 0.0, True
    for number in range(len(problem.shards)):
        weights = problem.shard(number).weights
        total += fsum(weights.tolist())
        has_integers &= bool((weights == np.floor(weights)).all())
    unit = unit_of(total)
    has_integers &= unit > BITS - 53
    row = Row.of_costs(np.asarray(problem.costs), problem.budget)
    price = float(prices.budget)
    if not (0.0 <= price < inf and price * problem.budget < 4.0 * max(total, 1e-300)):
        raise NotProvedError("the price of its budget is out of range")
    sums, most = np.zeros(problem.num_items, dtype=np.int64), 0
    for number in range(len(problem.shards)):
        shard = problem.shard(number)
        most += _add_shard(shard, prices.of_shard(number), unit, sums)
        shard.release()
    charges = np.zeros(problem.num_items, dtype=np.int64)
    per_unit = price / row.scale
    lowest = np.nextafter(per_unit * np.minimum(row.values, row.highest), -inf)
    charges[row.items] = floored(np.maximum(lowest, 0.0), unit)
    allowed = ceil(Fraction(per_unit) * row.limit * Fraction(2) ** unit)
    fits = np.asarray(problem.costs) <= problem.budget
    gains = np.maximum(sums - charges, 0)[fits]
    return most + allowed + int(gains.sum()), unit, has_integers


def _add_shard(shard: Any, given: Any, unit: int, sums: Ints) -> int:
    """Add what the items of a shard earn; return what no element must earn."""
    weights = shard.weights
    prices = np.asarray(given, dtype=np.float64)
    if prices.shape != weights.shape or not np.isfinite(prices).all():
        raise NotProvedError("its prices are of other shards")
    counted = -floored(-weights, unit)
    price = np.minimum(floored(np.clip(prices, 0.0, weights), unit), counted)
    earned = np.zeros(shard.num_items, dtype=np.int64)
    np.add.at(earned, shard.element_items, price[_elements(shard)])
    sums[shard.items] += earned
    is_covered = np.diff(shard.element_start) > 0
    return int((counted - price)[is_covered].sum())


def _elements(shard: Any) -> Ints:
    """The element of each edge."""
    return np.repeat(np.arange(shard.num_elements), np.diff(shard.element_start))
