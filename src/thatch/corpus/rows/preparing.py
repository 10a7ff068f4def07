"""Files made ready to be cut into parts, where they are not as they come.

Documents of a cluster are brought together, and groups of rows that are too large to
be read again and again are written anew. A run that goes on uses what it finds.
"""

from __future__ import annotations

import json
from dataclasses import replace

from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.grouping import write_clusters
from thatch.corpus.rows.parquet_rows import has_large_groups, write_in_small_groups
from thatch.corpus.storage import Format, Place, inputs_of, version_of

__all__ = ["prepared"]

# Written last.
_WHOLE = "_whole.json"


def prepared(
    files: list[Place], columns: Columns, folder: Place
) -> tuple[list[Place], Columns]:
    """Files to cut, and their columns; what must be written for that is in the folder.

    Parameters
    ----------
    files
        What to read.
    columns
        Which columns matter; rows are clusters if there is a column of them.
    folder
        Where to write; nothing is, if the files are as they should be.
    """
    if columns.cluster is not None:
        if _is_new(files, columns, folder):
            write_clusters(files, folder, columns)
            _finish(files, columns, folder)
        columns = replace(columns, id=columns.cluster, cluster=None, is_grouped=True)
        return inputs_of(folder), columns
    large = {f for f in files if f.format is Format.PARQUET and has_large_groups(f)}
    small = {file: folder.below(f"{k:05}.parquet") for k, file in enumerate(files)}
    if large and _is_new(files, columns, folder):
        for file in files:
            if file in large:
                write_in_small_groups(file, small[file], columns.names)
        _finish(files, columns, folder)
    return [small[file] if file in large else file for file in files], columns


def _is_new(files: list[Place], columns: Columns, folder: Place) -> bool:
    """Whether there is work to do; then the folder is there, and empty."""
    names = folder.names()
    if _WHOLE in names:
        with folder.below(_WHOLE).opened() as file:
            if file.read() == _account(files, columns):
                return False
    if names:
        folder.remove()
    folder.make_folder()
    return True


def _finish(files: list[Place], columns: Columns, folder: Place) -> None:
    with folder.below(_WHOLE).appearing() as file:
        file.write(_account(files, columns))


def _account(files: list[Place], columns: Columns) -> bytes:
    return json.dumps([version_of(files), columns.names]).encode()
