"""Writing the answer of a solve: `hstar.schema.Answer`, which has its columns.

kept = finish(session, claim, answer)           # the job's end and its answer in one transaction, or nothing
"""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import JSON, Connection, Table, bindparam, update

from hstar import schema
from store.database import Transaction
from store.jobs import machine, statements
from store.jobs.machine import Claim
from store.jobs.states import State
from store.solves.models import Solve, SolveDocument
from store.solves.status import Status

_solves = cast(Table, Solve.__table__)
_documents = cast(Table, SolveDocument.__table__)


def _new(*names: str) -> dict[str, Any]:
    return {name: bindparam(f"new_{name}") for name in names}


_ANSWER = update(_solves).values(_new("outcome", *schema.ANSWER_COLUMNS))
_WRITE = _ANSWER.where(_solves.c.id == bindparam("written_id"))
# Together with the end of the job (PostgreSQL).
_END_AND_WRITE = _ANSWER.where(_solves.c.id == statements.ENDED.c.id).returning(_solves.c.id)
# The columns of what auto chose.
_CHOSEN = (
    update(_solves).where(_solves.c.id == bindparam("written_id")).values(_new("method", "heuristic", "heuristic_name"))
)
_DESCRIBE = (
    update(_documents)
    .where(_documents.c.solve_id == bindparam("written_id"))
    .values(heuristic=bindparam("new_description", type_=JSON))
)


def state_of(answer: schema.Solve) -> State:
    """The final state of the job of a solve with this answer."""
    return State.CANCELLED if answer.status == "cancelled" else State.DONE


def finish(session: Transaction, claim: Claim, answer: schema.Solve, *, heuristic: bool = True) -> bool:
    """End the job and write its answer, once. False: the attempt no longer holds the job, and nothing changed.

    heuristic: also write the verdict on the heuristic, and which one ``auto`` chose.
    """
    if not Status(answer.status).final or answer.status == "failed":
        raise ValueError(f"a solve cannot finish as {answer.status}")
    state, connection = state_of(answer), session.connection()
    values = {f"new_{name}": value for name, value in answer.columns().items()}
    values["new_outcome"] = Status(answer.status)
    if connection.dialect.name == "postgresql" and state is State.DONE:
        kept = machine.finish_with(session, claim, _END_AND_WRITE, values)
    else:
        kept = machine.finish(session, claim, state)
        if kept:
            connection.execute(_WRITE, {"written_id": claim.id, **values})
    if kept and heuristic:
        _write_heuristic(connection, claim.id, answer)
    return kept


def _write_heuristic(connection: Connection, solve_id: str, answer: schema.Solve) -> None:
    used = answer.heuristic
    description = used.model_dump(mode="json")
    connection.execute(_DESCRIBE, {"written_id": solve_id, "new_description": description})
    if answer.algorithm == "auto":
        parameters = {"new_method": answer.method, "new_heuristic": used.expression, "new_heuristic_name": used.name}
        connection.execute(_CHOSEN, {"written_id": solve_id, **parameters})
