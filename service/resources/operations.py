"""``/health`` and ``/metrics``: for those who run the service."""

from __future__ import annotations

from typing import Literal

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

    The database must answer and have the newest migration. Without the broker the service works (`degraded`): solves
    are accepted, and workers find them by polling the database.
    """
    here = context()
    faults = []
    try:
        revision = migrate.current(here.sessions.engine)
    except SQLAlchemyError as error:
        faults.append(Fault("database", f"does not answer: {type(error).__name__}"))
    else:
        if not migrate.suffices(revision):
            wanted = f"at {revision or 'none'}, not at {migrate.newest()}"
            faults.append(Fault("migrations", f"{wanted}: run python -m store migrate"))
    if faults:
        raise ProblemError("not-ready", "requests cannot be served", faults)
    broker: Literal["answers", "away"] = "answers" if here.doorbell.answers() else "away"
    return Readiness(
        status="ready" if broker == "answers" else "degraded", database="answers", migrations="current", broker=broker
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
