"""Many documents: batches of them in, batches of summaries out, on any engine."""

from thatch.corpus.batch import summarize_batch
from thatch.corpus.settings import SCHEMA_FIELDS, CorpusSettings

__all__ = ["SCHEMA_FIELDS", "CorpusSettings", "summarize_batch"]
