"""``/v1/audits/heuristic``: is a student's heuristic admissible and consistent?"""

from __future__ import annotations

from typing import Literal

from hstar.audits import heuristic
from hstar.audits.schema import HeuristicAudit, HeuristicAuditRequest
from hstar.errors import Fault, InvalidRequest
from hstar.schema import Job, Progress
from service.context import context
from service.job_resource import JobResource


class HeuristicAuditJob(Job[HeuristicAuditRequest, Progress, HeuristicAudit]):
    """A job that audits a heuristic; its answer is the output of `hstar audit heuristic --json`."""

    kind: Literal["heuristic-audit"] = "heuristic-audit"


def check(request: HeuristicAuditRequest) -> None:
    """Raise `HstarError` unless the heuristic or its values can be read and the memory limit is allowed."""
    cap = context().settings.caps.memory_mib
    if cap is not None and request.limits.memory_mib > cap:
        text = f"at most {cap} here (see /v1/limits), found {request.limits.memory_mib}"
        raise InvalidRequest("a limit is above what this service allows", [Fault("/limits/memory_mib", text)])
    heuristic.prepare(request)


bp = JobResource(
    path="audits/heuristic",
    kind="heuristic-audit",
    noun="heuristic audit",
    request=HeuristicAuditRequest,
    object=HeuristicAuditJob,
    check=check,
    databases=lambda request: heuristic.prepare(request).databases,
    examples={
        "expression": {
            "summary": "8-puzzle: an expression, on all states",
            "value": {"puzzle": "8-puzzle", "heuristic": "manhattan", "radius": 100},
        },
        "values": {
            "summary": "Megaminx: values that a program printed",
            "value": {
                "puzzle": "megaminx",
                "moves": "ccw",
                "values": [{"alg": "U", "h": 1}, {"alg": "U U F", "h": 4}],
            },
        },
    },
    tag={
        "name": "Heuristic audits",
        "description": "Is a heuristic admissible and consistent, and within which radius?",
    },
    submit="Checks every state within a radius of the goal against its true distance, and every move from it; or "
    "checks values that a student's program printed.",
    problems=("invalid-state", "invalid-alg", "invalid-heuristic"),
).blueprint()
