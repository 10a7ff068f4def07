"""What can be done for a caller: a checked request in, an answer as JSON out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from thatch.answers import (
    CurvePoint,
    ScoresAnswer,
    Solution,
    Study,
    SummaryAnswer,
    as_json,
)
from thatch.errors import InputError
from thatch.experiments.live_sweep import LiveSweep
from thatch.instances.files import problem_from_json
from thatch.run import MaxIterations
from thatch.service.limits import Limits
from thatch.service.requests import (
    CurveRequest,
    ReadRequest,
    ScoreRequest,
    SolveRequest,
    SummarizeRequest,
    SweepRequest,
    TextRequest,
)
from thatch.solving import solve as solve_problem
from thatch.text.document import Document
from thatch.text.readers import document_of
from thatch.text.settings import SummarySettings
from thatch.text.task import Task

__all__ = ["JOBS", "Curve", "ReadDocument"]

# A slider that moves asks for one text again and again.
_MOST_TASKS_KEPT = 4


@dataclass(frozen=True)
class ReadBlock:
    """A paragraph, heading or piece of code, by offsets into the text."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class ReadDocument:
    """What was found in a file."""

    name: str
    text: str
    blocks: list[ReadBlock]


@dataclass(frozen=True)
class Curve:
    """Covered weight against budget."""

    curve: list[CurvePoint]
    unit: str
    solver: str


def summarize(request: SummarizeRequest, limits: Limits) -> str:
    """Summary of the texts within the budget."""
    summary = request.settings.summarizer().summary_of(
        _task(request, limits).with_budget(request.budget),
        max_seconds=_seconds(request.max_seconds, limits),
        seed=request.seed,
    )
    return as_json(
        SummaryAnswer.of(summary, request.solver, is_explained=request.explain)
    )


def curve(request: CurveRequest, limits: Limits) -> str:
    """Covered weight within each of the budgets."""
    task = _task(request, limits)
    summarizer = request.settings.summarizer()
    # All of them together may take no longer than one would.
    most = limits.seconds_to_solve / len(request.budgets)
    points = [
        CurvePoint.of(
            summarizer.summary_of(
                task.with_budget(budget),
                max_seconds=min(request.max_seconds or most, most),
                seed=request.seed,
            )
        )
        for budget in request.budgets
    ]
    return as_json(Curve(points, task.unit.name, request.solver))


def study(request: TextRequest, limits: Limits) -> str:
    """What a summary would choose from."""
    return as_json(Study.of(_task(request, limits)))


def sweep(request: SweepRequest, limits: Limits) -> str:
    """What messages say at every price."""
    return as_json(
        LiveSweep.of(
            _task(request, limits).with_budget(request.budget),
            inverse_temperature=request.inverse_temperature,
            prices=request.prices or None,
            max_seconds=limits.seconds_to_solve / 5,
        )
    )


def read(request: ReadRequest, limits: Limits) -> str:
    """Text of a file, and where its paragraphs and headings are."""
    document = document_of(request.content, request.name)
    blocks = [
        ReadBlock(block.start, block.end, block.kind.value) for block in document.blocks
    ]
    return as_json(ReadDocument(request.name, document.text, blocks))


def solve(request: SolveRequest, limits: Limits) -> str:
    """Items within the budget that cover the most weight."""
    stop = request.max_iterations
    result = solve_problem(
        problem_from_json(
            request.problem.model_dump(),
            budget=request.budget,
            unit_costs=request.unit_costs,
        ),
        request.settings.chosen(),
        max_seconds=_seconds(request.max_seconds, limits),
        stop=[] if stop is None else [MaxIterations(stop)],
        seed=request.seed,
        num_threads=1,
    )
    return as_json(Solution.of(result, request.solver, request.seed))


def score(request: ScoreRequest, limits: Limits) -> str:
    """Scores of a summary by ROUGE."""
    measure = request.settings.measure()
    return as_json(ScoresAnswer.of(measure.score(request.summary, request.references)))


#: By name; each takes a request of its own kind.
JOBS: dict[str, Callable[..., str]] = {
    job.__name__: job for job in (summarize, curve, study, sweep, read, solve, score)
}


def _seconds(wanted: float | None, limits: Limits) -> float:
    most = limits.seconds_to_solve
    return most if wanted is None else min(wanted, most)


def _task(request: TextRequest, limits: Limits) -> Task:
    """The task of the texts, under no budget yet."""
    texts = request.texts
    if len(texts) > limits.max_documents:
        raise InputError(
            f"documents must be {limits.max_documents} or fewer, got {len(texts)}.",
            hint="Join some, or ask twice.",
        )
    # Who solves does not change the task.
    return _kept_task(texts, replace(request.settings, solver="auto"))


@lru_cache(maxsize=_MOST_TASKS_KEPT)
def _kept_task(texts: tuple[Document, ...], settings: SummarySettings) -> Task:
    return settings.summarizer().task(texts, 0.0)
