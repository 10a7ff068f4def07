"""How far functions exceed their time limits.

    python -m benchmarks.limits --sizes 10000 100000 --limits 0.2 1

One line per run: function, items, limit, and seconds over it.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable, Iterator

import numpy as np

from thatch import CoverageProblem, Summarizer, cover, select, solve
from thatch.errors import InfeasibleError, NoTimeError
from thatch.planning import alternatives, importance, sweep
from thatch.solvers import Exact, LocalSearch

# An answer that is not there in time, which the functions may raise.
_NO_ANSWER = (InfeasibleError, NoTimeError)


def random_sets(num_items: int, seed: int) -> CoverageProblem:
    """Items that cover five elements each, of real weights, at real costs."""
    rng = np.random.default_rng(seed)
    sets = rng.integers(0, 2 * num_items, (num_items, 5)).tolist()
    return CoverageProblem.from_sets(
        [set(each) for each in sets],
        costs=rng.uniform(1, 10, num_items),
        weights=rng.uniform(1, 10, 2 * num_items)[: max(map(max, sets)) + 1],
        budget=num_items / 2,
    )


def constrained(problem: CoverageProblem) -> dict[str, CoverageProblem]:
    """The problem with each kind of constraints, and one that nothing keeps."""
    n = problem.num_items
    pairs = np.random.default_rng(n).permutation(n)[: n // 2].reshape(-1, 2)
    hours = np.random.default_rng(n + 1).uniform(1, 10, n)
    return {
        "groups": problem.with_constraints(
            groups=(np.arange(n) % (n // 10)).tolist(), at_most=2
        ),
        "required": problem.with_constraints(required=list(range(50))),
        "staff": problem.with_constraints(budgets={"staff": (hours, hours.sum() / 20)}),
        "conflicts": problem.with_constraints(conflicts=pairs.tolist()),
        "infeasible": problem.with_constraints(
            required=list(range(10)),
            conflicts=[(4, 5), *pairs[pairs.min(1) >= 10].tolist()],
        ),
    }


def words(num_items: int, seed: int, length: int = 12) -> list[str]:
    """Sentences of random words."""
    rng = np.random.default_rng(seed)
    ranks = rng.zipf(1.3, (num_items, length)) % 20_000
    return [" ".join(f"w{rank}" for rank in ranks_of) for ranks_of in ranks.tolist()]


Call = Callable[[float], object]


def calls(num_items: int) -> Iterator[tuple[str, Call]]:
    """Every function with a time limit, on problems of that size."""
    plain = random_sets(num_items, 0)
    budgets = [num_items / k for k in (50, 20, 10, 5, 2)]
    yield "solve", lambda limit: solve(plain, max_seconds=limit)
    yield (
        "solve exact",
        lambda limit: solve(plain, Exact(), max_seconds=limit),
    )
    yield "local", lambda limit: solve(plain, LocalSearch(), max_seconds=limit)
    yield "cover", lambda limit: cover(plain, max_seconds=limit)
    yield "cover 90%", lambda limit: cover(plain, share=0.9, max_seconds=limit)
    yield "sweep", lambda limit: sweep(plain, budgets, max_seconds=limit)
    yield "alternatives", lambda limit: alternatives(plain, max_seconds=limit)
    result = solve(plain, max_seconds=0.5)
    yield "importance", lambda limit: importance(result, max_seconds=limit)
    for kind, problem in constrained(plain).items():
        yield f"solve {kind}", lambda limit, p=problem: solve(p, max_seconds=limit)
        yield f"cover {kind}", lambda limit, p=problem: cover(p, max_seconds=limit)
        yield (
            f"sweep {kind}",
            lambda limit, p=problem: sweep(p, budgets, max_seconds=limit),
        )
    chunks = words(num_items, 2)
    yield (
        "select",
        lambda limit: select(chunks, 2000, query="w1 w2 w30", max_seconds=limit),
    )
    text = ". ".join(each.capitalize() for each in chunks) + "."
    summarizer = Summarizer()
    yield "summarize", lambda limit: summarizer.summarize(text, 200, max_seconds=limit)
    yield (
        "curve",
        lambda limit: summarizer.curve(text, [50, 100, 200], max_seconds=limit),
    )


def main() -> None:
    """Run the calls and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--limits", type=float, nargs="+", default=[0.2, 1.0])
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for _, call in calls(100):
        over(call, 0.1)  # the first call imports
    for num_items in options.sizes:
        for name, call in calls(num_items):
            if options.only not in name:
                continue
            for limit in options.limits:
                print(f"{name:20} {num_items:>7,} {limit:5} {over(call, limit):8.2f}")


def over(call: Call, limit: float) -> float:
    """By how many seconds a call exceeds its limit."""
    began = time.perf_counter()
    with contextlib.suppress(*_NO_ANSWER):
        call(limit)
    return time.perf_counter() - began - limit


if __name__ == "__main__":
    main()
