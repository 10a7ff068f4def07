import csv

import numpy as np
import pytest
from refusals import refused

from thatch import InputError
from thatch.experiments.fig2 import PRICES, Experiment

# The numbers of docs/paper.md: means over 1000 graphs, by price.
PAGE = {
    "bp": {},
    "converged": {},
}
TESTED_PRICES = (0.0, 0.1, 0.5, 2.0, 4.0, 4.75, 6.0, 8.0, 100.0)


@pytest.fixture(scope="module")
def figure():
    heard = []
    experiment = Experiment(num_graphs=40, prices=TESTED_PRICES, num_threads=2)
    figure = experiment.run(on_progress=heard.append)
    assert sum(heard) == 40
    return figure


def test_the_far_end_is_the_order_of_an_infinite_price(figure):
    last = figure.rows[-1]
    assert last.price == max(PRICES)
    assert last.bp == pytest.approx(last.infinite_price, rel=0.001)


def test_solvers_are_in_the_known_order(figure):
    peak = figure.peak
    assert peak.price == 4.75
    assert peak.greedy < peak.static < peak.ggreedy < peak.exact
    assert peak.bp < peak.exact


def test_the_difference_is_paired(figure):
    for row in figure.rows:
        assert row.difference == pytest.approx(row.bp - row.ggreedy)
        assert row.to_optimum == pytest.approx(row.bp - row.exact)
    assert figure.peak.difference_sem < 0.5 * figure.peak.bp_sem


def test_threads_change_nothing(figure):
    one = Experiment(num_graphs=6, prices=(2.0, 5.0)).run()
    two = Experiment(num_graphs=6, prices=(2.0, 5.0), num_threads=2).run()
    assert one.rows == two.rows


def test_the_table_contains_the_numbers(figure, tmp_path):
    figure.write_csv(tmp_path / "fig2.csv")
    with (tmp_path / "fig2.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["price"]) for row in rows] == list(TESTED_PRICES)
    np.testing.assert_allclose(
        [float(row["bp"]) for row in rows], [row.bp for row in figure.rows], rtol=1e-5
    )


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"num_graphs": 1}, ["graphs", "1"]),
        ({"num_graphs": 10**14}, ["graphs", "100000000000000"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"num_threads": 0}, ["threads", "0"]),
    ],
)
def test_impossible_experiments_are_refused(settings, facts):
    with refused(InputError, *facts):
        Experiment(**settings)


def test_an_interrupt_ends_the_experiment():
    def interrupt(graphs):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Experiment(num_graphs=200, prices=(5.0,)).run(on_progress=interrupt)
