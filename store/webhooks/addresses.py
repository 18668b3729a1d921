"""Where webhooks may be sent: to public addresses, and to networks that the operator allows.

>>> is_allowed(ip_address("10.0.0.1")), is_allowed(ip_address("10.0.0.1"), [ip_network("10.0.0.0/8")])
(False, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

__all__ = ["Address", "Network", "is_allowed"]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_NAT64 = ip_network("64:ff9b::/96")


def is_allowed(address: Address, networks: Sequence[Network] = ()) -> bool:
    """Whether it is public, and so is an IPv4 address within it; or it is in one of the networks."""
    if any(address in network for network in networks):
        return True
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_allowed(inner, networks)
    return address.is_global and not address.is_multicast and not address.is_reserved
