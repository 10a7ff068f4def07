import numpy as np
import pytest
import reference
from cases import for_each
from problems import groups_of, random_problem

from thatch import CoverageProblem

ALL_WORK = 10**9


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


def weighted(kernel, problem, *, max_work=30_000):
    best = np.zeros(problem.num_items, dtype=np.int8)
    begun(kernel, problem, best).weigh(max_work)
    return np.flatnonzero(best).tolist()


@for_each("options", [{}, {"price": 1.0}, {"is_ranked": True}])
@for_each("seed", range(10))
def test_annealing_comes_close_to_the_optimum_of_small_problems(kernel, seed, options):
    problem = random_problem(seed, max_items=10)
    chosen = annealed(kernel, problem, **options)
    assert problem.costs[chosen].sum() <= problem.budget
    assert reference.value(problem, chosen) >= 0.97 * reference.optimum(problem)


@for_each("seed", range(10))
def test_weighting_comes_close_to_the_optimum_of_small_problems(kernel, seed):
    problem = random_problem(seed, max_items=10)
    chosen = weighted(kernel, problem)
    assert problem.costs[chosen].sum() <= problem.budget
    assert reference.value(problem, chosen) >= 0.97 * reference.optimum(problem)


def test_weighting_covers_almost_everything_where_few_items_do(kernel):
    """Ten small items that partition the elements, among many larger ones."""
    rng = np.random.default_rng(3)
    halves = [set(range(6 * k, 6 * k + 3)) for k in range(5)]
    halves += [set(range(6 * k + 3, 6 * k + 6)) for k in range(5)]
    large = [set(rng.choice(30, 8, replace=False).tolist()) for _ in range(30)]
    problem = CoverageProblem.from_sets([*halves, *large], budget=8)
    chosen = weighted(kernel, problem, max_work=300_000)
    cover = set().union(*([*halves, *large][i] for i in chosen))
    assert len(cover) >= 29
    assert len(chosen) <= 8


@pytest.mark.parametrize("kernel", ["uncompiled"], indirect=True)
@for_each("seed", range(5))
def test_a_dropped_item_returns_only_when_an_element_of_it_has_changed(kernel, seed):
    """Unless that holds for no item of the element that is to be covered."""
    rng = np.random.default_rng(seed)
    sets = [set(rng.choice(20, 5, replace=False).tolist()) for _ in range(12)]
    problem = CoverageProblem.from_sets(sets, budget=3)
    flips = logged_flips(kernel, problem)
    chosen, dropped_at, changed_at, num_returns = set(), {}, {}, 0

    def may_return(i):
        at = dropped_at.get(i, -1)
        return any(changed_at.get(a, 0) > at for a in sets[i])

    for step, i in enumerate(flips):
        before = set().union(*(sets[k] for k in chosen))
        if i not in chosen and not may_return(i):
            num_returns += 1
            rivals = [
                [k for k in range(len(sets)) if a in sets[k]] for a in sets[i] - before
            ]
            assert any(not any(map(may_return, items)) for items in rivals)
        if i in chosen:
            dropped_at[i] = step
        chosen ^= {i}
        after = set().union(*(sets[k] for k in chosen))
        changed_at |= dict.fromkeys(before ^ after, step)
    assert num_returns < len(flips) / 4


def logged_flips(kernel, problem):
    """Every item that weighting adds or drops, in turn."""
    flips = []

    class Logged(kernel("exchanges").Exchanges):
        def _flip(self, i):
            flips.append(int(i))
            super()._flip(i)

    class Module:
        Exchanges = Logged

    best = np.zeros(problem.num_items, dtype=np.int8)
    begun(lambda name: Module, problem, best).weigh(20_000)
    return flips


@pytest.mark.parametrize("start", [(), (0,), (0, 1)])
def test_compiled_or_not_the_same_exchanges_are_accepted(kernel, start):
    from thatch._kernels import exchanges

    problem = random_problem(21, max_items=14, max_elements=20)
    start = [i for i in start if problem.costs[list(start)].sum() <= problem.budget]
    for found in (annealed, weighted):
        options = {"start": start, "is_ranked": True} if found is annealed else {}
        chosen = found(kernel, problem, **options)
        assert chosen == found(lambda name: exchanges, problem, **options)


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
        for found in (annealed, weighted):
            chosen = found(kernel, problem)
            assert problem.costs[chosen].sum() <= budget
            assert reference.value(problem, chosen) == value
