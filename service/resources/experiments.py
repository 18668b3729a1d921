"""``/v1/experiments``: submit a sweep of searches, poll it, list, cancel."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for
from sqlalchemy.orm import Session

from hstar.experiments.design import Design, plan
from hstar.experiments.forecast import seconds_left
from hstar.experiments.report import status_of
from hstar.experiments.schema import MAX_ROWS, Experiment, ExperimentRequest, Quality
from service.answering import check_cursor, next_path, object_response, page_response
from service.apart import apart_if_added
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.examples import EXPERIMENT_REQUESTS
from service.formats import EVENTS, JSON, chosen, content, event_stream
from service.headers import idempotency_key, preferred_wait, retry_after
from service.job_resource import check_databases, check_room
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, ROOM_PROBLEMS, WRITE_PROBLEMS, answers, refers, responses
from service.schema import ConditionalHeaders, ExperimentFilter, ExperimentPage, SubmitHeaders, WaitHeader
from store.database.staging import stage
from store.doorbell import MOST_BELLS
from store.experiments import finished, models, records
from store.experiments.records import Standing
from store.ids import new_id
from store.jobs import queries

TAG = {
    "name": "Experiments",
    "description": "A sweep of searches over scrambles in one request; its rows, table, plots and comparisons.",
}

bp = APIBlueprint("experiments", __name__, url_prefix="/v1", tag=TAG)


@bp.post("/experiments")
@bp.input(SubmitHeaders, location="headers")
@bp.input(ExperimentRequest, examples=EXPERIMENT_REQUESTS)
@bp.output(Experiment, status_code=202, description="Taken; poll the address in `Location`")
@bp.doc(
    operation_id="submitExperiment",
    responses=responses(
        {
            200: {
                "description": "It existed already, or has ended within the wait",
                "content": {"application/json": {"schema": refers(Experiment)}},
                "headers": answers("Location", "Preference-Applied", "Idempotent-Replayed"),
            },
            202: {"headers": answers("Location", "Retry-After", "Preference-Applied", "Idempotent-Replayed")},
        },
        *WRITE_PROBLEMS,
        "idempotency-key-reused",
        *ROOM_PROBLEMS,
        "too-many-databases",
    ),
)
def submit_experiment(headers_data: SubmitHeaders, json_data: ExperimentRequest) -> Response:
    """Submit an experiment

    One scramble for each `k` and trial, searched by every algorithm with every heuristic and weight. All rows are
    checked and queued now, or none; each of them is an ordinary solve (`GET /v1/jobs?experiment=...`).

    The same experiment again, with the same tags, runs nothing twice: the answer shows the existing one, unless some of
    its rows failed or were cancelled. A new `Idempotency-Key` always makes a new experiment.
    """
    experiment_id, made = _take(headers_data, json_data)
    response = _answer(experiment_id, wait=preferred_wait(headers_data.prefer), unfinished=202)
    response.headers["Location"] = url_for("experiments.get_one_experiment", id=experiment_id)
    if not made:
        response.headers["Idempotent-Replayed"] = "true"
    return response


@bp.get("/experiments/<id>")
@bp.input(ConditionalHeaders, location="headers")
@bp.output(Experiment, description="The experiment in its present state")
@bp.doc(
    operation_id="getExperiment",
    responses=responses(
        {
            200: {
                "content": content(json=refers(Experiment), events=True),
                "headers": answers("ETag", "Retry-After", "Preference-Applied"),
            },
            304: {"description": "Nothing changed", "headers": answers("ETag", "Retry-After", "Preference-Applied")},
        },
        *READ_PROBLEMS,
        "not-found",
    ),
)
def get_one_experiment(id: str, headers_data: ConditionalHeaders) -> Response:
    """Poll an experiment

    The number of rows by outcome, and how long the others are expected to take with the present workers. With
    `Prefer: wait=N` the answer is sent when all rows have ended, or after N seconds; with `Accept: text/event-stream`
    it is sent as an event whenever it has changed, as for a job.
    """
    if chosen(JSON, EVENTS) == EVENTS:
        _look(id)
        return event_stream(lambda: _look(id))
    return _answer(id, wait=preferred_wait(headers_data.prefer), unfinished=200)


@bp.get("/experiments")
@bp.input(ExperimentFilter, location="query")
@bp.output(ExperimentPage, description="A page of experiments")
@bp.doc(operation_id="listExperiments", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS))
def list_all_experiments(query_data: ExperimentFilter) -> Response:
    """List experiments, newest first"""
    cursor = check_cursor(query_data.cursor)
    with context().sessions.read() as session:
        rows = records.list_experiments(
            session, principal(), puzzle=query_data.puzzle, cursor=cursor, size=query_data.limit + 1
        )
        more, rows = len(rows) > query_data.limit, rows[: query_data.limit]
        standing = records.standing_of(session, rows)
    items = [to_experiment(row, standing[row.id]) for row in rows]
    path = next_path(items[-1].id if more else None)
    return page_response(ExperimentPage(items=items, next=path), path)


@bp.post("/experiments/<id>/cancel")
@bp.input(WaitHeader, location="headers")
@bp.output(Experiment, description="The experiment has ended: cancelled now, or finished before")
@bp.doc(
    operation_id="cancelExperiment",
    responses=responses(
        {
            200: {"headers": answers("Preference-Applied")},
            202: {
                "description": "Some rows are running and will stop in a moment",
                "content": {"application/json": {"schema": refers(Experiment)}},
                "headers": answers("Retry-After", "Preference-Applied"),
            },
        },
        *READ_PROBLEMS,
        "not-found",
    ),
)
def cancel_experiment(id: str, headers_data: WaitHeader) -> Response:
    """Cancel the unfinished rows of an experiment

    Queued rows are cancelled at once; running ones stop within a second and keep their counters; ended rows do not
    change. Cancelling again changes nothing.
    """
    with context().sessions.read() as session:
        found = find(session, id)

    def cancel(session: Session) -> list[str]:
        record_change(session, found.id)
        return records.request_cancel(session, found.id)

    for solve_id in context().sessions.run(cancel):
        context().doorbell.cancel(solve_id)
    return _answer(id, wait=preferred_wait(headers_data.prefer), unfinished=202)


@bp.delete("/experiments/<id>")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="deleteExperiment", responses=responses({}, *READ_PROBLEMS, "not-found", "job-in-use"))
def delete_experiment(id: str) -> Response:
    """Delete an experiment that has ended, with all its rows

    Statistics that have counted its searches already keep them.
    """

    def delete(session: Session) -> None:
        found = find(session, id)
        if records.standing_of(session, [found])[found.id].outcomes.pending:
            raise ProblemError("job-in-use", "some rows have not ended; cancel the experiment first")
        record_change(session, found.id)
        records.delete(session, found.id)

    context().sessions.run(delete)
    return Response(status=204)


def find(session: Session, experiment_id: str) -> models.Experiment:
    """The owner's experiment with this id; raises `ProblemError` if there is none."""
    found = records.get(session, experiment_id, principal())
    if found is None:
        raise ProblemError("not-found", f"there is no experiment {experiment_id!r}")
    return found


