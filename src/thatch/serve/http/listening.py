"""The socket on which the server listens, and the addresses under which it is found."""

from __future__ import annotations

import contextlib
import socket
from ipaddress import IPv6Address, ip_address

from thatch.errors import InputError

# An address for documentation (RFC 5737 and 3849), from which the system chooses the
# network that it would use; nothing is sent.
_ANYWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def listener_on(host: str, port: int) -> socket.socket:
    """Return a socket bound to a host name or address of this machine, and a port."""
    if not 0 <= port <= 65535:
        raise InputError(
            f"port is {port}; it must be between 0 and 65535.",
            hint="Use 0 for any free port.",
        )
    if not host:
        raise InputError(
            "host is empty; it must be an address of this machine.",
            hint="Use 127.0.0.1 for this machine only, 0.0.0.0 for all its addresses.",
        )
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # IPv4 first: a name such as localhost may have both kinds of addresses.
        family, kind, protocol, _, address = min(
            found, key=lambda each: each[0] != socket.AF_INET
        )
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise _unusable(host, port, error) from None
    # Windows would let two programs reuse, and so share, the same address.
    option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    listener.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise _unusable(host, port, error) from None
    return listener


def is_local(listener: socket.socket) -> bool:
    """Whether only this machine can reach the socket."""
    return ip_address(_host_of(listener).partition("%")[0]).is_loopback


def addresses_of(listener: socket.socket) -> list[str]:
    """Addresses to open in a browser, that of this machine first.

    A socket on all addresses, such as 0.0.0.0, is reached at a real one.
    """
    host, port = _host_of(listener), listener.getsockname()[1]
    hosts = [host]
    if ip_address(host.partition("%")[0]).is_unspecified:
        is_old = listener.family == socket.AF_INET
        hosts = ["127.0.0.1" if is_old else "::1", *_outer_address(listener.family)]
    return [f"http://{f'[{h}]' if ':' in h else h}:{port}" for h in hosts]


def _outer_address(family: socket.AddressFamily) -> list[str]:
    """The address at which other machines reach this one, if it has a network."""
    with (
        contextlib.suppress(OSError),
        socket.socket(family, socket.SOCK_DGRAM) as probe,
    ):
        probe.connect((_ANYWHERE[family], 9))
        return [str(probe.getsockname()[0])]
    return []


def _host_of(listener: socket.socket) -> str:
    return str(listener.getsockname()[0])


def _unusable(host: str, port: int, error: OSError | UnicodeError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(
        f"cannot listen on host {host}, port {port}: {reason}.",
        hint="Check the host, or use port 0 for any free port.",
    )


def network_of(host: str) -> str:
    """The address by which clients are counted.

    A client of IPv6 has a whole network of addresses.

    >>> network_of("192.0.2.7"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '192.0.2.7')
    >>> network_of("2001:db8::7"), network_of("2001:db8:0:1::7")
    ('2001:db8::/64', '2001:db8:0:1::/64')
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> 64 << 64)}/64"
