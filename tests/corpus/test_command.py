"""``thatch corpus`` as a command: progress, errors and reports."""

import json
import os
import signal
import subprocess
import sys

import pytest
from corpus_jobs import command, rows_of
from corpus_texts import text_of
from engine_tasks import ENVIRONMENT
from servers import COMMAND
from systems import posix, require_posix

from thatch.cli.corpus import Lines

pytestmark = pytest.mark.slow


def seen_on_a_terminal(*arguments):
    """Exit code of a command, and everything it prints on a terminal."""
    require_posix()
    ours, theirs = os.openpty()
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


def test_a_terminal_shows_the_progress(corpus, tmp_path):
    code, shown = seen_on_a_terminal("corpus", corpus, tmp_path / "out")
    assert code == 0
    assert "Traceback" not in shown
    assert "1200/1200" in shown
    assert "rows/s" in shown
    assert "1,200 of 1,200 rows summarized" in shown


def test_a_log_gets_a_line_per_interval(capsys):
    lines = Lines(seconds_between=0.0)
    lines.expect(1200)
    lines.advance(500)
    assert capsys.readouterr().err.startswith("500 of 1,200 rows, ")
    silent = Lines()
    silent.expect(1200)
    silent.advance(500)
    assert capsys.readouterr().err == ""


# The command, which interrupts itself as soon as one chunk is finished.
INTERRUPTED = """
import os, signal
from thatch.cli import main
from thatch.cli.corpus import Lines

signal.signal(signal.SIGINT, signal.default_int_handler)
Lines.advance = lambda lines, num_rows: os.kill(os.getpid(), signal.SIGINT)
main()
"""


@posix
def test_an_interrupted_job_names_the_option_that_resumes_it(corpus, tmp_path):
    arguments = ["corpus", corpus, tmp_path / "out", "--workers", "1"]
    job = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *arguments], capture_output=True, text=True
    )
    assert job.returncode == 130
    assert "--resume" in job.stderr
    assert "Traceback" not in job.stderr
    assert command(*arguments, "--resume").returncode == 0


# The command, during which another one is started as soon as one chunk is finished.
OVERLAPPING = """
import subprocess, sys
from servers import COMMAND
from thatch.cli import main
from thatch.cli.corpus import Lines

def advance(lines, num_rows):
    other = [*COMMAND, *sys.argv[1:], "--budget", "7"]
    print(subprocess.run(other).returncode)

Lines.advance = advance
main()
"""


