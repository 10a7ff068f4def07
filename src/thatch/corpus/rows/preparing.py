"""Files prepared for being cut into chunks.

Documents are grouped by cluster, and Parquet files with large row groups are written
again. A job that is resumed reuses the prepared files.
"""

from __future__ import annotations

import json
from dataclasses import replace

from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.grouping import write_clusters
from thatch.corpus.rows.parquet_rows import has_large_groups, write_in_small_groups
from thatch.files.locations import Format, Location, inputs_of, version_of

__all__ = ["prepared"]

# Written last: without it, the folder is incomplete.
_COMPLETE = "_complete.json"


def prepared(
    files: list[Location], columns: Columns, folder: Location
) -> tuple[list[Location], Columns]:
    """Files to cut into chunks, and their columns.

    Parameters
    ----------
    files
        Files to read.
    columns
        Columns to read; rows are grouped if there is a cluster column.
    folder
        Where prepared files are written; not created if the files can be used as they
        are.
    """
    if columns.cluster is not None:
        if _is_new(files, columns, folder):
            write_clusters(files, folder, columns)
            _finish(files, columns, folder)
        columns = replace(columns, id=columns.cluster, cluster=None, is_grouped=True)
        return inputs_of(folder), columns
    large = {f for f in files if f.format is Format.PARQUET and has_large_groups(f)}
    small = {file: folder.child(f"{k:05}.parquet") for k, file in enumerate(files)}
    if large and _is_new(files, columns, folder):
        for file in files:
            if file in large:
                write_in_small_groups(file, small[file], columns.names)
        _finish(files, columns, folder)
    return [small[file] if file in large else file for file in files], columns


def _is_new(files: list[Location], columns: Columns, folder: Location) -> bool:
    """Whether files must be prepared; then the folder is created, or emptied."""
    names = folder.names()
    if _COMPLETE in names:
        known = folder.child(_COMPLETE).content()
        if known == _record(files, columns, folder):
            return False
    if names:
        folder.remove()
    folder.make_folder()
    return True


def _finish(files: list[Location], columns: Columns, folder: Location) -> None:
    with folder.child(_COMPLETE).atomic_write() as file:
        file.write(_record(files, columns, folder))


def _record(files: list[Location], columns: Columns, folder: Location) -> bytes:
    """What was prepared, and the checksums of the result, which may be damaged."""
    names = sorted(folder.finished_names() - {_COMPLETE})
    checksums = {name: folder.child(name).sha256() for name in names}
    return json.dumps([version_of(files), columns.names, checksums]).encode()
