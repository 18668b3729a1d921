"""``/v1/analyses``: one instance from all sides, for the page's analysis board."""

from __future__ import annotations

from typing import Literal

from hstar.analysis import Analysis, AnalysisRequest, prepare
from hstar.schema import Job, Progress
from service.job_resource import JobResource, check_expansions


class AnalysisJob(Job[AnalysisRequest, Progress, Analysis]):
    """A job that looks at one instance from all sides."""

    kind: Literal["analysis"] = "analysis"


def check(request: AnalysisRequest) -> None:
    """Raise `HstarError` unless everything can be read and the limit is within the service's."""
    check_expansions(request.limits.expanded)
    prepare(request)


bp = JobResource(
    path="analyses",
    kind="analysis",
    noun="analysis",
    request=AnalysisRequest,
    object=AnalysisJob,
    check=check,
    databases=lambda request: prepare(request).databases,
    examples={
        "megaminx": {
            "summary": "Megaminx: a heuristic along a shortest solution, and somebody's count",
            "value": {
                "puzzle": "megaminx",
                "alg": "U U F",
                "moves": "ccw",
                "heuristic": "s2-face-distance",
                "counts": {"expanded": 4},
            },
        },
    },
    tag={
        "name": "Analyses",
        "description": "One instance from all sides: h and h* along a line of moves, f-layers, counts and traces.",
    },
    submit="Follows a line of moves from the start (a shortest solution, if none is given) with h and the true "
    "distance of each position; counts the expansions of A* by f; compares numbers of nodes with every documented "
    "convention; and reads the trace of somebody's own A*, of which every h is computed again where a path is given.",
    problems=("invalid-state", "invalid-alg", "invalid-heuristic"),
).blueprint()
