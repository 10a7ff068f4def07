"""Processes that tests start, on every system that psutil knows."""

import os
import time

import psutil


def children_of(process, *, recursive=False):
    """Ids of the child processes of a process; with ``recursive``, of theirs as well.

    Empty if the process has ended.
    """
    try:
        found = psutil.Process(process).children(recursive=recursive)
    except psutil.NoSuchProcess:
        return set()
    return {child.pid for child in found}


def wait_until(condition):
    """Wait for something that must come true, however busy the machine is."""
    last_second = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < last_second, "it never came true"
        time.sleep(0.01)  # leave the processor to those who are waited for


def wait_until_session_ends(session):
    """Wait until all processes of a session have ended."""
    _, alive = psutil.wait_procs(_members(session), timeout=300)
    assert not alive


def _members(session):
    """Processes of a session that have not ended."""
    found = []
    for process in psutil.process_iter():
        try:
            is_member = os.getsid(process.pid) == session
            if is_member and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (OSError, psutil.Error):
            continue  # it has ended, or belongs to somebody else
    return found
