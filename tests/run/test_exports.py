import json
import sys

import geopandas
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from problems import problems
from refusals import refused
from shapely.geometry import Point

from thatch import CoverageProblem, InputError, Run, Selection, Status, solve
from thatch.errors import MissingExtraError

PARIS, LONDON, BERLIN = (2.3522, 48.8566), (-0.1276, 51.5072), (13.405, 52.52)
FRAMES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame}


def result_of(problem, items):
    return Run().result(Selection.of(problem, items), Status.FINISHED)


def towns():
    return CoverageProblem.from_sets(
        {"north": ["Ayr", "Bly"], "south": ["Bly", "Cor"], "west": ["Dun"]},
        costs={"north": 2, "south": 3, "west": 4},
        weights={"Ayr": 5, "Bly": 7, "Cor": 1, "Dun": 2},
        budget=9,
    )


@pytest.mark.parametrize("package", FRAMES)
def test_a_row_per_chosen_item_with_its_label(package):
    frame = result_of(towns(), [0, 1]).to_frame(package)
    assert isinstance(frame, FRAMES[package])
    assert list(frame.columns) == ["item", "cost", "covers", "covers_alone"]
    assert frame["item"].to_list() == ["north", "south"]
    assert frame["cost"].to_list() == [2.0, 3.0]
    assert frame["covers"].to_list() == [12.0, 8.0]
    assert frame["covers_alone"].to_list() == [5.0, 1.0]


@pytest.mark.parametrize("package", FRAMES)
def test_a_row_per_element_with_its_label(package):
    frame = result_of(towns(), [0, 1]).elements_frame(package)
    assert list(frame.columns) == ["element", "weight", "cover_count"]
    assert frame["element"].to_list() == ["Ayr", "Bly", "Cor", "Dun"]
    assert frame["weight"].to_list() == [5.0, 7.0, 1.0, 2.0]
    assert frame["cover_count"].to_list() == [1, 2, 1, 0]


@given(problems())
def test_frames_add_up_to_the_selection(problem):
    result = solve(problem, "greedy")
    chosen, elements = result.to_frame(), result.elements_frame()
    assert chosen["item"].to_list() == result.selection.items.tolist()
    assert elements["element"].to_list() == list(range(problem.num_elements))
    is_covered = elements["cover_count"] > 0
    np.testing.assert_allclose(
        elements["weight"][is_covered].sum(), result.selection.value
    )
    for row, i in enumerate(result.selection.items):
        covered = problem.edges.elements_of(i)
        alone = [a for a in covered if elements["cover_count"][a] == 1]
        np.testing.assert_allclose(
            chosen["covers"][row], problem.weights[covered].sum()
        )
        np.testing.assert_allclose(
            chosen["covers_alone"][row], problem.weights[alone].sum()
        )


def test_frames_can_be_changed():
    result = result_of(towns(), [0, 1])
    frame = result.to_frame("pandas")
    frame.loc[0, "cost"] = 99.0
    assert result.selection.cost == 5.0
    table = result.elements_frame("pyarrow")
    assert isinstance(table, pyarrow.Table)
    assert table.num_rows == 4


def test_without_pandas_the_next_package_is_used(monkeypatch):
    result = result_of(towns(), [0])
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(result.to_frame(), polars.DataFrame)
    with refused(MissingExtraError, "pandas"):
        result.to_frame("pandas")
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refused(MissingExtraError, "pandas"):
        result.to_frame()
    with refused(InputError, "package", "'numpy'"):
        result.to_frame("numpy")


def cities():
    return CoverageProblem.from_points(
        [PARIS, BERLIN],
        [PARIS, LONDON, BERLIN],
        metric="haversine",
        radius=4e5,
        weights=[1, 2, 3],
        item_names=["Paris", "Berlin"],
        budget=1,
    )


def test_frames_have_coordinates_where_the_problem_has_locations():
    result = result_of(cities(), [1])
    chosen, elements = result.to_frame(), result.elements_frame()
    assert list(chosen.columns[:3]) == ["item", "longitude", "latitude"]
    assert chosen[["longitude", "latitude"]].to_numpy().tolist() == [list(BERLIN)]
    assert elements["latitude"].to_list() == [PARIS[1], LONDON[1], BERLIN[1]]


def test_chosen_items_are_points_of_geojson():
    collection = solve(cities()).to_geojson()
    assert json.loads(json.dumps(collection)) == collection
    (site,) = collection["features"]
    assert collection["type"] == "FeatureCollection"
    assert site["geometry"] == {"type": "Point", "coordinates": list(PARIS)}
    assert site["properties"] == {
        "kind": "item",
        "item": "Paris",
        "cost": 1.0,
        "covers": 3.0,
        "covers_alone": 3.0,
    }


def test_elements_are_added_with_what_covers_them():
    collection = solve(cities()).to_geojson(include_elements=True)
    assert json.loads(json.dumps(collection, allow_nan=False)) == collection
    _, *elements = collection["features"]
    properties = [each["properties"] for each in elements]
    assert [each["element"] for each in properties] == [0, 1, 2]
    assert [each["covered"] for each in properties] == [True, True, False]
    assert [each["cover_count"] for each in properties] == [1, 1, 0]
    assert elements[1]["geometry"]["coordinates"] == list(LONDON)


def test_geopandas_reads_the_geojson():
    frame = geopandas.GeoDataFrame.from_features(
        solve(cities()).to_geojson(include_elements=True), crs=4326
    )
    assert frame.geometry.iloc[0] == Point(PARIS)
    assert frame["covered"].tolist()[1:] == [True, True, False]


def test_projected_coordinates_are_converted():
    sites = geopandas.GeoDataFrame(geometry=[Point(PARIS)], crs=4326).to_crs(2154)
    problem = CoverageProblem.from_points(sites, sites, radius=1, budget=1)
    (site,) = solve(problem).to_geojson()["features"]
    np.testing.assert_allclose(site["geometry"]["coordinates"], PARIS, atol=1e-7)


def test_longitudes_are_those_of_geojson():
    problem = CoverageProblem.from_points(
        [(190.0, 0.0)], [(-170.0, 0.0)], radius=1, metric="haversine", budget=1
    )
    (site,) = solve(problem).to_geojson()["features"]
    assert site["geometry"]["coordinates"] == [-170.0, 0.0]


def test_geojson_needs_locations_on_the_earth():
    with refused(InputError, "locations"):
        solve(towns()).to_geojson()
    plane = CoverageProblem.from_points(
        [(0, 0)], [(1, 0)], radius=1, metric="euclidean", budget=1
    )
    with refused(InputError, "coordinate reference system"):
        solve(plane).to_geojson()


def test_conversion_needs_pyproj(monkeypatch):
    sites = geopandas.GeoDataFrame(geometry=[Point(PARIS)], crs=4326).to_crs(2154)
    result = solve(CoverageProblem.from_points(sites, sites, radius=1, budget=1))
    monkeypatch.setitem(sys.modules, "pyproj", None)
    with refused(MissingExtraError, "pyproj"):
        result.to_geojson()


def test_an_empty_selection_has_no_rows():
    result = result_of(cities(), [])
    assert len(result.to_frame()) == 0
    assert result.to_geojson()["features"] == []
