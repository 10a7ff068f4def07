"""Problems as integer programs, for files that other solvers read.

One column per item, 1 if it is chosen; one per element, 1 if it counts as covered. The
constraints of the problem are rows and bounds of columns. More can be added::

    program = coverage_program(problem)
    program.with_rows([Row("staff", columns, coefficients, Sense.AT_MOST, 7)])
    program.with_bounds([3], lower=1.0)  # item 3 is required
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from thatch.arrays import Flags, Floats, Ints, exact_sum, frozen, number, sums_by
from thatch.errors import InputError
from thatch.problem import tolerances
from thatch.problem.constraint_rows import Row as ConstraintRow
from thatch.problem.constraint_rows import constraint_rows
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True, eq=False, slots=True)
class IntegerProgram:
    """A linear objective over columns, with rows and bounds.

    >>> from thatch.problem.instances import toy
    >>> program = coverage_program(toy.cheap_crumb().problem)
    >>> program.column_names
    ('item_crumb', 'item_loaf', 'element_a', 'element_b')
    >>> [row.name for row in program.rows]
    ['covers_a', 'covers_b', 'budget']
    """

    is_maximized: bool
    #: Unique, of ASCII letters, digits and underscores.
    column_names: tuple[str, ...]
    #: The names that the problem gives them.
    labels: tuple[str, ...]
    #: float64, one per column.
    objective: Floats
    #: bool, one per column: whether it must be an integer.
    is_integer: Flags
    #: float64, one per column: bounds of its value.
    lower: Floats
    upper: Floats
    rows: tuple[Row, ...]

    def with_rows(self, rows: Iterable[Row]) -> IntegerProgram:
        """Return the program with further rows.

        Raises
        ------
        InputError
            If the name of a row is taken.
        """
        every = (*self.rows, *rows)
        taken: set[str] = set()
        for row in every:
            if row.name in taken:
                raise InputError(
                    f"two rows are named {row.name!r}.", hint="Name one differently."
                )
            taken.add(row.name)
        return replace(self, rows=every)

    def with_bounds(
        self,
        columns: Ints | Sequence[int],
        *,
        lower: float | None = None,
        upper: float | None = None,
    ) -> IntegerProgram:
        """Return the program with other bounds of some columns.

        >>> from thatch.problem.instances import toy
        >>> program = coverage_program(toy.cheap_crumb().problem)
        >>> program.with_bounds([0], upper=0.0).upper
        array([0., 1., 1., 1.])
        """
        lowest, highest = self.lower.copy(), self.upper.copy()
        if lower is not None:
            lowest[columns] = lower
        if upper is not None:
            highest[columns] = upper
        return replace(self, lower=frozen(lowest), upper=frozen(highest))


def coverage_program(problem: CoverageProblem) -> IntegerProgram:
    """The program that maximizes the covered weight within the budget.

    Columns are the items, then the elements. Elements that one item covers need not be
    integers: with non-negative weights they are 0 or 1 in some optimum.
    """
    columns = np.flatnonzero(problem.costs)
    costs = problem.costs[columns]
    return _with_elements(
        problem,
        objective=np.concatenate([np.zeros(problem.num_items), problem.weights]),
        is_maximized=True,
        last_row=Row("budget", columns, costs, Sense.AT_MOST, problem.budget),
    )


def partial_cover_program(
    problem: CoverageProblem, share: float = 1.0
) -> IntegerProgram:
    """The program that minimizes the cost of covering a share of the weight.

    Parameters
    ----------
    problem
        The problem; its budget does not count.
    share
        Share of the weight that all items together cover, but for forbidden ones. With
        1, every such element of positive weight must be covered, and there are no
        element columns.

    >>> from thatch.problem.instances import toy
    >>> program = partial_cover_program(toy.path(3).problem)
    >>> [row.name for row in program.rows]
    ['covers_0', 'covers_1', 'covers_2', 'covers_3']
    >>> partial_cover_program(toy.path(3).problem, share=0.5).rows[-1].right_side
    2.0
    """
    if not 0 <= number("share", share) <= 1:
        raise InputError(
            f"share is {share}; it must be from 0 to 1.",
            hint="Pass 0.95 for 95 %, for example.",
        )
    is_coverable = _coverable(problem) & (problem.weights > 0)
    if share == 1:
        return _set_cover_program(problem, np.flatnonzero(is_coverable))
    columns = problem.num_items + np.flatnonzero(is_coverable)
    weights = problem.weights[is_coverable]
    target = share * exact_sum(weights)
    is_count = problem.has_integer_weights
    least = (
        float(np.ceil(target * (1 - tolerances.DECIMAL_SUMS))) if is_count else target
    )
    return _with_elements(
        problem,
        objective=np.concatenate([problem.costs, np.zeros(problem.num_elements)]),
        is_maximized=False,
        last_row=Row("target", columns, weights, Sense.AT_LEAST, least),
    )


def _set_cover_program(problem: CoverageProblem, elements: Ints) -> IntegerProgram:
    items = _labels(problem.num_items, problem.item_names)
    labels = _labels(problem.num_elements, problem.element_names)
    names = column_names("covers", [labels[a] for a in elements.tolist()])
    demands = demands_of(problem)
    rows = []
    for name, a in zip(names, elements.tolist(), strict=True):
        columns = problem.edges.items_of(a).astype(np.int64)
        least = float(demands[a])
        rows.append(Row(name, columns, np.ones(columns.size), Sense.AT_LEAST, least))
    lower, upper = item_bounds(problem)
    return IntegerProgram(
        is_maximized=False,
        column_names=column_names("item", items),
        labels=items,
        objective=problem.costs,
        is_integer=frozen(np.ones(problem.num_items, dtype=np.bool_)),
        lower=lower,
        upper=upper,
        rows=(*rows, *program_rows(problem)),
    )


def _with_elements(
    problem: CoverageProblem, *, objective: Floats, is_maximized: bool, last_row: Row
) -> IntegerProgram:
    """A program in which an element counts only if one of its items is chosen."""
    items = _labels(problem.num_items, problem.item_names)
    elements = _labels(problem.num_elements, problem.element_names)
    lower, upper = item_bounds(problem)
    is_item = np.ones(problem.num_items, dtype=np.bool_)
    return IntegerProgram(
        is_maximized=is_maximized,
        column_names=column_names("item", items) + column_names("element", elements),
        labels=items + elements,
        objective=frozen(objective),
        is_integer=frozen(np.append(is_item, demands_of(problem) > 1)),
        lower=frozen(np.append(lower, np.zeros(problem.num_elements))),
        upper=frozen(np.append(upper, np.ones(problem.num_elements))),
        rows=(*_covering_rows(problem, elements), last_row, *program_rows(problem)),
    )


def _coverable(problem: CoverageProblem) -> Flags:
    """Elements that enough items cover, which are not forbidden."""
    _, upper = item_bounds(problem)
    edges = problem.edges
    ends = np.repeat(np.arange(edges.num_elements), edges.element_degrees)
    counts = sums_by(ends, upper[edges.element_items], edges.num_elements)
    return counts >= demands_of(problem)


def _covering_rows(problem: CoverageProblem, labels: Sequence[str]) -> Iterable[Row]:
    demands = demands_of(problem)
    for a, name in enumerate(column_names("covers", labels)):
        items = problem.edges.items_of(a).astype(np.int64)
        columns = np.append(problem.num_items + a, items)
        coefficients = np.append(float(demands[a]), np.full(items.size, -1.0))
        yield Row(name, columns, coefficients, Sense.AT_MOST, 0.0)


def _labels(count: int, names: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(map(str, range(count))) if names is None else names


# Readers differ in what else they accept, and in how long names may be.
_OTHER = re.compile(r"[^A-Za-z0-9_]+")
_MAX_LENGTH = 60


def column_names(kind: str, labels: Iterable[str]) -> tuple[str, ...]:
    """Unique names of ASCII letters, digits and underscores.

    Parameters
    ----------
    kind
        What every name starts with.
    labels
        What the names are made from; they need not be unique.

    >>> column_names("item", ["Köln Süd", "a b", "a-b", "", "7"])
    ('item_K_ln_S_d', 'item_a_b', 'item_a_b_2', 'item', 'item_7')
    """
    taken: set[str] = set()
    last_number: dict[str, int] = {}
    names = []
    for label in labels:
        start = f"{kind}_{_OTHER.sub('_', label)}"[:_MAX_LENGTH].rstrip("_")
        name = start
        while name in taken:
            last_number[start] = last_number.get(start, 1) + 1
            name = f"{start}_{last_number[start]}"
        taken.add(name)
        names.append(name)
    return tuple(names)


# Bounds of columns say this without a row.
_AS_BOUNDS = {"required", "forbidden"}


def item_bounds(problem: CoverageProblem) -> tuple[Floats, Floats]:
    """Bounds of the item columns: required items are 1, forbidden ones 0.

    >>> problem = CoverageProblem.from_sets([{0}, {1}, {2}], budget=2)
    >>> item_bounds(problem.with_constraints(required=[0], forbidden=[2]))
    (array([1., 0., 0.]), array([1., 1., 0.]))
    """
    lower, upper = np.zeros(problem.num_items), np.ones(problem.num_items)
    if problem.constraints is not None:
        lower[problem.constraints.required] = 1.0
        upper[problem.constraints.forbidden] = 0.0
    return frozen(lower), frozen(upper)


def demands_of(problem: CoverageProblem) -> Ints:
    """How many chosen items must cover each element before it counts."""
    constraints = problem.constraints
    if constraints is None or constraints.demands is None:
        return np.ones(problem.num_elements, dtype=np.int64)
    return constraints.demands.astype(np.int64)


def program_rows(problem: CoverageProblem) -> list[Row]:
    """One row per constraint, but for required and forbidden items and demands.

    >>> problem = CoverageProblem.from_sets({"a": [0], "b": [1]}, budget=2)
    >>> (row,) = program_rows(problem.with_constraints(conflicts=[("a", "b")]))
    >>> row.name, row.columns, row.right_side
    ('conflict_a_b', array([0, 1]), 1.0)
    """
    by_kind: dict[str, list[ConstraintRow]] = {}
    for row in constraint_rows(problem):
        if row.kind not in _AS_BOUNDS:
            by_kind.setdefault(row.kind, []).append(row)
    return [
        _named(name, row)
        for kind, rows in by_kind.items()
        for name, row in zip(
            column_names(kind, [row.label for row in rows]), rows, strict=True
        )
    ]


def _named(name: str, row: ConstraintRow) -> Row:
    if row.kind == "at_least":
        return Row(name, row.items, -row.values, Sense.AT_LEAST, -row.most)
    return Row(name, row.items, row.values, Sense.AT_MOST, row.most)


class Sense(Enum):
    """How the left-hand side of a row compares with its right-hand side."""

    AT_MOST = "<="
    AT_LEAST = ">="
    EQUAL = "="


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """One constraint: a sum over columns, compared with a number.

    >>> import numpy as np
    >>> Row("staff", np.array([0, 2]), np.array([1.0, 3.0]), Sense.AT_MOST, 7.0).name
    'staff'
    """

    name: str
    #: int64: numbers of the columns, from 0, all different.
    columns: Ints
    #: float64: one coefficient per column in `columns`.
    coefficients: Floats
    sense: Sense
    right_side: float
