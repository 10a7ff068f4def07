"""Corpus jobs that are killed and whose parts are damaged: a resumed job mends them.

After any sequence of kills and damage, ``--resume`` leaves the same bytes as an
undisturbed job.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from time import monotonic

from corpus_texts import text_of
from processes import children_of

NUM_ROWS, ROWS_PER_CHUNK = 90, 10
_COMMAND = (
    f"import thatch.corpus.plan as plan; plan.ROWS_PER_CHUNK = {ROWS_PER_CHUNK}\n"
    "from thatch.cli import main; main()"
)
#: Name of the output, and its options, by kind.
KINDS = {
    "parquet": ("out", ()),
    "jsonl": ("out", ("--format", "jsonl")),
    "file": ("out.jsonl", ()),
}
DAMAGES = ("cut", "flip", "empty", "swap", "rename", "foreign", "unreceipted")


def case(random: Random) -> tuple[str, bytes]:
    """What happens to a job: kills while it runs, then damage, once or twice."""
    events = [
        {
            "worker_killed_at": [random.uniform(0.3, 1.0)] * random.randint(0, 1),
            "command_killed_at": random.uniform(0.3, 1.2),
            "damage": [
                [random.choice(DAMAGES), random.random(), random.random()]
                for _ in range(random.randint(0, 3))
            ],
        }
        for _ in range(random.randint(1, 2))
    ]
    kind = random.choice(list(KINDS))
    return ".json", json.dumps({"kind": kind, "events": events}).encode()


def failure_of(path: Path) -> str | None:
    """How a resumed job differs from an undisturbed one."""
    plan = json.loads(path.read_bytes())
    undisturbed = _undisturbed(plan["kind"])
    with tempfile.TemporaryDirectory() as folder:
        job = _Job(plan["kind"], Path(folder))
        resume = False
        for event in plan["events"]:
            job.run_until_killed(event, undisturbed.seconds, resume=resume)
            job.damage(event["damage"])
            resume = True
        has_ended = job.has_ended
        finished = job.start("--resume")
        errors = finished.communicate()[1].decode()
        # A finished file has nothing to resume.
        is_refused = has_ended and finished.returncode == 2
        if finished.returncode != 0 and not is_refused:
            return f"exit code {finished.returncode}: {errors[-1000:]}"
        if job.content() != undisturbed.content:
            return "the output differs from that of an undisturbed job"
        patterns = ("*lock*", "*.parts")
        left = [each.name for p in patterns for each in Path(folder).rglob(p)]
        return f"left behind: {left}" if left else None


@cache
def _source() -> Path:
    """One input for all jobs, since a job records the path and time of its input."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    rows = ({"id": f"t{k}", "text": text_of(k)} for k in range(NUM_ROWS))
    path = Path(folder) / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@dataclass(frozen=True)
class _Undisturbed:
    content: dict[str, bytes]
    seconds: float


@cache
def _undisturbed(kind: str, budget: int = 12) -> _Undisturbed:
    """What a job that nobody disturbs leaves, and how long it takes."""
    with tempfile.TemporaryDirectory() as folder:
        job = _Job(kind, Path(folder), budget)
        begin = monotonic()
        process = job.start()
        errors = process.communicate()[1].decode()
        assert process.returncode == 0, errors
        return _Undisturbed(job.content(), monotonic() - begin)


class _Job:
    def __init__(self, kind: str, folder: Path, budget: int = 12) -> None:
        name, self._options = KINDS[kind]
        self._kind, self._budget = kind, budget
        self._target = folder / name
        self._parts = self._target if kind != "file" else Path(f"{self._target}.parts")

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        arguments = ["corpus", _source(), self._target, "--budget", self._budget]
        arguments += ["--workers", 2, *self._options, *options]
        return subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def run_until_killed(self, event: dict, seconds: float, *, resume: bool) -> None:
        """Start the job; kill a worker and the command after shares of the time."""
        begin = monotonic()
        process = self.start(*["--resume"] * resume)
        for share in event["worker_killed_at"]:
            _wait(process, begin + share * seconds)
            for child in sorted(children_of(process.pid, recursive=True))[-1:]:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
        _wait(process, begin + event["command_killed_at"] * seconds)
        process.kill()
        process.communicate()

    @property
    def has_ended(self) -> bool:
        """Whether the one file is finished, and its parts are removed."""
        left = {each.name for each in self._parts.glob("*")} - {"_lock"}
        return self._kind == "file" and self._target.is_file() and not left

    def damage(self, damages: list[tuple[str, float, float]]) -> None:
        """Change the parts that are there."""
        for kind, which, where in damages:
            parts = sorted(self._parts.glob("part-*"))
            if parts:
                _damage(kind, parts[int(which * len(parts))], parts, where, self._kind)

    def content(self) -> dict[str, bytes]:
        """All files of the output, by name."""
        if self._target.is_file():
            return {self._target.name: self._target.read_bytes()}
        files = (each for each in self._target.iterdir() if each.is_file())
        return {each.name: each.read_bytes() for each in files}


def _damage(
    kind: str, part: Path, parts: list[Path], where: float, job_kind: str
) -> None:
    content = part.read_bytes()
    position = int(where * len(content))
    other = parts[int(where * len(parts))]
    if kind == "cut":
        part.write_bytes(content[:position])
    elif kind == "flip" and content:
        flipped = content[position] ^ 1
        part.write_bytes(
            content[:position] + bytes([flipped]) + content[position + 1 :]
        )
    elif kind == "empty":
        part.write_bytes(b"")
    elif kind == "swap":
        part.write_bytes(other.read_bytes())
        other.write_bytes(content)
    elif kind == "rename":
        part.rename(other)
    elif kind == "unreceipted":
        shutil.rmtree(part.parent / "_parts", ignore_errors=True)
    elif kind == "foreign":
        foreign = _undisturbed("jsonl" if job_kind == "file" else job_kind, budget=7)
        part.write_bytes(foreign.content.get(part.name, b""))


def _wait(process: subprocess.Popen[bytes], end: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, end - monotonic()))
