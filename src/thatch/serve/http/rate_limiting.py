"""The rate limit: how many requests each client may send."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from ipaddress import ip_address
from math import ceil
from time import monotonic

from starlette.responses import Response
from starlette.types import Scope

from thatch.serve.http.listening import network_of
from thatch.serve.http.responses import failure
from thatch.serve.limits import RateLimit


class RateLimiter:
    """A token bucket per client, and the number of its requests in progress.

    The clock is in seconds. Of more than `max_clients`, the one whose last request is
    the oldest is forgotten.

    >>> limiter = RateLimiter(RateLimit(60, max_burst=2), clock=lambda: 0.0)
    >>> [limiter.seconds_to_wait("192.0.2.7") for _ in range(3)]
    [0.0, 0.0, 1.0]
    """

    def __init__(
        self,
        rate: RateLimit,
        *,
        clock: Callable[[], float] = monotonic,
        max_clients: int = 10_000,
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._max_clients = max_clients
        #: Requests left to each client, and when that was; the newest is the last.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._in_progress: Counter[str] = Counter()

    @property
    def num_clients(self) -> int:
        """Number of clients that are remembered."""
        return len(self._buckets)

    def rejection(self, scope: Scope) -> Response | None:
        """Response to a request that exceeds the limit; None if it is accepted."""
        client, is_work = client_of(scope), _is_work(scope)
        at_once = self._in_progress[client] if is_work else 0
        if at_once >= self._rate.max_at_once:
            return _too_many(
                f"{at_once} requests of this address are in progress; that is the "
                "limit.",
                1.0,
            )
        # A page has dozens of files, which take no worker.
        wait = self.seconds_to_wait(client, 1.0 if is_work else 0.1)
        if wait:
            return _too_many(
                f"More than {self._rate.requests_per_minute:g} requests per minute "
                "came from this address.",
                wait,
            )
        return None

    def seconds_to_wait(self, client: str, cost: float = 1.0) -> float:
        """Accept a request and return 0, or return how long the client has to wait."""
        now = self._clock()
        most = float(self._rate.max_burst)
        left, since = self._buckets.pop(client, (most, now))
        left = min(left + (now - since) * self._rate.requests_per_second, most)
        is_accepted = left >= cost
        self._buckets[client] = (left - cost if is_accepted else left, now)
        if len(self._buckets) > self._max_clients:
            self._buckets.popitem(last=False)
        return 0.0 if is_accepted else (cost - left) / self._rate.requests_per_second

    @contextmanager
    def handling(self, scope: Scope) -> Iterator[None]:
        """Count a request as in progress."""
        client, is_work = client_of(scope), _is_work(scope)
        self._in_progress[client] += is_work
        try:
            yield
        finally:
            self._in_progress[client] -= is_work
            if not self._in_progress[client]:
                del self._in_progress[client]


def client_of(scope: Scope) -> str:
    """Address by which requests are counted; all without a valid one are one client.

    The server has replaced the address of a trusted proxy by the one that the proxy
    reports.

    >>> client_of({"client": ("2001:db8::7", 4711)})
    '2001:db8::/64'
    """
    host = (scope.get("client") or ("", 0))[0]
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return ""  # what a proxy passes on may be long, and differ each time
    return network_of(host)


def _is_work(scope: Scope) -> bool:
    return scope["method"] not in ("GET", "HEAD")


def _too_many(message: str, wait: float) -> Response:
    seconds = ceil(wait)
    unit = "second" if seconds == 1 else "seconds"
    return failure(
        HTTPStatus.TOO_MANY_REQUESTS,
        message,
        f"Try again in {seconds} {unit}.",
        {"Retry-After": str(seconds)},
    )
