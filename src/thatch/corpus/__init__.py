"""Many documents: batches of them in, batches of summaries out, on any engine."""

from thatch.corpus.batch import summarize_batch, summary_schema
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.corpus.report import ErrorKind, Report
from thatch.corpus.statistics import corpus_statistics
from thatch.corpus.storage import Format, Place

__all__ = [
    "CorpusSettings",
    "ErrorKind",
    "Format",
    "Job",
    "Place",
    "Report",
    "corpus_statistics",
    "summarize_batch",
    "summary_schema",
]
