"""A corpus job: every row is summarized once, even if the job is interrupted."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import time
from typing import Any

from thatch.corpus.batch import ChunkSummarizer
from thatch.corpus.corpus_settings import (
    CorpusSettings,
    digest_of,
    fingerprint_of,
    require_id_column,
    require_kept_column,
    require_same,
)
from thatch.corpus.parts import MANIFEST, Part, Parts, report_on
from thatch.corpus.plan import CHUNK_PREFIX, Chunk, Plan
from thatch.corpus.report import Report
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.preparing import prepared
from thatch.corpus.rows.row_slices import (
    kept_names,
    lacks_column,
    require_columns_in,
)
from thatch.errors import InputError, LostTaskError, ThatchError
from thatch.files.locations import (
    Format,
    Location,
    inputs_of,
    require_target,
    require_unchanged,
    version_of,
)
from thatch.files.output_lock import LOCK, OutputLock
from thatch.machine.engines import Engine
from thatch.scale import LocalEngine
from thatch.text.concepts.background import Background, background_bytes

_JOB = "_job.json"
_ROWS = "_rows"
_BACKGROUND = "_background-"
# A part that is replaced by another process is written again, but not forever.
_MAX_ROUNDS = 3
_LOG = logging.getLogger("thatch.corpus")


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
                hint="Choose an output outside it.",
            )
        if self.group_by is not None and self.settings.keep:
            raise InputError(
                f"keep is {self.settings.keep!r}, but with group_by a row of the "
                "result has several documents.",
                hint="Leave one of them out; the column sources has the ids of the "
                "documents.",
            )
        if self.group_by is not None:
            require_id_column("group_by", self.group_by, text=self.settings.text)

    def run(
        self,
        engine: Engine | None = None,
        *,
        on_begin: Callable[[int], None] = lambda num_rows: None,
        on_chunk: Callable[[Report], None] = lambda report: None,
        on_notice: Callable[[str], None] = _LOG.warning,
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
        on_notice
            Called with a message if the lock of a dead process is taken over, or if
            output files are damaged and written again. Default: log a warning.
        """
        start = time()
        engine = engine or LocalEngine()
        files = inputs_of(self.source)
        versions = version_of(files)
        columns = self._columns(files)
        require_columns_in(files, columns)
        fingerprint = fingerprint_of(
            files, self.settings, group_by=self.group_by, format=self._format
        )
        with OutputLock(
            self._folder,
            on_notice=on_notice,
            # The folder next to a target that is a file is always temporary.
            keeps_empty_folder=self.target.format is None,
        ) as lock:
            id = self.group_by or self.settings.id
            parts = Parts(
                self._folder, self._format, digest_of(fingerprint), lock.token, id
            )
            if self._is_complete(fingerprint, parts):
                content = self.target.content() or b""
                self._remove_parts()
                return report_on(content, self._format, id)
            self._require_new_or_resumed(fingerprint)
            plan = self._plan(files, columns, fingerprint, engine)
            done: Mapping[int, Part] = parts.valid(plan.chunks)
            on_begin(plan.num_rows - _total(done).num_rows)
            if not parts.are_finished(plan.chunks, done):
                self._clear_for(plan, done, parts, on_notice)
                summarize = self._chunk_summarizer(plan, parts)
                done = _finished(engine, summarize, plan, done, on_chunk)
                require_unchanged(versions)
                self._finish(plan, done, parts)
            self._remove_temporary_files(before=start)
            return _total(done)

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
            keep = kept_names(files, self.settings.keep, {id, text})
            for name in keep:
                require_kept_column(name, id=id)
            return Columns(id, text, keep=keep)
        # Documents of a cluster need no ids; if they have ids, the result lists them.
        has_ids = id != self.group_by and not any(
            lacks_column(file, id) for file in files
        )
        return Columns(id if has_ids else None, text, cluster=self.group_by)

    def _is_complete(self, fingerprint: dict[str, Any], parts: Parts) -> bool:
        """Whether a run was killed after it wrote the one file, before cleaning up."""
        if not (self._has_all and self.resume):
            return False
        if _JOB in self._folder.names():
            require_same(fingerprint, self._folder.child(_JOB))
        return parts.has_joined(self.target)

    def _require_new_or_resumed(self, fingerprint: dict[str, Any]) -> None:
        names = self._folder.finished_names() - {LOCK}
        if self._has_all:
            raise InputError(
                f"{self.target.address} already exists.",
                hint="Choose another output, or remove that file.",
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
        if self.is_begun:
            require_same(fingerprint, self._folder.child(_JOB))

    def _plan(
        self,
        files: list[Location],
        columns: Columns,
        fingerprint: dict[str, Any],
        engine: Engine,
    ) -> Plan:
        """Write the fingerprint of the job to its folder, and cut the corpus."""
        is_new = _JOB not in self._folder.names()
        if not self.is_begun:
            with self._folder.child(_JOB).atomic_write() as file:
                file.write(json.dumps(fingerprint, indent=1).encode())
        try:
            rows = self._folder.child(_ROWS)
            return Plan.of(*prepared(files, columns, rows), engine.map)
        except ThatchError:
            if is_new:
                self._remove_parts()
            raise

    def _clear_for(
        self,
        plan: Plan,
        done: Mapping[int, Part],
        parts: Parts,
        on_notice: Callable[[str], None],
    ) -> None:
        """Remove what is not part of the job, and the success marker."""
        parts.reopen(done.values())
        expected = {
            chunk.name(self._format): chunk.number in done for chunk in plan.chunks
        }
        found = parts.names()
        for name in sorted(found - expected.keys()):
            self._folder.child(name).remove()
        num_wrong = sum(not expected.get(name, False) for name in found)
        if num_wrong:
            on_notice(
                f"{num_wrong} of {len(found)} parts in {self._folder.address} are "
                "damaged or not of this job: they are written again"
            )

    def _chunk_summarizer(self, plan: Plan, parts: Parts) -> ChunkSummarizer:
        settings = replace(self.settings, id=plan.columns.id or self.settings.id)
        background = settings.background
        summarize = ChunkSummarizer(settings, plan.columns, parts)
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
        return self.target.format is not None and self.target.exists

    def _remove_temporary_files(self, *, before: float) -> None:
        """Remove what only a running job needs, and drafts of killed processes."""
        self._folder.remove_temporary_files(before=before)
        for name in self._folder.names():
            if name == _ROWS or name.startswith(_BACKGROUND):
                self._folder.child(name).remove()

    def _finish(self, plan: Plan, done: Mapping[int, Part], parts: Parts) -> None:
        in_order = [done[chunk.number] for chunk in plan.chunks]
        if self.target.format is None:
            parts.finish(in_order, _total(done))
        else:
            parts.join(in_order, _total(done), self.target)
            self._remove_parts()

    def _remove_parts(self) -> None:
        """Empty the folder; the lock is removed last, when it is released.

        The manifest is the last of the others: with it alone, a command that is killed
        meanwhile can be resumed.
        """
        names = self._folder.names() - {LOCK}
        last = [name for name in (_JOB, MANIFEST) if name in names]
        for name in [*(names - {*last}), *last]:
            self._folder.child(name).remove()


def _total(done: Mapping[int, Part]) -> Report:
    reports = (done[number].report for number in sorted(done))
    return sum(reports, start=Report())


def _finished(
    engine: Engine,
    summarize: ChunkSummarizer,
    plan: Plan,
    done: Mapping[int, Part],
    on_chunk: Callable[[Report], None],
) -> Mapping[int, Part]:
    """All parts; they are checked once more after the last one is written.

    A worker of an earlier command on a cluster may still run, and replace a part.
    """
    num_rounds = 0
    while left := [chunk for chunk in plan.chunks if chunk.number not in done]:
        if num_rounds == _MAX_ROUNDS:
            missing = summarize.parts.location(left[0])
            raise InputError(
                f"{missing.address} changed after it was written: another process "
                "is writing to it.",
                hint="Stop that process, then resume with --resume.",
            )
        for report in _reports(engine, summarize, left):
            on_chunk(report)
        done = summarize.parts.valid(plan.chunks)
        num_rounds += 1
    return done


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
