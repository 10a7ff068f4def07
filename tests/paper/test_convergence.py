import csv
from pathlib import Path

import pytest
from matplotlib.image import imread
from refusals import refused

from thatch import InputError
from thatch.paper.convergence import PRICES, ConvergenceExperiment

pytestmark = pytest.mark.slow

# Means over 40 graphs in docs/paper.md, and how much single graphs differ.
PAGE = {
    "radius": ({0.0: 1.16, 0.1: 1.94, 0.4: 2.23}, {0.0: 0.001, 0.1: 0.08, 0.4: 0.7}),
    "largest_real_part": (
        {0.0: 0.29, 0.1: 0.61, 0.2: 0.80, 0.4: 0.97, 0.5: 1.05},
        {0.0: 0.013, 0.1: 0.05, 0.2: 0.06, 0.4: 0.2, 0.5: 0.25},
    ),
    "bp": ({0.0: 1265, 0.08: 1304}, {0.0: 79, 0.08: 80}),
    "bp_blind": ({0.1: 1302}, {0.1: 80}),
    "cheapest": ({0.0: 1267}, {0.0: 80}),
    "spending": (
        {0.0: 4.0, 0.1: 2.8, 0.2: 2.3, 0.5: 2.1},
        {0.0: 0.2, 0.1: 0.15, 0.2: 0.15, 0.5: 0.15},
    ),
    "of_optimum": ({0.08: 0.88, 0.5: 0.74}, {0.08: 0.06, 0.5: 0.1}),
}
NUM_GRAPHS = 2


@pytest.fixture(scope="module")
def figure():
    prices = (0.0, 0.08, 0.1, 0.2, 0.4, 0.5)
    return ConvergenceExperiment(
        num_graphs=NUM_GRAPHS, prices=prices, num_threads=2
    ).run()


def test_at_price_0_the_cheapest_items_are_chosen(figure):
    first = figure.rows[0]
    # Fields differ only in the last digits, so equal costs are ordered by chance.
    assert first.bp == pytest.approx(first.cheapest, abs=3 * first.bp_sem)
    assert first.spending > 3


def test_weights_hardly_matter_below_the_first_maximum(figure):
    assert min(row.shared for row in figure.rows[1:3]) > 0.97
    assert figure.rows[-1].shared < figure.rows[2].shared
    assert figure.rows[2].bp > figure.rows[0].bp


def test_undamped_messages_oscillate_at_price_0_and_damping_cures_it(figure):
    for row in figure.rows[:4]:
        assert row.converged_0 == 0
        assert row.radius > 1
        assert row.largest_real_part < 1
        assert row.stable == row.converged_5 == row.converged_9 == 1


def test_eigenvalues_grow_until_no_damping_helps(figure):
    parts = [row.largest_real_part for row in figure.rows[:4]]
    assert parts == sorted(parts)
    assert figure.rows[-1].stable < 1
    for row in figure.rows:
        assert row.found == 1
        # What no damping cures is not stable with one.
        assert row.stable + row.incurable <= 1


@pytest.mark.parametrize("name", PAGE)
def test_the_page_has_these_means(figure, name):
    """Means of a few graphs are within four standard errors of those of 40."""
    rows = {row.price: row for row in figure.rows}
    means, deviations = PAGE[name]
    for price, mean in means.items():
        rounding = 0.5 if mean > 100 else 0.05 if name == "spending" else 0.005
        tolerance = 4 * deviations[price] / NUM_GRAPHS**0.5 + rounding
        assert abs(getattr(rows[price], name) - mean) < tolerance


@pytest.mark.parametrize("name", PAGE)
def test_the_page_shows_what_is_tested(name):
    page = (Path(__file__).parents[2] / "docs" / "paper.md").read_text()
    means, _ = PAGE[name]
    for mean in means.values():
        assert str(mean) in page


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
        ConvergenceExperiment(**settings)
