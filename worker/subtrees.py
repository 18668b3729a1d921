"""The subtrees of one solve as jobs of the queue, for the worker that shares it with others.

Whatever is lost here is found again: a message to workers by their look at the database, a cancel by the sweeper, which
ends the parts of a solve that has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hstar.search.subtrees import Seen, Subtree, SubtreeTask
from store.database import Sessions
from store.doorbell import Doorbell
from store.jobs import children, machine
from store.jobs.machine import Claim
from store.jobs.states import State

__all__ = ["KIND", "Subtrees"]

KIND = "subtree"


class Subtrees:
    """A `hstar.search.subtrees.Queue` of the solve that a claim is for."""

    def __init__(self, sessions: Sessions, bell: Doorbell, claim: Claim) -> None:
        self._sessions, self._bell, self._claim = sessions, bell, claim

    def submit(self, tasks: Sequence[SubtreeTask]) -> list[str]:
        solve = self._claim.request
        requests = [f'{{"solve":{solve},"task":{task.model_dump_json()}}}' for task in tasks]
        ids = self._sessions.transact(lambda session: children.queue(session, self._claim.id, KIND, requests))
        self._bell.ring(len(ids))
        return ids

    def look(self, ids: Sequence[str]) -> Mapping[str, Seen]:
        with self._sessions.read() as session:
            found = {child.id: child for child in children.look(session, ids)}
        return {job: _seen(found.get(job)) for job in ids}

    def take(self, job: str) -> bool:
        return self._sessions.transact(lambda session: children.take(session, job))

    def cancel(self, ids: Sequence[str]) -> None:
        for job in ids:
            state = self._sessions.run(partial(machine.request_cancel, job_id=job))
            if state is State.RUNNING:
                self._bell.cancel(job)


def _seen(child: children.Child | None) -> Seen:
    if child is None:
        return Seen("ended")
    if child.state in (State.QUEUED, State.RUNNING):
        return Seen("queued" if child.state is State.QUEUED else "running")
    answered = child.state is State.DONE and child.answer is not None
    return Seen("ended", Subtree.model_validate_json(child.answer or "") if answered else None)
