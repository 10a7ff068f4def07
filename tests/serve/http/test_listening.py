"""The address that is printed works."""

import httpx
import pytest
from refusals import refused
from servers import command_output, is_own_address, started
from systems import posix

from thatch.errors import InputError
from thatch.serve.http.listening import addresses_of, is_local, listener_on

pytestmark = pytest.mark.slow

HOSTS = ["127.0.0.1", "localhost", "0.0.0.0"]
HOSTS += ["127.0.0.2"] if is_own_address("127.0.0.2") else []
HOSTS += ["::1", "::"] if is_own_address("::1") else []


@pytest.mark.parametrize("host", HOSTS)
def test_every_printed_address_works(host):
    options = [] if host not in ("0.0.0.0", "::") else ["--no-auth"]
    with started("--host", host, "--port", "0", "--workers", "1", *options) as server:
        assert server.addresses
        for address in server.addresses:
            assert httpx.get(f"{address}/api/health").json()["status"] == "ok"


@pytest.mark.parametrize("host", HOSTS)
def test_loopback_addresses_are_local(host):
    with listener_on(host, 0) as listener:
        assert is_local(listener) == (host not in ("0.0.0.0", "::"))
        port = listener.getsockname()[1]
        assert all(each.endswith(f":{port}") for each in addresses_of(listener))
        assert not any(
            "0.0.0.0" in each or "[::]" in each for each in addresses_of(listener)
        )


@pytest.mark.parametrize(
    ("host", "port", "facts"),
    [
        ("", 0, ["host"]),
        ("127.0.0.1", 70000, ["port", 70000]),
        ("127.0.0.1", -1, ["port", -1]),
        ("192.0.2.1", 0, ["192.0.2.1"]),
        ("no.such.host.invalid", 0, ["no.such.host.invalid"]),
        ("a" * 300, 0, ["host"]),
    ],
)
def test_a_host_or_port_that_cannot_be_used_is_named(host, port, facts):
    with refused(InputError, *facts):
        listener_on(host, port)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", *(["::"] if is_own_address("::1") else [])]
)
def test_others_need_a_token_unless_the_operator_says_otherwise(host):
    code, said = command_output("serve", "--host", host, "--port", "0")
    assert code == 2
    assert "--token-file" in said
    assert "--no-auth" in said


def test_a_token_and_no_authentication_contradict_each_other(tmp_path):
    path = tmp_path / "token"
    path.write_text("0123456789abcdef")
    code, said = command_output("serve", "--token-file", str(path), "--no-auth")
    assert code == 2
    assert str(path) in said


@posix
def test_a_token_file_that_others_can_read_is_reported(tmp_path):
    path = tmp_path / "my token"
    path.write_text("0123456789abcdef")
    for mode, is_reported in ((0o644, True), (0o640, True), (0o600, False)):
        path.chmod(mode)
        with started("--port", "0", "--workers", "1", "--token-file", path) as server:
            assert (f"chmod 600 '{path}'" in server.said) == is_reported


def test_an_allowed_host_with_a_port_is_refused():
    code, said = command_output(
        "serve", "--port", "0", "--allow-host", "a.example:8443"
    )
    assert code == 2
    assert "--allow-host" in said
    assert "a.example:8443" in said


def test_a_further_host_name_is_allowed():
    with started(
        "--port", "0", "--workers", "1", "--allow-host", "a.example"
    ) as server:
        [address] = server.addresses
        for host, status in {"a.example": 200, "b.example": 421}.items():
            answer = httpx.get(f"{address}/api/health", headers={"host": host})
            assert answer.status_code == status
