"""``thatch summarize --known`` and ``--remember``."""

import json
import subprocess
import sys

import pytest

from thatch import Document
from thatch.text.concepts.known import KnownConcepts, read_known

pytestmark = pytest.mark.slow

DAYS = {
    "monday.txt": "A dam above the town broke. Two farms were flooded by the river.",
    "tuesday.txt": "A dam above the town broke. A minister visited both schools.",
    "wednesday.txt": "A minister visited both schools. Rain is expected on Friday.",
}
STATE = ("--known", "state.json", "--remember", "state.json")


@pytest.fixture
def days(tmp_path):
    """Three days of news, each of which repeats a sentence of the day before."""
    for name, text in DAYS.items():
        (tmp_path / name).write_text(text)


def test_each_day_says_only_what_is_new(thatch, days):
    printed = [thatch("summarize", day, *STATE) for day in DAYS]
    assert printed == [
        (0, DAYS["monday.txt"] + "\n", ""),
        (0, "A minister visited both schools.\n", ""),
        (0, "Rain is expected on Friday.\n", ""),
    ]


def test_commands_at_the_same_time_lose_nothing(days, tmp_path):
    commands = [
        subprocess.Popen(
            [sys.executable, "-m", "thatch", "summarize", day, *STATE],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
        )
        for day in DAYS
    ]
    assert [command.wait() for command in commands] == [0] * len(DAYS)
    known = read_known(tmp_path / "state.json").concepts
    assert known == KnownConcepts.of([*map(Document, DAYS.values())]).concepts


def test_a_state_file_says_what_the_documents_say(thatch, days, tmp_path):
    for day in DAYS:
        assert thatch("summarize", day, *STATE)[0] == 0
    options = ("--known", "monday.txt", "--known", "tuesday.txt")
    remember = ("--remember", "other.json")
    assert thatch("summarize", "wednesday.txt", *options, *remember)[0] == 0
    state, other = (
        json.loads((tmp_path / name).read_text())
        for name in ("state.json", "other.json")
    )
    assert state == other


def test_documents_folders_and_state_files_can_be_mixed(thatch, days, tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "monday.txt").rename(tmp_path / "old" / "monday.txt")
    thatch("summarize", "old", "--remember", "state.json")
    options = ("--known", "state.json", "--known", "tuesday.txt")
    code, out, err = thatch("summarize", "wednesday.txt", *options)
    assert (code, out, err) == (0, "Rain is expected on Friday.\n", "")


def test_the_same_file_has_nothing_new(thatch, days):
    code, out, err = thatch("summarize", "monday.txt", "--known", "monday.txt")
    assert (code, out) == (0, "")
    assert err.startswith("warning: ") and "nothing new" in err


def test_an_explanation_says_what_is_known(thatch, days):
    command = ("summarize", "tuesday.txt", "--known", "monday.txt", "--explain")
    _, out, _ = thatch(*command, "--format", "json")
    (left,) = json.loads(out)["left_out"]
    assert left["text"].startswith("A dam")
    assert left["reason"] == "nothing new"


def test_a_state_file_may_be_named_in_two_ways(thatch, days, tmp_path):
    names = ("--known", tmp_path / "state.json", "--remember", "state.json")
    assert thatch("summarize", "monday.txt", *names)[0] == 0
    assert (tmp_path / "state.json").exists()


def refused(answer, *facts):
    """The command failed with one line for the error and one for the hint."""
    code, out, err = answer
    error, hint = err.splitlines()
    assert (code, out) == (2, "")
    assert error.startswith("error: ") and hint.startswith("hint: ")
    assert all(fact in error for fact in facts), error


def test_a_damaged_state_file_is_refused_and_kept(thatch, days, tmp_path):
    (tmp_path / "state.json").write_text('{"format": "thatch kno')
    refused(thatch("summarize", "monday.txt", *STATE), "state.json")
    assert (tmp_path / "state.json").read_text() == '{"format": "thatch kno'


def test_a_missing_state_file_is_refused_if_none_is_to_be_written(thatch, days):
    refused(thatch("summarize", "monday.txt", "--known", "no.json"), "no.json")
    other = ("--remember", "other.json")
    refused(thatch("summarize", "monday.txt", "--known", "no.json", *other), "no.json")


@pytest.mark.parametrize("option", ["--known", "--remember"])
def test_a_folder_is_no_state_file(thatch, days, tmp_path, option):
    (tmp_path / "state.json").mkdir()
    answer = thatch("summarize", "monday.txt", option, "state.json")
    refused(answer, "state.json", "folder")


def test_a_state_file_overwrites_no_document_and_no_output(thatch, days, tmp_path):
    answer = thatch("summarize", "monday.txt", "--remember", "monday.txt")
    refused(answer, "monday.txt")
    assert (tmp_path / "monday.txt").read_text() == DAYS["monday.txt"]
    options = ("-o", "x.json", "--remember", "x.json")
    refused(thatch("summarize", "monday.txt", *options), "x.json")
    assert not (tmp_path / "x.json").exists()


def test_a_state_file_that_would_be_read_as_a_document_is_refused(thatch, days):
    answer = thatch("summarize", "monday.txt", "--remember", "state.txt")
    refused(answer, "state.txt", ".json")
