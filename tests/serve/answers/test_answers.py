"""Answers say what results say, as JSON that every program can read."""

import json

import pytest

import thatch
from thatch.problem.instances import toy
from thatch.serve.answers.contexts import ContextAnswer
from thatch.serve.answers.general import Failure, Solution, as_json
from thatch.serve.answers.summaries import CurvePoint, SummaryAnswer

TEXT = "Snow fell all day. Nobody came. All day the snow fell on the town."


def plain(answer):
    return json.loads(as_json(answer))


def test_a_solution_has_the_items_and_the_gap():
    result = thatch.solve(toy.greedy_trap().problem)
    answer = plain(Solution.of(result, "auto", 7))
    assert (answer["items"], answer["gap"]) == (["left", "right"], 0)
    assert (answer["value"], answer["seed"]) == (result.selection.value, 7)


def test_a_summary_has_its_text_and_what_was_left_out():
    summary = thatch.summarize(TEXT, 11)
    answer = plain(SummaryAnswer.of(summary, "auto", is_explained=True))
    assert (answer["summary"], answer["cost"]) == (summary.text, summary.cost)
    shown = [*answer["sentences"], *answer["left_out"]]
    spans = sorted((each["start"], each["end"]) for each in shown)
    assert " ".join(TEXT[start:end] for start, end in spans) == TEXT
    point = CurvePoint.of(summary)
    assert (point.cost, point.value) == (summary.cost, answer["value"])


def test_a_context_has_what_was_selected_and_dropped():
    notes = ["Snow fell.", "We left.", "Snow fell."]
    context = thatch.select(notes, 9, query="snow")
    answer = plain(ContextAnswer.of(context))
    assert answer["text"] == context.text == "Snow fell."
    assert [each["index"] for each in answer["chunks"]] == [0]
    repeated = answer["dropped"][1]
    assert (repeated["index"], repeated["redundant_with"]) == (2, 0)
    assert answer["gap"] == context.gap


@pytest.mark.parametrize(
    ("chunks", "budget", "words"),
    [
        (["Snow fell.", "We left."], 1, "fits in 1 tokens"),
        (["It rained.", "We left."], 50, "matches the query"),
        (["It rained.", "We left."], 1, "matches the query"),
        (["", " "], 50, "contains text"),
        ([], 50, "contains text"),
    ],
)
def test_an_empty_context_says_why(chunks, budget, words):
    context = thatch.select(chunks, budget, query="snow")
    assert words in plain(ContextAnswer.of(context))["warning"]
    full = thatch.select(["Snow fell."], 50, query="snow")
    assert plain(ContextAnswer.of(full))["warning"] == ""


def test_fields_without_a_value_are_left_out():
    assert (
        "redundant_with"
        not in plain(
            ContextAnswer.of(thatch.select(["Snow.", "Rain."], 5, query="snow"))
        )["dropped"][0]
    )
    assert plain(Failure("budget is -1.", "Pass 0.")).keys() == {"error", "hint"}
