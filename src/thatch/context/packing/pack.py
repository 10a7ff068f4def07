"""Packing files: from folders and a budget to a prompt."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from thatch.context.packing.best_chunks import ChunkPacking
from thatch.context.packing.packed_files import PackedFiles
from thatch.context.packing.preselection import files_to_cut
from thatch.context.repository.file_chunks import read_chunks
from thatch.context.repository.file_search import find_files
from thatch.context.selection.rendering import ContextFormat, Order
from thatch.text.costs.units import Unit


def pack(
    paths: str | Path | Iterable[str | Path],
    budget: float,
    *,
    query: str | None = None,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    unit: Unit | str | Any = "tokens",
    format: ContextFormat | str = ContextFormat.XML,
    order: Order | str = Order.SOURCE,
    per_file: int | None = None,
    encoding: str | None = None,
    max_seconds: float = 2.0,
) -> PackedFiles:
    """Pack the parts of files that a language model should read into a prompt.

    Files are cut at functions, classes and headings, and the most relevant chunks are
    selected as `select` does. Without a query, files that explain a repository come
    first: its README, guides and entry points. The prompt never exceeds the budget.

    Parameters
    ----------
    paths
        Files and folders; what ``.gitignore`` excludes is left out, as are binary and
        generated files: see `find_files`.
    budget
        The maximum size of the prompt, including the names of files.
    query
        What the prompt is about: a question, keywords, or names in the code.
    include, exclude
        Patterns as in ``.gitignore``, such as ``*.py``: only these files, not these.
    unit
        ``tokens`` (estimated), ``words``, ``characters``, a `Unit`, or any tokenizer.
    format
        ``xml``, ``markdown``, ``json`` or ``text``.
    order
        Order of chunks: ``source``, ``relevance``, or ``edges``: the most relevant at
        both ends.
    per_file
        Maximum number of chunks per file. Default: no limit.
    encoding
        Name of the encoding. Default: the one that a byte order mark names, else UTF-8.
    max_seconds
        Time limit of the solver, which usually takes a few milliseconds. If the limit
        takes effect, the prompt may differ from run to run.

    Raises
    ------
    InputError, InputTypeError
        If a path does not exist, or an argument is invalid.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "roof.py").write_text("def mend(): ...")
    >>> _ = (folder / "door.py").write_text("def lock(): ...")
    >>> packed = pack(folder, 18, query="How is a roof mended?", format="text")
    >>> print(packed.text)
    roof.py:
    def mend(): ...
    >>> [(file.path, file.reason) for file in packed.files]
    [('roof.py', ''), ('door.py', 'less relevant than the others')]
    """
    packing = ChunkPacking.of(
        budget,
        unit,
        query=query,
        format=format,
        order=order,
        per_file=per_file,
        max_seconds=max_seconds,
    )
    given = [paths] if isinstance(paths, str | Path) else paths
    return packed_from(
        packing, given, include=include, exclude=exclude, encoding=encoding
    )


def packed_from(
    packing: ChunkPacking,
    paths: Iterable[str | Path],
    *,
    include: Iterable[str],
    exclude: Iterable[str],
    encoding: str | None,
) -> PackedFiles:
    """Pack files and folders as these settings say."""
    found = find_files(paths, include=include, exclude=exclude)
    to_cut = files_to_cut(found, packing.query, packing.budget, encoding=encoding)
    read = read_chunks(to_cut.found, encoding=encoding)
    return PackedFiles.of(packing, read, to_cut)
