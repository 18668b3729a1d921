"""`python -m chaos attack`: hostile connections of every kind at once, and how long others wait meanwhile.

Each hostile connection does what its kind does (`KINDS`) until the service closes it, and is opened again then, so that
as many are there all the time; a fifth of them come from each of five addresses of this machine. Meanwhile others ask
for /v1/limits, each with a connection of its own, as often as before the attack.

    quiet, attacked = attack(api, connections=1000, seconds=30)
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from statistics import quantiles
from typing import Any

import psutil

from chaos.processes import peak_mib
from tests.service.processes import Api

HEAD = b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /v1/limits HTTP/1.1\r\nHost: localhost\r\n\r\n"
ASK_SECONDS = 0.02
OPEN_SECONDS = 1.0
SETTLE_SECONDS = 4.0
ADDRESSES = 5


async def _slowly(first: bytes, then: bytes = b"x") -> AsyncIterator[bytes]:
    """Something at once, and then a byte each second."""
    yield first
    for byte in itertools.cycle(then):
        await asyncio.sleep(1)
        yield bytes([byte])


async def _at_once(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
    await asyncio.sleep(3600)


async def _pipelined(count: int) -> AsyncIterator[bytes]:
    """Requests, each followed by nonsense."""
    for _ in range(count):
        yield GET + b"\0nonsense\r\n\r\n"
        await asyncio.sleep(0.5)


async def _again(request: bytes) -> AsyncIterator[bytes]:
    """The same request, twenty times a second."""
    while True:
        yield request
        await asyncio.sleep(0.05)


#: what a client sends, and whether it closes its side after that
KINDS: dict[str, tuple[Callable[[], AsyncIterator[bytes]], bool]] = {
    "nothing": (lambda: _at_once(), False),
    "slow head": (lambda: _slowly(GET[:10], GET[10:-4]), False),
    "head without an end": (lambda: _slowly(b"GET /v1/limits HTTP/1.1\r\nX: " + b"a" * 2**16), False),
    "head below the limit": (lambda: _slowly(b"GET /v1/limits HTTP/1.1\r\nX: " + b"a" * 60_000), False),
    "length of 25 digits": (lambda: _slowly(HEAD + b"Content-Length: " + b"9" * 25 + b"\r\n\r\n{"), False),
    "two lengths": (lambda: _slowly(HEAD + b"Content-Length: 5\r\nContent-Length: 900\r\n\r\n{"), False),
    "length and chunks": (
        lambda: _slowly(HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n1"),
        False,
    ),
    "chunk of ten digits": (lambda: _slowly(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1000000000\r\n{"), False),
    "chunk without an end": (lambda: _slowly(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 1000, b"0"), False),
    "slow body": (lambda: _slowly(HEAD + b"Content-Length: 100000\r\n\r\n{"), False),
    "slow chunks": (lambda: _slowly(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), False),
    "awaited continue": (lambda: _at_once(HEAD + b"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n"), False),
    "half closed": (lambda: _at_once(HEAD + b"Content-Length: 100\r\n\r\n{"), True),
    "pipelined nonsense": (lambda: _pipelined(1000), False),
    "kept and idle": (lambda: _at_once(GET), False),
    "kept, then half a head": (lambda: _slowly(GET + GET[:20], b"x"), False),
    "body without its last byte": (
        lambda: _slowly(HEAD + b"Content-Length: 1000000\r\n\r\n{" + b" " * 999_000),
        False,
    ),
    "twenty requests a second": (lambda: _again(GET), False),
    "answer not read": (lambda: _at_once(*[b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"] * 50), False),
}


@dataclass
class Waited:
    """How long others waited, in seconds; ``failed``: requests without an answer; ``opened``: hostile connections;
    ``shares``: of a processor, that the API and the hostile clients had; ``mib``: the API's largest process."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0
    opened: Counter[str] = field(default_factory=Counter)
    shares: tuple[float, float] = (0.0, 0.0)
    mib: int = 0

    def percentile(self, percent: int) -> float:
        return quantiles(self.seconds * 2, n=100, method="inclusive")[percent - 1]

    def __str__(self) -> str:
        told = ", ".join(f"p{percent} {1e3 * self.percentile(percent):.1f} ms" for percent in (50, 95, 99))
        more = ""
        if self.opened:
            more = f"; {self.opened.total():,} hostile connections opened; of a processor the API had "
            more += f"{self.shares[0]:.0%} and they {self.shares[1]:.0%}; its largest process had {self.mib} MiB"
        longest = 1e3 * max(self.seconds)
        return f"{len(self.seconds)} requests: {told}, longest {longest:.0f} ms, {self.failed} failed{more}"


