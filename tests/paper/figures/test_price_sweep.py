import sys

import pytest
from matplotlib.image import imread

from thatch.errors import MissingExtraError
from thatch.errors.installation import install_command
from thatch.paper.figures.price_sweep import PriceSweep
from thatch.plot.drawing import Curve, Level, require_matplotlib


def sweep():
    prices = [0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0]
    return PriceSweep(
        prices=prices,
        curve=Curve("bp", [1.0, 3.0, 2.0, 1.5, 1.2, 1.1, 1.0], [0.1] * 7),
        levels=[Level("optimum", 3.2), Level("g-greedy", 2.5), Level("static", 1.0)],
        converged=[1.0, 0.5, 0.2, 0.5, 0.9, 1.0, 1.0],
        differences=[
            Curve("bp - g-greedy", [-1.5, 0.5, -0.5, -1, -1.3, -1.4, -1.5], [0.1] * 7),
            Curve("bp - optimum", [-2, -0.2, -1.2, -1.7, -2, -2.1, -2.2], [0.1] * 7),
        ],
        last_linear_price=3.0,
        caption="a test",
    )


def test_the_picture_is_large_enough_for_print_and_not_blank(tmp_path):
    sweep().write_picture(tmp_path / "sweep.png")
    pixels = imread(tmp_path / "sweep.png")
    assert pixels.shape[:2] == (1400, 1200)
    assert pixels.std() > 0.05


def test_the_suffix_decides_the_format(tmp_path):
    for name, first in (("sweep.svg", b"<?xml"), ("sweep.pdf", b"%PDF")):
        sweep().write_picture(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(first)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError) as caught:
        require_matplotlib()
    assert "matplotlib" in caught.value.message
    assert install_command("plot") in caught.value.hint
