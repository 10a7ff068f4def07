"""Handlers of requests: each takes a validated request and returns JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from thatch.context.packing.packed_files import PackedFiles
from thatch.context.repository.given_documents import chunks_of_documents
from thatch.context.select_settings import PackSettings, SelectSettings
from thatch.errors import InputError
from thatch.paper.live_sweep import LiveSweep
from thatch.rouge.score_settings import ScoreSettings
from thatch.run.result import Progress, Status
from thatch.run.stopping import MaxIterations, StoppingRule
from thatch.serve.answers.contexts import ContextAnswer
from thatch.serve.answers.general import CoverAnswer, ScoresAnswer, Solution, as_json
from thatch.serve.answers.packed_files import PackAnswer
from thatch.serve.answers.summaries import CurvePoint, SummaryAnswer, TextAnalysis
from thatch.serve.limits import Limits
from thatch.serve.option_fields import OptionsModel
from thatch.serve.plan_handlers import PLAN_HANDLERS, Handler, problem_of
from thatch.serve.requests import (
    AnalyzeRequest,
    CoverRequest,
    CurveRequest,
    PackRequest,
    ScoreRequest,
    SelectRequest,
    SolveRequest,
    SummarizeRequest,
    SweepRequest,
    TextRequest,
)
from thatch.solvers.covering.covering import cover as cover_problem
from thatch.solvers.solver_settings import CoverSettings, SolverSettings
from thatch.solvers.solving import solve as solve_problem
from thatch.text.documents.document import Document
from thatch.text.documents.readers import document_of
from thatch.text.report.command_lines import report_command
from thatch.text.report.document_names import is_file_name
from thatch.text.report.html_report import as_html
from thatch.text.summary import Summary
from thatch.text.summary_settings import SummaryCall, SummarySettings
from thatch.text.task import SummaryTask


@dataclass(frozen=True)
class ReadBlock:
    """A paragraph, heading, code block or aside, by offsets into the text."""

    start: int
    end: int
    kind: str
    #: Of a heading: its level, 1 for the title.
    level: int


@dataclass(frozen=True)
class ReadMarkup:
    """Characters that are not shown, and what is shown instead."""

    start: int
    end: int
    shown: str


@dataclass(frozen=True)
class ReadPlace:
    """Page, time and speaker, from an offset on."""

    start: int
    time: str
    speaker: str
    page: int | None = None


@dataclass(frozen=True)
class ReadDocument:
    """Text and blocks of a file."""

    name: str
    text: str
    blocks: list[ReadBlock]
    markup: list[ReadMarkup]
    places: list[ReadPlace]
    date: str
    is_extracted: bool


@dataclass(frozen=True)
class Curve:
    """Covered weight against budget."""

    curve: list[CurvePoint]
    unit: str
    solver: str


@dataclass(frozen=True)
class Report:
    """A summary as a page of HTML."""

    html: str


def summarize(request: SummarizeRequest, limits: Limits) -> str:
    """Summarize texts.

    Choose the sentences that cover the most within the budget.
    """
    answer = SummaryAnswer.of(
        _summary(request, limits),
        request.settings.solver,
        is_explained=request.record(SummaryCall).explain,
    )
    return as_json(answer)


def report(request: SummarizeRequest, limits: Limits) -> str:
    """Summarize texts as a page.

    As summarize; the answer is a page of HTML with the summary and its sources.
    """
    summary = _summary(request, limits)
    command = ""
    # The command line cannot pin or strike out passages.
    if not (request.pin or request.strike):
        names = [document.name for document in summary.task.passages.documents]
        files = names if all(map(is_file_name, names)) else []
        call = request.record(SummaryCall)
        command = report_command(files, call, request.settings, request.run)
    return as_json(Report(as_html(summary, command=command)))


def _summary(request: SummarizeRequest, limits: Limits) -> Summary:
    task = _task(request, limits)
    if request.pin or request.strike:
        task = task.with_choices(pinned=request.pin, struck=request.strike)
    return request.settings.summarizer().summary_of(
        request.record(SummaryCall).applied_to(task),
        **_time(request.run.max_seconds, limits),
        seed=request.run.seed,
    )


def curve(request: CurveRequest, limits: Limits) -> str:
    """Covered weight against budget.

    Summarize texts within several budgets.
    """
    task = _task(request, limits)
    settings, run = request.settings, request.run
    summarizer = settings.summarizer()
    share = 1.0 / len(request.budgets)
    points = [
        CurvePoint.of(
            summarizer.summary_of(
                task.with_budget(budget),
                **_time(run.max_seconds, limits, share=share),
                seed=run.seed,
            )
        )
        for budget in request.budgets
    ]
    return as_json(Curve(points, task.unit.name, settings.solver))


def analyze(request: AnalyzeRequest, limits: Limits) -> str:
    """Analyze texts.

    List the passages of texts, with their costs and concepts.
    """
    budget = request.record(SummaryCall).budget
    return as_json(TextAnalysis.of(_task(request, limits).with_budget(budget)))


def sweep(request: SweepRequest, limits: Limits) -> str:
    """Sweep the price.

    Run belief propagation on texts at many prices, as in the figures of the paper.
    """
    return as_json(
        LiveSweep.of(
            _task(request, limits).with_budget(request.record(SummaryCall).budget),
            inverse_temperature=request.record(SolverSettings).inverse_temperature,
            prices=request.prices or None,
            stop=_time(None, limits)["stop"],
        )
    )


def read(content: bytes, name: str) -> str:
    """Text of a file, with its paragraphs, headings and places."""
    document = document_of(content, name)
    answer = ReadDocument(
        name,
        document.text,
        [ReadBlock(b.start, b.end, b.kind.value, b.level) for b in document.blocks],
        [ReadMarkup(m.start, m.end, m.shown) for m in document.markup],
        [ReadPlace(p.start, p.time, p.speaker, p.page) for p in document.places],
        document.date,
        document.is_extracted,
    )
    return as_json(answer)


def solve(request: SolveRequest, limits: Limits) -> str:
    """Solve a coverage problem.

    Select items within the budget that cover the most weight.
    """
    settings, run = request.record(SolverSettings), request.run
    limit = settings.max_iterations
    result = solve_problem(
        problem_of(request, limits, budget=request.changes.budget),
        settings.chosen(),
        **_time(
            run.max_seconds, limits, [] if limit is None else [MaxIterations(limit)]
        ),
        seed=run.seed,
        num_threads=1,
        progress=False,
    )
    return as_json(Solution.of(result, settings.solver, run.seed))


def cover(request: CoverRequest, limits: Limits) -> str:
    """Cover a target.

    Find the cheapest items that cover a share of the weight, or all of it.
    """
    target, run = request.record(CoverSettings), request.run
    result = cover_problem(
        problem_of(request, limits, budget=0.0),
        share=target.share,
        weight=target.weight,
        share_of=target.share_of,
        **_time(run.max_seconds, limits),
        seed=run.seed,
        num_threads=1,
        progress=False,
    )
    return as_json(CoverAnswer.of(result, run.seed))


def select(request: SelectRequest, limits: Limits) -> str:
    """Select chunks for a language model.

    Select the most relevant chunks within a budget, without repetitions.
    """
    if len(request.chunks) > limits.max_chunks:
        raise InputError(
            f"chunks has {len(request.chunks)} entries; at most {limits.max_chunks} "
            "are allowed.",
            hint=limits.hint(
                "Send fewer chunks, such as the best ones of a search engine."
            ),
        )
    wanted = request.run.max_seconds
    seconds = None if wanted is None else min(wanted, limits.seconds_to_solve)
    context = request.record(SelectSettings).selected(
        request.text_chunks,
        must_include=request.must_include,
        must_exclude=request.must_exclude,
        max_seconds=seconds,
    )
    return as_json(ContextAnswer.of(context))


def pack(request: PackRequest, limits: Limits) -> str:
    """Pack documents into a prompt.

    Cut documents into chunks, and print those that matter within a budget.
    """
    _require_few_documents(request.documents, limits)
    settings = request.record(PackSettings)
    packed = PackedFiles.of(
        settings.packing(limits.seconds_to_solve),
        _cached_chunks(
            request.texts,
            include=settings.include,
            exclude=settings.exclude,
            is_folder=request.is_folder,
        ),
        must_include=request.must_include,
        must_exclude=request.must_exclude,
    )
    return as_json(PackAnswer.of(packed))


def score(request: ScoreRequest, _: Limits) -> str:
    """Score a summary.

    Score a summary by ROUGE against reference summaries.
    """
    measure = request.record(ScoreSettings).measure()
    return as_json(ScoresAnswer.of(measure.score(request.summary, request.references)))


#: Handlers by name, each with the models of its requests and of its answers.
HANDLERS: dict[str, tuple[type[OptionsModel], type, Handler]] = {
    "summarize": (SummarizeRequest, SummaryAnswer, summarize),
    "report": (SummarizeRequest, Report, report),
    "curve": (CurveRequest, Curve, curve),
    "analyze": (AnalyzeRequest, TextAnalysis, analyze),
    "sweep": (SweepRequest, LiveSweep, sweep),
    "solve": (SolveRequest, Solution, solve),
    "cover": (CoverRequest, CoverAnswer, cover),
    "select": (SelectRequest, ContextAnswer, select),
    "pack": (PackRequest, PackAnswer, pack),
    "score": (ScoreRequest, ScoresAnswer, score),
    **PLAN_HANDLERS,
}


def answer_to(handler: str, body: bytes, limits: Limits) -> str:
    """Validate a JSON request and return the answer as JSON."""
    request, _, handle = HANDLERS[handler]
    return handle(request.model_validate_json(body), limits)


def _time(
    wanted: float | None,
    limits: Limits,
    stop: Sequence[StoppingRule] = (),
    *,
    share: float = 1.0,
) -> dict[str, Any]:
    """Time limit of a solver: the requested one, or a share of the usual one.

    A requested limit is passed on as time to use. The usual limit is a stopping rule,
    so that solvers that end by themselves do not use up the time.
    """
    if wanted is not None:
        seconds = min(wanted, share * limits.seconds_to_solve)
        return {"max_seconds": seconds, "stop": stop}

    def stop_at_limit(progress: Progress) -> Status | None:
        is_over = progress.seconds >= share * limits.usual_seconds
        return Status.TIME_LIMIT if is_over else None

    return {"stop": [*stop, stop_at_limit]}


def _task(request: TextRequest, limits: Limits) -> SummaryTask:
    """The task of the texts, without a budget."""
    _require_few_documents(request.documents, limits)
    # The solver does not change the task.
    return _cached_task(request.texts, replace(request.settings, solver="auto"))


def _require_few_documents(given: str | Sequence[object], limits: Limits) -> None:
    if not isinstance(given, str) and len(given) > limits.max_documents:
        raise InputError(
            f"documents has {len(given)} entries; at most {limits.max_documents} are "
            "allowed.",
            hint=limits.hint("Send fewer documents, or join some."),
        )


# A moving slider sends the same text again and again.
_cached_chunks = lru_cache(maxsize=4)(chunks_of_documents)


@lru_cache(maxsize=4)
def _cached_task(texts: tuple[Document, ...], settings: SummarySettings) -> SummaryTask:
    return settings.summarizer().task(texts, 0.0)
