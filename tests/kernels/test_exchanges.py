import numpy as np
import pytest
import reference
from cases import for_each
from problems import groups_of, random_problem

from thatch import CoverageProblem


def begun(kernel, problem, best, *, price=0.0, is_ranked=False):
    return kernel("exchanges").Exchanges(
        problem.costs,
        problem.weights,
        problem.edges,
        groups_of(problem),
        best,
        budget=problem.budget,
        bits=88172645463325252,
        price=price,
        is_ranked=is_ranked,
    )


def annealed(kernel, problem, *, total=30_000, slices=1, start=(), **options):
    """Items chosen at the end, after a number of calls."""
    best = np.zeros(problem.num_items, dtype=np.int8)
    best[list(start)] = 1
    exchanges = begun(kernel, problem, best, **options)
    first = 0.3 * problem.weights.mean()
    temperature = first
    while temperature > 0.01 * first:
        work, temperature = exchanges.anneal(
            temperature, first, 0.01 * first, total, total // slices
        )
        assert work > 0
    return np.flatnonzero(best).tolist()


@for_each("options", [{}, {"price": 1.0}, {"is_ranked": True}])
@for_each("seed", range(10))
def test_annealing_comes_close_to_the_optimum_of_small_problems(kernel, seed, options):
    problem = random_problem(seed, max_items=10)
    chosen = annealed(kernel, problem, **options)
    assert problem.costs[chosen].sum() <= problem.budget
    assert reference.value(problem, chosen) >= 0.97 * reference.optimum(problem)


@pytest.mark.parametrize("start", [(), (0,), (0, 1)])
def test_compiled_or_not_the_same_exchanges_are_accepted(kernel, start):
    from thatch._kernels import exchanges

    problem = random_problem(21, max_items=14, max_elements=20)
    start = [i for i in start if problem.costs[list(start)].sum() <= problem.budget]
    options = {"start": start, "is_ranked": True}
    chosen = annealed(kernel, problem, **options)
    assert chosen == annealed(lambda name: exchanges, problem, **options)


def test_annealing_in_parts_takes_the_same_way(kernel):
    """A pause only marks one more selection."""
    problem = random_problem(21)
    once = annealed(kernel, problem)
    in_parts = annealed(kernel, problem, slices=5)
    values = [reference.value(problem, chosen) for chosen in (once, in_parts)]
    assert values[0] <= values[1] * (1 + 1e-12)


def test_items_without_cost_and_budgets_of_nothing_do_no_harm(kernel):
    sets = [{0, 1}, {1, 2}, {3}, set()]
    for costs, budget, value in (([0, 0, 1, 1], 0, 3), ([1, 1, 1, 1], 0, 0)):
        problem = CoverageProblem.from_sets(sets, costs=costs, budget=budget)
        chosen = annealed(kernel, problem)
        assert problem.costs[chosen].sum() <= budget
        assert reference.value(problem, chosen) == value
