"""A client of the service: calls of ``import hstar``, computed on a server.

>>> client = hstar.Client("http://127.0.0.1:8000")                                # doctest: +SKIP
>>> print(client.solve("3x3x3", k=8, moves="half", progress=True))
>>> client.experiment("8-puzzle", k="3-14", heuristics=["manhattan"]).to_pandas()

`AsyncClient` has the same methods (`aclose` for `close`); each is awaited, and what `Client` iterates over
is iterated with ``async for``.

Every method is written once, in `Calls`, as a generator that does no input or output: it yields the requests that it
sends, its pauses, and the items that it finds, and is sent the answers. The two clients only perform these steps.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, Self, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx
from pydantic import BaseModel

from hstar import schema, session
from hstar.errors import Fault, HstarError, InvalidRequest, UnknownName
from hstar.experiments.export import read_rows_csv
from hstar.experiments.report import MAX_COMPARED
from hstar.experiments.schema import (
    Axis,
    Comparison,
    ComparisonList,
    ExperimentRequest,
    PlotFormat,
    PlotMeasure,
    PlotSize,
    Report,
    Table,
)
from hstar.experiments.schema import Experiment as ExperimentStatus
from hstar.heuristics.check import HeuristicCheck
from hstar.keys import Key, KeyRequest, NewKey
from hstar.puzzles.definition import KPuzzle

RowFormat = Literal["csv", "json", "parquet"]
M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
P = ParamSpec("P")

#: called with the state of what is waited for, each time that it is known; True: a progress bar
Progress = bool | Callable[[Any], None]

#: how often a request is sent when the server cannot be reached or asks to wait
ATTEMPTS = 5
#: and when it cannot be reached although it has answered before, so that it may be starting again: for 75 seconds
RETURNING = 10
#: seconds: the longest pause that is not the server's wish
_LONGEST_PAUSE = 15.0
#: seconds; if a server asks for a longer wait, the call fails
LONGEST_WAIT = 60.0
#: seconds that the server holds an answer back; shorter with a progress bar
HELD, SHOWN = 20, 1
_TRY_AGAIN = (429, 502, 503, 504)
#: of jobs and experiments; every other status is an end
_WAITING = ("queued", "running")
_ANY = {"Accept": "*/*"}


class ServerError(HstarError):
    """The server refused the request, could not be reached, or answered with something else.

    ``status`` is HTTP's, ``kind`` the code of the problem (``docs/errors`` of the server lists them).
    """

    code = "server-error"

    def __init__(
        self, message: str, faults: tuple[Fault, ...] = (), status: int | None = None, kind: str | None = None
    ) -> None:
        super().__init__(message, faults)
        self.status = status
        self.kind = kind


@dataclass(frozen=True)
class _Send:
    """A request; the step is answered with an `httpx.Response`, or a `TransportError` is raised in it."""

    method: str
    path: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Pause:
    seconds: float


@dataclass(frozen=True)
class _Found:
    """An item of an iteration."""

    item: Any


Steps = Generator[_Send | _Pause | _Found, Any, T]


class Calls:
    """Every method of the clients, as a generator of steps."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._answered = False
        self._operations: dict[str, tuple[str, str, dict[str, Any]]] = {}

    # -- solves -------------------------------------------------------------------------------------------------------

    def solve(
        self, /, start: str | session.Puzzle | session.State, *, progress: Progress = False, **question: Any
    ) -> Steps[session.Solution]:
        """`hstar.solve` on the server: the same arguments but ``control`` and those of one machine (``threads``,
        ``directory``, ``disk_mib``, functions); with ``certificate=True`` the method `certificate` reads the file.

        With `Client`, Ctrl-C cancels the solve there; the answer then has what it proved, and its best solution so far.
        """
        known, asked = session.question(start, **question)
        submitted = yield from self.submit(asked)
        return (yield from self._solution(known, submitted, progress))

    def shorten(
        self, /, puzzle: str | session.Puzzle, alg: str, *, progress: Progress = False, **question: Any
    ) -> Steps[session.Solution]:
        """`hstar.shorten` on the server."""
        known, asked = session.shortening(puzzle, alg, **question)
        submitted = yield from self.submit(asked)
        found = yield from self._solution(known, submitted, progress)
        return session.not_longer(found, found.answer.start.alg or [])

    def submit(
        self, request: schema.SolveRequest | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Steps[schema.Solve]:
        """Queue a solve, without waiting for it. Sent again, because no answer came, it makes no other."""
        body = request.model_dump(mode="json", exclude_unset=True) if isinstance(request, BaseModel) else request
        headers = {"Idempotency-Key": idempotency_key or str(uuid4())}
        return (yield from self._model(schema.Solve, "POST", "/v1/solves", json=body, headers=headers))

    def wait(self, id: str, *, progress: Progress = False) -> Steps[schema.Solve]:
        """The solve when it has ended."""
        text = yield from self._until_ended(f"/v1/jobs/{_part(id)}", progress)
        return _read(schema.Solve, text)

    def get_solve(self, id: str) -> Steps[schema.Solve]:
        """A solve as it is now."""
        return (yield from self._model(schema.Solve, "GET", f"/v1/jobs/{_part(id)}"))

    def solves(self, /, **filters: Any) -> Steps[None]:
        """All solves that the caller may see, newest first, page by page; filters as of ``GET /v1/jobs``."""
        return (yield from self._pages(schema.Solve, "/v1/jobs", {"kind": "solve", **filters}))

    def cancel(self, id: str) -> Steps[None]:
        """Cancel a solve or any other job."""
        yield from self._send("POST", f"/v1/jobs/{_part(id)}/cancel")

    def delete(self, id: str) -> Steps[None]:
        """Delete a job that has ended."""
        yield from self._send("DELETE", f"/v1/jobs/{_part(id)}")

    def certificate(self, id: str) -> Steps[bytes]:
        """The certificate of a job, for ``checker/check.py``."""
        return (yield from self._send("GET", f"/v1/jobs/{_part(id)}/certificate", headers=_ANY)).content

    def _solution(self, known: session.Puzzle, submitted: schema.Solve, progress: Progress) -> Steps[session.Solution]:
        assert submitted.id is not None
        answer = submitted
        if submitted.status in _WAITING:
            answer = yield from self.wait(submitted.id, progress=progress)
        return session.Solution(known.state(answer.start.state), answer)

    # -- heuristics and puzzles ---------------------------------------------------------------------------------------

    def check(self, text: str, puzzle: str | session.Puzzle, moves: str | None = None) -> Steps[HeuristicCheck]:
        """`hstar.check` on the server: is a heuristic admissible and consistent for a move set?"""
        known = session.Puzzle(puzzle) if isinstance(puzzle, str) else puzzle
        body = {"puzzle": known.name, "goal": known.goal, "heuristic": text, "moves": moves}
        path = "/v1/heuristics/check"
        return (yield from self._model(HeuristicCheck, "POST", path, json={k: v for k, v in body.items() if v}))

    def puzzle(self, name: str) -> Steps[session.Puzzle]:
        """The puzzle of this name, also one that was added to the server."""
        try:
            return session.Puzzle(name)
        except UnknownName:
            found = yield from self.describe_puzzle(name)
            if "definition" not in found:
                raise
            return session.Puzzle.from_generators(found["definition"], found["name"])

    def describe_puzzle(self, name: str) -> Steps[dict[str, Any]]:
        """The description of a puzzle, as the API gives it."""
        return (yield from self.request("GET", f"/v1/puzzles/{_part(name)}"))

    def add_puzzle(self, definition: KPuzzle) -> Steps[dict[str, Any]]:
        """Add a puzzle or change its definition; returns its description."""
        body = {"definition": definition.model_dump(mode="json", by_alias=True, exclude_defaults=True)}
        return (yield from self.request("POST", "/v1/puzzles", json=body))

    def added_puzzles(self) -> Steps[list[str]]:
        """The full names of the added puzzles that the caller may see."""
        found = yield from self.request("GET", "/v1/puzzles")
        return [item["name"] for item in found["items"] if item["owner"] is not None]

    def remove_puzzle(self, name: str) -> Steps[None]:
        """Remove a name."""
        yield from self._send("DELETE", f"/v1/puzzles/{_part(name)}")

    # -- experiments --------------------------------------------------------------------------------------------------

    def experiment(
        self,
        /,
        puzzle: str,
        k: int | str | Sequence[int] | None = None,
        heuristics: Sequence[str] = (),
        *,
        progress: Progress = False,
        **fields: Any,
    ) -> Steps[session.Experiment]:
        """`hstar.experiment` on the server, without ``jobs`` and functions. The same one again is found, not run again;
        also after a restart."""
        request = session.design(puzzle, k, heuristics, **fields)
        made = yield from self.submit_experiment(request)
        assert made.id is not None
        path = f"/v1/experiments/{_part(made.id)}"
        yield from self._until_ended(path, progress)
        text = (yield from self._send("GET", f"{path}/rows.csv", headers=_ANY)).text
        return session.Experiment(tuple(read_rows_csv(text.splitlines())), request)

    def submit_experiment(
        self, request: ExperimentRequest, idempotency_key: str | None = None
    ) -> Steps[ExperimentStatus]:
        """Create an experiment with all its rows, or return it if the same one exists.

        With an idempotency key it is a different experiment from those sent with another key or with none.
        """
        body = request.model_dump(mode="json", exclude_unset=True)
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return (yield from self._model(ExperimentStatus, "POST", "/v1/experiments", json=body, headers=headers))

    def get_experiment(self, id: str) -> Steps[ExperimentStatus]:
        """The state and progress of an experiment."""
        return (yield from self._model(ExperimentStatus, "GET", f"/v1/experiments/{_part(id)}"))

    def experiments(self, /, **filters: Any) -> Steps[None]:
        """All experiments that the caller may see, newest first, page by page."""
        return (yield from self._pages(ExperimentStatus, "/v1/experiments", filters))

    def experiment_table(self, id: str, x: Axis = "k") -> Steps[Table]:
        """The table of what has ended so far."""
        return (yield from self._model(Table, "GET", f"/v1/experiments/{_part(id)}/table", params={"x": x}))

    def compare_experiments(
        self, id: str, other: str | None = None, measure: str = "expanded"
    ) -> Steps[list[Comparison]]:
        """Compare every two ways to search of one experiment, or each way of one with each way of the other."""
        params = {"measure": measure} | ({"other": other} if other else {})
        path = f"/v1/experiments/{_part(id)}/comparison"
        return (yield from self._model(ComparisonList, "GET", path, params=params)).items

    def experiment_report(self, experiment: ExperimentStatus) -> Steps[Report]:
        """The experiment with its tables and comparisons, as `hstar.experiments.report` makes it from rows."""
        assert experiment.id is not None
        table = yield from self.experiment_table(experiment.id)
        distances = None
        if experiment.request.true_distance:
            distances = yield from self.experiment_table(experiment.id, "true_distance")
        compared: list[Comparison] = []
        if len({group.series for group in table.groups}) <= MAX_COMPARED:
            compared = yield from self.compare_experiments(experiment.id)
        return Report(**dict(experiment), table=table, table_by_true_distance=distances, comparisons=compared)

    def cancel_experiment(self, id: str) -> Steps[None]:
        """Cancel the rows that have not ended."""
        yield from self._send("POST", f"/v1/experiments/{_part(id)}/cancel")

    def delete_experiment(self, id: str) -> Steps[None]:
        """Delete an experiment that has ended, with its rows."""
        yield from self._send("DELETE", f"/v1/experiments/{_part(id)}")

    def follow_experiment(self, id: str, every: float = 1.0) -> Steps[None]:
        """The state of the experiment about every ``every`` seconds, up to and including its end."""
        while True:
            now = yield from self.get_experiment(id)
            yield _Found(now)
            if now.status not in _WAITING:
                return
            yield _Pause(every)

    def experiment_rows(self, id: str, format: RowFormat = "csv") -> Steps[bytes]:
        """The file with the rows."""
        return (yield from self._send("GET", f"/v1/experiments/{_part(id)}/rows.{format}", headers=_ANY)).content

    def experiment_plot(
        self,
        id: str,
        *,
        x: Axis = "k",
        y: PlotMeasure = "expanded",
        format: PlotFormat = "svg",
        size: PlotSize = "page",
    ) -> Steps[bytes]:
        """The file with the plot."""
        path = f"/v1/experiments/{_part(id)}/plot.{format}"
        found = yield from self._send("GET", path, params={"x": x, "y": y, "size": size}, headers=_ANY)
        return found.content

    # -- keys ---------------------------------------------------------------------------------------------------------

    def create_key(self, request: KeyRequest) -> Steps[NewKey]:
        """Make an API key. If the answer is lost on the way, the key is in the list but can only be revoked."""
        body = request.model_dump(mode="json", exclude_unset=True)
        return (yield from self._model(NewKey, "POST", "/v1/keys", json=body))

    def keys(self) -> Steps[None]:
        """The keys that the caller may see, newest first."""
        return (yield from self._pages(Key, "/v1/keys", {"limit": "200"}))

    def revoke_key(self, id: str) -> Steps[Key]:
        """Revoke a key."""
        return (yield from self._model(Key, "DELETE", f"/v1/keys/{_part(id)}"))

    # -- every operation ----------------------------------------------------------------------------------------------

    def call(self, /, operation: str, body: object = None, **parameters: Any) -> Steps[Any]:
        """Any operation of the server's OpenAPI document, by its ``operationId``.

        >>> client.call("listRecords", id=assignment)["items"]                        # doctest: +SKIP

        :param body: the JSON value that it takes
        :param parameters: of its path, its query and its headers (``idempotency_key``); None: left out
        :return: the JSON value of the answer, the text or the bytes of a file, or None for an empty answer
        :raises UnknownName: the server has no such operation
        :raises InvalidRequest: it has no such parameter, or one is missing
        """
        if not self._operations:
            document = (yield from self._send("GET", "/openapi.json")).json()
            self._operations = {
                spec["operationId"]: (method.upper(), path, spec)
                for path, methods in document["paths"].items()
                for method, spec in methods.items()
            }
        if operation not in self._operations:
            raise UnknownName("operation", operation, list(self._operations))
        method, path, options = _filled(operation, *self._operations[operation], parameters)
        if body is not None:
            options["json"] = body
        answer = yield from self._send(method, path, **options)
        return _content(answer)

    def run(self, operation: str, body: object, *, progress: Progress = False) -> Steps[dict[str, Any]]:
        """Submit a job, such as ``"submitAnalysisJob"``, and wait for its end."""
        made: dict[str, Any] = yield from self.call(operation, body, idempotency_key=str(uuid4()))
        return (yield from self._ended(made, progress))

    def job(self, path: str, body: object, *, progress: Progress = False) -> Steps[dict[str, Any]]:
        """The same by the path that makes such jobs, ``"/v1/analyses"``, without reading the server's document."""
        headers = {"Idempotency-Key": str(uuid4())}
        made = _object((yield from self._send("POST", path, json=body, headers=headers)))
        return (yield from self._ended(made, progress))

    def hand_in(
        self, assignment: str, filename: str, content: bytes, *, student: str | None = None, progress: Progress = False
    ) -> Steps[dict[str, Any]]:
        """Hand in a file for an assignment: the submission when it has been graded, as the API gives it.

        :param student: whose it is; not needed with a student's own key
        """
        path = f"/v1/assignments/{_part(assignment)}/submissions"
        body = {"filename": filename, "content_base64": b64encode(content).decode(), "student": student}
        headers = {"Idempotency-Key": str(uuid4())}
        made = _object((yield from self._send("POST", path, json=body, headers=headers)))
        found: dict[str, Any] = json.loads((yield from self._until_ended(f"{path}/{_part(made['id'])}", progress)))
        return found

    def _ended(self, made: dict[str, Any], progress: Progress) -> Steps[dict[str, Any]]:
        found: dict[str, Any] = json.loads((yield from self._until_ended(f"/v1/jobs/{_part(made['id'])}", progress)))
        return found

    def request(
        self, method: str, path: str, *, json: object = None, params: Mapping[str, str] | None = None
    ) -> Steps[dict[str, Any]]:
        """The object that a request is answered with."""
        found: dict[str, Any] = (yield from self._send(method, path, json=json, params=params)).json()
        return found

    def text(self, path: str, params: Mapping[str, str] | None = None, *, method: str = "GET") -> Steps[str]:
        """The text of a file, such as a gradebook."""
        return (yield from self._send(method, path, params=params, headers=_ANY)).text

    # -- how ----------------------------------------------------------------------------------------------------------

    def _until_ended(self, path: str, progress: Progress) -> Steps[bytes]:
        """Ask until the job or experiment has ended. Ctrl-C cancels a job, once."""
        held = SHOWN if progress else HELD
        asked_to_end = False
        with _showing(progress) as show:
            while True:
                try:
                    found = yield from self._send("GET", path, headers={"Prefer": f"wait={held}"})
                    now = _object(found)
                    show(now)
                    if now.get("status") not in _WAITING:
                        return found.content
                    if "Preference-Applied" not in found.headers:
                        yield _Pause(min(max(_retry_after(found), 0.2), float(held)))
                except KeyboardInterrupt:
                    if asked_to_end or not path.startswith("/v1/jobs/"):
                        raise
                    asked_to_end = True
                    yield from self._send("POST", f"{path}/cancel")

    def _pages(self, model: type[BaseModel], path: str, filters: Mapping[str, Any]) -> Steps[None]:
        next: str | None = path
        params: Mapping[str, Any] | None = {name: value for name, value in filters.items() if value is not None}
        while next is not None:
            page = yield from self._send("GET", next, params=params or None)
            for item in _items(page.content):
                yield _Found(_read(model, json.dumps(item).encode()))
            # The address of the next page has the filters.
            next, params = _object(page).get("next"), None

    def _model(self, model: type[M], method: str, path: str, **options: Any) -> Steps[M]:
        response = yield from self._send(method, path, **options)
        try:
            return _read(model, response.content)
        except ServerError as error:
            error.status = response.status_code
            raise

    def _send(self, method: str, path: str, **options: Any) -> Steps[httpx.Response]:
        """Send the request until it is answered. Every request of this client may be sent twice."""
        failure: ServerError | None = None
        for attempt in range(RETURNING):
            wait, allowed = min(0.5 * 2**attempt, _LONGEST_PAUSE), ATTEMPTS
            try:
                response: httpx.Response = yield _Send(method, path, options)
            except httpx.UnsupportedProtocol as error:
                raise ServerError(f"{self.url} is not the address of a server", (Fault("", str(error)),)) from None
            except httpx.TransportError as error:
                failure = ServerError(f"{self.url} cannot be reached", (Fault("", str(error)),))
                allowed = RETURNING if self._answered else ATTEMPTS
            else:
                self._answered = True
                if response.is_success:
                    return response
                failure = _problem(response)
                if response.status_code not in _TRY_AGAIN:
                    raise failure
                wait = max(wait, _retry_after(response))
            if wait > LONGEST_WAIT or attempt + 1 >= allowed:
                break
            yield _Pause(wait)
        assert failure is not None
        raise failure


def _blocking(method: Callable[Concatenate[Calls, P], Steps[T]]) -> Callable[Concatenate[Client, P], T]:
    @wraps(method)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        steps = self._perform(method(self._calls, *args, **kwargs))
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
        raise TypeError("this iterates")

    return call


def _iterating(
    method: Callable[Concatenate[Calls, P], Steps[None]], item: type[T]
) -> Callable[Concatenate[Client, P], Iterator[T]]:
    @wraps(method)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return self._perform(method(self._calls, *args, **kwargs))

    return call


def _awaited(
    method: Callable[Concatenate[Calls, P], Steps[T]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    @wraps(method)
    async def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        returned: list[T] = []
        async for _ in self._perform(method(self._calls, *args, **kwargs), returned.append):
            raise TypeError("this iterates")
        return returned[0]

    return call


def _async_iterating(
    method: Callable[Concatenate[Calls, P], Steps[None]], item: type[T]
) -> Callable[Concatenate[AsyncClient, P], AsyncIterator[T]]:
    @wraps(method)
    def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        return self._perform(method(self._calls, *args, **kwargs), lambda _: None)

    return call


class Client:
    """One server; ``api_key`` is sent as a Bearer token. Close it, or use it in a ``with`` statement."""

    def __init__(self, url: str, api_key: str | None = None, *, timeout: float = 60.0) -> None:
        self._calls = Calls(url)
        self._http = _made(httpx.Client, url, api_key, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _perform(self, steps: Steps[T]) -> Generator[Any, None, T]:
        """Perform the steps, and yield what is found on the way."""
        reply: Any = None
        error: BaseException | None = None
        while True:
            try:
                step = steps.send(reply) if error is None else steps.throw(error)
            except StopIteration as end:
                found: T = end.value
                return found
            reply = error = None
            try:
                match step:
                    case _Found(item):
                        yield item
                    case _Pause(seconds):
                        time.sleep(seconds)
                    case _Send(method, path, options):
                        reply = self._http.request(method, path, **options)
            except (httpx.TransportError, KeyboardInterrupt) as raised:
                error = raised

    solve = _blocking(Calls.solve)
    shorten = _blocking(Calls.shorten)
    submit = _blocking(Calls.submit)
    wait = _blocking(Calls.wait)
    get_solve = _blocking(Calls.get_solve)
    solves = _iterating(Calls.solves, schema.Solve)
    cancel = _blocking(Calls.cancel)
    delete = _blocking(Calls.delete)
    certificate = _blocking(Calls.certificate)
    check = _blocking(Calls.check)
    puzzle = _blocking(Calls.puzzle)
    describe_puzzle = _blocking(Calls.describe_puzzle)
    add_puzzle = _blocking(Calls.add_puzzle)
    added_puzzles = _blocking(Calls.added_puzzles)
    remove_puzzle = _blocking(Calls.remove_puzzle)
    experiment = _blocking(Calls.experiment)
    submit_experiment = _blocking(Calls.submit_experiment)
    get_experiment = _blocking(Calls.get_experiment)
    experiments = _iterating(Calls.experiments, ExperimentStatus)
    experiment_table = _blocking(Calls.experiment_table)
    compare_experiments = _blocking(Calls.compare_experiments)
    experiment_report = _blocking(Calls.experiment_report)
    cancel_experiment = _blocking(Calls.cancel_experiment)
    delete_experiment = _blocking(Calls.delete_experiment)
    follow_experiment = _iterating(Calls.follow_experiment, ExperimentStatus)
    experiment_rows = _blocking(Calls.experiment_rows)
    experiment_plot = _blocking(Calls.experiment_plot)
    create_key = _blocking(Calls.create_key)
    keys = _iterating(Calls.keys, Key)
    revoke_key = _blocking(Calls.revoke_key)
    call = _blocking(Calls.call)
    run = _blocking(Calls.run)
    hand_in = _blocking(Calls.hand_in)
    job = _blocking(Calls.job)
    request = _blocking(Calls.request)
    text = _blocking(Calls.text)


class AsyncClient:
    """`Client` for asyncio. Close it with ``aclose``, or use it in an ``async with`` statement."""

    def __init__(self, url: str, api_key: str | None = None, *, timeout: float = 60.0) -> None:
        self._calls = Calls(url)
        self._http = _made(httpx.AsyncClient, url, api_key, timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _perform(self, steps: Steps[T], end: Callable[[T], None]) -> AsyncIterator[Any]:
        """`Client._perform`; a generator of asyncio cannot return, so ``end`` is called with the result."""
        reply: Any = None
        error: BaseException | None = None
        while True:
            try:
                step = steps.send(reply) if error is None else steps.throw(error)
            except StopIteration as ended:
                end(ended.value)
                return
            reply = error = None
            try:
                match step:
                    case _Found(item):
                        yield item
                    case _Pause(seconds):
                        await asyncio.sleep(seconds)
                    case _Send(method, path, options):
                        reply = await self._http.request(method, path, **options)
            except httpx.TransportError as raised:
                error = raised

    solve = _awaited(Calls.solve)
    shorten = _awaited(Calls.shorten)
    submit = _awaited(Calls.submit)
    wait = _awaited(Calls.wait)
    get_solve = _awaited(Calls.get_solve)
    solves = _async_iterating(Calls.solves, schema.Solve)
    cancel = _awaited(Calls.cancel)
    delete = _awaited(Calls.delete)
    certificate = _awaited(Calls.certificate)
    check = _awaited(Calls.check)
    puzzle = _awaited(Calls.puzzle)
    describe_puzzle = _awaited(Calls.describe_puzzle)
    add_puzzle = _awaited(Calls.add_puzzle)
    added_puzzles = _awaited(Calls.added_puzzles)
    remove_puzzle = _awaited(Calls.remove_puzzle)
    experiment = _awaited(Calls.experiment)
    submit_experiment = _awaited(Calls.submit_experiment)
    get_experiment = _awaited(Calls.get_experiment)
    experiments = _async_iterating(Calls.experiments, ExperimentStatus)
    experiment_table = _awaited(Calls.experiment_table)
    compare_experiments = _awaited(Calls.compare_experiments)
    experiment_report = _awaited(Calls.experiment_report)
    cancel_experiment = _awaited(Calls.cancel_experiment)
    delete_experiment = _awaited(Calls.delete_experiment)
    follow_experiment = _async_iterating(Calls.follow_experiment, ExperimentStatus)
    experiment_rows = _awaited(Calls.experiment_rows)
    experiment_plot = _awaited(Calls.experiment_plot)
    create_key = _awaited(Calls.create_key)
    keys = _async_iterating(Calls.keys, Key)
    revoke_key = _awaited(Calls.revoke_key)
    call = _awaited(Calls.call)
    run = _awaited(Calls.run)
    hand_in = _awaited(Calls.hand_in)
    job = _awaited(Calls.job)
    request = _awaited(Calls.request)
    text = _awaited(Calls.text)


def _made(kind: Callable[..., T], url: str, api_key: str | None, timeout: float) -> T:
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {api_key}"} if api_key else {})
    try:
        return kind(base_url=url, headers=headers, timeout=timeout)
    except (httpx.InvalidURL, ValueError) as error:
        raise ServerError(f"{url} is not the address of a server", (Fault("", str(error)),)) from None


def _part(text: str) -> str:
    """One part of a path."""
    return quote(text, safe="@:")


def _filled(
    operation: str, method: str, path: str, spec: Mapping[str, Any], parameters: Mapping[str, Any]
) -> tuple[str, str, dict[str, Any]]:
    """The request of an operation with these parameters: method, path, and options of httpx."""
    known = {one["name"].replace("-", "_").lower(): one for one in spec.get("parameters", ())}
    given = {name: value for name, value in parameters.items() if value is not None}
    faults = [Fault(name, f"{operation} has no such parameter") for name in given if name not in known]
    faults += [
        Fault(name, "this parameter is missing")
        for name, one in known.items()
        if name not in given and (one["in"] == "path" or one.get("required"))
    ]
    if faults:
        raise InvalidRequest(f"{operation} takes {', '.join(known) or 'no parameters'}", faults)
    values: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}}
    for name, value in given.items():
        values[known[name]["in"]][known[name]["name"]] = value
    filled = re.sub(r"{(\w+)}", lambda found: _part(str(values["path"][found[1]])), path)
    types = {kind for reply in spec["responses"].values() for kind in reply.get("content", {})}
    accept = {} if "application/json" in types else _ANY
    return method, filled, {"params": values["query"] or None, "headers": accept | values["header"]}


def _content(answer: httpx.Response) -> Any:
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    if not answer.content:
        return None
    if kind.endswith("json"):
        return answer.json()
    return answer.text if kind.startswith("text/") or kind.endswith("xml") else answer.content


def _read(model: type[M], content: bytes) -> M:
    try:
        return model.model_validate_json(content)
    except ValueError as error:
        text = f"the server answered with something that is not an object {model.__name__}"
        raise ServerError(text, (Fault("", str(error)),)) from None


def _object(answer: httpx.Response) -> dict[str, Any]:
    try:
        found = answer.json()
        assert isinstance(found, dict)
    except (ValueError, AssertionError):
        raise ServerError("the server answered with something that is not a JSON object") from None
    return found


def _items(content: bytes) -> list[Any]:
    """The list, or the ``items`` of an object."""
    try:
        found = json.loads(content)
        return list(found["items"] if isinstance(found, dict) else found)
    except (ValueError, KeyError, TypeError):
        raise ServerError("the server answered with something that is not a list") from None


@contextmanager
def _showing(progress: Progress) -> Iterator[Callable[[dict[str, Any]], None]]:
    """What is called with each state of a job or an experiment."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # a tenth of a second

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bars:
        line = bars.add_task("queued", total=None)

        def show(now: dict[str, Any]) -> None:
            known = now.get("progress") or {}
            text = str(now.get("status", "")).replace("_", " ")
            text += "".join(f", {known[name]:,} {name}" for name in ("expanded",) if known.get(name))
            done = now.get("fraction_done")
            bars.update(line, description=text, total=None if done is None else 1.0, completed=done or 0.0)

        yield show


def _problem(response: httpx.Response) -> ServerError:
    """The problem document of an error (RFC 9457), or one made from the status if there is none."""
    try:
        body = response.json()
        message = str(body.get("detail") or body["title"])
        faults = tuple(
            Fault(str(fault.get("where", "")), str(fault.get("message", ""))) for fault in body.get("errors", ())
        )
        kind = str(body.get("type", "")).rpartition("#")[2] or None
    except (ValueError, KeyError, TypeError, AttributeError):
        message, faults, kind = f"the server answered {response.status_code} {response.reason_phrase}", (), None
    return ServerError(message, faults, response.status_code, kind)


def _retry_after(response: httpx.Response) -> float:
    """Seconds of the header ``Retry-After``, which is a number or a date; 0 without it."""
    value = response.headers.get("Retry-After", "")
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0
