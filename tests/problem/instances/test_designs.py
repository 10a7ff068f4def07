from itertools import combinations

import pytest
from refusals import refused

from thatch import Exact, InputError, solve
from thatch.problem.instances.designs import projective_plane, steiner_triples


@pytest.mark.parametrize("order", [2, 3, 5, 13])
def test_two_lines_of_a_projective_plane_share_one_point(order):
    problem = projective_plane(order, budget=3)
    lines = [
        set(problem.edges.elements_of(i).tolist()) for i in range(problem.num_items)
    ]
    assert len(lines) == problem.num_elements == order**2 + order + 1
    assert {len(line) for line in lines} == {order + 1}
    assert {len(one & other) for one, other in combinations(lines, 2)} == {1}


def test_lines_through_one_point_cover_the_most():
    """They share one point, 1 + 3 x 5; in pairs they would share three, 18 - 3."""
    assert solve(projective_plane(5, budget=3), Exact()).selection.value == 16.0


@pytest.mark.parametrize("num_points", [7, 9, 13, 15, 19, 21, 27, 45, 81])
def test_two_points_are_together_in_one_triple(num_points):
    problem = steiner_triples(num_points, budget=3)
    pairs = [
        tuple(pair)
        for triple in range(problem.num_elements)
        for pair in combinations(sorted(problem.edges.items_of(triple).tolist()), 2)
    ]
    assert sorted(pairs) == list(combinations(range(num_points), 2))
    assert set(problem.edges.element_degrees.tolist()) == {3}


def test_three_points_of_a_line_hit_all_triples_of_the_fano_plane():
    problem = steiner_triples(7, budget=3)
    result = solve(problem)
    assert result.selection.value == problem.num_elements == 7


def test_stein27_needs_18_points():
    assert solve(steiner_triples(27, budget=17), Exact()).selection.value < 117
    assert solve(steiner_triples(27, budget=18), Exact()).selection.value == 117


@pytest.mark.parametrize("order", [0, 1, 4, 9, 2.5])
def test_an_order_that_is_no_prime_is_refused(order):
    with refused(InputError, "order", order):
        projective_plane(order, budget=3)


@pytest.mark.parametrize("num_points", [3, 8, 11, 29, 7.5])
def test_a_number_of_points_without_triple_system_is_refused(num_points):
    with refused(InputError, "num_points", num_points):
        steiner_triples(num_points, budget=3)
