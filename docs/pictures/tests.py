"""Lines that the best tests cover in a given time, of the sample in examples/."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from thatch.planning import sweep
from thatch.plot.drawing import BLUE, GREY, RED, in_house_style, save_both_themes
from thatch.suites.coverage_files import read_recording
from thatch.suites.suite import Suite

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "tests.png"


def drawn(suite: Suite) -> Figure:
    """The share of the lines against time, with that of all tests."""
    problem = suite.problem
    lines, seconds = problem.weights.sum(), problem.costs.sum()
    curve = sweep(problem, np.geomspace(0.01, seconds, 30))
    with in_house_style():
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = figure.subplots()
        shares = 100 * np.asarray(curve.values) / lines
        axes.plot(
            curve.budgets, shares, "o-", color=BLUE, markersize=3, label="best tests"
        )
        bounds = 100 * np.asarray(curve.upper_bounds) / lines
        label = "no selection covers more"
        axes.plot(curve.budgets, bounds, "--", color=RED, linewidth=1, label=label)
        label = f"all tests: {seconds:.1f} s"
        axes.axvline(seconds, color=GREY, linewidth=0.9, linestyle=":", label=label)
        axes.set_xscale("log")
        axes.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
        axes.set_xlabel("seconds")
        axes.set_ylabel("lines that are covered, in percent")
        axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(0.97, 0.02))
    return figure


def main() -> None:
    """Draw into the file given, or into the documentation."""
    examples = ROOT / "examples"
    recording = read_recording(examples / "problem_tests.coverage")
    durations = json.loads((examples / "problem_tests_durations.json").read_text())
    suite = Suite.of(recording, durations=durations)
    save_both_themes(drawn(suite), sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
