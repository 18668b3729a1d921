"""Sending the messages of webhooks, in a thread of the sweeper.

A host name is resolved once, each of its addresses must be public, and the request goes to one that was checked: a name
that changes its mind between check and use reaches nothing private. Redirects are not followed, proxies of the
environment are not used, and no attempt takes longer than `SECONDS` in all, however slowly the other side answers.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from socket import SOCK_STREAM

import httpx
import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hstar import __version__
from hstar.experiments.report import status_of
from hstar.experiments.schema import Outcomes
from hstar.webhooks import Ended, WebhookMessage, sign
from store.database import Sessions
from store.experiments.models import Experiment
from store.jobs.models import Job
from store.settings import Settings
from store.solves.models import Solve
from store.solves.status import DONE
from store.webhooks import messages
from store.webhooks.addresses import Address, Network, is_allowed
from store.webhooks.messages import Due

log = structlog.get_logger(__name__)

#: for one attempt: the name, the connection and the answer
SECONDS = 10.0


class RefusedError(Exception):
    """The reason why nothing is sent there."""


class Sender:
    """Sends what is due, one message of each webhook at a time."""

    def __init__(self, settings: Settings, sessions: Sessions) -> None:
        self._sessions = sessions
        self._networks = settings.networks
        self._first_pause = timedelta(seconds=settings.pace.webhook_seconds)
        self._every = settings.pace.sweep_seconds
        self._tls = ssl.create_default_context()

    def run(self, stop: threading.Event) -> None:
        """Send until ``stop`` is set; a database that does not answer is asked again."""
        while not stop.is_set():
            try:
                more = self.send_due()
            except DBAPIError as error:
                log.error("cannot read the messages of webhooks", error=str(error.orig))
                more = 0
            if not more:
                stop.wait(self._every)

    def send_due(self) -> int:
        """Send what is due now; returns how many attempts were made."""
        with self._sessions.read() as session:
            if not messages.any_due(session):
                return 0
        # Twice as long, so that no other sweeper takes a message while it is being sent.
        hold = timedelta(seconds=2 * SECONDS)
        due = self._sessions.run(partial(messages.take_due, hold=hold))
        bodies = []
        for one in due:
            with self._sessions.read() as session:
                bodies.append(_body(session, one))
        errors = asyncio.run(self._send_all(due, bodies))
        for one, error in zip(due, errors, strict=True):
            self._sessions.run(partial(messages.settle, due=one, error=error, first_pause=self._first_pause))
            if error is not None:
                log.warning("a webhook was not told", webhook=one.webhook_id, attempt=one.attempt, error=error)
        return len(due)

    async def _send_all(self, due: Sequence[Due], bodies: Sequence[bytes | None]) -> list[str | None]:
        async with httpx.AsyncClient(verify=self._tls, trust_env=False, follow_redirects=False) as client:
            return await asyncio.gather(*(self._send(client, *one) for one in zip(due, bodies, strict=True)))

    async def _send(self, client: httpx.AsyncClient, due: Due, body: bytes | None) -> str | None:
        """None, or why it did not arrive."""
        if body is None:  # it was deleted, so there is nothing to tell
            return None
        try:
            async with asyncio.timeout(SECONDS):
                return await self._post(client, due, body)
        except TimeoutError:
            return f"no answer within {SECONDS:g} s"
        except (RefusedError, OSError, httpx.HTTPError, httpx.InvalidURL) as error:
            return str(error) or type(error).__name__

    async def _post(self, client: httpx.AsyncClient, due: Due, body: bytes) -> str | None:
        url = httpx.URL(due.url)
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        address = await resolve(url.host, port, self._networks)
        if url.scheme == "http" and not any(address in network for network in self._networks):
            raise RefusedError("http is only for the networks of HSTAR_WEBHOOK_NETWORKS; use https")
        id, timestamp = f"{due.webhook_id}.{due.subject_id}", int(time.time())
        headers = {
            "Host": url.netloc.decode("ascii"), "Content-Type": "application/json",
            "User-Agent": f"hstar/{__version__}", "webhook-id": id, "webhook-timestamp": str(timestamp),
            "webhook-signature": sign(due.secret, id, timestamp, body),
        }  # fmt: skip
        request = client.build_request(
            "POST", url.copy_with(host=str(address)), content=body, headers=headers,
            extensions={"sni_hostname": url.host},
        )  # fmt: skip
        # What the other side says is not read: its status is enough.
        answer = await client.send(request, stream=True)
        await answer.aclose()
        return None if answer.is_success else f"it answered with status {answer.status_code}"


async def resolve(host: str, port: int, networks: Sequence[Network]) -> Address:
    """An address of the host. Raises `RefusedError` if any of its addresses is neither public nor in ``networks``."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=SOCK_STREAM)
    addresses = [ip_address(one[4][0]) for one in found]
    for address in addresses:
        if not is_allowed(address, networks):
            raise RefusedError(f"{host} has the address {address}, which is not public")
    return addresses[0]


def _body(session: Session, due: Due) -> bytes | None:
    """What is told; None if it is no longer there."""
    if due.subject == "job":
        job, solve = session.get(Job, due.subject_id), session.get(Solve, due.subject_id)
        if job is None or job.finished_at is None:
            return None
        outcome = solve.outcome.value if solve is not None and solve.outcome in DONE else None
        ended = Ended(
            id=job.id, kind=job.kind, status=job.state.value, outcome=outcome, url=f"/v1/jobs/{job.id}",
            finished_at=job.finished_at,
        )  # fmt: skip
    else:
        row = session.get(Experiment, due.subject_id)
        if row is None or row.finished_at is None:
            return None
        status = status_of(Outcomes.model_validate(row.outcomes), running=False)
        ended = Ended(
            id=row.id, kind="experiment", status=status, url=f"/v1/experiments/{row.id}", finished_at=row.finished_at
        )
    told = WebhookMessage(type=f"{due.subject}.ended", timestamp=datetime.now(UTC), data=ended)
    return told.model_dump_json().encode()
