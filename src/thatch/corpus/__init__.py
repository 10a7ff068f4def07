"""Summaries of every row of a corpus, on any engine."""

from thatch.corpus.batch import summarize_batch, summary_schema
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.corpus.report import ErrorKind, ErrorLimit, Report
from thatch.corpus.statistics import corpus_statistics
from thatch.files.locations import Format, Location

__all__ = [
    "CorpusSettings",
    "ErrorKind",
    "ErrorLimit",
    "Format",
    "Job",
    "Location",
    "Report",
    "corpus_statistics",
    "summarize_batch",
    "summary_schema",
]
