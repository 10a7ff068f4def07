import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from thatch import CoverageProblem, InputError
from thatch.problem import reach

# Cities, as (longitude, latitude), and great-circle distances between them in
# kilometers that are published with about this precision.
BERLIN, PARIS, LONDON = (13.405, 52.52), (2.3522, 48.8566), (-0.1276, 51.5072)
BERLIN_PARIS, PARIS_LONDON = 877.5, 343.6


def edges_of(problem):
    edges = problem.edges
    return {
        (i, a) for i in range(problem.num_items) for a in edges.elements_of(i).tolist()
    }


def haversine(one, other):
    """Great-circle distance in meters, by the formula that gives it its name."""
    (lon, lat), (lon2, lat2) = np.radians(one), np.radians(other)
    half = np.sin((lat2 - lat) / 2) ** 2
    half += np.cos(lat) * np.cos(lat2) * np.sin((lon2 - lon) / 2) ** 2
    return 2 * reach.EARTH_RADIUS * np.arcsin(min(1.0, np.sqrt(half)))


def euclidean(one, other):
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


planar = st.tuples(
    *[st.one_of(st.integers(-5, 5), st.floats(-1e3, 1e3, allow_subnormal=False))] * 2
)
on_earth = st.tuples(st.floats(-180, 180), st.floats(-90, 90))


def check_against_all_pairs(sites, demand, radii, metric, distance):
    """Pairs that are clearly within or outside the radius are edges or not."""
    problem = CoverageProblem.from_points(
        sites, demand, radius=radii, metric=metric, budget=1
    )
    found = edges_of(problem)
    for i, site in enumerate(sites):
        for a, point in enumerate(demand):
            away, most = distance(site, point), radii[i]
            if away <= most * (1 - 1e-7) - 1e-6:
                assert (i, a) in found
            if away > most * (1 + 1e-7) + 1e-6:
                assert (i, a) not in found


@settings(deadline=None)
@given(st.data(), st.lists(planar, max_size=12), st.lists(planar, max_size=12))
def test_edges_are_those_of_all_pairs_in_the_plane(data, sites, demand):
    radii = data.draw(st.lists(st.floats(0, 1e3), min_size=len(sites)))[: len(sites)]
    check_against_all_pairs(sites, demand, radii, "euclidean", euclidean)


@settings(deadline=None)
@given(st.data(), st.lists(on_earth, max_size=12), st.lists(on_earth, max_size=12))
def test_edges_are_those_of_all_pairs_on_the_earth(data, sites, demand):
    radius = st.one_of(st.floats(0, 1e3), st.floats(0, 1.9e7))
    radii = data.draw(st.lists(radius, min_size=len(sites)))[: len(sites)]
    check_against_all_pairs(sites, demand, radii, "haversine", haversine)


@pytest.mark.parametrize("metric", ["euclidean", "haversine"])
def test_many_blocks_find_what_one_block_finds(monkeypatch, metric):
    rng = np.random.default_rng(3)
    sites, demand = rng.uniform(0, 1, (200, 2)), rng.uniform(0, 1, (300, 2))
    scale = 1.0 if metric == "euclidean" else 111_000.0
    radii = scale * rng.choice([0.01, 0.05, 0.1, 0.9], 200)

    def edges():
        problem = CoverageProblem.from_points(
            sites, demand, radius=radii, metric=metric, budget=1
        )
        return edges_of(problem)

    in_one = edges()
    monkeypatch.setattr(reach, "_SITES_PER_BLOCK", 7)
    monkeypatch.setattr(reach, "_PAIRS_PER_BLOCK", 50)
    assert edges() == in_one


def test_points_at_exactly_the_radius_are_covered():
    """Also where no double is the distance: 0.3 is not the sum of 0.1 and 0.2."""
    grid = [(0.1 * x, 0.1 * y) for x in range(-50, 51) for y in (0, 7)]
    for k in range(1, 40):
        problem = CoverageProblem.from_points(
            [(0.0, 0.0)], grid, radius=k / 10, metric="euclidean", budget=1
        )
        whole = [(x, y) for x in range(-50, 51) for y in (0, 7)]
        assert problem.num_edges == sum(x * x + y * y <= k * k for x, y in whole)


def test_far_coordinates_are_rounded_in_favor_of_reach():
    """Projected coordinates are millions of meters from their origin."""
    sites = [(500_000.1, 5_000_000.1)]
    demand = [(500_000.1 + 0.3, 5_000_000.1 + 0.4), (500_000.1, 5_000_000.7)]
    problem = CoverageProblem.from_points(
        sites, demand, radius=0.5, metric="euclidean", budget=1
    )
    assert edges_of(problem) == {(0, 0)}


@settings(deadline=None)
@given(on_earth, on_earth)
def test_the_distance_between_two_places_is_a_radius_that_reaches(site, point):
    problem = CoverageProblem.from_points(
        [site], [point], radius=haversine(site, point), metric="haversine", budget=1
    )
    assert problem.num_edges == 1


def test_nearly_half_the_circumference_does_not_reach_the_antipode():
    half = np.pi * reach.EARTH_RADIUS
    for short, num_edges in ((100.0, 0), (0.0, 1)):
        problem = CoverageProblem.from_points(
            [(10.0, 20.0)],
            [(-170.0, -20.0)],
            radius=half - short,
            metric="haversine",
            budget=1,
        )
        assert problem.num_edges == num_edges


def test_too_many_pairs_are_refused_before_they_are_found():
    points = np.zeros((50_000, 2))
    with refused(InputError, 50_000**2):
        CoverageProblem.from_points(
            points, points, radius=1, metric="euclidean", budget=1
        )


def test_radius_zero_covers_the_same_place_only():
    problem = CoverageProblem.from_points(
        [(180.0, 10.0), (5.0, 5.0)],
        [(-180.0, 10.0), (5.0, 5.0), (5.0, 5.000001)],
        radius=0,
        metric="haversine",
        budget=1,
    )
    assert edges_of(problem) == {(0, 0), (1, 1)}


def test_distances_on_the_earth_are_in_meters():
    cities = [BERLIN, PARIS, LONDON]
    for kilometers, edges in [
        (PARIS_LONDON - 1, {(1, 1)}),
        (PARIS_LONDON + 1, {(1, 1), (1, 2)}),
        (BERLIN_PARIS - 1, {(1, 1), (1, 2)}),
        (BERLIN_PARIS + 1, {(1, 0), (1, 1), (1, 2)}),
    ]:
        problem = CoverageProblem.from_points(
            cities, cities, radius=1000 * kilometers, metric="haversine", budget=1
        )
        assert {(i, a) for i, a in edges_of(problem) if i == 1} == edges


def test_half_the_circumference_reaches_everything():
    poles = [(0.0, 90.0), (0.0, -90.0), (77.0, 0.0), (-103.0, 0.0)]
    problem = CoverageProblem.from_points(
        poles, poles, radius=np.pi * reach.EARTH_RADIUS, metric="haversine", budget=1
    )
    assert problem.num_edges == 16
