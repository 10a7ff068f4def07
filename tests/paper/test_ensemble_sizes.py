from dataclasses import replace
from itertools import pairwise
from math import inf

import pytest

from thatch.paper.ensemble_sizes import SizeRow, SizeTable


def row(inverse_temperature, num_items, factor):
    """Quantities that are all farther from those of the limit by this factor."""
    values = {"claimed_weight": 13.0, "cost": 1.0, "free_energy": -9.0, "entropy": 0.3}
    numbers = {}
    for name, value in (values | {"rounded_weight": 13.0}).items():
        numbers |= {name: factor * value, f"{name}_error": 1e-3 * abs(value)}
    return SizeRow(inverse_temperature, 5.0, num_items, 10, 1.0, **numbers)


def table(factor, sizes=(1000, 10_000)):
    return SizeTable(
        tuple(
            row(inverse_temperature, size, 1.0 if size == inf else factor)
            for inverse_temperature in (0.3, 1.0)
            for size in (inf, *sizes)
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("factor", "sizes"), [(1.001, (1000, 10_000)), (0.5, (100, 1000)), (1.5, (100,))]
)
def test_panels_axes_and_points_are_named(factor, sizes, tmp_path):
    table(factor, sizes).write_picture(tmp_path / "sizes.svg")
    text = (tmp_path / "sizes.svg").read_text()
    for label in (
        *("(a) claimed weight", "(b) expected cost", "(c) free energy", "(d) entropy"),
        *("number of items $N$", "distance from the limit (%)"),
        *(r"$\beta = 0.3$, $\mu = 5$", r"$\beta = 1$, $\mu = 5$"),
    ):
        assert f"<!-- {label} -->" in text


def drawn(points):
    """The panel of costs, with distances and errors in percent: a dict per series."""
    limits = [row(k + 1.0, inf, 1.0) for k in range(len(points))]
    rows = [
        replace(
            limit,
            num_items=size,
            cost=1.0 + distance / 100,
            cost_error=error / 100,
        )
        for limit, series in zip(limits, points, strict=True)
        for size, (distance, error) in series.items()
    ]
    exact = [replace(limit, cost_error=0.0) for limit in limits]
    return SizeTable((*exact, *rows)).drawn().axes[1]


def arrows(axes):
    """Markers and positions of the arrows."""
    return {
        line.get_marker(): line.get_xydata().tolist()
        for line in axes.lines
        if not line.get_clip_on()
    }


def test_distances_beyond_the_panel_are_arrows_at_its_edge():
    axes = drawn([{100: (5.0, 0.2), 1000: (-3.0, 0.1), 10_000: (1.9, 0.5)}])
    assert axes.get_ylim() == (-2.0, 2.0)
    assert arrows(axes) == {"^": [[100, 2.0]], "v": [[1000, -2.0]]}
    # The third has a point, and a bar that goes on beyond the edge.
    (bars,) = axes.containers
    assert bars.lines[0].get_xydata().tolist() == [pytest.approx([10_000, 1.9])]


@pytest.mark.parametrize(
    ("distance", "reach"), [(0.01, 0.25), (0.1, 0.25), (0.24, 0.5), (-0.9, 1.0)]
)
def test_a_panel_shows_all_points_with_their_bars(distance, reach):
    axes = drawn([{100: (distance, 0.02)}])
    assert axes.get_ylim() == (-reach, reach)
    assert not arrows(axes)


def test_points_of_one_size_are_side_by_side():
    axes = drawn([{100: (0.0, 0.1), 1000: (0.0, 0.1)} for _ in range(4)])
    sizes = [bars.lines[0].get_xdata().tolist() for bars in axes.containers]
    drawn_sizes = [size for pair in zip(*sizes, strict=True) for size in pair]
    assert drawn_sizes == sorted(drawn_sizes)
    assert min(b / a for a, b in pairwise(drawn_sizes)) > 1.3
