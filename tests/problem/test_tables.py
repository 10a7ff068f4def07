import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from thatch import CoverageProblem, InputError, solve
from thatch.errors import InputTypeError

EDGES = {
    "site": ["north", "north", "south", "south", "west"],
    "town": ["Ayr", "Bly", "Bly", "Cor", "Dun"],
    "rent": [5.0, 5.0, 1.0, 1.0, 2.0],
    "people": [7, 1, 1, 2, 4],
}
PACKAGES = [pandas.DataFrame, polars.DataFrame, pyarrow.table]


def listed(package=pandas.DataFrame, **columns):
    return package(EDGES | columns)


def problem_of(frame, **settings):
    names = dict(item="site", element="town", cost="rent", weight="people", budget=3)
    return CoverageProblem.from_dataframe(frame, **names | settings)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_list_of_edges_keeps_labels_costs_and_weights(package):
    problem = problem_of(listed(package))
    assert problem.item_names == ("north", "south", "west")
    assert problem.element_names == ("Ayr", "Bly", "Cor", "Dun")
    assert problem.costs.tolist() == [5.0, 1.0, 2.0]
    assert problem.weights.tolist() == [7.0, 1.0, 2.0, 4.0]
    assert problem.edges.elements_of(1).tolist() == [1, 2]
    assert solve(problem).selection.labels == ["south", "west"]


def test_costs_and_weights_are_optional_or_by_label():
    plain = problem_of(listed(), cost=None, weight=None)
    assert plain.costs.tolist() == [1.0] * 3
    assert plain.weights.tolist() == [1.0] * 4
    given = problem_of(
        listed(),
        cost=pandas.Series({"west": 3, "south": 2, "north": 1}),
        weight={"Dun": 4, "Cor": 3, "Bly": 2, "Ayr": 1},
    )
    assert given.costs.tolist() == [1.0, 2.0, 3.0]
    assert given.weights.tolist() == [1.0, 2.0, 3.0, 4.0]


@settings(deadline=None)
@given(st.permutations(range(5)), st.sampled_from(PACKAGES))
def test_the_order_of_rows_changes_the_order_of_names_only(order, package):
    columns = {name: [values[k] for k in order] for name, values in EDGES.items()}
    problem = problem_of(package(columns))
    found = {
        (problem.item_names[i], problem.element_names[a])
        for i in range(problem.num_items)
        for a in problem.edges.elements_of(i)
    }
    assert found == set(zip(EDGES["site"], EDGES["town"], strict=True))
    assert solve(problem).selection.value == 7.0


@pytest.mark.parametrize("package", PACKAGES)
def test_integers_are_labels_in_their_order(package):
    frame = package({"item": [2, 0, 1], "element": [30, 10, 20]})
    problem = CoverageProblem.from_dataframe(
        frame, item="item", element="element", budget=1
    )
    assert problem.item_names is None
    assert problem.element_names == ("10", "20", "30")
    assert problem.edges.elements_of(2).tolist() == [2]


def test_contradicting_costs_and_weights_are_refused_with_their_rows():
    with refused(InputError, "'north'", "rent", "5.0", "6.0", "row 0", "row 1"):
        problem_of(listed(rent=[5, 6, 1, 1, 2]))
    with refused(InputError, "'Bly'", "people", "1.0", "9.0", "row 1", "row 2"):
        problem_of(listed(polars.DataFrame, people=[7, 1, 9, 2, 4]))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_repeated_edge_is_refused(package):
    with refused(InputError, "row 2", "'north'", "'Bly'"):
        problem_of(listed(package, site=["north"] * 3 + ["south", "west"]))


@pytest.mark.parametrize("package", PACKAGES)
def test_missing_labels_and_numbers_are_refused(package):
    with refused(InputError, "row 1", "item", "'site'"):
        problem_of(listed(package, site=["a", None, "b", "b", "c"]))
    with refused(InputError, "row 3", "element", "'town'"):
        problem_of(listed(package, town=[1.0, 2.0, 3.0, float("nan"), 4.0]))
    with refused(InputError, "row 4", "'rent'"):
        problem_of(listed(package, rent=[5, 5, 1, 1, None]))


def test_nullable_integers_without_labels_are_refused():
    frame = listed().assign(site=pandas.array([0, 0, 1, None, 2], dtype="Int64"))
    with refused(InputError, "row 3", "item"):
        problem_of(frame)


def test_columns_that_do_not_exist_are_refused_with_a_guess():
    with refused(InputError, "'towm'") as caught:
        problem_of(listed(), element="towm")
    assert "town" in caught.value.hint
    with refused(InputError, "'zzz'"):
        problem_of(listed(), cost="zzz")
    with refused(InputError, "item", "'town'"):
        problem_of(listed(), item=None)


def test_labels_are_strings_or_numbers_and_costs_are_numbers():
    with refused(InputTypeError, "row 0", "item"):
        problem_of(polars.DataFrame(EDGES | {"site": [[1]] * 5}))
    with refused(InputTypeError, "'rent'", "String"):
        problem_of(listed(rent=list("abcde")))


def test_negative_costs_are_refused_by_name():
    with refused(InputError, "'west'", "-2.0"):
        problem_of(listed(rent=[5.0, 5.0, 1.0, 1.0, -2.0]))


@pytest.mark.parametrize(
    "empty",
    [
        listed().iloc[:0],
        listed(polars.DataFrame).head(0),
        pandas.DataFrame(columns=list(EDGES)),
    ],
)
def test_an_empty_list_of_edges_is_a_problem_without_items(empty):
    problem = problem_of(empty)
    assert (problem.num_items, problem.num_elements) == (0, 0)
    assert solve(problem).selection.value == 0.0


