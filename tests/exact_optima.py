"""Optima in rational numbers, by trying every selection."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from thatch.problem.selection import Selection


def exact_optimum(problem):
    """The optimum as a rational number; None if no selection is feasible."""
    n = problem.num_items
    chosen = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    incidence = np.zeros((n, problem.num_elements), dtype=np.int64)
    for i in range(n):
        incidence[i, problem.edges.elements_of(i)] = 1
    constraints = problem.constraints
    demands = None if constraints is None else constraints.demands
    covered = chosen @ incidence >= (1 if demands is None else demands)
    exact = np.array([Fraction(each) for each in problem.weights.tolist()], object)
    values = [(sum(exact[row], Fraction(0)), k) for k, row in enumerate(covered)]
    for value, k in sorted(values, key=lambda pair: -pair[0]):
        if Selection(problem, np.flatnonzero(chosen[k])).is_feasible:
            return value
    return None


def just_below(value):
    """The largest double below a rational number."""
    found = float(value)
    while Fraction(found) >= value:
        found = math.nextafter(found, -math.inf)
    return found


def at_least(value):
    """The smallest double that is not below a rational number."""
    return math.nextafter(just_below(value), math.inf)
