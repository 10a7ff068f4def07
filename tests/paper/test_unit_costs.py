"""Numbers of docs/concepts/where-algorithm-2-fails.md, on smaller and fewer graphs."""

import csv

import numpy as np
import pytest
from refusals import refused
from scipy.optimize import brentq

from thatch import Effort, InputError
from thatch.paper.ensembles import Ensemble, Population
from thatch.paper.experiment import standard_error
from thatch.paper.fig2 import has_converged
from thatch.paper.unit_cost_methods import (
    METHODS,
    course,
    decimated,
    growth,
    messages,
    slow_messages,
    with_perturbed_weights,
)
from thatch.paper.unit_costs import ENSEMBLES, UnitCostExperiment
from thatch.problem.instances.randomness import Constant

pytestmark = pytest.mark.slow

UNIT_COSTS, DENSE, SYMMETRIC, PAPER = (ensemble.name for ensemble in ENSEMBLES)
DECIMATION = "decimation 10 %, damping 0.9"
TESTED = ("g-greedy", "Algorithm 2", "damping 0.9", DECIMATION)
QUICK = tuple(method for method in METHODS if method.name in TESTED)


@pytest.fixture(scope="module")
def results():
    heard = []
    experiment = UnitCostExperiment(
        num_graphs=3,
        num_items=100,
        methods=QUICK,
        scaled_inverse_temperatures=(2.0,),
        effort=Effort.fast(),
        num_threads=2,
    )
    results = experiment.run(on_progress=heard.append)
    assert sum(heard) == 3 * len(ENSEMBLES)
    return results


@pytest.mark.parametrize("ensemble", [DENSE, SYMMETRIC])
def test_algorithm_2_is_behind_g_greedy_at_unit_costs(results, ensemble):
    row = results.gap(ensemble, "Algorithm 2")
    assert row.minus_ggreedy > 3 * row.minus_ggreedy_sem


def test_algorithm_2_is_ahead_of_g_greedy_on_the_papers_ensemble(results):
    assert results.gap(PAPER, "Algorithm 2").minus_ggreedy < 0


@pytest.mark.parametrize("ensemble", [UNIT_COSTS, DENSE, SYMMETRIC])
def test_decimation_with_strong_damping_beats_g_greedy(results, ensemble):
    row = results.gap(ensemble, DECIMATION)
    assert row.minus_ggreedy < 0
    # At 9/3 with unequal weights, the oscillation is strong on some graphs only.
    least = 0.0 if ensemble == UNIT_COSTS else 3 * row.minus_algorithm_2_sem
    assert row.minus_algorithm_2 < -least


def test_damping_alone_recovers_most_of_the_loss_of_equal_items(results):
    row = results.gap(SYMMETRIC, "damping 0.9")
    assert row.minus_algorithm_2 < -5.0


def test_differences_are_paired(results):
    for row in results.gaps:
        ggreedy = results.gap(row.ensemble, "g-greedy")
        assert row.minus_ggreedy == pytest.approx(row.gap - ggreedy.gap)


def test_the_expected_cost_oscillates_unless_damped(results):
    for row in results.courses:
        if row.ensemble in (DENSE, SYMMETRIC) and row.price == "adapted":
            is_oscillating = row.most_cost - row.least_cost > 3.0
            assert is_oscillating == (row.damping == 0.5)
        if row.ensemble == PAPER:
            assert row.most_cost - row.least_cost < 0.2


def test_auto_repeats_its_selection_only_where_costs_differ(results):
    shared = {row.ensemble: row.shared_items for row in results.courses}
    assert shared[PAPER] > 0.95
    assert shared[SYMMETRIC] < 0.9


def test_at_high_degrees_the_oscillation_outgrows_the_damping(results):
    uniform = {row.ensemble: row.uniform for row in results.growths}
    # With damping 0.5, an oscillation of all messages dies out below a growth of 3.
    assert uniform[PAPER] < 2.0 < uniform[UNIT_COSTS] < 3.0 < uniform[DENSE] < 19.0


def test_growth_is_averaged_over_the_graphs(results):
    (row,) = (row for row in results.growths if row.ensemble == UNIT_COSTS)
    each = [growth(ENSEMBLES[0].problem(100, seed), scaled=2.0) for seed in range(3)]
    for kind in ("uniform", "random"):
        factors = [getattr(one, kind) for one in each]
        assert getattr(row, kind) == pytest.approx(np.mean(factors))
        error = np.std(factors, ddof=1) / 3**0.5
        assert getattr(row, f"{kind}_sem") == pytest.approx(error)


def test_the_best_and_the_worst_graph_enclose_the_mean(results):
    for row in results.gaps:
        assert row.least_gap <= row.gap <= row.most_gap
    row = results.gap(UNIT_COSTS, "Algorithm 2")
    ggreedy = results.gap(UNIT_COSTS, "g-greedy")
    assert row.most_gap - row.least_gap > ggreedy.most_gap - ggreedy.least_gap


