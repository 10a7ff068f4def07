"""Results on graphs of unit costs: numbers, tables and picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thatch.arrays import Floats
from thatch.experiments.tables import write_tables
from thatch.plot.gap_panels import GapPanel, GapPanels


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
        """Draw the gaps and the expected costs; the suffix decides the format."""
        panels = []
        for name in dict.fromkeys(row.ensemble for row in self.gaps):
            rows = [row for row in self.gaps if row.ensemble == name]
            panels.append(
                GapPanel(
                    title=name,
                    gaps={row.method: (row.gap, row.gap_sem) for row in rows},
                    traces={
                        setting: trace
                        for (ensemble, setting), trace in self.traces.items()
                        if ensemble == name
                    },
                )
            )
        GapPanels(panels, caption=f"mean of {self.num_graphs} graphs").save(path)
