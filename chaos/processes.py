"""Programs in their own process groups, with their logs."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil


class Program:
    """A program that was started here, with all processes that it starts."""

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str], cwd: Path, log: Path) -> None:
        self.name = name
        self.log = log
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def said(self, text: str) -> bool:
        """Whether its log contains this text."""
        return text in self.log.read_text(errors="replace")

    def events(self) -> Iterator[dict[str, Any]]:
        """The JSON objects of its log, one for each line; other lines are left out."""
        for line in self.log.read_text(errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                found = json.loads(line)
                if isinstance(found, dict):
                    yield found

    def children(self) -> list[psutil.Process]:
        """The living processes that it has started."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(self.process.pid).children(recursive=True)
        return []

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program itself."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def send_all(self, number: signal.Signals) -> None:
        """Send a signal to all processes of its group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def ended(self) -> bool:
        """Whether the program itself has ended."""
        return self.process.poll() is not None

    def left(self) -> list[int]:
        """The ids of the living processes of its group."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, ProcessLookupError):
                if os.getpgid(process.pid) == self.process.pid and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process.pid)
        return found

    def close(self) -> None:
        """Kill all its processes."""
        self.send_all(signal.SIGKILL)
        self.process.wait()


def peak_mib(pid: int) -> int:
    """The greatest resident memory that a process has had, or has had since it was reset, in MiB; 0 if it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) >> 10
    return 0


def reset_peak(pid: int) -> None:
    """Let `peak_mib` tell of what comes from now on (Linux)."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5")
