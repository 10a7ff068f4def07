import numpy as np
from cases import for_each
from hypothesis import given
from problems import problems, random_problem

from thatch import CoverageProblem, Selection, solve
from thatch.solvers import Exhaustive
from thatch.solvers.explorers import Annealing, Climb, Guide, Weighting


def explorers_of(problem, start, *, seed=0):
    weight = problem.reachable_weight
    profits = np.arange(problem.num_items, dtype=float)
    return [
        Climb(problem, start, seed=seed, is_noisy=True),
        Weighting(problem, start, seed=seed),
        Annealing(
            problem,
            start,
            seed=seed,
            temperatures=(0.1 * weight, 0.003 * weight),
            work=20_000,
            guide=Guide.of(problem, 1.0, profits),
        ),
    ]


def explored(explorer, *, work=20_000):
    while work > 0:
        done = explorer.advance(min(work, 5_000))
        if done == 0:
            break
        work -= done
    return explorer.best


@given(problem=problems())
def test_any_valid_problem_gets_a_feasible_answer(problem):
    optimum = solve(problem, Exhaustive()).selection.value
    for explorer in explorers_of(problem, Selection.of(problem, [])):
        best = explored(explorer)
        assert best.is_feasible
        assert best.value <= optimum * (1 + 1e-12)


@for_each("seed", range(5))
def test_the_same_seed_takes_the_same_way(seed):
    problem = random_problem(seed)
    nothing = Selection.of(problem, [])
    for one, other in zip(
        explorers_of(problem, nothing, seed=seed),
        explorers_of(problem, nothing, seed=seed),
        strict=True,
    ):
        np.testing.assert_array_equal(explored(one).items, explored(other).items)


def test_annealing_ends_at_its_last_temperature():
    problem = random_problem(3)
    *_, annealing = explorers_of(problem, Selection.of(problem, []))
    explored(annealing, work=10**9)
    assert annealing.advance(5_000) == 0


def test_weighting_ends_when_everything_is_covered():
    problem = random_problem(3)
    everything = problem.with_costs(np.zeros(problem.num_items))
    weighting = Weighting(everything, Selection.of(everything, []), seed=0)
    assert explored(weighting, work=10**9).value == everything.reachable_weight
    assert weighting.advance(5_000) == 0


def test_annealing_keeps_to_another_budget():
    sets = [{k} for k in range(10)]
    problem = CoverageProblem.from_sets(sets, budget=5)
    for budget in (3, 5, 8):
        annealing = Annealing(
            problem,
            Selection.of(problem, []),
            seed=0,
            temperatures=(1.0, 0.01),
            work=20_000,
            budget=budget,
        )
        assert explored(annealing).cost == budget


def test_a_guide_puts_the_items_of_the_best_reduced_profits_first():
    problem = random_problem(3)
    profits = np.random.default_rng(0).normal(size=problem.num_items).round(1)
    guide = Guide.of(problem, 1.0, profits)
    start = problem.edges.element_start
    for a in range(problem.num_elements):
        ranked = guide.edges.element_items[start[a] : start[a + 1]]
        assert sorted(ranked) == problem.edges.items_of(a).tolist()
        assert np.all(np.diff(profits[ranked]) <= 0)
