"""Requests of a running server: each is answered or refused, and the server stays."""

from __future__ import annotations

import atexit
import base64
import json
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from random import Random

import httpx
from fuzz.mutations import WORDS, mutated
from servers import serving

TEXT = (
    "The bridge closed. Engineers had found cracks. Shops expect losses of 3.5 million."
)
PROBLEM = {
    "format": "thatch-coverage",
    "version": 1,
    "sets": [[0, 1], [1, 2], [2, 3]],
    "costs": [1, 2, 1],
    "weights": [1, 2, 3, 4],
    "item_names": ["a", "b", "c"],
}
#: One valid request for every call.
VALID = {
    "summarize": {"documents": [{"text": TEXT, "name": "a.txt"}], "budget": 8},
    "curve": {"documents": TEXT, "budgets": [3, 9]},
    "analyze": {"documents": [TEXT, TEXT]},
    "sweep": {"documents": TEXT, "budget": 8},
    "solve": {"problem": PROBLEM, "budget": 2, "solver": "auto"},
    "cover": {"problem": PROBLEM, "share": 0.8},
    "select": {"chunks": [TEXT, {"text": TEXT, "source": "a"}], "query": "cracks"},
    "score": {"summary": TEXT, "references": [TEXT]},
}
#: Values that are odd everywhere.
VALUES = (
    *(None, True, 0, -1, 1e308, 2**70, 99_999_999, 0.5, "", "0", "a" * 3000, "\ud800"),
    *("\x00", "--budget", [], {}, [[]], [None], {"": 1}, [0] * 3000, TEXT),
)
#: What a client may be told; nothing of it is a failure of the server.
EXPECTED = {200, 400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 422, 429, 431, 503}
MAX_SECONDS = 120.0


def case(random: Random) -> tuple[str, bytes]:
    """A request with a changed body, as JSON."""
    call = random.choice([*VALID, "read"])
    query = {"name": random.choice(["a.md", "a.html", "a", "../a.txt", "\x1b.txt", ""])}
    kind = "application/json"
    if call == "read":
        body, kind = mutated([TEXT.encode() * 3], random), "application/octet-stream"
    else:
        body = _body(VALID[call], random)
    if random.random() < 0.05:
        kind = random.choice(["", "text/plain", "application/json; charset=utf-16"])
    request = {
        "call": call,
        "query": query if call == "read" else {},
        "content-type": kind,
        "body": base64.b64encode(body).decode(),
    }
    return ".json", json.dumps(request).encode()


def _body(valid: dict, random: Random) -> bytes:
    changed = json.loads(json.dumps(valid))
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        _change(changed, random)
    body = json.dumps(changed).encode()
    if random.random() < 0.3:
        body = mutated([body], random)
    if random.random() < 0.05:
        body = random.choice(WORDS) * random.choice((1, 3000))
    return body


def _change(record: dict, random: Random) -> None:
    """Replace, add or remove a value anywhere in a JSON object."""
    key = random.choice([*record, "seed", "max_seconds", "effort", "odd"])
    value = record.get(key)
    if isinstance(value, dict) and value and random.random() < 0.7:
        _change(value, random)
    elif random.random() < 0.15:
        record.pop(key, None)
    else:
        record[key] = random.choice(VALUES)


def failure_of(path: Path) -> str | None:
    """What is wrong with the answer to the request in a file."""
    request = json.loads(path.read_bytes())
    try:
        answer = _client().post(
            f"/api/{request['call']}",
            params=request["query"],
            headers={"content-type": request["content-type"]},
            content=base64.b64decode(request["body"]),
        )
    except httpx.HTTPError as error:
        return f"no answer: {error!r}"
    if answer.status_code not in EXPECTED:
        return f"status {answer.status_code}: {answer.text[:300]}"
    if answer.status_code != 200:
        if not {"error", "hint"} <= set(answer.json()):
            return f"no error and hint: {answer.text[:300]}"
        if "Traceback" in answer.text:
            return f"a traceback: {answer.text[:300]}"
    health = _client().get("/api/health")
    return None if health.status_code == 200 else f"health: {health.status_code}"


@cache
def _client() -> httpx.Client:
    """A client of a server that runs until the process ends."""
    resources = ExitStack()
    atexit.register(resources.close)
    server = resources.enter_context(serving("--max-seconds", 3, "--max-megabytes", 4))
    client = resources.enter_context(
        httpx.Client(base_url=server.address, timeout=MAX_SECONDS)
    )
    for call, valid in VALID.items():
        answer = client.post(f"/api/{call}", json=valid)
        assert answer.status_code == 200, f"{call}: {answer.text}"
    return client