def attack(api: Api, connections: int, seconds: float, kinds: Sequence[str] = tuple(KINDS)) -> tuple[Waited, Waited]:
    """How long others wait for as long each without and with these hostile connections, which another process has."""
    assert api.process is not None
    port, program = api.port, psutil.Process(api.process.pid)
    quiet = _ask(port, seconds)
    before, began = _processor_seconds(program), time.monotonic()
    processes = get_context("spawn")
    opened = processes.SimpleQueue()
    hostile = processes.Process(
        target=_attack, args=(port, connections, tuple(kinds), seconds + SETTLE_SECONDS, opened)
    )
    hostile.start()
    time.sleep(SETTLE_SECONDS)
    attacked = _ask(port, seconds)
    attacked.opened, theirs = opened.get()
    hostile.join()
    elapsed = time.monotonic() - began
    attacked.shares = ((_processor_seconds(program) - before) / elapsed, theirs / elapsed)
    attacked.mib = max(peak_mib(one.pid) for one in (program, *program.children(recursive=True)))
    return quiet, attacked


def _processor_seconds(program: psutil.Process) -> float:
    return sum(sum(one.cpu_times()[:2]) for one in (program, *program.children(recursive=True)))


def _attack(port: int, connections: int, kinds: Sequence[str], seconds: float, opened: Any) -> None:
    # The hostile clients have machines of their own in reality.
    os.nice(19)
    told: Counter[str] = Counter()

    async def all_of_them() -> None:
        hostile = [
            asyncio.create_task(_be_hostile(port, kind, f"127.0.0.{2 + number % ADDRESSES}", told))
            for number, kind in zip(range(connections), itertools.cycle(kinds), strict=False)
        ]
        await asyncio.wait(hostile, timeout=seconds)
        for task in hostile:
            task.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)

    asyncio.run(all_of_them())
    opened.put((told, time.process_time()))


async def _be_hostile(port: int, kind: str, address: str, told: Counter[str]) -> None:
    make, half_closes = KINDS[kind]
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            told[kind] += 1
            reads = asyncio.create_task(_until_closed(reader, reads=kind != "answer not read"))
            sends = asyncio.create_task(_send(writer, make(), half_closes=half_closes))
            try:
                await asyncio.wait([reads, sends], return_when=asyncio.FIRST_COMPLETED)
                await asyncio.wait([reads], timeout=60 if half_closes else 0)
            finally:
                reads.cancel()
                sends.cancel()
                writer.transport.abort()
        await asyncio.sleep(OPEN_SECONDS)


async def _until_closed(reader: asyncio.StreamReader, *, reads: bool) -> None:
    with suppress(OSError):
        while not reads or await reader.read(2**16):
            if not reads:
                await asyncio.sleep(20)
                return


async def _send(writer: asyncio.StreamWriter, pieces: AsyncIterator[bytes], *, half_closes: bool) -> None:
    with suppress(OSError):
        async for piece in pieces:
            writer.write(piece)
            await writer.drain()
            if half_closes:
                writer.write_eof()
                return


def _ask(port: int, seconds: float) -> Waited:
    """Ask again and again, as another client each time."""
    told = Waited()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                connection.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
                said = b"".join(iter(lambda: connection.recv(2**16), b""))
            told.failed += not said.startswith(b"HTTP/1.1 200 ")
        except OSError:
            told.failed += 1
        told.seconds.append(time.perf_counter() - began)
        time.sleep(ASK_SECONDS)
    return told
