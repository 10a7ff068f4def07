"""Inputs that failed once, and some new ones, keep the promise of every target."""

from importlib import import_module
from pathlib import Path
from random import Random

import pytest
from fuzz.__main__ import TARGETS

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data" / "fuzz"
PAST = sorted(DATA.glob("*/*"))
# A case of a corpus job takes seconds, one of a solver some milliseconds.
NUM_NEW = {
    "solvers": 20,
    "proofs": 20,
    "covers": 20,
    "plans": 10,
    "problem_files": 20,
    "documents": 20,
    "http_requests": 30,
    "corpus_jobs": 1,
}


@pytest.mark.parametrize("path", PAST, ids=lambda path: str(path.relative_to(DATA)))
def test_what_failed_once_fails_no_more(path):
    assert import_module(f"fuzz.{path.parent.name}").failure_of(path) is None


@pytest.mark.parametrize("name", TARGETS)
def test_new_cases_do_not_fail(name, tmp_path):
    target = import_module(f"fuzz.{name}")
    for seed in range(NUM_NEW[name]):
        suffix, content = target.case(Random(seed))
        path = tmp_path / f"case-{seed}{suffix}"
        path.write_bytes(content)
        assert target.failure_of(path) is None, seed
