"""What all experiments share: seeds, threads, means, and rows as CSV files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.files.atomic_writes import atomic_write
from thatch.machine.devices import require_threads

_Task = TypeVar("_Task")
_Outcome = TypeVar("_Outcome")
_Row = TypeVar("_Row")
#: Called with the number of steps that have been taken.
OnProgress = Callable[[int], None]


def ignore(steps: int) -> None:
    """Show no progress."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The settings that all experiments share."""

    #: How many tasks run at a time; the results do not depend on it.
    num_threads: int = 1

    def __post_init__(self) -> None:
        require_threads(self.num_threads)

    def outcomes(
        self,
        function: Callable[[_Task], _Outcome],
        tasks: Iterable[_Task],
        on_progress: OnProgress,
        *,
        steps_of: Callable[[_Outcome], int] = lambda outcome: 1,
    ) -> list[_Outcome]:
        """The outcomes of all tasks, in their order.

        After each task, `on_progress` gets its number of steps.
        """
        pool = ThreadPoolExecutor(max_workers=self.num_threads)
        found = []
        try:
            for outcome in pool.map(function, tasks):
                found.append(outcome)
                on_progress(steps_of(outcome))
        finally:
            # After an interrupt, do not wait for the tasks that are running.
            pool.shutdown(wait=False, cancel_futures=True)
        return found


@dataclass(frozen=True, kw_only=True)
class GraphExperiment(Experiment):
    """An experiment on random graphs, each with a seed of its own."""

    num_graphs: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.seeds

    @property
    def seeds(self) -> range:
        """The seeds of the graphs."""
        return graph_seeds(self.num_graphs, self.seed)

    @property
    def num_steps(self) -> int:
        """Steps of the progress: one per graph."""
        return self.num_graphs


@dataclass(frozen=True)
class Table(Generic[_Row]):
    """Results: one row per point of an experiment."""

    rows: tuple[_Row, ...]

    def column(self, name: str) -> list[Any]:
        """A field of all rows."""
        return [getattr(row, name) for row in self.rows]

    def by(self, *names: str) -> dict[Any, list[_Row]]:
        """The rows by the values of one field, or of several, in their order."""
        found: dict[Any, list[_Row]] = {}
        for row in self.rows:
            values = tuple(getattr(row, name) for name in names)
            found.setdefault(values if len(names) > 1 else values[0], []).append(row)
        return found

    def write_csv(self, path: str | Path) -> list[Path]:
        """Save the rows, one per line."""
        return write_tables(path, self.rows)


def write_tables(
    path: str | Path, rows: Sequence[Any], **others: Sequence[Any]
) -> list[Path]:
    """Save the rows of a table, and others beside it by what their names end with."""
    path = Path(path)
    tables = {path: rows}
    tables |= {path.with_stem(f"{path.stem}-{end}"): r for end, r in others.items()}
    for each, its_rows in tables.items():
        write_rows(each, its_rows)
    return list(tables)


def write_rows(path: str | Path, rows: Sequence[Any]) -> None:
    """Save data classes of one kind, at least one, one per line, by an atomic write."""
    names = [field.name for field in fields(rows[0])]
    with (
        atomic_write(path) as draft,
        draft.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(names)
        for row in rows:
            values = [getattr(row, name) for name in names]
            writer.writerow(v if isinstance(v, str) else f"{v:.6g}" for v in values)


def standard_error(values: Floats) -> float:
    """Standard error of the mean.

    >>> standard_error(np.array([1.0, 3.0]))
    1.0
    """
    return float(values.std(ddof=1) / np.sqrt(values.size))


def means(error_name: str = "sem", /, **columns: Floats) -> dict[str, float]:
    """The mean of each column, and its standard error under a name that says so.

    >>> means(value=np.array([1.0, 3.0]))
    {'value': 2.0, 'value_sem': 1.0}
    """
    found = {}
    for name, values in columns.items():
        found[name] = float(values.mean())
        found[f"{name}_{error_name}"] = standard_error(values)
    return found


# Experiments with different seeds have no graph in common.
_STRIDE = 1_000_003
MAX_GRAPHS = 1_000_000


def graph_seeds(num_graphs: int, seed: int) -> range:
    """One seed per graph, so that more graphs extend an experiment.

    >>> graph_seeds(3, 0)
    range(0, 3)
    """
    if not 2 <= num_graphs <= MAX_GRAPHS:
        raise InputError(
            f"graphs is {num_graphs}; it must be between 2 and {MAX_GRAPHS}.",
            hint="A standard error needs two graphs.",
        )
    if seed < 0:
        raise InputError(
            f"seed is {seed}; it must be non-negative.", hint="Pass 0 or more."
        )
    return range(seed * _STRIDE, seed * _STRIDE + num_graphs)
