"""Experiments whose rows have all ended. They never change again, so everything that needs a look at every row is
computed once and stored: the counts of their rows, and the tables of large experiments.

    note_finished(sessions); keep_tables(sessions, until)      # the sweeper
    finished.table(session, experiment, "k", ["expanded"])     # the stored one, else computed from the rows

    This only makes answers faster: what is not stored yet is computed from the rows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import cast, get_args

from sqlalchemy import Table as SqlTable
from sqlalchemy import delete, exists, insert, literal_column, select, update
from sqlalchemy.orm import Session

from hstar import __version__
from hstar.experiments.schema import MEASURES, Axis, Group, Quality, Table
from store.database import Sessions
from store.experiments import records, tables
from store.experiments.models import LARGE, Experiment, ExperimentMember, ExperimentTable
from store.solves.models import Solve
from store.webhooks import messages

_experiments = cast(SqlTable, Experiment.__table__)
_members = cast(SqlTable, ExperimentMember.__table__)
_tables = cast(SqlTable, ExperimentTable.__table__)
_solves = cast(SqlTable, Solve.__table__)


def note_finished(sessions: Sessions) -> int:
    """Store the counts of experiments whose rows have all ended; returns how many there were."""
    with sessions.read() as session:
        unfinished = session.scalars(select(_experiments.c.id).where(_experiments.c.finished_at.is_(None))).all()
        # Rows end roughly in order: if the last one has not ended, the others need not be checked.
        ids = [identifier for identifier in unfinished if _last_has_ended(session, identifier)]
        standings = records.count_standing(session, ids)
    done = {identifier: one for identifier, one in standings.items() if one.outcomes.pending == 0}

    def write(session: Session) -> None:
        for identifier, one in done.items():
            values = {"outcomes": one.outcomes.model_dump(), "finished_at": one.finished_at}
            unfinished = _experiments.c.id == identifier, _experiments.c.finished_at.is_(None)
            note = update(_experiments).where(*unfinished).values(values).returning(_experiments.c.owner)
            noted = session.execute(note)
            for owner in noted.scalars():
                messages.note_experiment(session, identifier, owner)

    if done:
        sessions.run(write)
    return len(done)


def _last_has_ended(session: Session, experiment_id: str) -> bool:
    last = (
        select(_solves.c.outcome)
        .join(_members, _members.c.solve_id == _solves.c.id)
        .where(_members.c.experiment_id == experiment_id)
        .order_by(_members.c.row_index.desc())
        .limit(1)
    )
    return session.scalar(last) is not None


def keep_tables(sessions: Sessions, until: float) -> int:
    """Compute and store missing tables of large finished experiments until ``time.monotonic()`` reaches ``until``, but
    at least one; returns how many."""
    made = 0
    while (wanted := _wanted(sessions)) is not None:
        _keep(sessions, *wanted)
        made += 1
        if time.monotonic() > until:
            break
    return made


def _wanted(sessions: Sessions) -> tuple[str, Axis] | None:
    """The experiment and the axis of the next table to compute."""
    with sessions.read() as session:
        for x in get_args(Axis):
            kept = exists().where(
                _tables.c.experiment_id == _experiments.c.id, _tables.c.x == x, _tables.c.version == __version__
            )
            # The number is a literal in the statement, so that the partial index can be used.
            large = _experiments.c.row_count >= literal_column(str(LARGE))
            found = session.scalar(
                select(_experiments.c.id)
                .where(large, _experiments.c.finished_at.is_not(None), ~kept)
                .order_by(_experiments.c.id.desc())
                .limit(1)
            )
            if found is not None:
                return found, x
    return None


def _keep(sessions: Sessions, experiment_id: str, x: Axis) -> None:
    with sessions.read() as session:
        experiment = session.get(Experiment, experiment_id)
        if experiment is None:  # deleted in the meantime
            return
        whole = tables.table(session, experiment, x)
    rows = [
        {
            "experiment_id": experiment_id,
            "x": x,
            "measure": measure,
            "version": __version__,
            "body": _of_measure(whole, measure).model_dump_json(),
        }
        for measure in MEASURES
    ]

    def write(session: Session) -> None:
        if session.get(Experiment, experiment_id, with_for_update=True) is None:
            return
        session.execute(delete(_tables).where(_tables.c.experiment_id == experiment_id, _tables.c.x == x))
        session.execute(insert(_tables), rows)

    sessions.run(write)


def table(session: Session, experiment: Experiment, x: Axis = "k", measures: Sequence[str] = tuple(MEASURES)) -> Table:
    """The table of an experiment's searches, stored or computed. Raises KeyError for an unknown measure."""
    if experiment.outcomes is not None and experiment.row_count >= LARGE:
        own = _tables.c.experiment_id == experiment.id, _tables.c.x == x, _tables.c.version == __version__
        found = session.execute(select(_tables.c.measure, _tables.c.body).where(*own, _tables.c.measure.in_(measures)))
        kept = {measure: Table.model_validate_json(body) for measure, body in found}
        if len(kept) == len(set(measures)):
            return _joined([kept[measure] for measure in measures])
    return tables.table(session, experiment, x, measures)


_qualities: dict[str, list[Quality]] = {}


def quality(session: Session, experiment: Experiment) -> list[Quality]:
    """How good the answers of each search setting are. Remembered by this process once no row can change, because
    clients that have waited for the end ask again."""
    known = _qualities.get(experiment.id)
    if known is None:
        known = table(session, experiment, measures=["expanded"]).quality
        if experiment.finished_at is not None:
            if len(_qualities) >= 256:
                _qualities.clear()
            _qualities[experiment.id] = known
    return known


def _of_measure(whole: Table, measure: str) -> Table:
    """The part of a table for one measure."""
    groups = [one.model_copy(update={"measures": {measure: one.measures[measure]}}) for one in whole.groups]
    growth = [one for one in whole.growth if one.measure == measure]
    return whole.model_copy(update={"groups": groups, "growth": growth})


def _joined(parts: Sequence[Table]) -> Table:
    """The inverse: one table from the tables of several measures."""
    groups = []
    for same in zip(*(part.groups for part in parts), strict=True):
        measures = {name: summary for group in same for name, summary in group.measures.items()}
        groups.append(Group(x=same[0].x, series=same[0].series, outcomes=same[0].outcomes, measures=measures))
    # By series, then by measure; measures without a fitted growth are missing.
    growing = [part.growth for part in parts if part.growth]
    growth = [one for same in zip(*growing, strict=True) for one in same]
    return parts[0].model_copy(update={"groups": groups, "growth": growth})
