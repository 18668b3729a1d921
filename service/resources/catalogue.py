"""``/v1/heuristics`` and ``/v1/limits``. Puzzles are in ``puzzles.py``."""

from __future__ import annotations

from functools import cache
from typing import Any

from apiflask import APIBlueprint
from flask import Response
from pydantic import ConfigDict, Field

from hstar.experiments.schema import MAX_ROWS
from hstar.features import feature_docs
from hstar.heuristics import describe_all, describe_named
from hstar.heuristics.check import HeuristicCheck, HeuristicCheckRequest, check
from hstar.heuristics.nearby import Nearby, NearbyRequest, nearby
from hstar.objects import Out
from hstar.options import OPTIONS, Step, flag_of
from hstar.puzzles import get_puzzle
from hstar.schema import MAX_TAG_KEY, MAX_TAG_VALUE, MAX_TAGS, LimitsIn
from hstar.search import ALGORITHMS, DEFAULT_MEMORY_MIB
from service.apart import apart, apart_if_added
from service.context import context, principal
from service.errors import told_at
from service.examples import HEURISTIC_CHECKS, NEARBY_REQUESTS
from service.formats import CERTIFICATE, JSON, chosen, content
from service.job_resource import owner_queued
from service.jsontext import MAX_DEPTH
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, include, refers, responses
from service.reading import MAX_BODY_BYTES
from service.resources import certificates
from service.schema import (
    MAX_PAGE,
    Caps,
    HeuristicFilter,
    HeuristicList,
    NamedHeuristic,
    ServiceLimits,
)
from store.owners import databases
from store.owners.idempotency import KEPT_HOURS, MAX_KEY_LENGTH
from store.owners.principal import LOCAL

TAG = {"name": "Catalogue", "description": "Puzzles, move sets, heuristics, and the limits of this service."}


class OptionInfo(Out):
    """An option of searches."""

    model_config = ConfigDict(serialize_by_alias=True)

    name: str
    label: str = Field(description="its name in a form")
    help: str
    default: Any = Field(description="of a request; null: left out")
    own: Any = Field(description="the value in force where it is left out, if that is not the default")
    schema_: dict[str, Any] = Field(alias="schema", description="its values, as JSON Schema")
    plural: str | None = Field(description="the field of an experiment that lists its values; null: it has one value")
    series: str = Field(description="how a series with this value is called, {} for the value")
    flag: str = Field(description="the option of the command line")


class LimitInfo(Out):
    """A limit of searches."""

    model_config = ConfigDict(serialize_by_alias=True)

    name: str
    help: str
    schema_: dict[str, Any] = Field(alias="schema", description="its values, as JSON Schema")
    flag: str = Field(description="the option of the command line")


class AlgorithmInfo(Out):
    """A search algorithm."""

    name: str
    summary: str
    duplicate_detection: str = Field(description="how states that were seen before are recognised")
    options: list[str] = Field(description="the options that it uses")
    choices: dict[str, list[Any]] = Field(
        description="of an option that has more values elsewhere, those that it takes"
    )
    own: dict[str, Any] = Field(description="of an option what it means here where it is left at its default")
    optimal: bool = Field(description="with an admissible heuristic and weight 1 its solutions are shortest")
    layers: bool = Field(description="it expands by f, and so has expansions of the last f-layer")
    improves: bool = Field(description="it goes on after its first solution; a limit ends it with the best so far")
    shortens: bool = Field(description="it can begin with a known solution")
    settings: dict[str, Any] = Field(description="its constants, which a step of a plan may set, as JSON Schema")


class AlgorithmList(Out):
    """The search algorithms, and all options and limits."""

    items: list[AlgorithmInfo]
    options: list[OptionInfo]
    limits: list[LimitInfo]


include(NearbyRequest, Nearby, Step, AlgorithmList)

bp = APIBlueprint("catalogue", __name__, url_prefix="/v1", tag=TAG)


@bp.get("/heuristics")
@bp.input(HeuristicFilter, location="query")
@bp.output(HeuristicList, description="The named heuristics")
@bp.doc(operation_id="listHeuristics", responses=responses({}, *READ_PROBLEMS, "unknown-name"))
@apart_if_added
def list_heuristics(query_data: HeuristicFilter) -> HeuristicList:
    """List the named heuristics

    Each with its expression, and for each move set whether it is admissible and consistent: `proven`, `refuted` (with a
    counterexample where one is known) or `unknown`. A solve takes one of these names, or any expression over the
    puzzle's features, which are listed if a puzzle is asked for.
    """
    if query_data.puzzle is None:
        return HeuristicList(items=list(named_heuristics()), features=None)
    with told_at("query:puzzle"):
        puzzle = get_puzzle(query_data.puzzle)
    own = [NamedHeuristic.model_validate(item) for item in describe_named(puzzle)]
    return HeuristicList(items=own, features=feature_docs(puzzle))


