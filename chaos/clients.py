"""Clients that lose their connection, and repeat requests with the same Idempotency-Key until they have an answer."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

PATIENCE_SECONDS = 180.0


def quick(seed: int) -> dict[str, Any]:
    """A search that takes a millisecond."""
    return {
        "puzzle": "megaminx",
        "scramble": {"k": 3 + seed % 4, "seed": seed, "moves": "cw"},
        "moves": "ccw",
        "heuristic": "ceil(misplaced_facelets / 15)",
        "tags": {"load": "quick"},
    }


def medium(seed: int) -> dict[str, Any]:
    """A search that takes some tenths of a second, until it reaches its limit."""
    limits = {"expanded": 150_000, "memory_mib": 256}
    return quick(seed) | {"scramble": {"k": 18, "seed": seed, "moves": "cw"}, "limits": limits}


def long(seed: int) -> dict[str, Any]:
    """A search that takes a second or more, until its memory is full."""
    return medium(seed) | {"limits": {"memory_mib": 256}}


class Client:
    """Submits jobs, and records the accepted ones, with which the database is compared.

    ``timeout``: seconds until a request without an answer counts as lost. ``pause``: until it is sent again.
    """

    def __init__(
        self, url: str, chance: random.Random, *, key: str = "", timeout: float = 20, pause: float = 0.1
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=timeout, limits=httpx.Limits(max_connections=64)
        )
        self._pause = pause
        self._chance = chance
        self._lock = threading.Lock()
        self._number = 0
        #: the accepted ids, by Idempotency-Key
        self.accepted: dict[str, str] = {}
        #: requests that had to be sent again
        self.repeated = 0
        self.contradictions: list[str] = []
        #: told the outcome of each request that submits, and the seconds that it took
        self.tell: Callable[[str, float], None] = lambda _outcome, _seconds: None

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def submit(self, body: dict[str, Any], *, path: str = "/v1/solves", patience: float = PATIENCE_SECONDS) -> str:
        """Send until accepted; returns the id. One in four is sent again afterwards, as if its answer had been lost."""
        with self._lock:
            self._number += 1
            key = f"key-{self._number}"
            twice = self._chance.random() < 0.25
        job_id = self._ask(path, key, body, patience)
        if twice:
            self._ask(path, key, body, patience)
        return job_id

    def _ask(self, path: str, key: str, body: dict[str, Any], patience: float) -> str:
        deadline = time.monotonic() + patience
        while (job_id := self._try(path, key, body)) is None:
            assert time.monotonic() < deadline, f"not accepted within {patience:g} s"
            with self._lock:
                self.repeated += 1
            time.sleep(self._pause)
        with self._lock:
            if self.accepted.setdefault(key, job_id) != job_id:
                self.contradictions.append(f"{key} was accepted as {self.accepted[key]}, and again as {job_id}")
        return job_id

    def _try(self, path: str, key: str, body: dict[str, Any]) -> str | None:
        began = time.monotonic()
        try:
            answer = self._http.post(path, json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError as error:
            self.tell(type(error).__name__, time.monotonic() - began)
            return None
        self.tell(str(answer.status_code), time.monotonic() - began)
        if answer.status_code in (200, 202):
            return str(answer.json()["id"])
        assert answer.status_code == 429 or answer.status_code >= 500, f"{answer.status_code}: {answer.text}"
        return None

    def create(self, path: str, body: dict[str, Any]) -> str:
        """Make something that is no job; returns its id."""
        answer = self._http.post(path, json=body)
        assert answer.status_code in (200, 201, 202), f"{answer.status_code}: {answer.text}"
        return str(answer.json()["id"])

    def submit_all(self, bodies: Iterable[dict[str, Any]], threads: int = 4) -> list[str]:
        """Submit these from several threads; returns their ids, in order."""
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self.submit, bodies))

    def cancel(self, job_id: str) -> None:
        """Request the cancellation until it is answered."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                if self._http.post(f"/v1/jobs/{job_id}/cancel").status_code < 500:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"the cancellation of {job_id} was not answered")

    def get(self, path: str, **named: Any) -> httpx.Response:
        """A GET."""
        return self._http.get(path, **named)


class Submitting:
    """Submits in the background during faults: ``with Submitting(client, bodies): ...`` ends when all are accepted."""

    def __init__(self, client: Client, bodies: Iterable[dict[str, Any]], threads: int = 4) -> None:
        self._bodies = list(bodies)
        self._pool = ThreadPoolExecutor(threads)
        self._client = client

    def __enter__(self) -> Submitting:
        self._futures = [self._pool.submit(self._client.submit, body) for body in self._bodies]
        return self

    def done(self) -> bool:
        """Whether everything was accepted."""
        return all(future.done() for future in self._futures)

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._pool.shutdown(cancel_futures=error is not None)
        if error is not None:
            return
        for future in self._futures:
            future.result()
