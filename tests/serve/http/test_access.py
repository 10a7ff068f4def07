"""Host names, origins and the token."""

import httpx
import pytest
from refusals import refused
from servers import serving

from thatch.errors import InputError
from thatch.serve.http.access import Access, read_token

TOKEN = "0123456789abcdef"
HEALTH = "/api/health"


def request(*, method="GET", path=HEALTH, **headers):
    """An ASGI scope; underscores in names of headers are hyphens."""
    named = {"host": "127.0.0.1:8000"} | headers
    return {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [
            (name.replace("_", "-").encode(), value.encode())
            for name, value in named.items()
        ],
    }


def status(access, **fields):
    rejection = access.rejection(request(**fields))
    return 200 if rejection is None else rejection.status_code


HOSTS = {
    "127.0.0.1": 200,
    "127.0.0.2:8000": 200,
    "[::1]:8000": 200,
    "[fe80::1%25eth0]:8000": 200,
    "localhost:8000": 200,
    "LOCALHOST": 200,
    "localhost.": 200,
    "allowed.example": 200,
    "Allowed.Example:443": 200,
    "evil.example": 421,
    "localhost.evil.example": 421,
    "127.0.0.1.evil.example": 421,
    "evil.example:127.0.0.1": 421,
    "[evil]": 421,
    "": 421,
}


@pytest.mark.parametrize(("host", "expected"), HOSTS.items())
def test_requests_name_an_address_or_a_known_host(host, expected):
    access = Access(allowed_hosts=["Allowed.example"])
    assert status(access, host=host) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", ".", "a..example", "a.example:8443", "https://a.example"),
        *("a.example/", "a b.example", "*.example", "bücher.example", "[::1]:80"),
        *("[a.example]", "192.0.2.7:80", "a" * 64, "a.example,b.example"),
    ],
)
def test_an_allowed_host_is_a_bare_name_or_address(name):
    with refused(InputError, "allowed_hosts", repr(name)):
        Access(allowed_hosts=[name])


@pytest.mark.parametrize(
    ("name", "origin"),
    [
        ("a.example", "https://a.example"),
        ("A-1.example.", "https://a-1.example:8443"),
        ("my_host", "http://my_host"),
        ("192.0.2.7", "http://192.0.2.7"),
        ("2001:db8::7", "http://[2001:db8::7]:8000"),
        ("[2001:db8::7]", "http://[2001:db8::7]"),
    ],
)
def test_pages_of_an_allowed_host_are_accepted(name, origin):
    access = Access(allowed_hosts=[name])
    assert status(access, origin=origin) == 200
    assert status(access, origin="http://evil.example") == 403


@pytest.mark.parametrize("host", ["", ":8000", "."])
def test_a_machine_without_a_name_does_not_accept_requests_without_a_host(host):
    assert status(Access(names=["localhost", ""]), host=host) == 421


ORIGINS = [
    (None, "127.0.0.1:8000", 200),
    ("http://127.0.0.1:8000", "127.0.0.1:8000", 200),
    ("http://localhost", "localhost:80", 200),
    ("https://allowed.example", "127.0.0.1:8000", 200),
    ("https://localhost", "localhost:443", 200),
    ("http://localhost:8000", "127.0.0.1:8000", 403),
    ("http://127.0.0.1:3000", "127.0.0.1:8000", 403),
    ("http://evil.example", "127.0.0.1:8000", 403),
    ("http://allowed.example.evil.example", "127.0.0.1:8000", 403),
    ("null", "127.0.0.1:8000", 403),
    ("", "127.0.0.1:8000", 403),
    ("file://", "127.0.0.1:8000", 403),
    ("chrome-extension://127.0.0.1:8000", "127.0.0.1:8000", 403),
]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(("origin", "host", "expected"), ORIGINS)
def test_requests_of_pages_come_from_this_server(origin, host, expected, method):
    access = Access(allowed_hosts=["allowed.example"])
    headers = {} if origin is None else {"origin": origin}
    assert status(access, method=method, host=host, **headers) == expected


TOKENS = [
    ("", 401),
    (f"Bearer {TOKEN}", 200),
    (f"bearer  {TOKEN}", 200),
    (f"Basic {TOKEN}", 401),
    (TOKEN, 401),
    (f"Bearer {TOKEN}x", 401),
    (f"Bearer {TOKEN[:-1]}", 401),
    ("Bearer \u00e9", 401),
    ("Bearer", 401),
]


@pytest.mark.parametrize(("header", "expected"), TOKENS)
def test_every_call_needs_the_token(header, expected):
    assert status(Access(token=TOKEN), authorization=header) == expected


@pytest.mark.parametrize(
    ("path", "method", "expected"),
    [
        ("/", "GET", 200),
        ("/", "POST", 401),
        ("/context", "GET", 200),
        ("/coverage", "GET", 200),
        ("/page/js/main.js", "GET", 200),
        ("/page/js/main.js", "HEAD", 200),
        ("/api/openapi.json", "GET", 200),
        ("/api/openapi.json", "POST", 401),
        ("/api/health", "GET", 401),
        ("//api/health", "GET", 401),
        ("/other", "GET", 401),
    ],
)
def test_only_the_page_and_the_description_need_no_token(path, method, expected):
    assert status(Access(token=TOKEN), path=path, method=method) == expected


def test_the_token_is_not_shown():
    assert TOKEN not in repr(Access(token=TOKEN))


@pytest.mark.parametrize(
    "content",
    ["", "short", "a token with spaces", "é" * 20, "a" * 2000, "a" * 20 + "\0"],
)
def test_a_file_without_a_usable_token_is_refused(tmp_path, content):
    path = tmp_path / "token"
    path.write_text(content)
    with refused(InputError, path) as caught:
        read_token(path)
    assert not content or content not in str(caught.value)


def test_a_missing_token_file_is_named(tmp_path):
    with refused(InputError, tmp_path / "missing"):
        read_token(tmp_path / "missing")


@pytest.mark.slow
def test_a_server_with_a_token_serves_the_page_and_those_who_have_it(tmp_path):
    path = tmp_path / "token"
    path.touch(mode=0o600)
    path.write_text(TOKEN + "\n")
    with serving("--token-file", path, "--workers", 1) as server:
        address = server.address
        assert httpx.get(address).status_code == 200
        assert httpx.get(address + "/page/js/api.js").status_code == 200
        refusal = httpx.post(f"{address}/api/summarize", json={"documents": "Snow."})
        assert refusal.status_code == 401
        assert refusal.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in refusal.text
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert httpx.get(address + HEALTH, headers=headers).status_code == 200
        code, said = server.stop()
    assert (code, TOKEN in said) == (0, False)


@pytest.mark.slow
def test_a_page_of_another_origin_is_refused(client):
    answer = client.post(
        "/api/summarize",
        json={"documents": "Snow fell."},
        headers={"origin": "http://evil.example"},
    )
    assert answer.status_code == 403
    own = {"origin": str(client.base_url).rstrip("/")}
    assert client.get(HEALTH, headers=own).status_code == 200
