"""Submitting solves: from a checked request to the rows of a queued job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Table, insert
from sqlalchemy.orm import Session

from hstar import schema
from hstar.schema import LimitsIn, SolveRequest
from store.database.options import OPTION_COLUMNS
from store.ids import new_id
from store.jobs import machine
from store.jobs.machine import NewJob
from store.owners.principal import LOCAL_OWNER
from store.settings import SMALL_SECONDS
from store.solves.models import Solve, SolveDocument, SolveTag

#: the kind of job that a solve is
KIND = "solve"

_solves, _documents, _tags = (cast(Table, model.__table__) for model in (Solve, SolveDocument, SolveTag))
_SOLVES, _DOCUMENTS, _TAGS = insert(_solves), insert(_documents), insert(_tags)


@dataclass(frozen=True, slots=True)
class NewSolve:
    """A solve to submit: the checked request, and the problem that ``hstar.search.prepare`` made from it."""

    request: SolveRequest
    question: schema.Solve
    owner: str = LOCAL_OWNER
    scramble_id: str | None = None
    id: str = field(default_factory=new_id)
    #: whether it may be tried as a quick job
    quick: bool = True

    @property
    def small(self) -> bool:
        """Whether its limit promises that it ends soon."""
        seconds = self.question.limits.seconds
        return seconds is not None and seconds <= SMALL_SECONDS

    def job(self) -> NewJob:
        """The job of the solve."""
        # With the limits in force now: a worker with other caps must not change them.
        promised = LimitsIn(**self.question.limits.model_dump())
        request = self.request.model_copy(update={"limits": promised}).model_dump_json(exclude_defaults=True)
        # Stopping a quick job would lose a certificate that is being written.
        quick = self.quick and not self.request.certificate
        return NewJob(KIND, request, self.owner, self.question.priority, self.id, quick=quick, small=self.small)


def submit(session: Session, new: NewSolve) -> None:
    """Insert one queued solve."""
    rows = [(_solves, solve_values(new)), (_documents, {"solve_id": new.id, **document_values(new)})]
    machine.submit_with(session, new.job(), rows)
    tags = _tag_values([new])
    if tags:
        session.connection().execute(_TAGS, tags)


def submit_many(session: Session, news: Sequence[NewSolve]) -> None:
    """Insert any number of queued solves with a few statements."""
    if not news:
        return
    machine.submit(session, [new.job() for new in news])
    connection = session.connection()
    connection.execute(_SOLVES, [solve_values(new) for new in news])
    connection.execute(_DOCUMENTS, [{"solve_id": new.id, **document_values(new)} for new in news])
    tags = _tag_values(news)
    if tags:
        connection.execute(_TAGS, tags)


def solve_values(new: NewSolve) -> dict[str, Any]:
    """The columns of the request."""
    question, limits = new.question, new.question.limits
    scramble = question.start.scramble
    return {
        "id": new.id,
        "owner": new.owner,
        "puzzle": question.puzzle,
        "goal": None if question.goal is None else ",".join(map(str, question.goal)),
        "moves": question.moves,
        "algorithm": question.algorithm,
        "method": question.method,
        **{name: getattr(question, name) for name in OPTION_COLUMNS},
        "heuristic": question.heuristic.expression,
        **{f"limit_{name}": value for name, value in limits},
        "scramble_id": new.scramble_id,
        "scramble_moves": scramble.moves if scramble else None,
        "k": scramble.k if scramble else None,
        "seed": scramble.seed if scramble else None,
    }


def document_values(new: NewSolve) -> dict[str, Any]:
    """The columns of its document, except the id."""
    return {
        "start": new.question.start.model_dump(mode="json", exclude_none=True),
        "heuristic": new.question.heuristic.model_dump(mode="json"),
        "tags": dict(new.question.tags),
        "certificate": None if new.question.certificate is None else new.question.certificate.model_dump(mode="json"),
    }


def _tag_values(news: Iterable[NewSolve]) -> list[dict[str, str]]:
    return [
        {"solve_id": new.id, "key": key, "value": value} for new in news for key, value in new.question.tags.items()
    ]
