import json
import subprocess
import sys

import pytest

from thatch import __version__
from thatch.rouge import (
    Aggregation,
    NGrams,
    Rouge,
    SnowballStems,
    SumEval,
    UnicodeTokens,
)

SUMMARY = "Police killed the gunman."
REFERENCES = ["Police kill the gunman.", "The gunman was shot down by police."]


@pytest.fixture
def files(tmp_path):
    """A summary and two references, as texts and as JSON lines."""
    (tmp_path / "summary.txt").write_text(SUMMARY)
    for number, text in enumerate(REFERENCES, start=1):
        (tmp_path / f"ref{number}.txt").write_text(text)
    rows = [{"id": name, "summary": SUMMARY} for name in ("a", "b")]
    rows[1]["summary"] = "The police."
    write_lines(tmp_path / "s.jsonl", rows)
    write_lines(
        tmp_path / "c.jsonl",
        [{"id": name, "references": REFERENCES} for name in ("b", "a")],
    )
    return tmp_path


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def scored(thatch, *options):
    files = ("summary.txt", "ref1.txt", "ref2.txt")
    code, out, err = thatch("score", *files, "--format", "json", *options)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_score_prints_a_table_that_ends_with_the_signature(thatch, files):
    code, out, err = thatch("score", "summary.txt", "ref1.txt", "ref2.txt")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "            recall  precision  f-measure",
        "ROUGE-1    0.63636    0.87500    0.73684",
        "ROUGE-2    0.44444    0.66667    0.53333",
        "ROUGE-L    0.54545    0.75000    0.63158",
        "ROUGE-SU4  0.31429    0.61111    0.41510",
        "",
        (
            "rouge:1,2,L,SU4|tokens:original|stems:porter+wordnet|stop-words:kept|"
            f"limit:none|references:average|alpha:0.5|thatch:{__version__}"
        ),
    ]


def test_score_prints_one_json_object_with_the_agreed_fields(thatch, files):
    answer = scored(thatch)
    assert list(answer) == ["scores", "signature"]
    assert answer["scores"]["ROUGE-1"] == {
        "recall": 0.63636,
        "precision": 0.875,
        "f_measure": 0.73684,
    }


@pytest.mark.parametrize(
    ("options", "measure"),
    [
        ("--limit-words 2", Rouge(limit_words=2)),
        ("--limit-bytes 12", Rouge(limit_bytes=12)),
        ("--no-stem", Rouge(stems=None)),
        ("--stem", Rouge()),
        ("--remove-stop-words", Rouge(remove_stop_words=True)),
        ("--metrics 1,rouge-3", Rouge(metrics=(NGrams(1), NGrams(3)))),
        ("--aggregate best", Rouge(aggregate=Aggregation.BEST)),
        ("--alpha 0.2", Rouge(alpha=0.2)),
        ("--tokens unicode", Rouge(tokens=UnicodeTokens())),
        (
            "--language german",
            Rouge(tokens=UnicodeTokens(), stems=SnowballStems("german")),
        ),
        ("--variant sumeval", SumEval()),
        (
            "--variant sumeval --keep-stop-words --limit-words 3 --alpha 0",
            SumEval(remove_stop_words=False, limit_words=3, alpha=0),
        ),
    ],
)
def test_every_option_has_its_setting(thatch, files, options, measure):
    expected = measure.score(SUMMARY, REFERENCES)
    answer = scored(thatch, *options.split())
    assert answer["signature"] == expected.signature
    assert {name: score["recall"] for name, score in answer["scores"].items()} == {
        name: score.recall for name, score in expected.items()
    }


def test_many_summaries_have_means_with_intervals(thatch, files):
    _, out, _ = thatch("score", "s.jsonl", "c.jsonl", "--format", "json", "--seed", "5")
    answer = json.loads(out)
    assert list(answer) == ["num_summaries", "scores", "each", "signature"]
    recalls = [each["scores"]["ROUGE-1"]["recall"] for each in answer["each"]]
    estimate = answer["scores"]["ROUGE-1"]["recall"]
    assert [each["id"] for each in answer["each"]] == ["a", "b"]
    assert estimate["mean"] == pytest.approx(sum(recalls) / 2)
    assert (estimate["low"], estimate["high"]) == (min(recalls), max(recalls))
    assert answer["signature"].endswith("|interval:95%,1000resamples,seed5")


