"""Answers of the service, which equal those of the command line."""

import json

import pytest
from problems import long_problem
from pydantic import ValidationError

from thatch import Document, InputError, summarize
from thatch.serve.handlers import HANDLERS, answer_to, read
from thatch.serve.limits import Limits
from thatch.serve.requests import (
    CurveRequest,
    ScoreRequest,
    SolveRequest,
    SummarizeRequest,
    SweepRequest,
    TextRequest,
)
from thatch.text.documents.readers import document_of

TEXT = (
    "The bridge closed on Monday. Cracks were found in two piers. Cracks in two piers "
    "of the bridge will take a year to repair. The mayor was surprised by the cracks."
)
LIMITS = Limits()


def answer(handler, request, limits=LIMITS):
    return json.loads(answer_to(handler, request.model_dump_json().encode(), limits))


def without_seconds(fields):
    return {name: value for name, value in fields.items() if name != "seconds"}


@pytest.mark.parametrize("explain", [False, True])
def test_a_summary_has_the_fields_of_the_command_line(thatch, tmp_path, explain):
    (tmp_path / "bridge.txt").write_text(TEXT)
    options = ["--explain"] if explain else []
    command = ["summarize", "bridge.txt", "--budget", 13, "--format", "json", *options]
    printed = json.loads(thatch(*command)[1])
    document = {"text": TEXT, "name": "bridge.txt"}
    request = SummarizeRequest(documents=[document], budget=13, explain=explain)
    assert without_seconds(answer("summarize", request)) == without_seconds(printed)


def test_a_solution_has_the_fields_of_the_command_line(thatch, trap):
    printed = json.loads(thatch("solve", trap, "--format", "json")[1])
    request = SolveRequest(problem=json.loads(trap.read_text()))
    assert without_seconds(answer("solve", request)) == without_seconds(printed)


def test_scores_have_the_fields_of_the_command_line(thatch, tmp_path):
    (tmp_path / "a.txt").write_text("Snow fell on the town.")
    (tmp_path / "b.txt").write_text("The town was snowed in.")
    printed = json.loads(thatch("score", "a.txt", "b.txt", "--format", "json")[1])
    request = ScoreRequest(
        summary="Snow fell on the town.", references=["The town was snowed in."]
    )
    assert answer("score", request) == printed


def test_an_analysis_adds_up_to_the_weights_of_the_summary():
    analysis = answer("analyze", TextRequest(documents=TEXT))
    summary = summarize(TEXT, budget=1000)
    assert analysis["value"] == pytest.approx(summary.value)
    assert analysis["cost"] == len(TEXT.split())
    texts = [TEXT[p["start"] : p["end"]] for p in analysis["passages"]]
    assert texts[1] == "Cracks were found in two piers."
    names = [
        analysis["concepts"][a]["name"] for a in analysis["passages"][1]["concepts"]
    ]
    assert "cracks" in names
    weights = [
        analysis["concepts"][a]["weight"] for a in analysis["passages"][1]["concepts"]
    ]
    assert weights == sorted(weights, reverse=True)
    assert analysis["passages"][1]["weight"] == pytest.approx(sum(weights))


def test_an_analysis_gives_the_reason_why_a_passage_may_not_be_chosen():
    analysis = answer("analyze", TextRequest(documents=TEXT, exclude=["mayor"]))
    reasons = [passage["reason"] for passage in analysis["passages"]]
    assert reasons[:3] == ["", "", ""]
    assert reasons[3]


def test_a_curve_is_the_values_of_the_summaries():
    budgets = [5, 13, 30]
    curve = answer("curve", CurveRequest(documents=TEXT, budgets=budgets))
    values = [summarize(TEXT, budget=budget).value for budget in budgets]
    assert [point["value"] for point in curve["curve"]] == pytest.approx(values)


