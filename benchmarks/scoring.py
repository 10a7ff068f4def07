"""Speed of ROUGE: milliseconds per summary, with prepared references.

python benchmarks/scoring.py
"""

from __future__ import annotations

import time

import numpy as np

from thatch.rouge import References, Rouge
from thatch.rouge.text import stop_words

NUM_SUMMARIES, NUM_REFERENCES, NUM_WORDS = 200, 4, 100


def main() -> None:
    rng = np.random.default_rng(0)
    references = [text(rng) for _ in range(NUM_REFERENCES)]
    summaries = [text(rng) for _ in range(NUM_SUMMARIES)]
    for metric in Rouge().metrics:
        rouge = Rouge(metrics=(metric,), limit_words=NUM_WORDS)
        prepared = rouge.prepare(references)
        best = min(seconds(rouge, summaries, prepared) for _ in range(5))
        print(f"{metric.name:<10} {1000 * best / NUM_SUMMARIES:.3f} ms")


def text(rng: np.random.Generator) -> str:
    """Common words by Zipf's law: the nth word with a probability of 1 / n, scaled."""
    vocabulary = sorted(stop_words())
    ranks = np.arange(1, len(vocabulary) + 1)
    chosen = rng.choice(vocabulary, size=NUM_WORDS, p=1 / ranks / (1 / ranks).sum())
    return " ".join(chosen)


def seconds(rouge: Rouge, summaries: list[str], prepared: References) -> float:
    start = time.perf_counter()
    for summary in summaries:
        rouge.score(summary, prepared)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
