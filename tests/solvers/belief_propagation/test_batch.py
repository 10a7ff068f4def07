"""Many parts in one call: each gets what it gets alone, in order, on any threads."""

import itertools
import math

import numpy as np
import pytest
from problems import random_problem
from refusals import refused

from thatch import CoverageProblem, MaxIterations, PricedProblem, Run, propagate
from thatch.errors import InputTypeError
from thatch.machine.devices import Device
from thatch.problem.instances.random_graphs import BiregularGraph

# Edges that share a union on the processor; the batches here fill several.
UNION = 30_000


def small_problem(seed, *, num_items=40):
    graph = BiregularGraph(
        num_items=num_items,
        num_elements=3 * num_items,
        item_degree=9,
        element_degree=3,
    )
    return graph.problem(budget=num_items, seed=seed)


def parts_of_many_kinds():
    """Ordinary, extreme and infinite temperatures in turn, prices given and free.

    At infinity the price is odd, so that no item is as good in as out.
    """
    kinds = itertools.cycle(
        [(0.5, 8.0), (math.inf, 6.137), (3.0, None), (200.0, 4.0), (1.0, 0.0)]
    )
    problems = [small_problem(k, num_items=30 + k % 20) for k in range(120)]
    problems[50:50] = [small_problem(1000, num_items=4_000)]
    return [
        PricedProblem(problem, inverse_temperature=beta, price=price)
        for problem, (beta, price) in zip(problems, kinds, strict=False)
    ]


@pytest.fixture(scope="module")
def mixed_parts():
    priced_problems = parts_of_many_kinds()
    sizes = [priced.problem.num_edges for priced in priced_problems]
    assert max(sizes) > UNION
    assert sum(sizes) - max(sizes) > UNION
    return priced_problems


@pytest.fixture(scope="module")
def mixed_beliefs_alone(mixed_parts):
    return [propagate([priced], max_iterations=12)[0] for priced in mixed_parts]


NAMES = (
    "price",
    "item_fields",
    "item_replies",
    "element_fields",
    "item_marginals",
    "element_marginals",
    "expected_cost",
    "free_energy",
    "entropy",
    "largest_change",
)
# Both of the last are small differences of large numbers.
STEADY_NAMES = NAMES[:-2]


def require_equal(one, other):
    """Bit for bit."""
    assert one.inverse_temperature == other.inverse_temperature
    for name in NAMES:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


def require_close(one, other, *, names=NAMES, tolerance=1e-9):
    for name in names:
        np.testing.assert_allclose(
            getattr(one, name),
            getattr(other, name),
            rtol=tolerance,
            atol=tolerance,
            err_msg=name,
        )


@pytest.mark.parametrize("num_threads", [1, 2, 3])
def test_every_part_gets_what_it_gets_alone_bit_for_bit(
    mixed_parts, mixed_beliefs_alone, num_threads
):
    run = Run(num_threads=num_threads)
    together = propagate(mixed_parts, max_iterations=12, run=run)
    for beliefs, alone in zip(together, mixed_beliefs_alone, strict=True):
        require_equal(beliefs, alone)


def test_many_small_parts_fill_several_unions(device):
    priced_problems = [
        PricedProblem(small_problem(k), inverse_temperature=1.0, price=0.1 * k)
        for k in range(120)
    ]
    assert sum(priced.problem.num_edges for priced in priced_problems) > UNION
    run = Run(device=device, num_threads=2)
    together = propagate(
        priced_problems, max_iterations=30, precision="double", run=run
    )
    for priced, beliefs in zip(priced_problems, together, strict=True):
        (alone,) = propagate([priced], max_iterations=30)
        assert beliefs.price == priced.price
        require_close(beliefs, alone, names=STEADY_NAMES)


def test_kinds_of_parts_may_be_mixed_in_any_order(
    mixed_parts, mixed_beliefs_alone, device
):
    order = np.random.default_rng(0).permutation(len(mixed_parts))
    run = Run(device=device, num_threads=2)
    priced_problems = [mixed_parts[k] for k in order]
    together = propagate(
        priced_problems, max_iterations=12, precision="double", run=run
    )
    for place, beliefs in zip(order, together, strict=True):
        require_close(beliefs, mixed_beliefs_alone[place], names=STEADY_NAMES)


