"""One reading of a run, and how readings are saved."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from math import inf, nan
from pathlib import Path

from thatch.files.atomic_writes import atomic_write


@dataclass(frozen=True)
class Progress:
    """Where a run stood after an iteration; NaN and infinity mean "not known".

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
    #: The most that any message moved.
    largest_change: float = nan
    #: The price the messages were passed at.
    price: float = nan
    #: Iterations since the value last rose.
    stalled: int = 0
    #: What was done, where a solver has steps of several kinds.
    step: str = ""


def write_trace(trace: Sequence[Progress], path: str | Path) -> None:
    """Save readings as CSV, one a row.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "trace.csv"
    >>> write_trace([Progress(iteration=1, seconds=0.5, value=3.0)], path)
    >>> path.read_text().splitlines()[1]
    '1,0.5,3.0,inf,nan,nan,0,'
    """
    with atomic_write(path) as draft, draft.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Progress)])
        writer.writeheader()
        writer.writerows(asdict(progress) for progress in trace)
