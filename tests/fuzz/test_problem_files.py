"""Mutated problem files are solved, or refused as invalid input."""

from pathlib import Path
from random import Random

import pytest
from fuzz import mutations, problem_files

REGRESSIONS = sorted(
    (Path(__file__).parents[1] / "data/fuzz/problem_files").glob("*.*")
)


@pytest.fixture(scope="module", autouse=True)
def everything_is_loaded():
    problem_files.load_everything()


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.name)
def test_files_that_failed_once_are_solved_or_refused(path):
    outcome = problem_files.outcome_of(path)
    assert outcome.is_expected, outcome


def test_some_mutated_files_are_solved_or_refused(tmp_path):
    for suffix, content in problem_files.mutated_files(40, Random(0)):
        path = tmp_path / f"mutated{suffix}"
        path.write_bytes(content)
        outcome = problem_files.outcome_of(path)
        assert outcome.is_expected, (suffix, content, outcome)


def test_the_same_seed_gives_the_same_files():
    once, again = (list(problem_files.mutated_files(30, Random(7))) for _ in range(2))
    assert once == again


@pytest.mark.parametrize("mutation", mutations.OF_ANY_FILE)
@pytest.mark.parametrize("content", [b"", b"1", b"1 2\n3 4\n"])
def test_every_mutation_takes_any_file(mutation, content):
    for seed in range(20):
        assert isinstance(mutation(content, Random(seed)), bytes)
