import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from problems import problems, random_problem
from refusals import refused

from thatch import CoverageProblem, InputError, Selection
from thatch.errors import InputTypeError
from thatch.problem.selection import Restriction


@given(problems(), st.randoms(use_true_random=False))
def test_value_cost_and_cover_are_those_of_the_union(problem, random):
    chosen = [i for i in range(problem.num_items) if random.random() < 0.5]
    selection = Selection.of(problem, chosen)
    assert selection.value == reference.value(problem, chosen)
    assert selection.is_feasible == (selection.cost <= problem.budget)
    covered = {int(a) for i in chosen for a in problem.edges.elements_of(i)}
    assert set(np.flatnonzero(selection.covered).tolist()) == covered


def test_contributions_are_what_would_be_lost():
    problem = random_problem(11)
    selection = Selection.of(problem, range(problem.num_items))
    for i, alone in zip(selection.items.tolist(), selection.contributions, strict=True):
        rest = [j for j in selection.items.tolist() if j != i]
        lost = selection.value - reference.value(problem, rest)
        assert alone == pytest.approx(lost, abs=1e-9 * selection.value)


@given(problems())
def test_without_redundant_items_as_much_is_covered_and_each_counts(problem):
    everything = Selection.of(problem, range(problem.num_items))
    lean = everything.without_redundant_items()
    assert lean.value == everything.value
    assert (lean.contributions > 0).all()


@given(problems(), st.integers(0, 10**6))
def test_items_that_demands_need_are_kept(problem, seed):
    demands = np.random.default_rng(seed).integers(1, 4, problem.num_elements)
    problem = problem.with_constraints(demands=demands)
    everything = Selection.of(problem, range(problem.num_items))
    lean = everything.without_redundant_items()
    assert lean.value == everything.value
    assert (lean.contributions > 0).all()


def test_order_of_the_items_does_not_matter():
    problem = CoverageProblem.from_matrix(np.eye(3), budget=1)
    one, other = Selection.of(problem, [2, 0, 1]), Selection.of(problem, [1, 2, 0])
    np.testing.assert_array_equal(one.items, other.items)
    assert len(one) == 3
    assert "3 items" in repr(one)


@pytest.mark.parametrize("make", [Selection, Selection.of])
def test_the_callers_array_is_neither_frozen_nor_shared(make):
    problem = CoverageProblem.from_matrix(np.eye(3), budget=3)
    items = np.array([0, 1])
    selection = make(problem, items)
    items[1] = 2
    assert selection.items.tolist() == [0, 1]
    for array in (selection.items, selection.contributions, selection.covered):
        assert not array.flags.writeable


def test_a_restriction_copies_what_it_is_given():
    problem = CoverageProblem.from_matrix(np.eye(3), budget=3)
    free, taken = np.array([1, 2]), np.array([0])
    restriction = Restriction.of(problem, free, taken)
    free[0], taken[0] = 0, 1
    assert restriction.items.tolist() == [1, 2]
    assert restriction.taken.tolist() == [0]


def test_a_list_of_indices_makes_a_selection_too():
    problem = CoverageProblem.from_matrix(np.eye(3), budget=3)
    assert Selection(problem, [0, 2]).value == 2.0
    with refused(InputTypeError, "float64"):
        Selection(problem, np.array([0.0, 2.0]))


def test_labels_are_names_where_there_are_any():
    problem = CoverageProblem.from_sets({"s": ["a"], "t": ["b"]}, budget=1)
    assert Selection.of(problem, [1]).labels == ["t"]
    assert Selection.of(random_problem(0), [0]).labels == [0]


@pytest.mark.parametrize("items", [[0, 0], [-1], [99]])
def test_impossible_items_are_refused(items):
    with refused(InputError, items[0]):
        Selection.of(random_problem(3), items)


@pytest.mark.parametrize("items", [[0.5], [True, False], [[0], [1]], ["a"]])
def test_items_of_the_wrong_kind_are_refused(items):
    with refused(InputTypeError, "items"):
        Selection.of(CoverageProblem.from_matrix(np.eye(2), budget=1), items)


def test_items_can_be_given_by_name():
    problem = CoverageProblem.from_sets({"s": ["a"], "t": ["b"]}, budget=1)
    assert Selection.of(problem, ["t"]).items.tolist() == [1]
    with refused(InputError, "'u'"):
        Selection.of(problem, ["u"])


def test_the_constructor_checks_too():
    with refused(InputError, 10**9):
        Selection(random_problem(0), np.array([10**9]))
    with refused(InputError, "items", 0):
        Selection(CoverageProblem.from_matrix(np.eye(2), budget=1), np.array([1, 0]))
