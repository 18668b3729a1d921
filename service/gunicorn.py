"""gunicorn's settings: ``gunicorn --config service/gunicorn.py service.wsgi:app``.

Addresses, processes and threads are hstar's own settings (``HSTAR_BIND``, ``HSTAR_API_PROCESSES`` and
``HSTAR_API_THREADS``); anything else can be set by gunicorn's own means (GUNICORN_CMD_ARGS).
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from service.access import AddressError, any_key, check_bind, parse_api_keys
from service.server import MOST_FIELDS, MOST_LINE_BYTES
from store import alive
from store.database import make_engine, make_sessions
from store.settings import Settings, SettingsError

# What is loaded until the processes fork stays for good. To look through it for garbage takes a fifth of the start.
gc.disable()


def _fail(error: Exception) -> NoReturn:
    # One sentence without a traceback, for the person who starts the service.
    sys.exit(f"hstar does not start: {error}")


def _check_addresses(binds: Iterable[str]) -> None:
    try:
        check_bind(binds, secured=bool(_keys))
    except AddressError as error:
        # The database is asked only if the settings have no keys, and before the processes fork.
        sessions = make_sessions(make_engine(_settings.database_url))
        secured = any_key(sessions)
        sessions.close()
        if not secured:
            _fail(error)


def _remove(directory: str, owner: int) -> None:
    # At the end of the service, even if it fails to start; but not at the end of each forked process.
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


try:
    _settings = Settings.from_env()
    _keys = parse_api_keys(_settings.api_keys)
except (SettingsError, ValueError) as error:
    _fail(error)

bind = _settings.bind
workers = _settings.api_processes
threads = _settings.api_threads
worker_class = "service.server.Worker"
preload_app = True

# A gthread worker sends its heartbeat between requests, so this finds a worker that hangs, not one that waits for a
# solve.
timeout = 60
# Long polls end within two seconds when a worker is told to stop.
graceful_timeout = 10
# Longer than the idle timeout of usual proxies, so that they close idle connections, not we.
keepalive = 75
worker_connections = 1000
# It would wait for the client (service/server.py).
sendfile = False

limit_request_line = limit_request_field_size = MOST_LINE_BYTES
limit_request_fields = MOST_FIELDS

accesslog = None
errorlog = "-"
loglevel = "info"
control_socket_disable = True
# Heartbeat files on a disk can block for seconds.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None

# prometheus_client reads it when it is imported, later.
if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    _metrics = tempfile.mkdtemp(prefix="hstar-metrics-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = _metrics
    atexit.register(_remove, _metrics, os.getpid())


def on_starting(server: Any) -> None:
    """Without keys, refuse any address but loopback, whether it comes from here or from gunicorn's command line."""
    _check_addresses(server.cfg.bind if isinstance(server.cfg.bind, list) else [server.cfg.bind])
    # Called once a second by the loop of the main process.
    look = server.murder_workers

    def report_and_look() -> None:
        alive.report()
        look()

    server.murder_workers = report_and_look
    # Never again: and the processes share its memory for longer.
    gc.freeze()
    gc.enable()


def post_fork(_server: Any, _worker: Any) -> None:
    """Report at once: a process that stops before its loop begins is known, too."""
    alive.report()


def post_worker_init(worker: Any) -> None:
    """Start the processes that compute, and end long polls as soon as the worker is told to stop."""
    from service.wsgi import app

    context = app.extensions["hstar"]
    context.helpers.start(app)
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: FrameType | None) -> None:
        context.long_polling.stop()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGTERM, stop)


def child_exit(server: Any, worker: Any) -> None:
    """Drop the gauges of a process that has ended."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