def test_many_summaries_have_a_table_too(thatch, files):
    _, out, _ = thatch("score", "s.jsonl", "c.jsonl", "--metrics", "1")
    head, row, count, empty, signature = out.splitlines()
    assert row.split() == [
        "ROUGE-1",
        *("0.50000", "[0.36364,", "0.63636]"),
        *("0.93750", "[0.87500,", "1.00000]"),
        *("0.63509", "[0.53334,", "0.73684]"),
    ]
    assert head.split() == ["recall", "precision", "f-measure"]
    assert (count, empty) == ("2 summaries", "")
    assert "|interval:95%" in signature


def test_the_summary_may_come_from_standard_input(files):
    command = [sys.executable, "-m", "thatch", "score", "-", "ref1.txt", "ref2.txt"]
    answer = subprocess.run(
        command, cwd=files, input=SUMMARY, capture_output=True, text=True, check=True
    )
    assert "ROUGE-1    0.63636" in answer.stdout


def test_scores_may_go_to_a_file(thatch, files):
    code, out, _ = thatch("score", "summary.txt", "ref1.txt", "-o", "scores.txt")
    assert (code, out) == (0, "")
    assert "ROUGE-L" in (files / "scores.txt").read_text()


BAD_COMMANDS = {
    "score": ["argument", "SUMMARY"],
    "score summary.txt": ["argument", "REFERENCES"],
    "score summary.txt nowhere.txt": ["nowhere.txt"],
    "score summary.txt .": ["folder"],
    "score - -": ["standard input"],
    "score summary.txt ref1.txt --metrics 1,W": ["'W'"],
    "score summary.txt ref1.txt --metrics 1,1": ["ROUGE-1"],
    "score summary.txt ref1.txt --limit-words 0": ["limit_words", "0"],
    "score summary.txt ref1.txt --limit-words ten": ["--limit-words", "'ten'"],
    "score summary.txt ref1.txt --limit-words 5 --limit-bytes 5": ["words", "bytes"],
    "score summary.txt ref1.txt --alpha 1.5": ["alpha", "1.5"],
    "score summary.txt ref1.txt --language klingon": ["language", "'klingon'"],
    "score summary.txt ref1.txt --language german --no-stem": ["language", "german"],
    "score summary.txt ref1.txt --variant sumeval --no-stem": ["stem", "sumeval"],
    "score summary.txt ref1.txt --variant perl": ["variant", "'perl'", "sumeval"],
    "score summary.txt ref1.txt --aggregate worst": ["aggregate", "'worst'", "best"],
    "score summary.txt ref1.txt --tokens ascii": ["tokens", "'ascii'", "unicode"],
    "score summary.txt ref1.txt --confidence 95": ["confidence", "95"],
    "score summary.txt ref1.txt --resamples 0": ["--resamples", "0"],
    "score summary.txt ref1.txt --seed -1": ["seed", "-1"],
    "score summary.txt ref1.txt -o ref1.txt": ["ref1.txt"],
    "score s.jsonl c.jsonl c.jsonl": ["references", "2"],
    "score c.jsonl s.jsonl": ["c.jsonl, line 1", "summary"],
    "score summary.txt c.jsonl": ["summary.txt, line 1", "JSON"],
}


@pytest.mark.parametrize("command", BAD_COMMANDS)
def test_bad_commands_are_refused(thatch, files, command):
    before = sorted(files.iterdir())
    code, out, err = thatch(*command.split())
    error, hint = err.splitlines()
    assert (code, out) == (2, "")
    assert error.startswith("error: ")
    assert all(word in error for word in BAD_COMMANDS[command])
    assert hint.startswith("hint: ") and len(hint) > len("hint: ")
    assert sorted(files.iterdir()) == before
