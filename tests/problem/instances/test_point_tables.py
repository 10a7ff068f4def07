"""Tables of sites and demand points in CSV."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import CoverageProblem
from thatch.errors import FileFormatError, InputError
from thatch.problem.instances.point_problems import (
    PointSettings,
    distinct_names,
    problem_from_tables,
    sites_and_demand,
)
from thatch.problem.instances.point_tables import PointTable

SITES = "name,lon,lat,rent\nquay,8.54,47.37,3\nhill,8.60,47.40,2\n"
HOMES = "address,longitude,latitude,residents\nA,8.55,47.37,5\nB,8.61,47.40,7\n"


def table(text, name="points.csv"):
    return PointTable.of(text, name)


def problem_of(sites, demand, **settings):
    return problem_from_tables(table(sites), table(demand), PointSettings(**settings))


def test_two_tables_are_a_problem_of_points():
    problem = problem_of(SITES, HOMES, radius=1500)
    expected = CoverageProblem.from_points(
        [(8.54, 47.37), (8.60, 47.40)],
        [(8.55, 47.37), (8.61, 47.40)],
        radius=1500,
        metric="haversine",
        budget=0,
    )
    assert problem.item_names == ("quay", "hill")
    assert problem.element_names == ("A", "B")
    assert (problem.costs.tolist(), problem.weights.tolist()) == ([3, 2], [5, 7])
    assert problem.locations.metric == "haversine"
    for i in range(2):
        expected_elements = expected.edges.elements_of(i).tolist()
        assert problem.edges.elements_of(i).tolist() == expected_elements == [i]


@pytest.mark.parametrize(
    "text",
    [
        "name;x;y;cost\nquay;0,5;1;3\nhill;2;3,5;2\n",
        "\ufeffname\tx\ty\tcost\r\nquay\t0.5\t1\t3\r\nhill\t2\t3.5\t2\r\n",
        '\n"name", X, Y, Cost\n\n"quay", 0.5, 1, 3\n,,,\nhill,2,3.5,2',
        "quarter|easting|northing|price\nquay|0.5|1|3\nhill|2|3.5|2",
    ],
)
def test_separators_and_names_of_columns_are_recognized(text):
    problem = problem_of(text, text, radius=1)
    assert problem.item_names == ("quay", "hill")
    assert problem.costs.tolist() == [3, 2]
    assert problem.locations.items.tolist() == [[0.5, 1], [2, 3.5]]


def test_one_table_has_sites_and_demand():
    text = "kind,x,y,cost,people\nSite,0,0,2,\ndemand,1,0,,5\nboth,2,0,3,4\n"
    sites, demand = sites_and_demand(table(text))
    problem = problem_from_tables(sites, demand, PointSettings(radius=1))
    assert (problem.costs.tolist(), problem.weights.tolist()) == ([2, 3], [5, 4])
    assert sites.number_columns == ["cost", "people"][:1]
    same = table("type,x,y\nvillage,0,0\ntown,1,1\n")
    assert sites_and_demand(same) == (same, same)


def test_columns_of_costs_and_weights_can_be_chosen():
    text = "x,y,cost,staff\n0,0,3,9\n1,1,2,8\n"
    problem = problem_of(text, text, cost_column="staff", weight_column="cost")
    assert (problem.costs.tolist(), problem.weights.tolist()) == ([9, 8], [3, 2])
    assert problem.item_names is None
    problem = problem_of(text, text, cost_column="")
    assert problem.costs.tolist() == [1, 1]
    with refused(InputError, "cost_column", "price"):
        problem_of(text, text, cost_column="price")


@pytest.mark.parametrize(
    ("text", "line", "fact"),
    [
        ("name,x,y\na,1,2\nb,2\n", 3, "2 columns"),
        ("name,x,y,cost\na,1,2,-1\n", 2, "-1"),
        ("name,x,y,cost\na,1,2,3\nb,1,2,cheap\n", 3, "'cheap'"),
        ("name,x,y\na,1,2\n\nb,,2\n", 4, "x is empty"),
        ("name,x,y\na,1,nan\n", 2, "'nan'"),
        ("lon,lat\n8,91\n", 2, "between -90 and 90"),
        ('name,x,y\n"a\nb",1,z\n', 3, "'z'"),
        ("kind,x,y\nsite,1,2\nhouse,1,2\n", 3, "'house'"),
        ("kind,x,y\nsite,1,2\nsite,1,2\n", None, "demand"),
        ("name,x\na,1\n", None, "longitude and latitude, or x and y"),
        ("name,x,y\n", None, "no points"),
        ('name,x,y\na,1,2\n"b,1,2\nc,1,2\n', 3, "quote"),
        ('name;x;y\n"a\nb";1;2\nb;1;"3', 4, "quote"),
        ("", None, "no points"),
    ],
)
def test_an_error_names_the_file_and_the_line(text, line, fact):
    with refused(FileFormatError, "homes.csv", fact) as caught:
        problem_from_tables(*sites_and_demand(table(text, "homes.csv")))
    assert caught.value.line == line


def test_tables_must_have_the_same_kind_of_coordinates():
    with refused(InputError, "different kinds"):
        problem_of("x,y\n1,2\n", HOMES)


@given(st.lists(st.sampled_from(["", "a", "b", "a (2)", "row 1"])))
def test_names_become_distinct_and_first_ones_are_kept(names):
    found = distinct_names(names, "row {}".format)
    assert len(set(found)) == len(names)
    for k, name in enumerate(names):
        if name and name not in names[:k]:
            assert found[k].startswith(name)


def test_distances_are_those_of_the_metric_asked_for():
    text = "x,y,lon,lat\n0,0,0,0\n3,4,90,0\n"
    assert problem_of(text, text, radius=5, metric="euclidean").num_edges == 4
    far = np.pi / 2 * 6_371_008.8
    assert problem_of(text, text, radius=far + 1).num_edges == 4
    assert problem_of(text, text, radius=far - 1).num_edges == 2
