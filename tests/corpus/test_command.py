"""``thatch corpus`` as people use it: what they see, and what they are told."""

import json
import os
import pty
import signal
import subprocess
from time import monotonic

import pytest
from corpus_jobs import command, rows_of
from corpus_texts import text_of
from servers import COMMAND

from thatch.cli.corpus_progress import Lines


def seen_on_a_terminal(*arguments):
    """Exit code of a command, and all that it shows on a terminal."""
    ours, theirs = pty.openpty()
    given = [*COMMAND, *map(str, arguments)]
    process = subprocess.Popen(given, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not read:
            break
        shown += read
    os.close(ours)
    return process.wait(), shown.decode()


def test_a_terminal_shows_how_far_the_job_is(corpus, tmp_path):
    code, shown = seen_on_a_terminal("corpus", corpus, tmp_path / "out")
    assert code == 0
    assert "Traceback" not in shown
    assert "1200/1200" in shown
    assert "rows/s" in shown
    assert "1,200 of 1,200 rows summarized" in shown


def test_a_log_has_a_line_now_and_then(capsys):
    lines = Lines(seconds_between=0.0)
    lines.expect(1200)
    lines.advance(500)
    assert capsys.readouterr().err.startswith("500 of 1,200 rows, ")
    silent = Lines()
    silent.expect(1200)
    silent.advance(500)
    assert capsys.readouterr().err == ""


def test_an_interrupted_job_names_the_option_that_resumes_it(corpus, tmp_path):
    options = ["--workers", "1", "--format", "jsonl"]
    job = subprocess.Popen(
        [*COMMAND, "corpus", corpus, tmp_path / "out", *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    until = monotonic() + 60
    while not list((tmp_path / "out").glob("part-*")):
        assert monotonic() < until
        assert job.poll() is None
    job.send_signal(signal.SIGINT)
    printed = job.communicate(timeout=60)[1]
    assert job.returncode == 130
    assert "--resume" in printed
    assert (
        command("corpus", corpus, tmp_path / "out", *options, "--resume").returncode
        == 0
    )


CSV = "url,body\nu1,Snow fell.\nu2,It fell all day.\n"


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


REFUSED = {
    "csv column": (
        "a.csv",
        CSV,
        "--id url --text bodyy",
        "columns must include 'bodyy', got url",
    ),
    "csv id": ("a.csv", CSV, "--text body", "columns must include 'id', got url, body"),
    "csv cluster": (
        *("a.csv", CSV, "--text body --group-by topic"),
        "columns must include 'topic', got url, body",
    ),
    "json column": (
        *("a.jsonl", '{"id": 1, "txt": "Snow."}\n', ""),
        "columns must include 'text', got id, txt",
    ),
    "semicolons": (
        *("a.csv", CSV.replace(",", ";"), ""),
        "hint: Write it with commas between cells.",
    ),
    "two of a name": (
        *("a.csv", "id,text,text\na,b,c\n", ""),
        "columns must have different names, got id, text, text",
    ),
    "other encoding": ("a.csv", CSV.encode("utf-16"), "", "must be UTF-8, got UTF-16."),
    "packed": ("a.jsonl.gz", b"\x1f\x8b", "", "hint: Unpack it first."),
    "unknown": ("a.tsv", CSV, "", "must hold files that end in .parquet"),
    "empty": ("a.csv", "id,text\n", "", "the input must have a row, got none."),
    "id is text": ("a.csv", CSV, "--id body --text body", "id must be neither"),
    "id is an answer": (
        *("a.csv", CSV, "--id summary --text body"),
        "got 'summary'",
    ),
    "id is added": ("a.csv", CSV, "--id sources --text body", "id must be neither"),
    "cluster is text": (
        *("a.csv", CSV, "--text body --group-by body"),
        "group_by must be neither",
    ),
}


@pytest.mark.parametrize(
    ("name", "content", "options", "told"), REFUSED.values(), ids=REFUSED
)
def test_what_cannot_be_read_is_told_at_once_and_nothing_is_written(
    name, content, options, told, tmp_path
):
    path = written(tmp_path, name, content)
    answer = command("corpus", path, tmp_path / "out.jsonl", *options.split())
    assert answer.returncode == 2
    assert answer.stderr.startswith("error: ")
    assert told in answer.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_without_files_is_named(tmp_path):
    (tmp_path / "none").mkdir()
    answer = command("corpus", tmp_path / "none", tmp_path / "out")
    assert "got none in" in answer.stderr
    assert answer.returncode == 2


@pytest.mark.parametrize(
    ("target", "options", "told"),
    [
        ("out.csv", "", "the output must be Parquet or JSON lines"),
        ("out.jsonl.gz", "", "must be a folder or end in .parquet or .jsonl"),
        ("out.txt", "", "must be a folder or end in .parquet or .jsonl"),
        ("out.jsonl", "--format parquet", "format must be that of the output's name"),
        ("texts/out", "", "the output must not be within the input"),
    ],
)
def test_an_output_that_cannot_be_is_refused(target, options, told, tmp_path):
    (tmp_path / "texts").mkdir()
    written(tmp_path / "texts", "a.csv", CSV)
    options = ["--id", "url", "--text", "body", *options.split()]
    answer = command("corpus", tmp_path / "texts", tmp_path / target, *options)
    assert answer.returncode == 2
    assert told in answer.stderr


def test_a_mistake_does_not_stand_in_the_way_of_the_next_try(tmp_path):
    path = written(tmp_path, "a.csv", CSV)
    target = tmp_path / "out.jsonl"
    options = ["--id", "url", "--text", "body", "--workers", "1"]
    nowhere = ["--engine", "dask", "--scheduler", "foo"]
    answer = command("corpus", path, target, "--id", "url", "--text", "body", *nowhere)
    assert answer.returncode == 2
    assert "scheduler must be an address such as" in answer.stderr
    assert command("corpus", path, target, *options).returncode == 0
    assert [row["url"] for row in rows_of(target)] == ["u1", "u2"]


def test_a_job_that_goes_on_otherwise_is_told_in_what(corpus, tmp_path):
    target = tmp_path / "out"
    assert command("corpus", corpus, target).returncode == 0
    answer = command(
        "corpus", corpus, target, "--resume", "--budget", "7", "--seed", "1"
    )
    assert answer.returncode == 2
    assert "got another budget, seed than" in answer.stderr
    os.utime(corpus, (1, 1))
    answer = command("corpus", corpus, target, "--resume")
    assert "got another input than" in answer.stderr


def test_a_path_may_be_spelled_otherwise(corpus, tmp_path):
    target = tmp_path / "out"
    assert command("corpus", corpus, target).returncode == 0
    spelled = f"{corpus.parent}/./{corpus.name}"
    assert command("corpus", spelled, target, "--resume").returncode == 0


def test_statistics_that_are_none_are_refused(corpus, tmp_path):
    for name, told in [
        ("no.json", "cannot be read"),
        ("texts.jsonl", "must hold counts"),
    ]:
        answer = command(
            *("corpus", corpus, tmp_path / "out", "--background", tmp_path / name)
        )
        assert answer.returncode == 2
        assert told in answer.stderr
        assert "Error(" not in answer.stderr


def test_errors_of_a_kind_are_told_together(tmp_path):
    lines = [f'k{k % 40},"{text_of(k)}"' for k in range(80)]
    path = written(tmp_path, "a.csv", "\n".join(["id,text", *lines]))
    answer = command("corpus", path, tmp_path / "out", "--workers", "1")
    assert answer.returncode == 1
    assert "40 of 80 rows summarized" in answer.stderr
    assert "40 rows have errors, in the column error:" in answer.stderr
    assert "  40 x id must be of one row, got 'k0' again. (k0, k1," in answer.stderr


def test_documents_that_cannot_be_read_cost_their_cluster_nothing_else(tmp_path):
    rows = [
        {"id": f"d{k}", "topic": "abc"[k % 3], "text": text_of(k)} for k in range(9)
    ]
    rows[3]["text"] = None
    rows[4]["text"] = ["Snow."]
    rows[8]["topic"] = None
    path = written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    answer = command(
        *("corpus", path, tmp_path / "out.jsonl", "--group-by", "topic"),
        *("--workers", "1"),
    )
    assert answer.returncode == 1
    assert "3 of 4 rows summarized" in answer.stderr
    first, second, third, lost = rows_of(tmp_path / "out.jsonl")
    assert first["error"] == (
        "1 of 3 texts left out: text must not be null, got null in text 1."
    )
    assert second["error"] == (
        "1 of 3 texts left out: text must be a text, got a list. It is text 1, d4."
    )
    assert set(first["sources"]) <= {"d0", "d6"}
    assert set(second["sources"]) <= {"d1", "d7"}
    assert third["error"] is None
    assert third["sources"] == [["d2", "d5"][k] for k in third["documents"]]
    assert lost["topic"] is None
    assert lost["error"] == "topic must not be null, got null. It is d8."


def test_clusters_need_no_ids(tmp_path):
    path = written(tmp_path, "a.csv", "topic,text\na,Snow fell.\na,Rain fell.\n")
    answer = command("corpus", path, tmp_path / "out.jsonl", "--group-by", "topic")
    assert answer.returncode == 0
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert row["summary"] == "Snow fell. Rain fell."
    assert row["sources"] == [None, None]


def test_the_command_tells_what_failed(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text('id,text\na,"Snow fell all day."\nb,\n')
    answer = command("corpus", path, tmp_path / "out", "--workers", "1")
    assert answer.returncode == 1
    assert "1 of 2 rows summarized" in answer.stderr
    assert (
        "1 x the text holds no sentence, so the summary is empty. (b)" in answer.stderr
    )


def test_statistics_of_a_corpus_say_which_words_are_rare(corpus, tmp_path):
    stats = tmp_path / "stats.json"
    answer = command("corpus-stats", corpus, stats, "--workers", "1")
    assert answer.returncode == 0
    told = json.loads(stats.read_text())
    assert told["num_documents"] == 1200
    assert told["counts"]["hous"] == 1200
    bridges = sum("bridge" in text_of(k) for k in range(1200))
    assert told["counts"]["bridg"] == bridges
    german = tmp_path / "german.csv"
    german.write_text("text\nDie Häuser der Stadt sind alt und die Dächer sind neu.\n")
    for language, term in {"de": "haus", "en": "häuser"}.items():
        options = ["--workers", "1", "--language", language]
        command("corpus-stats", german, tmp_path / "german.json", *options)
        assert term in json.loads((tmp_path / "german.json").read_text())["counts"]
    answer = command(
        *("corpus", corpus, tmp_path / "out", "--workers", "1"),
        *("--concepts", "tf-idf", "--background", stats),
    )
    assert answer.returncode == 0