def test_a_sweep_spends_the_budget_at_its_price():
    request = SweepRequest(documents=TEXT, budget=20, inverse_temperature=0.2)
    sweep = answer("sweep", request)
    assert sweep["spending"]["expected_cost"] == pytest.approx(20, rel=1e-3)
    costs = [point["expected_cost"] for point in sweep["points"]]
    assert costs[0] > 20 > costs[-1]
    best = summarize(TEXT, budget=20).value
    assert sweep["levels"]["auto"] == pytest.approx(best)
    assert max(point["value"] for point in sweep["points"]) <= best + 1e-9


@pytest.mark.parametrize("documents", ["", "word", "..."])
@pytest.mark.parametrize("budget", [0, 100])
def test_a_text_of_nearly_nothing_has_a_sweep(documents, budget):
    sweep = answer("sweep", SweepRequest(documents=documents, budget=budget))
    prices = [point["price"] for point in sweep["points"]]
    assert prices == sorted(set(prices))


@pytest.mark.parametrize(
    ("name", "content"),
    {
        "a.md": "# T\n\nIt *rained* &amp; more. See [x](http://a.b).\n\n```\ncode\n```\n",
        "a.tex": r"\section{T} It rained. \begin{figure}\caption{A map.}\end{figure}",
        "a.srt": "1\n00:00:01,000 --> 00:00:02,000\nAda: It rained.\n",
    }.items(),
    ids=lambda text: text[:5].strip(),
)
def test_a_file_that_was_read_is_the_same_document_when_it_is_sent(name, content):
    """Markup, pages, times, dates and levels of headings are not lost on the way."""
    found = json.loads(read(content.encode(), name))
    (document,) = SummarizeRequest(documents=[found]).texts
    assert document == document_of(content.encode(), name)


def test_a_file_that_was_read_is_summarized_as_the_file_would_be():
    content = b"# Bridge\n\nThe bridge closed. It will open again in a year."
    found = json.loads(read(content, "bridge.md"))
    assert [block["kind"] for block in found["blocks"]] == ["heading", "prose"]
    summary = answer("summarize", SummarizeRequest(documents=[found], budget=3))
    assert summary["summary"] == "The bridge closed."


def test_a_name_that_ends_in_md_is_markdown():
    request = SummarizeRequest(
        documents=[{"text": "# Bridge\n\nIt closed.", "name": "a.md"}]
    )
    expected = summarize(Document.from_markdown("# Bridge\n\nIt closed."))
    assert answer("summarize", request)["summary"] == expected.text == "It closed."


def test_more_documents_than_allowed_are_refused():
    request = SummarizeRequest(documents=["One.", "Two."])
    with pytest.raises(InputError, match=r"documents.* 2 .* 1 "):
        answer("summarize", request, Limits(max_documents=1))


def test_a_requirement_that_does_not_fit_is_an_error_of_a_sweep_too():
    request = SweepRequest(documents=TEXT, require=["bridge"], budget=1)
    with pytest.raises(InputError, match="1 words"):
        answer("sweep", request)


@pytest.mark.parametrize("handler", HANDLERS)
def test_every_handler_requires_and_describes_its_request(handler):
    request, *_ = HANDLERS[handler]
    with pytest.raises(ValidationError) as caught:
        answer_to(handler, b"{}", LIMITS)
    schema = request.model_json_schema()
    missing = [each["loc"] for each in caught.value.errors()]
    assert missing == [(name,) for name in schema["required"]]
    assert schema["description"]


@pytest.mark.slow
@pytest.mark.parametrize("max_seconds", [None, 1000])
def test_the_solver_stops_within_the_time_limit_of_the_service(max_seconds):
    request = SolveRequest(
        problem=long_problem(), solver="exact", max_seconds=max_seconds
    )
    assert answer("solve", request, Limits(max_seconds=0.5))["status"] == "time_limit"


def test_requests_keep_constraints():
    problem = {
        "sets": [[0, 1], [1, 2], [3]],
        "item_names": ["a", "b", "c"],
        "constraints": {"conflicts": [["a", "c"]]},
    }
    request = SolveRequest(problem=problem, budget=2, require=["c"])
    assert answer("solve", request)["items"] == ["b", "c"]
