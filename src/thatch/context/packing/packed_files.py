"""Packed files: a prompt, what of each file is in it, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from thatch.context.packing.best_chunks import ChunkPacking
from thatch.context.packing.focus import Focus
from thatch.context.packing.preselection import FilesToCut, files_to_cut
from thatch.context.packing.rendering import FileRendering
from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.file_chunks import FileChunks, read_chunks
from thatch.context.repository.file_search import FoundFiles, SkippedFile, find_files
from thatch.context.selection.context import Context, DroppedChunk, DropReason
from thatch.context.selection.rendering import ContextFormat, Order
from thatch.machine.caching import cached_property
from thatch.text.costs.units import Unit

_UNMATCHED = "no match with the query"
_UNSEARCHED = "not searched: the limit of bytes of such documents is reached"
_UNFOCUSED = "not in the focus"
_SIGNATURE = "only a signature fits the budget"
_QUOTA = "limit per file reached"


@dataclass(frozen=True, slots=True)
class PackedFile:
    """How much of a file is in the prompt.

    >>> PackedFile("roof.py", num_selected=1, num_chunks=3, tokens=90.0).is_whole
    False
    """

    #: The file, as shown.
    path: str
    #: Number of its chunks that are in the prompt.
    num_selected: int
    #: Number of its chunks; 0 if it was not cut, because others match better.
    num_chunks: int
    #: Size of what is printed of it, in the unit of the budget.
    tokens: float
    #: Why the rest is not in the prompt; empty if nothing is missing.
    reason: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the whole file is in the prompt."""
        return 0 < self.num_selected == self.num_chunks and not self.reason


