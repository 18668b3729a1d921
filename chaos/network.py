"""Hosts on one machine: network namespaces, each with an address of its own, and a router between them.

    with Network() as network:              # this thread is a host of its own, too, until the end of the block
        api = network.host("api")
        with api.inside():
            subprocess.Popen(...)           # what is started here runs on that host
        with network.cut(api, "silent"):
            ...

Only root may do that. The namespaces are known by descriptors of this process alone, so nothing is left when it ends.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, get_args

#: all addresses are in it
NETWORK = "10.87.0.0/16"
_CLONE_NEWNET = 0x40000000
_LIBC = ctypes.CDLL(None, use_errno=True)

#: "silent": the router drops all packets from and to the host, and nobody is told. "down": the link to it is down; the
#: host has no carrier, and the router tells the others that there is no way to it
Cut = Literal["silent", "down"]
CUTS: tuple[Cut, ...] = get_args(Cut)


def why_not() -> str:
    """The reason why this process cannot make hosts; empty: it can."""
    if not hasattr(_LIBC, "setns") or not Path("/proc/thread-self/ns/net").exists():
        return "there are no network namespaces: they are Linux's"
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    if shutil.which("ip") is None:
        return "there is no program `ip`: install iproute2"
    try:
        with Network() as network, network.cut(network.host("tried"), "silent"):
            return ""
    except (OSError, subprocess.CalledProcessError) as error:
        return f"this machine allows no network namespaces: {error}"


@dataclass(frozen=True)
class Host:
    """A network namespace with one address."""

    name: str
    address: str
    descriptor: int
    #: the router's end of its link
    link: str = ""

    @contextmanager
    def inside(self) -> Iterator[None]:
        """This thread is on the host during the block, and so is what it starts there."""
        before = _here()
        try:
            _enter(self.descriptor)
            yield
        finally:
            _enter(before)
            os.close(before)

    def ip(self, *words: str) -> None:
        """Run `ip` on this host."""
        with self.inside():
            subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Network:
    """A router, and hosts with a link to it each. The first host is `here`, on which this thread is."""

    def __init__(self) -> None:
        self._before = _here()
        self._router = Host("router", "", self._descriptor())
        self._hosts: list[Host] = []

    def __enter__(self) -> Self:
        try:
            with self._router.inside():
                Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
            self.here = self.host("here")
            _enter(self.here.descriptor)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        _enter(self._before)
        for descriptor in (self._before, self._router.descriptor, *(host.descriptor for host in self._hosts)):
            os.close(descriptor)

    def host(self, name: str) -> Host:
        """A new host."""
        number = len(self._hosts) + 1
        gateway, link = f"10.87.{number}.1", f"r{number}"
        host = Host(name, f"10.87.{number}.2", self._descriptor(), link)
        self._hosts.append(host)
        there = f"/proc/{os.getpid()}/fd/{host.descriptor}"
        self._router.ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", there)
        self._router.ip("address", "add", f"{gateway}/24", "dev", link)
        self._router.ip("link", "set", link, "up")
        host.ip("link", "set", "lo", "up")
        host.ip("address", "add", f"{host.address}/24", "dev", "eth0")
        host.ip("link", "set", "eth0", "up")
        host.ip("route", "add", "default", "via", gateway)
        return host

    @contextmanager
    def cut(self, host: Host, how: Cut) -> Iterator[None]:
        """Cut a host off from all others during the block."""
        changes = [("link", "set", host.link)]
        begin, end = ("down", "up")
        if how == "silent":
            changes = [("rule", way, host.address) for way in ("from", "to")]
            begin, end = ("add", "delete")
        for change in changes:
            self._change(change, begin)
        try:
            yield
        finally:
            for change in changes:
                self._change(change, end)

    def _change(self, change: tuple[str, str, str], what: str) -> None:
        subject, word, name = change
        if subject == "rule":
            self._router.ip("rule", what, word, name, "blackhole")
        else:
            self._router.ip(subject, word, name, what)

    @staticmethod
    def _descriptor() -> int:
        """A new namespace."""
        before = _here()
        try:
            _check(_LIBC.unshare(_CLONE_NEWNET))
            return _here()
        finally:
            _enter(before)
            os.close(before)


def _here() -> int:
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _enter(descriptor: int) -> None:
    _check(_LIBC.setns(descriptor, _CLONE_NEWNET))


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
