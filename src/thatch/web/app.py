"""The application: page, API, and what happens when something is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from thatch import __version__
from thatch.service.limits import Limits
from thatch.service.workers import Workers
from thatch.web.api import router
from thatch.web.guard import Guard, failure

__all__ = ["make_app"]

_PAGE = Path(__file__).parent / "page"
_KINDS = ("str", "float", "int")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")


def make_app(limits: Limits, *, hosts: Iterable[str] = _LOCAL_HOSTS) -> FastAPI:
    """The application that ``thatch serve`` runs.

    Parameters
    ----------
    limits
        How much callers may ask for.
    hosts
        Names under which it may be asked; none for any.

    >>> [route.path for route in make_app(Limits()).routes if route.path == "/"]
    ['/']
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
    app.add_api_route("/", _index, methods=["GET"], include_in_schema=False)
    app.mount("/page", StaticFiles(directory=_PAGE), name="page")
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(Guard, limits=limits, hosts=hosts)
    return app


async def _index() -> FileResponse:
    return FileResponse(_PAGE / "index.html")


async def _invalid(request: Request, error: Exception) -> Response:
    """What the first broken rule is, as the command line would say it."""
    assert isinstance(error, RequestValidationError)
    # Where a field may be of several kinds, the one that was meant went deepest.
    deepest = max(error.errors(), key=lambda each: len(each["loc"]))
    if deepest["type"] == "json_invalid":
        place, what = "the body", f"must be JSON: {deepest['ctx']['error']}"
    else:
        place, what = _place(deepest["loc"]), deepest["msg"]
    return failure(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        f"{place}: {what}.",
        "The fields and their rules are listed at /api/openapi.json.",
    )


def _place(parts: Sequence[str | int]) -> str:
    """Such as ``documents.0.text``, without the kinds that a field might be of."""
    names = [
        str(part)
        for part in parts[1:]
        if isinstance(part, int) or (part.islower() and part.isidentifier())
    ]
    return ".".join(name for name in names if name not in _KINDS) or "the body"


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    if status == HTTPStatus.BAD_REQUEST:
        # So far only what is no JSON at all: to a caller, one more broken rule.
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    response = failure(
        status,
        f"{request.method} {request.url.path[:200]}: {error.detail}.",
        "What can be asked is listed at /api/openapi.json.",
    )
    response.headers.update(error.headers or {})
    return response


async def _broken(request: Request, error: Exception) -> Response:
    return failure(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        f"thatch broke on this request: {type(error).__name__}.",
        "This is a fault of thatch; its log has the details.",
    )
