"""The experiments on ensembles at reduced size."""

from math import inf

import numpy as np
import pytest
from refusals import refused

from thatch import InputError
from thatch.paper.ensemble_entropy import (
    EntropyCurves,
    EntropyExperiment,
    EntropyRow,
)
from thatch.paper.ensemble_peak import PeakExperiment
from thatch.paper.ensemble_phases import PhaseExperiment, crossing
from thatch.paper.ensemble_sizes import QUANTITIES, SizeExperiment
from thatch.paper.experiment import write_rows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def diagram():
    return PhaseExperiment(
        inverse_temperatures=(0.3, 3.0),
        prices=(0.1, 0.6, 2.0, 8.0),
        num_items=600,
        num_first_sweeps=30,
        num_snapshots=8,
        num_growth_sweeps=12,
        num_threads=2,
    ).run()


def test_phases_are_those_of_the_page(diagram):
    growths = {
        (row.inverse_temperature, row.price): (row.random_growth, row.uniform_growth)
        for row in diagram.rows
    }
    # docs/concepts/ensemble.md: a random perturbation grows between the prices of
    # about 0.32 and 4.7 at inverse temperature 3, and nowhere at 0.3.
    assert all(growths[0.3, price][0] < 0.9 for price in (0.1, 0.6, 2.0, 8.0))
    assert growths[3.0, 0.1][0] < 0.8
    assert min(growths[3.0, 0.6][0], growths[3.0, 2.0][0]) > 1.05
    assert growths[3.0, 8.0][0] < 0.95
    # A uniform one grows below a price of about 6.
    assert growths[3.0, 2.0][1] > 1.5
    assert growths[3.0, 8.0][1] < 0.95


def test_costs_and_entropies_fall(diagram):
    rows = {(row.inverse_temperature, row.price): row for row in diagram.rows}
    for beta in (0.3, 3.0):
        costs = [rows[beta, price].cost for price in (0.1, 0.6, 2.0, 8.0)]
        assert costs == sorted(costs, reverse=True)
    assert all(
        rows[0.3, price].entropy > rows[3.0, price].entropy for price in (0.1, 2.0, 8.0)
    )


def test_findings_say_where_perturbations_grow(diagram):
    warm, cold, *_ = diagram.findings
    assert "Inverse temperature 0.3: a random perturbation grows from price nan" in warm
    prices = [0.1, 0.6, 2.0, 8.0]
    growths = [row.random_growth for row in diagram.rows[4:]]
    first = crossing(prices, growths, 1.0)
    last = crossing(prices[::-1], growths[::-1], 1.0)
    assert 0.1 < first < 0.6
    assert 2.0 < last < 8.0
    assert f"grows from price {first:.2f} to {last:.2f}" in cold


def test_pictures_and_tables(diagram, tmp_path):
    diagram.write_csv(tmp_path / "phases.csv")
    lines = (tmp_path / "phases.csv").read_text().splitlines()
    assert lines[0].startswith("inverse_temperature,price,cost,")
    assert len(lines) == 9
    for suffix in ("png", "svg"):
        diagram.write_picture(tmp_path / f"phases.{suffix}")
        assert (tmp_path / f"phases.{suffix}").stat().st_size > 10_000


def test_threads_change_nothing():
    settings = {
        "inverse_temperatures": (1.0,),
        "prices": (2.0, 5.0),
        "num_items": 200,
        "num_first_sweeps": 5,
        "num_snapshots": 4,
        "num_growth_sweeps": 4,
    }
    one = PhaseExperiment(**settings).run()
    two = PhaseExperiment(**settings, num_threads=2).run()
    assert one.rows == two.rows


