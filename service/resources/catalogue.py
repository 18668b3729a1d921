"""``/v1/heuristics`` and ``/v1/limits``. Puzzles are in ``puzzles.py``."""

from __future__ import annotations

from functools import cache

from apiflask import APIBlueprint

from hstar.experiments.schema import MAX_ROWS
from hstar.features import feature_docs
from hstar.heuristics import describe_all, describe_named
from hstar.heuristics.check import HeuristicCheck, HeuristicCheckRequest, check
from hstar.heuristics.nearby import Nearby, NearbyRequest, nearby
from hstar.puzzles import get_puzzle
from hstar.schema import MAX_TAG_KEY, MAX_TAG_VALUE, MAX_TAGS
from hstar.search import DEFAULT_MEMORY_MIB
from service.context import context, principal
from service.examples import HEURISTIC_CHECKS, NEARBY_REQUESTS
from service.job_resource import owner_queued
from service.jsontext import MAX_DEPTH
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, include, responses
from service.reading import MAX_BODY_BYTES
from service.schema import (
    MAX_PAGE,
    Caps,
    HeuristicFilter,
    HeuristicList,
    NamedHeuristic,
    ServiceLimits,
)
from store.owners.idempotency import MAX_KEY_LENGTH
from store.owners.principal import LOCAL

TAG = {"name": "Catalogue", "description": "Puzzles, move sets, heuristics, and the limits of this service."}

include(NearbyRequest, Nearby)

bp = APIBlueprint("catalogue", __name__, url_prefix="/v1", tag=TAG)


@bp.get("/heuristics")
@bp.input(HeuristicFilter, location="query")
@bp.output(HeuristicList, description="The named heuristics")
@bp.doc(operation_id="listHeuristics", responses=responses({}, *READ_PROBLEMS, "unknown-name"))
def list_heuristics(query_data: HeuristicFilter) -> HeuristicList:
    """List the named heuristics

    Each with its expression, and for each move set whether it is admissible and consistent: `proven`, `refuted` (with a
    counterexample where one is known) or `unknown`. A solve takes one of these names, or any expression over the
    puzzle's features, which are listed if a puzzle is asked for.
    """
    if query_data.puzzle is None:
        return HeuristicList(items=list(named_heuristics()), features=None)
    puzzle = get_puzzle(query_data.puzzle)
    own = [NamedHeuristic.model_validate(item) for item in describe_named(puzzle)]
    return HeuristicList(items=own, features=feature_docs(puzzle))


@bp.post("/heuristics/check")
@bp.input(HeuristicCheckRequest, examples=HEURISTIC_CHECKS)
@bp.output(HeuristicCheck, description="The verdict on the heuristic")
@bp.doc(
    operation_id="checkHeuristic",
    responses=responses({}, *WRITE_PROBLEMS, "invalid-state", "invalid-heuristic", "unknown-name"),
)
def check_heuristic(json_data: HeuristicCheckRequest) -> HeuristicCheck:
    """Check a heuristic

    Is it admissible and consistent for a move set, and why? If not, a scramble where it exceeds the true distance, and
    a state where one move lowers it by more than 1. Also its range, by how much one move can change it, and its mean
    beside those of the named heuristics. All states of a small puzzle are checked; of larger ones those near the goal.
    Nothing is stored.
    """
    return check(json_data)


@bp.post("/heuristics/nearby")
@bp.input(NearbyRequest, examples=NEARBY_REQUESTS)
@bp.output(Nearby, description="The number of states for each true distance and h")
@bp.doc(
    operation_id="lookNearby",
    responses=responses({}, *WRITE_PROBLEMS, "invalid-state", "invalid-heuristic", "unknown-name"),
)
def look_nearby(json_data: NearbyRequest) -> Nearby:
    """Compare h with the true distance

    On the states nearest to the goal, whose distances are known without a search. Nothing is stored. Heuristics over
    large pattern databases are refused here.
    """
    return nearby(json_data)


@bp.get("/limits")
@bp.output(ServiceLimits, description="The limits")
@bp.doc(operation_id="getLimits", responses=responses({}, *READ_PROBLEMS))
def get_limits() -> ServiceLimits:
    """Show the limits of this service

    The caps of a solve, and what requests, lists and waits may ask for.
    """
    settings = context().settings
    caps, own = settings.caps, owner_queued()
    return ServiceLimits(
        caps=Caps(
            expanded=caps.expanded,
            generated=caps.generated,
            seconds=caps.seconds,
            memory_mib=settings.cap_memory_mib,
        ),
        default_memory_mib=min(DEFAULT_MEMORY_MIB, settings.cap_memory_mib),
        wait_seconds=settings.wait_cap_seconds,
        body_bytes=MAX_BODY_BYTES,
        json_depth=MAX_DEPTH,
        page_items=MAX_PAGE,
        queued=settings.max_queued,
        owner_queued=own,
        owner_running=settings.owner_running or None,
        owner_databases=None if principal() is LOCAL else settings.owner_databases or None,
        owner_databases_mib=None if principal() is LOCAL else settings.owner_databases_mib or None,
        requests_per_minute=None if principal() is LOCAL else settings.requests_per_minute or None,
        experiment_rows=min(MAX_ROWS, settings.max_queued, own or MAX_ROWS),
        tags=MAX_TAGS,
        tag_key_letters=MAX_TAG_KEY,
        tag_value_letters=MAX_TAG_VALUE,
        idempotency_key_letters=MAX_KEY_LENGTH,
        idempotency_hours=settings.idempotency_hours,
    )


@cache
def named_heuristics() -> tuple[NamedHeuristic, ...]:
    """The named heuristics, with verdicts; takes half a second the first time."""
    return tuple(NamedHeuristic.model_validate(item) for item in describe_all())
