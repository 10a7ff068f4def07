"""A certificate, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np

from thatch.verification.claims import Claim
from thatch.verification.components import combine
from thatch.verification.elimination import eliminate
from thatch.verification.overlaps import exclude_by_overlaps
from thatch.verification.reductions import with_needed, without_implied
from thatch.verification.rows import Ints, NotProvedError
from thatch.verification.states import Priced, Prices, State
from thatch.verification.trials import try_all
from thatch.verification.vertex_covers import exclude_vertex_covers


def check(claim: Claim, certificate: Mapping[str, Any]) -> None:
    """Follow all steps; raise an error if some selection may be against the claim."""
    points = [Prices.of(claim, point) for point in certificate["points"]]
    state = State.of(claim).normalized()
    if _exceeds_everything(state):
        return
    waiting = [(state, certificate["steps"])]
    while waiting:
        claim.require_time()
        state, steps = waiting.pop()
        waiting += _followed(state, steps, points)


def _followed(
    state: State, steps: Sequence[Mapping[str, Any]], points: Sequence[Prices]
) -> list[tuple[State, Any]]:
    """What is left after some steps: nothing, or two branches."""
    for step in [{}, *steps]:
        if "price" in step:
            state = state.at(_numbered(points, step["price"]))
        elif "leave_out" in step:
            pairs = _items(state, step["leave_out"]).reshape(-1, 2)
            priced = state.priced
            state = replace(state.without_dominated(pairs), priced=priced)
        elif "take" in step:
            state = with_needed(state, _items(state, step["take"]))
        elif "imply" in step:
            pairs = _elements(state, step["imply"]).reshape(-1, 2)
            state = without_implied(state, pairs)
        elif "try" in step:
            prices = _numbered(points, step["at"])
            state = state.at(prices)
            if state.is_contradictory or _most(state) < state.target:
                return []
            state = replace(state, priced=Priced.of(state, prices, has_edges=False))
            try_all(state, _items(state, step["try"]).tolist())
            return []
        elif "overlaps" in step:
            exclude_by_overlaps(state, step["overlaps"])
            return []
        elif "vertex_covers" in step:
            exclude_vertex_covers(state, step["vertex_covers"])
            return []
        elif "eliminate" in step:
            eliminate(state, _items(state, step["eliminate"]))
            return []
        elif "combine" in step:
            combine(state, float(step["combine"]))
            return []
        elif "branch" in step:
            item = _items(state, [step["branch"]])
            if not state.is_open[item[0]]:
                # Steps before it have decided the item already.
                side = "with" if state.is_taken[item[0]] else "without"
                return [(state, step[side])]
            none = item[:0]
            return [
                (state.decided(none, item).normalized(), step["without"]),
                (state.decided(item, none).normalized(), step["with"]),
            ]
        elif "split" in step:
            items, most = np.unique(_items(state, step["split"])), int(step["at"])
            return [
                (state.within(items, most=most, is_more=is_more), step[side])
                for side, is_more in (("at_most", False), ("more", True))
            ]
        if state.is_contradictory or _most(state) < state.target:
            return []
    raise NotProvedError("its steps leave selections that may be better")


def _items(state: State, numbers: Any) -> Ints:
    """Numbers of items; Python would count negative ones from the end."""
    found = np.asarray(numbers, dtype=np.int64)
    if found.size and not 0 <= found.min() <= found.max() < state.claim.num_items:
        raise NotProvedError("it names items that do not exist")
    return found


def _elements(state: State, numbers: Any) -> Ints:
    """Numbers of elements, checked alike."""
    found = np.asarray(numbers, dtype=np.int64)
    if found.size and not 0 <= found.min() <= found.max() < state.left.size:
        raise NotProvedError("it names elements that do not exist")
    return found


def _numbered(points: Sequence[Prices], number: int) -> Prices:
    if not 0 <= number < len(points):
        raise NotProvedError("it names prices that do not exist")
    return points[number]


def _exceeds_everything(state: State) -> bool:
    """Whether all items together cover no more than is claimed, by exact sums."""
    claim = state.claim
    if claim.most_covered is None:
        return False
    weights = claim.weights[(state.left <= 0) | state.can_count].tolist()
    return fsum([*weights, -claim.most_covered]) <= 0


def _most(state: State) -> int:
    """What no open selection exceeds, by the last prices or without any."""
    most = state.reachable
    return most if state.priced is None else min(most, state.priced.bound)
