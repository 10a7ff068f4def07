"""Two short programs in C++, for `quality.py`; see `method_process.py`.

They print a value and no items, and count processor time. Each is run with several
limits: its random numbers are the same, so that a shorter run is the beginning of a
longer one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from method_process import Answer, Methods, Model, Task, answer_as

# Shares of the time limit at which the value is measured; the last is the whole.
SHARES = (0.05, 0.2, 0.5, 1.0)


def plain_search(task: Task, *, needs_unit_costs: bool) -> Answer:
    model = task.model
    if needs_unit_costs and (model.costs != 1).any():
        sys.exit("it needs costs of 1.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.bin"
        write_binary(model, path)
        for share in SHARES:
            seconds = share * task.seconds
            command = [str(task.program), str(path), f"{seconds:g}", str(task.seed)]
            task.start_clock()
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)
            task.record(found["value"], seconds=min(seconds, found["t_best"]))
    return Answer(items=None, value=found["value"])


def write_binary(model: Model, path: Path) -> None:
    """Write counts, budget, items and elements of the edges, costs and weights."""
    degrees = np.diff(model.element_start)
    elements = np.repeat(np.arange(model.num_elements), degrees)
    sizes = [model.num_items, model.num_elements, elements.size]
    with path.open("wb") as file:
        np.array(sizes, dtype=np.int64).tofile(file)
        np.array([model.budget]).tofile(file)
        model.element_items.astype(np.int32).tofile(file)
        elements.astype(np.int32).tofile(file)
        model.costs.astype(np.float64).tofile(file)
        model.weights.astype(np.float64).tofile(file)


METHODS: Methods = {
    "iterated-local-search": ("numpy", partial(plain_search, needs_unit_costs=True)),
    "row-weighting": ("numpy", partial(plain_search, needs_unit_costs=False)),
}


if __name__ == "__main__":
    answer_as(METHODS)
