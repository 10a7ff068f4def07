"""Rows of an experiment as CSV files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from thatch.files.atomic_writes import atomic_write


def write_tables(
    path: str | Path, rows: Sequence[Any], **others: Sequence[Any]
) -> list[Path]:
    """Save the rows of a table, and other tables beside it; return the paths.

    Parameters
    ----------
    path
        The file of the first table.
    rows
        Its rows, as in `write_rows`.
    others
        Rows by what the names of their files end with.
    """
    path = Path(path)
    tables = {path: rows}
    tables |= {path.with_stem(f"{path.stem}-{end}"): r for end, r in others.items()}
    for each, its_rows in tables.items():
        write_rows(each, its_rows)
    return list(tables)


def write_rows(path: str | Path, rows: Sequence[Any]) -> None:
    """Save data classes of one kind, one per line, by an atomic write.

    Parameters
    ----------
    path
        The file.
    rows
        The data classes; there is at least one.
    """
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
