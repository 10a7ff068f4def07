"""How far estimated token counts are off, by kind of text and tokenizer.

python benchmarks/tokens.py TEXTS TOKENIZER...

TEXTS is a folder with one folder of text files per kind of text; TOKENIZER is what
``--tokenizer`` accepts, such as the path of a tokenizer.json. The costs of the estimate
were fitted to other files of the same kinds.

Each cell has the share of passages whose estimate is too low, and the error at the
first percentile, at the median and at the 99th percentile.
"""

import sys
import time
from pathlib import Path

import numpy as np

from thatch.text import Unit, tokens_by_name
from thatch.text.choices import unit_of

MIN_TOKENS = 50
CHARACTERS_PER_PASSAGE = (300, 700, 1500)


def main() -> None:
    folder, *names = sys.argv[1:]
    tokenizers = {Path(name).name[:20]: tokens_by_name(name) for name in names}
    print("| kind of text | passages |", " | ".join(tokenizers), "|")
    print("|---|---:|" + "---:|" * len(tokenizers))
    for kind in sorted(Path(folder).iterdir()):
        passages = passages_of(sorted(kind.iterdir()))
        estimates = np.array(unit_of("tokens").measure_each(passages))
        cells = [
            errors(estimates, np.array(tokenizer.measure_each(passages)))
            for tokenizer in tokenizers.values()
        ]
        print(f"| {kind.name} | {len(passages):,} |", " | ".join(cells), "|")
    texts = passages_of(sorted(Path(folder).glob("*/*")))
    for name, unit in {"estimate": unit_of("tokens"), **tokenizers}.items():
        print(f"{name}: {tokens_per_second(unit, texts) / 1e6:.1f} M tokens per second")


def passages_of(files: list[Path]) -> list[str]:
    """Texts cut after lines into passages of different lengths."""
    passages = []
    for k, file in enumerate(files):
        size, current = CHARACTERS_PER_PASSAGE[k % len(CHARACTERS_PER_PASSAGE)], ""
        for line in file.read_text("utf-8", "replace").splitlines(keepends=True):
            pieces = [line[c : c + size] for c in range(0, len(line), size)]
            for piece in pieces:
                current += piece
                if len(current) >= size:
                    passages.append(current)
                    current = ""
    return passages


def errors(estimates: np.ndarray, counts: np.ndarray) -> str:
    is_long = counts >= MIN_TOKENS
    ratios = estimates[is_long] / counts[is_long] - 1
    if not ratios.size:
        return "-"
    low, median, high = np.quantile(ratios, [0.01, 0.5, 0.99])
    below = np.mean(ratios < 0)
    return f"{below:.1%}: {low:+.0%} {median:+.0%} {high:+.0%}"


def tokens_per_second(unit: Unit, texts: list[str]) -> float:
    start = time.perf_counter()
    num_tokens = sum(unit.measure_each(texts))
    return num_tokens / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
