"""Copies of files in other storage."""

import os
import tempfile

import numpy as np
import pytest

from thatch.files.locations import Location
from thatch.scale.shards.array_files import copy_of, mapped, remove_copy, write


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = Location("memory://copies/numbers.npy")
    write(file, np.arange(3))
    yield file
    file.remove()


def names(tmp_path):
    return [path.name for path in tmp_path.rglob("*") if path.is_file()]


def test_a_file_is_copied_once(file, tmp_path):
    assert mapped(file).tolist() == [0, 1, 2]
    assert copy_of(file) == copy_of(Location(file.address))
    assert len(names(tmp_path)) == 1
    remove_copy(file)
    assert names(tmp_path) == []


def test_a_file_that_was_replaced_is_copied_again(file):
    mapped(file)
    write(file, np.arange(4))
    assert mapped(file).tolist() == [0, 1, 2, 3]


def test_copies_that_nobody_uses_are_removed(file, tmp_path):
    os.utime(copy_of(file), (0, 0))
    other = Location("memory://copies/others.npy")
    write(other, np.arange(2))
    assert copy_of(other).name in names(tmp_path)
    assert len(names(tmp_path)) == 1


def test_a_copy_that_fails_leaves_nothing(tmp_path, file, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.copyfileobj", interrupted)
    with pytest.raises(KeyboardInterrupt):
        copy_of(file)
    assert names(tmp_path) == []
