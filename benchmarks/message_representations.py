"""Implementations of message passing with one interface, so that they can be timed.

Each is started on a problem, runs a number of iterations, and returns their time and
the marginals of the items.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np

from thatch import CoverageProblem
from thatch.solvers.belief_propagation import Messages, PricedProblem
from thatch.solvers.belief_propagation.representations import (
    Logarithms,
    Products,
    Singles,
)

DAMPING = 0.5
#: The paper's temperature and price on these graphs.
INVERSE_TEMPERATURE, PRICE = 3.0, 5.0
# At 0.3 PGMax's OR factors are wrong; at 3, products overflow in single precision.
WARMER = 0.2
_PEERS = Path(__file__).with_name("message_peers.py")


class LeftOutError(Exception):
    """An implementation is not installed, or failed."""


@dataclass(frozen=True)
class Setting:
    """Input of every implementation: a problem and a number of iterations."""

    problem: CoverageProblem
    iterations: int
    inverse_temperature: float = INVERSE_TEMPERATURE

    @property
    def priced(self) -> PricedProblem:
        """The problem at its temperature and price."""
        return PricedProblem(
            self.problem, inverse_temperature=self.inverse_temperature, price=PRICE
        )


class Started(Protocol):
    """An implementation on a problem, after its first iterations."""

    #: Marginals of the items after the first iterations.
    marginals: np.ndarray

    def seconds(self) -> float:
        """Run all iterations again, and return their time."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


@dataclass(frozen=True)
class Representation:
    """One representation of the messages, in one package."""

    name: str
    start: Callable[[Setting], Started]
    #: Setting up larger problems takes too long.
    most_items: int = 10**9
    inverse_temperature: float = INVERSE_TEMPERATURE


class Local:
    """An implementation in this process."""

    def __init__(
        self, iterate: Callable[[], None], read: Callable[[], np.ndarray], times: int
    ) -> None:
        self._iterate, self._times = iterate, times
        self.seconds()
        self.marginals = read()

    def seconds(self) -> float:
        began = time.perf_counter()
        for _ in range(self._times):
            self._iterate()
        return time.perf_counter() - began

    def close(self) -> None:
        """There is nothing to release."""


class Peer:
    """Another package in its own process, which waits between runs."""

    def __init__(self, name: str, setting: Setting) -> None:
        package = name.partition("-")[0]
        if find_spec(package) is None:
            raise LeftOutError(f"{package} is not installed: make message-peers")
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / "graph.npz"
        write_graph(file, setting)
        self._process = subprocess.Popen(
            [sys.executable, str(_PEERS), name, str(file), str(setting.iterations)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if self._line() != "ready":
            self.close()
            raise LeftOutError(f"{name} failed on {setting.problem}")
        self.marginals = np.load(file.with_suffix(".npy"))

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def seconds(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        return float(self._line())

    def close(self) -> None:
        """End the process, and remove its files."""
        self._process.communicate()
        self._folder.cleanup()


def write_graph(file: Path, setting: Setting) -> None:
    problem = setting.problem
    np.savez(
        file,
        costs=problem.costs,
        weights=problem.weights,
        element_start=problem.edges.element_start,
        element_items=problem.edges.element_items,
        inverse_temperature=setting.inverse_temperature,
        price=PRICE,
    )


def thatch_messages(
    representation: type[Logarithms | Products],
    setting: Setting,
    *,
    num_threads: int = 1,
) -> Local:
    messages = Messages(
        [setting.priced], representation=representation, num_threads=num_threads
    )
    return Local(
        lambda: messages.iterate(DAMPING),
        lambda: messages.beliefs()[0].item_marginals,
        setting.iterations,
    )


def numpy_logarithms(setting: Setting) -> Local:
    """(BP1) and (BP2), written with whole-array operations."""
    problem, beta = setting.problem, setting.inverse_temperature
    edges, fees = problem.edges, beta * PRICE * problem.costs
    items, starts = edges.element_items, edges.element_start[:-1]
    element_of = np.repeat(np.arange(problem.num_elements), edges.element_degrees)
    unclaimed_of = np.exp(-np.logaddexp(0.0, beta * problem.weights))[element_of]
    replies = np.zeros(problem.num_edges)

    def fields() -> np.ndarray:
        return np.bincount(items, replies, minlength=problem.num_items) - fees

    def iterate() -> None:
        log_out = -np.logaddexp(0.0, fields()[items] - replies)
        log_p = np.add.reduceat(log_out, starts)[element_of] - log_out
        fresh = -np.log(-np.expm1(log_p) + unclaimed_of * np.exp(log_p))
        replies[:] = DAMPING * replies + (1.0 - DAMPING) * fresh

    return Local(iterate, lambda: 1.0 / (1.0 + np.exp(-fields())), setting.iterations)


def numpy_products(setting: Setting) -> Local:
    """The products of `_kernels/messages.py` without their safeguards.

    1 - q p is computed by subtraction, and products may overflow. Every item and every
    element must have an edge.
    """
    problem, beta = setting.problem, setting.inverse_temperature
    edges, items = problem.edges, problem.edges.element_items
    element_of = np.repeat(np.arange(problem.num_elements), edges.element_degrees)
    price_factors = np.exp(beta * PRICE * problem.costs)
    claimed = 1.0 / (1.0 + np.exp(-beta * problem.weights))
    replies = np.ones(problem.num_edges)

    def totals() -> np.ndarray:
        by_item = replies[edges.item_edges]
        return price_factors * np.multiply.reduceat(by_item, edges.item_start[:-1])

    def iterate() -> None:
        total = totals()[items]
        out = total / (replies + total)
        all_out = claimed * np.multiply.reduceat(out, edges.element_start[:-1])
        replies[:] = np.sqrt(replies * (1.0 - all_out[element_of] / out))

    return Local(iterate, lambda: 1.0 / (1.0 + totals()), setting.iterations)


#: The others are compared with the first.
REPRESENTATIONS = (
    Representation("thatch", partial(thatch_messages, Products)),
    Representation("thatch, single", partial(thatch_messages, Singles)),
    Representation("thatch, logarithms", partial(thatch_messages, Logarithms)),
    Representation("NumPy, products", numpy_products),
    Representation("NumPy, logarithms", numpy_logarithms),
    Representation("JAX, products", partial(Peer, "jax-products")),
    Representation(
        "JAX, products, single",
        partial(Peer, "jax-products-single"),
        inverse_temperature=WARMER,
    ),
    Representation("JAX, logarithms", partial(Peer, "jax-logarithms")),
    Representation("JAX, logarithms, single", partial(Peer, "jax-logarithms-single")),
    Representation(
        "PGMax, OR factors, single",
        partial(Peer, "pgmax-or"),
        most_items=100_000,
        inverse_temperature=WARMER,
    ),
    Representation(
        "PGMax, tables, single", partial(Peer, "pgmax-tables"), most_items=100_000
    ),
)
