"""``thatch summarize``: --ratio, --cite, --group and --readability."""

import json

import pytest
from pdf_files import lines, pdf

TEXT = """# Bridge

The bridge over the river fell on Monday. Nobody was hurt when the bridge fell.

# Ferry

Ferries will run instead of buses. However, shops near the bridge expect losses.
"""


@pytest.fixture
def news(tmp_path):
    """A text with two headings, as a file."""
    (tmp_path / "news.md").write_text(TEXT)
    return "news.md"


@pytest.fixture
def answer(thatch, news):
    """Run the command on the text with JSON as output: the object it prints."""

    def command(*options):
        code, out, err = thatch("summarize", news, *options, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return command


def refused(answer, *facts):
    """The command failed with one line for the error and one for the hint."""
    code, out, err = answer
    error, hint = err.splitlines()
    assert (code, out) == (2, "")
    assert error.startswith("error: ") and hint.startswith("hint: ")
    assert all(fact in error for fact in facts), error


def test_a_ratio_is_a_share_of_the_text(answer):
    everything = answer("--ratio", "1")
    assert everything["cost"] == everything["budget"]
    half = answer("--ratio", "0.5")
    assert half["budget"] == everything["budget"] / 2
    assert 0 < half["cost"] <= half["budget"]


@pytest.mark.parametrize(
    "options",
    [
        ("--ratio", "0.5", "--budget", "100"),
        ("--ratio", "0.5", "--curve", "10,20"),
        ("--budget", "10", "--curve", "10,20"),
        ("--cite", "numbers", "--curve", "10,20"),
    ],
)
def test_options_that_exclude_each_other_are_refused(thatch, news, options):
    refused(thatch("summarize", news, *options), options[0], options[2])


@pytest.mark.parametrize("ratio", ["-0.1", "1.5", "nan"])
def test_a_ratio_is_from_0_to_1(thatch, news, ratio):
    refused(thatch("summarize", news, "--ratio", ratio), "ratio", ratio)


def test_one_sentence_per_heading_is_printed_under_it(thatch, news):
    options = ("--group", "heading", "--per-group", "1", "--budget", "20")
    code, out, err = thatch("summarize", news, *options)
    assert (code, err) == (0, "")
    bridge, one, ferry, other = out.removesuffix("\n").split("\n\n")
    assert (bridge, ferry) == ("## Bridge", "## Ferry")
    assert one in TEXT and other in TEXT
    assert len(f"{one} {other}".split()) <= 20


def test_json_names_the_group(answer):
    sentences = answer("--group", "heading", "--per-group", "1")["sentences"]
    assert [each["group"] for each in sentences] == ["Bridge", "Ferry"]


def test_the_last_line_ends_whatever_the_names_of_groups_are(thatch, news):
    _, out, _ = thatch("summarize", news, "--group", "heading", "--budget", "15")
    assert out.endswith(".\n")


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (("--group", "heading", "--per-group", "0"), "per_group"),
        (("--per-group", "1"), "per_group"),
        (("--group", "nothing"), "nothing"),
    ],
)
def test_groups_are_checked(thatch, news, options, fact):
    refused(thatch("summarize", news, *options), fact)


def test_too_many_requirements_per_group_are_refused(thatch, news):
    options = ("--group", "heading", "--per-group", "1")
    require = ("--require", "Monday", "--require", "Nobody")
    refused(thatch("summarize", news, *options, *require), "1 of 2", "per group")


@pytest.mark.parametrize(
    ("style", "mark", "entry"),
    [
        ("numbers", ". [1]", "\n[1] news.md, line 3\n"),
        ("footnotes", ".[^1]", "\n[^1]: news.md, line 3\n"),
        ("inline", ". (news.md, line 3)", ""),
    ],
)
def test_citations_follow_sentences(thatch, news, style, mark, entry):
    options = ("--budget", "8", "--cite", style)
    code, out, err = thatch("summarize", news, *options)
    assert (code, err) == (0, "")
    sentence = "The bridge over the river fell on Monday"
    assert out == f"{sentence}{mark}\n{entry}"


def test_markdown_with_an_explanation_has_citations(thatch, news):
    options = ("--cite", "footnotes", "--format", "markdown", "--explain")
    _, out, _ = thatch("summarize", news, *options)
    assert "[^2]: news.md, line 7" in out
    assert out.index("[^2]: ") < out.index("## Why")


def test_pages_are_cited(thatch, tmp_path):
    pages = [
        "The harbor froze on Monday, and the ships waited outside.",
        "The mayor of the town spoke about the ice on Tuesday.",
    ]
    (tmp_path / "in.pdf").write_bytes(pdf(*map(lines, pages)))
    code, out, err = thatch("summarize", "in.pdf", "--cite", "inline")
    assert (code, err) == (0, "")
    assert out == f"{pages[0]} (in.pdf, p. 1) {pages[1]} (in.pdf, p. 2)\n"


def test_an_empty_summary_is_not_cited(thatch, news):
    code, out, err = thatch("summarize", news, "--budget", "1", "--cite", "numbers")
    assert (code, out) == (0, "")
    assert err.startswith("warning: ")


def test_readability_is_checked_and_counts(thatch, news, answer):
    refused(thatch("summarize", news, "--readability", "2"), "readability", "2")
    require = ("--require", "However", "--budget", "8")
    values = [
        answer(*require, "--readability", share)["value"] for share in ("0", "0.3", "1")
    ]
    assert values[0] > values[1] > values[2] == 0
