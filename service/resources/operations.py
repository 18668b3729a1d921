"""``/health`` and ``/metrics``: for those who run the service."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from hstar.errors import Fault
from service.context import context, require
from service.errors import ProblemError
from service.metrics import exposition
from service.openapi import responses
from service.schema import Alive, Readiness
from store import parts
from store.database import migrate
from store.owners.roles import Role

TAG = {"name": "Operations", "description": "Health and metrics, for those who run the service."}

bp = APIBlueprint("operations", __name__, tag=TAG)


@bp.get("/health/live")
@bp.output(Alive, description="The process answers")
@bp.doc(operation_id="getLiveness", responses=responses({}, "misdirected-host", "forbidden"))
def live() -> Alive:
    """Is the process alive?

    Checks nothing else: a process that answers this needs no restart.
    """
    return Alive(status="alive")


@bp.get("/health/ready")
@bp.output(Readiness, description="Requests can be served")
@bp.doc(operation_id="getReadiness", responses=responses({}, "not-ready", "misdirected-host", "forbidden"))
def ready() -> Readiness:
    """Can requests be served?

    The database must answer and have the newest migration. Otherwise the service is `degraded` while a part is away:
    without the broker, workers find jobs by polling the database; without a worker, jobs wait; without a sweeper, lost
    jobs wait. Solves are accepted all the time.
    """
    here = context()
    faults: list[Fault] = []
    away: list[str] = []
    try:
        revision = migrate.current(here.sessions.engine)
    except SQLAlchemyError as error:
        faults.append(Fault("database", f"does not answer: {type(error).__name__}"))
    else:
        if not migrate.suffices(revision):
            wanted = f"at {revision or 'none'}, not at {migrate.newest()}"
            faults.append(Fault("migrations", f"{wanted}: run python -m store migrate"))
        else:
            with here.sessions.read() as session:
                away = parts.away(session)
    if faults:
        raise ProblemError("not-ready", "requests cannot be served", faults)
    broker = here.doorbell.answers()
    return Readiness(
        status="ready" if broker and not away else "degraded",
        database="answers",
        migrations="current",
        broker="answers" if broker else "away",
        worker="away" if "worker" in away else "works",
        sweeper="away" if "sweeper" in away else "works",
    )


@bp.get("/metrics")
@bp.doc(
    operation_id="getMetrics",
    responses=responses(
        {
            200: {
                "description": "Metrics in Prometheus's text format",
                "content": {"text/plain": {"schema": {"type": "string"}}},
            },
        },
        "misdirected-host",
        "forbidden",
        "role-needed",
        "unavailable",
    ),
)
def metrics() -> Response:
    """Metrics for Prometheus

    Requests by route and status, their durations, and how many solves are queued and running. Not for students.
    """
    require(Role.INSTRUCTOR, Role.OPERATOR)
    here = context()
    return Response(exposition(here.sessions, here.settings.max_queued), content_type=CONTENT_TYPE_LATEST)