@pytest.mark.parametrize("frame", [[(0, 1)], np.eye(2), pandas.Series([1]), None])
def test_other_objects_are_refused(frame):
    with refused(InputTypeError, "frame", type(frame).__name__):
        problem_of(frame)
    with refused(InputTypeError, "LazyFrame"):
        problem_of(listed(polars.DataFrame).lazy())


def matrix(package, **columns):
    return package(
        {"site": ["north", "south"], "Ayr": [2.5, 0.0], "Bly": [1.0, -3.0]} | columns
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_nonzero_entries_of_a_matrix_cover(package):
    problem = CoverageProblem.from_dataframe(
        matrix(package, rent=[4, 3]),
        item="site",
        cost="rent",
        weight={"Bly": 1, "Ayr": 5},
        budget=4,
    )
    assert problem.item_names == ("north", "south")
    assert problem.element_names == ("Ayr", "Bly")
    assert problem.costs.tolist() == [4.0, 3.0]
    assert problem.weights.tolist() == [5.0, 1.0]
    assert problem.edges.item_degrees.tolist() == [2, 1]


def test_the_rows_of_a_matrix_are_labeled_by_its_index_or_its_text():
    by_index = matrix(pandas.DataFrame).set_index("site")
    for frame in (by_index, matrix(polars.DataFrame), matrix(pyarrow.table)):
        problem = CoverageProblem.from_dataframe(frame, budget=1)
        assert problem.item_names == ("north", "south")
        assert problem.num_edges == 3
    with refused(InputTypeError, "'site'"):
        CoverageProblem.from_dataframe(matrix(pandas.DataFrame), budget=1)


def test_missing_entries_and_columns_of_weights_are_refused_in_a_matrix():
    with refused(InputError, "nan", "'south'", "'Bly'"):
        CoverageProblem.from_dataframe(
            matrix(polars.DataFrame, Bly=[1.0, None]), budget=1
        )
    with refused(InputError, "weight", "'Ayr'"):
        CoverageProblem.from_dataframe(matrix(polars.DataFrame), weight="Ayr", budget=1)
    with refused(InputError, "'south'"):
        frame = matrix(polars.DataFrame, site=["south", "south"])
        CoverageProblem.from_dataframe(frame, item="site", budget=1)


def test_an_empty_matrix_has_elements_and_no_items():
    frame = matrix(pandas.DataFrame).set_index("site").iloc[:0]
    problem = CoverageProblem.from_dataframe(frame, budget=1)
    assert (problem.num_items, problem.element_names) == (0, ("Ayr", "Bly"))


distances = st.one_of(st.integers(0, 9).map(float), st.just(np.inf), st.floats(0, 9))


@settings(deadline=None)
@given(st.data(), st.integers(1, 6), st.integers(1, 6), st.integers(0, 9))
def test_edges_are_the_distances_up_to_the_radius(data, rows, columns, radius):
    row = st.lists(distances, min_size=columns, max_size=columns)
    dense = np.array(data.draw(st.lists(row, min_size=rows, max_size=rows)))
    expected = [
        (i, a) for i in range(rows) for a in range(columns) if dense[i, a] <= radius
    ]
    frame = pandas.DataFrame(dense)
    # A sparse matrix with zeros in it, which are distances as well.
    stored = np.indices(dense.shape).reshape(2, -1)
    sparse = scipy.sparse.coo_array((dense.ravel(), stored), shape=dense.shape)
    for given_matrix in (dense, frame, sparse, sparse.tocsr(), dense.tolist()):
        problem = CoverageProblem.from_distances(given_matrix, radius, budget=1)
        found = [
            (i, a) for i in range(rows) for a in problem.edges.elements_of(i).tolist()
        ]
        assert found == expected


def test_distances_in_a_frame_keep_labels_and_align_values():
    minutes = pandas.DataFrame(
        [[5, 20], [30, 8]], index=["north", "south"], columns=["Ayr", "Bly"]
    )
    problem = CoverageProblem.from_distances(
        minutes,
        {"south": 8, "north": 4},
        costs={"south": 2, "north": 1},
        weights={"Bly": 5, "Ayr": 6},
        budget=2,
    )
    assert problem.item_names == ("north", "south")
    assert problem.costs.tolist() == [1.0, 2.0]
    assert problem.edges.item_degrees.tolist() == [0, 1]
    assert solve(problem).selection.labels == ["south"]


def test_what_is_not_stored_in_a_sparse_matrix_is_out_of_reach():
    problem = CoverageProblem.from_distances(
        scipy.sparse.csr_array([[0, 3], [5, 0]]), 4, budget=1
    )
    assert problem.num_edges == 1


@pytest.mark.parametrize("bad", [-1.0, np.nan])
@pytest.mark.parametrize(
    "package", [np.array, scipy.sparse.csr_array, pandas.DataFrame]
)
def test_distances_that_are_negative_or_missing_are_refused(bad, package):
    with refused(InputError, "row 1", "column", bad):
        CoverageProblem.from_distances(package([[1.0, 2.0], [3.0, bad]]), 1, budget=1)


@pytest.mark.parametrize("radius", [-1, np.nan, [1, 2, 3], "near"])
def test_the_radius_of_distances_is_checked(radius):
    with refused((InputError, InputTypeError), "radius"):
        CoverageProblem.from_distances(np.ones((2, 2)), radius, budget=1)


def test_distances_have_two_dimensions_and_are_numbers():
    with refused(InputError, "3 dimensions"):
        CoverageProblem.from_distances(np.ones((2, 2, 2)), 1, budget=1)
    with refused(InputTypeError, "matrix"):
        CoverageProblem.from_distances([["a"]], 1, budget=1)
