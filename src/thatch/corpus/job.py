"""A job: every row of a corpus summarized once, whatever happens in between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from time import time
from typing import Any

from thatch import __version__
from thatch.corpus.chunk_work import Work, report_on
from thatch.corpus.corpus_settings import CorpusSettings, require_id_column
from thatch.corpus.plan import PART, Chunk, Plan
from thatch.corpus.report import Report
from thatch.corpus.row_texts import require_pyarrow
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.preparing import prepared
from thatch.corpus.rows.row_slices import lacks, require_columns_in
from thatch.corpus.storage import Format, Place, inputs_of, require_target, version_of
from thatch.engines import Engine, LocalEngine
from thatch.errors import InputError, LostTaskError, ThatchError
from thatch.text.concepts.background import Background, background_bytes

__all__ = ["Job"]

_JOB = "_job.json"
_ROWS = "_rows"
_BACKGROUND = "_background-"


@dataclass(frozen=True)
class Job:
    """A corpus to summarize: from where, to where, and how.

    Answers are written in parts that appear whole or not at all, so that a job that
    was ended can go on where it was.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> texts = {"id": ["a", "b"], "text": ["Snow fell. It fell all day.", ""]}
    >>> pq.write_table(pa.table(texts), f"{folder}/in.parquet")
    >>> job = Job(Place(f"{folder}/in.parquet"), Place(f"{folder}/out.jsonl"))
    >>> report = job.run(LocalEngine(num_workers=1))
    >>> report.num_rows, report.num_failed
    (2, 1)
    """

    #: A file or folder of documents; a path, or an address such as s3://bucket/news.
    source: Place
    #: A folder, or a file that ends in .parquet or .jsonl.
    target: Place
    settings: CorpusSettings = CorpusSettings()
    #: Column of the clusters that documents belong to; each row alone unless given.
    group_by: str | None = None
    #: How answers are written; as the target's name says, or in Parquet.
    format: Format | None = None
    #: Whether to go on with what an earlier run has left.
    resume: bool = False

    def __post_init__(self) -> None:
        # Types say what belongs here; where nothing checks them, names are taken too.
        object.__setattr__(self, "source", Place.of(self.source))
        object.__setattr__(self, "target", Place.of(self.target))
        if self.format is not None:
            object.__setattr__(self, "format", Format(self.format))
        require_target(self.target, self.format)
        if self.source.holds(self.target):
            raise InputError(
                f"the output must not be within the input, got {self.target.address}.",
                hint="Name another place.",
            )
        if self.group_by is not None:
            require_id_column("group_by", self.group_by, text=self.settings.text)

    def run(
        self,
        engine: Engine | None = None,
        *,
        on_begin: Callable[[int], None] = lambda num_rows: None,
        on_part: Callable[[Report], None] = lambda report: None,
    ) -> Report:
        """Do what is left to do; what was wrong with some rows is in the report.

        Parameters
        ----------
        engine
            Where the work is done; on all cores of this machine unless given.
        on_begin, on_part
            Told how many rows are left to do, and of every part that is done.
        """
        start = time()
        engine = engine or LocalEngine()
        files = inputs_of(self.source)
        columns = self._columns(files)
        require_columns_in(files, columns)
        account = self._account(files)
        if self.is_begun and self.resume:
            self._require_same(account)
            if self._has_all:
                return self._tidied_up()
        self._require_new_or_resumed()
        plan = self._plan(files, columns, account, engine)
        work = self._work(plan)
        there = self._folder.names()
        is_done = {chunk: chunk.name(self._format) in there for chunk in plan.chunks}
        done = (work.report(chunk) for chunk in plan.chunks if is_done[chunk])
        total = sum(done, start=Report())
        on_begin(plan.num_rows - total.num_rows)
        left = [chunk for chunk in plan.chunks if not is_done[chunk]]
        for report in _reports(engine, work, left):
            total += report
            on_part(report)
        self._finish(plan, start)
        return total

    @property
    def is_begun(self) -> bool:
        """Whether an earlier run has come to some part: with less, one begins anew."""
        names = self._folder.names()
        return _JOB in names and any(name.startswith(PART) for name in names)

    @property
    def _format(self) -> Format:
        return self.target.format or self.format or Format.PARQUET

    @property
    def _folder(self) -> Place:
        """Where parts are: the target, or beside a target that is one file."""
        if self.target.format is None:
            return self.target
        return Place(f"{self.target.address}.parts")

    def _columns(self, files: list[Place]) -> Columns:
        id, text = self.settings.id, self.settings.text
        if self.group_by is None:
            return Columns(id, text)
        # Clusters have names of their own; ids of documents are told if there are any.
        has_ids = id != self.group_by and not any(lacks(file, id) for file in files)
        return Columns(id if has_ids else None, text, cluster=self.group_by)

    def _require_new_or_resumed(self) -> None:
        names = self._folder.settled_names()
        if self._has_all:
            raise InputError(
                f"the output must be new, got {self.target.address}, which is there.",
                hint="A job that wrote it is done. Name another, or remove it.",
            )
        if names and _JOB not in names:
            raise InputError(
                f"the output must be an empty folder, got {self._folder.address} "
                "with something else in it.",
                hint="Name another folder.",
            )
        if self.is_begun and not self.resume:
            raise InputError(
                f"the output must be new, got {self._folder.address}, where a job "
                "was begun.",
                hint="Add --resume to go on with it, or remove that folder.",
            )

    def _account(self, files: list[Place]) -> dict[str, Any]:
        """What must be the same for a job to be continued."""
        settings = self.settings
        background = settings.background
        counts = [background.num_documents, sorted(background.counts.items())]
        told = {
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
        same: dict[str, Any] = json.loads(json.dumps(told))
        return same

    def _require_same(self, account: dict[str, Any]) -> None:
        with self._folder.below(_JOB).opened() as file:
            known = json.loads(file.read())
        other = [name for name in account if account[name] != known.get(name)]
        if other:
            raise InputError(
                f"a job must go on as it was begun, got another {', '.join(other)} "
                f"than {self._folder.address} was begun with.",
                hint="Use the same, or name another output.",
            )

    def _plan(
        self,
        files: list[Place],
        columns: Columns,
        account: dict[str, Any],
        engine: Engine,
    ) -> Plan:
        """Leave word of what is done here, and see what there is to do."""
        is_new = not self._folder.exists
        self._folder.make_folder()
        with self._folder.below(_JOB).appearing() as file:
            file.write(json.dumps(account, indent=1).encode())
        try:
            rows = self._folder.below(_ROWS)
            return Plan.of(*prepared(files, columns, rows), engine.map)
        except ThatchError:
            if is_new:
                self._folder.remove()
            raise

    def _work(self, plan: Plan) -> Work:
        settings = replace(self.settings, id=plan.columns.id or self.settings.id)
        background = settings.background
        work = Work(settings, plan.columns, self._folder, self._format)
        if not background.counts:
            return work
        content = background_bytes(background)
        # Workers that outlive a job keep what they read under its name.
        name = f"{_BACKGROUND}{hashlib.sha256(content).hexdigest()}.json"
        place = self._folder.below(name)
        with place.appearing() as file:
            file.write(content)
        return replace(
            work,
            settings=replace(settings, background=Background()),
            background=place,
        )

    @property
    def _has_all(self) -> bool:
        """Whether there is one file already with all parts in it."""
        return self.target.format is not None and self.target.exists

    def _tidied_up(self) -> Report:
        """Report on the one file, after a run that was ended in the last moment."""
        report = report_on(self.target, self._format, self.group_by or self.settings.id)
        self._folder.remove()
        return report

    def _finish(self, plan: Plan, start: float) -> None:
        """Remove what is left of the work, and join the parts if one file is wanted."""
        self._folder.remove_drafts(before=start)
        for name in self._folder.names():
            if name == _ROWS or name.startswith(_BACKGROUND):
                self._folder.below(name).remove()
        if self.target.format is None:
            return
        with self.target.appearing() as file:
            _join(
                [self._folder.below(chunk.name(self._format)) for chunk in plan.chunks],
                file,
                self._format,
            )
        self._folder.remove()


def _reports(engine: Engine, work: Work, chunks: list[Chunk]) -> Iterator[Report]:
    """Reports on parts as they are done; one that ends workers is done with care."""
    left = {chunk.number: chunk for chunk in chunks}
    while left:
        try:
            for chunk, report in engine.map(work, list(left.values())):
                del left[chunk.number]
                yield report
        except LostTaskError as lost:
            chunk = left[lost.task.number]
            if chunk.is_dangerous:
                raise
            left[chunk.number] = replace(chunk, is_dangerous=True)


def _join(places: list[Place], target: Any, format: Format) -> None:
    pa = require_pyarrow()
    if format is Format.JSON_LINES:
        for place in places:
            with place.opened() as file:
                target.write(file.read())
        return
    import pyarrow.parquet as pq

    def tables() -> Iterator[Any]:
        for place in places:
            with place.opened() as file:
                yield pq.read_table(pa.BufferReader(file.read()))

    first = next(tables())
    with pq.ParquetWriter(target, first.schema, compression="zstd") as writer:
        for table in tables():
            writer.write_table(table)
