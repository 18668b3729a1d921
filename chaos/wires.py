"""Connections whose packets can be dropped, as by a broken switch: nothing arrives, nothing is acknowledged, no new
connection is made, and nobody is told.

    wire = Wire(server.port)                    # a program connects to wire.port instead
    with wire.dropping():
        time.sleep(120)

The wire is a pair of sockets for each connection, and bytes are copied between them. To drop packets, a filter that
accepts none is attached to all sockets (SO_ATTACH_FILTER), so the kernel drops what arrives before TCP sees it. Any
user may do that; neither a network namespace nor a firewall is needed.
"""

from __future__ import annotations

import ctypes
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LOOPBACK = "127.0.0.1"
_ATTACH, _DETACH = 26, 27  # of SOL_SOCKET; the module socket does not name them
# struct sock_fprog with one instruction of classic BPF: return 0, which keeps no byte of the packet
_RETURN_NOTHING = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0), 8)
_NOTHING = struct.pack("@HxxxxxxP", 1, ctypes.addressof(_RETURN_NOTHING))
# A client that closes its connection meanwhile is found after that, as its host would answer that it knows of none.
_KEEPALIVE = {socket.TCP_KEEPIDLE: 2, socket.TCP_KEEPINTVL: 2, socket.TCP_KEEPCNT: 127}


class Wire:
    """Between one program and one server on this machine."""

    def __init__(self, server: int) -> None:
        """:param server: its port"""
        self._server = server
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets = {self._listener}
        self._changing = threading.Lock()
        self._drops = self._closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    @contextmanager
    def dropping(self) -> Iterator[None]:
        """Drop all packets in both directions during the block."""
        self._drop(True)
        try:
            yield
        finally:
            self._drop(False)

    def close(self) -> None:
        """Close all connections."""
        self._closed = True
        with self._changing:
            for one in self._sockets:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()

    def _drop(self, drops: bool) -> None:
        with self._changing:
            self._drops = drops
            for one in self._sockets:
                self._set(one)

    def _set(self, one: socket.socket) -> None:
        with suppress(OSError):  # it may just have been closed
            if self._drops:
                one.setsockopt(socket.SOL_SOCKET, _ATTACH, _NOTHING)
            else:
                one.setsockopt(socket.SOL_SOCKET, _DETACH, 0)

    def _add(self, one: socket.socket) -> None:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._changing:
            self._sockets.add(one)
            if self._drops:
                self._set(one)

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._add(client)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in _KEEPALIVE.items():
                client.setsockopt(socket.IPPROTO_TCP, option, value)
            try:
                server = socket.create_connection((LOOPBACK, self._server), timeout=5)
            except OSError:
                self._end(client)
                continue
            server.settimeout(None)
            self._add(server)
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._copy, args=pair, daemon=True).start()

    def _copy(self, from_: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while data := from_.recv(65536):
                to.sendall(data)
        self._end(from_, to)

    def _end(self, *sockets: socket.socket) -> None:
        with self._changing:
            for one in sockets:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
                self._sockets.discard(one)
