"""The one table of all errors of the service, and the problem documents (RFC 9457) made from it.

>>> ERROR_KINDS["invalid-state"].status
422
>>> raise ProblemError("not-found", "there is no solve '42'")
Traceback (most recent call last):
service.errors.ProblemError: there is no solve '42'

Views raise `ProblemError` with a code of the table; errors of the library carry a ``code`` of the table, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

import structlog
from apiflask import APIFlask, HTTPError
from flask import Response, current_app, request
from pydantic import Field
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException

from hstar.errors import MAX_TEXT, MAX_WHERE, Fault, HstarError, clipped, listed
from hstar.schema import Out

log = structlog.get_logger(__name__)

PROBLEM_JSON = "application/problem+json"
ERRORS_PAGE = "/docs/errors"


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """A kind of error: its code (stable; the end of its type URI), HTTP status, title, and what a client can do."""

    code: str
    status: int
    title: str
    meaning: str
    retry_after: int | None = None

    @property
    def uri(self) -> str:
        return f"{ERRORS_PAGE}#{self.code}"


ERROR_KINDS: Mapping[str, ErrorKind] = {
    kind.code: kind
    for kind in (
        ErrorKind(
            "malformed-json",
            400,
            "The body is not JSON",
            "The body is not one JSON text in UTF-8: it does not parse, repeats a key, holds NaN or Infinity or a "
            "character that is not text, or is nested too deeply. `errors` has the place of each fault: a JSON "
            "pointer, or a line and column.",
        ),
        ErrorKind("bad-request", 400, "The request is malformed", "A header or the request line cannot be read."),
        ErrorKind(
            "unauthorized",
            401,
            "An API key is needed",
            "Send `Authorization: Bearer <key>` with a key that the operator gave you.",
        ),
        ErrorKind(
            "forbidden",
            403,
            "Forbidden",
            "The request comes from another web site (Origin, Sec-Fetch-Site), or from another machine while the "
            "service has no API keys: without keys it answers only its own machine.",
        ),
        ErrorKind(
            "role-needed",
            403,
            "The key's role does not allow this",
            "This needs the role of an operator or an instructor; `GET /v1/me` shows the role of a key. Without keys "
            "nobody is an operator: make the first key with `python -m store keys create NAME --role operator`.",
        ),
        ErrorKind(
            "not-found",
            404,
            "Not found",
            "No resource has this address, or it belongs to another owner.",
        ),
        ErrorKind(
            "no-certificate",
            404,
            "There is no certificate",
            'The solve was not submitted with `"certificate": true`, the job has not ended, nothing was found wrong, '
            "or there is no proof that the checker knows; `detail` says which.",
        ),
        ErrorKind(
            "method-not-allowed",
            405,
            "The resource does not have this method",
            "The header `Allow` lists its methods.",
        ),
        ErrorKind(
            "payload-too-large",
            413,
            "The body is too large",
            "The greatest allowed size is `body_bytes` in /v1/limits.",
        ),
        ErrorKind(
            "unsupported-media-type",
            415,
            "The body must be JSON",
            "Send `Content-Type: application/json`, in UTF-8, without a Content-Encoding.",
        ),
        ErrorKind(
            "misdirected-host",
            421,
            "The service does not have this host name",
            "The header `Host` names another server. Without API keys only `localhost` and loopback addresses are "
            "allowed; the operator can allow more names with HSTAR_ALLOWED_HOSTS.",
        ),
        ErrorKind(
            "invalid-request",
            422,
            "Invalid request",
            "Fields, parameters or headers are missing, unknown, of the wrong type, out of range, or exclude one "
            "another. `errors` lists all of them: `where` is a JSON pointer into the body, or `query:name`, or "
            "`header:name`.",
        ),
        ErrorKind(
            "invalid-state",
            422,
            "The puzzle cannot be in this state",
            "`errors` lists every fault: colour counts, pieces that do not exist or repeat, parity, twist and flip. "
            "`POST /v1/states` with `Accept: application/vnd.hstar.certificate` has a file that proves that no moves "
            "solve it.",
        ),
        ErrorKind(
            "invalid-alg",
            422,
            "Invalid alg",
            "A move does not exist in this puzzle, or is not possible at this place in the alg.",
        ),
        ErrorKind(
            "invalid-heuristic",
            422,
            "Invalid heuristic",
            "`where` is the column in the expression (counted from 1); the message says what was expected there.",
        ),
        ErrorKind(
            "unknown-name",
            422,
            "Unknown name",
            "No puzzle, move set or the like has this name; `detail` lists the known names, `errors` has the field.",
        ),
        ErrorKind(
            "idempotency-key-reused",
            422,
            "The key was used for another request",
            "An Idempotency-Key belongs to one request. Use a new key for a new request.",
        ),
        ErrorKind(
            "too-many-webhooks",
            409,
            "The owner has as many webhooks as are allowed",
            "Delete one first; the operator's HSTAR_WEBHOOKS is their greatest number.",
        ),
        ErrorKind(
            "job-in-use",
            409,
            "The job cannot be deleted",
            "It has not ended (cancel it first), or belongs to an experiment or a submission (delete that).",
        ),
        ErrorKind(
            "no-attempts-left",
            409,
            "No attempt is left",
            "The student has used all attempts of the assignment. Submissions that the service could not grade do not "
            "count.",
        ),
        ErrorKind(
            "notation-needed",
            422,
            "The notation must be confirmed",
            "The moves are in a notation of the student's own. `POST .../readings` shows what they seem to mean; send "
            "that as `notation`. The file costs no attempt.",
        ),
        ErrorKind(
            "assignment-closed",
            409,
            "The assignment is closed",
            "Nothing is accepted after the assignment's `closes`. An instructor can give an extension.",
        ),
        ErrorKind(
            "no-token-left",
            429,
            "Attempts follow one another too quickly",
            "The assignment has a token bucket: each submission takes a token, and tokens come back with time. The "
            "next one is available after `Retry-After` seconds.",
        ),
        ErrorKind(
            "regrade-request-refused",
            409,
            "A regrade cannot be requested now",
            "The submission has not been graded yet, the assignment's deadline for such requests has passed, or an "
            "earlier request has not been answered yet.",
        ),
        ErrorKind(
            "too-many-requests",
            429,
            "Too many requests",
            "The owner of the key has sent too many within a minute (`requests_per_minute` in /v1/limits). The headers "
            "`RateLimit` and `RateLimit-Policy` of every answer say how many are left. Wait for `Retry-After` seconds.",
            retry_after=5,
        ),
        ErrorKind(
            "too-many-wrong-keys",
            429,
            "Too many wrong API keys",
            "This address has sent too many wrong API keys. Wait for `Retry-After` seconds. Keys made with "
            "`hstar keys create` are still accepted.",
            retry_after=60,
        ),
        ErrorKind(
            "too-much-work",
            422,
            "This is too much work for a request",
            "It takes more time or memory than a request may. Ask for less, or for a job that does it: an audit, a "
            "solve or a pattern database.",
        ),
        ErrorKind(
            "too-many-computations",
            429,
            "Too many computations",
            "Checks, traces, pictures and the like run a few at a time, and fewer of one owner. Nothing was stored; "
            "send the request again after `Retry-After` seconds.",
            retry_after=1,
        ),
        ErrorKind(
            "queue-full",
            429,
            "The queue is full",
            "Too many jobs are waiting, of all owners or of this one. Nothing was stored; send the request again after "
            "`Retry-After` seconds.",
            retry_after=5,
        ),
        ErrorKind(
            "too-many-databases",
            429,
            "Too many pattern databases",
            "The requests of one owner have named too many different pattern databases in a day, or too many MiB of "
            "them (`owner_databases` and `owner_databases_mib` in /v1/limits). Those named before can still be used. A "
            "new one is allowed after `Retry-After` seconds.",
        ),
        ErrorKind(
            "storage-full",
            507,
            "The disk is nearly full",
            "The disk of the service has less free space than is kept in reserve for queued jobs (HSTAR_RESERVE_MIB). "
            "Nothing was stored. The operator has to free space.",
            retry_after=60,
        ),
        ErrorKind(
            "parquet-not-installed",
            501,
            "Parquet is not installed here",
            "The service runs without pyarrow. The same rows are available as CSV and JSON.",
        ),
        ErrorKind(
            "plots-not-installed",
            501,
            "Plots are not installed here",
            "The service runs without Matplotlib. The table and the rows are still available.",
        ),
        ErrorKind(
            "unavailable",
            503,
            "The database does not answer",
            "Nothing was stored. Send the request again after `Retry-After` seconds, with the same Idempotency-Key.",
            retry_after=2,
        ),
        ErrorKind(
            "not-ready",
            503,
            "The service is not ready",
            "The database does not answer, or lacks migrations; `errors` says which.",
            retry_after=2,
        ),
        ErrorKind(
            "solution-rejected",
            500,
            "A solution failed its replay",
            "A bug in hstar, not in the request. Please report it.",
        ),
        ErrorKind("error", 500, "The library failed", "A bug in hstar. Please report it with the request."),
        ErrorKind("internal-error", 500, "The service failed", "A bug in hstar. Please report it with the request."),
    )
}

_BY_STATUS = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "payload-too-large",
    415: "unsupported-media-type",
    422: "invalid-request",
    503: "unavailable",
}


class ProblemFault(Out):
    """One fault, and its place."""

    where: str = Field(description="JSON pointer into the body, query:name, header:name, or a column of an expression")
    message: str


class Problem(Out):
    """An error in the form of RFC 9457. Its `type` is the address of an explanation in this documentation."""

    type: str = Field(description="address of the explanation, such as /docs/errors#invalid-state")
    title: str
    status: int
    detail: str
    instance: str = Field(description="path of the request")
    errors: list[ProblemFault] = Field(description="every fault that was found, not only the first")


class ProblemError(Exception):
    """Raised by a view: answers the request with the problem document of the kind ``code``.

    headers: added to the answer. faults: its ``errors`` list.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        faults: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.kind = ERROR_KINDS[code]
        self.detail = clipped(detail, MAX_TEXT)
        self.faults = listed(faults)
        super().__init__(self.detail)
        self.headers = dict(headers or {})


