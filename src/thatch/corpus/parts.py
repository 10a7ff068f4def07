"""The output files of a job: one part per chunk, each with a receipt.

A receipt says which chunk of which job a part is, and has its checksum. So a part that
was cut short, changed, renamed or written by another job is recognized. The receipts
of a job are files in the folder ``_parts``; at the end, the manifest has all of them.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

from thatch.corpus.corpus_settings import ERROR, STATUS
from thatch.corpus.json_values import json_values
from thatch.corpus.plan import CHUNK_PREFIX, Chunk
from thatch.corpus.report import Report
from thatch.files.json_lines import record_in
from thatch.files.locations import Format, Location
from thatch.files.output_lock import require_locked_by
from thatch.tables.arrow import pa, pq

#: List of all parts with their checksums, written when all are finished.
MANIFEST = "_manifest.json"
#: Empty file, written last; Spark uses the same name.
SUCCESS = "_SUCCESS"
#: Folder of the receipts of a job that is not finished.
RECEIPTS = "_parts"
_PART_NAME = re.compile(rf"{CHUNK_PREFIX}\d+\.(parquet|jsonl)")


@dataclass(frozen=True)
class Receipt:
    """What a part contains."""

    #: Digest of the fingerprint of the job.
    job: str
    #: Number of the chunk.
    chunk: int
    num_rows: int
    num_bytes: int
    sha256: str

    @classmethod
    def of(cls, job: str, chunk: Chunk, content: bytes) -> Receipt:
        """The receipt of a part with this content."""
        digest = hashlib.sha256(content).hexdigest()
        return cls(job, chunk.number, chunk.rows.num_rows, len(content), digest)


@dataclass(frozen=True)
class Part:
    """A part that was read back and is as it was written."""

    name: str
    receipt: Receipt
    report: Report


@dataclass(frozen=True)
class _Manifest:
    job: str
    num_rows: int
    num_failed: int
    num_errors: int
    #: Name and receipt of each.
    parts: list[dict[str, Any]]
    #: Checksum of the one file, if the parts were joined.
    joined: str | None = None

    @classmethod
    def parsed(cls, *, parts: list[dict[str, Any]], **facts: Any) -> _Manifest:
        """The manifest from the members of its JSON object."""
        listed = [
            {"name": each["name"], "receipt": Receipt(**each["receipt"])}
            for each in parts
        ]
        return cls(**facts, parts=listed)


@dataclass(frozen=True)
class Parts:
    """The parts of one job in its folder; sent to workers."""

    folder: Location
    format: Format
    #: Digest of the fingerprint of the job.
    job: str
    #: Token of the lock of the folder.
    token: str
    #: Column of the ids.
    id: str

    def location(self, chunk: Chunk) -> Location:
        """The file of a chunk."""
        return self.folder.child(chunk.name(self.format))

    def write(self, chunk: Chunk, answers: pa.RecordBatch) -> None:
        """Write a part and its receipt, each atomically."""
        facts = {"job": self.job, "chunk": chunk.number, "rows": answers.num_rows}
        content = _content_of(answers, self.format, facts)
        receipt = Receipt.of(self.job, chunk, content)
        # The receipt first: once a part exists, it is complete.
        self.put(self._receipt(chunk.number), _as_json(asdict(receipt)))
        self.put(self.location(chunk), content)

    def put(self, file: Location, content: bytes) -> None:
        """Write a file atomically, unless the lock was lost."""
        with file.atomic_write() as opened:
            opened.write(content)
            opened.flush()
            require_locked_by(self.folder, self.token)

    def valid(self, chunks: Iterable[Chunk]) -> dict[int, Part]:
        """Parts that are complete, unchanged and of this job, by chunk number."""
        names, known = self.folder.names(), self._listed()
        there = [chunk for chunk in chunks if chunk.name(self.format) in names]

        def checked(chunk: Chunk) -> Part | None:
            return self._checked(chunk, known)

        # Parts are read in parallel, since remote storage answers slowly.
        with ThreadPoolExecutor(8) as threads:
            found = zip(there, threads.map(checked, there), strict=True)
            return {chunk.number: part for chunk, part in found if part is not None}

    def _checked(self, chunk: Chunk, known: Mapping[int, Receipt]) -> Part | None:
        content = self.location(chunk).content()
        if content is None:
            return None
        receipt = Receipt.of(self.job, chunk, content)
        written = record_in(self._receipt(chunk.number).content(), Receipt)
        if receipt not in (written, known.get(chunk.number)):
            return None
        return Part(
            chunk.name(self.format), receipt, report_on(content, self.format, self.id)
        )

    def _receipt(self, number: int) -> Location:
        return self.folder.child(RECEIPTS).child(f"{number:06}.json")

    def _listed(self) -> dict[int, Receipt]:
        """Receipts in the manifest of an earlier run, by chunk number."""
        manifest = self._manifest()
        listed = [] if manifest is None else manifest.parts
        return {each["receipt"].chunk: each["receipt"] for each in listed}

    def _manifest(self) -> _Manifest | None:
        return record_in(self.folder.child(MANIFEST).content(), _Manifest.parsed)

    def names(self) -> set[str]:
        """Names of all files in the folder that are named like parts."""
        return {name for name in self.folder.names() if _PART_NAME.fullmatch(name)}

    def are_finished(self, chunks: Iterable[Chunk], valid: Collection[int]) -> bool:
        """Whether a run has finished the job, and all parts are still valid."""
        numbers = {chunk.number: chunk.name(self.format) for chunk in chunks}
        has_marker = {SUCCESS, MANIFEST} <= self.folder.names()
        is_whole = self.names() == set(numbers.values())
        return has_marker and is_whole and numbers.keys() == set(valid)

    def reopen(self, valid: Iterable[Part]) -> None:
        """Mark the job as not finished; valid parts keep their receipts, as files."""
        names = self.folder.names()
        self.folder.child(RECEIPTS).make_folder()
        if SUCCESS in names:
            self.folder.child(SUCCESS).remove()
        for receipt in (part.receipt for part in valid):
            file = self._receipt(receipt.chunk)
            if record_in(file.content(), Receipt) != receipt:
                self.put(file, _as_json(asdict(receipt)))
        if MANIFEST in names:
            self.folder.child(MANIFEST).remove()

    def finish(self, parts: Iterable[Part], report: Report) -> None:
        """Write the manifest, then the success marker."""
        self._write_manifest(parts, report)
        self.folder.child(RECEIPTS).remove()
        self.put(self.folder.child(SUCCESS), b"")

    def join(self, parts: Iterable[Part], report: Report, target: Location) -> None:
        """Write all rows to one file; the manifest has its checksum."""
        listed = list(parts)
        files = [self.folder.child(part.name) for part in listed]
        with target.atomic_write() as opened:
            file = _HashingFile(opened)
            facts = {"job": self.job, "rows": report.num_rows}
            _join(files, file, self.format, facts)
            self._write_manifest(listed, report, joined=file.sha256)

    def has_joined(self, target: Location) -> bool:
        """Whether this job completed the one file: the manifest has its checksum."""
        manifest = self._manifest()
        if manifest is None or manifest.job != self.job:
            return False
        return manifest.joined == target.sha256()

    def _write_manifest(
        self, parts: Iterable[Part], report: Report, joined: str | None = None
    ) -> None:
        manifest = _Manifest(
            self.job,
            report.num_rows,
            report.num_failed,
            report.num_errors,
            [{"name": part.name, "receipt": part.receipt} for part in parts],
            joined,
        )
        facts = {
            name: fact for name, fact in asdict(manifest).items() if fact is not None
        }
        self.put(self.folder.child(MANIFEST), _as_json(facts))


def _as_json(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


def _content_of(
    answers: pa.RecordBatch, format: Format, facts: Mapping[str, object]
) -> bytes:
    """The content of a file of some rows; equal rows and facts have equal bytes."""
    if format is Format.PARQUET:
        sink = pa.BufferOutputStream()
        table = pa.Table.from_batches([answers])
        table = table.replace_schema_metadata(_metadata(facts))
        pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
        content: bytes = sink.getvalue().to_pybytes()
        return content
    names = answers.schema.names
    rows = zip(*map(json_values, answers.columns), strict=True)
    lines = (
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n"
        for row in rows
    )
    return "".join(lines).encode()


def _metadata(facts: Mapping[str, object]) -> dict[str, str]:
    return {f"thatch.{name}": str(value) for name, value in facts.items()}


def report_on(content: bytes, format: Format, id: str) -> Report:
    """Report on rows that were written before."""
    names = [id, ERROR, STATUS]
    if format is Format.PARQUET:
        table = pq.read_table(pa.BufferReader(content), columns=names)
        return Report.of(*(table.column(name).to_pylist() for name in names))
    rows = [json.loads(line) for line in content.splitlines()]
    return Report.of(*([row[name] for row in rows] for name in names))


def _join(
    files: Iterable[Location],
    target: BinaryIO | _HashingFile,
    format: Format,
    facts: Mapping[str, object],
) -> None:
    if format is Format.JSON_LINES:
        for each in files:
            target.write(each.content() or b"")
        return
    writer = None
    for each in files:
        table = pq.read_table(pa.BufferReader(each.content() or b""))
        table = table.replace_schema_metadata(_metadata(facts))
        if writer is None:
            writer = pq.ParquetWriter(
                target, table.schema, compression="zstd", write_page_checksum=True
            )
        writer.write_table(table)
    if writer is not None:
        writer.close()


class _HashingFile(io.RawIOBase):
    """A file for writing that computes the checksum of what is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Checksum of all bytes so far."""
        return self._hash.hexdigest()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, content: Any, /) -> int:
        """Write bytes."""
        self._hash.update(content)
        return self._file.write(content)
