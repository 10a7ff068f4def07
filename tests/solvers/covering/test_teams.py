import numpy as np
from cases import for_each
from cover_tasks import task_of
from hypothesis import given
from hypothesis import strategies as st

from thatch import CoverageProblem
from thatch.solvers.covering.teams import LongSearch, Team, crossed
from thatch.solvers.step_efforts import CoverEffort


def random_task(seed, *, num_items=30, num_elements=25):
    """A task in which every element has one to three items."""
    rng = np.random.default_rng(seed)
    sets = [set() for _ in range(num_items)]
    for a in range(num_elements):
        for i in rng.choice(num_items, rng.integers(1, 4), replace=False):
            sets[i].add(a)
    costs = rng.integers(1, 5, num_items)
    return plain_task(sets, costs=costs)


def plain_task(sets, *, costs=None, **target):
    problem = CoverageProblem.from_sets(sets, costs=costs)
    return task_of(problem, is_presolved=False, **target)


def random_cover(task, rng):
    """Items in a random order, until all elements are covered, and a few more."""
    order = rng.permutation(task.items.size)
    sizes = range(order.size + 1)
    count = next(k for k in sizes if task.is_cover(np.sort(order[:k])))
    return np.sort(order[: count + rng.integers(0, 3)])


@given(seed=st.integers(0, 10_000))
def test_crossed_covers_are_a_cover_and_cost_no_more_than_either(seed):
    task, rng = random_task(seed), np.random.default_rng(seed)
    one, other = random_cover(task, rng), random_cover(task, rng)
    items = crossed(task, one, other)
    costs = task.problem.costs
    assert task.is_cover(items)
    assert costs[items].sum() <= min(costs[one].sum(), costs[other].sum())
    assert set(items) <= set(one) | set(other)


def test_the_cheaper_choice_is_taken_at_each_place():
    """Each cover is the cheaper one at one of two places."""
    sets = [{0, 1}, {0}, {1}, {2, 3}, {2}, {3}]
    task = plain_task(sets)
    items = crossed(task, np.array([0, 4, 5]), np.array([1, 2, 3]))
    assert items.tolist() == [0, 3]


def test_with_slack_the_cheaper_cover_is_taken():
    sets = [{0, 1}, {0}, {1}, {2, 3}, {2}, {3}]
    task = plain_task(sets, weight=3)
    items = crossed(task, np.array([0, 4]), np.array([1, 2, 3]))
    assert items.tolist() == [0, 4]


@for_each("smallest_part", [0.01, 0.3, 2.0])
def test_what_a_team_finds_in_parts_is_a_cover(smallest_part):
    task = random_task(3, num_items=60, num_elements=40)
    team = Team(
        task,
        np.arange(task.items.size),
        seeds=[1],
        growth=0.25,
        smallest_part=smallest_part,
    )
    for each in team.searches:
        assert each.search(10_000, least_saving=1.0)
    [items] = team.covers
    assert task.is_cover(items)
    parts = [each.part for each in team.searches if each.part is not None]
    if parts:
        every = np.sort(np.concatenate(parts))
        assert every.tolist() == list(range(task.items.size))


def test_other_teams_start_while_they_help():
    task = random_task(5)
    long_search = LongSearch(
        task,
        np.arange(task.items.size),
        seed=lambda place: place,
        num_seeds=1,
        effort=CoverEffort(slices_without_gain=2),
    )
    turns = []
    # The first two teams after the main one help, no other one does.
    helpful = [long_search.team]
    for _ in range(24):
        team = long_search.team
        is_new = team not in helpful
        has_helped = is_new and len(helpful) <= 2
        if is_new:
            helpful.append(team)
        turns.append(helpful.index(team))
        long_search.advance(has_found=False, has_helped=has_helped, inside=np.arange(0))
    assert turns[:8] == [0, 0, 1, 1, 2, 2, 3, 3]
    # The main team catches up, then others get as much time as it.
    assert turns[8:] == [0, 0, 0, 0, 4, 4, 0, 0, 5, 5, 0, 0, 6, 6, 0, 0]
