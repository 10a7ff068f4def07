import shlex

import pytest

from thatch.solvers.solver_settings import RunSettings
from thatch.text.report.command_lines import report_command
from thatch.text.summary_settings import SummaryCall, SummarySettings


@pytest.mark.parametrize(
    ("record", "options"),
    [
        (SummaryCall(), ["--budget", "100"]),
        (SummaryCall(ratio=0.25, explain=True), ["--ratio", "0.25"]),
        (SummarySettings(), []),
        (SummarySettings(query="who's there?"), ["--query", "who's there?"]),
        (SummarySettings(require=("a", "b")), ["--require", "a", "--require", "b"]),
        (SummarySettings(separator="\n"), ["--separator", "\\n"]),
        (
            SummarySettings(unit="tokens", tokenizer="/home/ann/tokenizer.json"),
            ["--unit", "tokens", "--tokenizer", "tokenizer.json"],
        ),
        (RunSettings(max_seconds=2.5, seed=3), ["--max-seconds", "2.5", "--seed", "3"]),
    ],
)
def test_options_differ_from_their_defaults(record, options):
    command = shlex.split(report_command(["a.txt"], record))
    assert command == ["thatch", "summarize", "a.txt", *options, "--format", "html"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["-"], "-"),
        ([], "FILES"),
        (["/tmp/a/n.txt", "/tmp/b/n.txt"], "a/n.txt b/n.txt"),
        (["reports"], "reports"),
        (["/home/ann/my notes.txt"], "'my notes.txt'"),
        ([f"{k}.txt" for k in range(20)], "FILES"),
    ],
)
def test_files_are_named_as_in_the_report(files, expected):
    assert report_command(files) == f"thatch summarize {expected} --format html"


def test_other_options_are_added():
    command = report_command(["a.txt"], more={"--known": ["/home/old.txt", "new.txt"]})
    assert "--known old.txt --known new.txt" in command
