"""Compare what is selected for a prompt: thatch, BM25, RM3, MMR and others.

python benchmarks/context.py [--locomo FILE [FIRST LAST]] [--qmsum FILE]
    [--tokenizer NAME_OR_PATH] [--budgets 500 1000 2000] [--every N] [--only METHOD...]
    [--tables DOCUMENT...]

LoCoMo's file is locomo10.json; settings of thatch were chosen on its conversations 1 to
5, so that 6 to 10 are reported. QMSum's file has one meeting per line. Neither is part
of thatch. Evidence is the mean share of the evidence of a question that is in the
context, and all the share of questions with all of theirs, at equal budgets; chunks are
separated by line breaks, which count. Intervals are those of the difference to BM25
top-k at each budget, paired by question, at 95 %. Milliseconds are medians per question
on one thread; BM25 and others have their index made before.

The pools are measured as they are, and with each chunk three times: verbatim, truncated
and reworded. Only the verbatim copy counts as evidence there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from context_methods import Method, Ranked, methods
from context_sets import Pool, locomo, qmsum
from tables import Table, write_into

from thatch.text import Unit, tokens_by_name

_SAMPLES, _LEVEL = 10_000, 0.95


@dataclass(frozen=True)
class Outcome:
    """What a method reached on the questions of some pools."""

    #: Share of the evidence found: shape (num_questions, num_budgets).
    recalls: np.ndarray
    seconds: Sequence[float]

    def row(self, name: str, base: Outcome) -> list[str]:
        """The row of a table."""
        evidence = " / ".join(f"{100 * each:.1f}" for each in self.recalls.mean(axis=0))
        whole = (self.recalls >= 1.0).mean(axis=0)
        intervals = map(interval, (self.recalls - base.recalls).T)
        shown = [f"{100 * low:+.1f} to {100 * high:+.1f}" for low, high in intervals]
        return [
            name,
            evidence,
            " / ".join(f"{100 * each:.1f}" for each in whole),
            "" if self is base else " / ".join(shown),
            f"{1000 * median(self.seconds):.0f}",
        ]


def interval(differences: np.ndarray) -> tuple[float, float]:
    """The middle of the means of samples with replacement."""
    random = np.random.default_rng(0)
    samples = random.integers(differences.size, size=(_SAMPLES, differences.size))
    tails = (1 - _LEVEL) / 2
    low, high = np.quantile(differences[samples].mean(axis=1), [tails, 1 - tails])
    return float(low), float(high)


def measured(
    pools: Sequence[tuple[Pool, Ranked]],
    method: Method,
    budgets: Sequence[float],
    every: int,
) -> Outcome:
    recalls, seconds = [], []
    for pool, ranked in pools:
        for question in pool.questions[::every]:
            row = []
            for budget in budgets:
                start = perf_counter()
                chosen = method(ranked, question.query, budget)
                seconds.append(perf_counter() - start)
                found = {pool.ids[k] for k in chosen} & question.evidence
                row.append(len(found) / len(question.evidence))
            recalls.append(row)
    return Outcome(np.array(recalls), seconds)


def compared(
    name: str,
    title: str,
    pools: Iterable[Pool],
    unit: Unit,
    arguments: argparse.Namespace,
) -> Table:
    """The table of all methods on some pools."""
    ready = [(pool, Ranked.of(pool.chunks, unit)) for pool in pools]
    rows, base = [], None
    for method_name, method in methods(unit).items():
        if base is not None and arguments.only and method_name not in arguments.only:
            continue
        outcome = measured(ready, method, arguments.budgets, arguments.every)
        base = base or outcome
        rows.append(outcome.row(method_name, base))
        print(" | ".join(rows[-1]), flush=True)
    budgets = " / ".join(f"{budget:g}" for budget in arguments.budgets)
    header = ["method", f"evidence at {budgets}", "all", "difference", "ms"]
    return Table(name, title, header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare context selection.")
    parser.add_argument("--locomo", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--qmsum", type=Path, metavar="FILE")
    parser.add_argument("--tokenizer", default="cl100k_base")
    parser.add_argument("--budgets", nargs="+", type=float, default=[500, 1000, 2000])
    parser.add_argument("--every", type=int, default=1, help="every Nth question only")
    parser.add_argument("--only", nargs="*", default=[], metavar="METHOD")
    parser.add_argument("--tables", nargs="*", type=Path, default=[])
    arguments = parser.parse_args()
    unit = tokens_by_name(arguments.tokenizer)
    if unit.note:
        print(unit.note)
    sets: dict[str, list[Pool]] = {}
    if arguments.locomo:
        path, *numbers = arguments.locomo
        first, last = map(int, numbers or (6, 10))
        sets["LoCoMo"] = list(locomo(Path(path), first, last))
    if arguments.qmsum:
        sets["QMSum"] = list(qmsum(arguments.qmsum))
    tables = []
    for name, pools in sets.items():
        for kind, changed in (
            ("", pools),
            (", three copies", [pool.with_copies() for pool in pools]),
        ):
            print(f"{name}{kind}")
            mark = f"context-{name.lower()}{'-copies' if kind else ''}"
            tables.append(compared(mark, f"{name}{kind}", changed, unit, arguments))
    for document in arguments.tables:
        write_into(document, tables)


if __name__ == "__main__":
    main()
