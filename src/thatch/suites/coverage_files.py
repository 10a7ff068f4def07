"""Files of coverage with contexts: the data file ``.coverage``, and JSON reports.

The data file is read by its documented schema rather than with the package coverage,
which need not be installed then. For lines, that takes a quarter of the time.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from thatch.errors import FileFormatError, InputError
from thatch.files.reading import opened, read_bytes
from thatch.suites.recording import Contexts, Recording, RecordingBuilder

RECORD_HINT = "Record it with: pytest --cov --cov-context=test"
_SQLITE = b"SQLite format 3\0"
# Of coverage 5.0 and later.
_SCHEMA = 7


def read_recording(path: Path) -> Recording:
    """Read which tests run which lines, as coverage recorded it with contexts of tests.

    The file is coverage's own, or a report by ``coverage json --show-contexts``.
    """
    if not path.exists():
        raise InputError(f"{path} does not exist.", hint=f"{RECORD_HINT}.")
    with opened(path) as file:
        start = file.read(len(_SQLITE))
    if not start:
        raise FileFormatError(path, "the file is empty.", hint=f"{RECORD_HINT}.")
    if start == _SQLITE:
        recording = _read_database(path)
    else:
        recording = _read_report(path, read_bytes(path))
    if not recording.tests:
        raise FileFormatError(
            path, "it was recorded without test contexts.", hint=f"{RECORD_HINT}."
        )
    return recording


def _read_database(path: Path) -> Recording:
    address = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            (version,) = database.execute(
                "select version from coverage_schema"
            ).fetchone()
            if version != _SCHEMA:
                raise FileFormatError(
                    path,
                    f"the schema has version {version}; {_SCHEMA} was expected.",
                    hint="Pass the report of: coverage json --show-contexts",
                )
            return _recorded(database)
    except (sqlite3.Error, TypeError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            path,
            f"this is not a coverage data file, or it is damaged: {error}.",
            hint=f"{RECORD_HINT}.",
        ) from error


def _recorded(database: sqlite3.Connection) -> Recording:
    names = dict(database.execute("select id, context from context"))
    contexts = Contexts(names.values())
    test_of = {number: contexts.numbers[name] for number, name in names.items()}
    files = dict(database.execute("select id, path from file"))
    builder = RecordingBuilder(contexts.tests)
    recorded = database.execute(
        "select file_id, context_id, numbits from line_bits order by file_id"
    )
    for file, found in groupby(recorded, key=itemgetter(0)):
        rows = list(found)
        tests = [test_of[context] for _, context, _ in rows]
        _add_bits(builder, files[file], tests, [bits for *_, bits in rows])
    # Measurements of branches have no lines, but the steps between them.
    test_by_id = np.full(max(names, default=0) + 1, -1)
    test_by_id[list(test_of)] = list(test_of.values())
    for file, name in files.items():
        steps = database.execute(
            "select context_id, fromno, tono from arc where file_id = ?", (file,)
        )
        ends = np.fromiter(chain.from_iterable(steps), dtype=np.int64).reshape(-1, 3)
        if ends.size:
            runners, lines = np.tile(test_by_id[ends[:, 0]], 2), ends[:, 1:].T.ravel()
            is_line = lines > 0  # others are entries and exits
            builder.add_pairs(name, runners[is_line], lines[is_line])
    return builder.recording()


def _add_bits(
    builder: RecordingBuilder, file: str, tests: list[int], bits: list[bytes]
) -> None:
    """Add a file by one string of bits per context: bit n is set if line n runs."""
    width = max(map(len, bits))
    order = sorted(range(len(tests)), key=tests.__getitem__)
    padded = b"".join(bits[k].ljust(width, b"\0") for k in order)
    table = np.frombuffer(padded, dtype=np.uint8).reshape(len(bits), width)
    distinct: list[int] = []
    first: list[int] = []
    for row, k in enumerate(order):
        if not distinct or distinct[-1] != tests[k]:
            distinct.append(tests[k])
            first.append(row)
    merged = np.bitwise_or.reduceat(table, first, axis=0)
    runs = np.unpackbits(merged, axis=1, bitorder="little").view(np.bool_)
    builder.add(file, distinct, range(runs.shape[1]), runs)


def _read_report(path: Path, content: bytes) -> Recording:
    try:
        report = json.loads(content)
        lines = {
            file: {
                int(line): list(map(str, contexts))
                for line, contexts in found.get("contexts", {}).items()
            }
            for file, found in report["files"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileFormatError(
            path,
            "this is neither a coverage data file nor a JSON report of one.",
            hint="Pass .coverage, or the report of: coverage json --show-contexts",
        ) from error
    every = (names for found in lines.values() for names in found.values())
    contexts = Contexts(dict.fromkeys(chain.from_iterable(every)))
    if not contexts.tests:
        raise FileFormatError(
            path,
            "the report was made without test contexts.",
            hint=f"{RECORD_HINT}; then run: coverage json --show-contexts",
        )
    builder = RecordingBuilder(contexts.tests)
    for file, found in lines.items():
        pairs = [
            (contexts.numbers[name], line)
            for line, names in found.items()
            for name in names
        ]
        if pairs:
            tests, numbers = np.array(pairs, dtype=np.int64).T
            builder.add_pairs(file, tests, numbers)
    return builder.recording()
