"""``thatch pack``: the prompt to standard output, the table to standard error."""

import json
import os
from xml.etree import ElementTree as ET

import pytest

from thatch.text import TOKENS

ONLY_UNIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
NOTE = "tokens are estimated: no tokenizer was named"


@pytest.fixture
def folder(tmp_path):
    """A small repository."""
    folder = tmp_path / "ferries"
    (folder / "src").mkdir(parents=True)
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "README.md").write_text("# Ferries\n\nShows when ferries leave.\n")
    (folder / "src" / "clock.py").write_text("def summer_time(now):\n    return now\n")
    (folder / "src" / "disk.py").write_text("def free_space(disk):\n    return 1\n")
    (folder / "debug.log").write_text("the clock was wrong\n")
    (folder / "logo.png").write_bytes(b"\x89PNG\0")
    return folder


def test_the_prompt_is_standard_output_and_the_table_is_not(thatch, folder):
    code, out, err = thatch(
        "pack", folder, "--query", "free disk space", "--budget", 60
    )
    assert code == 0
    assert [each.get("source") for each in ET.fromstring(out)] == ["src/disk.py"]
    note, names, row, *_, left, skipped, total = err.splitlines()
    assert note == NOTE
    assert names.split() == ["file", "chunks", "size", "left", "out"]
    assert row.split()[:2] == ["src/disk.py", "1/1"]
    assert left.startswith("left out: ")
    assert skipped == "not read: 1 binary"
    assert total.startswith("1 of 4 files, 1 of 4 chunks, ")


def test_the_current_folder_is_the_default(thatch, folder, monkeypatch):
    monkeypatch.chdir(folder)
    code, out, _ = thatch("pack", "--format", "json")
    assert code == 0
    assert "README.md" in [each["source"] for each in json.loads(out)]


def test_what_git_ignores_is_in_neither(thatch, folder):
    _, out, err = thatch("pack", folder, "--explain")
    assert "debug.log" not in out + err
    assert "not read: logo.png (binary)" in err.splitlines()


@pytest.mark.parametrize("budget", [30, 60, 90])
@pytest.mark.parametrize("format", ["xml", "markdown", "json", "text"])
def test_all_that_is_printed_is_within_the_budget(thatch, folder, budget, format):
    _, out, _ = thatch("pack", folder, "--budget", budget, "--format", format)
    assert TOKENS.measure(out) <= budget


def test_a_quiet_run_prints_no_table(thatch, folder):
    _, out, err = thatch("pack", folder, "-q")
    assert out
    assert err.splitlines() == [NOTE]


def test_all_files_are_listed_on_request(thatch, folder):
    _, _, err = thatch("pack", folder, "--query", "disk", "--explain")
    assert any(line.startswith("src/clock.py ") for line in err.splitlines())


def test_patterns_and_limits_apply(thatch, folder):
    _, out, _ = thatch(
        *("pack", folder, "--include", "*.py", "--exclude", "clock.py"),
        *("--per-file", "1", "--order", "relevance", "--format", "text"),
    )
    assert out.splitlines()[0] == "src/disk.py:"
    assert "clock" not in out


def test_the_focus_chooses_files(thatch, folder):
    for focus, expected in (("docs", "README.md"), ("code", "src/disk.py")):
        _, out, err = thatch("pack", folder, "--focus", focus, "--format", "text")
        assert f"{expected}:" in out.splitlines()
        assert ("README.md:" in out.splitlines()) == (focus == "docs")
        assert "not in the focus" in err


@pytest.mark.parametrize("format", ["xml", "markdown", "json", "text"])
@pytest.mark.parametrize("options", [[], ["--query", "disk", "--budget", "50"]])
def test_the_prompt_of_an_earlier_run_is_not_packed(thatch, folder, format, options):
    target = folder / "all files [1].out"
    for _ in range(2):
        code, out, _ = thatch(
            "pack", folder, "-o", target, "--format", format, *options
        )
        assert (code, out) == (0, "")
    assert "disk.py" in target.read_text()
    assert target.name not in target.read_text()


@pytest.mark.parametrize("source", ["README.md", "src/clock.py", "logo.png"])
@pytest.mark.parametrize("packed", ["", "src/clock.py"])
def test_a_source_is_not_overwritten(thatch, folder, source, packed):
    content = (folder / source).read_bytes()
    if packed in {"", source}:
        code, _, err = thatch("pack", folder / packed, "-o", folder / source)
        assert code == 2
        assert str(folder / source) in err
        assert (folder / source).read_bytes() == content
    else:
        code, _, _ = thatch("pack", folder / packed, "-o", folder / source)
        assert code == 0


def test_named_files_that_cannot_be_read_are_warned_of(thatch, folder):
    (folder / "notes.txt").write_bytes("Fähre".encode("latin-1"))
    code, out, err = thatch("pack", folder / "notes.txt", folder / "src", "-q")
    assert code == 0
    assert "disk.py" in out
    (warning,) = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert "notes.txt" in warning
    assert "UTF-8" in warning
    _, _, err = thatch("pack", folder, "-q")
    assert "notes.txt" not in err


@ONLY_UNIX
def test_a_file_name_of_two_lines_is_printed_on_one(thatch, folder):
    (folder / "src" / "two\nlines.py").write_text("rows = 2\n")
    for format in ("text", "markdown"):
        _, out, err = thatch("pack", folder / "src", "--format", format)
        assert any("two lines.py" in line for line in out.splitlines())
        assert any("two\\nlines.py" in line for line in err.splitlines())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--query", "xylophone"], "matches the query"),
        (["--budget", "1"], "budget of 1 tokens"),
        (["--include", "*.rs"], "no file"),
    ],
)
def test_an_empty_prompt_is_explained(thatch, folder, options, words):
    code, out, err = thatch("pack", folder, *options)
    assert (code, out) == (0, "")
    assert any(
        line.startswith("warning: ") and words in line for line in err.splitlines()
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], ["nowhere", "does not exist"]),
        (["-"], ["-", "standard input"]),
        ([".", "--format", "yaml"], ["format", "yaml"]),
        ([".", "--order", "sources"], ["order", "sources", "source?"]),
        ([".", "--focus", "doc"], ["focus", "doc", "docs?"]),
        ([".", "--budget", "-3"], ["budget", "-3"]),
        ([".", "--budget", "many"], ["--budget", "many"]),
        ([".", "--per-file", "0"], ["per_file", "0"]),
        ([".", "--query", "?"], ["query", "?"]),
        ([".", "--include", ""], ["include"]),
        ([".", "--unit", "words", "--tokenizer", "gpt-4o"], ["tokenizer", "words"]),
        ([".", "--encoding", "klingon"], ["klingon"]),
    ],
)
def test_bad_input_is_named(thatch, folder, monkeypatch, arguments, words):
    monkeypatch.chdir(folder)
    code, out, err = thatch("pack", *arguments)
    assert (code, out) == (2, "")
    assert all(word in err for word in words)
    assert "hint: " in err


@ONLY_UNIX
def test_what_is_neither_file_nor_folder_is_named(thatch, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name, reason in (("pipe", "is a pipe"), ("loop", "cannot be read")):
        code, out, err = thatch("pack", tmp_path / name)
        assert (code, out) == (2, "")
        assert f"{tmp_path / name} {reason}" in err


def test_an_interrupted_run_prints_nothing(thatch, folder, monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("thatch.context.packing.packed_files.read_chunks", interrupt)
    with pytest.raises(KeyboardInterrupt):
        thatch("pack", folder)
    assert capsys.readouterr() == ("", "")
