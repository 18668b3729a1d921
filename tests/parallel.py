"""Tests in several processes: `pytest -n 4`.

The tests are collected once, by the process that then forks the others, so that none of them imports anything: to read
and collect all modules takes 11 CPU seconds, in a new checkout 19. Each process takes a part of the tests when it has
ended the one before, in their order, and sends its reports back. What ends a process is a failure of the test that ran;
another process goes on with the rest of its part.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import sys
import threading
import traceback
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn

import pytest
from _pytest._io import TerminalWriter

#: seconds between looks for processes that have ended while what they had started keeps their connection open
LOOK_SECONDS = 5
#: begins the names of the processes' own directories
_OWN = "process-"


def add_option(parser: pytest.Parser) -> None:
    """Add `-n`."""
    # A capital letter is asked for; but everybody knows this name from pytest-xdist.
    parser.getgroup("hstar")._addoption("-n", dest="processes", type=int, default=0, help="run tests in N processes")


def run(session: pytest.Session, part_of: Callable[[str], str], processes: int) -> None:
    """Run all tests of a session, those of one part in one process, one after the other.

    :param part_of: the part of a test with this id
    :raises pytest.Session.Failed: as many have failed as were wanted
    """
    parts: dict[str, deque[int]] = defaultdict(deque)
    for place, item in enumerate(session.items):
        parts[part_of(item.nodeid)].append(place)
    _Parent(session, deque(parts.values())).run(processes)


def common(factory: pytest.TempPathFactory) -> Path:
    """The directory of temporary files that all processes of this run share."""
    own = factory.getbasetemp()
    return own.parent if own.name.startswith(_OWN) else own


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path | None:
    """A file or directory that the first process to need it makes for all; None where all tests run in one process."""
    everybodys = common(factory)
    if everybodys == factory.getbasetemp():
        return None
    path = everybodys / name
    with path.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            beside = path.with_name(f"{name}.new")
            make(beside)
            beside.rename(path)
    return path


@dataclass
class _Process:
    pid: int
    #: what it has not ended, the first of which runs
    left: deque[int] = field(default_factory=deque)
    #: the last that it has ended
    last: int = 0


class _Parent:
    """The process that has collected the tests. Parts are deques of places in the session's items."""

    def __init__(self, session: pytest.Session, parts: deque[deque[int]]) -> None:
        self.session = session
        self.parts = parts
        self.running: dict[Connection, _Process] = {}
        self.started = 0

    def run(self, processes: int) -> None:
        reporter: Any = self.session.config.pluginmanager.getplugin("terminalreporter")
        reporter.showfspath = False
        try:
            for _ in range(min(processes, len(self.parts))):
                self._fork()
            while self.running:
                for connection in self._said_something():
                    self._hear(connection)
                    if self.session.shouldfail:
                        raise self.session.Failed(self.session.shouldfail)
        finally:  # they end when they find their connection closed, after the test that runs
            for connection, process in self.running.items():
                connection.close()
                os.waitpid(process.pid, 0)

    def _fork(self) -> None:
        ours, theirs = Pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            for connection in (ours, *self.running):
                connection.close()
            _be_a_process(self.session, theirs, self.started)
        self.started += 1
        theirs.close()
        self.running[ours] = _Process(pid)

    def _said_something(self) -> list[Connection]:
        while not (found := wait(list(self.running), LOOK_SECONDS)):
            for connection, process in self.running.items():
                if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                    return [connection]
        return [one for one in found if isinstance(one, Connection)]

    def _hear(self, connection: Connection) -> None:
        """Take the next message: the word for another part or for the end of a test, or a report."""
        process = self.running[connection]
        try:
            said = connection.recv() if connection.poll() else None
        except (EOFError, ConnectionResetError):
            said = None
        if said is None:
            self._has_ended(connection)
        elif said == "next":
            process.left = self.parts.popleft() if self.parts else deque()
            connection.send(list(process.left))
        elif said == "ended":
            process.last = process.left.popleft()
        else:
            hook = self.session.config.hook
            hook.pytest_runtest_logreport(
                report=hook.pytest_report_from_serializable(config=self.session.config, data=said)
            )

    def _has_ended(self, connection: Connection) -> None:
        process = self.running.pop(connection)
        connection.close()
        code = os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1])
        if code == 0 and not process.left:
            return
        item = self.session.items[process.left.popleft() if process.left else process.last]
        call = pytest.CallInfo.from_call(lambda: pytest.fail(f"its process has ended with {code}", False), "call")
        self.session.config.hook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, call))
        if process.left:
            self.parts.appendleft(process.left)
        if self.parts:
            self._fork()


def _be_a_process(session: pytest.Session, connection: Connection, number: int) -> NoReturn:
    """Run parts until there are none or the connection is closed."""
    code = 1
    try:
        atexit._clear()
        _have_own(session.config, number)
        _run_parts(session, connection)
        code = 0
    except (EOFError, ConnectionError, KeyboardInterrupt):
        with contextlib.suppress(Exception):
            session._setupstate.teardown_exact(None)
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        os._exit(code)


def _have_own(config: pytest.Config, number: int) -> None:
    """Do not share captured output and temporary files with other processes, and leave the terminal to the first."""
    manager = config.pluginmanager
    capture: Any = manager.getplugin("capturemanager")
    if capture._global_capturing is not None:
        capture._global_capturing.stop_capturing()
        capture._global_capturing = None
        capture.start_global_capturing()
        capture.suspend_global_capture(in_=True)
    factory: Any = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.getbasetemp() / f"{_OWN}{number}"
    factory._basetemp.mkdir(mode=0o700)

    class Silent:
        """What prints the stacks of a test that hangs."""

        _tw = TerminalWriter(sys.__stderr__)

    manager.unregister(name="terminalreporter")
    manager.register(Silent(), "terminalreporter")


def _run_parts(session: pytest.Session, connection: Connection) -> None:
    hook = session.config.hook

    class Sends:
        @staticmethod
        def pytest_runtest_logreport(report: pytest.TestReport) -> None:
            connection.send(hook.pytest_report_to_serializable(config=session.config, report=report))

    session.config.pluginmanager.register(Sends())
    connection.send("next")
    item: pytest.Item | None = None
    while places := connection.recv():
        items = [session.items[place] for place in places]
        for item, after in zip(items, [*items[1:], session], strict=True):
            # After the last, what was set up for the session stays.
            hook.pytest_runtest_protocol(item=item, nextitem=after)
            connection.send("ended")
        connection.send("next")
    if item is not None:
        call = pytest.CallInfo.from_call(lambda: session._setupstate.teardown_exact(None), "teardown")
        if call.excinfo is not None:
            hook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, call))
