"""``/v1/audits/heuristic``: is a student's heuristic admissible and consistent?"""

from __future__ import annotations

from hstar.audits import heuristic
from hstar.audits.schema import HeuristicAudit, HeuristicAuditRequest
from hstar.errors import Fault, InvalidRequest
from hstar.schema import Job, Progress
from service.context import context
from service.job_resource import JobResource


class HeuristicAuditJob(Job[HeuristicAuditRequest, Progress, HeuristicAudit]):
    """A heuristic that is to be audited, or has been: the answer is what `hstar audit heuristic --json` prints."""


def check(request: HeuristicAuditRequest) -> None:
    """Can the heuristic or its values be read, and is the memory within the service's?"""
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
    submit="Looks at every state within a radius of the goal, with its true distance, and at every move from it; or at "
    "values that a student's program printed.",
    problems=("invalid-state", "invalid-alg", "invalid-heuristic"),
).blueprint()
