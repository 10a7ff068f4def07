"""Seeds of the graphs of an experiment."""

from __future__ import annotations

from thatch.errors import InputError

# Experiments with different seeds have no graph in common.
_STRIDE = 1_000_003
MAX_GRAPHS = 1_000_000


def graph_seeds(num_graphs: int, seed: int) -> range:
    """One seed per graph, so that more graphs extend an experiment.

    Raises
    ------
    InputError
        If there are too few graphs for a standard error, or too many, or the seed is
        negative.

    >>> graph_seeds(3, 0)
    range(0, 3)
    """
    if not 2 <= num_graphs <= MAX_GRAPHS:
        raise InputError(
            f"graphs is {num_graphs}; it must be between 2 and {MAX_GRAPHS}.",
            hint="A standard error needs two graphs.",
        )
    if seed < 0:
        raise InputError(
            f"seed is {seed}; it must be non-negative.", hint="Pass 0 or more."
        )
    return range(seed * _STRIDE, seed * _STRIDE + num_graphs)
