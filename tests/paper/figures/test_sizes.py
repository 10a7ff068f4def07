from itertools import pairwise
from math import inf

import pytest

from thatch.paper.ensemble_sizes import SizeRow, SizeTable
from thatch.paper.figures.sizes import Scatter, draw_sizes


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


def arrows(axes):
    """Markers and positions of the arrows."""
    return {
        line.get_marker(): line.get_xydata().tolist()
        for line in axes.lines
        if not line.get_clip_on()
    }


def test_distances_beyond_the_panel_are_arrows_at_its_edge():
    series = [Scatter("x", [100, 1000, 10_000], [5.0, -3.0, 1.9], [0.2, 0.1, 0.5])]
    (axes, _) = draw_sizes({"cost": series}).axes
    assert axes.get_ylim() == (-2.0, 2.0)
    assert arrows(axes) == {"^": [[100, 2.0]], "v": [[1000, -2.0]]}
    # The third has a point, and a bar that goes on beyond the edge.
    (bars,) = axes.containers
    assert bars.lines[0].get_xydata().tolist() == [[10_000, 1.9]]


@pytest.mark.parametrize(
    ("distance", "reach"), [(0.1, 0.25), (0.24, 0.5), (-0.9, 1.0), (1.0, 1.5)]
)
def test_a_panel_shows_all_points_with_their_bars(distance, reach):
    small = [Scatter("x", [100], [0.01], [0.01])]
    large = [Scatter("x", [100], [distance], [0.02])]
    first, second = draw_sizes({"cost": small, "entropy": large}).axes
    assert first.get_ylim() == (-0.25, 0.25)
    assert second.get_ylim() == (-reach, reach)
    assert not arrows(second)


def test_points_of_one_size_are_side_by_side():
    series = [Scatter(str(k), [100, 1000], [0.0, 0.0], [0.1, 0.1]) for k in range(4)]
    (axes, _) = draw_sizes({"cost": series}).axes
    sizes = [bars.lines[0].get_xdata().tolist() for bars in axes.containers]
    drawn = [size for pair in zip(*sizes, strict=True) for size in pair]
    assert drawn == sorted(drawn)
    assert min(b / a for a, b in pairwise(drawn)) > 1.3
