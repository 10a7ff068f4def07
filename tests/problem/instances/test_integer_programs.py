"""Integer programs in files have the optimum of the problem, as HiGHS reads them."""

from __future__ import annotations

from itertools import chain, combinations

import highspy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import random_constraints
from refusals import refused

from thatch import Exact, solve
from thatch.errors import FileFormatError, InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances import (
    FileFormat,
    read_instance,
    write_instance,
    write_program,
)
from thatch.problem.instances.integer_program import (
    Row,
    Sense,
    coverage_program,
    partial_cover_program,
)
from thatch.problem.instances.toy import cheap_crumb, greedy_trap, path, star
from thatch.problem.selection import Selection

FORMATS = [FileFormat.MPS, FileFormat.LP]
amounts = st.integers(0, 9).map(float) | st.floats(0.01, 9.0)
quick = settings(
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def problems(draw):
    num_items, num_elements = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cells = [(i, a) for i in range(num_items) for a in range(num_elements)]
    return CoverageProblem.from_edges(
        draw(st.lists(st.sampled_from(cells), unique=True)),
        costs=draw(st.lists(amounts, min_size=num_items, max_size=num_items)),
        weights=draw(st.lists(amounts, min_size=num_elements, max_size=num_elements)),
        budget=draw(amounts),
    )


def optimum_in(target):
    """The objective of the best solution that HiGHS finds, and the columns in it."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("mip_rel_gap", 0.0)
    assert model.readModel(str(target)) == highspy.HighsStatus.kOk
    model.run()
    assert model.getModelStatus() in (
        highspy.HighsModelStatus.kOptimal,
        highspy.HighsModelStatus.kModelEmpty,
    )
    names = model.getLp().col_names_
    values = model.getSolution().col_value
    chosen = [name for name, value in zip(names, values, strict=True) if value > 0.5]
    return model.getInfo().objective_function_value, chosen


def is_infeasible(target):
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("presolve", "off")
    model.readModel(str(target))
    model.run()
    return model.getModelStatus() == highspy.HighsModelStatus.kInfeasible


def optimum_of(program, folder, form):
    target = folder / f"program{form.value}"
    write_program(program, target)
    return optimum_in(target)[0]


def least_cost(problem, share):
    """The least cost of a selection that covers the share, by enumeration."""
    items = range(problem.num_items)
    every = chain.from_iterable(
        combinations(items, size) for size in range(problem.num_items + 1)
    )
    selections = [Selection.of(problem, chosen) for chosen in every]
    target = share * selections[-1].value
    return min(each.cost for each in selections if each.value >= target - 1e-9)


@pytest.mark.parametrize("form", FORMATS)
@quick
@given(problem=problems())
def test_the_optimum_is_that_of_exact(tmp_path, form, problem):
    target = tmp_path / f"problem{form.value}"
    write_instance(problem, target)
    value = solve(problem, Exact()).selection.value
    assert optimum_in(target)[0] == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("form", FORMATS)
@quick
@given(problem=problems(), share=st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]))
def test_the_cover_program_has_the_least_cost(tmp_path, form, problem, share):
    program = partial_cover_program(problem, share)
    assert optimum_of(program, tmp_path, form) == pytest.approx(
        least_cost(problem, share), abs=1e-5
    )


@pytest.mark.parametrize("form", FORMATS)
def test_larger_problems_have_the_optimum_of_exact(tmp_path, form):
    rng = np.random.default_rng(5)
    problem = CoverageProblem.from_matrix(
        rng.random((40, 60)) < 0.1,
        costs=rng.integers(1, 20, 40),
        weights=rng.integers(1, 50, 60),
        budget=70,
    )
    target = tmp_path / f"problem{form.value}"
    write_instance(problem, target)
    assert optimum_in(target)[0] == solve(problem, Exact()).selection.value


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "problem",
    [
        CoverageProblem.from_edges([], costs=[], weights=[], budget=1),
        CoverageProblem.from_edges([], costs=[1, 0], weights=[], budget=1),
        CoverageProblem.from_edges([], costs=[], weights=[3], budget=0),
        CoverageProblem.from_edges([(0, 0)], costs=[0], weights=[0], budget=0),
    ],
    ids=["nothing", "no elements", "no items", "no costs or weights"],
)
def test_empty_problems_are_written_and_read(tmp_path, form, problem):
    assert optimum_of(coverage_program(problem), tmp_path, form) == 0
    for share in (0.5, 1.0):
        program = partial_cover_program(problem, share)
        assert optimum_of(program, tmp_path, form) == 0


@pytest.mark.parametrize("form", FORMATS)
def test_names_that_no_format_can_store_are_mapped(tmp_path, form):
    names = [
        "free",
        "a b",
        "a-b",
        "",
        "3e5",
        "End\n x >= 7",
        "Köln",
        "x" * 300,
    ]
    problem = CoverageProblem.from_sets(
        {name: [f"{name}:{name}"] for name in names}, budget=2
    )
    target = tmp_path / f"problem{form.value}"
    write_instance(problem, target)
    value, chosen = optimum_in(target)
    assert value == 2 and len([name for name in chosen if name[:5] == "item_"]) == 2
    program = coverage_program(problem)
    assert len(set(program.column_names)) == 2 * len(names)
    assert all(name.isascii() and name.isidentifier() for name in program.column_names)
    comments = target.read_bytes().decode().split("Maximize")[0].split("NAME")[0]
    mark = "*" if form is FileFormat.MPS else "\\"
    assert f'{mark} item_a_b_2: "a-b"\n' in comments
    assert f'{mark} item_K_ln: "Köln"\n' in comments
    assert all(line.startswith(mark) for line in comments.splitlines())
    assert "item_free:" not in comments


MPS_TEXT = """\
NAME thatch
OBJSENSE
    MAX
ROWS
 N objective
 L covers_a
 L covers_b
 L budget
COLUMNS
 marker 'MARKER' 'INTORG'
 item_crumb covers_a -1
 item_crumb budget 1
 item_loaf covers_b -1
 item_loaf budget 10
 marker 'MARKER' 'INTEND'
 element_a objective 2
 element_a covers_a 1
 element_b objective 10
 element_b covers_b 1
RHS
 rhs budget 10
BOUNDS
 BV bound item_crumb
 BV bound item_loaf
 UP bound element_a 1
 UP bound element_b 1
ENDATA
"""
COVER_LP_TEXT = """\
Minimize
 objective: item_bait + item_left + item_right
Subject To
 covers_a: item_left >= 1
 covers_b: item_bait + item_left >= 1
 covers_c: item_bait + item_right >= 1
 covers_d: item_right >= 1
Bounds
Binaries
 item_bait item_left item_right
End
"""


def test_the_mps_text_of_a_toy_is_exactly_this(tmp_path):
    write_instance(cheap_crumb().problem, tmp_path / "toy.mps")
    assert (tmp_path / "toy.mps").read_text() == MPS_TEXT


def test_the_lp_text_of_a_cover_is_exactly_this(tmp_path):
    program = partial_cover_program(greedy_trap().problem)
    write_program(program, tmp_path / "toy.LP")
    assert (tmp_path / "toy.LP").read_text() == COVER_LP_TEXT


def test_every_column_occurs_before_its_bounds(tmp_path):
    """SCIP refuses others."""
    problem = CoverageProblem.from_edges([(0, 0)], costs=[0, 0], weights=[1], budget=1)
    write_instance(problem, tmp_path / "toy.lp")
    lines = (tmp_path / "toy.lp").read_text().splitlines()
    assert lines[1] == " objective: 0 item_1 + element_0"


def test_long_sums_are_wrapped(tmp_path):
    write_instance(star(200).problem, tmp_path / "star.lp")
    lines = (tmp_path / "star.lp").read_text().splitlines()
    assert max(map(len, lines)) < 200
    assert optimum_in(tmp_path / "star.lp")[0] == 13


@pytest.mark.parametrize("form", FORMATS)
def test_rows_and_bounds_can_be_added(tmp_path, form):
    program = coverage_program(greedy_trap().problem)
    assert optimum_of(program, tmp_path, form) == 16
    required = program.with_bounds([0], lower=1.0)
    assert optimum_of(required, tmp_path, form) == 13
    forbidden = program.with_bounds([1], upper=0.0)
    assert optimum_of(forbidden, tmp_path, form) == 13
    conflict = Row("conflict", np.array([1, 2]), np.ones(2), Sense.AT_MOST, 1.0)
    assert optimum_of(program.with_rows([conflict]), tmp_path, form) == 13
    exactly = Row("exactly", np.arange(3), np.ones(3), Sense.EQUAL, 1.0)
    assert optimum_of(program.with_rows([exactly]), tmp_path, form) == 10
    group = Row("group", np.array([0, 1]), np.ones(2), Sense.AT_LEAST, 2.0)
    assert optimum_of(program.with_rows([group]), tmp_path, form) == 13


def every_selection(problem):
    """All selections that keep the constraints, whatever they cost."""
    items = range(problem.num_items)
    chosen = chain.from_iterable(
        combinations(items, size) for size in range(problem.num_items + 1)
    )
    free = problem.with_budget(float(problem.costs.sum()))
    found = [Selection.of(free, each) for each in chosen]
    return [each for each in found if each.is_feasible]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(40))
def test_constraints_are_rows_and_bounds(tmp_path, form, seed):
    rng = np.random.default_rng(seed)
    problem = CoverageProblem.from_matrix(
        rng.random((7, 9)) < 0.3,
        costs=rng.integers(0, 9, 7),
        weights=rng.integers(0, 9, 9),
        budget=int(rng.integers(0, 25)),
    )
    problem = problem.with_constraints(**random_constraints(seed, problem))
    feasible = every_selection(problem)
    within = [each.value for each in feasible if each.cost <= problem.budget]
    target = tmp_path / f"program{form.value}"
    write_instance(problem, target)
    if within:
        scale = max(1.0, max(within))
        assert optimum_in(target)[0] == pytest.approx(max(within), abs=1e-5 * scale)
    else:
        assert is_infeasible(target)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("share", [0.4, 0.8, 1.0])
def test_covers_keep_the_constraints(tmp_path, form, share):
    problem = CoverageProblem.from_sets(
        {"a": [0, 1], "b": [1, 2], "c": [2, 3], "d": [0, 3], "e": [0, 1, 2, 3]},
        costs=[2, 3, 2, 4, 1],
        weights=[1, 2, 3, 4],
        budget=1,
    ).with_constraints(
        forbidden=["e"],
        demands=[1, 2, 1, 1],
        groups={"west": ["a", "b"], "east": ["c", "d"]},
        at_least={"east": 1},
    )
    selections = every_selection(problem)
    target = share * max(each.value for each in selections)
    least = min(each.cost for each in selections if each.value >= target - 1e-9)
    program = partial_cover_program(problem, share)
    assert optimum_of(program, tmp_path, form) == least


def test_constraints_have_names(tmp_path):
    problem = greedy_trap().problem.with_constraints(
        groups={"odd one": ["bait", "left"]},
        at_most=1,
        budgets={"staff": ([1, 2, 3], 4)},
        conflicts=[("bait", "right")],
        prerequisites=[("left", "right")],
    )
    rows = {row.name: row for row in coverage_program(problem).rows[5:]}
    assert set(rows) == {
        *("budget_staff", "at_most_odd_one", "needs_left_right"),
        "conflict_bait_right",
    }
    assert rows["budget_staff"].coefficients.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "form",
    [
        form
        for form in FileFormat
        if form.value in {".npz", ".txt", ".dense", ".scp", ".rail"}
    ],
)
def test_other_formats_refuse_constraints(tmp_path, form):
    problem = path(4).problem.with_constraints(required=[1])
    with refused(InputError, "required items", form.value):
        write_instance(problem, tmp_path / f"toy{form.value}")


def test_two_rows_of_one_name_are_refused():
    row = Row("budget", np.array([0]), np.ones(1), Sense.AT_MOST, 1.0)
    with refused(InputError, "'budget'"):
        coverage_program(path(2).problem).with_rows([row])


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_a_share_outside_its_range_is_refused(share):
    with refused(InputError, "share", share):
        partial_cover_program(path(2).problem, share)


@pytest.mark.parametrize("form", FORMATS)
def test_programs_cannot_be_read(tmp_path, form):
    target = tmp_path / f"toy{form.value}"
    write_instance(path(2).problem, target)
    with refused(FileFormatError, form.value):
        read_instance(target, budget=1)


def test_a_program_needs_a_format_of_programs(tmp_path):
    program = coverage_program(path(2).problem)
    with refused(InputError, ".json"):
        write_program(program, tmp_path / "toy.json")
    with refused(InputError, "JSON"):
        write_program(program, tmp_path / "toy.lp", format=FileFormat.JSON)
