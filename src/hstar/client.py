"""A client of the service's HTTP API: the objects of `hstar.experiments`, from a server.

>>> with Client("http://127.0.0.1:8000") as client:                               # doctest: +SKIP
...     experiment = client.submit_experiment(request)
...     for experiment in client.follow_experiment(experiment.id):
...         print(experiment.fraction_done)
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Literal, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from hstar.errors import Fault, HstarError
from hstar.experiments.report import MAX_COMPARED
from hstar.experiments.schema import (
    Axis,
    Comparison,
    ComparisonList,
    Experiment,
    ExperimentRequest,
    PlotFormat,
    PlotMeasure,
    PlotSize,
    Report,
    Table,
)
from hstar.keys import Key, KeyPage, KeyRequest, NewKey
from hstar.puzzles.definition import KPuzzle

RowFormat = Literal["csv", "json", "parquet"]
M = TypeVar("M", bound=BaseModel)

#: how often a request is sent when the server cannot be reached or asks to wait
ATTEMPTS = 5
#: seconds; if a server asks for a longer wait, the call fails
LONGEST_WAIT = 60.0
_TRY_AGAIN = (429, 502, 503, 504)


class ServerError(HstarError):
    """The server refused the request, could not be reached, or answered with something else; ``status`` is HTTP's."""

    code = "server-error"

    def __init__(self, message: str, faults: tuple[Fault, ...] = (), status: int | None = None) -> None:
        super().__init__(message, faults)
        self.status = status