def test_a_second_command_on_the_same_output_is_refused(corpus, tmp_path):
    options = ["--workers", "1"]
    assert command("corpus", corpus, tmp_path / "alone", *options).returncode == 0
    arguments = ["corpus", corpus, tmp_path / "out", *options]
    job = subprocess.run(
        [sys.executable, "-c", OVERLAPPING, *arguments],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert job.returncode == 0
    assert job.stdout.split() == ["2"] * 3
    in_use = f"error: {(tmp_path / 'out').as_posix()} is in use by process"
    assert job.stderr.count(in_use) == 3
    for path in (tmp_path / "alone").iterdir():
        assert path.read_bytes() == (tmp_path / "out" / path.name).read_bytes()


# The command, which is killed as soon as one chunk is finished.
KILLED = INTERRUPTED.replace("SIGINT)\nmain", "SIGKILL)\nmain")


@posix
def test_resuming_a_killed_command_says_that_it_takes_over_the_lock(corpus, tmp_path):
    arguments = ["corpus", corpus, tmp_path / "out", "--workers", "1"]
    job = subprocess.Popen([sys.executable, "-c", KILLED, *arguments])
    assert job.wait() == -signal.SIGKILL
    answer = command(*arguments, "--resume")
    assert answer.returncode == 0
    assert f"took over the lock of {tmp_path / 'out'}" in answer.stderr
    assert f"process {job.pid} " in answer.stderr
    (tmp_path / "out" / "part-000001.parquet").write_bytes(b"torn")
    answer = command(*arguments, "--resume")
    assert answer.returncode == 0
    assert "1 of 3 parts" in answer.stderr
    assert "lock" not in answer.stderr


CSV = "url,body\nu1,Snow fell.\nu2,It fell all day.\n"


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


REFUSED = {
    "csv column": ("a.csv", CSV, "--id url --text bodyy", ["'bodyy'", "url, body"]),
    "csv id": ("a.csv", CSV, "--text body", ["'id'", "url, body"]),
    "csv cluster": (
        *("a.csv", CSV, "--text body --group-by topic"),
        ["'topic'", "url, body"],
    ),
    "json column": (
        *("a.jsonl", '{"id": 1, "txt": "Snow."}\n', ""),
        ["'text'", "id, txt"],
    ),
    "semicolons": ("a.csv", CSV.replace(",", ";"), "", ["'id'", "commas"]),
    "two of a name": ("a.csv", "id,text,text\na,b,c\n", "", ["'text'", "text, text"]),
    "other encoding": ("a.csv", CSV.encode("utf-16"), "", ["a.csv", "UTF-16"]),
    "compressed": ("a.jsonl.gz", b"\x1f\x8b", "", ["a.jsonl.gz", "Decompress"]),
    "unknown": ("a.tsv", CSV, "", ["a.tsv", ".parquet"]),
    "empty": ("a.csv", "id,text\n", "", ["no rows"]),
    "id is text": ("a.csv", CSV, "--id body --text body", ["id", "'body'"]),
    "id is a result": ("a.csv", CSV, "--id summary --text body", ["id", "'summary'"]),
    "id is added": ("a.csv", CSV, "--id sources --text body", ["id", "'sources'"]),
    "cluster is text": (
        *("a.csv", CSV, "--text body --group-by body"),
        ["group_by", "'body'"],
    ),
}


@pytest.mark.parametrize(
    ("name", "content", "options", "facts"), REFUSED.values(), ids=REFUSED
)
def test_an_invalid_input_is_refused_before_anything_is_written(
    name, content, options, facts, tmp_path
):
    path = written(tmp_path, name, content)
    answer = command("corpus", path, tmp_path / "out.jsonl", *options.split())
    assert answer.returncode == 2
    assert answer.stderr.startswith("error: ")
    assert all(fact in answer.stderr for fact in facts), answer.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_without_files_of_rows_is_refused(tmp_path):
    (tmp_path / "none").mkdir()
    answer = command("corpus", tmp_path / "none", tmp_path / "out")
    assert str(tmp_path / "none") in answer.stderr
    assert answer.returncode == 2


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("out.csv", ""),
        ("out.jsonl.gz", ""),
        ("out.txt", ""),
        ("out.jsonl", "--format parquet"),
        ("texts/out", ""),
    ],
)
def test_an_invalid_output_is_refused(target, options, tmp_path):
    (tmp_path / "texts").mkdir()
    written(tmp_path / "texts", "a.csv", CSV)
    options = ["--id", "url", "--text", "body", *options.split()]
    answer = command("corpus", tmp_path / "texts", tmp_path / target, *options)
    assert answer.returncode == 2
    assert f"{tmp_path / target}" in answer.stderr
    assert "hint: " in answer.stderr


def test_an_invalid_option_leaves_no_files_that_prevent_the_next_job(tmp_path):
    path = written(tmp_path, "a.csv", CSV)
    target = tmp_path / "out.jsonl"
    options = ["--id", "url", "--text", "body", "--workers", "1"]
    nowhere = ["--engine", "dask", "--scheduler", "foo"]
    answer = command("corpus", path, target, "--id", "url", "--text", "body", *nowhere)
    assert answer.returncode == 2
    assert "scheduler" in answer.stderr
    assert "'foo'" in answer.stderr
    assert command("corpus", path, target, *options).returncode == 0
    assert [row["url"] for row in rows_of(target)] == ["u1", "u2"]


def test_resuming_with_other_settings_names_the_differences(corpus, tmp_path):
    target = tmp_path / "out"
    assert command("corpus", corpus, target).returncode == 0
    answer = command(
        "corpus", corpus, target, "--resume", "--budget", "7", "--seed", "1"
    )
    assert answer.returncode == 2
    assert "budget" in answer.stderr
    assert "100, now 7" in answer.stderr.replace(".0", "")
    assert "seed" in answer.stderr
    os.utime(corpus, (1, 1))
    answer = command("corpus", corpus, target, "--resume")
    assert answer.returncode == 2
    assert "input" in answer.stderr


def test_a_job_can_be_resumed_with_another_spelling_of_a_path(corpus, tmp_path):
    target = tmp_path / "out"
    assert command("corpus", corpus, target).returncode == 0
    spelled = f"{corpus.parent}/./{corpus.name}"
    assert command("corpus", spelled, target, "--resume").returncode == 0