@contextmanager
def told_at(where: str, code: str | None = None) -> Iterator[None]:
    """What the library finds wrong with what is not in the body, but at ``where``: an error of the kind ``code``."""
    try:
        yield
    except HstarError as error:
        faults = [replace(fault, where=where) for fault in error.faults]
        raise ProblemError(code or error.code, error.message, faults) from None


def problem_response(
    kind: ErrorKind, detail: str, faults: Sequence[Fault] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """The problem document of ``kind`` as an answer to the current request."""
    problem = Problem(
        type=kind.uri,
        title=kind.title,
        status=kind.status,
        detail=_printable(detail),
        instance=_printable(clipped(request.path, MAX_WHERE)),
        errors=[ProblemFault(where=_printable(fault.where), message=_printable(fault.message)) for fault in faults],
    )
    response = Response(problem.model_dump_json(), status=kind.status, content_type=PROBLEM_JSON)
    response.headers.extend({key: value for key, value in (headers or {}).items() if key.lower() != "content-type"})
    if kind.retry_after is not None:
        response.headers.setdefault("Retry-After", str(kind.retry_after))
    response.headers["Cache-Control"] = "no-store"
    return response


def register_errors(app: APIFlask) -> None:
    """Answer every exception of ``app`` with a problem document."""

    def on_problem(error: ProblemError) -> Response:
        return problem_response(error.kind, error.detail, error.faults, error.headers)

    def on_hstar_error(error: HstarError) -> Response:
        kind = ERROR_KINDS[error.code]
        if kind.status >= 500:
            log.error("library_failed", path=request.path, error=str(error), exc_info=error)
        return problem_response(kind, error.message, error.faults)

    def on_database_error(error: Exception) -> Response:
        log.error("database_unavailable", path=request.path, error=type(error).__name__, detail=str(error))
        return problem_response(ERROR_KINDS["unavailable"], "the database did not answer in time")

    def on_dbapi_error(error: DBAPIError) -> Response:
        return on_database_error(error) if error.connection_invalidated else on_anything(error)

    def on_no_memory(_error: MemoryError) -> Response:
        why = "it takes more memory than a request may; ask for less, for example fewer expansions"
        return problem_response(ERROR_KINDS["too-much-work"], why)

    def on_http_exception(error: HTTPException) -> Response:
        if isinstance(error.response, Response):  # an answer that a process beside this one has made
            return error.response
        status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
        if status < HTTPStatus.BAD_REQUEST:
            return Response(error.get_body(), status, dict(error.get_headers()))
        kind = ERROR_KINDS[_BY_STATUS.get(status, "internal-error" if status >= 500 else "bad-request")]
        return problem_response(kind, _detail(error), headers=dict(error.get_headers()))

    def on_api_error(error: HTTPError) -> Response:
        kind = ERROR_KINDS[_BY_STATUS.get(error.status_code, "internal-error")]
        return problem_response(kind, str(error.message))

    def on_anything(error: Exception) -> Response:
        log.error("request_failed", method=request.method, path=request.path, exc_info=error)
        return problem_response(ERROR_KINDS["internal-error"], "the service failed; its log has the error")

    handlers: Sequence[tuple[type[Exception], Any]] = (
        (ProblemError, on_problem),
        (HstarError, on_hstar_error),
        (OperationalError, on_database_error),
        (InterfaceError, on_database_error),
        (PoolTimeout, on_database_error),
        (DBAPIError, on_dbapi_error),
        (MemoryError, on_no_memory),
        (HTTPException, on_http_exception),
        (HTTPError, on_api_error),
        (Exception, on_anything),
    )
    for kind, handler in handlers:
        app.register_error_handler(kind, handler)


def _detail(error: HTTPException) -> str:
    """The detail of an HTTP error; werkzeug's own texts are for people at a browser."""
    match error.code:
        case HTTPStatus.NOT_FOUND:
            return f"there is no resource at {request.path}"
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return f"{request.path} does not have the method {request.method}"
        case HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return f"the body is larger than {current_app.config['MAX_CONTENT_LENGTH']} bytes"
    return error.description or error.name


def _printable(text: str) -> str:
    """``text`` with lone surrogates, which UTF-8 cannot encode (a hostile path or key may hold them), as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
