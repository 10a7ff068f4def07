"""Pictures in the dark theme: the same drawing in other colors."""

import re

import numpy as np
import pytest
from matplotlib.image import imread
from refusals import refused

from thatch import CoverageProblem, solve
from thatch.errors import InputError
from thatch.plot import plot_convergence, plot_curve, plot_map, plot_overlap, save
from thatch.plot.drawing import DARK, DARK_PAPER, save_both_themes
from thatch.plot.recoloring import recolored_svg

SITES = [(0, 0), (1, 0), (5, 5)]
HOMES = [(0.1, 0), (1.1, 0.2), (9, 9)]


@pytest.fixture(scope="module")
def result():
    problem = CoverageProblem.from_points(
        SITES,
        HOMES,
        radius=2,
        metric="euclidean",
        budget=2,
        item_names=["north", "east", "south"],
    )
    return solve(problem)


def luminance(path):
    return imread(path)[..., :3].mean(axis=-1)


def colors_in(path):
    return re.findall(r"#[0-9a-f]{6}\b", path.read_text())


@pytest.mark.parametrize("plot", [plot_map, plot_convergence, plot_overlap])
def test_the_dark_theme_has_light_lines_on_a_dark_background(result, plot, tmp_path):
    axes = plot(result)
    save_both_themes(axes, tmp_path / "picture.png")
    light = luminance(tmp_path / "picture.png")
    dark = luminance(tmp_path / "picture-dark.png")
    assert light.shape == dark.shape
    assert np.median(light) > 0.95
    assert np.median(dark) < 0.15
    # As much is drawn in one as in the other.
    marked = [
        float((np.abs(each - np.median(each)) > 0.2).mean()) for each in (light, dark)
    ]
    assert marked[1] == pytest.approx(marked[0], rel=0.4)


@pytest.mark.parametrize("plot", [plot_map, plot_convergence, plot_overlap])
def test_the_picture_itself_stays_as_it_is(result, plot, tmp_path):
    axes = plot(result)
    save(axes, tmp_path / "before.svg")
    save(axes, tmp_path / "dark.svg", theme="dark")
    save(axes, tmp_path / "after.svg")
    assert colors_in(tmp_path / "after.svg") == colors_in(tmp_path / "before.svg")


def test_no_color_of_the_light_theme_is_left(result, tmp_path):
    save(plot_map(result), tmp_path / "map.svg", theme="dark")
    content = (tmp_path / "map.svg").read_text()
    assert DARK_PAPER in content
    assert not [color for color in DARK if color in content]


def test_an_svg_file_is_recolored_as_the_figure_is(tmp_path):
    axes = plot_curve([1, 2], [3, 4], [3, 5])
    save_both_themes(axes, tmp_path / "curve.svg")
    content = recolored_svg((tmp_path / "curve.svg").read_text(), DARK)
    assert not [color for color in DARK if color in content]
    used = {color for color in DARK.values() if color in content}
    assert used == {
        color
        for color in DARK.values()
        if color in (tmp_path / "curve-dark.svg").read_text()
    }


def test_other_themes_are_refused(tmp_path):
    with refused(InputError, "theme", "'sepia'"):
        save(plot_curve([1], [2]), tmp_path / "picture.png", theme="sepia")
    assert not list(tmp_path.iterdir())
