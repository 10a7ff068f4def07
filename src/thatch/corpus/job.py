"""A corpus job: every row is summarized once, also if the job is interrupted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from time import time
from typing import Any

from thatch import __version__
from thatch.corpus.chunk_summarizer import ChunkSummarizer, report_on
from thatch.corpus.corpus_settings import CorpusSettings, require_id_column
from thatch.corpus.plan import CHUNK_PREFIX, Chunk, Plan
from thatch.corpus.report import Report
from thatch.corpus.row_texts import require_pyarrow
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.preparing import prepared
from thatch.corpus.rows.row_slices import lacks_column, require_columns_in
from thatch.corpus.storage import (
    Format,
    Location,
    inputs_of,
    require_target,
    version_of,
)
from thatch.engines import Engine, LocalEngine
from thatch.errors import InputError, LostTaskError, ThatchError
from thatch.text.concepts.background import Background, background_bytes

__all__ = ["Job"]

_JOB = "_job.json"
_ROWS = "_rows"
_BACKGROUND = "_background-"
# Longer values are not shown in errors.
_MAX_CHARACTERS = 100


@dataclass(frozen=True)
class Job:
    """A corpus to summarize: input, output and settings.

    The result is written in chunks, each atomically, so that an interrupted job can be
    resumed.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> texts = {"id": ["a", "b"], "text": ["Snow fell. It fell all day.", ""]}
    >>> pq.write_table(pa.table(texts), f"{folder}/in.parquet")
    >>> job = Job(Location(f"{folder}/in.parquet"), Location(f"{folder}/out.jsonl"))
    >>> report = job.run(LocalEngine(num_workers=1))
    >>> report.num_rows, report.num_failed
    (2, 1)
    """

    #: File or folder of documents: a path, or an address such as s3://bucket/news.
    source: Location
    #: A folder, or a file that ends in .parquet or .jsonl.
    target: Location
    settings: CorpusSettings = CorpusSettings()
    #: Column of cluster ids; each cluster gets one summary. Default: one per row.
    group_by: str | None = None
    #: Format of the output. Default: that of the target's name, else Parquet.
    format: Format | None = None
    #: Whether to resume an earlier run.
    resume: bool = False

    def __post_init__(self) -> None:
        # Strings and paths are accepted, too.
        object.__setattr__(self, "source", Location.of(self.source))
        object.__setattr__(self, "target", Location.of(self.target))
        if self.format is not None:
            object.__setattr__(self, "format", Format(self.format))
        require_target(self.target, self.format)
        if self.source.contains(self.target):
            raise InputError(
                f"the output {self.target.address} is inside the input folder.",
                hint="Choose an output outside of it.",
            )
        if self.group_by is not None:
            require_id_column("group_by", self.group_by, text=self.settings.text)

    def run(
        self,
        engine: Engine | None = None,
        *,
        on_begin: Callable[[int], None] = lambda num_rows: None,
        on_chunk: Callable[[Report], None] = lambda report: None,
    ) -> Report:
        """Summarize the rows that are not done yet; errors of rows are in the report.

        Parameters
        ----------
        engine
            Where to run. Default: all cores of this machine.
        on_begin
            Called once with the number of rows that are not done yet.
        on_chunk
            Called with the report of every chunk as it is finished.
        """
        start = time()
        engine = engine or LocalEngine()
        files = inputs_of(self.source)
        columns = self._columns(files)
        require_columns_in(files, columns)
        fingerprint = self._fingerprint(files)
        if self.is_begun and self.resume:
            self._require_same(fingerprint)
            if self._has_all:
                return self._cleaned_up()
        self._require_new_or_resumed()
        plan = self._plan(files, columns, fingerprint, engine)
        summarize = self._chunk_summarizer(plan)
        names = self._folder.names()
        is_done = {chunk: chunk.name(self._format) in names for chunk in plan.chunks}
        done = (summarize.report(chunk) for chunk in plan.chunks if is_done[chunk])
        total = sum(done, start=Report())
        on_begin(plan.num_rows - total.num_rows)
        left = [chunk for chunk in plan.chunks if not is_done[chunk]]
        for report in _reports(engine, summarize, left):
            total += report
            on_chunk(report)
        self._finish(plan, start)
        return total

    @property
    def is_begun(self) -> bool:
        """Whether an earlier run has finished a chunk, so that it can be resumed."""
        names = self._folder.names()
        return _JOB in names and any(name.startswith(CHUNK_PREFIX) for name in names)

    @property
    def _format(self) -> Format:
        return self.target.format or self.format or Format.PARQUET

    @property
    def _folder(self) -> Location:
        """Folder of the chunks: the target, or one next to a target that is a file."""
        if self.target.format is None:
            return self.target
        return Location(f"{self.target.address}.parts")

    def _columns(self, files: list[Location]) -> Columns:
        id, text = self.settings.id, self.settings.text
        if self.group_by is None:
            return Columns(id, text)
        # Documents of a cluster need no ids; if they have ids, the result lists them.
        has_ids = id != self.group_by and not any(
            lacks_column(file, id) for file in files
        )
        return Columns(id if has_ids else None, text, cluster=self.group_by)

    def _require_new_or_resumed(self) -> None:
        names = self._folder.finished_names()
        if self._has_all:
            raise InputError(
                f"{self.target.address} already exists.",
                hint="A job has finished it. Choose another output, or remove it.",
            )
        if names and _JOB not in names:
            raise InputError(
                f"the output folder {self._folder.address} contains other files.",
                hint="Choose a new or an empty folder.",
            )
        if self.is_begun and not self.resume:
            raise InputError(
                f"{self._folder.address} already contains a job.",
                hint="Add --resume to resume it, or remove that folder.",
            )

    def _fingerprint(self, files: list[Location]) -> dict[str, Any]:
        """Everything that must be the same for a job to be resumed."""
        settings = self.settings
        background = settings.background
        counts = [background.num_documents, sorted(background.counts.items())]
        values = {
            "version of thatch": __version__,
            "input": version_of(files),
            "group_by": self.group_by,
            "format": self._format,
            "id": settings.id,
            "text": settings.text,
            "budget": settings.budget,
            "seed": settings.seed,
            "max_bytes": settings.max_bytes,
            **asdict(settings.summary),
            "background": hashlib.sha256(json.dumps(counts).encode()).hexdigest(),
        }
        # As it is read back from a file, with lists in place of tuples.
        plain: dict[str, Any] = json.loads(json.dumps(values))
        return plain

    def _require_same(self, fingerprint: dict[str, Any]) -> None:
        with self._folder.child(_JOB).opened() as file:
            known = json.loads(file.read())
        differences = [
            _difference(name, known.get(name), value)
            for name, value in fingerprint.items()
            if value != known.get(name)
        ]
        if differences:
            raise InputError(
                f"cannot resume {self._folder.address}: {', '.join(differences)}.",
                hint="Use the settings of the original run, or choose another output.",
            )

    def _plan(
        self,
        files: list[Location],
        columns: Columns,
        fingerprint: dict[str, Any],
        engine: Engine,
    ) -> Plan:
        """Write the fingerprint of the job to its folder, and cut the corpus."""
        is_new = not self._folder.exists
        self._folder.make_folder()
        with self._folder.child(_JOB).atomic_write() as file:
            file.write(json.dumps(fingerprint, indent=1).encode())
        try:
            rows = self._folder.child(_ROWS)
            return Plan.of(*prepared(files, columns, rows), engine.map)
        except ThatchError:
            if is_new:
                self._folder.remove()
            raise

    def _chunk_summarizer(self, plan: Plan) -> ChunkSummarizer:
        settings = replace(self.settings, id=plan.columns.id or self.settings.id)
        background = settings.background
        summarize = ChunkSummarizer(settings, plan.columns, self._folder, self._format)
        if not background.counts:
            return summarize
        content = background_bytes(background)
        # Workers may outlive a job and cache by name what they read: so the name
        # depends on the content.
        name = f"{_BACKGROUND}{hashlib.sha256(content).hexdigest()}.json"
        location = self._folder.child(name)
        with location.atomic_write() as file:
            file.write(content)
        return replace(
            summarize,
            settings=replace(settings, background=Background()),
            background=location,
        )

    @property
    def _has_all(self) -> bool:
        """Whether the target is one file, and it exists."""
        return self.target.format is not None and self.target.exists

    def _cleaned_up(self) -> Report:
        """Report on the one file, after a run that was killed before it cleaned up."""
        report = report_on(self.target, self._format, self.group_by or self.settings.id)
        self._folder.remove()
        return report

    def _finish(self, plan: Plan, start: float) -> None:
        """Remove temporary files, and join the chunks if the target is one file."""
        self._folder.remove_temporary_files(before=start)
        for name in self._folder.names():
            if name == _ROWS or name.startswith(_BACKGROUND):
                self._folder.child(name).remove()
        if self.target.format is None:
            return
        with self.target.atomic_write() as file:
            _join(
                [self._folder.child(chunk.name(self._format)) for chunk in plan.chunks],
                file,
                self._format,
            )
        self._folder.remove()


def _difference(name: str, known: object, value: object) -> str:
    """How a setting differs from the original run; with the values if they are short.

    >>> _difference("budget", 100, 200)
    'budget differs from the original run (100, now 200)'
    """
    values = f" ({known!r}, now {value!r})"
    has_values = name != "background" and len(values) <= _MAX_CHARACTERS
    return f"{name} differs from the original run{values if has_values else ''}"


def _reports(
    engine: Engine, summarize: ChunkSummarizer, chunks: list[Chunk]
) -> Iterator[Report]:
    """Reports on chunks as they finish; one that ends its workers is isolated."""
    left = {chunk.number: chunk for chunk in chunks}
    while left:
        try:
            for chunk, report in engine.map(summarize, list(left.values())):
                del left[chunk.number]
                yield report
        except LostTaskError as error:
            chunk = left[error.task.number]
            if chunk.is_isolated:
                raise
            left[chunk.number] = replace(chunk, is_isolated=True)


def _join(files: list[Location], target: Any, format: Format) -> None:
    pa = require_pyarrow()
    if format is Format.JSON_LINES:
        for each in files:
            with each.opened() as file:
                target.write(file.read())
        return
    import pyarrow.parquet as pq

    def tables() -> Iterator[Any]:
        for each in files:
            with each.opened() as file:
                yield pq.read_table(pa.BufferReader(file.read()))

    first = next(tables())
    with pq.ParquetWriter(target, first.schema, compression="zstd") as writer:
        for table in tables():
            writer.write_table(table)
