"""The lock of an output: one owner at a time; that of a dead process is taken over."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from refusals import refused

from thatch import InputError
from thatch.files.locations import Location
from thatch.files.output_lock import LOCK, LockOwner, OutputLock, require_locked_by

fcntl = pytest.importorskip("fcntl", reason="Windows has no such locks")

# Takes the lock of a folder and is killed.
KILLED_OWNER = """
import os, signal, sys
from thatch.files.output_lock import OutputLock
from thatch.files.locations import Location

with OutputLock(Location(sys.argv[1]), on_notice=print):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def unexpected(message):
    raise AssertionError(message)


def locked(folder, on_notice=unexpected):
    return OutputLock(Location(str(folder)), on_notice=on_notice)


@pytest.fixture(params=["disk", "memory", "disk without locks"])
def folder(request, tmp_path, monkeypatch):
    """A folder to lock, on all kinds of storage."""
    if request.param == "memory":
        return Location(f"memory://{tmp_path.name}/out")
    if request.param == "disk without locks":
        flock = fcntl.flock

        def supported(descriptor, operation):
            lock, opened = tmp_path / "out" / LOCK, os.fstat(descriptor)
            if lock.exists() and os.path.samestat(lock.stat(), opened):
                raise OSError(errno.ENOSYS, "Function not implemented")
            return flock(descriptor, operation)

        monkeypatch.setattr(fcntl, "flock", supported)
    return Location(str(tmp_path / "out"))


# A job without what Windows lacks.
JOB_WITHOUT_FCNTL = """
import os, sys
sys.modules["fcntl"] = None
del os.getuid, os.pread, os.pwrite
from thatch.files.output_lock import OutputLock
from thatch.files.locations import Location
from thatch.errors import InputError

folder = Location(sys.argv[1])
for _ in range(2):
    with OutputLock(folder, on_notice=print):
        try:
            with OutputLock(folder, on_notice=print):
                sys.exit("locked twice")
        except InputError as error:
            assert f"process {os.getpid()} " in str(error), error
    assert not folder.exists
"""


def test_a_system_without_such_locks_has_the_lock_file_alone(tmp_path):
    given = [sys.executable, "-c", JOB_WITHOUT_FCNTL, tmp_path / "out"]
    answer = subprocess.run(given, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def with_owner(folder, **differences):
    """Write the lock file of another owner, which does not run here."""
    owner = replace(LockOwner.current(), **differences)
    folder.make_folder()
    with folder.child(LOCK).atomic_write() as file:
        file.write(owner.to_json())
    return owner


def test_a_second_owner_is_refused_and_the_first_is_named(folder):
    with OutputLock(folder, on_notice=unexpected):
        before = folder.child(LOCK).content()
        with (
            refused(InputError, folder.address, f"process {os.getpid()} "),
            OutputLock(folder, on_notice=unexpected),
        ):
            pass
        assert folder.child(LOCK).content() == before
    with OutputLock(folder, on_notice=unexpected):
        assert folder.names() == {LOCK}
    assert not folder.exists


def test_the_lock_of_a_killed_process_is_taken_over_and_that_is_said(tmp_path):
    target = tmp_path / "out"
    process = subprocess.Popen([sys.executable, "-c", KILLED_OWNER, target])
    assert process.wait() == -signal.SIGKILL
    notices = []
    with locked(target, notices.append):
        assert json.loads((target / LOCK).read_text())["process_id"] == os.getpid()
    (notice,) = notices
    assert f"process {process.pid} " in notice
    assert str(target) in notice


def dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_process_that_has_ended_or_whose_number_is_used_again_is_dead(folder):
    notices = []
    with_owner(folder, process_id=dead_process())
    with OutputLock(folder, on_notice=notices.append):
        pass
    with_owner(folder, process_start="1")
    with OutputLock(folder, on_notice=notices.append):
        pass
    assert len(notices) == 2


def test_a_lock_from_before_a_restart_of_the_machine_is_taken_over(folder):
    notices = []
    with_owner(folder, boot="before")
    with OutputLock(folder, on_notice=notices.append):
        pass
    assert len(notices) == 1


def test_the_lock_of_another_machine_is_kept_and_the_hint_names_its_file(folder):
    with_owner(folder, host="elsewhere", boot="other")
    before = folder.child(LOCK).content()
    for _ in range(2):
        with (
            refused(InputError, folder.address, "elsewhere") as caught,
            OutputLock(folder, on_notice=unexpected),
        ):
            pass
        assert folder.child(LOCK).address in caught.value.hint
    assert folder.child(LOCK).content() == before
    folder.child(LOCK).remove()
    with OutputLock(folder, on_notice=unexpected):
        pass


def test_containers_of_one_machine_share_the_locks_of_its_disk(tmp_path):
    notices = []
    with_owner(Location(str(tmp_path)), host="container", namespace="pid:[1]")
    with locked(tmp_path, notices.append):
        pass
    assert len(notices) == 1


def test_of_many_that_find_the_same_stale_lock_one_takes_it_over(tmp_path):
    for k in range(20):
        folder = tmp_path / f"{k}"
        with_owner(
            Location(str(folder)), process_id=dead_process() if k == 0 else 2**22
        )
        together, finished = threading.Barrier(6), threading.Barrier(6)
        outcomes = []

        def compete(folder=folder, begin=together, end=finished, results=outcomes):
            begin.wait()
            try:
                with locked(folder, lambda message: None):
                    results.append("locked")
                    end.wait()
            except InputError:
                results.append("refused")
                end.wait()

        threads = [threading.Thread(target=compete) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["locked"] + ["refused"] * 5


def test_a_lock_file_that_was_damaged_is_taken_over_on_a_disk(tmp_path):
    notices = []
    (tmp_path / LOCK).write_text('{"token": "')
    with locked(tmp_path, notices.append):
        pass
    assert len(notices) == 1


def test_an_empty_folder_of_the_user_is_kept(tmp_path):
    with locked(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_removed_and_taken_by_another_is_left_to_it(folder):
    with OutputLock(folder, on_notice=unexpected) as lock:
        require_locked_by(folder, lock.token)
        folder.child(LOCK).remove()
        with refused(InputError, folder.address):
            require_locked_by(folder, lock.token)
        other = with_owner(folder, process_id=1)
        with refused(InputError, folder.address, "process 1 "):
            require_locked_by(folder, lock.token)
    assert folder.child(LOCK).content() == other.to_json()


def test_a_full_disk_does_not_leave_the_lock_held(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="space"):
        patched.setattr(os, "pwrite", full)
        with locked(tmp_path / "out"):
            pass
    with locked(tmp_path / "out"):
        pass
