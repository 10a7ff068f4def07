"""Elements in another order on a GPU: results are in their own order."""

import numpy as np
import pytest
from cases import for_each
from problems import random_problem

from thatch import PricedProblem, propagate, solve
from thatch.machine.devices import Device
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.bounds import dual_bound
from thatch.solvers.bounds.dual_descent import DualDescent

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def is_reordered(gpu, monkeypatch):
    from thatch._kernels import gpu as kernels

    monkeypatch.setattr(kernels, "_MIN_EDGES_TO_REORDER", 1)
    monkeypatch.setattr(kernels, "_EDGES_PER_REGION", 20)


@for_each("seed", range(20))
def test_beliefs_are_those_of_the_processor(seed):
    priced = PricedProblem(random_problem(seed), price=2.0)
    (expected,) = propagate([priced])
    (found,) = propagate([priced], precision="double", run=Run(device="gpu"))
    for name in ("item_marginals", "element_marginals", "element_fields"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-9
        )
    assert found.free_energy == pytest.approx(expected.free_energy, rel=1e-9)


@for_each("seed", range(20))
def test_multipliers_belong_to_their_elements(seed):
    problem = random_problem(seed)
    start = Selection.of(problem, [])
    bounds = []
    for device in (Device.CPU, Device.GPU):
        descent = DualDescent(problem, start, device=device)
        descent.iterate(100)
        bounds.append(dual_bound(problem, descent.multipliers))
    assert bounds[1] == pytest.approx(bounds[0], rel=1e-3)


@for_each("seed", range(5))
def test_a_selection_is_checked_in_its_own_order(seed):
    problem = random_problem(seed)
    result = solve(problem, "bp", device="gpu")
    assert result.selection.is_feasible
    assert result.selection.value <= result.upper_bound
