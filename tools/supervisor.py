"""Keep the parts of `make run` running: start them, restart those that end, and stop them together.

    parts = [Part("api", "exec gunicorn ..."), Part("worker", "exec celery ...")]
    status = Supervisor(parts, env, keep_open=[lock]).run(is_ready, on_ready)

| what happens                           | reaction                                                                   |
|----------------------------------------|----------------------------------------------------------------------------|
| a part fails before all are ready      | everything stops: it would fail again, and the user must read its message  |
| a part ends later, killed or not       | its remaining processes are ended, and it starts again after a pause       |
| SIGINT, SIGTERM, SIGHUP                | every part is told to end; killed after 30 s, or at the second such signal |
| the supervisor itself is killed        | Linux tells every part to end; surviving processes hold the lock           |
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, Any

from billiard.util import set_pdeathsig

ROOT = Path(__file__).resolve().parent.parent
LOOK_SECONDS = 0.1
# The pause before a part restarts: doubled each time, and reset after the part has run for long.
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 5.0
LONG_SECONDS = 30.0
# The remaining processes of an ended part have this long to hand jobs back and close ports.
REST_SECONDS = 5.0
# gunicorn gives requests ten seconds to end, and a worker hands its jobs back.
STOP_SECONDS = 30.0


@dataclass
class Part:
    """One program in its own session, with the processes that it has started."""

    name: str
    command: str
    process: subprocess.Popen[bytes] | None = None
    group: int = 0
    pause: float = FIRST_PAUSE_SECONDS
    started: float = 0.0
    ended: float = field(default=0.0)

    def start(self, env: Mapping[str, str], keep_open: Sequence[IO[Any]]) -> None:
        """Start it. It ends when this process ends, and its processes hold the files of `keep_open`."""
        parent = os.getpid()

        def end_with_parent() -> None:
            if sys.platform == "linux":
                set_pdeathsig(signal.SIGTERM)
                if os.getppid() != parent:
                    os._exit(1)

        self.process = subprocess.Popen(
            ["sh", "-c", self.command],
            cwd=ROOT,
            env=env,
            start_new_session=True,
            pass_fds=[file.fileno() for file in keep_open],
            preexec_fn=end_with_parent,
        )
        self.group = self.process.pid
        self.started = time.monotonic()

    def signal(self, number: signal.Signals) -> None:
        """Send the signal to the program, or, if that has ended, to its remaining processes."""
        with contextlib.suppress(ProcessLookupError):
            if self.process is not None and self.process.poll() is None and number is not signal.SIGKILL:
                self.process.send_signal(number)
            elif self.group:
                os.killpg(self.group, number)

    def gone(self) -> bool:
        """Whether all its processes have ended."""
        if self.process is not None and self.process.poll() is None:
            return False
        try:
            os.killpg(self.group, 0)
        except ProcessLookupError:
            return True
        return not self.group


class Supervisor:
    """Runs the parts until it is told to stop. The others need the first part, so it stops last."""

    def __init__(self, parts: Sequence[Part], env: Mapping[str, str], keep_open: Sequence[IO[Any]] = ()) -> None:
        self._parts = parts
        self._env = env
        self._keep_open = keep_open
        self._asked = 0
        self._wake = threading.Event()

    def run(self, is_ready: Callable[[], bool], on_ready: Callable[[], None]) -> int:
        """Return the exit status: 0 after a signal to stop. `on_ready` is called once, when `is_ready` is true."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        for part in self._parts:
            part.start(self._env, self._keep_open)
        ready = False
        while not self._asked:
            failed = [part for part in self._parts if self._look_after(part, again=ready)]
            if failed and not ready:
                _say(f"{failed[0].name} does not start; stopping everything")
                break
            if not ready and is_ready():
                ready = True
                on_ready()
            self._wake.wait(LOOK_SECONDS)
        self._end(self._parts[1:])
        self._end(self._parts[:1])
        return 0 if self._asked else 1

    def _look_after(self, part: Part, *, again: bool) -> bool:
        """Whether this part has ended; with `again` it is restarted after its pause."""
        now = time.monotonic()
        if part.process is not None:
            status = part.process.poll()
            if status is None:
                return False
            part.pause = FIRST_PAUSE_SECONDS if now - part.started > LONG_SECONDS else part.pause
            part.process, part.ended = None, now
            if again:
                _say(f"{part.name} {_how(status)}; it starts again in {part.pause:g} s")
            part.signal(signal.SIGTERM)
            return True
        if now - part.ended > REST_SECONDS:
            part.signal(signal.SIGKILL)
        elif not part.gone():
            return False
        if again and now - part.ended >= part.pause:
            part.pause = min(part.pause * 2, LONGEST_PAUSE_SECONDS)
            part.start(self._env, self._keep_open)
        return False

    def _end(self, parts: Iterable[Part]) -> None:
        """Tell these parts to end, and wait until all their processes have ended."""
        asked = self._asked
        for part in parts:
            part.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        leaders = {part.name: part.process for part in parts}
        while left := [part for part in parts if not part.gone()]:
            for part in left:
                process = leaders[part.name]
                if process is not None and process.poll() is not None:
                    leaders[part.name] = None
                    part.signal(signal.SIGTERM)
            if time.monotonic() > deadline or self._asked > max(asked, 1):
                for part in left:
                    _say(f"{part.name} does not end; it is killed")
                    part.signal(signal.SIGKILL)
                # After that only a process blocked in the kernel, or a zombie, can still exist.
                return
            time.sleep(LOOK_SECONDS)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._asked += 1
        self._wake.set()


def _how(status: int) -> str:
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def _say(text: str) -> None:
    print(f"make run: {text}", file=sys.stderr, flush=True)
