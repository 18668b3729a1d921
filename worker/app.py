"""The Celery application. ``celery --app worker.app worker --pool prefork``

Celery provides the processes and the wake-up messages; the store decides who runs what. So Celery's own means for safe
delivery are off: messages need no acknowledgement, and there are no results. A lost message does no harm, because idle
processes look for jobs by themselves; and the worker survives whatever the broker does or sends (worker/consumer.py).
"""

from __future__ import annotations

# ruff: noqa: E402
import gc

# Until `_freeze`. To look through what is being imported takes a fifth of the start.
gc.disable()

import atexit
import os
from typing import Any

from celery import Celery, signals
from kombu.entity import Exchange, Queue

from store import alive, draining, logs
from store.capacity import check_memory, spare_mib
from store.doorbell import QUEUE, RING_TASK, SMALL_QUEUE
from store.settings import Settings, SettingsError
from worker.looking import Looker
from worker.runner import Runner
from worker.slots import Rules, Slots
from worker.stopping import StopLine, StopReason

BROKER_TIMEOUT_SECONDS = 3.0

settings = Settings.from_env()
# A try would bring in other jobs, and let them stay if a slot became free.
QUICK_SLOTS = 0 if settings.takes_small else settings.quick_slots
BELLS = SMALL_QUEUE if settings.takes_small else QUEUE

app = Celery("hstar", broker=settings.broker_url)
app.conf.update(
    # A message is removed when it is taken; otherwise one that Celery cannot read would return for ever.
    task_queues=[Queue(BELLS, Exchange(BELLS), routing_key=BELLS, no_ack=True)],
    task_default_queue=BELLS,
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=False,
    worker_concurrency=settings.workers + QUICK_SLOTS + settings.paused_slots,
    worker_prefetch_multiplier=1,
    worker_disable_rate_limits=True,
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    worker_consumer="worker.consumer:Consumer",
    # Running searches do not need Redis, so they go on when its connection is lost.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_proc_alive_timeout=60,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    # A broker that hangs counts as unreachable: a read that waits for messages waits one second at a time.
    broker_transport_options={
        "socket_keepalive": True,
        "health_check_interval": 10,
        "socket_timeout": BROKER_TIMEOUT_SECONDS,
        "socket_connect_timeout": BROKER_TIMEOUT_SECONDS,
    },
    # Remote control is off: with it, anyone who can write to the broker could stop the worker.
    worker_enable_remote_control=False,
)

_stop_line: StopLine | None = None
_slots: Slots | None = None
_runner: Runner | None = None
_looker: Looker | None = None


def ring() -> None:
    """The task of a wake-up message: run jobs until the queue is empty."""
    with StopLine.holding():
        _here().drain()


def _configure_logging(loglevel: Any = None, **_: Any) -> None:
    logs.configure()


def _make_slots(sender: Any, **_: Any) -> None:
    global _slots
    draining.sign(settings).unlink(missing_ok=True)
    long = max(1, sender.concurrency - QUICK_SLOTS - settings.paused_slots)
    quick = min(QUICK_SLOTS, sender.concurrency - long)
    paused = sender.concurrency - long - quick
    try:
        check_memory(settings, long, quick, paused)
    except SettingsError as error:
        raise SystemExit(f"worker: {error}") from None  # Celery would log an Exception of a signal handler and go on
    spare = spare_mib(settings, long, quick, paused)
    _slots = Slots(Rules(long, quick, paused, spare, settings.pace.slice_seconds, settings.lease_seconds))


def _freeze(**_: Any) -> None:
    """What has been imported is never looked at by the garbage collector again, and stays shared with the pool's
    processes: a collection of it takes them 40 ms and more, in the midst of a search or of a cancel."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # so that the end finds everything, as usual


def _open_line(**_: Any) -> None:
    global _stop_line
    _stop_line = StopLine()


def _shut_down(**_: Any) -> None:
    if _stop_line is not None:
        _stop_line.request()


def _start_process(**_: Any) -> None:
    global _looker
    runner = _here()
    if _stop_line is not None:
        _stop_line.watch(runner.stop)
    _looker = Looker(runner, settings.pace.look_seconds)
    alive.report_while(_looker.goes_on)


def _end_process(**_: Any) -> None:
    if _looker is not None:
        _looker.close()
    if _runner is not None:
        # A job of `Looker` is handed back in its own thread; this one only waits for that.
        _runner.stop(StopReason.SHUTDOWN)
        _runner.close()


def _here() -> Runner:
    """This process's runner, made on first use, because it cannot survive a fork."""
    global _runner
    if _runner is None:
        _runner = Runner(settings, slots=_slots)
    return _runner


def _begin_forked() -> None:
    """Drop a runner that was made before the fork, because it would share its connections with the parent; and report,
    so that a process that stops before Celery has prepared it is known."""
    global _runner, _looker
    _runner = _looker = None
    alive.report()


os.register_at_fork(after_in_child=_begin_forked)
app.task(name=RING_TASK)(ring)
signals.setup_logging.connect(_configure_logging)
signals.worker_init.connect(_make_slots)
signals.worker_init.connect(_open_line)
signals.worker_init.connect(_freeze)
signals.worker_shutting_down.connect(_shut_down)
signals.worker_process_init.connect(_start_process)
signals.worker_process_shutdown.connect(_end_process)
