"""The help of commands, as it is printed."""

import pytest

USAGES = {
    "summarize": "[OPTIONS] [FILES]...",
    "solve": "[OPTIONS] FILE",
    "cover": "[OPTIONS] FILE",
    "score": "[OPTIONS] SUMMARY REFERENCES...",
}


@pytest.mark.parametrize("command", USAGES)
def test_arguments_are_shown_by_their_names(thatch, command):
    code, out, err = thatch(command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: thatch {command} {USAGES[command]}\n")
    assert "list[" not in out and "Path" not in out


def test_summaries_and_problems_have_the_same_effort(thatch):
    helps = [thatch(command, "--help")[1] for command in ("summarize", "solve")]
    for shown in helps:
        assert "--effort LEVEL" in shown and "--max-seconds NUMBER" in shown
