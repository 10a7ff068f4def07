"""``thatch highlight`` for anything but PDF, and ``--format html``."""

import shlex

import pytest
from lxml import html

TEXT = (
    "# Bridge\n\nThe *bridge* fell on Monday. Nobody was hurt. Ferries run instead.\n"
)


@pytest.fixture
def news(tmp_path):
    """A text in Markdown."""
    (tmp_path / "in.md").write_text(TEXT)


def marked(path):
    page = html.document_fromstring(path.read_text())
    return [mark.text for mark in page.iter("mark")]


def test_the_chosen_sentences_are_marked(thatch, news, tmp_path):
    _, out, _ = thatch("summarize", "in.md", "--budget", "8")
    answer = thatch("highlight", "in.md", "out.html", "--budget", "8")
    assert answer == (0, "", "")
    assert " ".join(text.strip() for text in marked(tmp_path / "out.html")) == (
        out.strip()
    )


def test_a_ratio_and_other_settings_apply(thatch, news, tmp_path):
    options = ("--ratio", "0.5", "--require", "Ferries")
    assert thatch("highlight", "in.md", "out.htm", *options) == (0, "", "")
    assert "Ferries run instead. " in marked(tmp_path / "out.htm")


def test_only_one_option_sets_the_budget(thatch, news):
    options = ("--ratio", "0.5", "--budget", "8")
    code, out, err = thatch("highlight", "in.md", "out.html", *options)
    assert (code, out) == (2, "")
    assert "--budget" in err and "--ratio" in err


def test_a_summary_can_be_a_page(thatch, news, tmp_path):
    thatch("highlight", "in.md", "out.html", "--budget", "8")
    command = ("summarize", "in.md", "--budget", "8", "--format", "html")
    assert thatch(*command)[1] == (tmp_path / "out.html").read_text()


def test_an_empty_text_is_warned_about(thatch, tmp_path):
    (tmp_path / "in.txt").write_text("")
    code, out, err = thatch("highlight", "in.txt", "out.html")
    assert (code, out) == (0, "")
    assert err.startswith("warning: ")
    assert marked(tmp_path / "out.html") == []


@pytest.mark.parametrize(
    ("source", "target", "fact"),
    [
        ("in.md", "out.pdf", "out.pdf"),
        ("in.md", "out.txt", "out.txt"),
        ("in.md", "in.md", "in.md"),
        ("nowhere.md", "out.html", "nowhere.md"),
        ("in.md", "nowhere/out.html", "nowhere"),
        (".", "out.html", "folder"),
        ("bytes.txt", "out.html", "bytes.txt"),
    ],
)
def test_errors_name_the_file(thatch, news, tmp_path, source, target, fact):
    (tmp_path / "bytes.txt").write_bytes(b"\x00\x01")
    code, out, err = thatch("highlight", source, target)
    error, hint = err.splitlines()
    assert (code, out) == (2, "")
    assert fact in error and hint.startswith("hint: ")
    assert not (tmp_path / "out.html").exists()


def test_a_page_has_no_path_of_this_computer(thatch, news, tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "in.md").write_text("The bridge was old.")
    files = [str(tmp_path / "in.md"), str(tmp_path / "old" / "in.md")]
    known = ("--known", files[1], "--query", "bridge")
    code, out, _ = thatch("summarize", *files, *known, "--format", "html")
    assert code == 0
    assert str(tmp_path.parent) not in out
    page = html.document_fromstring(out)
    top = tmp_path.name
    assert [heading.text for heading in page.findall(".//article/h3")] == [
        f"{top}/in.md",
        "old/in.md",
    ]
    (shown,) = page.iter("code")
    assert shown.text == (
        f"thatch summarize {top}/in.md old/in.md --budget 100 --query bridge "
        "--known in.md --format html"
    )


def test_the_command_of_a_page_makes_the_same_page(thatch, news):
    options = ("--ratio", "0.5", "--require", "Ferries run", "--seed", "7")
    _, out, _ = thatch("summarize", "in.md", *options, "--format", "html")
    (shown,) = html.document_fromstring(out).iter("code")
    program, *arguments = shlex.split(shown.text)
    assert program == "thatch"
    assert thatch(*arguments)[1] == out
