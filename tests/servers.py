"""Servers for tests: real processes, on loopback, on ports that are free."""

import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass

from systems import require_posix

# A warning of the server would fill the terminal of its user.
COMMAND = [
    *(sys.executable, "-W", "error::UserWarning"),
    *("-c", "from thatch.cli import main; main()"),
]
#: The first message of an MCP client.
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


@dataclass
class Server:
    """A running ``thatch serve``."""

    address: str
    process: subprocess.Popen

    def stop(self):
        """Ask it to stop; its exit code and the last that it said."""
        require_posix()
        self.process.terminate()
        _, said = self.process.communicate(timeout=300)
        return self.process.returncode, said


def is_own_address(host):
    """Whether this machine has an address: only Linux has all of 127.0.0.0/8."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True


def command_output(*arguments):
    """Exit code of a command, and what it wrote to standard error."""
    answer = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)
    return answer.returncode, answer.stderr


@dataclass
class Started(Server):
    """A running server, with all that it wrote before it accepted requests."""

    said: str
    addresses: list[str]


@contextmanager
def started(*options):
    """A server with these options that is there within the block."""
    arguments = [*COMMAND, "serve", *map(str, options)]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    said, addresses = "", []
    try:
        while not addresses:
            line = process.stderr.readline()
            assert line, said
            said += line
            addresses = re.findall(r"http://\S+", line)
        yield Started(addresses[0], process, said, addresses)
    finally:
        process.terminate()
        process.wait(timeout=300)
        process.stderr.close()


@contextmanager
def serving(*options, port=0):
    """A server that is there within the block."""
    with started("--port", port, *options) as server:
        assert server.address.startswith("http://127.0.0.1:"), server.said
        yield server
