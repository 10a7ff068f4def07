"""The rate limit per client, by a clock that the test moves."""

import asyncio
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch.errors import InputError
from thatch.serve.http.access import Access
from thatch.serve.http.rate_limiting import RateLimiter, client_of
from thatch.serve.http.server import Server
from thatch.serve.limits import Limits, RateLimit

ONE, OTHER = "192.0.2.7", "192.0.2.8"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


def scope(client=ONE, method="POST"):
    return {"type": "http", "method": method, "client": (client, 4711)}


def test_a_burst_is_accepted_and_then_the_rate_holds(clock):
    limiter = RateLimiter(RateLimit(30, max_burst=3), clock=clock)
    assert [limiter.seconds_to_wait(ONE) for _ in range(4)] == [0, 0, 0, 2]
    assert limiter.seconds_to_wait(OTHER) == 0
    clock.seconds += 1
    assert limiter.seconds_to_wait(ONE) == 1
    clock.seconds += 1
    assert limiter.seconds_to_wait(ONE) == 0
    clock.seconds += 3600
    assert [limiter.seconds_to_wait(ONE) for _ in range(4)] == [0, 0, 0, 2]


@given(
    pauses=st.lists(st.floats(0, 5), min_size=1, max_size=60),
    burst=st.integers(1, 5),
    per_minute=st.sampled_from([6.0, 60.0, 90.0]),
)
def test_no_client_exceeds_burst_and_rate(pauses, burst, per_minute):
    clock = Clock()
    limiter = RateLimiter(RateLimit(per_minute, max_burst=burst), clock=clock)
    start = clock.seconds
    accepted = 0
    for pause in pauses:
        clock.seconds += pause
        wait = limiter.seconds_to_wait(ONE)
        accepted += not wait
        elapsed = clock.seconds - start
        assert accepted <= burst + elapsed * per_minute / 60 + 1e-6
        assert wait <= 60 / per_minute


def test_the_response_says_when_to_try_again(clock):
    limiter = RateLimiter(RateLimit(6, max_burst=1), clock=clock)
    assert limiter.rejection(scope()) is None
    rejection = limiter.rejection(scope())
    assert rejection.status_code == 429
    assert rejection.headers["retry-after"] == "10"
    assert "10 seconds" in json.loads(rejection.body)["hint"]


def test_reading_counts_a_tenth(clock):
    limiter = RateLimiter(RateLimit(60, max_burst=2), clock=clock)
    assert not any(limiter.rejection(scope(method="GET")) for _ in range(5))
    assert limiter.rejection(scope()) is None
    assert limiter.rejection(scope()).status_code == 429


def test_few_requests_of_a_client_are_in_progress_at_once(clock):
    limiter = RateLimiter(RateLimit(max_at_once=1), clock=clock)
    with limiter.handling(scope()):
        assert limiter.rejection(scope()).status_code == 429
        assert limiter.rejection(scope(method="GET")) is None
        assert limiter.rejection(scope(OTHER)) is None
    assert limiter.rejection(scope()) is None


def test_the_oldest_clients_are_forgotten(clock):
    limiter = RateLimiter(RateLimit(60, max_burst=1), clock=clock, max_clients=2)
    for client in (ONE, OTHER, ONE, "192.0.2.9"):
        limiter.seconds_to_wait(client)
    assert limiter.num_clients == 2
    assert limiter.seconds_to_wait(ONE) > 0
    assert limiter.seconds_to_wait(OTHER) == 0


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "2001:db8::/64"),
        ("unknown", ""),
        ("x" * 5000, ""),
        ("", ""),
    ],
)
def test_clients_are_known_by_their_address_or_network(host, client):
    assert client_of(scope(host)) == client


def test_a_connection_without_an_address_is_a_client():
    assert client_of({"client": None}) == ""


@pytest.mark.parametrize(
    ("field", "limit"),
    [("max_burst", 0), ("max_at_once", 0), ("requests_per_minute", 0.0)],
)
def test_a_limit_is_positive(field, limit):
    with refused(InputError, field, limit):
        RateLimit(**{field: limit})


def logged_address(peer, forwarded):
    """Address that the application sees."""
    lines = []
    log = logging.Logger("test")
    log.addHandler(logging.Handler())
    log.handlers[0].emit = lambda record: lines.append(record.getMessage())
    server = Server(Limits(), access=Access(), log=log, on_start=lambda: None)
    server.config.load()
    request = scope(peer, "GET") | {
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"x-forwarded-for", forwarded.encode())],
    }

    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive():
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message):
        pass

    asyncio.run(server.config.loaded_app(request, receive, send))
    return json.loads(lines[0])["address"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("127.0.0.1", ONE, ONE),
        ("127.0.0.5", ONE, ONE),
        ("::1", ONE, ONE),
        ("::ffff:127.0.0.1", ONE, ONE),
        # A client may have forged all but the last, which the proxy has added.
        ("127.0.0.1", f"{OTHER}, {ONE}", ONE),
        ("203.0.113.9", ONE, "203.0.113.9"),
        ("10.0.0.1", ONE, "10.0.0.1"),
        ("2001:db8::7", "127.0.0.1", "2001:db8::7"),
    ],
)
def test_only_a_proxy_on_this_machine_names_another_client(
    monkeypatch, peer, forwarded, address
):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert logged_address(peer, forwarded) == address
