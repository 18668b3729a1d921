"""Reading solves: one by its id, lists by filter with a cursor, numbers by status."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, func, literal_column, or_, select
from sqlalchemy.orm import Session, joinedload

from store.experiments.models import ExperimentMember
from store.ids import parse_id
from store.jobs.models import Job
from store.jobs.queries import ANY_TIME, Span
from store.jobs.states import State
from store.owners.principal import Principal, visible_to
from store.solves.models import Solve, SolveTag
from store.solves.status import PENDING, Status

_WHOLE = (joinedload(Solve.job, innerjoin=True), joinedload(Solve.document, innerjoin=True))


@dataclass(frozen=True, slots=True)
class SolveFilter:
    """The filters of a list of solves; None and () mean any.

    Heuristics are canonical texts.
    """

    states: Collection[State] = ()
    outcomes: Collection[Status] = ()
    puzzle: str | None = None
    moves: str | None = None
    algorithm: str | None = None
    heuristics: tuple[str, ...] = ()
    experiment: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    span: Span = ANY_TIME


@dataclass(frozen=True, slots=True)
class Page:
    """Solves, newest first, and the cursor of the next page (None on the last page)."""

    solves: list[Solve]
    next_cursor: str | None


def get_solve(session: Session, solve_id: str, principal: Principal) -> Solve | None:
    """The solve with this id, if it exists and ``principal`` may see it."""
    identifier = parse_id(solve_id)
    if identifier is None:
        return None
    wanted = select(Solve).where(Solve.id == identifier, visible_to(principal, Solve.owner))
    return session.scalars(wanted.options(*_WHOLE)).one_or_none()


def get_solves(session: Session, ids: Collection[str]) -> dict[str, Solve]:
    """The solves with these ids, which the caller may see."""
    wanted = select(Solve).where(Solve.id.in_(ids)).options(*_WHOLE)
    return {solve.id: solve for solve in session.scalars(wanted)}


def list_solves(
    session: Session, principal: Principal, wanted: SolveFilter, *, cursor: str | None = None, size: int = 50
) -> Page:
    """A page of at most ``size`` solves that ``principal`` may see, newest first.

    ``cursor`` is the ``next_cursor`` of the page before.

    Pages are stable: new solves appear only before the first page. A cursor that is not an id raises ValueError.
    """
    where = [visible_to(principal, Solve.owner), *_conditions(wanted)]
    if cursor is not None:
        last = parse_id(cursor)
        if last is None:
            raise ValueError(f"{cursor!r} is not a cursor")
        where.append(Solve.id < last)
    rows = session.scalars(select(Solve).where(*where).order_by(Solve.id.desc()).limit(size + 1).options(*_WHOLE)).all()
    more = len(rows) > size
    return Page(list(rows[:size]), rows[size - 1].id if more else None)


def count_by_status(session: Session) -> dict[Status, int]:
    """The number of solves with each status, including zeros."""
    ended = select(Solve.outcome, func.count()).where(Solve.outcome.is_not(None)).group_by(Solve.outcome)
    found: dict[Any, int] = {row[0]: row[1] for row in session.execute(ended)}
    for status in PENDING:
        pending = select(func.count()).select_from(Solve).join(Solve.job).where(_is_pending(status))
        found[status] = session.scalar(pending) or 0
    return {status: found.get(status, 0) for status in Status}


def _is_pending(status: Status) -> ColumnElement[bool]:
    # A literal in the text, because otherwise the partial indices cannot be used.
    return Job.state == literal_column(f"'{status}'")


def _conditions(wanted: SolveFilter) -> list[ColumnElement[bool]]:
    where: list[ColumnElement[bool]] = []
    if wanted.states:
        # An ended solve has its outcome in a column of its own.
        pending = [_is_pending(Status(state)) for state in sorted(set(wanted.states)) if not state.final]
        ended = [one for one in Status if one.final and one.state in wanted.states]
        ways = [Solve.id.in_(select(Job.id).where(one)) for one in pending]
        where.append(or_(*ways, *([Solve.outcome.in_(ended)] if ended else [])))
    if wanted.outcomes:
        where.append(Solve.outcome.in_(wanted.outcomes))
    for name in ("puzzle", "moves", "algorithm"):
        value = getattr(wanted, name)
        if value is not None:
            where.append(getattr(Solve, name) == value)
    if wanted.heuristics:
        where.append(Solve.heuristic.in_(wanted.heuristics))
    where += wanted.span.conditions(Solve.id)
    if wanted.experiment is not None:
        members = select(ExperimentMember.solve_id).where(ExperimentMember.experiment_id == wanted.experiment)
        where.append(Solve.id.in_(members))
    for key, value in wanted.tags.items():
        tagged = select(SolveTag.solve_id).where(SolveTag.key == key, SolveTag.value == value)
        where.append(Solve.id.in_(tagged))
    return where
