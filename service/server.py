"""gunicorn's threaded worker, changed: no thread, and never the loop, waits for a client.

gunicorn reads a request in the thread that answers it, so a few clients that send half a request and stop can hold all
threads as long as they like. Here the event loop, which can hold any number of connections, reads until the head and
the body have arrived. Only the loop reads the socket, so no thread waits for a client. gunicorn's parser alone decides
what a request is; if it wants more than what has arrived, it finds the end, and the connection is closed. A client that
takes too long is answered 408 and disconnected; an address with too many unfinished requests loses its oldest.

A thread does not wait for the client to read its answer, either: what the client does not take at once is kept, and the
loop sends it (`Outbox`). A connection that is to be closed is half closed, and read until its client closes it, too.
Addresses take turns for the threads. Where there is no room for another connection, or for more data, the address with
most of it gives way. ``/health/live`` is answered by a thread of its own.
"""

from __future__ import annotations

import json
import re
import select
import selectors
import socket
import sys
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import takewhile
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
MOST_LINE_BYTES = 8190
MOST_FIELDS = 64
# Enough of a chunked body, with the lines between its chunks, to see that it is too large.
MOST_CHUNKED_BYTES = 2 * MAX_BODY_BYTES

# Seconds in which a client must read what is left of its answer, and close a connection that was half closed.
SEND_SECONDS = 60.0
LINGER_SECONDS = 2.0
# Bytes of an answer that are kept for the loop. Most answers are smaller; for a larger one a thread waits.
MOST_LEFT_BYTES = 2**21
# Bytes that the process keeps for all clients: of requests that have not arrived or wait for a thread, and of answers.
MOST_HELD_BYTES = 2**27
# Before the process has as many connections as it may, it closes some of those that no thread answers.
FREE_CONNECTIONS = 50
CLOSED_AT_ONCE = 10
# New connections that are taken in one turn of the loop. With one for each turn a thousand of them would wait for a
# thousand turns, and each turn serves all that have sent something.
ACCEPTED_AT_ONCE = 64
# Seconds after which a thread that computes lets the loop go on. The loop gives up the interpreter in each call of the
# system, so with Python's 5 ms it would make two hundred of them in a second.
SWITCH_SECONDS = 0.0005

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


class Outbox:
    """In the place of a socket, in a thread: takes an answer, and does not wait for its client to read it."""

    def __init__(self, sock: Any, waiting: threading.BoundedSemaphore) -> None:
        self._sock = sock
        self._waiting = waiting
        #: what the client has not taken yet
        self.left = bytearray()

    def sendall(self, data: bytes) -> None:
        """Send, or keep for the loop; raises OSError if the client is gone, or does not read a large answer."""
        if not self.left:
            data = data[self._sent(data) :]
        self.left += data
        if len(self.left) > MOST_LEFT_BYTES:
            self._wait_for_client()

    def send(self, data: bytes) -> int:
        """The same."""
        self.sendall(data)
        return len(data)

    def flush(self) -> None:
        """Send what the client takes now of what is left."""
        del self.left[: self._sent(self.left)]

    def shutdown(self, _how: int) -> None:
        """gunicorn would wait for the client then; refused, it only closes."""
        raise OSError

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()

    def _sent(self, data: bytes | bytearray) -> int:
        try:
            sent: int = self._sock.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        return sent

    def _wait_for_client(self) -> None:
        if not self._waiting.acquire(blocking=False):
            raise TimeoutError("too many clients do not read large answers")
        try:
            until = time.monotonic() + SEND_SECONDS
            while len(self.left) > MOST_LEFT_BYTES // 2:
                _, ready, _ = select.select([], [self._sock], [], max(0.0, until - time.monotonic()))
                if not ready:
                    raise TimeoutError("the client does not read the answer")
                self.flush()
        finally:
            self._waiting.release()


