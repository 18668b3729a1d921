"""Waiting for a job to end, as ``Prefer: wait=N`` asks."""

from __future__ import annotations

import time
from collections.abc import Callable

from store.database import Sessions
from store.doorbell import Doorbell
from store.jobs.states import Status
from store.solves import queries

# A message may be lost while the subscription lives; the row is looked at again at least this often.
LOOK_AGAIN_SECONDS = 2.0


def wait_until_final(
    sessions: Sessions,
    bell: Doorbell,
    solve_id: str,
    seconds: float,
    give_up: Callable[[], bool] = lambda: False,
) -> Status | None:
    """The job's status once it is final, or as it stands after ``seconds``; None if there is no such job.

    ``give_up`` is asked every LOOK_AGAIN_SECONDS and ends the wait early. No database connection is held meanwhile.
    """
    deadline = time.monotonic() + seconds
    with bell.listen(solve_id) as finished:
        while True:
            with sessions.read() as session:
                status = queries.get_status(session, solve_id)
            left = deadline - time.monotonic()
            if status is None or status.final or left <= 0 or give_up():
                return status
            finished.wait(min(left, LOOK_AGAIN_SECONDS))
