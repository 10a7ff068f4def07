"""Numbers of ROUGE-1.5.5 and SumEval themselves; tests/data/README.md says how made."""

import json
from pathlib import Path

from cases import for_each

from thatch.rouge import (
    Aggregation,
    LongestSubsequence,
    NGrams,
    Rouge,
    SkipBigrams,
    SumEval,
)

DATA = Path(__file__).parents[1] / "data"
ONE_LINE = json.loads((DATA / "rouge_golden.json").read_text(encoding="utf-8"))
MANY_LINES = json.loads((DATA / "rouge_lines.json").read_text(encoding="utf-8"))
WORDS, PAIRS, LONGEST = NGrams(1), NGrams(2), LongestSubsequence()

# The options of the script, and our settings for them.
ONE_LINE_SETTINGS = {
    "(plain)": Rouge(stems=None),
    "-m": Rouge(),
    "-m -s": Rouge(remove_stop_words=True),
    "-m -l 100": Rouge(limit_words=100),
    # The script was given these texts in Latin-1.
    "-m -b 665": Rouge(limit_bytes=665, encoding="latin-1"),
}
THREE = (WORDS, PAIRS, LONGEST)
MANY_LINES_SETTINGS = {
    "-m -n 4": Rouge(metrics=(WORDS, PAIRS, NGrams(3), NGrams(4), LONGEST)),
    "-n 2 -l 20": Rouge(metrics=THREE, stems=None, limit_words=20),
    "-m -n 2 -b 120": Rouge(metrics=THREE, limit_bytes=120),
    "-m -s -n 2": Rouge(metrics=THREE, remove_stop_words=True),
    "-m -n 2 -f B": Rouge(metrics=THREE, aggregate=Aggregation.BEST),
    "-n 2 -p 0.2": Rouge(metrics=THREE, stems=None, alpha=0.2),
    "-x -2 -1 -U -m": Rouge(
        metrics=(SkipBigrams(None, with_words=False), SkipBigrams(None))
    ),
    "-x -2 0 -U": Rouge(
        metrics=(SkipBigrams(0, with_words=False), SkipBigrams(0)), stems=None
    ),
    "-m -n 1 -2 4 -u -l 60": Rouge(
        metrics=(WORDS, LONGEST, SkipBigrams()), limit_words=60
    ),
}


def cells(scores):
    return {
        metric: {
            "recall": score.recall,
            "precision": score.precision,
            "f1": score.f_measure,
        }
        for metric, score in scores.items()
    }


@for_each("options", ONE_LINE_SETTINGS)
@for_each("case", ONE_LINE, ids=lambda case: case["id"])
def test_texts_of_one_line_score_as_the_original_says(case, options):
    scores = ONE_LINE_SETTINGS[options].score(case["candidate"], case["references"])
    assert cells(scores) == case["rouge155"][options]


@for_each("options", MANY_LINES_SETTINGS)
@for_each("number", range(len(MANY_LINES)))
def test_texts_of_many_lines_score_as_the_original_says(number, options):
    case = MANY_LINES[number]
    scores = MANY_LINES_SETTINGS[options].score(case["candidate"], case["references"])
    assert cells(scores) == case["rouge155"][options]


SUMEVAL_SETTINGS = {
    "stopwords=True alpha=0": SumEval(alpha=0),
    "stopwords=False alpha=0": SumEval(remove_stop_words=False, alpha=0),
    "stopwords=False alpha=0.5": SumEval(remove_stop_words=False),
    "stopwords=False word_limit=100 alpha=0": SumEval(
        remove_stop_words=False, limit_words=100, alpha=0
    ),
}


@for_each("options", SUMEVAL_SETTINGS)
@for_each("case", ONE_LINE, ids=lambda case: case["id"])
def test_sumeval_scores_as_it_says_itself(case, options):
    scores = SUMEVAL_SETTINGS[options].score(case["candidate"], case["references"])
    for metric, expected in case["sumeval"][options].items():
        assert round(scores[metric].f_measure, 6) == expected


def test_every_golden_number_is_compared():
    assert len(ONE_LINE) == 60
    assert all(set(case["rouge155"]) == set(ONE_LINE_SETTINGS) for case in ONE_LINE)
    assert all(set(case["sumeval"]) == set(SUMEVAL_SETTINGS) for case in ONE_LINE)
    assert all(set(case["rouge155"]) == set(MANY_LINES_SETTINGS) for case in MANY_LINES)
