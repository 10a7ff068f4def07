"""The application: the page, the API and the error handlers."""

from __future__ import annotations

import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from logging import Logger
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from thatch import __version__
from thatch.serve.http.access import Access
from thatch.serve.http.access_log import AccessLog
from thatch.serve.http.api import REQUEST_SCHEMAS, router
from thatch.serve.http.guard import Guard
from thatch.serve.http.pages import FOLDER, PAGES, page_of
from thatch.serve.http.responses import failure, json_response
from thatch.serve.limits import Limits
from thatch.serve.replies import Reply
from thatch.serve.workers import Workers

# The registry of Windows may have others, with which a browser runs no script.
_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(
    limits: Limits, *, access: Access | None = None, log: Logger | None = None
) -> FastAPI:
    """Make the application that ``thatch serve`` runs.

    By default everyone has access, at an IP address or localhost, and nothing is
    logged.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Workers(limits) as workers:
            app.state.workers = workers
            yield

    app = FastAPI(
        title="thatch",
        version=__version__,
        summary="Budgeted maximum coverage, and extractive summaries.",
        openapi_url="/api/openapi.json",
        # These pages load scripts from other sites.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    for suffix, media_type in _MEDIA_TYPES.items():
        mimetypes.add_type(media_type, suffix)
    app.state.limits = limits
    app.include_router(router)
    for path in PAGES:
        app.add_api_route(
            path,
            partial(_page, page_of(path)),
            methods=["GET", "HEAD"],
            include_in_schema=False,
        )
    files = StaticFiles(directory=FOLDER)
    app.mount("/page", GZipMiddleware(files, minimum_size=1000), name="page")
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _rejected)
    app.add_exception_handler(Exception, _failed)
    app.add_middleware(Guard, limits=limits, access=access or Access())
    if log is not None:  # outermost, so that it sees what the guard rejects
        app.add_middleware(AccessLog, logger=log)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


async def _page(content: str) -> HTMLResponse:
    return HTMLResponse(content)


async def _invalid(request: Request, error: Exception) -> Response:
    """Error for invalid query parameters; the workers validate bodies."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return failure(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        f"{first['loc'][-1]}: {first['msg']}.",
        "All calls are described at /api/openapi.json.",
    )


async def _rejected(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = failure(
        error.status_code,
        f"{request.method} {request.url.path[:200]}: {error.detail}.",
        "All calls are described at /api/openapi.json.",
    )
    response.headers.update(error.headers or {})
    return response


async def _failed(request: Request, error: Exception) -> Response:
    reply = Reply.to_error(error)
    return json_response(reply.body, HTTPStatus.INTERNAL_SERVER_ERROR)


def _openapi(app: FastAPI) -> dict[str, Any]:
    """OpenAPI description, with the request schemas that FastAPI does not see."""
    if app.openapi_schema is None:
        description = FastAPI.openapi(app)
        schemas = description["components"]["schemas"]
        description["components"]["schemas"] = REQUEST_SCHEMAS | schemas
        # FastAPI's own error bodies, which are never sent.
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
    return app.openapi_schema or {}
