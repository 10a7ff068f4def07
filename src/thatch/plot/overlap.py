"""How much weight chosen items share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Floats, sums_by
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.plot.drawing import GREY, Chosen, house_axes, selection_of, short_label
from thatch.problem.selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more items, numbers would overlap.
_MAX_NUMBERS = 12


def plot_overlap(
    selection: Chosen, *, ax: Axes | None = None, max_items: int = 60
) -> Axes:
    """Draw the weight that each pair of chosen items covers in common.

    The diagonal is the weight that an item covers; it is not colored.

    Parameters
    ----------
    selection
        The chosen items, or the result that contains them.
    ax
        Axes to draw on; default: those of a new figure.
    max_items
        Maximum number of items; if more are chosen, those that share the most weight
        with others are drawn.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> axes = plot_overlap(solve(toy.star(4).problem))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['0', '1', '2']
    """
    selection = selection_of(selection)
    if not len(selection):
        raise InputError(
            "the selection is empty; there is nothing to compare.",
            hint="Raise the budget.",
        )
    require_integer("max_items", max_items, least=1, hint="Leave it out for 60.")
    shown = _most_shared(selection, max_items)
    shared = shared_weights(shown)
    with house_axes(ax, size=(5.2, 4.4)) as axes:
        between = np.where(np.eye(len(shown), dtype=bool), np.nan, shared)
        most = float(between[~np.isnan(between)].max(initial=0.0))
        picture = axes.imshow(between, cmap="Blues", vmin=0.0, vmax=most or 1.0)
        if len(shown) <= _MAX_NUMBERS:
            _write_numbers(axes, shared, most)
        if len(shown) < len(selection):
            note = f"{len(shown)} of {len(selection)} chosen items, which share most"
            axes.set_title(note, fontsize=9, fontfamily="serif")
        _name_items(axes, [short_label(label) for label in shown.labels])
        bar = axes.figure.colorbar(picture, ax=axes, shrink=0.85)
        bar.set_label("weight covered by both")
        bar.ax.tick_params(labelfontfamily="serif", labelsize=8)
    return axes


def shared_weights(selection: Selection) -> Floats:
    """Weight that each pair of chosen items covers: shape (num_chosen, num_chosen).

    >>> from thatch.problem.instances import toy
    >>> shared_weights(Selection.of(toy.greedy_trap().problem, [0, 1]))
    array([[10.,  5.],
           [ 5.,  8.]])
    """
    from scipy.sparse import csr_array

    problem = selection.problem
    edges = problem.edges
    elements = edges.item_elements[edges.positions_of(selection.items)]
    start = np.append(0, np.cumsum(edges.item_degrees[selection.items]))
    shape = len(selection), problem.num_elements
    ones = csr_array((np.ones(elements.size), elements, start), shape=shape)
    weighted = csr_array((problem.weights[elements], elements, start), shape=shape)
    shared: Floats = (weighted @ ones.T).toarray()
    return shared


def _most_shared(selection: Selection, max_items: int) -> Selection:
    """The chosen items whose elements other chosen items cover as well."""
    if len(selection) <= max_items:
        return selection
    edges = selection.problem.edges
    elements = edges.item_elements[edges.positions_of(selection.items)]
    others = selection.cover_counts[elements] - 1.0
    shared = sums_by(
        np.repeat(np.arange(len(selection)), edges.item_degrees[selection.items]),
        others * selection.problem.weights[elements],
        len(selection),
    )
    kept = np.argsort(-shared, kind="stable")[:max_items]
    return Selection.of(selection.problem, selection.items[kept])


def _write_numbers(axes: Axes, shared: Floats, most: float) -> None:
    for row, column in np.ndindex(shared.shape):
        value = float(shared[row, column])
        if not value:
            continue
        is_dark = row != column and value > 0.6 * most
        color = GREY if row == column else "white" if is_dark else "black"
        axes.text(
            *(column, row, f"{value:.3g}"),
            ha="center",
            va="center",
            color=color,
            fontsize=8,
        )


def _name_items(axes: Axes, names: list[str]) -> None:
    # More names would overlap.
    if len(names) > 40:
        axes.set_xlabel("chosen items")
        axes.set_ylabel("chosen items")
        axes.set_xticks([])
        axes.set_yticks([])
        return
    positions = range(len(names))
    size = 9 if len(names) <= _MAX_NUMBERS else 6
    is_long = any(len(name) > 3 for name in names)
    axes.set_yticks(positions, names)
    axes.set_xticks(
        positions,
        names,
        rotation=45 if is_long else 0,
        ha="right" if is_long else "center",
        rotation_mode="anchor" if is_long else "default",
    )
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        label.set_fontsize(size)
    axes.tick_params(length=0)
