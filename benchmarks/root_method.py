"""The solver of team Root (PACE 2025), for `quality.py`; see `method_process.py`.

It searches until it receives SIGTERM, then prints its best cover. So it exceeds the
limit by the time that this takes, and has no values over time. It counts items: costs
other than 1 are left out.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
from method_process import Answer, Methods, Model, Task, answer_as


def root(task: Task) -> Answer:
    if (task.model.costs != 1).any():
        sys.exit("it does not support costs.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sets.hgr"
        with task.paused():
            write_sets(task.model, path)
        return Answer(printed_items(task, path))


def write_sets(model: Model, path: Path) -> None:
    """Write a hitting set of PACE: of each element, the items that cover it."""
    items, starts = (model.element_items + 1).tolist(), model.element_start.tolist()
    lines = [
        " ".join(map(str, items[first:end]))
        for first, end in pairwise(starts)
        if first < end
    ]
    header = f"p hs {model.num_items} {len(lines)}"
    path.write_text("\n".join([header, *lines, ""]), encoding="ascii")


def printed_items(task: Task, path: Path) -> np.ndarray:
    with (
        path.open("rb") as sets,
        subprocess.Popen(
            [str(task.program)], stdin=sets, stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        try:
            printed, _ = process.communicate(timeout=task.seconds_left)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            try:
                printed, _ = process.communicate(timeout=task.seconds + 20)
            except subprocess.TimeoutExpired:
                process.kill()
                sys.exit("it did not end when asked to.")
    # The number of items comes first.
    return np.array(printed.split()[1:], dtype=np.int64) - 1


METHODS: Methods = {"root": ("numpy", root)}


if __name__ == "__main__":
    answer_as(METHODS)