def test_one_problem_at_many_prices_among_others(device):
    """On a GPU the graph of a problem that comes again is copied there."""
    again, twice, once = (small_problem(k, num_items=20 + 10 * k) for k in range(3))
    priced_problems = [
        PricedProblem(again, inverse_temperature=1.0, price=0.5 * k) for k in range(20)
    ]
    priced_problems[3:3] = [PricedProblem(once, inverse_temperature=1.0, price=7.0)]
    priced_problems[9:9] = [PricedProblem(twice, inverse_temperature=2.0, price=6.0)]
    priced_problems += [
        PricedProblem(twice, inverse_temperature=0.3),
        PricedProblem(random_problem(4), price=1.0),
    ]
    run = Run(device=device)
    together = propagate(
        priced_problems, max_iterations=30, precision="double", run=run
    )
    for priced, beliefs in zip(priced_problems, together, strict=True):
        (alone,) = propagate([priced], max_iterations=30)
        require_close(beliefs, alone, names=STEADY_NAMES)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_parts_with_nothing_in_them_do_not_disturb_the_others(device, precision):
    empty = [
        CoverageProblem.from_edges(
            [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=1
        )
        for num_items, num_elements in ((0, 0), (0, 2), (2, 0), (2, 3))
    ]
    full = small_problem(0)
    problems = [*empty, full, *empty[::-1], full, empty[1], full]
    for beta in (1.0, 1e3, math.inf):
        priced_problems = [
            PricedProblem(each, inverse_temperature=beta, price=7.0)
            for each in problems
        ]
        run = Run(device=device)
        together = propagate(
            priced_problems, max_iterations=10, precision=precision, run=run
        )
        (alone,) = propagate(
            priced_problems[4:5],
            max_iterations=10,
            precision=precision,
            run=Run(device=device),
        )
        for problem, beliefs in zip(problems, together, strict=True):
            assert beliefs.item_marginals.size == problem.num_items
            assert beliefs.element_marginals.size == problem.num_elements
            if problem is full:
                require_close(beliefs, alone)
            else:
                assert beliefs.largest_change == 0.0


@pytest.mark.parametrize("num_threads", [1, 3])
def test_who_listens_hears_of_every_iteration_and_changes_nothing(
    mixed_parts, mixed_beliefs_alone, num_threads
):
    heard = []
    run = Run(observers=[heard.append], num_threads=num_threads)
    together = propagate(mixed_parts, max_iterations=12, run=run)
    assert [progress.iteration for progress in heard] == list(range(1, 13))
    for beliefs, alone in zip(together, mixed_beliefs_alone, strict=True):
        require_equal(beliefs, alone)
    changes = [beliefs.largest_change for beliefs in together]
    assert heard[-1].largest_change == max(changes)


def test_listening_changes_nothing_on_either_device(device):
    priced_problems = [
        PricedProblem(small_problem(k), inverse_temperature=1.0) for k in range(5)
    ]
    heard = []
    runs = Run(device=device), Run(device=device, observers=[heard.append])
    silent, observed = (
        propagate(priced_problems, max_iterations=15, run=run) for run in runs
    )
    assert len(heard) == 15
    for one, other in zip(silent, observed, strict=True):
        require_close(one, other, tolerance=0.0 if device is Device.CPU else 1e-6)


def test_a_run_that_nobody_hears_reports_its_end():
    run = Run()
    (beliefs,) = propagate([PricedProblem(small_problem(0))], max_iterations=9, run=run)
    assert [reading.largest_change for reading in run.trace] == [beliefs.largest_change]


def test_a_batch_can_be_stopped(device):
    priced_problems = [
        PricedProblem(small_problem(k), inverse_temperature=1.0) for k in range(3)
    ]
    run = Run(device=device, stop=[MaxIterations(4)])
    stopped = propagate(priced_problems, precision="double", run=run)
    short = propagate(priced_problems, max_iterations=4)
    assert len(run.trace) == 4
    for one, other in zip(stopped, short, strict=True):
        require_close(one, other, names=STEADY_NAMES)


def test_no_parts_have_no_beliefs(device):
    heard = []
    assert propagate([], run=Run(device=device)) == []
    run = Run(device=device, observers=[heard.append])
    assert propagate([], max_iterations=2, run=run) == []
    assert len(heard) == 2


@pytest.mark.parametrize("has_listeners", [False, True])
def test_without_iterations_items_know_their_price_alone(device, has_listeners):
    problem = small_problem(0)
    priced_problems = [
        PricedProblem(problem, inverse_temperature=b, price=2.0)
        for b in (1.0, math.inf)
    ]
    observers = [lambda progress: None] if has_listeners else []
    run = Run(device=device, observers=observers)
    for beliefs in propagate(priced_problems, max_iterations=0, run=run):
        assert beliefs.largest_change == math.inf
        np.testing.assert_allclose(beliefs.item_fields, -2.0 * problem.costs)


def test_parts_may_come_one_by_one_or_alone():
    priced_problems = [
        PricedProblem(random_problem(seed), price=1.0) for seed in range(3)
    ]
    listed = propagate(priced_problems)
    for beliefs, expected in zip(propagate(iter(priced_problems)), listed, strict=True):
        np.testing.assert_array_equal(beliefs.item_fields, expected.item_fields)
    (alone,) = propagate(priced_problems[0])
    np.testing.assert_array_equal(alone.item_fields, listed[0].item_fields)


@pytest.mark.parametrize("run", ["gpu", 2, Run])
def test_anything_but_a_run_is_refused(run):
    with refused(InputTypeError, "run", repr(run)):
        propagate([PricedProblem(random_problem(0), price=1.0)], run=run)
