"""Corpus jobs for tests."""

import json
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
from servers import COMMAND

from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.files.locations import Location
from thatch.scale import LocalEngine

SETTINGS = CorpusSettings(budget=12)
#: Files in the folder of a finished job, besides its parts.
OWN_FILES = ("_SUCCESS", "_job.json", "_manifest.json")
ONE_WORKER = LocalEngine(num_workers=1)


class SerialEngine:
    """Calls the function in this process, one task after the other."""

    def map(self, function, tasks):
        return ((task, function(task)) for task in tasks)


def run(source, target, *, engine=ONE_WORKER, on_chunk=lambda report: None, **options):
    job = Job(Location(str(source)), Location(str(target)), SETTINGS, **options)
    return job.run(engine, on_chunk=on_chunk)


def bytes_of(folder):
    return {p.name: p.read_bytes() for p in sorted(Path(folder).glob("part-*"))}


def rows_of(target):
    if Path(target).is_dir():
        return pq.read_table(target).to_pylist()
    return [json.loads(line) for line in Path(target).read_text().splitlines()]


def command(*arguments, **options):
    given = [*COMMAND, *map(str, arguments)]
    return subprocess.run(given, capture_output=True, text=True, **options)
