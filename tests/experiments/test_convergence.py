import csv

import pytest
from matplotlib.image import imread
from refusals import refused

from thatch import InputError
from thatch.experiments.convergence import PRICES, Experiment

# Means over 40 graphs in docs/paper.md, with their standard errors.
PAGE = {
    0.0: {"radius": (1.16, 0.0001), "largest_real_part": (0.29, 0.002)},
    0.1: {"radius": (1.94, 0.013), "largest_real_part": (0.61, 0.007)},
    0.2: {"largest_real_part": (0.80, 0.009)},
}
ROUNDING = 0.005


@pytest.fixture(scope="module")
def figure():
    return Experiment(num_graphs=2, prices=(0.0, 0.1, 0.2, 0.5)).run()


def test_at_price_0_the_cheapest_items_are_chosen(figure):
    first = figure.rows[0]
    # Fields differ only in the last digits, so equal costs are ordered by chance.
    assert first.bp == pytest.approx(first.cheapest, abs=3 * first.bp_sem)
    assert first.spending > 3


def test_weights_hardly_matter_below_the_first_maximum(figure):
    assert figure.rows[1].shared > 0.97
    assert figure.rows[-1].shared < figure.rows[1].shared
    assert figure.rows[1].bp > figure.rows[0].bp


def test_undamped_messages_oscillate_at_price_0_and_damping_cures_it(figure):
    for row in figure.rows[:3]:
        assert row.converged_0 == 0
        assert row.radius > 1
        assert row.largest_real_part < 1
        assert row.stable == row.converged_5 == row.converged_9 == 1


def test_eigenvalues_grow_until_no_damping_helps(figure):
    parts = [row.largest_real_part for row in figure.rows[:3]]
    assert parts == sorted(parts)
    assert figure.rows[-1].stable < 1


def test_the_page_has_these_eigenvalues(figure):
    """Two graphs are within four of their standard errors of the mean of 40."""
    for row in figure.rows[:3]:
        for name, (mean, error) in PAGE[row.price].items():
            tolerance = 4 * error * (40 / 2) ** 0.5 + ROUNDING
            assert abs(getattr(row, name) - mean) < tolerance


def test_table_and_picture(figure, tmp_path):
    figure.write_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["price"]) for row in rows] == [row.price for row in figure.rows]
    figure.write_picture(tmp_path / "picture.png")
    assert imread(tmp_path / "picture.png").std() > 0.05


def test_prices_ascend():
    assert sorted(PRICES) == list(PRICES)


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"num_graphs": 1}, ["graphs", "1"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"num_threads": 0}, ["threads", "0"]),
    ],
)
def test_impossible_experiments_are_refused(settings, facts):
    with refused(InputError, *facts):
        Experiment(**settings)
