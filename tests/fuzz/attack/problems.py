"""Small random problems with constraints, whose numbers are hard to add."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from random import Random
from typing import Any

from thatch import CoverageProblem

MAX_ITEMS = 12


@dataclass(frozen=True)
class Case:
    """A problem, and what is asked about it, as plain data.

    The constraints are the arguments of `CoverageProblem.with_constraints`: groups as
    one name or None per item, demands as a list. The call has the name of a function of
    `fuzz.attack.calls` and its arguments.
    """

    sets: list[list[int]]
    costs: list[float]
    weights: list[float]
    budget: float
    call: dict[str, Any]
    constraints: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_bytes(cls, content: bytes) -> Case:
        """The case that was written to a file."""
        return cls(**json.loads(content))

    def to_bytes(self) -> bytes:
        """The case as JSON, which keeps every digit."""
        return json.dumps(asdict(self), indent=1).encode()

    def problem(self) -> CoverageProblem:
        """The problem as thatch has it."""
        problem = CoverageProblem.from_sets(
            self.sets, costs=self.costs, weights=self.weights, budget=self.budget
        )
        return problem.with_constraints(**self.constraints)


# How numbers are drawn; those of one list are of one kind, or of any.
_DRAWS: dict[str, Callable[[Random], float]] = {
    "one": lambda _rng: 1.0,
    "small": lambda rng: float(rng.randint(0, 6)),
    "thousands": lambda rng: float(rng.randint(1, 10**6)),
    "huge": lambda rng: float(rng.randint(10**14, 10**15)),
    "inexact": lambda rng: float(2**53 + 2 * rng.randint(0, 50)),
    "tenths": lambda rng: rng.randint(1, 30) / 10,
    "tenth": lambda _rng: 0.1,
    "thousandths": lambda rng: rng.randint(1, 10**6) / 1000,
    "near one": lambda rng: 1.0 + rng.choice([0, 0, 0, 1, -1]) * 1e-7,
    "nearer one": lambda rng: 1.0 + rng.choice([0, 0, 1, -1, 2]) * 1e-12,
    "neighbors": lambda rng: math.nextafter(0.3, rng.choice([0.0, 0.3, 1.0])),
    "real": lambda rng: rng.random(),
    "scales": lambda rng: 10.0 ** rng.uniform(-9, 15),
    "decades": lambda rng: 10.0 ** rng.randint(-9, 15),
    "two scales": lambda rng: rng.choice([1e9, 1.0, 1e-6]) * rng.randint(1, 3),
    "far scales": lambda rng: rng.choice([1e9, 1e-3, 1e-9]) * rng.randint(1, 2),
    "large and a little": lambda rng: 1e9 + rng.choice([0, 0, 1, 0.5, 1e-6]),
    "powers of two": lambda rng: 2.0 ** rng.randint(-30, 50),
    "tiny": lambda rng: rng.random() * 1e-12,
}


# Those that integer programs in floating point find hard.
_HARD = ("near one", "scales", "two scales", "far scales", "large and a little")


_HAIRS = (1.0000001, 1.0000001, 0.9999999, 1.0 + 2**-52, 1.0 + 1e-9)


def _kind(rng: Random) -> str:
    return rng.choice(["one", rng.choice(_HARD), *rng.choices(list(_DRAWS), k=3)])


def numbers(rng: Random, count: int, *, is_plain: bool = False) -> list[float]:
    """Costs or weights: some free, some equal, of one scale or of all.

    Plain ones are small integers, of which one may be off by a hair.
    """
    if is_plain:
        drawn = _of_kinds(rng, [rng.choice(["one", "small"])] * count)
        return _with_hair(rng, drawn) if rng.random() < 0.5 else drawn
    kinds = [_kind(rng)] * count
    if rng.random() < 0.15:
        kinds = [_kind(rng) for _ in range(count)]
    elif rng.random() < 0.15:
        one, other = rng.sample(list(_DRAWS), 2)
        kinds = [rng.choice([one, other]) for _ in range(count)]
    drawn = _of_kinds(rng, kinds)
    if rng.random() < 0.2:
        drawn = [0.0 if rng.random() < 0.3 else value for value in drawn]
    return _with_hair(rng, drawn) if rng.random() < 0.25 else drawn


def _of_kinds(rng: Random, kinds: list[str]) -> list[float]:
    return [_DRAWS[kind](rng) for kind in kinds]


def _with_hair(rng: Random, values: list[float]) -> list[float]:
    """The values with one that is a little larger or smaller."""
    place = rng.randrange(len(values))
    return [
        value * rng.choice(_HAIRS) if k == place else value
        for k, value in enumerate(values)
    ]


def limit(rng: Random, costs: list[float]) -> float:
    """A budget that a selection meets exactly, or almost, or any other one."""
    share = rng.choice([0.3, 0.5, 0.5, 0.8])
    subset = [cost for cost in costs if rng.random() < share]
    exact, total = math.fsum(subset), math.fsum(costs)
    unit = min((cost for cost in costs if cost > 0), default=1.0)
    drawn = rng.choice(
        [
            exact,
            exact,
            exact,
            sum(reversed(subset)),
            math.nextafter(exact, 0.0),
            math.nextafter(exact, math.inf),
            exact + unit * rng.choice([1.0, 0.5, -0.5]),
            exact + unit * rng.choice([1.0, 0.5, -0.5]),
            float(round(exact)),
            float(math.ceil(exact)),
            float(f"{exact:.3g}"),
            exact * (1 + rng.choice([1e-7, -1e-7, 1e-9, 1e-12, -1e-12])),
            total * rng.random(),
            total,
            max(costs),
        ]
    )
    return max(0.0, drawn)


def problem(rng: Random) -> Case:
    """A problem of at most 12 items, about which nothing is asked yet."""
    num_items = rng.choice([1, 2, 3, 4, 5, 6, 6, 7, 8, 8, 9, 9, 10, 11, MAX_ITEMS])
    num_elements = rng.randint(1, 12)
    sets = _sets(rng, num_items, num_elements)
    is_plain = rng.random() < 0.35
    costs = numbers(rng, num_items, is_plain=is_plain)
    weights = numbers(rng, num_elements, is_plain=is_plain)
    drawn = Case(sets, costs, weights, limit(rng, costs), {})
    if rng.random() < 0.6:
        drawn = replace(drawn, constraints=constraints(rng, drawn, is_plain=is_plain))
    return drawn


def _sets(rng: Random, num_items: int, num_elements: int) -> list[list[int]]:
    """What each item covers; some cover nothing, and some the same as others."""
    density = rng.choice([0.1, 0.2, 0.35, 0.5, 0.9, 1.0])
    share_of_copies = rng.choice([0.0, 0.0, 0.3])
    sets: list[list[int]] = []
    for _ in range(num_items):
        if sets and rng.random() < share_of_copies:
            sets.append(list(rng.choice(sets)))
        else:
            sets.append([a for a in range(num_elements) if rng.random() < density])
    return sets


def constraints(rng: Random, case: Case, *, is_plain: bool = False) -> dict[str, Any]:
    """One to four kinds of constraints, each of which can be met by itself."""
    num_items, num_elements = len(case.sets), len(case.weights)
    draws = {
        "required": lambda: _some(rng, num_items, 2),
        "forbidden": lambda: _some(rng, num_items, 3),
        "groups": lambda: _groups(rng, num_items),
        "budgets": lambda: _budgets(rng, num_items, is_plain=is_plain),
        "demands": lambda: _demands(rng, num_elements),
        "prerequisites": lambda: _pairs(rng, num_items),
        "conflicts": lambda: _pairs(rng, num_items),
    }
    chosen = rng.sample(list(draws), rng.choice([1, 1, 1, 2, 2, 3, 4]))
    found = {name: draws[name]() for name in draws if name in chosen}
    found.update(found.pop("groups", {}))
    if "required" in found and "forbidden" in found:
        required = set(found["required"])
        found["forbidden"] = [i for i in found["forbidden"] if i not in required]
    return {name: value for name, value in found.items() if value}


def _some(rng: Random, num_items: int, most: int) -> list[int]:
    count = min(num_items, rng.randint(1, most))
    return sorted(rng.sample(range(num_items), count))


def _groups(rng: Random, num_items: int) -> dict[str, Any]:
    names = rng.choice([["a"], ["a", "b"], ["a", "b", "c"]])
    choices = [*names, None] if rng.random() < 0.5 else names
    groups = [rng.choice(choices) for _ in range(num_items)]
    present = [name for name in names if name in groups]
    if not present:
        return {}
    sizes = {name: groups.count(name) for name in present}
    most = {
        name: rng.randint(0 if size > 1 else 1, size) for name, size in sizes.items()
    }
    least = {name: rng.randint(0, min(2, most[name])) for name in present}
    kind = rng.choice(["at_most", "at_most", "at_least", "both"])
    found: dict[str, Any] = {"groups": groups}
    if kind != "at_least":
        found["at_most"] = most
    if kind != "at_most":
        found["at_least"] = least
    return found


def _budgets(rng: Random, num_items: int, *, is_plain: bool) -> dict[str, Any]:
    found = {}
    for name in ("staff", "space")[: rng.choice([1, 1, 2])]:
        costs = numbers(rng, num_items, is_plain=is_plain)
        found[name] = [costs, limit(rng, costs)]
    return found


def _demands(rng: Random, num_elements: int) -> list[int]:
    return [rng.choice([1, 1, 1, 2, 2, 3]) for _ in range(num_elements)]


def _pairs(rng: Random, num_items: int) -> list[list[int]]:
    if num_items < 2:
        return []
    pairs = [rng.sample(range(num_items), 2) for _ in range(rng.randint(1, 4))]
    return sorted(pairs)
