"""A public demo: low limits, no token, and only plain files."""

import httpx
import pytest
from servers import command_output, serving, started

from thatch.serve.limits import Limits

pytestmark = pytest.mark.slow

SHORT = {"documents": "Snow fell all day. Nobody came.", "budget": 5}
TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def address():
    """A demo with one worker."""
    with serving("--demo", "--workers", 1) as running:
        yield running.address


@pytest.fixture
def demo(address, request):
    """Client of the demo, with an address of its own, as a proxy reports it."""
    number = sum(map(ord, request.node.name)) % 65536
    forwarded = {"X-Forwarded-For": f"203.0.{number // 256}.{number % 256}"}
    with httpx.Client(base_url=address, timeout=300, headers=forwarded) as client:
        yield client


def read(client, name, content=b"# Notes\n\nAll is well."):
    return client.post("/api/read", params={"name": name}, content=content)


def test_health_says_that_it_is_a_demo(demo):
    health = demo.get("/api/health").json()
    limits = Limits.for_demo()
    assert health["is_demo"] is True
    assert health["limits"]["max_bytes"] == limits.max_bytes == 512 * 1024
    assert health["limits"]["max_seconds"] == limits.max_seconds == 5
    assert set(health["formats"]) == {".txt", ".md", ".markdown", ".mdown", ".mkd"}


def test_texts_are_summarized_without_a_token(demo):
    answer = demo.post("/api/summarize", json=SHORT)
    assert answer.status_code == 200
    assert answer.json()["summary"]
    assert demo.get("/").status_code == 200


@pytest.mark.parametrize("name", ["notes.md", "notes.txt", "NOTES.TXT", "main.py", "a"])
def test_plain_files_are_read(demo, name):
    assert "All is well." in read(demo, name).json()["text"]


@pytest.mark.parametrize(
    "name", ["a.pdf", "A.PDF", "a.docx", "a.epub", "a.html", "a.eml", "a.tex", "a.vtt"]
)
def test_other_formats_are_refused(demo, name):
    answer = read(demo, name)
    assert answer.status_code == 415
    assert name in answer.json()["error"]
    assert "demo" in answer.json()["hint"]


def test_the_name_decides_how_a_file_is_read(demo):
    answer = read(demo, "a.txt", b"%PDF-1.7\n\x00\x01\xff\xfe")
    assert answer.status_code in (200, 422)


def test_problems_are_read_as_json_only(demo):
    problem = b'{"format": "thatch-coverage", "version": 1, "budget": 1, "sets": [[0]]}'
    read_problem = "/api/read-problem"
    binary = demo.post(read_problem, params={"name": "a.npz"}, content=b"PK")
    assert binary.status_code == 415
    assert "a.npz" in binary.json()["error"]
    plain = demo.post(read_problem, params={"name": "a.json"}, content=problem)
    assert plain.status_code == 200


def test_large_requests_are_refused(demo):
    answer = demo.post("/api/summarize", json=SHORT | {"documents": "a " * 2**18})
    assert answer.status_code == 413
    assert "0.5 MiB" in answer.json()["error"]
    assert "demo" in answer.json()["hint"]


def test_many_documents_are_refused(demo):
    answer = demo.post("/api/summarize", json=SHORT | {"documents": ["Snow."] * 101})
    assert answer.status_code == 422
    assert "101" in answer.json()["error"]
    assert "demo" in answer.json()["hint"]


def test_a_client_that_sends_too_much_waits_and_others_do_not(demo):
    # Not JSON: the limit counts requests, and these need no worker.
    statuses = []
    while 429 not in statuses:
        answer = demo.post("/api/summarize", content=b"")
        statuses.append(answer.status_code)
        assert len(statuses) < 1000
    assert len(statuses) > Limits.for_demo().rate_limit.max_burst
    assert int(answer.headers["retry-after"]) == 1
    assert "240" in answer.json()["error"]
    assert answer.headers["content-security-policy"]

    other = {"X-Forwarded-For": "2001:db8::7"}
    assert demo.post("/api/summarize", json=SHORT, headers=other).status_code == 200

    while answer.status_code == 429:  # for a quarter of a second
        answer = demo.post("/api/summarize", content=b"")
    assert answer.status_code == 415


def test_an_open_demo_says_so_and_its_limits_can_be_changed():
    options = ["--max-seconds", 7, "--max-megabytes", 2, "--workers", 1]
    with started("--demo", "--host", "0.0.0.0", "--port", 0, *options) as server:
        assert "everyone" in server.said
        assert "2 MiB and 7 s" in server.said
        port = server.address.rstrip("/").rpartition(":")[2]
        health = httpx.get(f"http://127.0.0.1:{port}/api/health").json()
        assert health["limits"]["max_bytes"] == 2 * 2**20
        assert health["limits"]["max_seconds"] == 7
        assert (health["workers"], health["is_demo"]) == (1, True)


def test_a_demo_may_have_a_token(tmp_path):
    path = tmp_path / "token"
    path.write_text(TOKEN)
    path.chmod(0o600)
    options = ["--demo", "--token-file", path, "--workers", 1]
    with serving(*options) as server, httpx.Client(base_url=server.address) as client:
        assert client.get("/api/health").status_code == 401
        named = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/health", headers=named).json()["is_demo"] is True


def test_limits_of_a_demo_are_checked():
    code, said = command_output("serve", "--demo", "--max-megabytes", "0")
    assert code == 2
    assert "max_megabytes" in said


def test_an_ordinary_server_is_no_demo(client):
    health = client.get("/api/health").json()
    assert health["is_demo"] is False
    assert health["limits"]["max_seconds"] == 30
    answer = read(client, "a.html", b"<p>All is well.</p>")
    assert answer.status_code != 415 or "extra" in answer.json()["hint"]
    for _ in range(2 * Limits.for_demo().rate_limit.max_burst):
        assert client.post("/api/summarize", content=b"").status_code == 415
