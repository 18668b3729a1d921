"""Waiting for a job to end, for ``Prefer: wait=N``."""

from __future__ import annotations

import time
from collections.abc import Callable

from store.database import Sessions
from store.doorbell import Doorbell
from store.jobs import queries
from store.jobs.states import State

# A message may be lost during a subscription, so the row is read again at least this often.
LOOK_AGAIN_SECONDS = 2.0


def wait_until_final(
    sessions: Sessions,
    bell: Doorbell,
    job_id: str,
    seconds: float,
    give_up: Callable[[], bool] = lambda: False,
) -> State | None:
    """The job's state as soon as it is final, or after ``seconds``; None if there is no such job.

    ``give_up`` is called every LOOK_AGAIN_SECONDS and can end the wait early. No database connection is held meanwhile.
    """
    deadline = time.monotonic() + seconds
    with bell.listen(job_id) as finished:
        while True:
            with sessions.read() as session:
                state = queries.get_state(session, job_id)
            left = deadline - time.monotonic()
            if state is None or state.final or left <= 0 or give_up():
                return state
            finished.wait(min(left, LOOK_AGAIN_SECONDS))
