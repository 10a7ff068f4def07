"""Many documents: batches of them in, batches of summaries out, on any engine."""

from thatch.corpus.batch import SCHEMA_FIELDS, summarize_batch
from thatch.corpus.settings import CorpusSettings

__all__ = ["SCHEMA_FIELDS", "CorpusSettings", "summarize_batch"]
