"""Results of the paper's Fig. 3 and Fig. 4: numbers, table and picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

from thatch.arrays import Floats
from thatch.paper.experiment import means, write_tables
from thatch.plot.drawing import (
    BLUE,
    ORANGE,
    Curve,
    Level,
    draw_curve,
    draw_levels,
    legend_below,
    save,
    saved_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUDGET = 100.0
_QUANTITIES = {"weight": "covered weight", "rouge_1": "ROUGE-1"}
_LABELS = {
    "static order": "order by weight per cost",
    "infinite price": r"infinite price, the paper's $\beta$",
}


@dataclass(frozen=True)
class Setting:
    """Settings in which the two figures differ."""

    name: str
    remove_stop_words: bool
    #: The inverse temperature that the paper shows.
    inverse_temperature: float


FIG3 = Setting("fig3", remove_stop_words=True, inverse_temperature=45.0)
FIG4 = Setting("fig4", remove_stop_words=False, inverse_temperature=80.0)


@dataclass(frozen=True)
class Outcome:
    """Mean covered weight and ROUGE-1 over the clusters, with standard errors."""

    weight: float
    weight_sem: float
    rouge_1: float
    rouge_1_sem: float

    @classmethod
    def of(cls, weights: Floats, scores: Floats) -> Outcome:
        """Average weights and scores, one of each per cluster."""
        return cls(**means(weight=weights, rouge_1=scores))


@dataclass(frozen=True)
class Point:
    """Belief propagation at one inverse temperature and price."""

    inverse_temperature: float
    price: float
    outcome: Outcome


@dataclass(frozen=True)
class Difference:
    """Belief propagation at a peak minus another method, cluster by cluster."""

    inverse_temperature: float
    price: float
    #: Quantity that peaks at this price: "weight" or "rouge_1".
    peak_of: str
    #: The other method.
    minus: str
    weight: float
    weight_sem: float
    rouge_1: float
    rouge_1_sem: float


@dataclass(frozen=True)
class _Line:
    """An outcome of the table; levels have no temperature and price."""

    solver: str
    inverse_temperature: float | str
    price: float | str
    weight: float
    weight_sem: float
    rouge_1: float
    rouge_1_sem: float


@dataclass(frozen=True)
class TextFigure:
    """The figure as numbers."""

    setting: Setting
    num_clusters: int
    points: tuple[Point, ...]
    #: Outcomes that do not depend on the price, by name of the solver.
    levels: Mapping[str, Outcome]
    #: At the peaks of the inverse temperatures that are shown.
    differences: tuple[Difference, ...] = ()

    def curve(self, inverse_temperature: float) -> list[Point]:
        """The points of one inverse temperature, in the order of prices."""
        return [p for p in self.points if p.inverse_temperature == inverse_temperature]

    @property
    def best_inverse_temperature(self) -> float:
        """The inverse temperature that covers the most at its best price."""
        return max(self.points, key=lambda p: p.outcome.weight).inverse_temperature

    @property
    def shown(self) -> list[float]:
        """Inverse temperatures to show: the paper's, if it was run, and the best."""
        tried = {point.inverse_temperature for point in self.points}
        wanted = [self.setting.inverse_temperature, self.best_inverse_temperature]
        return [each for each in dict.fromkeys(wanted) if each in tried]

    def peak(self, inverse_temperature: float, of: str = "weight") -> Point:
        """The point of an inverse temperature with the highest weight or rouge_1."""
        return max(
            self.curve(inverse_temperature), key=lambda p: getattr(p.outcome, of)
        )

    @property
    def findings(self) -> list[str]:
        """The peaks and the levels in words."""
        peaks = [self.peak(each) for each in self.shown]
        return [
            *(
                f"Belief propagation at inverse temperature "
                f"{peak.inverse_temperature:g} peaks at price {peak.price:g}: weight "
                f"{peak.outcome.weight:.4f}, ROUGE-1 {peak.outcome.rouge_1:.4f}."
                for peak in peaks
            ),
            *(
                f"{name}: weight {each.weight:.4f}, ROUGE-1 {each.rouge_1:.4f}."
                for name, each in self.levels.items()
            ),
            *(
                f"Inverse temperature {each.inverse_temperature:g}, peak of "
                f"{_QUANTITIES[each.peak_of]} at price {each.price:g}, minus "
                f"{each.minus}: weight {each.weight:+.4f} ± {each.weight_sem:.4f}, "
                f"ROUGE-1 {each.rouge_1:+.4f} ± {each.rouge_1_sem:.4f}."
                for each in self.differences
            ),
        ]

    def write_csv(self, path: str | Path) -> list[Path]:
        """Save one line per point and level, and the differences beside them."""
        of_points = [
            _Line("bp", point.inverse_temperature, point.price, *astuple(point.outcome))
            for point in self.points
        ]
        of_levels = [
            _Line(name, "", "", *astuple(outcome))
            for name, outcome in self.levels.items()
        ]
        lines = of_points + of_levels
        return write_tables(path, lines, differences=self.differences)

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure as a PNG, SVG or PDF file, with a panel per quantity."""
        stop_words = "removed" if self.setting.remove_stop_words else "kept"
        with saved_figure(size=(6.0, 6.4)) as figure:
            panels = figure.subplots(len(_QUANTITIES), 1, sharex=True)
            for axes, name, letter in zip(panels, _QUANTITIES, "ab", strict=True):
                self._draw(axes, name)
                axes.set_ylabel(_QUANTITIES[name])
                axes.set_title(f"({letter})", loc="left", fontsize=9)
                axes.tick_params(direction="in", top=True, right=True)
            panels[-1].set_xlabel(r"price $\mu$")
            handles, labels = panels[0].get_legend_handles_labels()
            legend_below(figure, handles, labels, ncols=2)
            figure.suptitle(
                f"{self.num_clusters} clusters, {BUDGET:g} words, stop words "
                f"{stop_words}",
                fontsize=9,
            )
            figure.canvas.draw()
        save(figure, path)

    def _draw(self, axes: Axes, name: str) -> None:
        """Draw the curves and levels of a quantity."""
        prices = sorted({point.price for point in self.points})
        tops = [getattr(level, name) for level in self.levels.values()]
        for beta, color in zip(self.shown, (BLUE, ORANGE), strict=False):
            is_of_paper = beta == self.setting.inverse_temperature
            origin = "the paper's" if is_of_paper else "the best"
            curve = Curve(
                rf"BP, $\beta = {beta:g}$ ({origin})",
                [getattr(p.outcome, name) for p in self.curve(beta)],
                [getattr(p.outcome, f"{name}_sem") for p in self.curve(beta)],
            )
            draw_curve(axes, prices, curve, color=color)
            tops += map(add, curve.means, curve.errors)
        levels = [
            Level(_LABELS.get(level, level), getattr(outcome, name))
            for level, outcome in self.levels.items()
        ]
        draw_levels(axes, levels)
        # Keep the highest level away from the frame.
        axes.set_ylim(top=1.02 * max(tops))
