import errno
import os
import stat
from pathlib import Path

import pytest
from refusals import refused
from systems import linux, posix

from thatch import InputError, read_instance
from thatch.files.atomic_writes import atomic_write, make_folder


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "answer.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), atomic_write(target) as draft:
        draft.write_text("half of the n")
        raise RuntimeError
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["answer.txt"]


def test_a_full_disk_is_reported_with_the_file(tmp_path):
    target = tmp_path / "answer.txt"
    with refused(InputError, target, "No space left"), atomic_write(target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert not any(tmp_path.iterdir())


@linux
def test_a_full_device_is_named():
    with refused(InputError, "/dev/full"), atomic_write("/dev/full") as draft:
        draft.write_text("new")


def test_an_error_about_another_file_is_left_as_it_is(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "answer.txt"):
        (tmp_path / "other.txt").read_text()


@posix
def test_new_files_have_the_usual_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        with atomic_write(tmp_path / "answer.txt") as draft:
            draft.write_text("new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "answer.txt").stat().st_mode) == 0o640


@posix
@pytest.mark.parametrize("mode", [0o600, 0o444, 0o755])
def test_a_rewritten_file_keeps_its_mode(tmp_path, mode):
    target = tmp_path / "answer.txt"
    target.write_text("old")
    target.chmod(mode)
    with atomic_write(target) as draft:
        draft.write_text("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_data_is_synced_before_the_rename_and_the_folder_after_it(
    tmp_path, monkeypatch
):
    """A power cut must not leave a name without its data, so the order is pinned."""
    done = []

    def recorded(name, original):
        def call(*arguments):
            is_folder = name == "sync" and stat.S_ISDIR(os.fstat(*arguments).st_mode)
            done.append("sync folder" if is_folder else name)
            return original(*arguments)

        return call

    monkeypatch.setattr(os, "fsync", recorded("sync", os.fsync))
    monkeypatch.setattr(os, "replace", recorded("rename", os.replace))
    with atomic_write(tmp_path / "answer.txt") as draft:
        draft.write_text("new")
    assert done == ["sync", "rename", "sync folder"]


@posix
def test_a_device_is_written_to_not_replaced():
    with atomic_write("/dev/null") as draft:
        draft.write_text("gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize(
    ("name", "named"),
    [(".", "folder"), ("no/where.txt", "no/where.txt")],
)
def test_paths_that_cannot_be_written_are_refused(tmp_path, name, named):
    with pytest.raises(InputError, match=named), atomic_write(tmp_path / name):
        pass


def test_a_target_that_turns_into_a_folder_meanwhile_is_refused(tmp_path):
    target = tmp_path / "answer.txt"
    with (
        pytest.raises(InputError, match=r"answer\.txt"),
        atomic_write(target) as draft,
    ):
        draft.write_text("new")
        target.mkdir()
        (target / "inside").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["answer.txt"]


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file/folder"):
        make_folder(tmp_path / "file" / "folder")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    with atomic_write(tmp_path / "link.txt") as draft:
        draft.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_names_that_no_file_system_accepts_are_refused(tmp_path, name):
    with (
        pytest.raises(InputError, match=name),
        atomic_write(tmp_path / name),
    ):
        pass
    with pytest.raises(InputError, match=name):
        read_instance(tmp_path / name)
