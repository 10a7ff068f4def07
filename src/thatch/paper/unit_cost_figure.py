"""Results of the experiment on unit costs: numbers, tables and picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from thatch.arrays import Floats
from thatch.paper.experiment import write_tables
from thatch.plot.drawing import (
    BLUE,
    GREY,
    LIGHT_GREY,
    ORANGE,
    RED,
    legend_below,
    save,
    saved_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class GapRow:
    """Mean distance of one method to the certified bound, in percent of it."""

    ensemble: str
    method: str
    gap: float
    #: Standard error of the mean.
    gap_sem: float
    #: On the graphs where the method does best and worst.
    least_gap: float
    most_gap: float
    #: Mean difference of the gap to that of g-greedy, graph by graph.
    minus_ggreedy: float
    minus_ggreedy_sem: float
    #: Mean difference of the gap to that of Algorithm 2, graph by graph.
    minus_algorithm_2: float
    minus_algorithm_2_sem: float


@dataclass(frozen=True)
class CourseRow:
    """Messages with one damping, start and price, means over the graphs."""

    ensemble: str
    damping: float
    initial: str
    #: "adapted" to the budget, or "fixed" at the price of a slow run.
    price: str
    #: Share of the graphs on which the messages converge.
    converged: float
    field_spread: float
    least_cost: float
    most_cost: float
    #: Share of the items of one run of `auto` that are in one with another seed.
    shared_items: float
    #: The same for two random selections.
    shared_by_chance: float


@dataclass(frozen=True)
class GrowthRow:
    """Growth of perturbations of the messages: means and standard errors."""

    ensemble: str
    #: Inverse temperature times mean weight.
    scaled_inverse_temperature: float
    #: Of perturbations of one sign, and of random signs.
    uniform: float
    uniform_sem: float
    random: float
    random_sem: float


@dataclass(frozen=True)
class UnitCosts:
    """The results: gaps, messages, growth of perturbations."""

    gaps: tuple[GapRow, ...]
    courses: tuple[CourseRow, ...]
    growths: tuple[GrowthRow, ...]
    #: Expected cost divided by the budget on the first graph, by ensemble and setting.
    traces: dict[tuple[str, str], Floats]
    num_graphs: int

    def gap(self, ensemble: str, method: str) -> GapRow:
        """The row of a method on an ensemble."""
        (row,) = (r for r in self.gaps if (r.ensemble, r.method) == (ensemble, method))
        return row

    @property
    def findings(self) -> list[str]:
        """The gaps in words."""
        return [
            f"{row.ensemble}: {row.method} {row.gap:.2f} % below the bound."
            for row in self.gaps
        ]

    def write_csv(self, path: str | Path) -> list[Path]:
        """Save the gaps, and two tables about the messages beside them."""
        return write_tables(path, self.gaps, messages=self.courses, growth=self.growths)

    def write_picture(self, path: str | Path) -> None:
        """Draw gaps and expected costs, one column per ensemble."""
        ensembles = list(dict.fromkeys(row.ensemble for row in self.gaps))
        with saved_figure(size=(9.6, 5.8)) as figure:
            upper, lower = figure.subplots(
                2,
                len(ensembles),
                sharey="row",
                squeeze=False,
                gridspec_kw={"height_ratios": (1.7, 1)},
            )
            for k, name in enumerate(ensembles):
                _draw_gaps(upper[k], [row for row in self.gaps if row.ensemble == name])
                _draw_costs(lower[k], self._traces_of(name))
                letter = ascii_lowercase[k]
                upper[k].set_title(f"({letter}) {name}", loc="left", fontsize=8)
                letter = ascii_lowercase[len(ensembles) + k]
                lower[k].set_title(f"({letter})", loc="left", fontsize=8)
            lower[0].set_ylabel("expected cost / budget")
            handles, labels = lower[0].get_legend_handles_labels()
            legend_below(figure, handles, labels, ncols=len(labels), fontsize=8)
            figure.suptitle(
                f"mean of {self.num_graphs} graphs; bars: $\\pm$ 2 s.e.m.; dashed: "
                f"{self.gaps[0].method}",
                fontsize=9,
            )
        save(figure, path)

    def _traces_of(self, name: str) -> dict[str, Floats]:
        """Expected costs on one ensemble, by setting."""
        return {
            setting: trace
            for (ensemble, setting), trace in self.traces.items()
            if ensemble == name
        }


def _draw_gaps(axes: Axes, rows: Sequence[GapRow]) -> None:
    places, means = range(len(rows)), [row.gap for row in rows]
    axes.axvline(means[0], color=RED, linestyle="--", linewidth=1.0)
    axes.hlines(places, 0, means, color=LIGHT_GREY, linewidth=0.8)
    axes.errorbar(
        means,
        places,
        xerr=[2.0 * row.gap_sem for row in rows],
        color=BLUE,
        marker="o",
        markersize=4,
        linestyle="none",
        capsize=2,
        elinewidth=0.9,
    )
    axes.set_yticks(places, labels=[row.method for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("below the bound in %")
    axes.tick_params(direction="in", top=True)


def _draw_costs(axes: Axes, traces: Mapping[str, Floats]) -> None:
    axes.axhline(1.0, color=GREY, linestyle=":", linewidth=0.9)
    for color, (name, trace) in zip((ORANGE, BLUE), traces.items(), strict=False):
        axes.plot(range(1, trace.size + 1), trace, color=color, linewidth=1, label=name)
    axes.set_xlabel("iteration")
    axes.tick_params(direction="in", top=True, right=True)
