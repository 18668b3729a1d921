"""gunicorn's threaded worker, changed: a request gets a thread only when all of it has arrived.

gunicorn reads a request in the thread that answers it, so a few clients that send half a request and stop can hold all
threads as long as they like. Here the event loop, which can hold any number of connections, reads until the head and
the body have arrived. Only the loop reads the socket, so no thread waits for a client. gunicorn's parser alone decides
what a request is; if it wants more than what has arrived, it finds the end, and the connection is closed. A client that
takes too long is answered 408 and disconnected; an address with too many unfinished requests loses its oldest.
``/health/live`` is answered by a thread of its own.
"""

from __future__ import annotations

import json
import re
import selectors
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn import util
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import ThreadWorker

from service.errors import PROBLEM_JSON
from service.reading import MAX_BODY_BYTES
from store import alive
from store.settings import Settings

# The time for a whole request, as a multiple of the time for a head.
WHOLE_TIMES = 3
# Seconds to wait when the process stops.
LAST_SECONDS = 2.0
# Only unfinished requests older than this count, by address and process of the API: a whole class may come from one
# address at the same moment.
MOST_UNFINISHED = 64
UNFINISHED_SECONDS = 2.0
# Larger heads are refused. Those that arrive whole and are smaller have gunicorn's limits for each line and field.
MOST_HEAD_BYTES = 2**16
# Enough of a chunked body, with the lines between its chunks, to see that it is too large.
MOST_CHUNKED_BYTES = 2 * MAX_BODY_BYTES

LIVENESS = (b"GET /health/live ", b"HEAD /health/live ")
END_OF_HEAD = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding:[^\r]*chunked", re.IGNORECASE)
EXPECT = re.compile(rb"\r\nexpect:[ \t]*100-continue", re.IGNORECASE)
CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r]*)?\r\n")


class Arrived(Unreader):  # type: ignore[misc]
    """What gunicorn's parser reads from: the data that the loop has received, and then the end."""

    #: whether the parser wanted more
    exhausted = False

    def chunk(self, size_hint: int | None = None) -> bytes:
        self.exhausted = True
        return b""


class HeadTooLargeError(Exception):
    """There are too many bytes without the end of a head."""


@dataclass(eq=False)
class Arrival:
    """A request that has not arrived completely."""

    conn: Any
    began: float
    until: float
    data: bytearray = field(default_factory=bytearray)
    #: bytes in which the end of the head was looked for
    searched: int = 0
    #: offset of the body; 0: the head is incomplete
    body: int = 0
    #: offset of the next chunk
    chunk: int = 0
    #: length of the body; None: it is chunked
    length: int | None = 0
    continue_is_awaited: bool = False
    #: whether the time for the body was added
    extended: bool = False

    def complete(self) -> bool:
        """Whether a thread can answer or refuse it without more data."""
        if not self.body:
            end = self.data.find(END_OF_HEAD, max(0, self.searched - len(END_OF_HEAD)))
            self.searched = len(self.data)
            if max(end, self.searched if end < 0 else 0) > MOST_HEAD_BYTES:
                raise HeadTooLargeError
            if end < 0:
                return False
            self.body = self.chunk = end + len(END_OF_HEAD)
            self.continue_is_awaited = EXPECT.search(self.data, 0, self.body) is not None
            length = LENGTH.search(self.data, 0, self.body)
            self.length = int(length[1]) if length else 0
            if CHUNKED.search(self.data, 0, self.body):
                self.length = None
        if self.length is None:
            return self._last_chunk_is_there()
        return self.length > MAX_BODY_BYTES or len(self.data) - self.body >= self.length

    def _last_chunk_is_there(self) -> bool:
        long = len(self.data) - self.body > MOST_CHUNKED_BYTES
        while (found := CHUNK.match(self.data, self.chunk)) is not None:
            size = int(found[1], 16)
            if size == 0:
                # Trailers end with an empty line; usually there are none.
                return long or END_OF_HEAD in self.data[found.end() - 2 :]
            if found.end() + size + 2 > len(self.data):
                return long
            self.chunk = found.end() + size + 2
        # Incomplete, or not a chunk, which gunicorn refuses.
        return long or b"\r\n" in self.data[self.chunk : self.chunk + 1024]


