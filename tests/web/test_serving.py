"""Many callers, callers who leave, and the end."""

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import httpx
import pytest
from problems import long_problem
from servers import COMMAND, serving

LONG = {"problem": long_problem(), "solver": "exact"}
SHORT = {"documents": "Snow fell all day. Nobody came.", "budget": 5}
LINE = 32  # the most that wait


def workers_of(server):
    """Processes that the server has started, and that are still there."""
    tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return {int(number) for task in tasks for number in task.read_text().split()}


def wait_until(condition):
    until = monotonic() + 60
    while not condition():
        assert monotonic() < until, "it never came true"


def test_a_hundred_callers_are_served_or_told_to_come_back(server):
    many = httpx.Limits(max_connections=100)
    with (
        httpx.Client(base_url=server.address, timeout=60, limits=many) as client,
        ThreadPoolExecutor(100) as pool,
    ):
        asked = [
            pool.submit(client.post, "/api/summarize", json=SHORT) for _ in range(100)
        ]
        answers = [each.result() for each in asked]
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= LINE
    for answer in answers:
        if answer.status_code == 503:
            assert answer.headers["retry-after"]
            assert "wait already" in answer.json()["error"]


def test_who_comes_while_all_workers_are_busy_is_served_after_them():
    with (
        serving("--workers", 1, "--max-seconds", 60) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        long = pool.submit(
            httpx.post,
            f"{server.address}/api/solve",
            json=LONG | {"max_seconds": 1},
            timeout=60,
        )
        wait_until(lambda: client.get("/api/health").json()["running"])
        short = client.post("/api/summarize", json=SHORT)
        assert short.status_code == 200
        assert long.result().json()["status"] == "time_limit"


def test_work_is_ended_when_the_caller_leaves(server):
    with httpx.Client(base_url=server.address, timeout=60) as client:
        before = workers_of(server)
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/solve", json=LONG, timeout=httpx.Timeout(60, read=0.3))
        wait_until(lambda: not client.get("/api/health").json()["running"])
        wait_until(lambda: len(before & workers_of(server)) < len(before))
        assert client.post("/api/summarize", json=SHORT).status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_when_asked_to_and_leaves_nothing_behind(number):
    with serving("--workers", 2) as server:
        workers = workers_of(server)
        server.process.send_signal(number)
        _, said = server.process.communicate(timeout=60)
        assert server.process.returncode == 0
        assert said == "thatch has stopped\n"
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_it_stops_in_the_midst_of_work():
    with (
        serving("--workers", 1) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        long = pool.submit(
            httpx.post, f"{server.address}/api/solve", json=LONG, timeout=60
        )
        wait_until(lambda: client.get("/api/health").json()["running"])
        client.close()
        workers = workers_of(server)
        assert server.stop() == (0, "thatch has stopped\n")
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
        assert long.result().status_code == 503
        assert long.result().json()["error"] == "The server is stopping."


def test_uploads_that_stall_keep_nobody_out():
    """More than may be held at once, none of which ever ends."""
    with serving("--max-megabytes", 1, "--max-seconds", 5) as server:
        host, port = server.address.removeprefix("http://").split(":")
        stalled = [socket.create_connection((host, int(port))) for _ in range(12)]
        for each in stalled:
            head = (
                "POST /api/read?name=a.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Content-Length: {2**20}\r\n\r\n"
            )
            each.sendall(head.encode() + b"a" * (2**20 - 1))
        answer = httpx.post(f"{server.address}/api/summarize", json=SHORT, timeout=60)
        assert answer.status_code == 200
        answers = [each.recv(12) for each in stalled]
        assert set(answers) <= {b"HTTP/1.1 408", b"HTTP/1.1 503"}
        for each in stalled:
            each.close()


def command(*arguments):
    answer = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)
    return answer.returncode, answer.stderr


def test_a_port_that_is_taken_is_named(server):
    port = server.address.rpartition(":")[2]
    code, said = command("serve", "--port", port)
    assert code == 2
    assert f"host and port must be free to listen at, got 127.0.0.1 and {port}" in said
    assert "hint: Check the host; --port 0 takes a port that is free." in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "99999"], "port must be from 0 to 65535, got 99999"),
        (["--max-seconds", "0"], "max_seconds must be > 0 and finite, got 0"),
        (["--max-megabytes", "nan"], "max_megabytes must be > 0 and finite, got nan"),
        (["--workers", "-1"], "num_workers must be > 0 and finite, got -1"),
        (["--host", ""], "host must name an address, got an empty one"),
    ],
)
def test_bad_options_are_explained(options, message):
    code, said = command("serve", *options)
    assert code == 2
    assert message in said


def test_what_is_missing_is_named(tmp_path):
    """As where the extra was not installed."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('fastapi', 'mcp'):\n    sys.modules[name] = None\n"
    )
    for name, extra in (("serve", "web"), ("mcp", "mcp")):
        answer = subprocess.run(
            [*COMMAND, name],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            stdin=subprocess.DEVNULL,
        )
        assert answer.returncode == 2
        assert f"hint: Run: pip install 'thatch[{extra}]'" in answer.stderr
        assert sys.executable not in answer.stderr
