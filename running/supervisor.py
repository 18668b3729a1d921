"""Keep the parts of `hstar serve` running: start them, restart those that end, and stop them together.

    parts = [Part("api", "exec gunicorn ..."), Part("worker", "exec celery ...")]
    status = Supervisor(parts, env, keep_open=[lock]).run(is_ready, on_ready)

`python -m running.supervisor NAME...` runs these programs of the Procfile, as the containers do.

| what happens                           | reaction                                                                   |
|----------------------------------------|----------------------------------------------------------------------------|
| a part fails before all are ready      | everything stops: it would fail again, and the user must read its message  |
| a part ends later, killed or not       | its remaining processes are ended, and it starts again after a pause       |
| a process hangs: it no longer reports  | killed after 10 s: a part starts again, a pool replaces its process        |
| SIGINT, SIGTERM, SIGHUP                | every part is told to end; killed after 30 s, or at the second such signal |
| the supervisor itself is killed        | Linux tells every part to end; surviving processes hold the lock           |
| the supervisor itself hangs            | systemd ends and restarts it, if it runs under systemd (`WatchdogSec`)      |

Every process of a part reports once a second (store/alive.py), and the supervisor does the same to systemd. A part with
a `probe` is asked instead.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, Any

from billiard.util import set_pdeathsig

from store import alive
from store.settings import Settings

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
# A program may take this long until it reports for the first time, if it uses the processor meanwhile.
FIRST_REPORT_SECONDS = 60.0
# How often parts with a probe are asked, and systemd is told.
PROBE_SECONDS = 1.0


@dataclass
class Part:
    """One program in its own session, with the processes that it has started."""

    name: str
    command: str
    #: asks a program that does not report by itself whether it answers, within a second
    probe: Callable[[], bool] | None = None
    process: subprocess.Popen[bytes] | None = None
    group: int = 0
    pause: float = FIRST_PAUSE_SECONDS
    started: float = 0.0
    #: processor time of a program that has not reported yet, and how many looks it has not changed for
    used: int = 0
    idle_looks: int = 0
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
        self.used = self.idle_looks = 0

    def signal(self, number: signal.Signals) -> None:
        """Send the signal to the program, or, if that has ended, to its remaining processes."""
        with contextlib.suppress(ProcessLookupError):
            if self.process is not None and self.process.poll() is None and number is not signal.SIGKILL:
                self.process.send_signal(number)
            elif self.group:
                os.killpg(self.group, number)

    def is_idle(self, looks: float) -> bool:
        """Whether it has used no processor time for more than so many looks. A program that starts always uses some."""
        assert self.process is not None
        used = _processor_time(self.process.pid)
        self.idle_looks = self.idle_looks + 1 if used == self.used else 0
        self.used = used
        return self.idle_looks > looks

    def gone(self) -> bool:
        """Whether all its processes have ended."""
        if self.process is not None and self.process.poll() is None:
            return False
        try:
            os.killpg(self.group, 0)
        except ProcessLookupError:
            return True
        return not self.group


class Reports:
    """What the processes of the parts report, and when each of them last did."""

    def __init__(self, silent_seconds: float) -> None:
        self.last: dict[int, float] = {}
        self._silent_seconds = silent_seconds
        self._looked = time.monotonic()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._socket.bind("")  # Linux chooses an abstract address: no file remains

    @property
    def address(self) -> str:
        """The value of NOTIFY_SOCKET for the parts."""
        name: bytes = self._socket.getsockname()
        return "@" + name[1:].decode()

    def read(self) -> None:
        """Take what has arrived. The kernel tells which process sent it, so none can report for another."""
        now = time.monotonic()
        if now - self._looked > self._silent_seconds / 3:
            # This process was stopped, or the machine was: it has missed reports, and that is nobody's fault.
            self.last = dict.fromkeys(self.last, now)
        self._looked = now
        with contextlib.suppress(BlockingIOError):
            while True:
                _, about, _, _ = self._socket.recvmsg(256, socket.CMSG_SPACE(12))
                for _, _, credentials in about:
                    self.last[struct.unpack("3i", credentials[:12])[0]] = now

    def silent(self, group: int) -> list[int]:
        """The processes of a group that have reported once, and not for too long."""
        found = []
        for process, last in list(self.last.items()):
            try:
                here = os.getpgid(process) == group
            except ProcessLookupError:
                del self.last[process]
                continue
            if here and time.monotonic() - last > self._silent_seconds:
                found.append(process)
        return found

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class Supervisor:
    """Runs the parts until it is told to stop. The others need the first part, so it stops last."""

    def __init__(self, parts: Sequence[Part], env: Mapping[str, str], keep_open: Sequence[IO[Any]] = ()) -> None:
        self._parts = parts
        self._env = env
        self._keep_open = keep_open
        self._asked = 0
        self._wake = threading.Event()
        # Only Linux tells who sent a report.
        self._silent_seconds = Settings.from_env(env).pace.silent_seconds
        self._reports = Reports(self._silent_seconds) if sys.platform == "linux" else None
        self._probe_at = 0.0
        if self._reports is not None:
            self._env = {**env, "NOTIFY_SOCKET": self._reports.address}

    def run(self, is_ready: Callable[[], bool] = lambda: True, on_ready: Callable[[], None] = lambda: None) -> int:
        """Return the exit status: 0 after a signal to stop. `on_ready` is called once, when `is_ready` is true."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        for part in self._parts:
            part.start(self._env, self._keep_open)
        alive.tell("READY=1")
        ready = False
        while not self._asked:
            self._end_what_hangs()
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

    def _end_what_hangs(self) -> None:
        """Kill the processes that have stopped to report; what they belong to starts them again."""
        alive.report()
        if self._reports is None:
            return
        self._reports.read()
        now = time.monotonic()
        if now < self._probe_at:
            return
        self._probe_at = now + PROBE_SECONDS
        for part in self._parts:
            main = part.process
            if main is None or main.poll() is not None:
                continue
            if part.probe is not None and (part.probe() or main.pid not in self._reports.last):
                self._reports.last[main.pid] = time.monotonic()
            hung = self._reports.silent(part.group)
            if main.pid not in self._reports.last:
                if part.is_idle(self._silent_seconds / PROBE_SECONDS):
                    hung.append(main.pid)
                elif now - part.started > FIRST_REPORT_SECONDS:
                    _say(f"{part.name} takes too long to start")
                    hung.append(main.pid)
            for process in hung:
                _say(f"a process of {part.name} ({process}) hangs; it is killed")
                self._reports.last.pop(process, None)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)

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


def parts_of_procfile(names: Collection[str] = ()) -> list[Part]:
    """The programs of the Procfile with these names, or all of them, in order."""
    lines = (Path(__file__).parent / "Procfile").read_text(encoding="utf-8").splitlines()
    named = (line.partition(":") for line in lines if line.strip() and not line.startswith("#"))
    found = [Part(name.strip(), command.strip()) for name, _, command in named]
    return [part for part in found if not names or part.name in names]


def _processor_time(process: int) -> int:
    """Of a process of this system, in ticks (Linux); 0 if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def _how(status: int) -> str:
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def _say(text: str) -> None:
    print(f"supervisor: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    chosen = parts_of_procfile(sys.argv[1:])
    if {part.name for part in chosen} != set(sys.argv[1:]):
        sys.exit(f"usage: python -m running.supervisor {' | '.join(part.name for part in parts_of_procfile())}")
    sys.exit(Supervisor(chosen, os.environ).run())
