"""The application: page, API, and what happens when something is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from thatch import __version__
from thatch.service.limits import Limits
from thatch.service.replies import Reply
from thatch.service.workers import Workers
from thatch.web.api import REQUEST_SCHEMAS, router
from thatch.web.guard import Guard, failure, json_response

__all__ = ["make_app"]

_PAGE = Path(__file__).parent / "page"
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")


def make_app(limits: Limits, *, hosts: Iterable[str] = _LOCAL_HOSTS) -> FastAPI:
    """The application that ``thatch serve`` runs.

    Parameters
    ----------
    limits
        How much callers may ask for.
    hosts
        Names under which it may be asked; none for any.

    >>> "/api/summarize" in make_app(Limits()).openapi()["paths"]
    True
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Workers(limits) as workers:
            app.state.workers = workers
            yield

    app = FastAPI(
        title="thatch",
        version=__version__,
        summary="Budgeted maximum coverage, and summaries made with it.",
        openapi_url="/api/openapi.json",
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.limits = limits
    app.include_router(router)
    app.add_api_route("/", _index, methods=["GET", "HEAD"], include_in_schema=False)
    app.mount("/page", StaticFiles(directory=_PAGE), name="page")
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(Guard, limits=limits, hosts=hosts)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    return app


async def _index() -> FileResponse:
    return FileResponse(_PAGE / "index.html")


async def _invalid(request: Request, error: Exception) -> Response:
    """What is wrong with an address; bodies are checked by the workers."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return failure(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        f"{first['loc'][-1]}: {first['msg']}.",
        "What can be asked is listed at /api/openapi.json.",
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = failure(
        error.status_code,
        f"{request.method} {request.url.path[:200]}: {error.detail}.",
        "What can be asked is listed at /api/openapi.json.",
    )
    response.headers.update(error.headers or {})
    return response


async def _broken(request: Request, error: Exception) -> Response:
    reply = Reply.to_error(error)
    return json_response(reply.body, HTTPStatus.INTERNAL_SERVER_ERROR)


def _described(app: FastAPI) -> dict[str, Any]:
    """OpenAPI of the calls, with the requests that FastAPI does not look into."""
    if app.openapi_schema is None:
        described = FastAPI.openapi(app)
        schemas = described["components"]["schemas"]
        described["components"]["schemas"] = REQUEST_SCHEMAS | schemas
        # Its own errors, in place of which ours are sent.
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
    return app.openapi_schema or {}
