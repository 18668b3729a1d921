"""Writing the answer of a solve: `hstar.schema.Answer`, which has its columns.

kept = finish(session, claim, answer)           # the job's end and its answer in one transaction, or nothing
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from sqlalchemy import CTE, JSON, Table, bindparam, update

from hstar import schema
from store.database import Transaction
from store.jobs import machine, statements
from store.jobs.machine import Claim, FollowingClaim
from store.jobs.states import State
from store.solves.models import Solve, SolveDocument
from store.solves.status import Status

_solves = cast(Table, Solve.__table__)
_documents = cast(Table, SolveDocument.__table__)


def _new(*names: str) -> dict[str, Any]:
    return {name: bindparam(f"new_{name}") for name in names}


_CHOSEN_COLUMNS = ("method", "heuristic", "heuristic_name")
_ANSWER = update(_solves).values(_new("outcome", *schema.ANSWER_COLUMNS))
_WRITE = _ANSWER.where(_solves.c.id == bindparam("written_id"))
# The columns of what auto chose.
_CHOSEN = update(_solves).where(_solves.c.id == bindparam("written_id")).values(_new(*_CHOSEN_COLUMNS))
_DESCRIBED = update(_documents).values(heuristic=bindparam("new_description", type_=JSON))
_DESCRIBE = _DESCRIBED.where(_documents.c.solve_id == bindparam("written_id"))


@lru_cache
def _writes(state: State, heuristic: bool, chosen: bool) -> tuple[CTE, ...]:
    """The same UPDATEs for the statement that also ends the job (PostgreSQL)."""
    ended = statements.ENDED[state].c.id
    answer = _ANSWER.values(_new(*_CHOSEN_COLUMNS)) if chosen else _ANSWER
    written = answer.where(_solves.c.id == ended).cte("written")
    return (written, _DESCRIBED.where(_documents.c.solve_id == ended).cte("described")) if heuristic else (written,)


def state_of(answer: schema.Solve) -> State:
    """The final state of the job of a solve with this answer."""
    return State.CANCELLED if answer.status == "cancelled" else State.DONE


def finish(
    session: Transaction,
    claim: Claim,
    answer: schema.Solve,
    *,
    heuristic: bool = True,
    following: FollowingClaim | None = None,
) -> bool:
    """End the job and write its answer, once. False: the attempt no longer holds the job, and nothing changed.

    heuristic: also write the verdict on the heuristic, and which one ``auto`` chose.
    following: made in the same statement, where the database can
    """
    if not Status(answer.status).final or answer.status == "failed":
        raise ValueError(f"a solve cannot finish as {answer.status}")
    state, chosen = state_of(answer), heuristic and answer.algorithm == "auto"
    values = {f"new_{name}": value for name, value in answer.columns().items()}
    values["new_outcome"] = Status(answer.status)
    if heuristic:
        values["new_description"] = answer.heuristic.model_dump(mode="json")
    if chosen:
        used = answer.heuristic
        values |= {"new_method": answer.method, "new_heuristic": used.expression, "new_heuristic_name": used.name}
    if session.get_bind().dialect.name == "postgresql":
        return machine.finish_with(session, claim, state, _writes(state, heuristic, chosen), values, following)
    if not machine.finish(session, claim, state):
        return False
    connection = session.connection()
    for statement, needed in ((_WRITE, True), (_DESCRIBE, heuristic), (_CHOSEN, chosen)):
        if needed:
            connection.execute(statement, {"written_id": claim.id, **values})
    return True
