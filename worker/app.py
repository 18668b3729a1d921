"""The Celery application. ``celery --app worker.app worker --pool prefork --concurrency 2``

Celery brings the processes and the bell; the store decides who runs what. So its own machinery for safe delivery stays
off: messages are acknowledged on arrival, there are no results, and a lost message is only a bell that the sweeper
rings again.
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, signals

from store import logs
from store.doorbell import QUEUE, RING_TASK
from store.settings import Settings
from worker.runner import Runner
from worker.stopping import StopLine

settings = Settings.from_env()

app = Celery("hstar", broker=settings.broker_url)
app.conf.update(
    task_default_queue=QUEUE,
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=False,
    worker_prefetch_multiplier=1,
    worker_disable_rate_limits=True,
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    # A search survives the loss of Redis: it needs none.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_proc_alive_timeout=60,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={"socket_keepalive": True, "health_check_interval": 10},
)

_stop_line: StopLine | None = None
_runner: Runner | None = None


def ring() -> None:
    """The bell: work off what is queued."""
    with StopLine.holding():
        _here().drain()


def _configure_logging(loglevel: Any = None, **_: Any) -> None:
    logs.configure()


def _open_line(**_: Any) -> None:
    global _stop_line
    _stop_line = StopLine()


def _shut_down(**_: Any) -> None:
    if _stop_line is not None:
        _stop_line.request()


def _start_process(**_: Any) -> None:
    runner = _here()
    if _stop_line is not None:
        _stop_line.watch(runner.stop)


def _end_process(**_: Any) -> None:
    if _runner is not None:
        _runner.close()


def _here() -> Runner:
    """This process's runner: made on first use, because nothing of it survives a fork."""
    global _runner
    if _runner is None:
        _runner = Runner(settings)
    return _runner


def _forget_runner() -> None:
    """A runner that was made before the fork would share its connections with the parent."""
    global _runner
    _runner = None


os.register_at_fork(after_in_child=_forget_runner)
app.task(name=RING_TASK)(ring)
signals.setup_logging.connect(_configure_logging)
signals.worker_init.connect(_open_line)
signals.worker_shutting_down.connect(_shut_down)
signals.worker_process_init.connect(_start_process)
signals.worker_process_shutdown.connect(_end_process)
