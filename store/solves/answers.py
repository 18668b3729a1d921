"""Writing the answer of a solve: `hstar.schema.Answer`, which has its columns.

kept = finish(session, claim, answer)           # the job's end and its answer in one transaction, or nothing
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from sqlalchemy import CTE, JSON, ColumnElement, Table, Update, bindparam, update

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


_CHOSEN_COLUMNS = ("method", "heuristic")
_ANSWER = update(_solves).values(_new("outcome", *schema.ANSWER_COLUMNS))
_ID: ColumnElement[str] = bindparam("written_id")
_WRITE = _ANSWER.where(_solves.c.id == _ID)
# The columns of what auto chose.
_CHOSEN = update(_solves).where(_solves.c.id == _ID).values(_new(*_CHOSEN_COLUMNS))


@lru_cache
def _describe(columns: tuple[str, ...], solve: ColumnElement[str]) -> Update:
    """The UPDATE of these columns of a solve's document."""
    values = {name: bindparam(f"new_document_{name}", type_=JSON) for name in columns}
    return update(_documents).where(_documents.c.solve_id == solve).values(values)


@lru_cache
def _writes(state: State, chosen: bool, described: tuple[str, ...]) -> tuple[CTE, ...]:
    """The same UPDATEs for the statement that also ends the job (PostgreSQL)."""
    ended = statements.ENDED[state].c.id
    answer = _ANSWER.values(_new(*_CHOSEN_COLUMNS)) if chosen else _ANSWER
    written = answer.where(_solves.c.id == ended).cte("written")
    if not described:
        return (written,)
    return written, _describe(described, ended).cte("described")


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
    outcome = answer.outcome or answer.status
    if (answer.status, answer.outcome is None) not in (("done", False), ("cancelled", True)):
        raise ValueError(f"a solve cannot finish as {outcome}")
    state, chosen = state_of(answer), heuristic and answer.algorithm == "auto"
    values = {f"new_{name}": value for name, value in answer.columns().items()}
    values["new_outcome"] = Status(outcome)
    document = {"heuristic": answer.heuristic if heuristic else None, "certificate": answer.certificate}
    known = {name: value.model_dump(mode="json") for name, value in document.items() if value is not None}
    values |= {f"new_document_{name}": value for name, value in known.items()}
    described = tuple(known)
    if chosen:
        values |= {"new_method": answer.method, "new_heuristic": answer.heuristic.expression}
    if session.get_bind().dialect.name == "postgresql":
        return machine.finish_with(session, claim, state, _writes(state, chosen, described), values, following)
    if not machine.finish(session, claim, state):
        return False
    connection = session.connection()
    for statement in (_WRITE, *([_CHOSEN] if chosen else []), *([_describe(described, _ID)] if described else [])):
        connection.execute(statement, {"written_id": claim.id, **values})
    return True
