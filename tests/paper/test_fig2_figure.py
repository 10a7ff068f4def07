import sys

import pytest
from matplotlib.image import imread

from thatch.errors import MissingExtraError
from thatch.errors.installation import install_command
from thatch.paper.fig2_figure import Fig2, Fig2Row
from thatch.plot.drawing import require_matplotlib


def sweep():
    prices = [0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0]
    values = [1.0, 3.0, 2.0, 1.5, 1.2, 1.1, 1.0]
    rows = tuple(
        Fig2Row(
            price=price,
            bp=value,
            bp_sem=0.1,
            converged=0.5,
            ggreedy=2.5,
            ggreedy_sem=0.1,
            difference=value - 2.5,
            difference_sem=0.1,
            to_optimum=value - 3.2,
            to_optimum_sem=0.1,
            static=1.0,
            infinite_price=1.0,
            greedy=0.9,
            exact=3.2,
            exact_sem=0.1,
        )
        for price, value in zip(prices, values, strict=True)
    )
    return Fig2(rows, (), num_graphs=2, seed=0, damping=0.5)


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
