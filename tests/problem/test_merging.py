"""Merged demand points, against the sets of sites that reach each point."""

from fractions import Fraction
from math import fsum

import numpy as np
import pytest

from thatch import CoverageProblem, InputError, solve
from thatch.problem import merging


def reached_by(problem):
    """The sites of each element."""
    edges = problem.edges
    bounds = zip(edges.element_start[:-1], edges.element_start[1:], strict=True)
    return [frozenset(edges.element_items[k:end].tolist()) for k, end in bounds]


def plane(rng, num_sites, num_points):
    """Sites and points, many of them at the same place or at the edge of a disc."""
    return rng.integers(0, 12, (num_sites, 2)), rng.integers(0, 12, (num_points, 2))


def earth(rng, num_sites, num_points):
    corner, size = np.array([-180.0, -90.0]), np.array([360.0, 180.0])
    return tuple(corner + size * rng.random((k, 2)) for k in (num_sites, num_points))


CASES = [(plane, "euclidean", 3.0), (earth, "haversine", 3e6)]


@pytest.mark.parametrize(("made", "metric", "radius"), CASES)
@pytest.mark.parametrize("points_per_cell", [1, 7, 2000])
def test_each_element_is_one_set_of_sites(
    made, metric, radius, points_per_cell, monkeypatch
):
    monkeypatch.setattr(merging, "_POINTS_PER_CELL", points_per_cell)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        sites, points = made(rng, 1 + seed, 40 * seed)
        given = {
            "radius": radius * (1 + rng.random(len(sites)).round()),
            "metric": metric,
            "weights": rng.random(len(points)),
            "budget": 2,
        }
        plain = CoverageProblem.from_points(sites, points, **given)
        merged = CoverageProblem.from_points(sites, points, **given, merge=True)
        sets, element_of = reached_by(plain), merged.locations.element_of
        found = reached_by(merged)
        assert [found[a] for a in element_of.tolist()] == sets
        # In the order of first points, and none twice.
        assert found == list(dict.fromkeys(sets))
        for a, weight in enumerate(merged.weights.tolist()):
            assert weight == fsum(plain.weights[element_of == a].tolist())


def test_integer_weights_keep_their_exact_sum():
    points = np.zeros((1000, 2))
    weights = np.full(1000, 2.0**43 - 1)
    problem = CoverageProblem.from_points(
        [(0, 0)], points, radius=1, metric="euclidean", weights=weights, merge=True
    )
    assert Fraction(problem.weights[0]) == 1000 * (2**43 - 1)


def test_merging_does_not_change_the_optimum():
    rng = np.random.default_rng(5)
    sites, points = rng.random((25, 2)), rng.random((400, 2))
    given = {"radius": 0.2, "metric": "euclidean", "budget": 5}
    plain, merged = (
        solve(CoverageProblem.from_points(sites, points, merge=merge, **given))
        for merge in (False, True)
    )
    assert plain.gap == merged.gap == 0.0
    assert plain.selection.value == merged.selection.value
    locations = merged.selection.problem.locations
    covered = merged.selection.covered[locations.element_of]
    assert covered.sum() == merged.selection.value


def test_an_element_is_where_its_first_point_is():
    points = [(9, 9), (1, 0), (0, 1), (8, 8)]
    problem = CoverageProblem.from_points(
        [(0, 0)], points, radius=2, metric="euclidean", merge=True
    )
    assert problem.locations.elements.tolist() == [[9, 9], [1, 0]]


def test_a_negative_weight_is_not_hidden_in_a_sum():
    with pytest.raises(InputError, match=r"weights\[1\] is -1"):
        CoverageProblem.from_points(
            [(0, 0)],
            [(0, 0), (0, 0)],
            radius=1,
            metric="euclidean",
            weights=[2, -1],
            merge=True,
        )


def test_merged_points_have_no_names():
    with pytest.raises(InputError, match="element_names"):
        CoverageProblem.from_points(
            [(0, 0)],
            [(0, 0)],
            radius=1,
            metric="euclidean",
            element_names=["home"],
            merge=True,
        )


@pytest.mark.parametrize("merge", [False, True])
def test_coordinates_whose_squares_are_infinite_are_refused(merge):
    places = {"metric": "euclidean", "merge": merge}
    with pytest.raises(InputError, match="coordinate"):
        CoverageProblem.from_points([(1e200, 0)], [(0, 0)], radius=1, **places)


@pytest.mark.parametrize("merge", [False, True])
def test_weights_that_add_up_to_infinity_are_refused(merge):
    with pytest.raises(InputError, match="sum of the weights"):
        CoverageProblem.from_points(
            [(0, 0)],
            [(0, 0), (0, 1)],
            weights=[1e308, 1e308],
            radius=5,
            metric="euclidean",
            merge=merge,
        )
