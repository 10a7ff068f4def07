from dataclasses import replace

import pytest
from matplotlib.image import imread

from thatch.paper.figures.text_sweep import Panel, TextSweep
from thatch.plot.drawing import Curve, Level


def sweep():
    curves = [
        Curve("one", [1.0, 3.0, 2.0], [0.1, 0.2, 0.1]),
        Curve("two", [1.5, 2.5, 2.2], [0.1] * 3),
    ]
    levels = [Level("optimum", 3.2), Level("g-greedy", 2.5), Level("static", 1.0)]
    return TextSweep(
        prices=[0.0, 0.01, 0.02],
        panels=[Panel("weight", curves, levels), Panel("score", curves[:1], levels)],
        caption="a test",
    )


@pytest.fixture
def pixels(tmp_path):
    """The picture of a sweep as numbers: rows, columns, colors."""

    def draw(sweep):
        sweep.write_picture(tmp_path / "sweep.png")
        return imread(tmp_path / "sweep.png")

    return draw


def test_the_picture_is_large_enough_for_print_and_not_blank(pixels):
    picture = pixels(sweep())
    assert picture.shape[:2] == (1280, 1200)
    assert picture[:640].std() > 0.05
    assert picture[640:].std() > 0.05


def test_every_curve_and_level_leaves_its_mark(pixels):
    whole = sweep()
    upper, lower = whole.panels
    for fewer in (
        replace(upper, curves=upper.curves[:1]),
        replace(upper, levels=upper.levels[:2]),
    ):
        other = replace(whole, panels=[fewer, lower])
        assert (pixels(other) != pixels(whole)).any()
