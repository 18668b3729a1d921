"""What every kind of job has in common: it is made by a POST of its own, and read, listed and cancelled as a job.

    bp = JobResource(
        path="databases", kind="database", noun="pattern database", request=DatabaseRequest, object=DatabaseJob,
        check=..., examples=..., tag=..., submit="...",
    ).blueprint()

A kind of job has two modules: a resource made with this class, and one in ``worker/kinds/`` with the code that runs it.
Reading, listing, cancelling and deleting are in `service.resources.jobs`, for all kinds together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from apiflask import APIBlueprint
from flask import Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from hstar.errors import MAX_FAULTS, Fault, HstarError, InvalidRequest
from service import openapi
from service.answering import object_response
from service.apart import apart, apart_if_added
from service.batches import one_or_many
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.headers import idempotency_key, preferred_wait, retry_after
from service.once import earlier, fingerprint_of, make_once
from service.openapi import ROOM_PROBLEMS, WRITE_PROBLEMS, answers, refers, responses
from service.schema import JobBatch, SubmitHeaders
from store.ids import ids_from, new_ids
from store.jobs import machine, queries
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.objects import head_of, to_object
from store.jobs.queries import Span
from store.jobs.states import State
from store.owners import databases
from store.owners.principal import LOCAL
from store.owners.roles import Role

Request = TypeVar("Request", bound=BaseModel)

#: shows jobs of one kind, in their order
Show = Callable[[Session, Sequence[Job]], Sequence[BaseModel]]

#: by kind, how its jobs are shown, and as objects of which class
SHOWN: dict[str, Show] = {}
OBJECTS: dict[str, type[BaseModel]] = {}
#: of the operations on jobs of all kinds
JOBS = {"name": "Jobs", "description": "Jobs of all kinds: read, wait for, list, cancel, delete."}


@dataclass(frozen=True, slots=True)
class New:
    """A checked request: the job that will be inserted, by ``insert`` together with others of its kind."""

    job: Any
    #: the key and the size in bytes of each pattern database that it names
    databases: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class JobResource(Generic[Request]):
    """A kind of job over HTTP. ``check`` raises `HstarError` for a request that cannot be run, and is fast.

    ``databases``: for a checked request, the key and the size in bytes of each pattern database that it names.
    """

    path: str
    kind: str
    noun: str
    request: type[Request]
    object: type[BaseModel]
    examples: Mapping[str, Any]
    tag: Mapping[str, str]
    submit: str
    check: Callable[[Request], None] = lambda _: None
    databases: Callable[[Request], Mapping[str, int]] | None = None
    problems: tuple[str, ...] = ()
    #: whether a job of this kind ends soon after it is told to stop, so that it may start in the slot for small jobs
    quick: bool = True

    def blueprint(self) -> APIBlueprint:
        """The operation that makes jobs, below ``/v1``."""
        SHOWN[self.kind], OBJECTS[self.kind] = self.show, self.object
        bp = APIBlueprint(self.path, __name__, url_prefix="/v1", tag=dict(self.tag))
        body = one_or_many(self.request)
        openapi.include(self.request, self.object, body.many, body)
        content = {"application/json": {"schema": refers(self.object, JobBatch)}}
        headers = ("Location", "Preference-Applied", "Idempotent-Replayed")
        take, take_batch = apart_if_added(self._take), apart(self._take_batch)

        @bp.post(f"/{self.path}")
        @bp.input(SubmitHeaders, location="headers")
        @bp.input(body, examples=dict(self.examples))
        @bp.output(self.object, status_code=202, description="Taken; poll the address in `Location`")
        @bp.doc(
            summary=f"Submit a {self.noun}",
            description=f"{self.submit}\n\n{BATCHES}",
            operation_id=f"submit{self.object.__name__}",
            responses=responses(
                {
                    200: {
                        "description": "Taken, and ended within the wait",
                        "content": content,
                        "headers": answers(*headers),
                    },
                    202: {"content": content, "headers": answers(*headers, "Retry-After")},
                },
                *WRITE_PROBLEMS,
                "not-found",
                "unknown-name",
                "idempotency-key-reused",
                *ROOM_PROBLEMS,
                "too-many-databases",
                *self.problems,
            ),
        )
        def submit(headers_data: SubmitHeaders, json_data: Any) -> Response:
            wait = preferred_wait(headers_data.prefer)
            if isinstance(json_data, self.request):
                new, job_id = take(headers_data, json_data)
                made = new is not None
                response = self.submitted(new) if new is not None and wait is None else None
                response = response or job_response(job_id, wait=wait, unfinished=202, waits=made)
                response.headers["Location"] = path_of(job_id)
            else:
                ids, made = take_batch(headers_data, json_data.model_dump_json(exclude_unset=True))
                response = _batch_response(ids, wait)
            if not made:
                response.headers["Idempotent-Replayed"] = "true"
            return response

        return bp

    def show(self, session: Session, jobs: Sequence[Job]) -> Sequence[BaseModel]:
        """The jobs as the API shows them."""
        return [to_object(job, self.object) for job in jobs]  # type: ignore[type-var]

    def prepared(self, asked: Request, id: str, many: bool) -> New:
        """The job that is asked for; raises `HstarError` or `ProblemError` if it cannot be run."""
        self.check(asked)
        priority = getattr(asked, "priority", 0)
        text = asked.model_dump_json(exclude_defaults=True)
        job = NewJob(self.kind, text, principal().owner, priority, id, quick=self.quick and not many)
        return New(job, {} if self.databases is None else self.databases(asked))

    def insert(self, session: Session, jobs: Sequence[Any]) -> None:
        """Insert what `prepared` has made."""
        machine.submit(session, jobs)

    def submitted(self, new: Any) -> Response | None:
        """The answer to one that was just made, if it can be given without reading it again."""
        return None

    def _take(self, headers: SubmitHeaders, asked: Request) -> tuple[Any, str]:
        """Check and queue a job; returns it, unless it was made before, and its id."""
        key = idempotency_key(headers.idempotency_key)
        fingerprint = fingerprint_of(key, asked)
        job_id = earlier(key, fingerprint)
        if job_id is not None:
            return None, job_id
        (id,) = new_ids(1)
        new = self.prepared(asked, id, many=False)
        job_id = make_once(key, fingerprint, id, self._insert([id], [new]))
        if job_id != id:
            return None, job_id
        context().doorbell.ring(small=new.job.small)
        return new.job, job_id

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
            ids = new_ids(len(batch.items))
            news = self._prepared(batch.items, ids)
            first = make_once(key, fingerprint, ids[0], self._insert(ids, news))
            made = first == ids[0]
            if made:
                context().doorbell.ring(small=any(new.job.small for new in news))
        return ids_from(first, len(batch.items)), made

    def _insert(self, ids: Sequence[str], news: Sequence[New]) -> Callable[[Session], None]:
        """The function that queues these jobs, if there is room."""
        named = {name: size for new in news for name, size in new.databases.items()}

        def insert(session: Session) -> None:
            check_room(session, len(news))
            check_databases(session, named)
            # After a lost connection it is unknown whether the commit succeeded; the rows may exist already.
            if queries.get_state(session, ids[0]) is None:
                self.insert(session, [new.job for new in news])

        return insert

    def _prepared(self, items: Sequence[Request], ids: Sequence[str]) -> list[New]:
        """All items prepared; raises one `ProblemError` with the faults of all, each with its place."""
        news: list[New] = []
        faults: list[Fault] = []
        for number, (asked, id) in enumerate(zip(items, ids, strict=True)):
            try:
                news.append(self.prepared(asked, id, many=True))
            except (HstarError, ProblemError) as error:
                message = error.message if isinstance(error, HstarError) else error.detail
                told = [
                    one if one.where.startswith("/") else replace(one, message=f"{message}: {one.message}")
                    for one in error.faults
                ]
                faults += [one.below(f"/items/{number}") for one in told or [Fault("", message)]]
                if len(faults) >= MAX_FAULTS:
                    break
        if faults:
            raise ProblemError("invalid-request", "some items are invalid, so none was queued", faults)
        return news


BATCHES = (
    "A body with `items` makes up to 10,000 jobs, all in one transaction or none: if some are invalid, the error names "
    "each with its place. The answer has a head for each, in their order, and in `url` where they are listed whole."
)


def path_of(job_id: str) -> str:
    """Where a job is."""
    return f"/v1/jobs/{job_id}"


def shown(session: Session, jobs: Sequence[Job]) -> list[BaseModel]:
    """Jobs of any kinds as the API shows them, in their order."""
    found: dict[str, BaseModel] = {}
    for kind in {job.kind for job in jobs}:
        of_kind = [job for job in jobs if job.kind == kind]
        found |= dict(zip((job.id for job in of_kind), SHOWN[kind](session, of_kind), strict=True))
    return [found[job.id] for job in jobs]


def find_job(session: Session, job_id: str) -> Job:
    """The job; raises `ProblemError` if there is none that the current request may see."""
    job = queries.get_job(session, job_id, principal())
    if job is None:
        raise ProblemError("not-found", f"there is no job {job_id!r:.60}")
    return job


def job_response(job_id: str, *, wait: int | None, unfinished: int, waits: bool = False) -> Response:
    """The job in its state after the wait; ``unfinished``: HTTP status if it has not ended; ``waits``: it is known to
    be there, so that it need not be looked up before the wait."""
    granted = None
    if wait is not None and not waits:
        with context().sessions.read() as session:
            waits = not find_job(session, job_id).state.final
    if wait is not None and waits:
        granted = context().long_polling.until_final(job_id, wait)
    with context().sessions.read() as session:
        job = find_job(session, job_id)
        (found,) = shown(session, [job])
    response = object_response(found, 200 if job.state.final else unfinished)
    if not job.state.final:
        response.headers["Retry-After"] = str(retry_after(job.started_at or job.created_at))
    if granted is not None:
        response.headers["Preference-Applied"] = f"wait={granted:g}"
    return response


def _batch_response(ids: Sequence[str], wait: int | None) -> Response:
    """The heads of the jobs in their present state, after the wait at the latest."""
    granted, deadline = None, time.monotonic() + (wait or 0)
    for id in ids if wait is not None else ():
        if (left := deadline - time.monotonic()) > 0 and context().long_polling.until_final(id, left) is not None:
            granted = wait
    with context().sessions.read() as session:
        jobs, _ = queries.list_jobs(session, principal(), span=Span(ids[0], ids[-1]), size=len(ids), most_bytes=None)
    jobs.reverse()
    final = all(job.state.final for job in jobs)
    url = f"/v1/jobs?{urlencode({'first': ids[0], 'last': ids[-1]})}"
    response = object_response(JobBatch(items=[head_of(job) for job in jobs], url=url), 200 if final else 202)
    response.headers["Location"] = url
    if not final:
        response.headers["Retry-After"] = str(retry_after(jobs[0].created_at))
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
    # Half of what the others leave: no owner alone fills the queue.
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
