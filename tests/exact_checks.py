"""The best selections of small problems, by trying all in exact arithmetic."""

from fractions import Fraction
from itertools import combinations
from math import inf, nextafter

from thatch.problem.selection import Selection


def all_selections(problem):
    """Every selection that keeps the budget and all constraints."""
    for size in range(problem.num_items + 1):
        for chosen in combinations(range(problem.num_items), size):
            selection = Selection.of(problem, list(chosen))
            if selection.is_feasible:
                yield selection


def exact_value(selection):
    """What a selection covers, without rounding."""
    weights = selection.problem.weights[selection.covered].tolist()
    return sum(map(Fraction, weights), Fraction(0))


def exact_optimum(problem):
    """The most that a selection covers; None if no selection is feasible."""
    return max(map(exact_value, all_selections(problem)), default=None)


def double_above(number):
    """The least double that is not less than a fraction."""
    found = float(number)
    return found if Fraction(found) >= number else nextafter(found, inf)