@dataclass(frozen=True, eq=False)
class PackedFiles:
    """What `pack` returns: the prompt, and which chunks of each file are in it."""

    #: The chunks that were selected, in the order of the prompt, and all others.
    context: Context[FileChunk]
    #: Files and folders that were not read, and why.
    skipped: Sequence[SkippedFile]
    unit: Unit
    rendering: FileRendering
    #: Which files were cut into chunks.
    preselection: FilesToCut
    #: Whether chunks were ranked by a query.
    has_query: bool
    #: What the selection would be if nothing had to be included or excluded.
    unconstrained: Context[Any]

    @classmethod
    def of(
        cls,
        packing: ChunkPacking,
        read: FileChunks,
        preselection: FilesToCut | None = None,
        *,
        must_include: Sequence[int] = (),
        must_exclude: Sequence[int] = (),
    ) -> PackedFiles:
        """Pack the chunks of files that were read.

        Parameters
        ----------
        packing
            Budget, query and format.
        read
            The chunks, and what was not read.
        preselection
            Which files were cut into chunks. Default: all.
        must_include, must_exclude
            Indices of chunks to select in any case, and of those not to select.
        """
        packed = packing.packed(
            read.chunks,
            must_include=must_include,
            must_exclude=must_exclude,
            are_in_focus=preselection is not None,
        )
        return cls(
            packed.context,
            read.skipped,
            packing.unit,
            packed.rendering,
            preselection or FilesToCut(FoundFiles()),
            has_query=packing.query is not None,
            unconstrained=packed.unconstrained,
        )

    @property
    def text(self) -> str:
        """The prompt; it is within the budget."""
        return self.context.text

    @property
    def tokens(self) -> float:
        """Size of the prompt, in the unit of the budget."""
        return self.context.tokens

    @property
    def budget(self) -> float:
        """The maximum size of the prompt."""
        return self.context.budget

    @property
    def chunks(self) -> list[FileChunk]:
        """The selected chunks, in the order of the prompt."""
        return self.context.objects

    @cached_property
    def files(self) -> tuple[PackedFile, ...]:
        """The files that were read: those in the prompt first, in its order."""
        printed: dict[str, list[tuple[str, str]]] = {}
        by_signature = set()
        for each in self.context.chunks:
            printed.setdefault(each.source, []).append((each.source, each.text))
            if each.chunk.kind == "signature":
                by_signature.add(each.source)
        documents = list(map(self.rendering.document, printed.values()))
        tokens = dict(zip(printed, self.unit.measure_each(documents), strict=True))
        dropped: dict[str, list[DroppedChunk[FileChunk]]] = {}
        for one in self.context.dropped:
            dropped.setdefault(one.chunk.path, []).append(one)
        looked_at = (
            PackedFile(
                path,
                num_selected=len(printed.get(path, ())),
                num_chunks=len(printed.get(path, ())) + len(dropped.get(path, ())),
                tokens=tokens.get(path, 0.0),
                reason=(
                    _SIGNATURE
                    if path in by_signature
                    else self._reason(path, dropped.get(path, ()))
                ),
            )
            for path in dict.fromkeys([*printed, *sorted(dropped)])
        )
        uncut = (
            (self.preselection.weaker, str(DropReason.LOW_RELEVANCE.value)),
            (self.preselection.unsearched, _UNSEARCHED),
            (self.preselection.unmatched, _UNMATCHED),
            (self.preselection.unfocused, _UNFOCUSED),
        )
        others = (PackedFile(f, 0, 0, 0.0, why) for paths, why in uncut for f in paths)
        return (*looked_at, *others)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Which named files could not be read, and why the prompt is empty."""
        unread = (
            f"{file.path} was not read: {file.reason}."
            for file in self.skipped
            if file.is_named
        )
        return (*unread, *filter(None, [self._warning_if_empty]))

    @property
    def _warning_if_empty(self) -> str:
        if self.context.chunks:
            return ""
        if not self.files:
            if not self.skipped:
                return "patterns and .gitignore admit no file, so the prompt is empty."
            return "no file with text was found, so the prompt is empty."
        reasons = {each.reason for each in self.context.dropped}
        if all(each.relevance == 0 for each in self.context.dropped):
            matched = "matches the query" if self.has_query else "is worth reading"
            return f"no chunk {matched}, so the prompt is empty."
        size = f"{self.budget:g} {self.context.unit}"
        if reasons - {DropReason.EMPTY}:
            return f"no chunk fits the budget of {size}, so the prompt is empty."
        return "all files are empty, and so is the prompt."

    def _reason(self, path: str, dropped: Sequence[DroppedChunk[FileChunk]]) -> str:
        """Why most of the chunks of a file are not in the prompt."""
        if not dropped:
            return ""
        found = Counter(self._explanation(path, each) for each in dropped)
        return found.most_common(1)[0][0]

    def _explanation(self, path: str, dropped: DroppedChunk[FileChunk]) -> str:
        if dropped.redundant_with is not None:
            other = self._paths[dropped.redundant_with]
            where = "another part of it" if other == path else other
            return f"says what {where} says"
        if dropped.reason is DropReason.QUOTA:
            return _QUOTA
        return str(dropped.reason.value)

    @cached_property
    def _paths(self) -> dict[int, str]:
        """File of each selected chunk, by its index."""
        return {each.index: each.source for each in self.context.chunks}

    def __repr__(self) -> str:
        num_files = sum(file.num_selected > 0 for file in self.files)
        return (
            f"PackedFiles({num_files} of {len(self.files)} files, {self.tokens:g} of "
            f"{self.budget:g} {self.context.unit})"
        )


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
    focus: Focus | str | None = None,
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
    focus
        ``code``, ``docs``, ``tests`` or ``all``: which files to choose from. Default:
        what the question asks for in a repository of code, and otherwise ``all``. Files
        that are given themselves, or named in the question, are in any focus.
    encoding
        Name of the encoding. Default: the one that a byte order mark names, else UTF-8.
    max_seconds
        Time limit of the selection, once the files are read: see `select`. If it takes
        effect, the prompt may differ from run to run.

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
        focus=focus,
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
    focus = packing.focus_among([file.shown for file in found.files])
    packed = _packed_from(packing, found, focus, encoding)
    if packed.context.chunks or packing.focus is not None or focus is Focus.ALL:
        return packed
    # Nothing in the focus matches and fits, so other files may answer the question.
    return _packed_from(packing, found, Focus.ALL, encoding)


def _packed_from(
    packing: ChunkPacking, found: FoundFiles, focus: Focus, encoding: str | None
) -> PackedFiles:
    to_cut = files_to_cut(
        found, packing.query, packing.budget, focus=focus, encoding=encoding
    )
    read = read_chunks(to_cut.found, encoding=encoding)
    return PackedFiles.of(replace(packing, focus=focus), read, to_cut)
