"""Mutated problem files are solved, or refused as invalid input."""

from random import Random

import pytest
from fuzz import mutations, problem_files

pytestmark = pytest.mark.slow


def test_the_same_seed_gives_the_same_file():
    for seed in range(30):
        assert problem_files.case(Random(seed)) == problem_files.case(Random(seed))


@pytest.mark.parametrize("mutation", mutations.OF_ANY_FILE)
@pytest.mark.parametrize("content", [b"", b"1", b"1 2\n3 4\n"])
def test_every_mutation_takes_any_file(mutation, content):
    for seed in range(20):
        assert isinstance(mutation(content, Random(seed)), bytes)
