"""``/v1/verifications``: replay claimed solutions, and compare them with the optimum."""

from __future__ import annotations

from typing import Literal

from hstar.schema import Job, Progress
from hstar.verification import Verification, VerificationRequest, prepare
from service.job_resource import JobResource, check_expansions


class VerificationJob(Job[VerificationRequest, Progress, Verification]):
    """A job that verifies a claimed solution; its answer is the output of `hstar verify --json`."""

    kind: Literal["verification"] = "verification"


def check(request: VerificationRequest) -> None:
    """Raise `HstarError` unless instance, labels and heuristic can be read and the limit is within the service's."""
    check_expansions(request.limits.expanded)
    prepare(request)


bp = JobResource(
    path="verifications",
    kind="verification",
    noun="verification",
    request=VerificationRequest,
    object=VerificationJob,
    check=check,
    databases=lambda request: prepare(request).databases,
    examples={
        "megaminx": {
            "summary": "Megaminx: a solution, and a claimed number of nodes",
            "value": {
                "puzzle": "megaminx",
                "alg": "U F R",
                "moves": "ccw",
                "solution": "R' F' U'",
                "heuristic": "s1-misplaced-facelets",
                "claims": {"expanded": 4, "optimal": True},
            },
        },
        "batch": {
            "summary": "Two at once",
            "value": {
                "items": [
                    {"puzzle": "8-puzzle", "state": "1 2 3 / 8 4 5 / 7 6 0", "solution": "U L"},
                    {"puzzle": "megaminx", "alg": "U F R", "moves": "ccw", "solution": "R' F' U'"},
                ]
            },
        },
    },
    tag={
        "name": "Verifications",
        "description": "Replay claimed solutions: are they valid and shortest, and how were nodes counted?",
    },
    submit="Replays a claimed solution move by move: valid, or the first wrong move and the reason; the optimum; "
    "and claimed numbers, compared with every documented way to break ties and to count.",
    problems=("invalid-state", "invalid-alg", "invalid-heuristic"),
).blueprint()
