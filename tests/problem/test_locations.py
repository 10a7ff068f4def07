from dataclasses import replace

import numpy as np
import pytest
from refusals import refused

from thatch import CoverageProblem, InputError
from thatch.problem.locations import Locations

PARIS, LONDON = (2.3522, 48.8566), (-0.1276, 51.5072)


def test_locations_stay_when_budget_or_costs_change():
    problem = CoverageProblem.from_points(
        [PARIS], [LONDON], radius=4e5, metric="haversine", budget=1
    )
    for other in (problem.with_budget(2), problem.with_costs([3]), replace(problem)):
        assert other.locations is problem.locations
    assert problem.restricted_to([0]).locations is None


def test_locations_must_be_those_of_the_problem():
    one = Locations(np.zeros((1, 2)), np.zeros((2, 2)), "euclidean")
    with refused(InputError, "location", "1", "2"):
        CoverageProblem.from_distances(np.ones((2, 2)), 1, budget=1, locations=one)
    with refused(InputError, "metric", "'plane'"):
        Locations(np.zeros((1, 2)), np.zeros((1, 2)), "plane")


def test_locations_without_a_system_have_no_degrees():
    locations = Locations(np.zeros((1, 2)), np.zeros((2, 2)), "euclidean")
    with refused(InputError, "coordinate reference system"):
        locations.in_degrees()
    places = Locations(np.array([PARIS]), np.array([LONDON]), "haversine")
    assert places.in_degrees().items.tolist() == [list(PARIS)]


def test_the_arrays_of_locations_cannot_be_changed():
    points = np.zeros((1, 2))
    locations = Locations(points, points, "euclidean", radii=np.ones(1))
    points[0, 0] = 1.0
    assert locations.items[0, 0] == 0.0
    for array in (locations.items, locations.elements, locations.radii):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
