"""Computing apart: views that may take long or much memory run in processes beside each process of the API.

    @bp.post("/traces")
    @bp.input(TraceRequest)
    @bp.output(Trace)
    @apart
    def trace_search(json_data: TraceRequest) -> Trace: ...

The function gets the same request and principal there, and its answer, or its error, comes back. It may take `SECONDS`
of processor time and `MIB`; one that needs more is answered ``too-much-work``, and its process is gone with all that it
held. At most `PLACES` run at a time, of one owner half of them. The others wait in their threads, of one owner in a
quarter of these.

    helpers = Helpers(threads=16)
    helpers.start(app)              # in the API's process, before it has threads; without it everything runs here

`Helpers.start` forks a process that only forks others: it stays without threads, and the others share its memory.
"""

from __future__ import annotations

import gc
import io
import os
import resource
import signal
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, ParamSpec, TypeVar

import structlog
from billiard.util import set_pdeathsig
from flask import Flask, Response, abort, g, request
from pydantic import BaseModel
from structlog.contextvars import bind_contextvars, clear_contextvars

from hstar.puzzles import full_name_of
from hstar.puzzles.added import looking_in
from service.answering import object_response
from service.context import context, principal
from service.errors import ProblemError
from store import alive
from store.owners.principal import LOCAL, Principal
from store.puzzles.definitions import StoredDefinitions

log = structlog.get_logger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

#: processes beside one process of the API
PLACES = 2
#: seconds of processor time that a computation may take; its process ends then, wherever it is
SECONDS = 20
#: seconds after which it is killed, whatever it waits for
ELAPSED_SECONDS = 60
#: memory that it may add to the process, in MiB
MIB = 768
#: a process that has become as large as this is replaced by a new one
LARGE_MIB = 250

_functions: list[Callable[..., Any]] = []


def apart(function: Callable[P, R], when: Callable[P, bool] | None = None) -> Callable[P, R]:
    """The function, run in another process if ``when`` holds for its arguments. Call it when modules are imported: all
    processes number the functions alike."""
    number = len(_functions)
    _functions.append(function)

    @wraps(function)
    def outside(*args: P.args, **kwargs: P.kwargs) -> R:
        helpers = context().helpers
        if not helpers.started or (when is not None and not when(*args, **kwargs)):
            return function(*args, **kwargs)
        found: R = helpers.call(number, args, kwargs)
        return found

    return outside


def apart_if_added(function: Callable[P, R]) -> Callable[P, R]:
    """As `apart`, for a function that takes long only for puzzles that users have added, which may be far larger than
    ours: one of its arguments is the name of a puzzle, or a request with one."""

    def is_added(*args: P.args, **kwargs: P.kwargs) -> bool:
        given = [*args, *kwargs.values()]
        names = [one if isinstance(one, str) else getattr(one, "puzzle", None) for one in given]
        return any(isinstance(name, str) and "@" in full_name_of(name) for name in names)

    return apart(function, is_added)


