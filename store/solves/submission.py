"""Submitting jobs: from a checked request to the rows of a queued job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Table, insert
from sqlalchemy.orm import Session

from hstar import schema
from hstar.schema import LimitsIn, SolveRequest
from store.ids import created_at, new_id
from store.jobs.states import Status
from store.models import LOCAL_OWNER, Solve, SolveDocument, SolveTag

_SOLVES, _DOCUMENTS, _TAGS = (insert(cast(Table, model.__table__)) for model in (Solve, SolveDocument, SolveTag))


@dataclass(frozen=True, slots=True)
class NewSolve:
    """A job to submit: the request as it was checked, and what ``hstar.search.prepare`` made of it."""

    request: SolveRequest
    question: schema.Solve
    owner: str = LOCAL_OWNER
    scramble_id: str | None = None
    id: str = field(default_factory=new_id)


def submit(session: Session, new: NewSolve) -> None:
    """Insert one queued job."""
    submit_many(session, [new])


def submit_many(session: Session, news: Sequence[NewSolve]) -> None:
    """Insert any number of queued jobs with a few statements."""
    if not news:
        return
    # Through the tables: the unit of work would take longer than the database.
    connection = session.connection()
    connection.execute(_SOLVES, [solve_values(new) for new in news])
    connection.execute(_DOCUMENTS, [{"solve_id": new.id, **document_values(new)} for new in news])
    tags = _tag_values(news)
    if tags:
        connection.execute(_TAGS, tags)


def solve_values(new: NewSolve) -> dict[str, Any]:
    """The columns of a job that is to be queued."""
    question, limits = new.question, new.question.limits
    scramble = question.start.scramble
    return {
        "id": new.id,
        "created_at": created_at(new.id),
        "status": Status.QUEUED,
        "owner": new.owner,
        "priority": question.priority,
        "attempt": 0,
        "losses": 0,
        "cancel_requested": False,
        "puzzle": question.puzzle,
        "goal": None if question.goal is None else ",".join(map(str, question.goal)),
        "moves": question.moves,
        "algorithm": question.algorithm,
        "method": question.method,
        "weight": question.weight,
        "heuristic": question.heuristic.expression,
        "heuristic_name": question.heuristic.name,
        "tie_breaking": question.tie_breaking,
        "limit_expanded": limits.expanded,
        "limit_generated": limits.generated,
        "limit_seconds": limits.seconds,
        "limit_memory_mib": limits.memory_mib,
        "scramble_id": new.scramble_id,
        "scramble_moves": scramble.moves if scramble else None,
        "k": scramble.k if scramble else None,
        "seed": scramble.seed if scramble else None,
    }


def document_values(new: NewSolve) -> dict[str, Any]:
    """The columns of its document, but for its id."""
    # The limits in force are part of what was promised: a worker with other caps must not change them.
    promised = LimitsIn(**new.question.limits.model_dump())
    return {
        "request": new.request.model_copy(update={"limits": promised}).model_dump_json(exclude_defaults=True),
        "start": new.question.start.model_dump(mode="json", exclude_none=True),
        "heuristic": new.question.heuristic.model_dump(mode="json"),
        "tags": dict(new.question.tags),
    }


def _tag_values(news: Iterable[NewSolve]) -> list[dict[str, str]]:
    return [
        {"solve_id": new.id, "key": key, "value": value} for new in news for key, value in new.question.tags.items()
    ]
