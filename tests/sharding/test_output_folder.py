"""Folders of shards: complete, marked as incomplete, or not there."""

import pytest
from refusals import refused

from thatch.errors import InputError
from thatch.sharding.output_folder import new_folder


def test_one_of_two_processes_writes_a_folder(tmp_path):
    """The second one starts after the first has marked the folder."""
    with (
        new_folder(tmp_path / "out"),
        refused(InputError, "incomplete"),
        new_folder(tmp_path / "out"),
    ):
        raise AssertionError
    assert (tmp_path / "out").is_dir()


@pytest.mark.parametrize("existed", [False, True])
def test_after_an_error_the_folder_is_as_before(tmp_path, existed):
    out = tmp_path / "out"
    if existed:
        out.mkdir()
    with pytest.raises(KeyboardInterrupt), new_folder(out) as location:
        location.child("costs.npy").create(b"costs")
        raise KeyboardInterrupt
    assert out.exists() == existed
    assert list(tmp_path.rglob("*.*")) == []