def to_experiment(
    row: models.Experiment, standing: Standing, left: float | None = None, quality: list[Quality] | None = None
) -> Experiment:
    """The experiment as the API shows it; ``left``: expected seconds."""
    return Experiment(
        id=row.id,
        owner=row.owner,
        status=status_of(standing.outcomes, standing.running > 0),
        request=records.request_of(row),
        rows=row.row_count,
        outcomes=standing.outcomes,
        running=standing.running,
        fraction_done=standing.outcomes.n / row.row_count,
        seconds_left=left,
        quality=quality,
        created_at=row.created_at,
        finished_at=standing.finished_at,
    )


@apart_if_added
def _take(headers: SubmitHeaders, asked: ExperimentRequest) -> tuple[str, bool]:
    """The id of the experiment, and whether it was made now."""
    key = idempotency_key(headers.idempotency_key)
    fingerprint = fingerprint_of(key, asked)
    experiment_id, mine = earlier(key, fingerprint), new_id()
    if experiment_id is None:
        settings = context().settings
        design = plan(asked, settings.caps, min(MAX_ROWS, settings.max_queued))
        experiment_id = _submit(key, fingerprint, mine, design)
        if experiment_id == mine:
            # Each wake-up message wakes one worker process, which then works until the queue is empty.
            context().doorbell.ring(min(len(design), MOST_BELLS), small=True)
    return experiment_id, experiment_id == mine


def _submit(key: str | None, fingerprint: str, mine: str, design: Design) -> str:
    """The id of the experiment: ``mine``, or that of an existing one that is the same."""
    sessions, owner, databases = context().sessions, principal().owner, design.databases

    def insert(session: Session) -> None:
        check_room(session, len(design))
        check_databases(session, databases)
        # After a lost connection it is unknown whether the commit succeeded; the rows may exist already.
        if records.get(session, mine, principal()) is None:
            records.create(session, mine, owner, design, staged)

    def find_or_insert(session: Session) -> str:
        found = records.find_same(session, owner, design)
        if found is None:
            insert(session)
        return found or mine

    with sessions.read() as session:
        found = records.find_same(session, owner, design) if key is None else None
        if found is not None:
            return found
        # Check before the rows are made, which takes time.
        check_room(session, len(design))
    with stage(sessions.engine, records.row_sets(mine, owner, design)) as staged:
        if key is None:
            return sessions.run(find_or_insert, attach=staged.file)
        return make_once(key, fingerprint, mine, insert, staged.file)


def _answer(experiment_id: str, *, wait: int | None, unfinished: int) -> Response:
    """The experiment in its state after the wait; ``unfinished``: HTTP status if it has not ended."""
    granted = None
    if wait is not None and not _has_ended(experiment_id):
        granted = context().long_polling.until(lambda: _has_ended(experiment_id), wait)
    found = _shown(experiment_id)
    response = object_response(found, unfinished if found.outcomes.pending else 200)
    if found.outcomes.pending:
        response.headers["Retry-After"] = str(retry_after(found.created_at))
    if granted is not None:
        response.headers["Preference-Applied"] = f"wait={granted:g}"
    return response


def _has_ended(experiment_id: str) -> bool:
    with context().sessions.read() as session:
        row = find(session, experiment_id)
        return not records.standing_of(session, [row])[row.id].outcomes.pending


def _look(experiment_id: str) -> tuple[str, bool]:
    """The JSON of an experiment, and whether it has ended."""
    found = _shown(experiment_id)
    return found.model_dump_json(), not found.outcomes.pending


def _shown(experiment_id: str) -> Experiment:
    """The experiment in its present state."""
    with context().sessions.read() as session:
        row = find(session, experiment_id)
        standing = records.standing_of(session, [row])[row.id]
        left, quality = None, None
        if not standing.outcomes.pending:
            quality = finished.quality(session, row)
        if standing.outcomes.pending and standing.outcomes.n:
            limit = records.request_of(row).limits.seconds
            left = seconds_left(records.tallies_of(session, row), queries.count_running(session), limit)
    return to_experiment(row, standing, left, quality)