@bp.get("/algorithms")
@bp.output(AlgorithmList, description="The algorithms, options and limits")
@bp.doc(operation_id="listAlgorithms", responses=responses({}, *READ_PROBLEMS))
def list_algorithms() -> AlgorithmList:
    """List the search algorithms

    Each with the options that it uses; and every option and limit with its type, default, range and help. Forms and
    clients need no list of their own.
    """
    return algorithms()


@bp.post("/heuristics/check")
@bp.input(HeuristicCheckRequest, examples=HEURISTIC_CHECKS)
@bp.output(HeuristicCheck, description="The verdict on the heuristic")
@bp.doc(
    operation_id="checkHeuristic",
    responses=responses(
        {200: {"content": content(json=refers(HeuristicCheck), hcert=True)}},
        *WRITE_PROBLEMS, "invalid-state", "invalid-heuristic", "unknown-name", "no-certificate",
    ),
)  # fmt: skip
@apart
def check_heuristic(json_data: HeuristicCheckRequest) -> HeuristicCheck | Response:
    """Check a heuristic

    Is it admissible and consistent for a move set, and why? If not, a scramble where it exceeds the true distance, and
    a state where one move lowers it by more than 1. Also its range, by how much one move can change it, and its mean
    beside those of the named heuristics. All states of a small puzzle are checked; of larger ones those near the goal.
    Nothing is stored. Heuristics over large pattern databases are refused here; an audit
    (`POST /v1/audits/heuristic`) takes them. `Accept: application/vnd.hstar.certificate` asks for a file that proves
    what is refuted.
    """
    if chosen(JSON, CERTIFICATE) == CERTIFICATE:
        return certificates.of_heuristic(json_data)
    return check(json_data, build=False)


@bp.post("/heuristics/nearby")
@bp.input(NearbyRequest, examples=NEARBY_REQUESTS)
@bp.output(Nearby, description="The number of states for each true distance and h")
@bp.doc(
    operation_id="lookNearby",
    responses=responses({}, *WRITE_PROBLEMS, "invalid-state", "invalid-heuristic", "unknown-name"),
)
@apart
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
        owner_databases=None if principal() is LOCAL else databases.MOST,
        owner_databases_mib=None if principal() is LOCAL else settings.owner_databases_mib or None,
        requests_per_minute=None if principal() is LOCAL else settings.requests_per_minute or None,
        experiment_rows=min(MAX_ROWS, settings.max_queued, own or MAX_ROWS),
        tags=MAX_TAGS,
        tag_key_letters=MAX_TAG_KEY,
        tag_value_letters=MAX_TAG_VALUE,
        idempotency_key_letters=MAX_KEY_LENGTH,
        idempotency_hours=KEPT_HOURS,
    )


@cache
def algorithms() -> AlgorithmList:
    """The algorithms, as they declare themselves."""
    return AlgorithmList(
        items=[
            AlgorithmInfo(
                name=name,
                summary=method.summary,
                duplicate_detection=method.duplicates,
                options=[option for option in method.options if not OPTIONS[option].shown.local],
                choices={option: list(values) for option, values in method.choices.items()},
                own=dict(method.own),
                optimal=method.optimal,
                layers=method.layers,
                improves=method.improves,
                shortens=method.shortens,
                settings=method.settings.model_json_schema(),
            )
            for name, method in ALGORITHMS.items()
        ],
        options=[
            OptionInfo(
                name=name,
                label=option.shown.label,
                help=option.help,
                default=option.default,
                own=option.shown.own,
                schema=dict(option.schema),
                plural=option.shown.plural,
                series=option.shown.series,
                flag=option.flag,
            )
            for name, option in OPTIONS.items()
            if not option.shown.local
        ],
        limits=[
            LimitInfo(
                name=name,
                help=field.description or "",
                schema=schema["anyOf"][0],
                flag=flag_of(f"limit_{name}"),
            )
            for name, field in LimitsIn.model_fields.items()
            for schema in [LimitsIn.model_json_schema()["properties"][name]]
        ],
    )


@cache
def named_heuristics() -> tuple[NamedHeuristic, ...]:
    """The named heuristics, with verdicts. The first request of a process of the API waits half a second for them; a
    start that made them would be back so much later."""
    return _judged_heuristics()


@apart
def _judged_heuristics() -> tuple[NamedHeuristic, ...]:
    return tuple(NamedHeuristic.model_validate(item) for item in describe_all())
