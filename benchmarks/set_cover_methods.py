"""OR-Tools set cover and AC-CFT, for `quality.py`; see `method_process.py`.

`set_cover_budget.py` describes how they are made to work with a budget.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from method_process import Answer, Methods, Task, answer_as
from set_cover_budget import Cover, within_budget

if TYPE_CHECKING:
    from ortools.set_cover.python.set_cover import SetCoverInvariant

# Iterations of guided local search at a time; it has no time limit.
GUIDED_ITERATIONS = 2_000
# Removals of random sets, each repaired greedily, between two guided searches.
REMOVALS = 10


def ortools_set_cover(task: Task) -> Answer:
    return answered(task, partial(ortools_cover, randomness=random.Random(task.seed)))


def ac_cft(task: Task) -> Answer:
    return answered(task, partial(cft_cover, program=task.program, seed=task.seed))


def answered(task: Task, cover: Cover) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        items = within_budget(task, cover, Path(folder) / "sets.txt")
    task.record(task.model.value_of(items))
    return Answer(items)


def cft_cover(
    path: Path, seconds: float, *, program: Path | None, seed: int
) -> np.ndarray:
    """Run AC-CFT; it may stop early, and checks the clock between its phases."""
    solution = path.with_suffix(".sol")
    options = {"i": path, "p": "RAIL", "t": seconds, "s": seed, "v": 0, "o": solution}
    command = [str(program)]
    for letter, value in options.items():
        command += [f"-{letter}", str(value)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    _, *chosen = solution.read_text().split()
    return np.array(chosen, dtype=np.int64)


def ortools_cover(
    path: Path, seconds: float, *, randomness: random.Random
) -> np.ndarray:
    """Greedy and steepest search, then random removals and guided local search."""
    from ortools.set_cover.python import set_cover

    began = time.perf_counter()
    model = set_cover.read_orlib_rail(str(path))
    model.create_sparse_row_view()
    state = set_cover.SetCoverInvariant(model)
    greedy = set_cover.GreedySolutionGenerator(state)
    steepest = set_cover.SteepestSearch(state)
    guided = set_cover.GuidedLocalSearch(state)
    greedy.next_solution()
    steepest.next_solution()
    guided.initialize()
    guided.set_max_iterations(GUIDED_ITERATIONS)
    best, best_cost = selected(state), state.cost()
    while time.perf_counter() - began < seconds:
        for _ in range(REMOVALS):
            most = max(2, len(best) // 4)
            set_cover.clear_random_subsets(randomness.randint(1, most), state)
            greedy.next_solution()
            steepest.next_solution()
            best, best_cost = kept(state, best, best_cost)
        guided.next_solution()
        best, best_cost = kept(state, best, best_cost)
    return np.array(sorted(best), dtype=np.int64)


def selected(state: SetCoverInvariant) -> set[int]:
    # The list of all sets, with a flag each, would take most of the time.
    return set(state.export_solution_as_proto().subset)


def kept(
    state: SetCoverInvariant, best: set[int], best_cost: float
) -> tuple[set[int], float]:
    """Keep a cover that costs no more than the best, or return to the best."""
    from ortools.set_cover.python.set_cover import consistency_level

    # The count of uncovered elements is not kept up to date by every search.
    if state.cost() <= best_cost and 0 not in state.coverage():
        return selected(state), state.cost()
    state.clear()
    for subset in best:
        state.select(subset, consistency_level.FREE_AND_UNCOVERED)
    return best, best_cost


METHODS: Methods = {
    "ortools-set-cover": ("ortools.set_cover.python.set_cover", ortools_set_cover),
    "ac-cft": ("numpy", ac_cft),
}


if __name__ == "__main__":
    answer_as(METHODS)
