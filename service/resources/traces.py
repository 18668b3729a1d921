"""``/v1/traces``: small searches, node by node. Nothing is stored."""

from __future__ import annotations

from apiflask import APIBlueprint

from hstar.search.trace import Trace, TraceRequest, trace
from service.examples import TRACE_REQUESTS
from service.openapi import WRITE_PROBLEMS, include, responses
from service.resources.solves import TAG

include(TraceRequest, Trace)

bp = APIBlueprint("traces", __name__, url_prefix="/v1", tag=TAG)


@bp.post("/traces")
@bp.input(TraceRequest, examples=TRACE_REQUESTS)
@bp.output(Trace, description="Every expansion of each search, in its order")
@bp.doc(
    operation_id="traceSearch",
    responses=responses({}, *WRITE_PROBLEMS, "invalid-state", "invalid-alg", "invalid-heuristic", "unknown-name"),
)
def trace_search(json_data: TraceRequest) -> Trace:
    """Trace a small search by A*

    Every node that is expanded, in its order, with its parent, g and h; with two heuristics both searches from the same
    start, their states numbered alike, so that it shows which nodes one of them skips. It is the search of
    `POST /v1/solves`, with its tie-breaking, in plain Python. Heuristics over large pattern databases are not traced.
    """
    return trace(json_data)
