"""Notifications through Redis: wake workers (the "doorbell"), announce the end of a job, announce a cancellation.

Every message is only a hint and may be lost: the database row decides, and the sweeper, the heartbeat and polling make
up for lost messages. So nothing here raises if Redis is unreachable, and nothing waits long for it.

    bell = Doorbell(settings.broker_url)
    bell.ring()                                  # after the commit of a submission
    with bell.listen(solve_id) as finished:      # subscribe first, then read the row, then wait
        ...
        finished.wait(0.25)

A wake-up message is a Celery message (task message protocol 2), put into the queue with kombu, so that processes that
only send do not import Celery.
"""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import redis
from kombu.connection import Connection
from kombu.exceptions import OperationalError
from kombu.pools import ProducerPool
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

RING_TASK = "hstar.ring"
QUEUE = "hstar"
#: for workers that take only small jobs
SMALL_QUEUE = "hstar.small"
FINISHED_CHANNEL = "hstar:finished:"
CANCEL_CHANNEL = "hstar:cancel"

# Redis answers in well under a millisecond; a submission must not hang if it does not.
TIMEOUT_SECONDS = 0.5
# Threads that send at the same time.
PRODUCERS = 8
# After a failure Redis is not tried for this long, so that its absence does not slow down every submission.
PAUSE_SECONDS = 1.0
# No more messages than this are queued: one that is still in the queue is received after all earlier commits.
MOST_BELLS = 64
# What redis-py raises, by the moment, where another thread closes a connection that is read.
CLOSED_MEANWHILE = (ValueError, AttributeError)
# Connections that are kept for later listeners.
MOST_IDLE = 16
# Without Redis a listener waits this long, and its caller then reads the row.
FALLBACK_SECONDS = 0.25


def redis_url(broker_url: str) -> str:
    """The broker's URL for redis-py: Celery writes sockets as ``redis+socket:///path``, redis-py as ``unix:///path``."""
    return broker_url.replace("redis+socket://", "unix://", 1).replace("?virtual_host=", "?db=", 1)


