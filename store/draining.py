"""Ending a worker without ending its jobs: it takes no more, and is told to end when it has none.

``python -m store drain`` does so, where the worker runs: a file in ``HSTAR_VAR`` with the name of the machine or
container tells its processes. A worker that starts deletes the file.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path

from sqlalchemy import func, select

from store.database import Sessions
from store.jobs.statements import is_in, row
from store.jobs.states import State
from store.settings import Settings

LOOK_SECONDS = 0.5


def sign(settings: Settings) -> Path:
    """The file that is there while the workers of this machine take no more jobs."""
    return settings.var.absolute() / f"draining-{socket.gethostname()}"


def drain(settings: Settings, sessions: Sessions, seconds: float) -> int:
    """Let the workers of this machine take no more jobs, and wait until theirs have ended, but not longer than
    ``seconds``; the number that still run."""
    settings.var.mkdir(parents=True, exist_ok=True)
    sign(settings).touch()
    until, ours = time.monotonic() + seconds, row.worker.startswith(f"{socket.gethostname()}:", autoescape=True)
    running, before = 1, 1
    # Once more, because a claim may have been under way.
    while (running or before) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
        with sessions.read() as session:
            counted = select(func.count()).where(is_in(State.RUNNING), ours)
            running, before = session.connection().execute(counted).scalar_one(), running
    return running
