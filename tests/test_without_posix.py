"""Commands without what Windows lacks: modules and functions of POSIX are removed.

This shows that nothing needs them; it is no substitute for a run on Windows.
"""

import os
import shutil
import sysconfig

import pytest
from installed import commands
from systems import linux

pytestmark = pytest.mark.slow

# Python runs this at its start. Its own modules must still work, so only what they can
# do without is removed.
SITE_CUSTOMIZE = """
import asyncio, errno, os, signal, sys

for name in ("grp", "pwd", "pty", "resource", "termios", "tty"):
    sys.modules[name] = None
if "mcp" not in sys.orig_argv:  # that package imports it wherever it exists
    sys.modules["fcntl"] = None
for name in (
    *("fchmod", "fork", "forkpty", "getuid", "geteuid", "killpg", "mkfifo", "openpty"),
    *("pread", "pwrite", "register_at_fork", "sched_getaffinity", "statvfs", "sync"),
):
    delattr(os, name)
for name in ("SIGHUP", "SIGUSR1", "SIGXFSZ", "alarm", "pthread_kill", "setitimer"):
    delattr(signal, name)


def unsupported(self, *arguments):
    raise NotImplementedError


asyncio.AbstractEventLoop.add_signal_handler = unsupported
asyncio.SelectorEventLoop.add_signal_handler = unsupported

opened, fsync, readers = os.open, os.fsync, set()


def open_and_note(path, flags, *arguments, **options):
    descriptor = opened(path, flags, *arguments, **options)
    if flags & (os.O_WRONLY | os.O_RDWR):
        readers.discard(descriptor)
    else:
        readers.add(descriptor)
    return descriptor


def fsync_of_writers(descriptor):
    if descriptor in readers:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    fsync(descriptor)


os.open, os.fsync = open_and_note, fsync_of_writers
"""


@linux
@pytest.mark.parametrize("check", commands.CHECKS, ids=lambda check: check.__name__)
def test_a_command_needs_nothing_that_windows_lacks(check, tmp_path):
    site, place = tmp_path / "site", tmp_path / "place"
    site.mkdir()
    place.mkdir()
    (site / "sitecustomize.py").write_text(SITE_CUSTOMIZE)
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    program = shutil.which("thatch", path=sysconfig.get_path("scripts"))
    check(commands.Runner(program, place, environment))
