"""Progress of a run, and how a trace is saved."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from math import inf, nan
from pathlib import Path

from thatch.files.atomic_writes import atomic_write


@dataclass(frozen=True)
class Progress:
    """The state of a run after an iteration; NaN and infinity mean "not known".

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem).trace[0].step
    'exhaustive'
    """

    #: Counts from 1.
    iteration: int
    #: Since the run began.
    seconds: float
    #: The most weight covered within the budget so far.
    value: float = nan
    #: The tightest bound on the optimum so far.
    upper_bound: float = inf
    #: The largest change of any message.
    largest_change: float = nan
    #: The price at which messages were passed.
    price: float = nan
    #: Iterations since the value last improved.
    stalled: int = 0
    #: The step that was taken, for solvers with several kinds of steps.
    step: str = ""


def write_trace(trace: Sequence[Progress], path: str | Path) -> None:
    """Save a trace as CSV, one row per iteration.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "trace.csv"
    >>> write_trace([Progress(iteration=1, seconds=0.5, value=3.0)], path)
    >>> path.read_text().splitlines()[1]
    '1,0.5,3.0,inf,nan,nan,0,'
    """
    with (
        atomic_write(path) as draft,
        draft.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.DictWriter(file, [field.name for field in fields(Progress)])
        writer.writeheader()
        writer.writerows(asdict(progress) for progress in trace)
