from dataclasses import replace

import pytest
from matplotlib.image import imread

from thatch.paper.text_figure import FIG3, Outcome, Point, TextFigure


def figure():
    points = tuple(
        Point(beta, price, Outcome(weight + beta / 100, 0.1, weight / 10, 0.01))
        for beta in (45.0, 80.0)
        for price, weight in ((0.0, 1.0), (0.01, 3.0), (0.02, 2.0))
    )
    levels = {
        "optimum": Outcome(3.2, 0.1, 0.4, 0.01),
        "g-greedy": Outcome(2.5, 0.1, 0.3, 0.01),
        "static order": Outcome(1.0, 0.1, 0.1, 0.01),
    }
    return TextFigure(FIG3, 2, points, levels)


@pytest.fixture
def pixels(tmp_path):
    """The picture of a figure as numbers: rows, columns, colors."""

    def draw(figure):
        figure.write_picture(tmp_path / "sweep.png")
        return imread(tmp_path / "sweep.png")

    return draw


def test_the_picture_is_large_enough_for_print_and_not_blank(pixels):
    picture = pixels(figure())
    assert picture.shape[:2] == (1280, 1200)
    assert picture[:640].std() > 0.05
    assert picture[640:].std() > 0.05


def test_every_curve_and_level_leaves_its_mark(pixels):
    whole = figure()
    for fewer in (
        replace(whole, points=whole.points[:3]),
        replace(whole, levels=dict(list(whole.levels.items())[:2])),
    ):
        assert (pixels(fewer) != pixels(whole)).any()