@dataclass(eq=False)
class Departure:
    """A connection whose answer is ready. ``left``: what the loop still has to send; None: it is half closed, and read
    until the client closes it."""

    conn: Any
    until: float
    outbox: Outbox | None
    #: what gunicorn's worker says: whether the connection may be kept
    future: Any = None


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
        self._departures: OrderedDict[Departure, None] = OrderedDict()
        # Whole requests that wait for a thread, by address, in the order in which addresses take turns.
        self._ready: OrderedDict[Any, deque[Any]] = OrderedDict()
        self._answering = 0
        self._held = 0
        # At most a quarter of the threads wait for clients that read large answers slowly.
        self._waiting = threading.BoundedSemaphore(max(1, self.cfg.threads // 4))
        self._liveness: ThreadPoolExecutor | None = None
        self._seconds = Settings.from_env().pace.request_seconds

    def init_process(self) -> None:
        util.write_error = _write_problem
        sys.setswitchinterval(SWITCH_SECONDS)
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

    def accept(self, listener: Any) -> None:
        """Called if there are new connections."""
        for _ in range(ACCEPTED_AT_ONCE):
            before = self.nr_conns
            if before >= self.worker_connections - FREE_CONNECTIONS:
                self._close_some()
                before = self.nr_conns
            super().accept(listener)
            if self.nr_conns == before or self.nr_conns >= self.worker_connections:
                break

    def _close_some(self, count: int = CLOSED_AT_ONCE, weight: Callable[[Any], int] = lambda _: 1) -> None:
        """Close some connections, of those that no thread answers, of the address whose ``weight`` is greatest."""
        closable: list[tuple[Any, Callable[[], None]]] = [
            *((one.conn, partial(self._end, one)) for one in self._departures if one.outbox is None),
            *((conn, partial(self._end_idle, conn)) for conn in self.keepalived_conns),
            *((one.conn, partial(self._close, one)) for one in self._arrivals),
            *((one.conn, partial(self._end, one)) for one in self._departures if one.outbox is not None),
            *((conn, partial(self._end_ready, conn)) for waiting in self._ready.values() for conn in waiting),
        ]
        weights: Counter[Any] = Counter()
        for conn, _ in closable:
            weights[conn.client[:1]] += weight(conn)
        for greedy, _ in weights.most_common(1):
            own = [close for conn, close in closable if conn.client[:1] == greedy and weight(conn) > 0]
            for close in own[:count]:
                close()

    def _hold(self, conn: Any, size: int) -> None:
        """Note how many bytes are kept for a connection."""
        self._held += size - _held(conn)
        conn.held = size

    def _let_go(self) -> None:
        """Close connections until no more is kept than may be."""
        while self._held > MOST_HELD_BYTES:
            before = self._held
            self._close_some(1, _held)
            if self._held == before:
                break

    def _end_idle(self, conn: Any) -> None:
        self.keepalived_conns.remove(conn)
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def _end_ready(self, conn: Any) -> None:
        self._take_ready(conn)
        self._hold(conn, 0)
        self.nr_conns -= 1
        conn.close()

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request; in a thread, which writes into an `Outbox`."""
        sock = conn.sock
        sock.setblocking(False)
        conn.sock = conn.outbox = Outbox(sock, self._waiting)
        try:
            return super().handle_request(req, conn)
        finally:
            conn.sock = sock

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Called by the loop when a thread has answered: sends what is left, then keeps or closes the connection."""
        if getattr(conn, "has_thread", False):
            conn.has_thread = False
            self._answering -= 1
            self._answer_next()
        self._hold(conn, 0)
        outbox = getattr(conn, "outbox", None)
        if conn.is_http2 or (outbox is None and not self._ends(fs)):
            super().finish_request(conn, fs)
            return
        conn.outbox = None
        departure = Departure(conn, time.monotonic() + SEND_SECONDS, outbox or Outbox(conn.sock, self._waiting), fs)
        self._departures[departure] = None
        self._depart(departure)
        self._let_go()

    @staticmethod
    def _ends(fs: Any) -> bool:
        """Whether the connection is to be closed after this answer."""
        return bool(fs.cancelled() or fs.exception() is not None or fs.result() is False)

    def _depart(self, departure: Departure, _sock: Any = None) -> None:
        """Send what is left of an answer; read a connection that is half closed."""
        conn, outbox = departure.conn, departure.outbox
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(conn.sock)
        try:
            conn.sock.setblocking(False)
            if outbox is None:
                while conn.sock.recv(2**16):
                    pass
                self._end(departure)
                return
            outbox.flush()
            self._hold(conn, len(outbox.left))
            if outbox.left:
                self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self._depart, departure))
                return
            if not self._ends(departure.future):
                del self._departures[departure]
                super().finish_request(conn, departure.future)
                return
            conn.sock.shutdown(socket.SHUT_WR)
            departure.outbox, departure.until = None, time.monotonic() + LINGER_SECONDS
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._depart, departure))
        except (BlockingIOError, InterruptedError):
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._depart, departure))
        except (OSError, ValueError):
            self._end(departure)

    def _end(self, departure: Departure) -> None:
        del self._departures[departure]
        self._hold(departure.conn, 0)
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(departure.conn.sock)
        self.nr_conns -= 1
        departure.conn.close()

    def murder_pending(self) -> None:
        """Called by the loop at least once a second."""
        super().murder_pending()
        now = time.monotonic()
        for departure in [one for one in self._departures if now > one.until]:
            self._end(departure)
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
            self._hold(arrival.conn, len(arrival.data))
            if arrival.body and not arrival.extended:
                arrival.extended = True
                arrival.until += (WHOLE_TIMES - 1) * self._seconds
            self._let_go()
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
        self._hold(conn, len(arrival.data))
        conn.parser.unreader.unread(bytes(arrival.data))
        if self._liveness is not None and arrival.data.startswith(LIVENESS):
            done = self._liveness.submit(self.handle, conn)
            done.add_done_callback(lambda future: self.method_queue.defer(self.finish_request, conn, future))
        else:
            self._ready.setdefault(conn.client[:1], deque()).append(conn)
            self._answer_next()

    def _answer_next(self) -> None:
        """Give requests to free threads, one of each address in turn: many of one do not make the others wait."""
        while self._ready and self._answering < self.cfg.threads:
            address, waiting = next(iter(self._ready.items()))
            self._ready.move_to_end(address)
            conn = waiting[0]
            self._take_ready(conn)
            self._answering += 1
            conn.has_thread = True
            super().enqueue_req(conn)

    def _take_ready(self, conn: Any) -> None:
        waiting = self._ready[conn.client[:1]]
        waiting.remove(conn)
        if not waiting:
            del self._ready[conn.client[:1]]

    def handle(self, conn: Any) -> Any:
        """Answer a request; in a thread. Where the next request would start is unknown if this one is incomplete."""
        keep = super().handle(conn)
        return keep and not (isinstance(conn.parser.unreader, Arrived) and conn.parser.unreader.exhausted)

    def _make_room(self, conn: Any) -> None:
        late = time.monotonic() - UNFINISHED_SECONDS
        old = takewhile(lambda one: one.began < late, self._arrivals)
        same = [one for one in old if one.conn.client[:1] == conn.client[:1]]
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
        self._hold(arrival.conn, 0)
        self.nr_conns -= 1
        arrival.conn.close()

    def _forget(self, arrival: Arrival) -> None:
        del self._arrivals[arrival]
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(arrival.conn.sock)


def _held(conn: Any) -> int:
    """The bytes that are kept for a connection."""
    return getattr(conn, "held", 0)


def _write_problem(sock: Any, status: int, _reason: str, detail: str) -> None:
    """gunicorn's own refusals as problem documents."""
    title = HTTPStatus(status).phrase
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail[:500], "errors": []}
    body = json.dumps(problem).encode()
    head = f"HTTP/1.1 {status} {title}\r\nConnection: close\r\nContent-Type: {PROBLEM_JSON}\r\n"
    util.write_nonblock(sock, f"{head}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body)
