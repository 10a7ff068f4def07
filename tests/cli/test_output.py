"""What reaches a terminal and a pipe, and input that has no end or is no file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from systems import linux, posix, require_posix


@pytest.fixture
def news(tmp_path):
    return tmp_path / "news.txt"


NASTY = "\x1b]0;title\a Snow \u202efell\u202c on \x9b2J towns.\r\n"


def on_terminal(*arguments, stream):
    """Standard output or error of a command, as the terminal receives it."""
    require_posix()
    control, terminal = os.openpty()
    command = [sys.executable, "-m", "thatch", *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: terminal}
    subprocess.run(command, **streams)
    shown = os.read(control, 10_000).decode()
    os.close(terminal)
    os.close(control)
    return shown.replace("\r\n", "\n")


@pytest.mark.parametrize("options", [(), ("--by", "file"), ("--format", "json")])
def test_a_terminal_shows_control_characters(news, options):
    news.write_text(NASTY, newline="")
    shown = on_terminal("summarize", news, *options, stream="stdout")
    assert "fell" in shown
    assert r"\u202efell\u202c" in shown
    assert not set(shown) & set("\x1b\a\x9b\u202e\u202c\r")


@posix
def test_a_terminal_named_as_output_shows_control_characters(news):
    news.write_text(NASTY, newline="")
    control, terminal = os.openpty()
    command = [sys.executable, "-m", "thatch", "summarize", str(news)]
    subprocess.run([*command, "-o", os.ttyname(terminal)], check=True)
    shown = os.read(control, 10_000).decode().replace("\r\n", "\n")
    os.close(terminal)
    os.close(control)
    assert r"\u202efell\u202c" in shown
    assert not set(shown) & set("\x1b\a\x9b\u202e\u202c\r")


def test_errors_show_control_characters_of_names_and_texts(tmp_path):
    path = tmp_path / "a\x1b[31m\u202e.txt"
    shown = on_terminal("summarize", path, stream="stderr")
    assert r"a\x1b[31m\u202e.txt" in shown
    path.write_text(NASTY)
    shown = on_terminal("summarize", path, "--explain", stream="stderr")
    assert "Snow" in shown
    assert not set(shown) & set("\x1b\a\x9b\u202e\u202c\r")


def test_a_pipe_receives_the_text_as_it_is(thatch, news):
    news.write_text(NASTY, newline="")
    assert thatch("summarize", news, "--by", "file", "--heading", "") == (
        0,
        NASTY.strip() + "\n",
        "",
    )


def test_a_url_is_refused_with_a_way_to_read_it(thatch):
    code, out, err = thatch("summarize", "https://example.org/a.html")
    assert (code, out) == (2, "")
    error, hint = err.splitlines()
    assert "https://example.org/a.html" in error
    assert "curl" in hint and "thatch summarize -" in hint


@linux
def test_an_endless_standard_input_is_refused():
    command = [sys.executable, "-m", "thatch", "summarize"]
    with Path("/dev/zero").open("rb") as endless:
        answer = subprocess.run(command, stdin=endless, capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "standard input" in answer.stderr.splitlines()[0]