class Doorbell:
    """Sends and receives notifications. Safe to share between threads and across forks (connects on first use)."""

    def __init__(self, broker_url: str) -> None:
        options = {"socket_connect_timeout": TIMEOUT_SECONDS, "socket_timeout": TIMEOUT_SECONDS}
        connection = Connection(broker_url, connect_timeout=TIMEOUT_SECONDS, transport_options=options)
        self._producers = ProducerPool(connection.Pool(limit=PRODUCERS), limit=PRODUCERS)
        self._redis = redis.Redis.from_url(
            redis_url(broker_url),
            socket_connect_timeout=TIMEOUT_SECONDS,
            socket_timeout=TIMEOUT_SECONDS,
            decode_responses=True,
            # One retry, because after a restart of Redis the pooled connection is dead.
            retry=Retry(NoBackoff(), 1),
        )
        self._away_until = 0.0
        # Connections without a subscription, for the next listener: making one takes longer than most jobs.
        self._idle: deque[Any] = deque(maxlen=MOST_IDLE)
        self._owner = os.getpid()
        self._closed = False

    def ring(self, bells: int = 1, *, small: bool = False) -> bool:
        """Wake up to ``bells`` workers; False if Redis is unreachable (the sweeper then wakes them later).

        :param small: also those that take only small jobs
        """

        def publish() -> None:
            for queue in (QUEUE, SMALL_QUEUE) if small else (QUEUE,):
                missing = min(bells, MOST_BELLS - int(self._redis.llen(queue)))
                if missing <= 0:
                    continue
                with self._producers.acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
                    for _ in range(missing):
                        self._publish(producer, queue)

        return self._attempt("wake workers", publish)

    def finished(self, *solve_ids: str) -> bool:
        """Announce that these jobs have ended; call it after the commit."""

        def publish() -> None:
            with self._redis.pipeline(transaction=False) as pipeline:
                for solve_id in solve_ids:
                    pipeline.publish(FINISHED_CHANNEL + solve_id, "1")
                pipeline.execute()

        return self._attempt("announce the end of jobs", publish)

    def cancel(self, solve_id: str) -> bool:
        """Have the workers read this job's cancel flag at once; call it after the commit."""
        return self._attempt("announce a cancellation", lambda: self._redis.publish(CANCEL_CHANNEL, solve_id))

    def listen(self, solve_id: str) -> Listener:
        """A listener for the end of one job, for use in a ``with``."""
        return Listener(self, FINISHED_CHANNEL + solve_id)

    def listen_for_cancels(self) -> Listener:
        """A listener for the ids of jobs whose cancel flag was set."""
        return Listener(self, CANCEL_CHANNEL)

    def answers(self) -> bool:
        """Whether Redis answers now."""
        try:
            return bool(self._redis.ping())
        except (redis.RedisError, OSError):
            return False

    def close(self) -> None:
        """Close all connections; listeners of other threads then receive nothing."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        self._producers.force_close_all()
        self._producers.connections.force_close_all()
        self._redis.close()

    @staticmethod
    def _publish(producer: Any, queue: str) -> None:
        identifier = str(uuid.uuid4())
        producer.publish(
            ([], {}, {}),
            exchange="",
            routing_key=queue,
            serializer="json",
            headers={
                "lang": "py",
                "task": RING_TASK,
                "id": identifier,
                "root_id": identifier,
                "parent_id": None,
                "group": None,
                "ignore_result": True,
                "origin": f"{os.getpid()}@{socket.gethostname()}",
            },
            correlation_id=identifier,
            retry=True,  # one retry, as above
            retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0},
        )

    def _take_subscription(self) -> Any:
        if self._owner != os.getpid():  # after a fork the connections belong to the parent
            self._idle.clear()
            self._owner = os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            return self._redis.pubsub()

    def _attempt(self, what: str, action: Callable[[], Any]) -> bool:
        if time.monotonic() < self._away_until:
            return False
        try:
            action()
        except (redis.RedisError, OperationalError, OSError) as error:
            self._away_until = time.monotonic() + PAUSE_SECONDS
            logger.warning("cannot reach Redis to %s; going on without it: %s", what, error)
            return False
        return True


class Listener:
    """A subscription to one channel. Without Redis it receives nothing, and waits at most FALLBACK_SECONDS."""

    def __init__(self, bell: Doorbell, channel: str) -> None:
        self._bell = bell
        self._channel = channel
        self._pubsub: Any = None

    def __enter__(self) -> Self:
        self._bell._attempt("listen", self._subscribe)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    @property
    def connected(self) -> bool:
        """Whether messages can be received."""
        return self._pubsub is not None

    def wait(self, seconds: float) -> str | None:
        """The next message, or None after ``seconds`` (without Redis: after at most FALLBACK_SECONDS)."""
        if self._pubsub is None:
            time.sleep(min(seconds, FALLBACK_SECONDS))
            return None
        try:
            message = self._pubsub.get_message(ignore_subscribe_messages=True, timeout=seconds)
        except (redis.RedisError, OSError, *CLOSED_MEANWHILE) as error:
            if not self._bell._closed:
                logger.warning("the listener lost Redis: %s", error)
            self._close()
            return None
        return str(message["data"]) if message is not None else None

    def _subscribe(self) -> None:
        self._pubsub = self._bell._take_subscription()
        try:
            self._pubsub.subscribe(self._channel)
            # The subscription is in force once Redis has confirmed it. Before that, messages of the connection's
            # previous listener may arrive.
            confirmed = None
            while confirmed is None or confirmed["type"] != "subscribe":
                confirmed = self._pubsub.get_message(timeout=TIMEOUT_SECONDS)
                if confirmed is None:
                    raise redis.TimeoutError("the subscription was not confirmed")
        except (redis.RedisError, OSError):
            self._close()
            raise
        except CLOSED_MEANWHILE as error:
            self._close()
            raise redis.ConnectionError("the connection was closed") from error

    def _release(self) -> None:
        """Leave the channel and keep the connection for the next listener."""
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is None:
            return
        try:
            pubsub.unsubscribe(self._channel)
        except (redis.RedisError, OSError, *CLOSED_MEANWHILE):
            pubsub.close()
            return
        if len(self._bell._idle) < MOST_IDLE and not self._bell._closed:
            self._bell._idle.append(pubsub)
        else:
            pubsub.close()

    def _close(self) -> None:
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is None:
            return
        try:
            pubsub.close()
        except (redis.RedisError, OSError):
            logger.debug("the subscription ended before it was closed")
