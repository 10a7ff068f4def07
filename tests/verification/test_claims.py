"""No certificate, right or wrong, lets a false claim pass."""

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from cases import for_each
from exact_optima import at_least, exact_optimum, just_below
from hypothesis import given
from hypothesis import strategies as st
from problems import random_constraints, random_problem

from thatch import CoverageProblem, solve
from thatch.problem.instances.designs import projective_plane
from thatch.run.certificates import Branch, Certificate, Prices, TryAll
from thatch.verification import reasons_against_bound, verify


def any_steps(rng, problem, depth=0):
    """Steps of every kind, with numbers that mean nothing."""
    n, total = problem.num_items, float(problem.weights.sum())
    steps = []
    for _ in range(rng.integers(0, 3)):
        if rng.random() < 0.6:
            steps.append({"price": int(rng.integers(2))})
        elif rng.random() < 0.3:
            steps.append({"take": rng.permutation(n)[:2].tolist()})
        elif rng.random() < 0.3 and problem.num_elements > 1:
            pairs = [rng.permutation(problem.num_elements)[:2].tolist()]
            steps.append({"imply": pairs})
        elif n > 1:
            pairs = [rng.permutation(n)[:2].tolist() for _ in range(2)]
            steps.append({"leave_out": pairs})
    last = rng.integers(5)
    if last == 0:
        order = rng.permutation(n).tolist()
        steps.append({"try": order, "at": int(rng.integers(2))})
    elif last == 1:
        steps.append({"combine": rng.random() * 2})
    elif last == 2:
        numbers = {
            "prices": problem.weights * rng.random(problem.num_elements),
            "d": rng.random(n) * total * rng.random(),
            "x": rng.random(n),
        }
        steps.append({"overlaps": {**numbers, "price": rng.random()}})
    elif last == 3 and depth < 3:
        without, with_item = (any_steps(rng, problem, depth + 1) for _ in range(2))
        item = int(rng.integers(n))
        steps.append({"branch": item, "without": without, "with": with_item})
    return steps


def any_certificate(rng, problem):
    share = np.array([1.0, rng.random()])
    scale = float(problem.weights.sum()) / max(float(problem.costs.sum()), 1e-9)
    points = [
        {
            "elements": problem.weights * each,
            "rows": rng.random(1 + len(problem.costs) % 3) * scale,
        }
        for each in share
    ]
    return {"points": points, "steps": any_steps(rng, problem)}


@for_each("seed", range(24))
def test_no_steps_prove_a_false_claim(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, max_items=7, max_elements=8)
    if seed % 2:
        problem = problem.with_constraints(**random_constraints(seed, problem))
    optimum = exact_optimum(problem)
    if optimum is None:
        return
    for _ in range(5):
        certificate = any_certificate(rng, problem)
        for claim in (just_below(optimum), 0.9 * float(optimum), -1.0):
            if Fraction(claim) < optimum:
                found = reasons_against_bound(problem, certificate, most_covered=claim)
                assert found, (claim, optimum, certificate)


@for_each("seed", range(40))
def test_trying_all_selections_decides_every_claim(seed):
    problem = random_problem(seed, max_items=7, max_elements=8)
    if seed % 2:
        problem = problem.with_constraints(**random_constraints(seed, problem))
    optimum = exact_optimum(problem)
    rng = np.random.default_rng(seed)
    order = rng.permutation(problem.num_items)
    prices = Prices(problem.weights * rng.random(problem.num_elements), np.zeros(0))
    trial = Certificate((TryAll(order, prices),))
    if optimum is None:
        assert not reasons_against_bound(problem, trial, most_covered=-1.0)
        return
    bound = at_least(optimum)
    assert not reasons_against_bound(problem, trial, most_covered=bound)
    assert reasons_against_bound(problem, trial, most_covered=just_below(optimum))


