"""The history of each job from two independent records: triggers in the database, and the workers' logs.

The triggers record every change of a job's state and every outcome written. The logs say which attempts believe that
their result was accepted. The tested code uses neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, text

from store.jobs.states import FINAL, LEGAL, State

_TABLE = "CREATE TABLE chaos_changes (number {serial}, what TEXT, job TEXT, was TEXT, became TEXT, attempt INTEGER)"
_SQLITE = (
    _TABLE.format(serial="INTEGER PRIMARY KEY AUTOINCREMENT"),
    (
        "CREATE TRIGGER chaos_jobs AFTER UPDATE OF state ON jobs WHEN OLD.state <> NEW.state BEGIN "
        "INSERT INTO chaos_changes (what, job, was, became, attempt) "
        "VALUES ('state', NEW.id, OLD.state, NEW.state, NEW.attempt); END"
    ),
    (
        "CREATE TRIGGER chaos_solves AFTER UPDATE OF outcome ON solves WHEN OLD.outcome IS NOT NEW.outcome BEGIN "
        "INSERT INTO chaos_changes (what, job, was, became) VALUES ('outcome', NEW.id, OLD.outcome, NEW.outcome); END"
    ),
)
_POSTGRESQL = (
    _TABLE.format(serial="BIGSERIAL"),
    (
        "CREATE FUNCTION chaos_jobs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO chaos_changes (what, job, was, became, attempt) "
        "VALUES ('state', NEW.id, OLD.state, NEW.state, NEW.attempt); RETURN NULL; END $$"
    ),
    (
        "CREATE TRIGGER chaos_jobs AFTER UPDATE OF state ON jobs FOR EACH ROW WHEN (OLD.state <> NEW.state) "
        "EXECUTE FUNCTION chaos_jobs()"
    ),
    (
        "CREATE FUNCTION chaos_solves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO chaos_changes (what, job, was, became) VALUES ('outcome', NEW.id, OLD.outcome, NEW.outcome); "
        "RETURN NULL; END $$"
    ),
    (
        "CREATE TRIGGER chaos_solves AFTER UPDATE OF outcome ON solves FOR EACH ROW "
        "WHEN (OLD.outcome IS DISTINCT FROM NEW.outcome) EXECUTE FUNCTION chaos_solves()"
    ),
)


@dataclass(frozen=True)
class Change:
    """A change that a trigger has recorded."""

    what: str
    was: str | None
    became: str | None
    attempt: int | None


def watch(engine: Engine) -> None:
    """Create the triggers in a database; call it once."""
    with engine.begin() as connection:
        for statement in _SQLITE if engine.dialect.name == "sqlite" else _POSTGRESQL:
            connection.execute(text(statement))


def changes(engine: Engine) -> dict[str, list[Change]]:
    """The recorded changes of each job, in order."""
    found: dict[str, list[Change]] = defaultdict(list)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT job, what, was, became, attempt FROM chaos_changes ORDER BY number"))
        for job, *rest in rows:
            found[job.replace("-", "")].append(Change(*rest))
    return found


def faults_of(job_id: str, attempt: int, seen: Iterable[Change]) -> list[str]:
    """The faults in the history of a job that should have ended in its ``attempt``."""
    noted = list(seen)
    states = [change for change in noted if change.what == "state"]
    outcomes = [change for change in noted if change.what == "outcome" and change.became is not None]
    found = [
        f"{job_id} went from {change.was} to {change.became}"
        for change in states
        if (State(str(change.was)), State(str(change.became))) not in LEGAL
    ]
    ends = [change for change in states if State(str(change.became)) in FINAL]
    if len(ends) != 1:
        found.append(f"{job_id} has ended {len(ends)} times")
    if len(outcomes) > 1:
        found.append(f"{job_id} has {len(outcomes)} outcomes")
    claims = [change.attempt for change in states if change.became == State.RUNNING]
    if claims != list(range(1, attempt + 1)):
        found.append(f"{job_id} is at attempt {attempt}, but was claimed as {claims}")
    return found


def kept_ends(events: Iterable[dict[str, Any]]) -> dict[str, list[int]]:
    """By job, the attempts whose log says that their result was accepted; at most one is right."""
    found: dict[str, list[int]] = defaultdict(list)
    for event in events:
        if event.get("event") == "the job ended":
            found[event["job"].replace("-", "")].append(event["attempt"])
    return found
