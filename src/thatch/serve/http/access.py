"""Who may use the server: host names, origins and the token."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from thatch.errors import InputError
from thatch.files.reading import read_bytes
from thatch.serve.http.pages import PAGES
from thatch.serve.http.responses import failure

_HOST: Final = re.compile(r"(?P<name>\[[^\]]*\]|[^:\[\]]*)(?::(?P<port>\d*))?")
_HOST_NAME: Final = re.compile(r"[\w-]{1,63}(\.[\w-]{1,63})*\.?", re.ASCII)
_TOKEN: Final = re.compile(rb"[!-~]{16,1024}")
_PUBLIC: Final = frozenset({*PAGES, "/api/openapi.json"})
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Access:
    """Host names, origins and the token that requests need.

    A request to an IP address is always accepted: DNS rebinding, where the name of
    another site resolves to this server, needs a name.

    >>> Access(names=["localhost"]).accepts_host("127.0.0.1:8000")
    True
    >>> Access(names=["localhost"]).accepts_host("evil.example")
    False
    """

    #: Names of this machine.
    names: Iterable[str] = ("localhost",)
    #: Further names or addresses, such as that of a proxy, without a port; pages that
    #: it serves are accepted too.
    allowed_hosts: Iterable[str] = ()
    #: Token that requests must have; None if none is needed.
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        # A machine may have no name, and so may a request.
        names = frozenset(_lowered(name) for name in self.names) - {""}
        object.__setattr__(self, "names", names)
        allowed = frozenset(_allowed_host(name) for name in self.allowed_hosts)
        object.__setattr__(self, "allowed_hosts", allowed)

    def rejection(self, scope: Scope) -> Response | None:
        """Response to a request that is not allowed; None if it is."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.accepts_host(host):
            return failure(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"host {host!r:.100} is not a name of this server.",
                "Use its IP address, or ask its operator to allow the name.",
            )
        if _is_from_another_site(headers, scope["method"]) or not self._accepts_origin(
            headers.get("origin"), host
        ):
            return failure(
                HTTPStatus.FORBIDDEN,
                "Cross-site requests are not allowed.",
                "Open the page of this server, or send the request from a program.",
            )
        if not _is_public(scope) and not self._accepts_token(headers):
            return failure(
                HTTPStatus.UNAUTHORIZED,
                "The token is missing or wrong.",
                "Send the header 'Authorization: Bearer TOKEN' with the token of this "
                "server.",
                {"WWW-Authenticate": "Bearer"},
            )
        return None

    def accepts_host(self, host: str) -> bool:
        """Whether requests may name this host, with or without a port."""
        name = _name_in(host)
        return _is_address(name) or name in {*self.names, *self.allowed_hosts}

    def _accepts_origin(self, origin: str | None, host: str) -> bool:
        if origin is None:
            return True
        scheme, _, place = origin.partition("://")
        default = _DEFAULT_PORTS.get(scheme)
        if default is None:
            return False
        is_same = _with_port(place, default) == _with_port(host, default)
        return is_same or _name_in(place) in frozenset(self.allowed_hosts)

    def _accepts_token(self, headers: Headers) -> bool:
        if self.token is None:
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        # In constant time, so that the time does not show how many characters match.
        is_token = compare_digest(given.strip().encode(), self.token.encode())
        return scheme.lower() == "bearer" and is_token


def read_token(path: Path) -> str:
    """Read the token in a file; one that is not usable is an error."""
    content = read_bytes(path).strip()
    if not _TOKEN.fullmatch(content):
        raise InputError(
            f"{path} contains {len(content)} bytes; a token must have 16 to 1024 "
            "ASCII characters, without spaces.",
            hint='Create one: python -c "import secrets; print(secrets.token_hex())"',
        )
    return content.decode()


def can_others_read(path: Path) -> bool:
    """Whether other users of this machine can read a file; on Windows, always False.

    There, the mode of a file says nothing about other users.
    """
    if os.name == "nt":
        return False
    return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def _is_public(scope: Scope) -> bool:
    """Whether the request is for the page or the description of the API.

    They need no token: they are the same on every server.
    """
    path = scope["path"]
    is_file = path in _PUBLIC or path.startswith("/page/")
    return is_file and scope["method"] in ("GET", "HEAD")


def _is_from_another_site(headers: Headers, method: str) -> bool:
    # Links from other sites are allowed.
    is_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
    is_own = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    return not (is_own or is_link)


def _name_in(host: str) -> str:
    found = _HOST.fullmatch(host)
    return "" if found is None else _lowered(found["name"])


def _with_port(host: str, default: str) -> tuple[str, str]:
    found = _HOST.fullmatch(host)
    return _name_in(host), (found and found["port"]) or default


def _allowed_host(name: str) -> str:
    """Name or address as it is in the headers of requests."""
    if _is_address(name):
        return f"[{name.lower()}]" if name[0] != "[" and ":" in name else name.lower()
    if not _HOST_NAME.fullmatch(name):
        raise InputError(
            f"allowed_hosts contains {name!r}; it must be a host name or an address.",
            hint="Pass the name alone, such as thatch.example: no scheme, port or "
            "path, and only ASCII characters.",
        )
    return _lowered(name)


def _lowered(name: str) -> str:
    return name.lower().removesuffix(".")


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]").partition("%")[0])
    except ValueError:
        return False
    return True
