"""The four operations that every kind of job has: submit, poll, list, cancel.

    bp = job_resource(
        "databases", kind="database", noun="pattern database", request=DatabaseRequest, object=DatabaseJob,
        check=..., examples=..., tag=..., submit="...",
    )

A kind of job has two modules: a resource made with this class, and one in ``worker/kinds/`` with the code that runs it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from apiflask import APIBlueprint
from flask import Response, url_for
from pydantic import BaseModel, Field, create_model
from sqlalchemy.orm import Session

from hstar import schema
from hstar.errors import Fault, HstarError, InvalidRequest
from service import openapi
from service.answering import check_cursor, next_path, object_response, page_response
from service.apart import apart, apart_if_added
from service.batches import answer_to_either, one_or_many
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.headers import idempotency_key, preferred_wait, retry_after
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, ROOM_PROBLEMS, WRITE_PROBLEMS, answers, responses
from service.schema import ConditionalHeaders, JobFilter, SubmitHeaders, WaitHeader
from store.ids import ids_from, new_ids
from store.jobs import machine, queries
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.objects import to_object
from store.jobs.states import State
from store.owners import databases
from store.owners.principal import LOCAL
from store.owners.roles import Role

Request = TypeVar("Request", bound=BaseModel)

#: by kind, the path of its jobs
PATHS = {"solve": "solves"}


@dataclass(frozen=True, kw_only=True)
class JobResource(Generic[Request]):
    """A kind of job over HTTP. ``check`` raises `HstarError` for a request that cannot be run, and is fast.

    ``databases``: for a checked request, the key and the size in bytes of each pattern database that it names.
    """

    path: str
    kind: str
    noun: str
    request: type[Request]
    object: type[schema.Job[Any, Any, Any]]
    check: Callable[[Request], None]
    examples: Mapping[str, Any]
    tag: Mapping[str, str]
    submit: str
    databases: Callable[[Request], Mapping[str, int]] | None = None
    problems: tuple[str, ...] = ()
    #: whether a body may also be a batch
    batches: bool = False
    #: whether a job of this kind ends soon after it is told to stop, so that it may start in the slot for small jobs
    quick: bool = True

    def blueprint(self) -> APIBlueprint:
        """The operations, below ``/v1``."""
        PATHS[self.kind] = self.path
        bp = APIBlueprint(self.path, __name__, url_prefix="/v1", tag=dict(self.tag))
        page = create_model(
            f"{self.object.__name__}Page",
            __base__=schema.Out,
            __doc__=f"One page of a list of {self.noun} jobs, newest first.",
            items=(list[self.object], ...),  # type: ignore[name-defined]
            next=(str | None, Field(description="path of the next page; null on the last one")),
        )
        openapi.include(self.request, self.object, page)
        body: type[BaseModel] = self.request
        answer: type[BaseModel] = self.object
        if self.batches:
            body, answer = one_or_many(self.request), answer_to_either(self.object)
            openapi.include(body, answer)
        ended = {"application/json": {"schema": {"$ref": f"#/components/schemas/{self.object.__name__}"}}}
        name = self.object.__name__
        take, take_batch = apart_if_added(self._take), apart(self._take_batch)

        @bp.post(f"/{self.path}")
        @bp.input(SubmitHeaders, location="headers")
        @bp.input(body, examples=dict(self.examples))
        @bp.output(answer, status_code=202, description="Taken; poll the address in `Location`")
        @bp.doc(
            summary=f"Submit a {self.noun}",
            description=self.submit,
            operation_id=f"submit{name}",
            responses=responses(
                {
                    200: {
                        "description": "Taken, and ended within the wait",
                        "content": {
                            "application/json": {"schema": {"$ref": f"#/components/schemas/{answer.__name__}"}}
                        },
                        "headers": answers("Location", "Preference-Applied", "Idempotent-Replayed"),
                    },
                    202: {"headers": answers("Location", "Retry-After", "Preference-Applied", "Idempotent-Replayed")},
                },
                *WRITE_PROBLEMS,
                "unknown-name",
                "idempotency-key-reused",
                *ROOM_PROBLEMS,
                *(("too-many-databases",) if self.databases else ()),
                *self.problems,
            ),
        )
        def submit(headers_data: SubmitHeaders, json_data: Any) -> Response:
            if isinstance(json_data, self.request):
                return self._answer_made(*take(headers_data, json_data), headers_data)
            return self._answer_batch_made(*take_batch(headers_data, json_data.model_dump_json()), headers_data)

        @bp.get(f"/{self.path}/<id>")
        @bp.input(ConditionalHeaders, location="headers")
        @bp.output(self.object, description="The job in its present state")
        @bp.doc(
            summary=f"Poll a {self.noun}",
            description="While it is queued or running, `Retry-After` says when to look again; with `Prefer: wait=N` "
            "the answer is sent when the job has ended, or after N seconds.",
            operation_id=f"get{name}",
            responses=responses(
                {
                    200: {"headers": answers("ETag", "Retry-After", "Preference-Applied")},
                    304: {
                        "description": "Nothing changed",
                        "headers": answers("ETag", "Retry-After", "Preference-Applied"),
                    },
                },
                *READ_PROBLEMS,
                "not-found",
            ),
        )
        def get_one(id: str, headers_data: ConditionalHeaders) -> Response:
            return self._answer(id, wait=preferred_wait(headers_data.prefer), unfinished=200)

        @bp.get(f"/{self.path}")
        @bp.input(JobFilter, location="query")
        @bp.output(page, description="A page of jobs")
        @bp.doc(
            summary=f"List {self.noun} jobs, newest first",
            operation_id=f"list{name}s",
            responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS),
        )
        def list_all(query_data: JobFilter) -> Response:
            return self._list(query_data, page)

        @bp.delete(f"/{self.path}/<id>")
        @bp.input(WaitHeader, location="headers")
        @bp.output(self.object, description="The job has ended: cancelled now, or ended before")
        @bp.doc(
            summary=f"Cancel a {self.noun}",
            description="A queued job is cancelled at once; a running one stops in a moment; an ended one does not "
            "change. Cancelling again changes nothing.",
            operation_id=f"cancel{name}",
            responses=responses(
                {
                    202: {
                        "description": "The job is running and will stop in a moment",
                        "content": ended,
                        "headers": answers("Retry-After", "Preference-Applied"),
                    },
                    200: {"headers": answers("Preference-Applied")},
                },
                *READ_PROBLEMS,
                "not-found",
            ),
        )
        def cancel(id: str, headers_data: WaitHeader) -> Response:
            return self._cancel(id, headers_data)

        return bp

    def _take(self, headers: SubmitHeaders, asked: Request) -> tuple[str, bool]:
        """Check and queue a job; returns its id, and whether it was made now."""
        key = idempotency_key(headers.idempotency_key)
        fingerprint = fingerprint_of(key, asked)
        job_id = earlier(key, fingerprint)
        if job_id is not None:
            return job_id, False
        self.check(asked)
        priority = getattr(asked, "priority", 0)
        text = asked.model_dump_json(exclude_defaults=True)
        new = NewJob(self.kind, text, principal().owner, priority, quick=self.quick)
        job_id = make_once(key, fingerprint, new.id, self._insert([new], [asked]))
        if job_id == new.id:
            context().doorbell.ring()
        return job_id, job_id == new.id

    def _answer_made(self, job_id: str, made: bool, headers: SubmitHeaders) -> Response:
        response = self._answer(job_id, wait=preferred_wait(headers.prefer), unfinished=202)
        response.headers["Location"] = url_for(f"{self.path}.get_one", id=job_id)
        if not made:
            response.headers["Idempotent-Replayed"] = "true"
        return response

    def _take_batch(self, headers: SubmitHeaders, text: str) -> tuple[Sequence[str], bool]:
        """Make all jobs of a batch in one transaction; returns their ids, and whether they were made now. The ids are
        consecutive, so the first one, stored with the Idempotency-Key, gives them all.

        ``text``: the batch as JSON, because its model, made for this resource, cannot be sent to another process.
        """
        batch: Any = one_or_many(self.request).many.model_validate_json(text)
        key = idempotency_key(headers.idempotency_key)
        fingerprint = fingerprint_of(key, batch)
        first, made = earlier(key, fingerprint), False
        if first is None:
            self._check_batch(batch.items)
            owner = principal().owner
            news = [
                NewJob(self.kind, asked.model_dump_json(exclude_defaults=True), owner, id=id, quick=False)
                for asked, id in zip(batch.items, new_ids(len(batch.items)), strict=True)
            ]
            first = make_once(key, fingerprint, news[0].id, self._insert(news, batch.items))
            made = first == news[0].id
            if made:
                context().doorbell.ring()
        return ids_from(first, len(batch.items)), made

    def _answer_batch_made(self, ids: Sequence[str], made: bool, headers: SubmitHeaders) -> Response:
        response = self._answer_batch(ids, preferred_wait(headers.prefer))
        if not made:
            response.headers["Idempotent-Replayed"] = "true"
        return response

    def _insert(self, news: Sequence[NewJob], requests: Sequence[Request]) -> Callable[[Session], None]:
        """The function that queues these jobs, if there is room."""
        read = self.databases
        named = {} if read is None else {name: size for one in requests for name, size in read(one).items()}

        def insert(session: Session) -> None:
            check_room(session, len(news))
            check_databases(session, named)
            # After a lost connection it is unknown whether the commit succeeded; the rows may exist already.
            if queries.get_state(session, news[0].id) is None:
                machine.submit(session, news)

        return insert

    def _check_batch(self, items: Sequence[Request]) -> None:
        """Check all items; raises one `ProblemError` with the faults of all, each with its place."""
        faults: list[Fault] = []
        for number, asked in enumerate(items):
            try:
                self.check(asked)
            except HstarError as error:
                place = f"/items/{number}"
                faults += [Fault(place + fault.where, fault.message) for fault in error.faults] or [
                    Fault(place, error.message)
                ]
        if faults:
            raise ProblemError("invalid-request", "some items are invalid, so none was queued", faults)

    def _answer_batch(self, ids: Sequence[str], wait: int | None) -> Response:
        """The jobs in their present state, after the wait at the latest."""
        granted, deadline = None, time.monotonic() + (wait or 0)
        for id in ids if wait is not None else ():
            if (left := deadline - time.monotonic()) > 0 and context().long_polling.until_final(id, left) is not None:
                granted = wait
        with context().sessions.read() as session:
            found = [queries.get_job(session, self.kind, id, principal()) for id in ids]
        jobs = [job for job in found if job is not None]
        final = all(job.state.final for job in jobs)
        items = [to_object(job, self.object) for job in jobs]
        response = object_response(answer_to_either(self.object).many(items=items), 200 if final else 202)
        if not final:
            response.headers["Retry-After"] = str(retry_after(jobs[0].created_at))
        if granted is not None:
            response.headers["Preference-Applied"] = f"wait={granted:g}"
        return response

    def _find(self, job_id: str) -> Job:
        with context().sessions.read() as session:
            job = queries.get_job(session, self.kind, job_id, principal())
        if job is None:
            raise ProblemError("not-found", f"there is no {self.noun} job {job_id!r}")
        return job

    def _list(self, wanted: JobFilter, page: type[BaseModel]) -> Response:
        cursor = check_cursor(wanted.cursor)
        state = None if wanted.status is None else State(wanted.status)
        with context().sessions.read() as session:
            rows, more = queries.list_jobs(
                session, self.kind, principal(), state=state, cursor=cursor, size=wanted.limit
            )
        path = next_path(rows[-1].id if more else None)
        return page_response(page(items=[to_object(row, self.object) for row in rows], next=path), path)

    def _cancel(self, job_id: str, headers: WaitHeader) -> Response:
        job = self._find(job_id)
        if not job.state.final:
            ask_to_cancel(job.id)
        return self._answer(job_id, wait=preferred_wait(headers.prefer), unfinished=202)

    def _answer(self, job_id: str, *, wait: int | None, unfinished: int) -> Response:
        """The job in its state after the wait; ``unfinished``: HTTP status if the job has not ended."""
        granted, job = None, self._find(job_id)
        if wait is not None and not job.state.final:
            granted = context().long_polling.until_final(job.id, wait)
            job = self._find(job_id)
        response = object_response(to_object(job, self.object), 200 if job.state.final else unfinished)
        if not job.state.final:
            response.headers["Retry-After"] = str(retry_after(job.started_at or job.created_at))
        if granted is not None:
            response.headers["Preference-Applied"] = f"wait={granted:g}"
        return response


def ask_to_cancel(job_id: str) -> None:
    """Cancel a queued job at once; tell a running one to stop."""

    def cancel(session: Session) -> State | None:
        found = machine.request_cancel(session, job_id)
        if found in (State.RUNNING, State.CANCELLED):
            record_change(session, job_id)
        return found

    state = context().sessions.run(cancel)
    if state is not None and state.final:
        context().doorbell.finished(job_id)
    else:
        context().doorbell.cancel(job_id)


def check_room(session: Session, jobs: int = 1) -> None:
    """Raise `ProblemError` if the queue has no room for so many more jobs, or the disk none for their answers."""
    reserve, free = context().settings.reserve_mib, context().sessions.free_bytes()
    if free is not None and free < reserve * 2**20:
        raise ProblemError("storage-full", f"{free >> 20} MiB are free on the disk, and {reserve} are kept in reserve")
    most = context().settings.max_queued
    queued = queries.count_queued(session, most)
    if queued + jobs > most:
        raise ProblemError("queue-full", f"with {jobs} more, there would be more than {most} jobs in the queue")
    own = owner_queued()
    if own is None:
        return
    mine = queries.count_queued_of(session, principal().owner, own)
    # Half of what the others leave: however many owners fill the queue, there is room for one more.
    share = min(own, _half(most - (queued - mine)))
    if mine + jobs > share:
        raise ProblemError("queue-full", f"with {jobs} more, you would have more than {share} jobs in the queue")


def owner_queued() -> int | None:
    """How many jobs the principal may have in the queue; None: no limit of its own, for a service without keys."""
    settings, who = context().settings, principal()
    if who is LOCAL:
        return None
    most = settings.student_queued if who.role is Role.STUDENT else settings.owner_queued
    return min(most, _half(settings.max_queued))


def _half(jobs: int) -> int:
    return (jobs + 1) // 2


def check_databases(session: Session, named: Mapping[str, int]) -> None:
    """Record the pattern databases that the principal names; raise `ProblemError` if it named too many in a day."""
    settings, who = context().settings, principal()
    if who is LOCAL or not named:
        return
    most_bytes = settings.owner_databases_mib * 2**20
    try:
        databases.name(session, who.owner, named, most_bytes=most_bytes)
    except databases.TooManyDatabasesError as error:
        allowed = f"{databases.MOST} of {settings.owner_databases_mib or 'any number of'} MiB"
        detail = f"{error}, and an owner may have {allowed}"
        raise ProblemError("too-many-databases", detail, headers={"Retry-After": f"{error.seconds:.0f}"}) from None


def check_expansions(expanded: int) -> None:
    """Raise `InvalidRequest` if a limit on expansions is above the service's."""
    cap = context().settings.caps.expanded
    if cap is not None and expanded > cap:
        text = f"at most {cap} here (see /v1/limits), found {expanded}"
        raise InvalidRequest("a limit is above what this service allows", [Fault("/limits/expanded", text)])