def test_branches_are_both_followed():
    problem = CoverageProblem.from_sets([{0}, {1}, {2}], budget=1)
    free = Prices(np.ones(3), np.array([1.0]))
    for without, with_item, is_proved in (
        ([free], [free], True),
        ([free], [], True),  # item 0 spends the budget
        ([], [free], False),
    ):
        certificate = Certificate((Branch(0, without, with_item),))
        found = reasons_against_bound(problem, certificate, most_covered=1.0)
        assert bool(found) is not is_proved


@pytest.mark.parametrize(
    "damage",
    [
        {},
        {"points": [], "steps": [{"price": 3}]},
        {"points": [{"elements": [1.0], "rows": []}], "steps": []},
        {"points": [{"elements": [math.nan] * 3, "rows": []}], "steps": [{"price": 0}]},
        {"points": [], "steps": [{"branch": 9, "without": [], "with": []}]},
        {"points": [], "steps": [{"leave_out": [[0, 7]]}]},
        {"points": [], "steps": [{"combine": "much"}]},
        {"points": [], "steps": ["price"]},
        {"points": [], "steps": [{"price": -1}]},
        [],
    ],
    ids=str,
)
def test_damaged_certificates_are_refused(damage):
    problem = CoverageProblem.from_sets([{0}, {1}, {2}], budget=1)
    (reason,) = reasons_against_bound(problem, damage, most_covered=1.0)
    assert reason.startswith("the certificate")


@pytest.mark.parametrize(
    "step",
    [
        {"leave_out": [[-1, 1]]},
        {"leave_out": [[0, 2]]},
        {"take": [-1]},
        {"take": [2]},
        {"imply": [[-1, 1]]},
        {"imply": [[0, 4]]},
        {"branch": -1, "without": [{"price": 0}], "with": [{"price": 0}]},
        {"branch": 2, "without": [{"price": 0}], "with": [{"price": 0}]},
        {"try": [0, 1, -1], "at": 0},
        {"price": 1},
        {"price": -1},
    ],
    ids=str,
)
def test_numbers_that_do_not_exist_are_refused(step):
    """Negative ones would count from the end: an item could replace itself."""
    problem = CoverageProblem.from_sets([{0}, {1, 2, 3}], budget=1)
    point = {"elements": [1.0] * 4, "rows": [0.0]}
    certificate = {"points": [point], "steps": [step, {"price": 0}]}
    (reason,) = reasons_against_bound(problem, certificate, most_covered=2.0)
    assert "do not exist" in reason


@pytest.mark.parametrize("items", [[-1], [3], [0, 0]], ids=str)
def test_selections_of_other_items_are_refused(items):
    problem = CoverageProblem.from_sets([{0}, {1}, {2}], budget=3)
    selection = SimpleNamespace(items=np.array(items), value=1.0)
    found = verify(problem, replace(solve(problem), selection=selection))
    assert found.reasons == ("the selection has items that do not exist",)


def test_what_takes_too_long_is_not_verified():
    problem = projective_plane(7, budget=5)
    found = verify(problem, solve(problem), max_seconds=-1.0)
    assert "takes longer than allowed" in str(found)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_changed_certificate_proves_nothing_false(seed, place):
    rng = np.random.default_rng(place)
    problem = random_problem(seed, max_items=9, max_elements=12)
    result = solve(problem, "exact")
    plain = result.certificate.as_dict()
    points = [
        {name: np.array(values) for name, values in each.items()}
        for each in plain["points"]
    ]
    for point in points:
        for values in point.values():
            if values.size:
                values[rng.integers(values.size)] *= rng.choice(
                    [-1.0, 0.0, 0.5, 2, 1e9]
                )
    optimum = exact_optimum(problem)
    if optimum:
        claim = just_below(optimum)
        changed = {"points": points, "steps": plain["steps"]}
        assert reasons_against_bound(problem, changed, most_covered=claim)


def test_a_result_is_verified_with_its_selection():
    problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
    result = solve(problem)
    assert str(verify(problem, result)) == "verified"
    other = problem.with_budget(1)
    refused = verify(other, result)
    assert refused.reasons == ("the selection exceeds the budget",)
    assert not refused
    stricter = problem.with_constraints(forbidden=[0])
    assert "does not keep all constraints" in str(verify(stricter, result))
