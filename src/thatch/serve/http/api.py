"""The HTTP API: passes each request to a worker process and returns its reply.

The worker validates the request: doing so here would block all other requests for
seconds if the body is large.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from functools import cache
from http import HTTPStatus
from inspect import getdoc
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic.json_schema import models_json_schema
from starlette.responses import Response

from thatch import __version__
from thatch.options import Option
from thatch.serve.answers.general import (
    Failure,
    Health,
    HealthLimits,
    OptionDescription,
    filled,
)
from thatch.serve.answers.problems import (
    ProblemAnswer,
)
from thatch.serve.handlers import HANDLERS, ReadDocument
from thatch.serve.http.responses import NO_CLIENT, failure, json_response
from thatch.serve.limits import Limits
from thatch.serve.replies import Outcome
from thatch.serve.workers import Workers
from thatch.solvers.registry import solver_named, solver_names
from thatch.text.documents.readers import ENDINGS, is_plain

_STATUS = {
    Outcome.DONE: HTTPStatus.OK,
    Outcome.BAD_INPUT: HTTPStatus.UNPROCESSABLE_ENTITY,
    Outcome.UNSUPPORTED: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Outcome.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Outcome.TOO_SLOW: HTTPStatus.SERVICE_UNAVAILABLE,
    Outcome.BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
    Outcome.BROKEN: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_GENERAL_FAILURES = {
    400: "The request is not valid HTTP.",
    401: "The token is missing or wrong.",
    403: "The request comes from another site.",
    408: "The request did not arrive in time.",
    421: "The host name is not a name of this server.",
    429: "The client sends too many requests to a demo.",
}
_HANDLER_FAILURES = {
    413: "The request exceeds the size or memory limit.",
    415: "The content type is not JSON, or files of this format are not read here.",
    422: "The request is invalid.",
    500: "Internal error.",
    503: "The queue is full, or the request exceeded the time limit.",
}
_REFERENCE = "#/components/schemas/{model}"
#: OpenAPI schemas of all request bodies.
REQUEST_SCHEMAS: dict[str, Any] = models_json_schema(
    [(request, "validation") for request, _, _ in HANDLERS.values()],
    ref_template=_REFERENCE,
)[1]["$defs"]
FileName = Annotated[
    str,
    Query(max_length=255, description="File name; its extension decides the format."),
]


def _failures(known: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    return {
        status: {"model": Failure, "description": description}
        for status, description in known.items()
    }


def _body(kind: str, schema: dict[str, str]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {kind: {"schema": schema}}}}


router = APIRouter(prefix="/api", responses=_failures(_GENERAL_FAILURES))


@router.get("/health", summary="State and limits of the server")
async def health(request: Request) -> Health:
    """Report the state, the limits and the queue; never waits for a worker."""
    limits: Limits = request.app.state.limits
    workers: Workers = request.app.state.workers
    return Health(
        status="ok" if workers.present else "starting",
        version=__version__,
        limits=filled(HealthLimits, limits),
        workers=workers.present,
        running=workers.running,
        waiting=workers.waiting,
        solvers=_solvers(),
        formats=[
            each for each in ENDINGS if is_plain(f"a{each}") or not limits.is_demo
        ],
        is_demo=limits.is_demo,
    )


# Finding the solvers of all installed packages takes several milliseconds, in which the
# server cannot do anything else.
_solvers = cache(solver_names)


@router.get("/options", summary="Options of every call")
async def options() -> dict[str, list[OptionDescription]]:
    """List the options of each call with labels, choices and defaults, for forms."""
    return _options()


@cache
def _options() -> dict[str, list[OptionDescription]]:
    return {
        handler: [_description(option) for option in request.options]
        for handler, (request, _, _) in HANDLERS.items()
    }


def _description(option: Option) -> OptionDescription:
    described = OptionDescription.of(option)
    if option.name != "solver":
        return described
    choices = [
        replace(
            each, description=(getdoc(solver_named(each.name)) or "").partition("\n")[0]
        )
        for each in described.choices
    ]
    return replace(described, choices=choices)


def _add(handler: str, answer: type, summary: str, description: str = "") -> None:
    async def call(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return failure(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                f"Content-Type is {kind or 'none'!r:.60}; it must be application/json.",
                "Set the Content-Type header.",
            )
        return await _reply(request, handler)

    reference = _REFERENCE.format(model=HANDLERS[handler][0].__name__)
    router.add_api_route(
        f"/{handler}",
        call,
        methods=["POST"],
        operation_id=handler,
        response_model=answer,
        response_model_exclude_none=True,
        summary=summary,
        description=description,
        responses=_failures(_HANDLER_FAILURES),
        openapi_extra=_body("application/json", {"$ref": reference}),
    )


for _handler, (_, _answer, _function) in HANDLERS.items():
    _add(_handler, _answer, *(getdoc(_function) or "").split(".\n\n", 1))


_FILE_CALL: dict[str, Any] = {
    "responses": _failures(_HANDLER_FAILURES),
    "openapi_extra": _body(
        "application/octet-stream", {"type": "string", "format": "binary"}
    ),
}


@router.post("/read", response_model=ReadDocument, summary="Read a file", **_FILE_CALL)
async def read(name: FileName, request: Request) -> Response:
    """Extract the text of a file, in the format that its suffix names."""
    limits: Limits = request.app.state.limits
    if limits.is_demo and not is_plain(name):
        return failure(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"{name}: only plain text and Markdown are read here.",
            limits.hint("Paste the text of the file instead."),
        )
    return await _reply(request, "read", name)


@router.post(
    "/read-problem",
    response_model=ProblemAnswer,
    response_model_exclude_none=True,
    summary="Read a problem",
    **_FILE_CALL,
)
async def read_problem(name: FileName, request: Request) -> Response:
    """Read a problem from a file in any format that ``thatch solve`` reads."""
    limits: Limits = request.app.state.limits
    if limits.is_demo and not name.lower().endswith(".json"):
        return failure(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"{name}: only JSON files of problems are read here.",
            limits.hint("Convert it with thatch convert."),
        )
    return await _reply(request, "read-problem", name)


async def _reply(request: Request, handler: str, name: str = "") -> Response:
    """Pass the request to a worker; cancel the work if the client disconnects."""
    workers: Workers = request.app.state.workers
    work = asyncio.ensure_future(workers.run(handler, await request.body(), name))
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            return NO_CLIENT
        reply = work.result()
    finally:
        for task in (work, gone):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
    return json_response(
        reply.body, _STATUS[reply.outcome], is_busy=reply.outcome is Outcome.BUSY
    )


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
