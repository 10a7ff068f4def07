import numpy as np
import reference
from cases import for_each
from problems import groups_of, random_problem

ALL_WORK = 10**9


def begun(kernel, problem, best):
    return kernel("search").Search(
        problem.costs,
        problem.weights,
        problem.edges,
        groups_of(problem),
        best,
        budget=problem.budget,
        bits=88172645463325252,
        tolerance=1e-12 * problem.weights.sum(),
    )


def searched(kernel, problem, *, rounds, noise=0.0, max_work=ALL_WORK):
    """Work done, and the items chosen."""
    best = np.zeros(problem.num_items, dtype=np.int8)
    work = begun(kernel, problem, best).search(rounds, noise, max_work)
    return work, np.flatnonzero(best).tolist()


@for_each("noise", [0.0, 0.8])
@for_each("seed", range(15))
def test_no_single_exchange_improves_what_a_climb_leaves(kernel, seed, noise):
    problem = random_problem(seed, max_items=10)
    _, chosen = searched(kernel, problem, rounds=1, noise=noise)
    value = reference.value(problem, chosen)
    outside = [i for i in range(problem.num_items) if i not in chosen]
    for dropped in [None, *chosen]:
        kept = [i for i in chosen if i != dropped]
        for i in outside:
            if problem.costs[[*kept, i]].sum() <= problem.budget * (1 - 1e-12):
                found = reference.value(problem, [*kept, i])
                assert found <= value * (1 + 1e-9)


def test_compiled_or_not_the_search_takes_the_same_way(kernel):
    problem = random_problem(21, max_items=14, max_elements=20)
    found = searched(kernel, problem, rounds=8, noise=0.5)
    assert found == searched(
        lambda name: compiled_search(), problem, rounds=8, noise=0.5
    )


def compiled_search():
    from thatch._kernels import search

    return search


def test_the_search_pauses_when_its_work_is_used_up(kernel):
    problem = random_problem(21)
    work, _ = searched(kernel, problem, rounds=10**6, max_work=500)
    # The step in which it runs out is finished.
    assert 500 <= work <= 500 + 20 * (problem.num_items + problem.num_edges)


def test_more_rounds_are_more_work(kernel):
    problem = random_problem(21)
    works = [searched(kernel, problem, rounds=rounds)[0] for rounds in (1, 5, 25)]
    assert works == sorted(set(works))


def test_rounds_without_progress_are_counted_from_one_search_to_the_next(kernel):
    problem = random_problem(21)
    search = begun(kernel, problem, np.zeros(problem.num_items, dtype=np.int8))
    search.search(40, 0.0, ALL_WORK)
    before = search.stalled
    search.search(5, 0.0, ALL_WORK)
    assert before > 0
    assert search.stalled == before + 5


def test_a_search_never_leaves_less_than_it_began_with(kernel):
    for seed in range(20):
        problem = random_problem(seed)
        best = np.zeros(problem.num_items, dtype=np.int8)
        search = begun(kernel, problem, best)
        value = 0.0
        for noise in (0.8, 0.0, 0.5):
            search.search(2, noise, ALL_WORK)
            now = reference.value(problem, np.flatnonzero(best).tolist())
            assert now >= value * (1 - 1e-9)
            value = now
