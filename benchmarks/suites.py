"""How long it takes to select tests, and how far from the bound the selection is.

A suite of 3,000 tests is generated, which cover 50,000 of the 70,000 lines of a program
(see `suite_generator.py`); its coverage is written as pytest-cov would write it.
Measured are reading the file, building the problem and selecting the tests, without the
start of Python:

    python benchmarks/suites.py
    python benchmarks/suites.py --tests 1000 --share 0.9
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from suite_generator import GeneratedSuite, generated_suite

from thatch.suites.coverage_files import read_recording
from thatch.suites.selecting import select_tests
from thatch.suites.suite import Suite
from thatch.suites.suite_report import SuiteReport


def main() -> None:
    options = parsed_options()
    drawn = generated_suite(options.tests, options.lines, seed=options.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ".coverage"
        drawn.write_coverage(path)
        for _ in range(options.rounds):
            seconds, report = measured(path, drawn, options.share)
            print(
                f"{seconds[0]:.2f} s reading, {seconds[1]:.2f} s in all: "
                f"{len(report.selected):,} of {report.num_tests:,} tests, "
                f"{report.seconds:.3f} of {report.total_seconds:.1f} s, at least "
                f"{report.bound:.3f} s (gap {report.gap:.3%}); {report.lines:,} of "
                f"{report.covered_lines:,} lines ({report.kept_share:.2%})"
            )


def measured(
    path: Path, drawn: GeneratedSuite, share: float
) -> tuple[tuple[float, float], SuiteReport]:
    """Seconds for reading and in all, and the report."""
    began = time.perf_counter()
    recording = read_recording(path)
    read = time.perf_counter() - began
    durations = dict(zip(drawn.node_ids, drawn.seconds, strict=True))
    report = select_tests(Suite.of(recording, durations=durations), share=share)
    return (read, time.perf_counter() - began), report


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=3_000)
    parser.add_argument("--lines", type=int, default=70_000)
    parser.add_argument("--share", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
