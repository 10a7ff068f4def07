"""Clusters of dask on this machine, as a command would start them."""

import subprocess
import sys
from contextlib import contextmanager

from engine_tasks import ENVIRONMENT

_QUIET = ENVIRONMENT | {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"}


@contextmanager
def running(*arguments, **files):
    """A dask command that runs within the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments], env=_QUIET, text=True, **files
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=300)


@contextmanager
def running_cluster(folder):
    """Address of a scheduler with two workers."""
    contact = folder / "scheduler.json"
    scheduler = running(
        "scheduler",
        *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        *("--scheduler-file", contact),
    )
    worker = (
        "worker",
        *("--scheduler-file", contact, "--host", "127.0.0.1", "--nthreads", "1"),
        *("--no-dashboard", "--local-directory", folder),
    )
    with scheduler, running(*worker), running(*worker):
        from distributed import Client

        with Client(scheduler_file=contact, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=300)
            yield client.scheduler.address
