"""Many documents: batches of them in, batches of summaries out, on any engine."""

from thatch.corpus.batch import summarize_batch, summary_schema
from thatch.corpus.job import Job
from thatch.corpus.storage import Format, Place
from thatch.corpus.report import Kind, Report
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.statistics import corpus_statistics

__all__ = [
    "CorpusSettings",
    "Format",
    "Job",
    "Kind",
    "Place",
    "Report",
    "corpus_statistics",
    "summarize_batch",
    "summary_schema",
]