class Worker(ThreadWorker):  # type: ignore[misc]
    """``worker_class`` of service/gunicorn.py."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._arrivals: OrderedDict[Arrival, None] = OrderedDict()
        self._liveness: ThreadPoolExecutor | None = None
        self._seconds = Settings.from_env().pace.request_seconds

    def init_process(self) -> None:
        util.write_error = _write_problem
        self._liveness = ThreadPoolExecutor(max_workers=1, thread_name_prefix="liveness")
        super().init_process()

    def notify(self) -> None:
        """Called in each turn of the loop: tells gunicorn, and the supervisor, that it goes on."""
        super().notify()
        alive.report()

    def enqueue_req(self, conn: Any) -> None:
        """Called for every request: of a new connection, of a kept one, or from a buffer."""
        if self.cfg.is_ssl or conn.is_http2:
            super().enqueue_req(conn)
            return
        conn.init()
        if not isinstance(conn.parser.unreader, Arrived):
            conn.parser.unreader = Arrived()
        buffered = bytearray(conn.parser.unreader.take_buffered())
        now = time.monotonic()
        arrival = Arrival(conn, now, now + self._seconds, buffered)
        conn.sock.setblocking(False)
        self._arrivals[arrival] = None
        self._receive(arrival)
        if arrival in self._arrivals:
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, arrival))
            self._make_room(conn)

    def murder_pending(self) -> None:
        """Called by the loop at least once a second."""
        super().murder_pending()
        now = time.monotonic()
        for arrival in list(self._arrivals):
            if not self.alive:
                arrival.until = min(arrival.until, now + LAST_SECONDS)
            if now > arrival.until or (not self.alive and not arrival.data):
                self._give_up(arrival)

    def _receive(self, arrival: Arrival, _sock: Any = None) -> None:
        ended = False
        try:
            while not arrival.complete():
                if arrival.continue_is_awaited:
                    arrival.continue_is_awaited = False
                    arrival.conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
                received = arrival.conn.sock.recv(2**16)
                if not received:
                    ended = True
                    break
                arrival.data += received
        except (BlockingIOError, InterruptedError):
            if arrival.body and not arrival.extended:
                arrival.extended = True
                arrival.until += (WHOLE_TIMES - 1) * self._seconds
            return
        except HeadTooLargeError:
            self._give_up(
                arrival, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"The head has over {MOST_HEAD_BYTES} bytes."
            )
            return
        except OSError:
            self._close(arrival)
            return
        if ended and not arrival.data:
            self._close(arrival)
        else:
            self._hand_over(arrival)

    def _hand_over(self, arrival: Arrival) -> None:
        self._forget(arrival)
        conn = arrival.conn
        conn.data_ready = True
        conn.parser.unreader.unread(bytes(arrival.data))
        if self._liveness is not None and arrival.data.startswith(LIVENESS):
            done = self._liveness.submit(self.handle, conn)
            done.add_done_callback(lambda future: self.method_queue.defer(self.finish_request, conn, future))
        else:
            super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Answer a request; in a thread. Where the next request would start is unknown if this one is incomplete."""
        keep = super().handle(conn)
        return keep and not (isinstance(conn.parser.unreader, Arrived) and conn.parser.unreader.exhausted)

    def _make_room(self, conn: Any) -> None:
        late = time.monotonic() - UNFINISHED_SECONDS
        same = [one for one in self._arrivals if one.began < late and one.conn.client[:1] == conn.client[:1]]
        if len(same) > MOST_UNFINISHED:
            self._give_up(same[0])

    def _give_up(
        self,
        arrival: Arrival,
        status: int = HTTPStatus.REQUEST_TIMEOUT,
        why: str = "The request did not arrive in time.",
    ) -> None:
        if arrival.data:
            with suppress(OSError):
                _write_problem(arrival.conn.sock, status, "", why)
        self._close(arrival)

    def _close(self, arrival: Arrival) -> None:
        self._forget(arrival)
        self.nr_conns -= 1
        arrival.conn.close()

    def _forget(self, arrival: Arrival) -> None:
        del self._arrivals[arrival]
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(arrival.conn.sock)


def _write_problem(sock: Any, status: int, _reason: str, detail: str) -> None:
    """gunicorn's own refusals as problem documents."""
    title = HTTPStatus(status).phrase
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail[:500], "errors": []}
    body = json.dumps(problem).encode()
    head = f"HTTP/1.1 {status} {title}\r\nConnection: close\r\nContent-Type: {PROBLEM_JSON}\r\n"
    util.write_nonblock(sock, f"{head}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body)