class Helpers:
    """The processes beside this one."""

    def __init__(self, threads: int) -> None:
        self._most, self._most_of_one = max(PLACES, threads - 2), max(PLACES, threads // 4)
        self._changed = threading.Condition()
        self._running: Counter[str] = Counter()
        self._here: Counter[str] = Counter()
        self._idle: list[tuple[Connection, int]] = []
        self._forker: socket.socket | None = None

    @property
    def started(self) -> bool:
        """Whether there are other processes."""
        return self._forker is not None

    def start(self, app: Flask) -> None:
        """Fork the process that forks others. Call it once, in the main thread, before this process has threads or
        connections. When the other ends, this one does, after its requests, and gunicorn starts both again."""
        ours, theirs = socket.socketpair()
        if (process := os.fork()) == 0:
            ours.close()
            _fork_forever(app, theirs)
        theirs.close()
        self._forker = ours

        def end_with_it(_number: int, _frame: FrameType | None) -> None:
            with suppress(ChildProcessError):
                if os.waitpid(process, os.WNOHANG)[0]:
                    log.error("the process that forks has ended")
                    os.kill(os.getpid(), signal.SIGTERM)

        signal.signal(signal.SIGCHLD, end_with_it)

    def call(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The answer of a function; raises its `ProblemError`, or one that says why there is no answer."""
        plain = {name: value for name, value in request.environ.items() if isinstance(value, str | int | tuple)}
        message = (number, args, kwargs, principal(), g.request_id, plain)
        with self._place(principal()):
            connection, process = self._idle.pop() if self._idle else self._new()
            stays = False
            try:
                connection.send(message)
                if not connection.poll(ELAPSED_SECONDS):
                    os.kill(process, signal.SIGKILL)
                    raise EOFError
                kind, found, stays = connection.recv()
            except (EOFError, OSError):
                detail = f"it takes more than {SECONDS} s or {MIB} MiB"
                raise ProblemError("too-much-work", detail) from None
            finally:
                if stays:
                    self._idle.append((connection, process))
                else:
                    connection.close()
        if kind == "answer":
            return found
        response = Response(found[2], found[0], found[1])
        if kind == "error":
            abort(response)
        return response

    def _new(self) -> tuple[Connection, int]:
        """A connection to a new process, and its number."""
        ours, theirs = socket.socketpair()
        try:
            assert self._forker is not None
            socket.send_fds(self._forker, [b"f"], [theirs.fileno()])
            connection = Connection(ours.detach())
            if connection.poll(SECONDS):
                return connection, connection.recv()
            raise EOFError
        except (OSError, EOFError):
            # Without the process that forks, this process of the API is of no use; gunicorn makes another.
            log.error("the process that forks does not answer")
            os.kill(os.getpid(), signal.SIGTERM)
            raise ProblemError("unavailable", "the service starts again") from None
        finally:
            theirs.close()

    @contextmanager
    def _place(self, who: Principal) -> Iterator[None]:
        owner, alone = who.owner, who is LOCAL
        most, most_here = (PLACES, self._most) if alone else (PLACES // 2, self._most_of_one)
        refused = ProblemError("too-many-computations", "too many requests of this kind are at work")
        with self._changed:
            if self._here.total() >= self._most or self._here[owner] >= most_here:
                raise refused
            self._here[owner] += 1
        try:
            with self._changed:
                if not self._changed.wait_for(
                    lambda: self._running.total() < PLACES and self._running[owner] < most, ELAPSED_SECONDS
                ):
                    raise refused
                self._running[owner] += 1
            try:
                yield
            finally:
                with self._changed:
                    self._running[owner] -= 1
        finally:
            with self._changed:
                self._here[owner] -= 1
                self._changed.notify_all()


def _fork_forever(app: Flask, requests: socket.socket) -> NoReturn:
    """Fork a process for each socket that arrives, until the API's process ends."""
    if sys.platform == "linux":
        set_pdeathsig(signal.SIGKILL)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # the API finishes its requests first
    for number in (signal.SIGABRT, signal.SIGPROF, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # The sockets of the API must not stay open here, nor its objects be collected.
    os.closerange(3, requests.fileno())
    os.closerange(requests.fileno() + 1, 2**16)
    gc.freeze()
    requests.settimeout(alive.REPORT_SECONDS)
    while True:
        alive.report()
        try:
            said, sockets, _, _ = socket.recv_fds(requests, 1, 1)
        except TimeoutError:
            continue
        if not said:
            os._exit(0)
        if os.fork() == 0:
            if sys.platform == "linux":
                set_pdeathsig(signal.SIGKILL)
            requests.close()
            _compute_forever(app, Connection(sockets[0]))
        os.close(sockets[0])


def _compute_forever(app: Flask, connection: Connection) -> NoReturn:
    """Answer calls until the API's process closes the connection, or this one has become large."""
    with app.app_context():
        context().sessions.engine.dispose(close=False)
    if sys.platform == "linux":
        most = (_resident_mib("VmData") + MIB) * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    connection.send(os.getpid())
    with suppress(EOFError, OSError):
        while True:
            message = connection.recv()
            signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal ends the process
            kind, found = _answer(app, *message)
            signal.setitimer(signal.ITIMER_PROF, 0)
            stays = _resident_mib("VmRSS") < LARGE_MIB
            connection.send((kind, found, stays))
            if not stays:
                break
    os._exit(0)


def _answer(
    app: Flask, number: int, args: Any, kwargs: Any, who: Principal, request_id: str, environ: dict[str, Any]
) -> tuple[str, Any]:
    """What kind of answer it is, and the answer."""
    clear_contextvars()
    bind_contextvars(request_id=request_id)
    with app.request_context(environ | {"wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}):
        g.principal, g.request_id = who, request_id
        kind = "response"
        try:
            with looking_in(StoredDefinitions(context().sessions, who.owner)):
                found = _functions[number](*args, **kwargs)
            if isinstance(found, BaseModel):
                found = object_response(found)
        except Exception as error:
            kind, found = "error", app.make_response(app.handle_user_exception(error))
        if isinstance(found, Response):
            return kind, (found.status_code, list(found.headers), found.get_data())
        return "answer", found


def _resident_mib(name: str) -> int:
    """A figure of this process in /proc, in MiB; 0 where there is none."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) >> 10
    return 0
