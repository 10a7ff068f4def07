"""Many clients, clients that disconnect, and shutdown."""

import json
import os
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psutil
import pytest
from problems import long_problem
from processes import children_of, wait_until
from servers import COMMAND, command_output, serving
from systems import linux

from thatch.errors.installation import install_command

pytestmark = pytest.mark.slow

LONG = {"problem": long_problem(), "solver": "exact"}
SHORT = {"documents": "Snow fell all day. Nobody came.", "budget": 5}
QUEUE = 32  # maximum number of waiting requests


def workers_of(server):
    """Ids of the running worker processes of the server."""
    return children_of(server.process.pid)


@contextmanager
def unanswered(server):
    """A client that sends a long request, and disconnects at the end of the block."""
    body = json.dumps(LONG).encode()
    head = f"POST /api/solve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}"
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(f"{head}\r\nContent-Type: application/json\r\n\r\n".encode())
        client.sendall(body)
        wait_until(lambda: health(server)["running"])
        yield


def health(server):
    return httpx.get(f"{server.address}/api/health", timeout=300).json()


def test_a_hundred_clients_are_served_or_get_a_time_to_retry(server):
    many = httpx.Limits(max_connections=100)
    with (
        httpx.Client(base_url=server.address, timeout=300, limits=many) as client,
        ThreadPoolExecutor(100) as pool,
    ):
        pending = [
            pool.submit(client.post, "/api/summarize", json=SHORT) for _ in range(100)
        ]
        answers = [each.result() for each in pending]
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= QUEUE
    for answer in answers:
        if answer.status_code == 503:
            assert answer.headers["retry-after"]
            assert answer.json()["error"]


def test_a_request_waits_while_all_workers_are_busy():
    with (
        serving("--workers", 1, "--max-seconds", 600) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        with unanswered(server):
            short = pool.submit(
                httpx.post, f"{server.address}/api/summarize", json=SHORT, timeout=600
            )
            wait_until(lambda: health(server)["waiting"])
            assert not short.done()
        assert short.result().status_code == 200


def test_work_ends_when_the_client_disconnects(server):
    before = workers_of(server)
    with unanswered(server):
        pass
    wait_until(lambda: not health(server)["running"])
    wait_until(lambda: len(before & workers_of(server)) < len(before))
    answer = httpx.post(f"{server.address}/api/summarize", json=SHORT, timeout=300)
    assert answer.status_code == 200


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_on_a_signal_and_leaves_no_process(number):
    with serving("--workers", 2) as server:
        workers = workers_of(server)
        server.process.send_signal(number)
        _, said = server.process.communicate(timeout=300)
        assert server.process.returncode == 0
        assert said == "thatch has stopped\n"
        assert not any(map(psutil.pid_exists, workers))


def test_it_stops_while_a_request_is_running():
    with (
        serving("--workers", 1) as server,
        httpx.Client(base_url=server.address, timeout=300) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        long = pool.submit(
            httpx.post, f"{server.address}/api/solve", json=LONG, timeout=300
        )
        wait_until(lambda: client.get("/api/health").json()["running"])
        client.close()
        workers = workers_of(server)
        assert server.stop() == (0, "thatch has stopped\n")
        assert not any(map(psutil.pid_exists, workers))
        assert long.result().status_code == 503
        assert "stopping" in long.result().json()["error"]


def test_stalled_uploads_do_not_block_other_requests():
    """More bytes than are accepted at the same time, and none of the uploads ends."""
    with serving("--max-megabytes", 1, "--max-seconds", 600) as server:
        host, port = server.address.removeprefix("http://").split(":")
        stalled = [socket.create_connection((host, int(port))) for _ in range(12)]
        for each in stalled:
            head = (
                "POST /api/read?name=a.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Content-Length: {2**20}\r\n\r\n"
            )
            each.sendall(head.encode() + b"a" * (2**20 - 1))
        answer = httpx.post(f"{server.address}/api/summarize", json=SHORT, timeout=300)
        assert answer.status_code == 200
        for each in stalled:
            each.close()


def test_a_port_that_is_taken_is_named(server):
    port = server.address.rpartition(":")[2]
    code, said = command_output("serve", "--port", port)
    assert code == 2
    assert "127.0.0.1" in said
    assert port in said
    assert "port 0" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "99999"], ["port", "99999"]),
        (["--max-seconds", "0"], ["max_seconds", "0"]),
        (["--max-megabytes", "nan"], ["max_megabytes", "nan"]),
        (["--workers", "-1"], ["workers", "-1"]),
        (["--host", ""], ["host", "empty"]),
    ],
)
def test_bad_options_are_explained(options, words):
    code, said = command_output("serve", *options)
    assert code == 2
    assert all(word in said for word in words)


def test_a_missing_extra_is_named(tmp_path):
    """As if the extra were not installed."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('fastapi', 'mcp'):\n    sys.modules[name] = None\n"
    )
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    for name, extra in (("serve", "web"), ("mcp", "mcp")):
        answer = subprocess.run(
            [*COMMAND, name],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
        )
        assert answer.returncode == 2
        assert f"hint: Run: {install_command(extra)}\n" in answer.stderr
        assert "Traceback" not in answer.stderr


@linux
def test_open_opens_the_page_in_the_browser(tmp_path, monkeypatch):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(
        f"#!/bin/sh\necho $1 > {opened}.part; mv {opened}.part {opened}\n"
    )
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with serving("--workers", 1, "--open") as server:
        wait_until(opened.exists)
        assert opened.read_text().strip() == server.address


@linux
def test_open_without_a_browser_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("BROWSER", str(tmp_path / "missing"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with serving("--workers", 1, "--open") as server:
        assert server.address in server.process.stderr.readline()
