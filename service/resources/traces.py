"""``/v1/traces``: small searches, node by node. Nothing is stored."""

from __future__ import annotations

from apiflask import APIBlueprint

from hstar.search.trace import Trace, TraceRequest, trace
from service.apart import apart
from service.examples import TRACE_REQUESTS
from service.openapi import WRITE_PROBLEMS, include, responses
from service.resources.solves import TAG

include(TraceRequest, Trace)

bp = APIBlueprint("traces", __name__, url_prefix="/v1", tag=TAG)


@bp.post("/traces")
@bp.input(TraceRequest, examples=TRACE_REQUESTS)
@bp.output(Trace, description="Every expansion of each search, in order")
@bp.doc(
    operation_id="traceSearch",
    responses=responses({}, *WRITE_PROBLEMS, "invalid-state", "invalid-alg", "invalid-heuristic", "unknown-name"),
)
@apart
def trace_search(json_data: TraceRequest) -> Trace:
    """Trace a small search by A*

    Every expanded node, in order, with its parent, g and h. With two heuristics, both searches from the same start,
    with the same numbers for the same states, so that the nodes that one of them skips can be seen. The algorithm and
    the tie-breaking are those of `POST /v1/solves`, in plain Python. Heuristics over large pattern databases are
    refused.
    """
    return trace(json_data)
