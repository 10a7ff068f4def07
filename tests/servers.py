"""Servers for tests: real processes, on loopback, on ports that are free."""

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass

COMMAND = [sys.executable, "-c", "from thatch.cli import main; main()"]


@dataclass
class Server:
    """A running ``thatch serve``."""

    address: str
    process: subprocess.Popen

    def stop(self):
        """Ask it to stop; its exit code and the last that it said."""
        self.process.terminate()
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@contextmanager
def serving(*options, port=0):
    """A server that is there within the block."""
    arguments = [*COMMAND, "serve", "--port", str(port), *map(str, options)]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    try:
        first = process.stderr.readline()
        assert first.startswith("thatch is at http://127.0.0.1:"), first
        yield Server(first.split()[3], process)
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stderr.close()
