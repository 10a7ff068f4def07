"""The same messages in other packages, each in its own process, for `speed.py`.

python benchmarks/message_peers.py NAME FILE ITERATIONS writes the marginals of the
items after ITERATIONS iterations next to FILE and prints "ready". Then, for every line
on standard input, it repeats the iterations and prints the seconds. Compilation is not
counted. Everything runs on one core, and thatch is not imported.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

DAMPING = 0.5


@dataclass(frozen=True)
class Graph:
    """A problem at one inverse temperature and price; edges are grouped by element."""

    costs: np.ndarray
    weights: np.ndarray
    element_start: np.ndarray
    element_items: np.ndarray
    inverse_temperature: np.ndarray
    price: np.ndarray

    @classmethod
    def read(cls, path: Path) -> Graph:
        """Read the file that `message_representations.py` wrote."""
        with np.load(path) as arrays:
            return cls(**arrays)

    @property
    def element_of(self) -> np.ndarray:
        """The element of every edge."""
        degrees = np.diff(self.element_start)
        return np.repeat(np.arange(self.weights.size, dtype=np.int32), degrees)

    @property
    def scaled_prices(self) -> np.ndarray:
        """Price times cost of every item, times the inverse temperature."""
        return self.inverse_temperature * self.price * self.costs

    @property
    def scaled_weights(self) -> np.ndarray:
        """The weights times the inverse temperature."""
        return self.inverse_temperature * self.weights


#: Runs all iterations from the start; `Read` takes what it returns.
Iterate = Callable[[], Any]
#: Computes the marginals of the items.
Read = Callable[[Any], Any]


def main() -> None:
    name, file, iterations = sys.argv[1:]
    run_on_one_core()
    iterate, read = PEERS[name](Graph.read(Path(file)), int(iterations))
    np.save(Path(file).with_suffix(".npy"), np.asarray(read(iterate())))
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        iterate()
        print(time.perf_counter() - began, flush=True)


def run_on_one_core() -> None:
    """Use one core only; JAX would start one thread per available core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def jax_logarithms(
    graph: Graph, iterations: int, *, precision: str
) -> tuple[Iterate, Read]:
    """(BP1) and (BP2), written with sums over edges."""
    jax, jnp = loaded_jax(precision)
    items, elements = jnp.asarray(graph.element_items), jnp.asarray(graph.element_of)
    fees = jnp.asarray(graph.scaled_prices, precision)
    unclaimed = np.exp(-np.logaddexp(0.0, graph.scaled_weights))
    unclaimed_of = jnp.asarray(unclaimed, precision)[elements]

    def fields(replies: Any) -> Any:
        return jax.ops.segment_sum(replies, items, graph.costs.size) - fees

    def update(_: Any, replies: Any) -> Any:
        log_out = -jax.nn.softplus(fields(replies)[items] - replies)
        log_all = jax.ops.segment_sum(
            log_out, elements, graph.weights.size, indices_are_sorted=True
        )
        log_p = log_all[elements] - log_out
        fresh = -jnp.log(-jnp.expm1(log_p) + unclaimed_of * jnp.exp(log_p))
        return DAMPING * replies + (1.0 - DAMPING) * fresh

    def read(replies: Any) -> Any:
        return jax.nn.sigmoid(fields(replies))

    return compiled(jax, update, jnp.zeros(items.size, precision), iterations), read


def jax_products(
    graph: Graph, iterations: int, *, precision: str
) -> tuple[Iterate, Read]:
    """The products of `_kernels/messages.py` without their safeguards.

    1 - q p is computed by subtraction, and products may overflow.
    """
    jax, jnp = loaded_jax(precision)
    items, elements = jnp.asarray(graph.element_items), jnp.asarray(graph.element_of)
    price_factors = jnp.exp(jnp.asarray(graph.scaled_prices, precision))
    claimed = jax.nn.sigmoid(jnp.asarray(graph.scaled_weights, precision))

    def totals(replies: Any) -> Any:
        product = jax.ops.segment_prod(replies, items, graph.costs.size)
        return price_factors * product

    def update(_: Any, replies: Any) -> Any:
        total = totals(replies)[items]
        out = total / (replies + total)
        all_out = claimed * jax.ops.segment_prod(
            out, elements, graph.weights.size, indices_are_sorted=True
        )
        # Damped by a half: r_old^(1/2) r_new^(1/2).
        return jnp.sqrt(replies * (1.0 - all_out[elements] / out))

    def read(replies: Any) -> Any:
        return 1.0 / (1.0 + totals(replies))

    return compiled(jax, update, jnp.ones(items.size, precision), iterations), read


