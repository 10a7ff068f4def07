import geopandas
import numpy as np
import pandas
import polars
import pytest
from refusals import refused
from shapely.geometry import LineString, Point

from thatch import CoverageProblem, InputError, solve
from thatch.errors import InputTypeError

PARIS, LONDON, BERLIN = (2.3522, 48.8566), (-0.1276, 51.5072), (13.405, 52.52)


def edges_of(problem):
    edges = problem.edges
    return {
        (i, a) for i in range(problem.num_items) for a in edges.elements_of(i).tolist()
    }


def frame_of(package, *columns):
    rows = [("north", *BERLIN, 3.0, 9e5), ("south", *PARIS, 2.0, 10.0)]
    names = ["site", *columns, "rent", "reach"]
    return package(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("package", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize(
    "columns", [("longitude", "latitude"), ("Lon", "LAT"), ("lng", "lat")]
)
def test_frames_name_their_coordinates_and_items(package, columns):
    frame = frame_of(package, *columns)
    problem = CoverageProblem.from_points(
        frame,
        [PARIS, LONDON],
        radius="reach",
        costs="rent",
        item_names="site",
        element_names=["Paris", "London"],
        budget=3,
    )
    assert problem.item_names == ("north", "south")
    assert problem.element_names == ("Paris", "London")
    assert problem.costs.tolist() == [3.0, 2.0]
    assert problem.locations.columns == ("longitude", "latitude")
    assert problem.locations.radii.tolist() == [9e5, 10.0]
    assert edges_of(problem) == {(0, 0), (1, 0)}


def test_labels_of_frames_are_names_and_values_are_aligned_with_them():
    sites = frame_of(pandas.DataFrame, "x", "y").set_index("site")
    demand = frame_of(polars.DataFrame, "x", "y")
    problem = CoverageProblem.from_points(
        sites,
        demand,
        radius={"south": 1, "north": 0},
        costs=pandas.Series({"south": 2.0, "north": 3.0}),
        weights={"south": 5.0, "north": 7.0},
        budget=3,
    )
    assert problem.item_names == problem.element_names == ("north", "south")
    assert problem.locations.radii.tolist() == [0.0, 1.0]
    assert problem.costs.tolist() == [3.0, 2.0]
    assert problem.weights.tolist() == [7.0, 5.0]
    assert problem.locations.metric == "euclidean"
    assert solve(problem, "greedy").selection.labels == ["north"]


def geo_frame(points, crs, **columns):
    return geopandas.GeoDataFrame(
        columns, geometry=[Point(point) for point in points], crs=crs
    )


def test_geopandas_frames_give_metric_labels_and_columns():
    sites = geo_frame([BERLIN, PARIS], 4326, rent=[1.0, 2.0]).set_axis(["B", "P"])
    demand = geo_frame([PARIS, LONDON], 4326, people=[5, 6])
    problem = CoverageProblem.from_points(
        sites, demand, radius=5e5, costs="rent", weights="people", budget=2
    )
    assert problem.item_names == ("B", "P")
    assert problem.element_names is None
    assert problem.weights.tolist() == [5.0, 6.0]
    assert problem.locations.crs == "EPSG:4326"
    assert edges_of(problem) == {(1, 0), (1, 1)}
    again = CoverageProblem.from_points(
        sites.geometry, demand.geometry, radius=5e5, budget=2
    )
    assert edges_of(again) == edges_of(problem)


def test_projected_frames_are_in_the_unit_of_their_system():
    sites, demand = (
        geo_frame(points, 4326).to_crs(25832) for points in ([PARIS], [PARIS, LONDON])
    )
    problem = CoverageProblem.from_points(sites, demand, radius=4e5, budget=1)
    assert problem.locations.metric == "euclidean"
    assert problem.num_edges == 2
    degrees = problem.locations.in_degrees()
    np.testing.assert_allclose(degrees.elements, [PARIS, LONDON], atol=1e-6)
    assert degrees.columns == ("longitude", "latitude")


def test_a_metric_is_needed_where_nothing_implies_one():
    with refused(InputError, "metric"):
        CoverageProblem.from_points([PARIS], [LONDON], radius=1, budget=1)
    with refused(InputError, "metric"):
        frame = geo_frame([PARIS], None)
        CoverageProblem.from_points(frame, frame, radius=1, budget=1)
    with refused(InputError, "metric", "'manhattan'"):
        CoverageProblem.from_points(
            [PARIS], [LONDON], radius=1, metric="manhattan", budget=1
        )


def test_contradicting_systems_are_refused():
    degrees = geo_frame([PARIS], 4326)
    meters = degrees.to_crs(25832)
    with refused(InputError, "EPSG:4326", "EPSG:25832"):
        CoverageProblem.from_points(degrees, meters, radius=1, budget=1)
    with refused(InputError, "haversine", "euclidean"):
        CoverageProblem.from_points(
            degrees, degrees, radius=1, metric="euclidean", budget=1
        )
    with refused(InputError, "haversine", "euclidean"):
        CoverageProblem.from_points(
            meters, meters, radius=1, metric="haversine", budget=1
        )
    with refused(InputError, "sites", "haversine", "demand", "euclidean"):
        CoverageProblem.from_points(
            frame_of(pandas.DataFrame, "lon", "lat"),
            frame_of(pandas.DataFrame, "x", "y"),
            radius=1,
            budget=1,
        )


def test_frames_with_other_columns_are_refused():
    with refused(InputError, "sites", "easting", "x and y"):
        frame = frame_of(pandas.DataFrame, "easting", "northing")
        CoverageProblem.from_points(frame, frame, radius=1, budget=1)
    both = frame_of(pandas.DataFrame, "lon", "lat").assign(x=1.0, y=2.0)
    with refused(InputError, "sites", "longitude", "x and y"):
        CoverageProblem.from_points(both, both, radius=1, budget=1)
    problem = CoverageProblem.from_points(
        both, both, radius=1, metric="euclidean", budget=1
    )
    assert problem.num_edges == 4


def test_a_column_that_does_not_exist_is_refused():
    frame = frame_of(pandas.DataFrame, "x", "y")
    with refused(InputError, "sites", "'rnt'"):
        CoverageProblem.from_points(frame, frame, radius=1, costs="rnt", budget=1)
    with refused(InputError, "demand", "'people'"):
        CoverageProblem.from_points(
            frame, [PARIS], radius=1, weights="people", budget=1
        )
    with refused(InputError, "names", "'site'", "sites"):
        CoverageProblem.from_points(
            [PARIS], frame, radius=1, item_names="site", budget=1
        )


def test_geometries_other_than_points_are_refused():
    line = LineString([PARIS, LONDON])
    for odd, facts in ((line, ["LineString"]), (Point(), ["empty"]), (None, ["empty"])):
        frame = geopandas.GeoDataFrame(
            geometry=[Point(PARIS), odd], crs=4326, index=["a", "b"]
        )
        with refused(InputError, "sites", "'b'", *facts):
            CoverageProblem.from_points(frame, [PARIS], radius=1, budget=1)


@pytest.mark.parametrize(
    ("points", "facts"),
    [
        ([(0.0, np.nan)], ["latitude", "sites[0]", "nan"]),
        ([(0, 0), (np.inf, 0)], ["longitude", "sites[1]", "inf"]),
        ([(47.0, 120.0)], ["latitude", "120.0"]),
        ([(-181.0, 0.0)], ["longitude", "-181.0"]),
        ([(1, 2, 3)], ["sites"]),
        ([1, 2, 3], ["sites"]),
    ],
)
def test_coordinates_out_of_range_are_refused(points, facts):
    with refused(InputError, *facts):
        CoverageProblem.from_points(
            points, [PARIS], radius=1, metric="haversine", budget=1
        )


def test_a_missing_coordinate_in_a_frame_is_named_by_its_label():
    sites = pandas.DataFrame(
        {"lat": [1.0, np.nan], "lon": [1.0, 2.0]}, index=["a", "b"]
    )
    with refused(InputError, "latitude", "'b'"):
        CoverageProblem.from_points(sites, [PARIS], radius=1, budget=1)
    with refused(InputError, "latitude", "nan"):
        CoverageProblem.from_points(
            polars.from_pandas(sites), [PARIS], radius=1, budget=1
        )


def test_coordinates_are_numbers():
    with refused(InputTypeError, "demand"):
        CoverageProblem.from_points(
            [PARIS], [("2.1", "48.0")], radius=1, metric="haversine", budget=1
        )


@pytest.mark.parametrize("radius", [-1.0, np.nan, np.inf, [1.0, -1.0]])
def test_a_radius_is_finite_and_not_negative(radius):
    with refused(InputError, "radius"):
        CoverageProblem.from_points(
            [PARIS, LONDON], [PARIS], radius=radius, metric="haversine", budget=1
        )


def test_there_is_one_radius_per_site():
    with refused(InputError, "3", "2"):
        CoverageProblem.from_points(
            [PARIS, LONDON], [PARIS], radius=[1, 2, 3], metric="haversine", budget=1
        )


def test_no_points_make_a_problem_without_edges():
    for sites, demand in (([], [PARIS]), ([PARIS], []), ([], [])):
        problem = CoverageProblem.from_points(
            sites, demand, radius=1, metric="haversine", budget=1
        )
        assert (problem.num_items, problem.num_elements) == (len(sites), len(demand))
        assert problem.num_edges == 0
    empty = frame_of(pandas.DataFrame, "x", "y").iloc[:0]
    assert CoverageProblem.from_points(empty, empty, radius=1, budget=1).num_items == 0


def test_names_replace_labels_that_are_repeated():
    sites = frame_of(polars.DataFrame, "x", "y").with_columns(site=polars.lit("school"))
    with refused(InputError, "sites", "'school'"):
        CoverageProblem.from_points(sites, sites, radius=1, budget=1)
    names = dict(item_names=["a", "b"], element_names=["c", "d"])
    problem = CoverageProblem.from_points(sites, sites, radius=1, budget=1, **names)
    assert problem.item_names == ("a", "b")
    with refused(InputError, "3", "2"):
        names["item_names"] = ["a", "b", "c"]
        CoverageProblem.from_points(sites, sites, radius=1, budget=1, **names)


def test_a_plain_frame_may_have_columns_of_any_name():
    frame = frame_of(pandas.DataFrame, "x", "y").assign(crs=1, geometry=2)
    problem = CoverageProblem.from_points(frame, frame, radius=1, budget=1)
    assert problem.num_edges == 2


def test_a_series_of_pairs_is_a_list_of_points():
    for series in (pandas.Series([PARIS, LONDON]), polars.Series([PARIS, LONDON])):
        problem = CoverageProblem.from_points(
            series, series, radius=1, metric="haversine", budget=1
        )
        assert problem.num_edges == 2


def test_repeated_labels_are_refused_and_repeated_points_are_not():
    sites = frame_of(pandas.DataFrame, "x", "y").set_axis(["a", "a"])
    with refused(InputError, "sites", "'a'"):
        CoverageProblem.from_points(sites, sites, radius=1, budget=1)
    problem = CoverageProblem.from_points(
        [(0, 0), (0, 0)], [(0, 0)] * 3, radius=0, metric="euclidean", budget=1
    )
    assert problem.num_edges == 6
