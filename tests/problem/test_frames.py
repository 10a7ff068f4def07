import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from refusals import refused

from thatch import CoverageProblem, InputError, solve
from thatch.errors import InputTypeError
from thatch.solvers.bounds import dual_bound

SITES = ["north", "south", "west"]
TOWNS = ["Ayr", "Bly", "Cor", "Dun"]
COVERAGE = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
COSTS = {"north": 5.0, "south": 1.0, "west": 2.0}
WEIGHTS = {"Ayr": 7.0, "Bly": 1.0, "Cor": 2.0, "Dun": 4.0}


def in_pandas():
    return pandas.DataFrame(COVERAGE, index=SITES, columns=TOWNS)


def in_polars():
    columns = dict(zip(TOWNS, COVERAGE.T.tolist(), strict=True))
    return polars.DataFrame({"site": SITES} | columns)


def in_pyarrow():
    return in_polars().to_arrow()


def reordered(values):
    """A pandas series of the same values, last label first."""
    return pandas.Series(dict(reversed(values.items())))


@pytest.mark.parametrize("frame", [in_pandas, in_polars, in_pyarrow])
@pytest.mark.parametrize("values", [reordered, dict])
def test_a_frame_keeps_its_labels_and_values_are_aligned_with_them(frame, values):
    problem = CoverageProblem.from_matrix(
        frame(), costs=values(COSTS), weights=values(WEIGHTS), budget=3
    )
    assert problem.item_names == tuple(SITES)
    assert problem.element_names == tuple(TOWNS)
    assert problem.costs.tolist() == list(COSTS.values())
    assert problem.weights.tolist() == list(WEIGHTS.values())
    assert solve(problem).selection.labels == ["south", "west"]


@pytest.mark.parametrize("package", [polars.DataFrame, pyarrow.table, pandas.DataFrame])
def test_values_may_come_as_a_column_of_labels_and_one_of_numbers(package):
    costs = package({"site": list(reversed(SITES)), "cost": [2.0, 1.0, 5.0]})
    problem = CoverageProblem.from_matrix(in_polars(), costs=costs, budget=3)
    assert problem.costs.tolist() == list(COSTS.values())


@pytest.mark.parametrize(
    "series",
    [polars.Series([5, 1, 2]), pyarrow.chunked_array([[5, 1, 2]]), np.array([5, 1, 2])],
)
def test_values_without_labels_are_taken_in_order(series):
    problem = CoverageProblem.from_matrix(in_pandas(), costs=series, budget=3)
    assert problem.costs.tolist() == [5.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "frame", [in_pandas(), COVERAGE, scipy.sparse.csr_array(COVERAGE)]
)
def test_a_label_that_is_missing_or_extra_is_refused(frame):
    costs = pandas.Series(COSTS).drop("west")
    named = {"item_names": SITES} if not isinstance(frame, pandas.DataFrame) else {}
    with refused(InputError, "costs", "'west'"):
        CoverageProblem.from_matrix(frame, costs=costs, budget=3, **named)
    extra = pandas.Series(COSTS | {"east": 1.0})
    with refused(InputError, "costs", "'east'"):
        CoverageProblem.from_matrix(frame, costs=extra, budget=3, **named)
    with refused(InputError, "weights", "'Dun'"):
        CoverageProblem.from_matrix(
            in_pandas(), weights=pandas.Series(WEIGHTS).iloc[:3], budget=3
        )


def test_labels_that_the_items_do_not_have_are_refused():
    with refused(InputError, "costs", "item 0"):
        CoverageProblem.from_matrix(COVERAGE, costs=pandas.Series(COSTS), budget=3)


def test_numbers_are_labels_too():
    costs = pandas.Series([2.0, 5.0, 1.0], index=[2, 0, 1])
    by_matrix = CoverageProblem.from_matrix(COVERAGE, costs=costs, budget=3)
    by_edges = CoverageProblem.from_edges(
        pandas.DataFrame(np.argwhere(COVERAGE)),
        costs=costs,
        weights=pandas.Series(range(4))[::-1],
        budget=3,
    )
    for problem in (by_matrix, by_edges):
        assert problem.costs.tolist() == [5.0, 1.0, 2.0]
        assert problem.item_names is None
    assert by_edges.weights.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert by_edges.num_edges == COVERAGE.sum()
    again = CoverageProblem(costs, by_edges.weights, 3.0, by_edges.edges)
    assert again.costs.tolist() == [5.0, 1.0, 2.0]


def test_sets_costs_and_weights_may_be_series():
    problem = CoverageProblem.from_sets(
        pandas.Series({"north": ["Ayr", "Bly"], "west": ["Dun"]}),
        costs=pandas.Series({"west": 2.0, "north": 5.0}),
        weights=reordered(WEIGHTS),
        budget=2,
    )
    assert problem.item_names == ("north", "west")
    assert problem.costs.tolist() == [5.0, 2.0]
    assert problem.weights[problem.element_names.index("Ayr")] == 7.0
    assert (
        CoverageProblem.from_sets(polars.Series([[0], [0, 1]]), budget=1).num_edges == 3
    )


