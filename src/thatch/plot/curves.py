"""Values and bounds: against the budget, and over the time of a run."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, numbers
from thatch.errors import InputError, InputTypeError
from thatch.plot.drawing import BLUE, GREY, RED, house_axes, legend_above, selection_of
from thatch.run.result import Result
from thatch.solvers.covering.covering import CoverResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class BudgetCurve(Protocol):
    """What a sweep over budgets returns: three sequences of the same length."""

    @property
    def budgets(self) -> Sequence[float]:
        """The budgets."""

    @property
    def values(self) -> Sequence[float]:
        """The covered weight at each budget."""

    @property
    def upper_bounds(self) -> Sequence[float]:
        """An upper bound on the optimum at each budget."""


def plot_curve(
    budgets: ArrayLike | BudgetCurve,
    values: ArrayLike | None = None,
    upper_bounds: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    label: str = "covered weight",
) -> Axes:
    """Draw the covered weight against the budget, with the band up to its bound.

    Parameters
    ----------
    budgets
        The budgets in any order, or an object with `budgets`, `values` and
        `upper_bounds`.
    values
        The covered weight at each budget.
    upper_bounds
        An upper bound on the optimum at each budget, if there is one; the optimum is
        within the band.
    ax
        Axes to draw on; default: those of a new figure.
    label
        What the curve is called in the legend and on the axis.

    >>> axes = plot_curve([1, 2, 3], [10, 16, 18], [10, 17, 18])
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('budget', 'covered weight')
    """
    x, y, bounds = _curve(budgets, values, upper_bounds)
    with house_axes(ax) as axes:
        max_markers = 60
        marker = "o" if x.size <= max_markers else ""
        axes.plot(
            x, y, color=BLUE, marker=marker, markersize=3.5, label=label, zorder=3
        )
        if bounds is not None:
            _draw_band(axes, x, y, bounds)
            axes.legend(loc="lower right", frameon=False)
        axes.set_xlabel("budget")
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.02)
        axes.locator_params(axis="x", integer=bool((x == np.floor(x)).all()))
    return axes


def plot_convergence(
    result: Result | CoverResult, *, ax: Axes | None = None, over: str = "seconds"
) -> Axes:
    """Draw how the value and the bound of a run approached each other.

    Parameters
    ----------
    result
        The result of `solve`; or that of `cover`, with its cost and lower bound.
    ax
        Axes to draw on; default: those of a new figure.
    over
        What the horizontal axis shows: "seconds" or "iterations".

    >>> from thatch import BeliefPropagation, solve
    >>> from thatch.problem.instances import toy
    >>> result = solve(toy.star(9).problem, BeliefPropagation())
    >>> plot_convergence(result, over="iterations").get_xlabel()
    'iterations'
    """
    if over not in ("seconds", "iterations"):
        raise InputError(
            f"over is {over!r}; it must be 'seconds' or 'iterations'.",
            hint="Leave it out for seconds.",
        )
    selection_of(result)  # raises if it is something else
    is_cover = isinstance(result, CoverResult)
    x, values, bounds = _readings(result, over)
    # The line of what was found is solid, that of what was proved is dashed.
    found, proved = (bounds, values) if is_cover else (values, bounds)
    with house_axes(ax) as axes:
        label = "cost" if is_cover else "value"
        axes.step(x, found, where="post", color=BLUE, label=label, zorder=3)
        axes.step(x, proved, where="post", color=RED, linestyle="--", label="bound")
        axes.fill_between(x, values, bounds, step="post", color=GREY, alpha=0.18, lw=0)
        # The last reading is marked: a run may have no other.
        axes.plot(x[-1:], found[-1:], "o", color=BLUE, markersize=4, zorder=4)
        axes.plot(x[-1:], proved[-1:], "s", color=RED, markersize=4)
        status = result.status.label.replace("_", " ")
        note = f"{status}, gap {result.gap:.2%}"
        axes.set_title(note, loc="left", fontsize=9, fontfamily="serif")
        axes.set_xlabel(over)
        axes.set_ylabel("cost" if is_cover else "covered weight")
        axes.set_xlim(0, 1.02 * x[-1])
        axes.locator_params(axis="x", nbins=6, integer=over == "iterations")
        axes.ticklabel_format(axis="y", useOffset=False)
        legend_above(axes)
    return axes


def _readings(result: Result | CoverResult, over: str) -> tuple[Floats, Floats, Floats]:
    """Positions, values and bounds of the trace and of the result; NaN if not known."""
    trace = result.trace
    if over == "seconds":
        positions = [each.seconds for each in trace]
        positions.append(max([result.seconds, *positions]))
    else:
        positions = [float(each.iteration) for each in trace]
        positions.append(max([1.0, *positions]))
    last = (
        (result.lower_bound, result.cost)
        if isinstance(result, CoverResult)
        else (result.selection.value, result.upper_bound)
    )
    values = [*(each.value for each in trace), last[0]]
    bounds = [*(each.upper_bound for each in trace), last[1]]
    known = [nan if each == inf else each for each in bounds]
    return np.array(positions), np.array(values), np.array(known)


def _curve(
    budgets: ArrayLike | BudgetCurve,
    values: ArrayLike | None,
    upper_bounds: ArrayLike | None,
) -> tuple[Floats, Floats, Floats | None]:
    """Budgets in ascending order, with their values and, if given, their bounds."""
    if values is None and hasattr(budgets, "budgets"):
        budgets, values, upper_bounds = (
            budgets.budgets,
            budgets.values,  # type: ignore[union-attr]
            budgets.upper_bounds,  # type: ignore[union-attr]
        )
    if values is None:
        raise InputTypeError(
            "values are missing.", hint="Pass one value per budget, or a sweep."
        )
    x = numbers("budgets", budgets)  # type: ignore[arg-type]
    order = np.argsort(x, kind="stable")
    y = _aligned("values", values, x.size)[order]
    if upper_bounds is None:
        return x[order], y, None
    return x[order], y, _aligned("upper_bounds", upper_bounds, x.size)[order]


def _aligned(name: str, given: ArrayLike, count: int) -> Floats:
    found = numbers(name, given)
    if found.size != count:
        raise InputError(
            f"{name} has {found.size} numbers for {count} budgets.",
            hint="Pass one per budget.",
        )
    return found


def _draw_band(axes: Axes, x: Floats, y: Floats, bounds: Floats) -> None:
    tops = np.where(np.isfinite(bounds), bounds, np.nan)
    axes.plot(x, tops, color=RED, linestyle="--", linewidth=1, label="upper bound")
    axes.fill_between(x, y, tops, color=RED, alpha=0.15, lw=0)
