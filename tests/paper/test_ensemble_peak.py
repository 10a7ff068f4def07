from math import inf

import pytest
from matplotlib.colors import same_color

from thatch.paper.ensemble_peak import OptimumRow, PeakFigure, PeakRow
from thatch.paper.ensembles import Estimate


def figure(prices=(0.1, 4.0, 5.0, 20.0)):
    rows = [
        PeakRow(size, price, 13.0 + 1.0 / (1.0 + (price - 4.5) ** 2), 0.01)
        for size in (100, 10_000, inf)
        for price in prices
    ]
    optima = (
        OptimumRow(100, 8, 13.9, 0.01, gap=0.0, gap_error=0.0, loss=0, loss_error=0),
        OptimumRow(10_000, 2, 13.8, 0.1, gap=0.2, gap_error=0, loss=0, loss_error=0),
    )
    return PeakFigure(tuple(rows), optima, Estimate(13.85, 0.01), 5.0)


@pytest.mark.parametrize("prices", [(0.1, 4.0, 5.0, 20.0), (5.0,), (0.1,)])
def test_sizes_are_named(prices, tmp_path):
    figure(prices).write_picture(tmp_path / "peak.svg")
    text = (tmp_path / "peak.svg").read_text()
    for label in (
        *("(a) all prices", "(b) around the peak", r"price $\mu$"),
        *("Algorithm 2, $N = 100$", "optimum, $N = 100$"),
        *("Algorithm 2, $N = 10{,}000$", "optimum, $N = 10{,}000$"),
        *(r"Algorithm 2, $N \to \infty$", "optimum by messages"),
    ):
        assert f"<!-- {label} -->" in text
    # Both panels have a label of their own.
    assert text.count("<!-- covered weight per item -->") == 2


def test_lines_of_optima_are_over_bands_and_below_curves():
    rows = [
        PeakRow(size, price, value, 0.1)
        for size in (100, 1_000, inf)
        for price, value in ((4.0, 1.0), (5.0, 2.0))
    ]
    optima = (
        OptimumRow(100, 8, 2.5, 0.0, gap=1e-9, gap_error=0.0, loss=0, loss_error=0),
        OptimumRow(1_000, 8, 2.4, 0.0, gap=0.2, gap_error=0.0, loss=0, loss_error=0),
    )
    for axes in PeakFigure(tuple(rows), optima, Estimate(2.5, 0.01), 5.0).drawn().axes:
        (band,) = axes.patches
        line = next(line for line in axes.lines if line.get_linestyle() == "--")
        curves = [line for line in axes.lines if line.get_linestyle() == "-"]
        assert len(curves) == 3
        assert band.zorder < line.zorder < min(each.zorder for each in curves)
        # The optimum has the color of its size.
        assert same_color(line.get_color(), curves[0].get_color())
        assert same_color(band.get_facecolor()[:3], curves[1].get_color())
        low, high = axes.get_ylim()
        assert low < 1.0
        assert high > 2.6
