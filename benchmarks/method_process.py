"""How `quality.py` and its methods exchange problems and answers.

Every method runs in a process of its own, because OR-Tools and highspy cannot be loaded
into one process, and because one that ignores its time limit can be killed:

python SCRIPT METHOD FILE SECONDS SEED THREADS [PROGRAM]

It prints one JSON object: the chosen items, or their value alone, the bound if there is
one, the seconds it took, and the values and bounds over time. What is asked for is the
most weight within the budget, or a cover: then its value is its cost.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path

import numpy as np
import scipy.sparse


@dataclass(frozen=True)
class Model:
    """The arrays of a problem; edges are grouped by element."""

    costs: np.ndarray
    weights: np.ndarray
    budget: float
    element_start: np.ndarray
    element_items: np.ndarray
    #: Whether everything coverable is to be covered at the least cost.
    is_cover: bool = False

    @classmethod
    def read(cls, path: str | Path) -> Model:
        """Read the file that `quality.py` wrote."""
        with np.load(path) as arrays:
            scalars = {name: arrays[name].item() for name in ("budget", "is_cover")}
            return cls(**{**dict(arrays), **scalars})

    @property
    def num_items(self) -> int:
        """Number of items."""
        return self.costs.size

    @property
    def num_elements(self) -> int:
        """Number of elements."""
        return self.weights.size

    @cached_property
    def by_element(self) -> scipy.sparse.csr_array:
        """Matrix of ones with one row per element and one column per item."""
        ones = np.ones(self.element_items.size)
        return scipy.sparse.csr_array(
            (ones, self.element_items, self.element_start),
            shape=(self.num_elements, self.num_items),
        )

    @cached_property
    def by_item(self) -> scipy.sparse.csr_array:
        """Matrix of ones with one row per item and one column per element."""
        return scipy.sparse.csr_array(self.by_element.T)

    def value_of(self, items: np.ndarray) -> float:
        """Weight that the items cover."""
        is_chosen = np.zeros(self.num_items)
        is_chosen[items] = 1.0
        return float(self.weights[self.by_element @ is_chosen > 0].sum())

    def is_covered_by(self, items: np.ndarray) -> bool:
        """Whether the items cover all that can be covered."""
        counts = np.bincount(items, minlength=self.num_items)
        return bool((self.by_element @ counts)[np.diff(self.element_start) > 0].all())


@dataclass(frozen=True)
class Answer:
    """Items that a method chose, or the value alone if the method prints no items."""

    items: np.ndarray | None
    bound: float = math.nan
    value: float = math.nan
    #: Whether the bound was checked by its certificate, if the method has one.
    is_verified: bool | None = None


@dataclass
class Task:
    """What a method gets: a problem, limits, and a record of its values over time."""

    model: Model
    seconds: float
    seed: int
    threads: int
    program: Path | None = None
    values: list[tuple[float, float]] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)
    _began: float = field(default_factory=time.perf_counter)

    @property
    def elapsed(self) -> float:
        """Seconds since the clock was started."""
        return time.perf_counter() - self._began

    @property
    def seconds_left(self) -> float:
        """Seconds until the limit, at least a tenth."""
        return max(0.1, self.seconds - self.elapsed)

    def start_clock(self) -> None:
        """Start the clock again: what was done before does not count."""
        self._began = time.perf_counter()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clock for work that only this comparison needs."""
        paused = time.perf_counter()
        yield
        self._began += time.perf_counter() - paused

    def record(self, value: float, *, seconds: float | None = None) -> None:
        """Record a value, now or at an earlier time, if it is the best so far."""
        now = self.elapsed if seconds is None else seconds
        _append_better(self.values, (now, value), is_less=self.model.is_cover)

    def record_bound(self, bound: float) -> None:
        """Record a bound, now, if it is the tightest so far."""
        point = (self.elapsed, bound)
        _append_better(self.bounds, point, is_less=not self.model.is_cover)


def _append_better(
    points: list[tuple[float, float]], point: tuple[float, float], *, is_less: bool
) -> None:
    sign = -1 if is_less else 1
    if math.isfinite(point[1]) and (
        not points or sign * point[1] > sign * points[-1][1]
    ):
        points.append(point)


#: The package that a method needs, and the method.
Methods = Mapping[str, tuple[str, Callable[[Task], Answer]]]


def answer_as(methods: Methods) -> None:
    """Run the method that the command line names, and print its answer."""
    name, path, seconds, seed, threads, *program = sys.argv[1:]
    model = Model.read(path)
    package, method = methods[name]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed.")
    where = Path(program[0]) if program else None
    task = Task(model, float(seconds), int(seed), int(threads), where)
    answer = method(task)
    took = task.elapsed
    items = None if answer.items is None else answer.items.tolist()
    fields = {
        "items": items,
        "value": answer.value,
        "bound": answer.bound,
        "is_verified": answer.is_verified,
        "seconds": took,
        "values": task.values,
        "bounds": task.bounds,
    }
    print(json.dumps(fields))
