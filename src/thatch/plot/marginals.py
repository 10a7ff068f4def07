"""Marginals: how likely belief propagation finds each item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Flags, Floats
from thatch.errors import InputError, InputTypeError
from thatch.plot.drawing import BLUE, LIGHT_GREY, house_axes, legend_above, short_label
from thatch.run.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more items, each is a point, and has no name.
_MAX_BARS = 30


def plot_marginals(result: Result, *, ax: Axes | None = None) -> Axes:
    """Draw the probability that each item is chosen, the highest first.

    Chosen items are blue.

    Parameters
    ----------
    result
        A result with beliefs, of `BeliefPropagation`.
    ax
        Axes to draw on; default: those of a new figure.

    >>> from thatch import BeliefPropagation, solve
    >>> from thatch.problem.instances import toy
    >>> result = solve(toy.greedy_trap().problem, BeliefPropagation())
    >>> axes = plot_marginals(result)
    >>> sorted(label.get_text() for label in axes.get_yticklabels())
    ['bait', 'left', 'right']
    """
    if not isinstance(result, Result):
        raise InputTypeError(
            f"result is {result!r}; it must be a Result.",
            hint="Pass what solve returned.",
        )
    if result.beliefs is None:
        raise InputError(
            "the result has no beliefs.",
            hint="Solve with BeliefPropagation(), which passes messages.",
        )
    problem = result.selection.problem
    marginals = result.beliefs.item_marginals
    is_chosen = np.zeros(problem.num_items, dtype=np.bool_)
    is_chosen[result.selection.items] = True
    order = np.lexsort((~is_chosen, -marginals))
    labels = [short_label(problem.item_label(i)) for i in order[:_MAX_BARS].tolist()]
    is_few = problem.num_items <= _MAX_BARS
    size = (6.0, 1.2 + 0.19 * len(labels)) if is_few else (6.0, 3.8)
    with house_axes(ax, size=size) as axes:
        if is_few:
            _draw_bars(axes, marginals[order], is_chosen[order], labels)
        else:
            _draw_points(axes, marginals[order], is_chosen[order])
    return axes


def _draw_bars(
    axes: Axes, marginals: Floats, is_chosen: Flags, labels: list[str]
) -> None:
    positions = np.arange(marginals.size)
    for flag, color, name in _kinds():
        here = is_chosen == flag
        axes.barh(positions[here], marginals[here], color=color, height=0.7, label=name)
    axes.set_yticks(positions, labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("probability that the item is chosen")
    legend_above(axes)


def _draw_points(axes: Axes, marginals: Floats, is_chosen: Flags) -> None:
    ranks = np.arange(1, marginals.size + 1)
    for flag, color, name in _kinds():
        here = is_chosen == flag
        axes.plot(
            *(ranks[here], marginals[here], "o"),
            color=color,
            markersize=4 if flag else 3,
            label=name,
            zorder=3 if flag else 2,
        )
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("items, by probability")
    axes.set_ylabel("probability that it is chosen")
    axes.margins(x=0.02)
    legend_above(axes)


def _kinds() -> tuple[tuple[bool, str, str], ...]:
    return (True, BLUE, "chosen"), (False, LIGHT_GREY, "not chosen")
