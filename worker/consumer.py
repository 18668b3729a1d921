"""Celery's consumer, changed to survive all faults of the broker.

Celery ends the whole worker, including its searches, on unexpected errors: an error answer of Redis, a malformed
message, a connection that breaks at certain moments. Here each of these only closes the connection, which is opened
again after a pause; and messages other than wake-up messages are dropped. Nothing is lost by that, because a wake-up
message only says "look for jobs", which idle processes also do by themselves (worker/looking.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import structlog
from celery import bootsteps
from celery.worker import consumer, state
from celery.worker.state import active_requests, reserved_requests

from store import alive

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 0.5
MOST_PAUSE_SECONDS = 2.0

_end_if_told = state.maybe_shutdown


def maybe_shutdown() -> None:
    """Raise a SystemExit if the worker was told to end. Celery calls this in each turn of each of its loops, so it is
    also where the main process reports that it goes on."""
    alive.report()
    _end_if_told()


state.maybe_shutdown = consumer.consumer.maybe_shutdown = maybe_shutdown


class Consumer(consumer.Consumer):  # type: ignore[misc]
    """Takes wake-up messages from the broker as long as the worker runs."""

    dropped = 0

    def start(self) -> None:
        """Consume until the worker is told to end, which Celery does by a SystemExit."""
        while True:
            try:
                super().start()
                return
            except Exception as error:
                if self.blueprint.state in (bootsteps.CLOSE, bootsteps.TERMINATE):
                    raise
                log.warning("reconnecting to the broker", error=repr(error)[:500])
                self._let_go(error)

    def ensure_connected(self, conn: Any) -> Any:
        """Celery's own, which tries again soon however long the broker was away: by itself it pauses up to 30 s, and
        hears no bell as long after two minutes of dropped packets."""
        conn.ensure_connection = partial(
            conn.ensure_connection,
            interval_start=PAUSE_SECONDS,
            interval_step=PAUSE_SECONDS,
            interval_max=MOST_PAUSE_SECONDS,
        )
        return super().ensure_connected(conn)

    def loop_args(self) -> tuple[Any, ...]:
        """The arguments of Celery's loop, for each connection."""
        # Celery's own limit does not count messages without acknowledgement: every message would be taken at once, and
        # become a task with nothing to do. Messages that stay in the queue prevent more from being sent
        # (`Doorbell.ring`).
        qos = self.task_consumer.channel.qos
        qos.can_consume = self.wants_bells
        # Celery acknowledges even those messages that need no acknowledgement: a round trip to the broker for each, and
        # kombu keeps the name of each for ever.
        qos.ack = lambda _tag: None
        arguments: tuple[Any, ...] = super().loop_args()
        return arguments

    def wants_bells(self) -> bool:
        """Whether fewer messages wait here for a process than there are processes."""
        waiting = len(reserved_requests) - len(active_requests)
        wanted: bool = waiting < self.pool.num_processes
        return wanted

    def register_with_event_loop(self, hub: Any) -> None:
        """Called with Celery's loop, for each connection."""
        super().register_with_event_loop(hub)
        hub.call_repeatedly(alive.REPORT_SECONDS, alive.report)  # otherwise a turn may take ten seconds

    def create_task_handler(self, *arguments: Any, **named: Any) -> Callable[[Any], None]:
        """The function that is called with every message of the queue."""
        handle = super().create_task_handler(*arguments, **named)

        def take(message: Any) -> None:
            try:
                handle(message)
            except (*self.connection_errors, *self.channel_errors):
                raise
            except Exception as error:
                self._drop(repr(error))

        return take

    def on_unknown_message(self, _body: Any, _message: Any) -> None:
        """A message that is not a task."""
        self._drop("it is not a task")

    def on_unknown_task(self, _body: Any, _message: Any, _error: Exception) -> None:
        """A task with an unknown name."""
        self._drop("its task is unknown")

    def on_invalid_task(self, _body: Any, _message: Any, error: Exception) -> None:
        """A task of ours with a fault."""
        self._drop(repr(error))

    def on_decode_error(self, _message: Any, error: Exception) -> None:
        """A body that does not match its declared type."""
        self._drop(repr(error))

    def _drop(self, reason: str) -> None:
        self.dropped += 1
        log.warning("an unexpected message was dropped", reason=reason[:200], dropped=self.dropped)

    def _let_go(self, error: Exception) -> None:
        """Celery's own handling of an expected error; its failures are ignored."""
        for step in (
            lambda: self.on_connection_error_after_connected(error) if self.connection else None,
            self.on_close,
            self._cancel_connection_timer_entries,
            lambda: self.blueprint.restart(self),
        ):
            with suppress(Exception):
                step()
        until = time.monotonic() + PAUSE_SECONDS
        while time.monotonic() < until:
            maybe_shutdown()
            time.sleep(0.05)
