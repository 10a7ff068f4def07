"""The solvers of thatch, for `quality.py`; see `method_process.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from method_process import Answer, Methods, Task, answer_as

from thatch import CoverageProblem, InputError, Progress, cover, solve, verify
from thatch.solvers.registry import BUILT_IN, solver_named


def solved(task: Task, *, name: str) -> Answer:
    model = task.model
    degrees = np.diff(model.element_start)
    elements = np.repeat(np.arange(model.num_elements), degrees)
    problem = CoverageProblem.from_edges(
        np.column_stack([model.element_items, elements]),
        costs=model.costs,
        weights=model.weights,
        budget=model.budget,
    )

    def record(progress: Progress) -> None:
        value, bound = progress.value, progress.upper_bound
        task.record(bound if model.is_cover else value)
        task.record_bound(value if model.is_cover else bound)

    search: Callable[..., Any] = partial(solve, solver=solver_named(name))
    if model.is_cover:
        search = cover
    # The other packages, too, get the arrays that they read.
    task.start_clock()
    try:
        result = search(
            problem,
            max_seconds=task.seconds,
            observers=[record],
            seed=task.seed,
            num_threads=task.threads,
        )
    except InputError as error:
        sys.exit(error.message)
    bound = result.lower_bound if model.is_cover else result.upper_bound
    with task.paused():
        is_verified = verify(problem, result, max_seconds=task.seconds).holds
    return Answer(result.selection.items, bound, is_verified=is_verified)


METHODS: Methods = {name: ("thatch", partial(solved, name=name)) for name in BUILT_IN}


if __name__ == "__main__":
    answer_as(METHODS)