def test_convergence_is_that_of_fig_2():
    problem = ENSEMBLES[3].problem(100, 0)
    passing = messages(problem, damping=0.5)
    passing.run(150, tolerance=0)
    found = course(problem, damping=0.5)
    assert found.has_converged == (passing.largest_change < 1e-3)
    # With damping 0.9, a message changes by a fifth of what it does with 0.5.
    assert has_converged(1.9e-4, damping=0.9)
    assert not has_converged(2.1e-4, damping=0.9)


def test_the_tables_and_pictures_are_saved(results, tmp_path):
    results.write_csv(tmp_path / "unit-costs.csv")
    for name, rows in (
        ("unit-costs", results.gaps),
        ("unit-costs-messages", results.courses),
        ("unit-costs-growth", results.growths),
    ):
        with (tmp_path / f"{name}.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == len(rows)
    for suffix in ("png", "svg"):
        results.write_picture(tmp_path / f"unit-costs.{suffix}")
        assert (tmp_path / f"unit-costs.{suffix}").stat().st_size > 1000


def test_equal_items_get_equal_fields_and_so_a_random_selection():
    problem = ENSEMBLES[2].problem(1000, 0)
    assert course(problem, damping=0.5).field_spread < 1e-12
    assert course(problem, damping=0.5, initial="random").field_spread < 1e-12
    (algorithm_2,) = (m for m in METHODS if m.name == "Algorithm 2")
    # A random fifth of the items leaves an element uncovered with 0.8 ** 3.
    expected = 3000 * (1 - 0.8**3)
    assert algorithm_2.value(problem, 0) == pytest.approx(expected, rel=0.03)


def test_perturbed_weights_make_equal_items_differ():
    problem = with_perturbed_weights(ENSEMBLES[2].problem(200, 0), 0)
    assert course(problem, damping=0.9).field_spread > 1e-4


def test_uniform_growth_is_that_of_equal_messages():
    """For equal messages, the fixed point and its derivative are known."""
    beta, item_degree, element_degree = 1.0, 9, 3
    found = growth(ENSEMBLES[2].problem(1000, 0), scaled=beta)

    def reply(h):
        p = 1 / (1 + np.exp(-beta)) / (1 + np.exp(beta * h)) ** (element_degree - 1)
        return -np.log1p(-p) / beta, p

    def expected_share(price):
        def excess(h):
            return (item_degree - 1) * reply(h)[0] - price - h

        h = brentq(excess, -100, 100)
        return h, 1 / (1 + np.exp(-beta * (h + reply(h)[0])))

    price = brentq(lambda mu: expected_share(mu)[1] - 0.2, 1.0, 50.0)
    h, _ = expected_share(price)
    p = reply(h)[1]
    derivative = p / (1 - p) / (1 + np.exp(-beta * h))
    expected = (item_degree - 1) * (element_degree - 1) * derivative
    assert found.uniform == pytest.approx(expected, rel=0.02)


def test_growth_is_that_of_the_ensemble():
    problem = ENSEMBLES[0].problem(1000, 0)
    found = growth(problem, scaled=1.0)
    passing = messages(problem, damping=0.9, scaled=1.0)
    passing.run(300)
    population = Population(
        Ensemble(costs=Constant()),
        inverse_temperature=1.0 / 5.5,
        price=passing.price,
        num_items=2000,
    )
    for _ in range(40):
        population.sweep()
    assert population.growth(20).mean == pytest.approx(found.random, rel=0.1)
    uniform = population.growth(20, is_uniform=True)
    assert uniform.mean == pytest.approx(found.uniform, rel=0.1)


def test_decimation_spends_the_budget_and_never_more():
    problem = ENSEMBLES[3].problem(100, 0)
    found = decimated(problem, 0, share=0.1)
    assert 0.9 * problem.budget < found.cost <= problem.budget


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
        UnitCostExperiment(**settings)


def test_a_fixed_price_ends_the_oscillation_of_unequal_weights():
    """Only there: at 20/10 the growth exceeds what a damping of 0.5 allows."""
    ranges = {}
    for ensemble in ENSEMBLES[:2]:
        problem = ensemble.problem(1000, 0)
        price = slow_messages(problem, 0).price
        for each in (None, price):
            found = course(problem, damping=0.5, price=each)
            ranges[ensemble.name, each is None] = found.most_cost - found.least_cost
    assert ranges[UNIT_COSTS, True] > 1.0 > 0.2 > ranges[UNIT_COSTS, False]
    assert min(ranges[DENSE, True], ranges[DENSE, False]) > 5.0


def test_algorithm_2_is_behind_g_greedy_at_unequal_weights():
    ggreedy, algorithm_2 = METHODS[:2]
    behind = []
    for seed in range(20):
        problem = ENSEMBLES[0].problem(1000, seed)
        best = ggreedy.value(problem, seed)
        behind.append(100 * (best - algorithm_2.value(problem, seed)) / best)
    error = standard_error(np.array(behind))
    # On 80 graphs: 2.8 % of the bound, of which g-greedy covers 94.9 %.
    assert 3 * error > abs(np.mean(behind) - 2.8 / 0.949)
    assert np.mean(behind) > 2 * error
