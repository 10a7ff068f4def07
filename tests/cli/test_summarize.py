import io
import json
import os
import subprocess
import sys

import pytest
from systems import posix

TEXT = (
    "The bridge closed on Monday morning. Engineers had found cracks in two piers. "
    "The cracks in two piers of the bridge will take a year to repair. "
    "Ferries will run instead of buses. Shops near the bridge expect losses."
)
SENTENCES = [sentence + "." for sentence in TEXT.removesuffix(".").split(". ")]
# The contract of `summarize --format json`, with what points back into the source.
FIELDS = [
    *("summary", "sentences", "cost", "budget", "unit", "value"),
    *("upper_bound", "total", "gap", "status", "solver", "seconds", "warning"),
]
PLACE_FIELDS = [
    *("text", "document", "position", "start", "end", "headings", "cost", "place"),
    "line",
]
SENTENCE_FIELDS = [*PLACE_FIELDS, "weight"]
LEFT_OUT_FIELDS = [*PLACE_FIELDS, "gain", "reason"]


@pytest.fixture
def news(tmp_path):
    """A text of five sentences, as a file."""
    path = tmp_path / "news.txt"
    path.write_text(TEXT + "\n")
    return path


@pytest.fixture
def folder(tmp_path):
    """Three documents, one of them nearly the copy of another."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text(f"# Bridge\n\n{TEXT}\n")
    (folder / "b.md").write_text(f"# Bridge\n\n{TEXT.replace('Monday', 'Friday')}\n")
    (folder / "c.txt").write_text("Rain is expected all over the valley tonight.\n")
    return folder


@pytest.fixture
def answer(thatch, news):
    """Run the command on the text with JSON as output: the object it prints."""

    def command(*options):
        code, out, err = thatch("summarize", news, *options, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return command


def test_standard_output_is_the_summary_only(thatch, news):
    code, out, err = thatch("summarize", news, "--budget", "14")
    assert (code, err) == (0, "")
    assert 0 < len(out.split()) <= 14
    rest = out.removesuffix("\n")
    assert "\n" not in rest
    chosen = [sentence for sentence in SENTENCES if sentence in rest]
    assert rest == " ".join(chosen)


def test_the_default_budget_is_100_words(answer):
    assert (answer()["budget"], answer()["unit"]) == (100, "words")
    assert answer()["summary"] == TEXT


def test_json_has_the_agreed_fields(answer):
    summary = answer("--budget", "14", "--solver", "exact")
    assert list(summary) == FIELDS
    assert summary["solver"] == "exact"
    assert summary["status"] == "optimal"
    assert summary["gap"] == pytest.approx(0, abs=1e-9)
    assert summary["cost"] == len(summary["summary"].split()) <= 14
    assert summary["value"] <= summary["upper_bound"] <= summary["total"] * 1.000001
    for sentence in summary["sentences"]:
        assert list(sentence) == SENTENCE_FIELDS
        assert sentence["text"] == SENTENCES[sentence["position"]]
        assert TEXT[sentence["start"] : sentence["end"]] == sentence["text"]
        assert sentence["cost"] == len(sentence["text"].split())


def test_an_explanation_in_json_names_concepts_and_what_was_left_out(answer):
    summary = answer("--budget", "14", "--explain")
    assert list(summary) == [*FIELDS, "left_out"]
    for sentence in summary["sentences"]:
        assert list(sentence) == [*SENTENCE_FIELDS, "concepts"]
        assert all(isinstance(concept, str) for concept in sentence["concepts"])
    for passage in summary["left_out"]:
        assert list(passage) == LEFT_OUT_FIELDS
    texts = [p["text"] for p in summary["sentences"] + summary["left_out"]]
    assert sorted(texts) == sorted(SENTENCES)


def test_an_explanation_is_printed_to_standard_error(thatch, news):
    command = ("summarize", news, "--budget", "14")
    _, plain, _ = thatch(*command)
    code, out, err = thatch(*command, "--explain")
    assert (code, out) == (0, plain)
    assert "chosen, with what only it covers" in err
    assert "left out, with what it would have added:" in err
    for sentence in SENTENCES:
        assert f"{news}, line 1: {sentence[:60]}" in err


def test_markdown_without_an_explanation_is_the_summary(thatch, news):
    command = ("summarize", news, "--budget", "14")
    _, plain, _ = thatch(*command)
    assert thatch(*command, "--format", "markdown") == (0, plain, "")


def test_markdown_explains_in_tables(thatch, tmp_path):
    (tmp_path / "signs.txt").write_text(TEXT.replace("Shops", "Shops | inns"))
    options = ("--budget", "14", "--format", "markdown", "--explain")
    code, out, err = thatch("summarize", "signs.txt", *options)
    assert (code, err) == (0, "")
    assert "\n## Why\n" in out
    assert "proved best." in out
    tables = [line for line in out.splitlines() if line.startswith("|")]
    assert len(tables) == 2 * 2 + len(SENTENCES)
    for row in tables:
        assert row.replace("\\|", "").count("|") == 6
    assert sum("Shops \\| inns" in row for row in tables) == 1


def test_a_curve_rises_with_the_budget(thatch, news):
    code, out, err = thatch("summarize", news, "--curve", "0,7,14,28,100")
    assert (code, err) == (0, "")
    header, *rows = out.splitlines()
    assert header == "budget,cost,value,upper_bound,total"
    budgets, costs, values, bounds, totals = zip(
        *(map(float, row.split(",")) for row in rows), strict=True
    )
    assert budgets == (0, 7, 14, 28, 100)
    assert all(cost <= budget for cost, budget in zip(costs, budgets, strict=True))
    assert list(values) == sorted(values)
    assert (values[0], values[-1]) == (0, bounds[-1])
    assert set(totals) == {values[-1]}


def test_a_curve_in_json_has_one_object_per_budget(thatch, news):
    _, out, _ = thatch("summarize", news, "--curve", "7,14", "--format", "json")
    points = [json.loads(line) for line in out.splitlines()]
    assert [point["budget"] for point in points] == [7, 14]
    _, whole, _ = thatch("summarize", news, "--budget", "14", "--format", "json")
    for name in ("cost", "value", "upper_bound"):
        assert points[1][name] == json.loads(whole)[name]


def test_what_is_required_is_in_and_what_is_excluded_is_out(answer):
    options = ("--require", "shops NEAR", "--require", "Ferries", "--exclude", "piers")
    summary = answer("--budget", "12", *options)
    assert summary["summary"] == " ".join(SENTENCES[3:])
    reasons = [p["reason"] for p in answer(*options, "--explain")["left_out"]]
    assert reasons == ["excluded: piers", "excluded: piers"]


def test_a_query_changes_the_summary(answer):
    assert answer("--budget", "6", "--query", "ferries?")["summary"] == SENTENCES[3]
    assert answer("--budget", "6", "--query", "losses")["summary"] == SENTENCES[4]


def test_lengths_limit_the_sentences(answer):
    assert answer("--min-words", "8")["summary"] == SENTENCES[2]
    assert answer("--max-words", "6")["summary"] == " ".join(
        [SENTENCES[0], *SENTENCES[3:]]
    )


@pytest.mark.parametrize(
    "concepts", ["salience", "tf-idf", "tf-idf-content", "bigrams"]
)
def test_every_set_of_concepts_has_a_name(answer, concepts):
    summary = answer("--budget", "14", "--concepts", concepts)
    assert 0 < summary["cost"] <= 14
    assert summary["value"] > 0


def test_a_background_changes_the_weights_of_words(thatch, answer, folder):
    options = ("--concepts", "tf-idf", "--budget", "14")
    alone = answer(*options)["value"]
    assert answer(*options, "--background", folder)["value"] != alone


def test_a_folder_is_packed_file_by_file_without_near_copies(thatch, folder):
    options = ("--by", "file", "--concepts", "tf-idf", "--budget", "80")
    code, out, err = thatch("summarize", folder, *options)
    assert (code, err) == (0, "")
    first, last = folder / "a.md", folder / "c.txt"
    assert out == (
        f"## {first}\n\n# Bridge\n\n{TEXT}\n\n## {last}\n\n{last.read_text().strip()}\n"
    )


def test_unreadable_files_of_a_folder_are_skipped_with_a_message(thatch, folder):
    (folder / "picture.bin").write_bytes(b"\x00\x01")
    code, out, err = thatch("summarize", folder, "--concepts", "tf-idf")
    assert code == 0
    assert TEXT in out
    (line,) = err.splitlines()
    assert line.startswith(f"skipped {folder / 'picture.bin'}: ")


def test_paragraphs_are_separated_by_blank_lines(thatch, tmp_path):
    (tmp_path / "x.md").write_text(
        "# Title\n\nSnow fell.\nMore came.\n\n- It melted.\n"
    )
    _, out, _ = thatch("summarize", "x.md", "--by", "paragraph")
    assert out == "Snow fell.\nMore came.\n\nIt melted.\n"


@pytest.mark.parametrize("by", ["sentence", "paragraph", "file"])
@pytest.mark.parametrize("budget", [0, 34, 35, 36, 37, 120, 500])
def test_characters_are_counted_to_the_last_line_break(thatch, folder, by, budget):
    options = ("--unit", "characters", "--budget", budget, "--by", by)
    code, out, _ = thatch("summarize", folder, *options)
    assert code == 0
    assert len(out) <= budget


def test_the_last_line_break_is_there_if_it_has_room(thatch, tmp_path):
    (tmp_path / "x.txt").write_text("Snow fell.")
    options = ("--unit", "characters", "--budget")
    assert thatch("summarize", "x.txt", *options, "10")[1] == "Snow fell."
    assert thatch("summarize", "x.txt", *options, "11")[1] == "Snow fell.\n"


def test_estimated_tokens_are_noted_on_standard_error(thatch, news):
    code, out, err = thatch("summarize", news, "--unit", "tokens", "--budget", "20")
    assert code == 0
    assert out
    assert "estimated" in err


def test_a_tokenizer_by_name_never_downloads(thatch, news, monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    options = ("--unit", "tokens", "--tokenizer", "cl100k_base", "--format", "json")
    code, out, err = thatch("summarize", news, *options)
    assert code == 0
    assert json.loads(out)["unit"] == "tokens (estimated)"
    assert "cl100k_base" in err


def test_sentences_can_be_counted(answer):
    summary = answer("--unit", "sentences", "--budget", "2")
    assert len(summary["sentences"]) == summary["cost"] == 2


def test_separators_and_headings_may_break_the_line(thatch, news):
    options = ("--separator", r"\n\t* ", "--heading", r"[{name}]\n")
    _, out, _ = thatch("summarize", news, *options)
    assert out == "\n\t* ".join(f"[{news}]\n{text}" for text in SENTENCES) + "\n"


def test_separators_count_towards_the_budget(answer):
    summary = answer("--budget", "14", "--separator", " and so on ")
    assert len(summary["summary"].split()) == summary["cost"] <= 14


def test_a_file_may_have_another_encoding(thatch, tmp_path):
    (tmp_path / "x.txt").write_bytes("Schöne Grüße aus Köln.".encode("latin-1"))
    options = ("--encoding", "latin-1", "--language", "de")
    assert thatch("summarize", "x.txt", *options)[1] == "Schöne Grüße aus Köln.\n"


def test_the_summary_goes_to_a_file_if_one_is_named(thatch, news, tmp_path):
    _, expected, _ = thatch("summarize", news, "--budget", "14")
    code, out, err = thatch("summarize", news, "--budget", "14", "-o", "short.txt")
    assert (code, out, err) == (0, "", "")
    assert (tmp_path / "short.txt").read_text() == expected
    assert thatch("summarize", news, "--budget", "14", "-o", "-")[1] == expected


def test_the_same_input_gives_the_same_output(thatch, folder):
    command = ("summarize", folder, "--budget", "30", "--seed", "5")
    assert thatch(*command) == thatch(*command)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", (), ["sentence"]),
        ("# A\n", ("--by", "paragraph"), ["paragraph"]),
        (TEXT, ("--budget", "3"), ["3 words", "6"]),
        (TEXT, ("--min-words", "99"), ["sentence", "99"]),
        ("? ! ...", (), ["concept"]),
    ],
)
def test_an_empty_summary_is_explained_in_a_warning(
    thatch, tmp_path, text, options, words
):
    (tmp_path / "x.md").write_text(text)
    code, out, err = thatch("summarize", "x.md", *options)
    assert (code, out) == (0, "")
    (line,) = err.splitlines()
    assert line.startswith("warning: ")
    assert all(word in line for word in words)


def run_alone(*arguments, **settings):
    """Run the command as a process of its own."""
    command = [sys.executable, "-m", "thatch", "summarize", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **settings)


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_a_text_can_come_from_standard_input(thatch, monkeypatch, arguments):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    code, out, err = thatch("summarize", *arguments, "--format", "json")
    assert (code, err) == (0, "")
    summary = json.loads(out)
    assert summary["summary"] == TEXT
    assert {sentence["document"] for sentence in summary["sentences"]} == {"-"}


@posix
def test_a_terminal_shows_how_to_end_standard_input():
    control, terminal = os.openpty()
    os.write(control, b"Snow fell.\n\x04")
    answer = run_alone("--concepts", "tf-idf", stdin=terminal)
    os.close(terminal)
    os.close(control)
    assert answer.stdout == "Snow fell.\n"
    assert "Ctrl-D" in answer.stderr


@posix
def test_a_terminal_shows_the_cost_and_the_gap(news):
    control, terminal = os.openpty()
    command = [sys.executable, "-m", "thatch", "summarize", str(news)]
    subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal)
    shown = os.read(control, 1000).decode()
    os.close(terminal)
    os.close(control)
    assert shown == "5 of 5 sentences, 39 of 100 words; proved best.\r\n"


def test_a_character_that_the_output_cannot_encode_is_named(news):
    news.write_text("Schöne Grüße aus dem Süden.")
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    answer = run_alone(news, env=environment)
    assert (answer.returncode, answer.stdout) == (2, "")
    error, _ = answer.stderr.splitlines()
    assert "ASCII" in error
    assert r"'\xf6'" in error


def test_a_lone_surrogate_in_the_text_is_named(thatch, tmp_path):
    (tmp_path / "x.txt").write_text("Snow +2AA- fell all day long.")
    options = ("--encoding", "utf-7", "-o", "short.txt")
    code, _, err = thatch("summarize", "x.txt", *options)
    assert code == 2
    assert "UTF-8" in err
    assert r"'\ud800'" in err
    assert not (tmp_path / "short.txt").exists()


@posix
@pytest.mark.parametrize(("name", "code"), [("news.txt", 0), ("nowhere.txt", 2)])
def test_without_standard_error_nothing_else_changes(news, name, code):
    command = f"{sys.executable} -m thatch summarize {name} --explain 2>&-"
    answer = subprocess.run(
        ["sh", "-c", command], cwd=news.parent, stdout=subprocess.PIPE, text=True
    )
    assert (answer.returncode, answer.stdout) == (code, f"{TEXT}\n" * (code == 0))


def test_a_closed_pipe_gives_no_traceback(news):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "thatch", "summarize", str(news)]
    answer = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (answer.returncode, answer.stderr) == (1, "")


def test_a_background_file_that_cannot_be_read_is_skipped_with_a_message(
    thatch, news, folder
):
    (folder / "d.bin").write_bytes(b"\0")
    code, _, err = thatch(
        "summarize", news, "--concepts", "tf-idf", "--background", folder
    )
    assert code == 0
    assert "skipped" in err and "d.bin" in err
