"""The solvers of thatch, for `quality.py`; see `method_process.py`."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from method_process import Answer, Methods, Task, answer_as

from thatch import CoverageProblem, InputError, Progress, solve
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
        task.record(progress.value)

    # The other packages, too, get the arrays that they read.
    task.start_clock()
    try:
        result = solve(
            problem,
            solver_named(name),
            max_seconds=task.seconds,
            observers=[record],
            seed=task.seed,
            num_threads=task.threads,
        )
    except InputError as error:
        sys.exit(error.message)
    return Answer(result.selection.items, result.upper_bound)


METHODS: Methods = {name: ("thatch", partial(solved, name=name)) for name in BUILT_IN}


if __name__ == "__main__":
    answer_as(METHODS)
