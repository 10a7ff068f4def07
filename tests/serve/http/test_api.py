"""The HTTP API: answers and errors."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

TEXT = "Snow fell all day. Nobody came. All day the snow fell on the town."
PROBLEM = {"sets": [[1, 2], [0, 1], [2, 3]], "weights": [3, 5, 5, 3]}
MANY_BYTES = b"All is well here. " * 3_000_000  # 54 MB


def test_a_text_is_summarized(client):
    answer = client.post("/api/summarize", json={"documents": TEXT, "budget": 11})
    assert answer.status_code == 200
    assert answer.json()["summary"] == "Nobody came. All day the snow fell on the town."


def test_a_problem_is_solved(client):
    answer = client.post("/api/solve", json={"problem": PROBLEM, "budget": 2})
    assert (answer.json()["items"], answer.json()["value"]) == ([1, 2], 16)


def test_a_target_is_covered(client):
    answer = client.post("/api/cover", json={"problem": PROBLEM, "share": 0.8}).json()
    assert (len(answer["items"]), answer["cost"], answer["target"]) == (2, 2, 13)
    assert (answer["status"], answer["lower_bound"]) == ("optimal", 2)


def test_a_summary_is_scored(client):
    question = {"summary": "A cat sat here.", "references": ["The cat sat."]}
    answer = client.post("/api/score", json=question)
    assert answer.json()["scores"]["ROUGE-1"]["recall"] == 0.66667


def test_chunks_are_selected(client):
    question = {"chunks": ["Snow fell.", {"text": "It rained."}], "query": "snow"}
    answer = client.post("/api/select", json=question | {"budget": 5}).json()
    assert answer["text"] == "Snow fell."
    assert [each["index"] for each in answer["dropped"]] == [1]


def test_health_has_the_limits(client):
    health = client.get("/api/health").json()
    assert health["status"] == "ok"
    assert health["limits"]["max_bytes"] == 16 * 2**20
    assert ".pdf" in health["formats"]
    assert "local-search" in health["solvers"]


def test_options_are_described(client):
    options = client.get("/api/options").json()
    budget = next(each for each in options["summarize"] if each["name"] == "budget")
    assert (budget["kind"], budget["default"]) == ("number", 100)


def test_a_file_is_read(client):
    content = b"# Title\n\nAll is well."
    answer = client.post("/api/read", params={"name": "a.md"}, content=content)
    assert [b["kind"] for b in answer.json()["blocks"]] == ["heading", "prose"]


SUMMARIZE, SOLVE, SCORE = "/api/summarize", "/api/solve", "/api/score"
SELECT = "/api/select"
BAD = {
    "no documents": (SUMMARIZE, {}, ["documents"]),
    "an empty list": (SUMMARIZE, {"documents": []}, ["text"]),
    "a negative budget": (
        SUMMARIZE,
        {"documents": TEXT, "budget": -1},
        ["budget", "-1"],
    ),
    "an unknown field": (SUMMARIZE, {"documents": TEXT, "budgets": 1}, ["budgets"]),
    "an unknown unit": (
        SUMMARIZE,
        {"documents": TEXT, "unit": "pages"},
        ["unit", "'pages'"],
    ),
    "a text that is a number": (
        SUMMARIZE,
        {"documents": [{"text": 5}]},
        ["documents[0].text", "5"],
    ),
    "a field in capitals": (SUMMARIZE, {"documents": TEXT, "Budget": 1}, ["Budget"]),
    "documents that are a number": (SUMMARIZE, {"documents": 5}, ["documents", "5"]),
    "blocks that overlap": (
        SUMMARIZE,
        {"documents": [{"text": "abc", "blocks": [{"start": 2, "end": 9}]}]},
        ["blocks"],
    ),
    "a query of other words": (
        SUMMARIZE,
        {"documents": TEXT, "query": "zebra"},
        ["query", "'zebra'"],
    ),
    "an unknown tokenizer": (
        SUMMARIZE,
        {"documents": TEXT, "unit": "tokens", "tokenizer": "clever"},
        ["'clever'"],
    ),
    "a tokenizer by its path": (
        SUMMARIZE,
        {"documents": TEXT, "unit": "tokens", "tokenizer": "/etc/passwd"},
        ["tokenizer", "'/etc/passwd'"],
    ),
    "no budget": (SOLVE, {"problem": PROBLEM}, ["budget"]),
    "an element without weight": (
        SOLVE,
        {"problem": {"sets": [[5]], "weights": [1]}, "budget": 1},
        ["problem", "5"],
    ),
    "an element number that implies 100 million elements": (
        SOLVE,
        {"problem": {"sets": [[99_999_999]]}, "budget": 1},
        ["problem", "99999999", "1000000"],
    ),
    "a price for greedy": (
        SOLVE,
        {"problem": PROBLEM, "budget": 1, "solver": "greedy", "price": 1},
        ["price", "greedy"],
    ),
    "too much damping": (
        SOLVE,
        {"problem": PROBLEM, "budget": 1, "solver": "bp", "damping": 1},
        ["damping", "1"],
    ),
    "an unknown metric": (
        SCORE,
        {"summary": "", "references": [""], "metrics": "Q"},
        ["'Q'"],
    ),
    "an unknown variant": (
        SCORE,
        {"summary": "", "references": [""], "variant": "perl"},
        ["variant", "'perl'"],
    ),
    "no chunks": (SELECT, {"query": "snow"}, ["chunks"]),
    "a chunk without a text": (SELECT, {"chunks": [{"score": 1}]}, ["chunks[0]"]),
    "a chunk without a score": (
        SELECT,
        {"chunks": [{"text": "a", "score": 1}, "b"]},
        ["chunks[1]", "score"],
    ),
    "a limit without groups": (
        SELECT,
        {"chunks": ["a"], "per_group": 1},
        ["per_group"],
    ),
    "an unknown order": (
        SELECT,
        {"chunks": ["a"], "order": "sources"},
        ["order", "'sources'"],
    ),
    "no references": (SCORE, {"summary": "a", "references": []}, ["references"]),
}


@pytest.mark.parametrize(("path", "question", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_explained(client, path, question, words):
    answer = client.post(path, json=question)
    assert answer.status_code == 422
    assert all(word in answer.json()["error"] for word in words)
    assert answer.json()["hint"]
    assert "--" not in answer.text, "callers have no command line"


BROKEN_BODIES = {
    "no JSON": b"snow",
    "broken UTF-8": b'{"documents": "\xff\xfe"}',
    "half a surrogate pair": b'{"documents": "Snow \\ud800 fell. It fell."}',
    "not a number": b'{"documents": "a", "budget": NaN}',
    "a number beyond all": b'{"documents": "a", "budget": 1e999}',
    "a deep nest": b"[" * 100_000,
    "a list": b"[]",
    "nothing": b"",
}


@pytest.mark.parametrize("body", BROKEN_BODIES.values(), ids=BROKEN_BODIES)
def test_a_broken_body_is_bad_input(client, body):
    headers = {"content-type": "application/json"}
    answer = client.post(SUMMARIZE, content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_a_body_beyond_the_limit_is_refused(client):
    answer = client.post("/api/read", params={"name": "a.txt"}, content=MANY_BYTES)
    assert answer.status_code == 413
    assert "16 MiB" in answer.json()["error"]
    assert "--" not in answer.text


def test_a_body_of_unknown_length_beyond_the_limit_is_refused(client):
    parts = (MANY_BYTES[: 2**20] for _ in range(50))
    answer = client.post("/api/read", params={"name": "a.txt"}, content=parts)
    assert answer.status_code == 413


def test_a_file_that_is_not_text_is_explained_without_the_command_line(client):
    for content in (b"na\xefve", b"a\0b"):
        answer = client.post("/api/read", params={"name": "a.txt"}, content=content)
        assert answer.status_code == 422
        assert "--" not in answer.text


@pytest.mark.slow
def test_a_large_text_within_the_limit_is_served(client):
    sentences = [f"House {i} has a roof of reed {i % 97}." for i in range(20_000)]
    question = {"documents": " ".join(sentences), "budget": 50}
    answer = client.post(SUMMARIZE, json=question)
    assert answer.status_code == 200
    assert 40 < answer.json()["cost"] <= 50


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nothing", 404),
        ("GET", "/api/solve", 405),
        ("GET", "/page/%2e%2e/app.py", 404),
        ("GET", "/page/..%2fapp.py", 404),
        ("GET", "/page/nothing.js", 404),
    ],
)
def test_other_addresses_are_not_found(client, method, path, status):
    answer = client.request(method, path)
    assert (answer.status_code, set(answer.json())) == (status, {"error", "hint"})


def test_files_of_the_server_cannot_be_read(client, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("The key is under the mat.")
    answer = client.post("/api/read", params={"name": str(secret)}, content=b"Mine.")
    assert answer.json()["text"] == "Mine."
    document = {"name": str(secret), "text": "Mine is here."}
    answer = client.post(SUMMARIZE, json={"documents": [document], "heading": "{name}"})
    assert "mat" not in answer.text


def test_another_host_name_is_refused(client):
    answer = client.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 421


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_is_refused(client, site):
    answer = client.get("/api/health", headers={"sec-fetch-site": site})
    assert answer.status_code == 403


def test_a_link_from_another_site_is_allowed(client):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", ""])
def test_a_content_type_other_than_json_is_refused(client, kind):
    answer = client.post(SUMMARIZE, content=b"{}", headers={"content-type": kind})
    assert answer.status_code == 415
    assert "application/json" in answer.json()["error"]


BODIES_THAT_TAKE_LONG = {
    "numbers for documents": {"documents": [1] * 500_000},
    "empty documents": {"documents": [{}] * 200_000},
    "more documents than allowed": {"documents": ["a"] * 1_000_000},
    "unknown fields": {"documents": "a"} | {f"f{k}": 1 for k in range(100_000)},
}


@pytest.mark.parametrize(
    "question", BODIES_THAT_TAKE_LONG.values(), ids=BODIES_THAT_TAKE_LONG
)
def test_validation_does_not_block_other_requests(client, server, question):
    body = json.dumps(question).encode()
    headers = {"content-type": "application/json"}
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(client.post, SUMMARIZE, content=body, headers=headers)
        while not pending.done():
            # If the server itself validated, this would take as long.
            health = httpx.get(f"{server.address}/api/health", timeout=300).json()
            assert health["status"] == "ok"
        assert pending.result().status_code == 422


def test_the_page_may_load_nothing_from_elsewhere(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy


def test_a_client_that_disconnects_halfway_does_no_harm(client, server):
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as half:
        half.sendall(
            b"POST /api/summarize HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        )
    assert client.get("/api/health").status_code == 200


def test_the_description_has_every_call_and_no_default_error(client):
    description = client.get("/api/openapi.json").json()
    paths = set(description["paths"])
    assert {"/api/health", SUMMARIZE, SOLVE, SELECT, SCORE} <= paths
    assert "HTTPValidationError" not in json.dumps(description)
    assert " --" not in json.dumps(description)
    known = description["components"]["schemas"]
    assert known["SummarizeRequest"]["properties"]["query"]["description"]
