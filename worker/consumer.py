"""Celery's consumer, made to survive whatever comes from the broker, or does not.

Celery ends the whole worker, searches included, on errors that it does not expect: an error answer of Redis, a message
that is none, some of the moments at which a connection may break. Here each of them costs the connection, which is made
anew after a pause, and a message that is not a bell is dropped. Nothing is lost with either, because a bell says no
more than "look": idle processes look by themselves (worker/looking.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog
from celery import bootsteps
from celery.worker import consumer
from celery.worker.state import active_requests, maybe_shutdown, reserved_requests

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 0.5


class Consumer(consumer.Consumer):  # type: ignore[misc]
    """Takes bells from the broker for as long as the worker lives."""

    dropped = 0

    def start(self) -> None:
        """Consume until the worker is told to end, which Celery says by a SystemExit."""
        while True:
            try:
                super().start()
                return
            except Exception as error:
                if self.blueprint.state in (bootsteps.CLOSE, bootsteps.TERMINATE):
                    raise
                log.warning("the connection to the broker is made anew", error=repr(error)[:500])
                self._let_go(error)

    def loop_args(self) -> tuple[Any, ...]:
        """What Celery starts its loop with, for each connection."""
        # What needs no acknowledgement is not counted by Celery's own limit: every bell would be taken, and become a
        # task that finds nothing to do. Bells that stay in the queue keep others from being rung (`Doorbell.ring`).
        self.task_consumer.channel.qos.can_consume = self.wants_bells
        arguments: tuple[Any, ...] = super().loop_args()
        return arguments

    def wants_bells(self) -> bool:
        """Whether fewer bells wait here for a process than there are processes."""
        waiting = len(reserved_requests) - len(active_requests)
        wanted: bool = waiting < self.pool.num_processes
        return wanted

    def create_task_handler(self, *arguments: Any, **named: Any) -> Callable[[Any], None]:
        """What is called with every message of the queue."""
        handle = super().create_task_handler(*arguments, **named)

        def take(message: Any) -> None:
            try:
                handle(message)
            except (*self.connection_errors, *self.channel_errors):
                raise
            except Exception as error:
                self._drop(message, repr(error))

        return take

    def on_unknown_message(self, _body: Any, message: Any) -> None:
        """A message that is no task."""
        self._drop(message, "it is no task")

    def on_unknown_task(self, _body: Any, message: Any, _error: Exception) -> None:
        """A task that is not ours."""
        self._drop(message, "its task is unknown")

    def on_invalid_task(self, _body: Any, message: Any, error: Exception) -> None:
        """A task of ours with something wrong in it."""
        self._drop(message, repr(error))

    def on_decode_error(self, message: Any, error: Exception) -> None:
        """A body that is not what it says it is."""
        self._drop(message, repr(error))

    def _drop(self, message: Any, reason: str) -> None:
        self.dropped += 1
        log.warning("a message that is no bell was dropped", reason=reason[:200], dropped=self.dropped)
        with suppress(Exception):
            message.ack()

    def _let_go(self, error: Exception) -> None:
        """What Celery does after an error that it expects, whatever of it fails."""
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
