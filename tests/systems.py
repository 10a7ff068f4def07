"""What tests need of the system; they are skipped where it has no such thing."""

import os
import sys

import pytest

_POSIX = "needs the signals, pipes, terminals or file modes of POSIX"
_LINUX = "needs Linux's /proc or its devices"
_MEMORY = "only Linux limits memory"

posix = pytest.mark.skipif(os.name != "posix", reason=_POSIX)
linux = pytest.mark.skipif(sys.platform != "linux", reason=_LINUX)
limited_memory = pytest.mark.skipif(sys.platform != "linux", reason=_MEMORY)


def require_posix():
    """Skip the test that calls this, on Windows."""
    if os.name != "posix":
        pytest.skip(_POSIX)


def require_linux():
    """Skip the test that calls this, on Windows and macOS."""
    if sys.platform != "linux":
        pytest.skip(_LINUX)
