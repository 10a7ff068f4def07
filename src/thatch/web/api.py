"""The HTTP API: a request goes to a worker as it came, its reply comes back.

Requests are checked by the worker, not here: checking ten megabytes takes seconds, and
meanwhile nobody else would be served.
"""

from __future__ import annotations

import asyncio
import contextlib
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic.json_schema import models_json_schema
from starlette.responses import Response

from thatch import __version__
from thatch.answers import (
    Failure,
    Health,
    HealthLimits,
    ScoresAnswer,
    Solution,
    Study,
    SummaryAnswer,
)
from thatch.experiments.live_sweep import LiveSweep
from thatch.service.handlers import JOBS, Curve, ReadDocument
from thatch.service.limits import Limits
from thatch.service.replies import Outcome
from thatch.service.workers import Workers
from thatch.solvers.registry import solver_names
from thatch.text.documents.readers import ENDINGS
from thatch.web.guard import failure, json_response

__all__ = ["REQUEST_SCHEMAS", "router"]

_STATUS = {
    Outcome.DONE: HTTPStatus.OK,
    Outcome.BAD_INPUT: HTTPStatus.UNPROCESSABLE_ENTITY,
    Outcome.UNSUPPORTED: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Outcome.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Outcome.TOO_SLOW: HTTPStatus.SERVICE_UNAVAILABLE,
    Outcome.BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
    Outcome.BROKEN: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_ANYTIME = {
    403: "It comes from another site.",
    408: "It did not arrive in time.",
    421: "It was sent to another site's name.",
}
_OF_WORK = {
    413: "It is too large, or takes too much memory.",
    415: "It is no JSON by its type, or what reads the file is not installed.",
    422: "It breaks a rule.",
    500: "A fault of thatch.",
    503: "Too many wait, or it took too long.",
}
_REFERENCE = "#/components/schemas/{model}"
#: What can be asked with, as OpenAPI describes it.
REQUEST_SCHEMAS: dict[str, Any] = models_json_schema(
    [(request, "validation") for request, _ in JOBS.values()],
    ref_template=_REFERENCE,
)[1]["$defs"]
FileName = Annotated[str, Query(max_length=255, description="Its ending decides.")]


def _failures(known: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    return {
        status: {"model": Failure, "description": description}
        for status, description in known.items()
    }


def _body(kind: str, schema: dict[str, str]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {kind: {"schema": schema}}}}


router = APIRouter(prefix="/api", responses=_failures(_ANYTIME))


@router.get("/health", summary="Whether the server is well, and its limits")
async def health(request: Request) -> Health:
    """Answer at once, however many wait."""
    limits: Limits = request.app.state.limits
    workers: Workers = request.app.state.workers
    return Health(
        status="ok" if workers.present else "starting",
        version=__version__,
        limits=HealthLimits(limits.max_bytes, limits.max_seconds, limits.max_documents),
        workers=workers.present,
        running=workers.running,
        waiting=workers.waiting,
        solvers=solver_names(),
        formats=list(ENDINGS),
    )


def _add(job: str, answer: type, summary: str, description: str) -> None:
    """Make a job one of the calls."""

    async def call(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return failure(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                f"Content-Type must be application/json, got {kind or 'none'!r:.60}.",
                "Set this header.",
            )
        return await _answered(request, job)

    reference = _REFERENCE.format(model=JOBS[job][0].__name__)
    router.add_api_route(
        f"/{job}",
        call,
        methods=["POST"],
        operation_id=job,
        response_model=answer,
        response_model_exclude_none=True,
        summary=summary,
        description=description,
        responses=_failures(_OF_WORK),
        openapi_extra=_body("application/json", {"$ref": reference}),
    )


_add(
    "summarize",
    SummaryAnswer,
    "Summarize texts",
    "Choose the sentences that say the most within the budget.",
)
_add(
    "solve",
    Solution,
    "Solve a coverage problem",
    "Choose items within the budget that cover the most weight.",
)
_add(
    "score",
    ScoresAnswer,
    "Score a summary",
    "Score a summary by ROUGE, against texts that people wrote.",
)
_add(
    "study",
    Study,
    "What a summary chooses from",
    "List the passages of texts, with what each says and costs.",
)
_add(
    "curve",
    Curve,
    "Covered weight against budget",
    "Summarize texts within several budgets.",
)
_add(
    "sweep",
    LiveSweep,
    "Messages against price",
    "Pass messages on texts at many prices: the paper's figure, on any text.",
)


@router.post(
    "/read",
    response_model=ReadDocument,
    summary="Read a file",
    responses=_failures(_OF_WORK),
    openapi_extra=_body(
        "application/octet-stream", {"type": "string", "format": "binary"}
    ),
)
async def read(name: FileName, request: Request) -> Response:
    """Find the text of a file: plain, Markdown, HTML, PDF or Word, by its name."""
    return await _answered(request, "read", name)


async def _answered(request: Request, job: str, name: str = "") -> Response:
    """What comes of a job, which is ended if the caller leaves."""
    workers: Workers = request.app.state.workers
    work = asyncio.ensure_future(workers.run(job, await request.body(), name))
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
    return json_response(
        reply.body, _STATUS[reply.outcome], is_busy=reply.outcome is Outcome.BUSY
    )


async def _gone(request: Request) -> None:
    """Wait until the caller has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
