"""The service and the worker as separate processes, as in production."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO, Any

import httpx

from store.database import make_engine, migrate
from tests import forking
from tests.conftest import TEST_ALL
from tests.forking import Forked
from tests.servers import Server

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


def environment(**settings: object) -> dict[str, str]:
    """This process's environment with ``settings`` as its only HSTAR_ variables.

    Temporary files go to ``var``, because a killed process leaves them behind.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HSTAR_", "PROMETHEUS_"))}
    env |= {f"HSTAR_{name.upper()}": str(value) for name, value in settings.items()}
    env |= {"TMPDIR": str(settings["var"])} if "var" in settings else {}
    return env | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def gunicorn(*more: str) -> list[str]:
    """The command of the Procfile and of the image."""
    return [str(BIN / "gunicorn"), "--config", "service/gunicorn.py", *more, "service.wsgi:app"]


class Program(Server):
    """A program of ours, forked, or with `real` started as its command."""

    real = False

    def run(self, log: IO[bytes]) -> subprocess.Popen[bytes] | Forked:
        return forking.start(self.command(), log, real=self.real, **self.options())


class Api(Program):
    """gunicorn on a free port of 127.0.0.1; migrates its database first."""

    def __init__(self, database_url: str, broker_url: str, *, real: bool = False, **settings: object) -> None:
        super().__init__()
        self.real = real or TEST_ALL
        self.settings = {"database_url": database_url, "broker_url": broker_url, "var": self.home} | settings
        migrate.upgrade(make_engine(database_url))

    @property
    def url(self) -> str:
        """Its URL."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        return gunicorn()

    def options(self) -> dict[str, Any]:
        return {"cwd": ROOT, "env": environment(bind=f"127.0.0.1:{self.port}", **self.settings)}

    def answers(self) -> bool:
        # Without httpx, which reads all of the machine's certificates for each request: too slow for polling.
        try:
            with closing(HTTPConnection("127.0.0.1", self.port, timeout=2)) as connection:
                connection.request("GET", "/health/live")
                return connection.getresponse().status in (200, 421)
        except (OSError, HTTPException):
            return False

    def client(self, **headers: str) -> httpx.Client:
        """A client with a timeout that is long enough for waits."""
        return httpx.Client(base_url=self.url, timeout=60, headers=headers)


class Worker(Program):
    """A Celery worker with one process, for the same database and broker as ``api``, and started like it."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self.settings = api.settings
        self.real = api.real

    def command(self) -> list[str]:
        celery = [str(BIN / "celery"), "--app", "worker.app", "worker"]
        return [*celery, "--pool", "prefork", "--concurrency", "1", "--loglevel", "info"]

    def options(self) -> dict[str, Any]:
        return {"cwd": ROOT, "env": environment(**self.settings)}

    def answers(self) -> bool:
        return " ready." in self.log.read_text(errors="replace")
