"""Arrays in files: mapped, and their memory given back."""

import sys
from pathlib import Path

import numpy as np
import pytest

from thatch.files.locations import Location
from thatch.scale.shards.array_files import mapped, release, write


@pytest.fixture
def numbers(tmp_path):
    location = Location.of(tmp_path).child("numbers.npy")
    write(location, np.arange(4_000_000))
    return mapped(location)


def mapped_kibibytes():
    with Path("/proc/self/status").open() as lines:
        return next(int(x.split()[1]) for x in lines if x.startswith("RssFile:"))


def test_a_released_array_is_read_again(numbers):
    before = numbers.sum()
    release(numbers)
    assert numbers.sum() == before


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_released_array_takes_no_memory(numbers):
    numbers.sum()
    full = mapped_kibibytes()
    release(numbers)
    assert full - mapped_kibibytes() > 0.9 * numbers.nbytes / 1024


def test_an_array_that_is_not_mapped_is_left_alone():
    array = np.arange(3)
    release(array[1:])
    assert array.tolist() == [0, 1, 2]