def test_new_costs_and_multipliers_are_aligned_as_well():
    problem = CoverageProblem.from_matrix(in_pandas(), weights=WEIGHTS, budget=3)
    assert problem.with_costs(reordered(COSTS)).costs.tolist() == [5.0, 1.0, 2.0]
    halves = {town: weight / 2 for town, weight in WEIGHTS.items()}
    in_order = dual_bound(problem, list(halves.values()))
    assert dual_bound(problem, reordered(halves)) == in_order


def test_repeated_labels_are_refused():
    with refused(InputError, "costs", "'south'"):
        CoverageProblem.from_matrix(
            in_pandas(), costs=pandas.Series([1, 2, 3], index=["south"] * 3), budget=1
        )
    with refused(InputError, "matrix", "'x'"):
        CoverageProblem.from_matrix(
            pandas.DataFrame([[1], [0]], index=["x", "x"]), budget=1
        )


def test_repeated_columns_are_refused():
    twice = pandas.DataFrame([[1, 0]], columns=["x", "x"])
    with refused(InputError, "matrix", "'x'"):
        CoverageProblem.from_matrix(twice, budget=1)
    with refused(InputError, "costs", "'x'"):
        CoverageProblem.from_matrix([[1]], costs=twice, budget=1)


@pytest.mark.parametrize(
    "matrix",
    [
        [[0.0, 3.2], [3.2, 0.0]],
        scipy.sparse.csr_array([[0, 2], [1, 0]]),
        np.array([[1, -1]]),
        pandas.DataFrame({"a": [1.0, 0.5]}),
    ],
)
def test_a_matrix_that_is_not_of_zeros_and_ones_is_refused(matrix):
    with refused(InputError, "0 or 1"):
        CoverageProblem.from_matrix(matrix, budget=1)
    problem = CoverageProblem.from_matrix(matrix, budget=1, nonzero_covers=True)
    values = matrix.toarray() if scipy.sparse.issparse(matrix) else np.asarray(matrix)
    assert problem.num_edges == np.count_nonzero(values)


def test_the_refused_entry_is_named_by_its_labels():
    frame = in_pandas().astype(float)
    frame.loc["west", "Bly"] = np.nan
    with refused(InputError, "nan", "'west'", "'Bly'"):
        CoverageProblem.from_matrix(frame, budget=1, nonzero_covers=True)


def test_text_among_the_entries_is_refused():
    with refused(InputTypeError, "'kind'"):
        CoverageProblem.from_matrix(in_pandas().assign(kind="hill"), budget=1)
    with refused(InputTypeError, "'kind'"):
        CoverageProblem.from_matrix(
            in_polars().with_columns(kind=polars.lit("hill")), budget=1
        )


@pytest.mark.parametrize("names", [tuple, np.array, pandas.Index])
def test_names_may_be_any_sequence(names):
    problem = CoverageProblem.from_matrix(COVERAGE, item_names=names(SITES), budget=3)
    assert problem.item_names == tuple(SITES)


def test_names_that_contradict_the_labels_are_refused():
    for name, names in (("item_names", SITES), ("element_names", TOWNS)):
        same = CoverageProblem.from_matrix(in_pandas(), budget=1, **{name: names})
        assert getattr(same, name) == tuple(names)
        with refused(InputError, name):
            CoverageProblem.from_matrix(in_pandas(), budget=1, **{name: names[::-1]})


def test_columns_of_flags_and_of_integers_make_one_matrix():
    frame = pandas.DataFrame({"a": [True, False], "b": [0, 1], "c": [1.0, 0.0]})
    nullable = frame.astype({"a": "boolean", "b": "Int64"})
    for each in (frame, nullable, polars.from_pandas(frame)):
        assert CoverageProblem.from_matrix(each, budget=1).num_edges == 3
    nullable.loc[1, "a"] = pandas.NA
    with refused(InputError, "nan", "'a'"):
        CoverageProblem.from_matrix(nullable, budget=1)
    with refused(InputTypeError, "'day'"):
        days = pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01"])})
        CoverageProblem.from_matrix(days, budget=1)


def test_labels_that_were_numbers_are_still_labels():
    frame = pandas.DataFrame(np.eye(2), index=[10, 20])
    problem = CoverageProblem.from_matrix(frame, budget=1)
    assert problem.item_names == ("10", "20")
    costs = pandas.Series([7.0, 5.0], index=[20, 10])
    assert problem.with_costs(costs).costs.tolist() == [5.0, 7.0]
    with refused(InputError, "costs", "'10'"):
        problem.with_costs(pandas.Series([7.0, 5.0]))


def test_a_list_of_edges_needs_no_index():
    some = pandas.DataFrame({"item": [0, 1], "element": [1, 0]})
    edges = pandas.concat([some, some.assign(item=2)])
    problem = CoverageProblem.from_edges(
        edges, costs=[1, 1, 1], weights=[1, 1], budget=1
    )
    assert problem.num_edges == 4


def test_labels_are_strings_or_numbers():
    with refused(InputTypeError, "costs", "[1]"):
        costs = pandas.DataFrame({"site": [[1], [2]], "cost": [1, 2]})
        CoverageProblem.from_matrix(np.eye(2), costs=costs, budget=1)


def test_a_frame_of_costs_has_two_columns():
    with refused(InputError, "costs", "4 columns"):
        CoverageProblem.from_matrix(in_pandas(), costs=in_pandas(), budget=1)


def test_sets_are_not_a_frame():
    with refused(InputTypeError, "frame"):
        CoverageProblem.from_sets(in_pandas(), budget=1)
