"""The HTTP API: a checked request goes to a worker, its reply comes back."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from thatch import __version__
from thatch.answers import Failure, ScoresAnswer, Solution, Study, SummaryAnswer
from thatch.experiments.live_sweep import LiveSweep
from thatch.service.jobs import Curve, ReadDocument
from thatch.service.limits import Limits
from thatch.service.replies import Outcome
from thatch.service.requests import (
    CurveRequest,
    ReadRequest,
    ScoreRequest,
    SolveRequest,
    SummarizeRequest,
    SweepRequest,
    TextRequest,
)
from thatch.service.workers import Workers
from thatch.solvers.names import SOLVERS
from thatch.text.readers import ENDINGS

__all__ = ["router"]

_STATUS = {
    Outcome.DONE: HTTPStatus.OK,
    Outcome.BAD_INPUT: HTTPStatus.UNPROCESSABLE_ENTITY,
    Outcome.UNSUPPORTED: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Outcome.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Outcome.TOO_SLOW: HTTPStatus.SERVICE_UNAVAILABLE,
    Outcome.BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
    Outcome.BROKEN: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_FAILURES: dict[int | str, dict[str, Any]] = {
    413: {"model": Failure, "description": "It is too large."},
    415: {"model": Failure, "description": "What reads it is not installed."},
    422: {"model": Failure, "description": "It breaks a rule."},
    503: {"model": Failure, "description": "Too many wait, or it took too long."},
}
_BYTES = {"type": "string", "format": "binary"}
_FILE = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary"}
            }
        },
    }
}

FileName = Annotated[str, Query(max_length=255, description="Its ending decides.")]
router = APIRouter(prefix="/api", responses=_FAILURES)


@dataclass(frozen=True)
class HealthLimits:
    """How much a request may ask for."""

    max_bytes: int
    max_seconds: float
    max_documents: int


@dataclass(frozen=True)
class Health:
    """That the server is there, and what it can do."""

    status: str
    version: str
    limits: HealthLimits
    workers: int
    running: int
    waiting: int
    solvers: list[str]
    formats: list[str]


@router.get("/health", summary="Whether the server is well, and its limits")
async def health(request: Request) -> Health:
    """Answer at once, however many wait."""
    limits: Limits = request.app.state.limits
    workers: Workers = request.app.state.workers
    return Health(
        status="ok",
        version=__version__,
        limits=HealthLimits(limits.max_bytes, limits.max_seconds, limits.max_documents),
        workers=limits.num_workers,
        running=workers.running,
        waiting=workers.waiting,
        solvers=list(SOLVERS),
        formats=list(ENDINGS),
    )


@router.post("/summarize", response_model=SummaryAnswer, summary="Summarize texts")
async def summarize(body: SummarizeRequest, request: Request) -> Response:
    """Choose the sentences that say the most within the budget."""
    return await _answered("summarize", body, request)


@router.post("/solve", response_model=Solution, summary="Solve a coverage problem")
async def solve(body: SolveRequest, request: Request) -> Response:
    """Choose items within the budget that cover the most weight."""
    return await _answered("solve", body, request)


@router.post("/score", response_model=ScoresAnswer, summary="Score a summary")
async def score(body: ScoreRequest, request: Request) -> Response:
    """Score a summary by ROUGE, against texts that people wrote."""
    return await _answered("score", body, request)


@router.post(
    "/read", response_model=ReadDocument, summary="Read a file", openapi_extra=_FILE
)
async def read(
    name: Annotated[str, Query(max_length=255)], request: Request
) -> Response:
    """Find the text of a file: plain, Markdown, HTML, PDF or Word, by its name."""
    file = ReadRequest(name=name, content=await request.body())
    return await _answered("read", file, request)


@router.post("/study", response_model=Study, summary="What a summary chooses from")
async def study(body: TextRequest, request: Request) -> Response:
    """List the passages of texts, with what each says and costs."""
    return await _answered("study", body, request)


@router.post("/curve", response_model=Curve, summary="Covered weight against budget")
async def curve(body: CurveRequest, request: Request) -> Response:
    """Summarize texts within several budgets."""
    return await _answered("curve", body, request)


@router.post("/sweep", response_model=LiveSweep, summary="Messages against price")
async def sweep(body: SweepRequest, request: Request) -> Response:
    """Pass messages on texts at many prices: the paper's figure, on any text."""
    return await _answered("sweep", body, request)


async def _answered(job: str, body: object, request: Request) -> Response:
    """What comes of a job, which is ended if the caller leaves."""
    workers: Workers = request.app.state.workers
    work = asyncio.ensure_future(workers.run(job, body))
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            return Response(status_code=HTTPStatus.NO_CONTENT)  # nobody reads it
        reply = work.result()
    finally:
        for task in (work, gone):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
    status = _STATUS[reply.outcome]
    headers = {"Retry-After": "2"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return Response(
        reply.body, status_code=status, headers=headers, media_type="application/json"
    )


async def _gone(request: Request) -> None:
    """Wait until the caller has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
