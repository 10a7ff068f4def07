"""Commands in processes of their own: what they print, and what is wrong with it."""

import os
import subprocess
import sys

import pytest
from fuzz import commands

pytestmark = pytest.mark.slow


def test_a_traceback_of_a_process_that_the_command_starts_is_a_failure(monkeypatch):
    def run(_arguments):
        subprocess.run([sys.executable, "-c", "1 / 0"])
        return commands.DONE

    monkeypatch.setattr(commands, "run", run)
    assert "ZeroDivisionError" in commands.failure_of_command("summarize")


def test_an_exception_of_the_command_is_a_failure(monkeypatch):
    monkeypatch.setattr(commands, "run", lambda _arguments: 1 / 0)
    assert "ZeroDivisionError" in commands.failure_of_command("summarize")


def test_the_end_of_the_output_is_kept(monkeypatch):
    def run(_arguments):
        print("x" * 1_000_000)
        os.write(2, b"y" * 1_000_000)
        print("hint: shorten it", file=sys.stderr)
        return commands.REFUSED

    monkeypatch.setattr(commands, "run", run)
    outcome = commands.outcome_of("summarize")
    assert outcome.failure is None
    assert len(outcome.output) < 10_000


def test_a_command_that_does_not_end_is_a_failure(monkeypatch):
    reader, _writer = os.pipe()
    monkeypatch.setattr(commands, "run", lambda _arguments: os.read(reader, 1))
    monkeypatch.setattr(commands, "MAX_SECONDS", 0.1)
    assert "still running" in commands.failure_of_command("summarize")