def test_an_invalid_background_is_refused(corpus, tmp_path):
    for name in ("no.json", "texts.jsonl"):
        answer = command(
            *("corpus", corpus, tmp_path / "out", "--background", tmp_path / name)
        )
        assert answer.returncode == 2
        assert str(tmp_path / name) in answer.stderr
        assert "Error(" not in answer.stderr


def test_errors_of_a_kind_are_listed_together(tmp_path):
    lines = [f'k{k % 40},"{text_of(k)}"' for k in range(80)]
    path = written(tmp_path, "a.csv", "\n".join(["id,text", *lines]))
    answer = command("corpus", path, tmp_path / "out", "--workers", "1")
    assert answer.returncode == 1
    assert "40 of 80 rows summarized" in answer.stderr
    assert "40 rows have errors, in the column error:" in answer.stderr
    assert "  40 x id " in answer.stderr
    assert "(k0, k1," in answer.stderr


def test_unreadable_documents_are_left_out_of_their_cluster(tmp_path):
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
    for error in (first["error"], second["error"]):
        assert error.startswith("1 of 3 texts")
        assert "(text 1" in error
    assert "null" in first["error"]
    assert "'d4'" in second["error"]
    assert set(first["sources"]) <= {"d0", "d6"}
    assert set(second["sources"]) <= {"d1", "d7"}
    assert third["error"] is None
    assert third["sources"] == [["d2", "d5"][k] for k in third["documents"]]
    assert lost["topic"] is None
    assert all(fact in lost["error"] for fact in ("topic", "null", "'d8'"))


def test_documents_of_clusters_need_no_ids(tmp_path):
    path = written(tmp_path, "a.csv", "topic,text\na,Snow fell.\na,Rain fell.\n")
    answer = command("corpus", path, tmp_path / "out.jsonl", "--group-by", "topic")
    assert answer.returncode == 0
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert row["summary"] == "Snow fell. Rain fell."
    assert row["sources"] == [None, None]


def test_the_command_lists_failed_rows(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text('id,text\na,"Snow fell all day."\nb,\n')
    answer = command("corpus", path, tmp_path / "out", "--workers", "1")
    assert answer.returncode == 1
    assert "1 of 2 rows summarized" in answer.stderr
    assert "1 x " in answer.stderr
    assert "(b)" in answer.stderr


def test_statistics_report_what_they_skip(tmp_path):
    rows = [{"text": "Snow."}, {"text": ""}, {"text": None}, {"text": ["A.", ""]}]
    path = written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    options = ["--workers", "1"]
    answer = command("corpus-stats", path, tmp_path / "stats.json", *options)
    assert answer.returncode == 0
    assert "1 documents" in answer.stderr
    assert "3 rows were skipped" in answer.stderr
    for fact in ("text is empty", "text is null", "text is a list"):
        assert f"1 x {fact}" in answer.stderr
    assert "(a.jsonl)" in answer.stderr
    lists = [{"text": ["Snow.", ""]}, {"text": ["Rain."]}]
    path.write_text("\n".join(map(json.dumps, lists)))
    answer = command("corpus-stats", path, tmp_path / "stats.json", *options)
    assert "1 row was skipped (1 of them in part)" in answer.stderr
    assert "1 of 2 texts are empty" in answer.stderr


def test_an_invalid_limit_of_errors_is_refused(corpus, tmp_path):
    for limit in ("-1", "x", "101%", "nan%", "1.5"):
        answer = command(*("corpus", corpus, tmp_path / "out", f"--max-errors={limit}"))
        assert answer.returncode == 2
        assert f"--max-errors is {limit!r}" in answer.stderr
    assert not (tmp_path / "out").exists()


def test_statistics_of_a_corpus_are_used_as_a_background(corpus, tmp_path):
    stats = tmp_path / "stats.json"
    answer = command("corpus-stats", corpus, stats, "--workers", "1")
    assert answer.returncode == 0
    counted = json.loads(stats.read_text())
    assert counted["num_documents"] == 1200
    assert counted["counts"]["hous"] == 1200
    bridges = sum("bridge" in text_of(k) for k in range(1200))
    assert counted["counts"]["bridg"] == bridges
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
