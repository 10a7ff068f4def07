"""``thatch pack``: the prompt to standard output, the table to standard error."""

import json
from xml.etree import ElementTree as ET

import pytest

from thatch.text import TOKENS

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


def test_the_prompt_of_an_earlier_run_is_not_packed(thatch, folder):
    target = folder / "all files [1].xml"
    for _ in range(2):
        code, out, _ = thatch("pack", folder, "-o", target)
        assert (code, out) == (0, "")
    sources = [each.get("source") for each in ET.fromstring(target.read_text())]
    assert "README.md" in sources
    assert target.name not in sources


def test_a_source_is_not_overwritten(thatch, folder):
    source = folder / "README.md"
    code, _, err = thatch("pack", source, "-o", source)
    assert code == 2
    assert str(source) in err


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
        (["nowhere"], ["nowhere"]),
        ([".", "--format", "yaml"], ["format", "yaml"]),
        ([".", "--order", "sources"], ["order", "sources", "source?"]),
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


def test_an_interrupted_run_prints_nothing(thatch, folder, monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("thatch.context.file_packing.read_chunks", interrupt)
    with pytest.raises(KeyboardInterrupt):
        thatch("pack", folder)
    assert capsys.readouterr() == ("", "")
