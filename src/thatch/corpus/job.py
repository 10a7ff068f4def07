"""A job: every row of a corpus summarized once, whatever happens in between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from thatch import __version__
from thatch.corpus.grouping import grouped
from thatch.corpus.places import Format, Place, inputs_of, version_of
from thatch.corpus.plan import PART, Part, Plan
from thatch.corpus.settings import CorpusSettings, require_id_column
from thatch.corpus.texts import require_pyarrow
from thatch.corpus.work import Report, Work
from thatch.engines import Engine, LocalEngine
from thatch.errors import InputError, LostTaskError

__all__ = ["Job"]

_JOB = "_job.json"
_GROUPS = "_groups"


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

    source: Place
    #: A folder, or a file that ends in .parquet or .jsonl.
    target: Place
    settings: CorpusSettings = CorpusSettings()
    #: Column of the clusters that documents belong to; each row alone unless given.
    group_by: str | None = None
    #: How the parts in a folder are written.
    format: Format = Format.PARQUET
    #: Whether to go on with what an earlier run has left.
    resume: bool = False

    def __post_init__(self) -> None:
        if Format.CSV in (self.target.format, self.format):
            raise InputError(
                f"the output must be Parquet or JSON lines, got {self.target.address}.",
                hint="Lists of sentences have no place in CSV.",
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
        engine = engine or LocalEngine()
        self._require_new_or_resumed()
        self._begin()
        source, settings = self._grouped()
        is_grouped = self.group_by is not None
        plan = Plan.of(source, settings, engine.map, is_marked=is_grouped)
        work = Work(settings, plan.columns, self._folder, self._format)
        there = self._folder.names()
        is_done = {part: part.name(self._format) in there for part in plan.parts}
        total = sum(
            (work.report(part) for part in plan.parts if is_done[part]), Report()
        )
        on_begin(plan.num_rows - total.num_rows)
        left = [part for part in plan.parts if not is_done[part]]
        for report in _reports(engine, work, left):
            total += report
            on_part(report)
        self._finish(plan)
        return total

    @property
    def _format(self) -> Format:
        return self.target.format or self.format

    @property
    def _folder(self) -> Place:
        """Where parts are: the target, or beside a target that is one file."""
        if self.target.format is None:
            return self.target
        return Place(f"{self.target.address}.parts")

    def _is_begun(self) -> bool:
        """Whether a job has come to some part here: with less, one begins anew."""
        names = self._folder.names()
        return _JOB in names and any(name.startswith(PART) for name in names)

    def _require_new_or_resumed(self) -> None:
        names = {name for name in self._folder.names() if not _is_draft(name)}
        if self.target.format is not None and self.target.exists:
            raise InputError(
                f"the output must be new, got {self.target.address}, which is there.",
                hint="Name another, or remove it.",
            )
        if names and _JOB not in names:
            raise InputError(
                f"the output must be an empty folder, got {self._folder.address} "
                "with something else in it.",
                hint="Name another folder.",
            )
        if self._is_begun() and not self.resume:
            raise InputError(
                f"the output must be new, got {self._folder.address}, where a job "
                "was begun.",
                hint="Add --resume to go on with it, or name another folder.",
            )

    def _grouped(self) -> tuple[Place, CorpusSettings]:
        """The corpus with a row a cluster, if there are clusters."""
        if self.group_by is None:
            return self.source, self.settings
        place = self._folder.below(_GROUPS)
        grouped(self.source, place, by=self.group_by, settings=self.settings)
        return place, replace(self.settings, id=self.group_by)

    def _begin(self) -> None:
        """Leave word of what is done here, or see that it is the same."""
        place = self._folder.below(_JOB)
        fingerprint = self._fingerprint()
        self._folder.make_folder()
        if not self._is_begun():
            with place.appearing() as file:
                file.write(json.dumps({"fingerprint": fingerprint}).encode())
            return
        with place.opened() as file:
            known = json.loads(file.read())["fingerprint"]
        if known != fingerprint:
            raise InputError(
                f"a job must go on as it was begun, got other settings or another "
                f"input than {self._folder.address} was begun with.",
                hint="Use the same, or name another folder.",
            )

    def _fingerprint(self) -> str:
        """What must be the same for a job to be continued."""
        settings = self.settings
        background = settings.background
        told = {
            "thatch": __version__,
            "source": version_of(inputs_of(self.source)),
            "group_by": self.group_by,
            "format": self._format,
            "id": settings.id,
            "text": settings.text,
            "budget": settings.budget,
            "seed": settings.seed,
            "max_bytes": settings.max_bytes,
            "summary": asdict(settings.summary),
            "background": [background.num_documents, sorted(background.counts.items())],
        }
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def _finish(self, plan: Plan) -> None:
        """Remove what is left of the work, and join the parts if one file is wanted."""
        for name in self._folder.names():
            # Drafts are of processes that were killed; all of ours are done.
            if name == _GROUPS or _is_draft(name):
                self._folder.below(name).remove()
        if self.target.format is None:
            return
        with self.target.appearing() as file:
            _join(
                [self._folder.below(part.name(self._format)) for part in plan.parts],
                file,
                self._format,
            )
        self._folder.remove()


def _reports(engine: Engine, work: Work, parts: list[Part]) -> Iterator[Report]:
    """Reports on parts as they are done; one that ends workers is done with care."""
    left = {part.number: part for part in parts}
    while left:
        try:
            for part, report in engine.map(work, list(left.values())):
                del left[part.number]
                yield report
        except LostTaskError as lost:
            part = left[lost.task.number]
            if part.is_dangerous:
                raise
            left[part.number] = replace(part, is_dangerous=True)


def _is_draft(name: str) -> bool:
    return name.startswith(".")


def _join(places: list[Place], target: Any, format: Format) -> None:
    pa = require_pyarrow()
    if format is Format.JSON_LINES:
        for place in places:
            with place.opened() as file:
                target.write(file.read())
        return
    import pyarrow.parquet as pq

    writer = None
    for place in places:
        with place.opened() as file:
            table = pq.read_table(pa.BufferReader(file.read()))
        writer = writer or pq.ParquetWriter(target, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()
