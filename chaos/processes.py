"""Programs in process groups of their own, with their logs."""

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
    """A program that was started here, and whatever it starts."""

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
        """Whether its log holds this text."""
        return text in self.log.read_text(errors="replace")

    def events(self) -> Iterator[dict[str, Any]]:
        """What it has logged, one object a line; lines that are none are left out."""
        for line in self.log.read_text(errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                found = json.loads(line)
                if isinstance(found, dict):
                    yield found

    def children(self) -> list[psutil.Process]:
        """The processes that it has started and that live."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(self.process.pid).children(recursive=True)
        return []

    def send(self, number: signal.Signals) -> None:
        """A signal to the program itself."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def send_all(self, number: signal.Signals) -> None:
        """A signal to everything in its group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def ended(self) -> bool:
        """Whether the program itself is gone."""
        return self.process.poll() is not None

    def left(self) -> list[int]:
        """The numbers of the processes of its group that live."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, ProcessLookupError):
                if os.getpgid(process.pid) == self.process.pid and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process.pid)
        return found

    def close(self) -> None:
        """Leave nothing of it."""
        self.send_all(signal.SIGKILL)
        self.process.wait()