def loaded_jax(precision: str) -> tuple[Any, Any]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", precision == "float64")
    return jax, jnp


def compiled(jax: Any, update: Any, first: Any, iterations: int) -> Iterate:
    """All iterations as one compiled function."""
    loop = jax.jit(lambda start: jax.lax.fori_loop(0, iterations, update, start))
    return lambda: jax.block_until_ready(loop(first))


def pgmax_or_factors(graph: Graph, iterations: int) -> tuple[Iterate, Read]:
    """One OR factor per element: any number of items, but see `docs/benchmarks.md`."""
    from pgmax import fgraph, fgroup, vgroup

    items = vgroup.NDVarArray(num_states=2, shape=graph.costs.shape)
    covered = vgroup.NDVarArray(num_states=2, shape=graph.weights.shape)
    factors = fgroup.ORFactorGroup(
        variables_for_factors=[
            [*variables, covered[a]]
            for a, variables in enumerate(variables_of_elements(graph, items))
        ]
    )
    model = fgraph.FactorGraph(variable_groups=[items, covered])
    model.add_factors(factors)
    # The sum over y_a is 1 if no item of a is in, and 1 + e^(beta w_a) otherwise.
    evidence = {
        items: evidence_for(-graph.scaled_prices),
        covered: evidence_for(np.logaddexp(0.0, graph.scaled_weights)),
    }
    return pgmax_run(model, items, evidence, iterations)


def pgmax_tables(graph: Graph, iterations: int) -> tuple[Iterate, Read]:
    """One table of configurations per element: all have the same number of items."""
    from pgmax import fgraph, fgroup, vgroup

    items = vgroup.NDVarArray(num_states=2, shape=graph.costs.shape)
    degree = int(np.diff(graph.element_start)[0])
    configurations = (np.arange(2**degree)[:, None] >> np.arange(degree)) & 1
    log_claims = np.logaddexp(0.0, graph.scaled_weights)
    factors = fgroup.EnumFactorGroup(
        variables_for_factors=variables_of_elements(graph, items),
        factor_configs=configurations,
        log_potentials=np.outer(log_claims, configurations.any(axis=1)),
    )
    model = fgraph.FactorGraph(variable_groups=[items])
    model.add_factors(factors)
    evidence = {items: evidence_for(-graph.scaled_prices)}
    return pgmax_run(model, items, evidence, iterations)


def variables_of_elements(graph: Graph, items: Any) -> list[list[Any]]:
    groups = np.split(graph.element_items, graph.element_start[1:-1])
    return [[items[i] for i in group.tolist()] for group in groups]


def evidence_for(log_odds: np.ndarray) -> np.ndarray:
    return np.column_stack([np.zeros(log_odds.size), log_odds])


def pgmax_run(
    model: Any, items: Any, evidence: dict[Any, np.ndarray], iterations: int
) -> tuple[Iterate, Read]:
    import jax
    from pgmax import infer

    inferer = infer.BP(model.bp_state, temperature=1.0)
    first = inferer.init(evidence_updates=evidence)
    loop = jax.jit(
        lambda start: inferer.run(start, num_iters=iterations, damping=DAMPING)
    )

    def read(last: Any) -> np.ndarray:
        marginals = infer.get_marginals(inferer.get_beliefs(last))
        return np.asarray(marginals[items])[:, 1]

    return lambda: jax.block_until_ready(loop(first)), read


#: Prepares a number of iterations on a graph.
PEERS: dict[str, Callable[[Graph, int], tuple[Iterate, Read]]] = {
    "jax-products": partial(jax_products, precision="float64"),
    "jax-products-single": partial(jax_products, precision="float32"),
    "jax-logarithms": partial(jax_logarithms, precision="float64"),
    "jax-logarithms-single": partial(jax_logarithms, precision="float32"),
    "pgmax-or": pgmax_or_factors,
    "pgmax-tables": pgmax_tables,
}


if __name__ == "__main__":
    main()
