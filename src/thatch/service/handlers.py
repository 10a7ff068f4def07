"""What can be done for a caller: a checked request in, an answer as JSON out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

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
from thatch.run.progress import Progress
from thatch.run.result import Status
from thatch.run.stopping import MaxIterations, StoppingRule
from thatch.service.limits import Limits
from thatch.service.requests import (
    CurveRequest,
    ScoreRequest,
    SolveRequest,
    SummarizeRequest,
    SweepRequest,
    TextRequest,
)
from thatch.solving import solve as solve_problem
from thatch.text.documents.document import Document
from thatch.text.documents.readers import document_of
from thatch.text.summary_settings import SummarySettings
from thatch.text.task import SummaryTask

__all__ = ["JOBS", "Curve", "ReadDocument", "answer_to", "read"]

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
        **_time(request.max_seconds, limits),
        seed=request.seed,
    )
    return as_json(
        SummaryAnswer.of(summary, request.solver, is_explained=request.explain)
    )


def curve(request: CurveRequest, limits: Limits) -> str:
    """Covered weight within each of the budgets."""
    task = _task(request, limits)
    summarizer = request.settings.summarizer()
    share = 1.0 / len(request.budgets)
    points = [
        CurvePoint.of(
            summarizer.summary_of(
                task.with_budget(budget),
                **_time(request.max_seconds, limits, share=share),
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
            stop=_time(None, limits)["stop"],
        )
    )


def read(content: bytes, name: str) -> str:
    """Text of a file, and where its paragraphs and headings are."""
    document = document_of(content, name)
    blocks = [
        ReadBlock(block.start, block.end, block.kind.value) for block in document.blocks
    ]
    return as_json(ReadDocument(name, document.text, blocks))


def solve(request: SolveRequest, limits: Limits) -> str:
    """Items within the budget that cover the most weight."""
    most = request.max_iterations
    result = solve_problem(
        problem_from_json(
            request.problem.model_dump(),
            budget=request.budget,
            unit_costs=request.unit_costs,
        ),
        request.settings.chosen(),
        **_time(
            request.max_seconds, limits, [] if most is None else [MaxIterations(most)]
        ),
        seed=request.seed,
        num_threads=1,
    )
    return as_json(Solution.of(result, request.solver, request.seed))


def score(request: ScoreRequest, _: Limits) -> str:
    """Scores of a summary by ROUGE."""
    measure = request.settings.measure()
    return as_json(ScoresAnswer.of(measure.score(request.summary, request.references)))


_Job = Callable[[Any, Limits], str]
#: What can be asked for, by name, and what is asked with.
JOBS: dict[str, tuple[type[BaseModel], _Job]] = {
    "summarize": (SummarizeRequest, summarize),
    "curve": (CurveRequest, curve),
    "study": (TextRequest, study),
    "sweep": (SweepRequest, sweep),
    "solve": (SolveRequest, solve),
    "score": (ScoreRequest, score),
}


def answer_to(job: str, body: bytes, limits: Limits) -> str:
    """Check a request that came as JSON, and answer it.

    >>> body = b'{"summary": "Snow.", "references": ["Snow."], "metrics": "1"}'
    >>> answer_to("score", body, Limits())[:12]
    '{"scores": {'
    """
    request, answer = JOBS[job]
    return answer(request.model_validate_json(body), limits)


def _time(
    wanted: float | None,
    limits: Limits,
    stop: Sequence[StoppingRule] = (),
    *,
    share: float = 1.0,
) -> dict[str, Any]:
    """When a solver is to stop; a share of the time may be its own.

    A limit of the caller's is time to be used. One of ours is not: solvers that end by
    themselves should.
    """
    if wanted is not None:
        seconds = min(wanted, share * limits.seconds_to_solve)
        return {"max_seconds": seconds, "stop": stop}

    def is_up(progress: Progress) -> Status | None:
        is_over = progress.seconds >= share * limits.usual_seconds
        return Status.TIME_LIMIT if is_over else None

    return {"stop": [*stop, is_up]}


def _task(request: TextRequest, limits: Limits) -> SummaryTask:
    """The task of the texts, under no budget yet."""
    given = request.documents
    if isinstance(given, list) and len(given) > limits.max_documents:
        raise InputError(
            f"documents must be {limits.max_documents} or fewer, got {len(given)}.",
            hint="Join some, or ask twice.",
        )
    # Who solves does not change the task.
    return _kept_task(request.texts, replace(request.settings, solver="auto"))


@lru_cache(maxsize=_MOST_TASKS_KEPT)
def _kept_task(texts: tuple[Document, ...], settings: SummarySettings) -> SummaryTask:
    return settings.summarizer().task(texts, 0.0)
