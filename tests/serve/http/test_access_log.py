"""The access log: one JSON object per request."""

import json
import socket
from datetime import datetime

import httpx
import pytest
from refusals import refused
from servers import serving

from thatch.errors import InputError
from thatch.serve.http.access_log import access_logger

pytestmark = pytest.mark.slow

SECRET = "The key is under the mat."


def test_every_request_is_logged_without_its_contents(tmp_path):
    path = tmp_path / "access.log"
    with serving("--workers", 1, "--access-log", path) as server:
        with httpx.Client(base_url=server.address, timeout=300) as client:
            answers = [
                client.get("/"),
                client.post("/api/summarize", json={"documents": SECRET}),
                client.post("/api/read", params={"name": SECRET}, content=b"Snow."),
                client.get("/api/nothing"),
                client.get("/api/health", headers={"host": "evil.example"}),
            ]
        server.stop()
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry["status"] for entry in entries] == [200, 200, 200, 404, 421]
    assert [entry["path"] for entry in entries][1:3] == ["/api/summarize", "/api/read"]
    for entry, answer in zip(entries, answers, strict=True):
        assert entry["id"] == answer.headers["x-request-id"]
        assert entry["bytes"] == int(answer.headers["content-length"])
        assert entry["method"] == answer.request.method
        assert entry["address"] == "127.0.0.1"
        assert entry["seconds"] >= 0
        assert datetime.fromisoformat(entry["time"]).tzinfo is not None
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert "mat" not in path.read_text()


def test_what_is_not_http_is_logged_too(tmp_path):
    path = tmp_path / "access.log"
    with serving("--workers", 1, "--access-log", path) as server:
        address = server.address.removeprefix("http://").split(":")
        with socket.create_connection(address) as client:
            client.sendall(b"\0\1\2\r\n\r\n")
            while client.recv(4096):
                pass
        server.stop()
    entry = json.loads(path.read_text())
    assert (entry["address"], entry["status"]) == ("127.0.0.1", 400)


def test_the_log_may_be_standard_error():
    with serving("--workers", 1, "--access-log", "-") as server:
        httpx.get(f"{server.address}/api/health")
        _, said = server.stop()
    assert json.loads(said.splitlines()[0])["path"] == "/api/health"


def test_a_log_that_is_moved_is_started_again(tmp_path):
    path = tmp_path / "access.log"
    logger = access_logger(path)
    logger.info("first")
    path.rename(tmp_path / "old.log")
    logger.info("second")
    for handler in logger.handlers:
        handler.close()
    assert path.read_text() == "second\n"


def test_a_log_that_cannot_be_written_is_named(tmp_path):
    with refused(InputError, tmp_path / "missing"):
        access_logger(tmp_path / "missing" / "access.log")


@pytest.mark.parametrize("name", ["x-request-id"])
def test_without_a_log_responses_have_no_id(client, name):
    assert name not in client.get("/api/health").headers
