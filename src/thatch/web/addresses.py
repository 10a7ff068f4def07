"""Addresses that identify clients."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

__all__ = ["network_of"]


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
