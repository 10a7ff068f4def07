"""Measure speed and memory of `thatch corpus` with one worker and with more.

python benchmarks/corpora.py [DOCUMENTS] [--workers 1 2] [--words 500] [--folder FOLDER]

Documents are passages of the sample texts in this repository, WORDS words each. The
time is that of the whole command. Memory is the total of all its processes, measured
once per second, with every shared page counted once (Linux only).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from thatch import Document
from thatch.text.passages.passages import Passages

ROOT = Path(__file__).parent.parent
SAMPLES = [
    ROOT / "examples" / "pep-8016.txt",
    *sorted((ROOT / "src" / "thatch" / "serve" / "page" / "samples").glob("*.txt")),
]


@dataclass(frozen=True)
class Measured:
    """One run of the command."""

    seconds: float
    #: MiB, one value per second.
    memory: list[float]


def main() -> None:
    arguments = parsed()
    folder = Path(tempfile.mkdtemp(dir=arguments.folder))
    try:
        corpus = folder / "documents.jsonl"
        write_documents(corpus, arguments.documents, arguments.words)
        print(f"{arguments.documents:,} documents of {arguments.words} words")
        heads = f"{'workers':>7}{'seconds':>9}{'per second':>12}"
        print(f"{heads}{'MiB midway':>12}{'peak':>6}")
        for num_workers in arguments.workers:
            measured = run(corpus, folder / f"out-{num_workers}", num_workers)
            report(num_workers, arguments.documents, measured)
    finally:
        shutil.rmtree(folder)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("documents", type=int, nargs="?", default=2000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--words", type=int, default=500)
    parser.add_argument(
        "--folder", type=Path, help="where to write (default: temporary)"
    )
    return parser.parse_args()


def write_documents(path: Path, num_documents: int, num_words: int) -> None:
    samples = [
        [passage.text for passage in Passages.of([Document(sample.read_text())])]
        for sample in SAMPLES
    ]
    chance = random.Random(0)
    with path.open("w") as file:
        for number in range(num_documents):
            text = " ".join(stretch(chance.choice(samples), num_words, chance))
            file.write(json.dumps({"id": number, "text": text}) + "\n")


def stretch(
    sentences: list[str], num_words: int, chance: random.Random
) -> Iterator[str]:
    """Consecutive sentences from a random one on, until there are enough words."""
    at = chance.randrange(len(sentences))
    while num_words > 0:
        yield sentences[at % len(sentences)]
        num_words -= len(sentences[at % len(sentences)].split())
        at += 1


def run(corpus: Path, target: Path, num_workers: int) -> Measured:
    command = [sys.executable, "-c", "from thatch.cli import main; main()", "corpus"]
    start = time.perf_counter()
    process = subprocess.Popen(
        [*command, corpus, target, "--workers", str(num_workers)],
        stderr=subprocess.DEVNULL,
    )
    memory = []
    while process.poll() is None:
        memory.append(mebibytes(process.pid))
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
    if process.returncode != 0:
        raise SystemExit(f"error: the command exited with code {process.returncode}")
    return Measured(time.perf_counter() - start, memory)


def mebibytes(process: int) -> float:
    """Memory of a process and of all its descendants."""
    total = 0.0
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) / 1024
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            total += sum(map(mebibytes, map(int, task.read_text().split())))
    return total


def report(num_workers: int, num_documents: int, measured: Measured) -> None:
    speed = num_documents / measured.seconds
    middle = measured.memory[len(measured.memory) // 2]
    print(
        f"{num_workers:>7}{measured.seconds:>9.1f}{speed:>12.0f}"
        f"{middle:>12.0f}{max(measured.memory):>6.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