def test_the_peak_of_the_limit_is_that_of_graphs(tmp_path):
    experiment = PeakExperiment(
        prices=(0.1, 0.6, 4.75, 10.0),
        sizes=((100, 40, 4), (1000, 5, 2)),
        num_items=2000,
        num_sweeps=40,
        num_threads=2,
    )
    steps = []
    figure = experiment.run(on_progress=steps.append)
    assert sum(steps) == experiment.num_steps
    for size in (100, 1000, inf):
        # Two maxima, at 0.1 and near 4.75, and a minimum in between.
        values = [row.value for row in figure.curve(size)]
        assert values[0] > values[1] < values[2] > values[3]
        assert figure.peak(size).price == 4.75
    large, limit = figure.curve(1000), figure.curve(inf)
    for graph, population in zip(large, limit, strict=True):
        error = np.hypot(graph.error, population.error)
        assert abs(graph.value - population.value) < 4 * error + 0.005 * graph.value
    for optimum in figure.optima:
        assert optimum.value <= optimum.bound
        assert 0.0 < optimum.loss < 0.2
        # The difference is taken graph by graph: graphs differ more than solvers.
        assert optimum.loss_error < optimum.error
    assert figure.optima[0].gap == pytest.approx(0.0, abs=1e-9)
    figure.write_picture(tmp_path / "peak.svg")
    _, optima = figure.write_csv(tmp_path / "peak.csv")
    assert optima == tmp_path / "peak-optima.csv"
    assert len(optima.read_text().splitlines()) == 3
    assert len(figure.findings) == 6


def test_graphs_agree_with_the_population(tmp_path):
    table = SizeExperiment(
        points=((0.3, 5.0), (3.0, 8.0)),
        sizes=((2000, 12),),
        num_items=5000,
        num_sweeps=80,
        num_threads=2,
    ).run()
    for row, limit in table.compared:
        for name in QUANTITIES:
            errors, share = row.distance(limit, name)
            assert abs(errors) < 4.5, name
            # The entropy is small, and its relative error large.
            assert abs(share) < (0.15 if name == "entropy" else 0.03), name
    table.write_picture(tmp_path / "sizes.png")
    table.write_csv(tmp_path / "sizes.csv")
    assert len(table.findings) == 2


def test_crossings():
    assert crossing([1.0, 2.0], [0.0, 1.0], 0.0) == 1.0
    assert np.isnan(crossing([1.0, 2.0], [1.0, 2.0], 0.0))


def test_rows_of_a_table(diagram, tmp_path):
    write_rows(tmp_path / "rows.csv", diagram.rows[:1])
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 2


def test_entropy_turns_negative_with_real_numbers(tmp_path):
    """docs/concepts/ensemble.md: at price 1, and not at the budget."""
    experiment = EntropyExperiment(
        inverse_temperatures=(1.0, 12.0), num_items=2000, num_sweeps=60, num_threads=2
    )
    steps = []
    curves = experiment.run(on_progress=steps.append)
    assert sum(steps) == experiment.num_steps == 8
    for (_, place), (warm, cold) in curves.curves.items():
        assert warm.entropy > 0.05
        assert cold.entropy < 0.02
        # The price is that of the peak.
        assert (4.0 < cold.price < 5.5) is (place == "at the budget")
        assert (cold.price_error > 0.0) is (place == "at the budget")
    _, cold = curves.curves["reals", "at price 1"]
    assert cold.entropy < 0.0
    (path,) = curves.write_csv(tmp_path / "entropy.csv")
    assert len(path.read_text().splitlines()) == 9
    curves.write_picture(tmp_path / "entropy.svg")
    assert "entropy per item" in (tmp_path / "entropy.svg").read_text()


def test_zeros_of_the_entropy():
    def row(beta, entropy):
        return EntropyRow("reals", "at price 1", beta, 1.0, 0.0, entropy, 0.001)

    curves = EntropyCurves((row(1.0, 0.3), row(3.0, 0.1), row(7.0, -0.1)))
    zero = curves.zero("reals", "at price 1")
    assert zero.mean == pytest.approx(5.0)
    assert zero.error == pytest.approx(0.02)
    assert "turns negative at inverse temperature 5.0 ± 0.0" in curves.findings[0]
    # Below 0, but not by two standard errors.
    flat = EntropyCurves((row(1.0, 0.3), row(3.0, -0.001)))
    assert np.isnan(flat.zero("reals", "at price 1").mean)
    assert "does not turn negative" in flat.findings[0]


@pytest.mark.parametrize(
    "kind", [EntropyExperiment, PeakExperiment, PhaseExperiment, SizeExperiment]
)
def test_threads_are_checked(kind):
    with refused(InputError, "threads", "0"):
        kind(num_threads=0)
