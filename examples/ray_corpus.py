"""Summarize a corpus on Ray, an engine that thatch has no code for.

Ray maps Arrow batches over a cluster, and ``summarize_batch`` takes them:

    pip install 'ray[data]'
    python examples/ray_corpus.py
"""

import json
from pathlib import Path

import pyarrow as pa
import ray

from thatch.corpus import CorpusSettings, summarize_batch

NOTES = Path(__file__).parent / "notes"


def summarized(table: pa.Table) -> pa.Table:
    batches = table.combine_chunks().to_batches()
    settings = CorpusSettings(budget=15)
    return pa.Table.from_batches([summarize_batch(b, settings) for b in batches])


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    rows = [{"id": p.name, "text": p.read_text()} for p in sorted(NOTES.glob("*.md"))]
    corpus = ray.data.from_items(rows)
    summaries = corpus.map_batches(summarized, batch_format="pyarrow", batch_size=2)
    for row in sorted(summaries.take_all(), key=lambda row: row["id"]):
        print(json.dumps({name: row[name] for name in ("id", "summary", "status")}))


if __name__ == "__main__":
    main()
