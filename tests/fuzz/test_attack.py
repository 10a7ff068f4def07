"""The attack on proofs: its own arithmetic, and a few dozen cases."""

from dataclasses import replace
from fractions import Fraction
from math import fsum
from random import Random
from types import SimpleNamespace

import pytest
from cases import for_each
from fuzz import covers, plans, proofs
from fuzz.attack import calls, checks, drawing, problems
from fuzz.attack.failures import failure_of
from fuzz.attack.problems import Case
from fuzz.attack.shrinking import as_code, shrunk
from fuzz.attack.truth import Amounts, Truth

from thatch import Selection, Status

DRAWS = (calls.drawn_solve, calls.drawn_cover, calls.drawn_plan)
NUM_CASES = {proofs: 40, covers: 40, plans: 20}


def drawn(seed):
    return drawing.case(Random(seed), calls.drawn_solve)


def items_of(mask):
    return [i for i in range(problems.MAX_ITEMS) if mask >> i & 1]


@pytest.mark.parametrize("target", NUM_CASES, ids=lambda target: target.__name__)
def test_the_first_cases_do_not_fail(target, tmp_path):
    for number in range(NUM_CASES[target]):
        suffix, content = target.case(Random(f"test-{number}"))
        path = tmp_path / f"case{suffix}"
        path.write_bytes(content)
        failure = target.failure_of(path)
        assert failure is None, f"case {number}, {failure}"


@for_each("seed", range(20))
def test_the_enumeration_agrees_with_selections_one_by_one(seed):
    case = drawn(seed)
    problem, truth = case.problem(), Truth(case)
    for mask in Random(seed).sample(
        range(1 << len(case.sets)), min(40, 2 ** len(case.sets))
    ):
        selection = Selection(problem, items_of(mask))
        is_feasible = mask in truth.allowed_set and truth.is_within(mask, case.budget)
        assert is_feasible == selection.is_feasible
        exact = sum(map(Fraction, problem.weights[selection.covered].tolist()))
        assert truth.exact_value(truth.values[mask]) == exact
        assert truth.rounded_value(truth.values[mask]) == selection.value
        assert truth.costs.rounded(truth.costs.sums[mask]) == selection.cost


@for_each("seed", range(50))
def test_a_sum_is_within_a_limit_if_it_is_rounded_to_it(seed):
    rng = Random(seed)
    values = problems.numbers(rng, 5)
    amounts, limit = Amounts(values), problems.limit(rng, values)
    most = amounts.most_within(limit)
    assert amounts.rounded(most) <= limit < amounts.rounded(most + 1)
    for mask, amount in enumerate(amounts.sums):
        chosen = [values[i] for i in items_of(mask)]
        assert (fsum(chosen) <= limit) == (amount <= most)


def test_the_same_seed_draws_the_same_case():
    for draw in DRAWS:
        for seed in range(20):
            one, other = (drawing.case(Random(seed), draw) for _ in range(2))
            assert one == other == Case.of_bytes(one.to_bytes())


class Claiming:
    """Claims that choosing nothing is optimal."""

    def solve(self, problem, run):
        return run.result(Selection(problem, []), Status.OPTIMAL, upper_bound=1e-30)


@pytest.fixture
def claiming(monkeypatch):
    """A case about a solver with a wrong proof."""
    monkeypatch.setitem(calls.solvers(), "claiming", Claiming())
    monkeypatch.setattr(
        calls, "solve", lambda problem, solver, **_: solver.solve(problem, _Run())
    )
    case = drawn(0)
    return replace(
        case, constraints={}, call={"function": "solve", "solver": "claiming"}
    )


class _Run:
    def result(self, selection, status, *, upper_bound):
        return SimpleNamespace(
            selection=selection,
            status=status,
            upper_bound=upper_bound,
            gap=0.0,
            certificate=None,
        )


def test_a_wrong_proof_is_found_and_made_small(claiming):
    found = calls.faults(claiming)
    kinds = [fault.kind for fault in found]
    assert kinds == [
        "the upper bound is exceeded",
        "optimal, but something better is possible",
        "the result is not verified",
    ]
    smaller = shrunk(claiming, found[0])
    assert len(smaller.sets) == len(smaller.weights) == 1


def test_a_failure_is_printed_as_python_that_repeats_it(claiming, tmp_path):
    path = tmp_path / "case.json"
    path.write_bytes(claiming.to_bytes())
    failure = failure_of(path)
    first, *code = failure.splitlines()
    assert first.startswith("solve: the upper bound is exceeded: ")
    assert code[-1] == "result = solve(problem, solvers()['claiming'], num_threads=1)"


@for_each("seed", range(10))
def test_printed_problems_are_those_of_the_case(seed):
    """So is the call: only the function is another one here."""
    case = drawn(seed)
    names = {}
    code, _, call = as_code(case).rpartition("\n")
    exec(code, names)
    names["solve"] = lambda problem, *_given, **_settings: problem
    exec(call, names)
    assert names["result"] is names["problem"]
    problem, given = names["problem"], case.problem()
    assert problem.budget == given.budget
    assert problem.costs.tolist() == given.costs.tolist()
    assert problem.weights.tolist() == given.weights.tolist()
    assert str(problem) == str(given)


def test_a_call_without_end_is_a_fault(monkeypatch):
    def endless(*_arguments, **_settings):
        while True:
            pass

    monkeypatch.setattr(calls, "solve", endless)
    monkeypatch.setattr(calls, "MAX_SECONDS", 1)
    (fault,) = calls.faults(
        replace(drawn(0), call={"function": "solve", "solver": "auto"})
    )
    assert fault.kind == "no answer after 1 s"


def test_targets_of_covers_allow_for_decimals():
    truth = Truth(Case([[0, 1]], [1.0], [99.0, 1.0], 1.0, {}))
    assert checks.targets(truth, {"share": 0.07}).strict == 7
    assert checks.targets(truth, {"weight": 6.5}).strict == 7
    assert checks.targets(truth, {}).strict == 100