class Client:
    """One server; ``api_key`` is sent as a Bearer token. Close it, or use it in a ``with`` statement."""

    def __init__(self, url: str, api_key: str | None = None, *, timeout: float = 60.0) -> None:
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {api_key}"} if api_key else {})
        try:
            self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout)
        except (httpx.InvalidURL, ValueError) as error:
            raise ServerError(f"{url} is not the address of a server", (Fault("", str(error)),)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def submit_experiment(self, request: ExperimentRequest, idempotency_key: str | None = None) -> Experiment:
        """Create an experiment with all its rows, or return it if the same one exists.

        With an idempotency key it is a different experiment from those sent with another key or with none.
        """
        body = request.model_dump(mode="json", exclude_unset=True)
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self._model(Experiment, "POST", "/v1/experiments", json=body, headers=headers)

    def experiment(self, id: str) -> Experiment:
        """The state and progress of an experiment."""
        return self._model(Experiment, "GET", f"/v1/experiments/{id}")

    def experiment_table(self, id: str, x: Axis = "k") -> Table:
        """The table of what has ended so far."""
        return self._model(Table, "GET", f"/v1/experiments/{id}/table", params={"x": x})

    def compare_experiments(self, id: str, other: str | None = None, measure: str = "expanded") -> list[Comparison]:
        """Compare every two ways to search of one experiment, or each way of one with each way of the other."""
        params = {"measure": measure} | ({"other": other} if other else {})
        return self._model(ComparisonList, "GET", f"/v1/experiments/{id}/comparison", params=params).items

    def experiment_report(self, experiment: Experiment) -> Report:
        """The experiment with its tables and comparisons, as `hstar.experiments.report` makes it from rows."""
        assert experiment.id is not None
        table = self.experiment_table(experiment.id)
        by_distance = experiment.request.true_distance
        compared = len({group.series for group in table.groups}) <= MAX_COMPARED
        return Report(
            **dict(experiment),
            table=table,
            table_by_true_distance=self.experiment_table(experiment.id, "true_distance") if by_distance else None,
            comparisons=self.compare_experiments(experiment.id) if compared else [],
        )

    def cancel_experiment(self, id: str) -> None:
        """Cancel the rows that have not ended."""
        self._request("DELETE", f"/v1/experiments/{id}")

    def follow_experiment(self, id: str, every: float = 1.0) -> Iterator[Experiment]:
        """The state of the experiment about every ``every`` seconds, up to and including its end."""
        while True:
            now = self.experiment(id)
            yield now
            if now.status in ("finished", "cancelled"):
                return
            time.sleep(every)

    def experiment_rows(self, id: str, format: RowFormat = "csv") -> bytes:
        """The file with a line for each row."""
        return self._request("GET", f"/v1/experiments/{id}/rows.{format}", headers={"Accept": "*/*"}).content

    def experiment_plot(
        self,
        id: str,
        *,
        x: Axis = "k",
        y: PlotMeasure = "expanded",
        format: PlotFormat = "svg",
        size: PlotSize = "page",
    ) -> bytes:
        """The file with the plot."""
        path = f"/v1/experiments/{id}/plot.{format}"
        return self._request("GET", path, params={"x": x, "y": y, "size": size}, headers={"Accept": "*/*"}).content

    def create_key(self, request: KeyRequest) -> NewKey:
        """Make an API key. If the answer is lost on the way, the key is in the list but can only be revoked."""
        return self._model(NewKey, "POST", "/v1/keys", json=request.model_dump(mode="json", exclude_unset=True))

    def keys(self) -> Iterator[Key]:
        """The keys that the caller may see, newest first."""
        path: str | None = "/v1/keys?limit=200"
        while path is not None:
            page = self._model(KeyPage, "GET", path)
            yield from page.items
            path = page.next

    def revoke_key(self, id: str) -> Key:
        """Revoke a key."""
        return self._model(Key, "DELETE", f"/v1/keys/{quote(id, safe='')}")

    def call(
        self, method: str, path: str, *, json: dict[str, Any] | None = None, params: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """The object that a request is answered with: for resources whose models only the service needs."""
        found: dict[str, Any] = self._request(method, path, json=json, params=params).json()
        return found

    def text(self, path: str, params: dict[str, str] | None = None, *, method: str = "GET") -> str:
        """The text of a file, such as a gradebook."""
        return self._request(method, path, params=params, headers={"Accept": "*/*"}).text

    def add_puzzle(self, definition: KPuzzle) -> dict[str, Any]:
        """Add a puzzle or change its definition; returns its description."""
        body = {"definition": definition.model_dump(mode="json", by_alias=True, exclude_defaults=True)}
        made: dict[str, Any] = self._request("POST", "/v1/puzzles", json=body).json()
        return made

    def puzzle(self, name: str) -> dict[str, Any]:
        """The description of a puzzle."""
        found: dict[str, Any] = self._request("GET", f"/v1/puzzles/{quote(name, safe='@')}").json()
        return found

    def added_puzzles(self) -> list[str]:
        """The full names of the added puzzles that the caller may see."""
        items = self._request("GET", "/v1/puzzles").json()["items"]
        return [item["name"] for item in items if item["owner"] is not None]

    def remove_puzzle(self, name: str) -> None:
        """Remove a name."""
        self._request("DELETE", f"/v1/puzzles/{quote(name, safe='@')}")

    def _model(self, model: type[M], method: str, path: str, **options: Any) -> M:
        response = self._request(method, path, **options)
        try:
            return model.model_validate_json(response.content)
        except ValueError as error:
            text = f"{self._http.base_url} answered with something that is not an object {model.__name__}"
            raise ServerError(text, (Fault("", str(error)),), response.status_code) from None

    def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send the request until it is answered. Every request of this client may be sent twice."""
        failure: ServerError | None = None
        for attempt in range(ATTEMPTS):
            wait = min(0.5 * 2**attempt, LONGEST_WAIT)
            try:
                response = self._http.request(method, path, **options)
            except httpx.UnsupportedProtocol as error:
                raise ServerError(
                    f"{self._http.base_url} is not the address of a server", (Fault("", str(error)),)
                ) from None
            except httpx.TransportError as error:
                failure = ServerError(f"{self._http.base_url} cannot be reached", (Fault("", str(error)),))
            else:
                if response.is_success:
                    return response
                failure = _problem(response)
                if response.status_code not in _TRY_AGAIN:
                    raise failure
                wait = max(wait, _retry_after(response))
            if wait > LONGEST_WAIT:
                break
            if attempt + 1 < ATTEMPTS:
                time.sleep(wait)
        assert failure is not None
        raise failure


def _problem(response: httpx.Response) -> ServerError:
    """The problem document of an error (RFC 9457), or one made from the status if there is none."""
    try:
        body = response.json()
        message = str(body.get("detail") or body["title"])
        faults = tuple(
            Fault(str(fault.get("where", "")), str(fault.get("message", ""))) for fault in body.get("errors", ())
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        message, faults = f"the server answered {response.status_code} {response.reason_phrase}", ()
    return ServerError(message, faults, response.status_code)


def _retry_after(response: httpx.Response) -> float:
    """Seconds of the header ``Retry-After``, which is a number or a date; 0 without it."""
    value = response.headers.get("Retry-After", "")
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0
