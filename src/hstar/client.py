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
from typing import Any, Literal, Self
from uuid import uuid4

import httpx

from hstar.errors import Fault, HstarError
from hstar.experiments.schema import Axis, Experiment, ExperimentRequest, PlotFormat, PlotMeasure

RowFormat = Literal["csv", "json", "parquet"]

#: how often a request is sent when the server cannot be reached or asks to wait
ATTEMPTS = 5
#: seconds; a server that asks for a longer wait is answered with an error
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

    # -- experiments ---------------------------------------------------------------------------------------------

    def submit_experiment(self, request: ExperimentRequest, idempotency_key: str | None = None) -> Experiment:
        """Create all rows of an experiment. Sent again with the same key, it is the same experiment."""
        body = request.model_dump(mode="json", exclude_unset=True)
        key = idempotency_key or str(uuid4())
        return self._experiment("POST", "/v1/experiments", json=body, headers={"Idempotency-Key": key})

    def experiment(self, id: str) -> Experiment:
        """Where an experiment stands."""
        return self._experiment("GET", f"/v1/experiments/{id}")

    def cancel_experiment(self, id: str) -> None:
        """Cancel what is left of it."""
        self._request("DELETE", f"/v1/experiments/{id}")

    def follow_experiment(self, id: str, every: float = 1.0) -> Iterator[Experiment]:
        """Where the experiment stands, about ``every`` so many seconds, up to and including its end."""
        while True:
            now = self.experiment(id)
            yield now
            if now.status in ("finished", "cancelled"):
                return
            time.sleep(every)

    def experiment_rows(self, id: str, format: RowFormat = "csv") -> bytes:
        """The file with a line for each row."""
        return self._request("GET", f"/v1/experiments/{id}.{format}", headers={"Accept": "*/*"}).content

    def experiment_plot(
        self, id: str, *, x: Axis = "k", y: PlotMeasure = "expanded", format: PlotFormat = "svg"
    ) -> bytes:
        """The file with the plot."""
        path = f"/v1/experiments/{id}/plot.{format}"
        return self._request("GET", path, params={"x": x, "y": y}, headers={"Accept": "*/*"}).content

    # -- HTTP ----------------------------------------------------------------------------------------------------

    def _experiment(self, method: str, path: str, **options: Any) -> Experiment:
        response = self._request(method, path, **options)
        try:
            return Experiment.model_validate_json(response.content)
        except ValueError as error:
            text = f"{self._http.base_url} answered with something that is not an experiment"
            raise ServerError(text, (Fault("", str(error)),), response.status_code) from None

    def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send it until it is answered. Every request of this client may be sent twice."""
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
    """The problem document of an error (RFC 9457), or what can be said without one."""
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
