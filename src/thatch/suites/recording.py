"""Which tests run which lines, as a measurement of coverage recorded it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from thatch.arrays import Flags, Ints, distinct, frozen
from thatch.suites.contexts import name_of_test


@dataclass(frozen=True, slots=True, eq=False)
class LineGroup:
    """Lines that the same tests run: one element of the problem."""

    #: int64, indices of the tests, ascending.
    tests: Ints
    #: Index of the file and line number of each line.
    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Which tests run which lines.

    Lines that also run outside of tests, such as on import, are left out: they are
    covered whichever tests run.
    """

    #: Node ids, or names of functions.
    tests: tuple[str, ...]
    files: tuple[str, ...]
    groups: tuple[LineGroup, ...]

    @property
    def num_lines(self) -> int:
        """Number of lines that tests run."""
        return sum(len(group.lines) for group in self.groups)


class Contexts:
    """The contexts of a measurement, numbered by the test that they belong to.

    >>> contexts = Contexts(["", "t.py::a|setup", "t.py::a|run", "t.py::b|run"])
    >>> contexts.tests, contexts.numbers
    (('t.py::a', 't.py::b'), {'': -1, 't.py::a|setup': 0, 't.py::a|run': 0,
     't.py::b|run': 1})
    """

    def __init__(self, contexts: Iterable[str]) -> None:
        names = {context: name_of_test(context) for context in contexts}
        number = {name: t for t, name in enumerate(sorted(set(names.values()) - {""}))}
        #: The tests, sorted.
        self.tests = tuple(number)
        #: Index of the test of each context; -1 outside of tests.
        self.numbers = {
            context: number.get(name, -1) for context, name in names.items()
        }


@dataclass(slots=True)
class RecordingBuilder:
    """Collects the lines of one file after the other, in groups.

    >>> builder = RecordingBuilder(("t.py::a", "t.py::b"))
    >>> builder.add("a.py", [0, 1], [7, 9], np.array([[True, True], [True, False]]))
    >>> [(group.tests, group.lines) for group in builder.recording().groups]
    [(array([0, 1]), ((0, 7),)), (array([0]), ((0, 9),))]
    """

    tests: tuple[str, ...]
    _files: list[str] = field(default_factory=list)
    _lines: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)

    def add(
        self, file: str, tests: Sequence[int], lines: Sequence[int], runs: Flags
    ) -> None:
        """Add a file, once: which tests run which of its lines.

        A test has index -1 outside of tests; `runs` has shape (num_tests, num_lines).
        """
        rows = np.array(tests, dtype=np.int64)
        order = np.argsort(rows)
        rows, runs = rows[order], runs[order]
        if rows.size and rows[0] < 0:
            runs = runs[1:] & ~runs[0]
            rows = rows[1:]
        number = len(self._files)
        self._files.append(file)
        packed = np.ascontiguousarray(np.packbits(runs, axis=0).T)
        # Most lines of a file are run by the same tests as another of its lines.
        alike: dict[bytes, list[int]] = {}
        for column in np.flatnonzero(runs.any(axis=0)).tolist():
            alike.setdefault(packed[column].tobytes(), []).append(column)
        for columns in alike.values():
            key = rows[runs[:, columns[0]]].tobytes()
            group = self._lines.setdefault(key, [])
            group += [(number, lines[column]) for column in columns]

    def add_pairs(self, file: str, tests: Ints, lines: Ints) -> None:
        """Add a file by pairs of a test, as in `add`, and a line that it runs."""
        rows, columns = distinct(tests), distinct(lines)
        runs = np.zeros((rows.size, columns.size), dtype=np.bool_)
        runs[np.searchsorted(rows, tests), np.searchsorted(columns, lines)] = True
        self.add(file, rows.tolist(), columns.tolist(), runs)

    def recording(self) -> Recording:
        """What has been added."""
        groups = tuple(
            LineGroup(frozen(np.frombuffer(key, dtype=np.int64)), tuple(lines))
            for key, lines in self._lines.items()
        )
        return Recording(self.tests, tuple(self._files), groups)
