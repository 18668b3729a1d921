"""Webhooks: each end is told, signed and at least once, and nothing private is reached.

The receivers are real servers on this machine, whose network the setting allows.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Executable, delete, select, update

from hstar import webhooks
from store.database import Sessions, make_engine, make_sessions, migrate
from store.database.clock import now
from store.experiments import finished
from store.jobs import machine
from store.settings import Pace, Settings, SettingsError
from store.webhooks import messages
from store.webhooks.addresses import is_allowed
from store.webhooks.models import Message, Webhook
from tests.servers import wait_until
from tests.service.processes import ROOT
from tests.store.builders import answer, end, must_claim, submit
from tests.store.test_experiments import create, design, work_off
from worker import webhooks as sending
from worker.webhooks import RefusedError, Sender, resolve

LOOPBACK = "127.0.0.0/8,::1/128"


class Receiver:
    """A server that answers with given statuses, then with 204; ``seen``: headers in lower case, and bodies."""

    def __init__(self, *statuses: int) -> None:
        self.seen: list[tuple[dict[str, str], bytes]] = []
        given = iter(statuses)
        seen = self.seen

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                seen.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(next(given, 204))
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/ended"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def receive() -> Iterator[Callable[..., Receiver]]:
    made: list[Receiver] = []

    def make(*statuses: int) -> Receiver:
        made.append(Receiver(*statuses))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def sessions(database_url: str) -> Iterator[Sessions]:
    made = make_sessions(make_engine(database_url))
    migrate.upgrade(made.engine)
    yield made
    made.close()


def sender(sessions: Sessions, networks: str = LOOPBACK, pause: float = 0) -> Sender:
    return Sender(Settings(webhook_networks=networks, pace=Pace(webhook_seconds=pause)), sessions)


def hook(sessions: Sessions, url: str, owner: str = "ann") -> str:
    """A new webhook; returns its secret."""
    return sessions.run(lambda session: messages.create(session, owner, url, 9).secret)


def ended(sessions: Sessions, owner: str = "ann") -> str:
    """A solve that has ended."""
    identifier = submit(sessions, owner=owner)
    claim = must_claim(sessions)
    assert sessions.run(lambda session: end(session, claim, answer()))
    return identifier


def waiting(sessions: Sessions) -> list[str]:
    with sessions.read() as session:
        return list(session.scalars(select(Message.subject_id)))


def write(sessions: Sessions, statement: Executable) -> None:
    with sessions.write() as session:
        session.execute(statement)


def stands(sessions: Sessions) -> tuple[int, int, str | None]:
    with sessions.read() as session:
        row = session.scalars(select(Webhook)).one()
        return row.delivered, row.given_up, row.error


def test_an_end_is_told_once_and_signed(sessions: Sessions, receive: Callable[..., Receiver]) -> None:
    to = receive()
    before = ended(sessions)
    secret = hook(sessions, to.url)
    hook(sessions, to.url, owner="bob")
    identifier = ended(sessions)
    assert waiting(sessions) == [identifier]
    assert sender(sessions).send_due() == 1
    assert sender(sessions).send_due() == 0
    assert waiting(sessions) == []
    ((headers, body),) = to.seen
    told = json.loads(body)
    assert told["type"] == "job.ended"
    assert told["data"]["id"] == identifier != before
    assert (told["data"]["kind"], told["data"]["status"], told["data"]["outcome"]) == ("solve", "done", "solved")
    assert told["data"]["url"] == f"/v1/jobs/{identifier}"
    assert webhooks.WebhookMessage.model_validate_json(body).data.id == identifier
    assert webhooks.is_genuine(secret, headers, body)
    # OpenSSL is a second witness.
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_")).hex()
    command = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key}", "-binary"]
    digest = subprocess.run(command, input=signed, capture_output=True, check=True).stdout
    assert headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode()


def test_what_was_changed_or_is_old_is_not_genuine() -> None:
    # The example of standardwebhooks.com's libraries.
    secret, id = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek"
    sent, body = 1614265330, b'{"test": 2432232314}'
    signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    headers = {"webhook-id": id, "webhook-timestamp": str(sent), "webhook-signature": f"v1,old= {signature}"}
    assert webhooks.is_genuine(secret, headers, body, now=sent + 299)
    assert not webhooks.is_genuine(secret, headers, body, now=sent + 301)
    assert not webhooks.is_genuine(secret, headers, body, now=sent - 301)
    assert not webhooks.is_genuine(secret, headers, body + b" ", now=sent)
    assert not webhooks.is_genuine(secret, {**headers, "webhook-id": "another"}, body, now=sent)
    assert not webhooks.is_genuine(secret, {**headers, "webhook-timestamp": str(sent + 1)}, body, now=sent)
    assert not webhooks.is_genuine(secret, {**headers, "webhook-timestamp": "now"}, body, now=sent)
    assert not webhooks.is_genuine("whsec_" + base64.b64encode(b"other").decode(), headers, body, now=sent)
    assert not webhooks.is_genuine(secret, {}, body, now=sent)


def test_the_five_lines_of_the_document_do_the_same() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "jobs.md").read_text(encoding="utf-8")
    (lines,) = (part for part in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "genuine" in part)
    names: dict[str, Any] = {}
    exec(lines, names)
    secret, body = "whsec_" + base64.b64encode(b"k" * 24).decode(), b"{}"
    headers = {
        "webhook-id": "a.b",
        "webhook-timestamp": "7",
        "webhook-signature": webhooks.sign(secret, "a.b", 7, body),
    }
    assert names["genuine"](secret, headers, body)
    assert not names["genuine"](secret, headers, body + b" ")


def test_what_fails_is_sent_again_and_at_last_given_up(sessions: Sessions, receive: Callable[..., Receiver]) -> None:
    to = receive(500, 302, 204)
    secret = hook(sessions, to.url)
    ended(sessions)
    for number, error in enumerate(("it answered with status 500", "it answered with status 302", None), start=1):
        assert sender(sessions).send_due() == 1
        assert stands(sessions) == (0 if error else 1, 0, error), number
    ids = {headers["webhook-id"] for headers, _ in to.seen}
    assert (len(to.seen), len(ids)) == (3, 1)
    assert all(webhooks.is_genuine(secret, *one) for one in to.seen)
    never = receive(*[503] * messages.MAX_ATTEMPTS)
    write(sessions, update(Webhook).values(url=never.url))
    ended(sessions)
    for _ in range(messages.MAX_ATTEMPTS):
        assert sender(sessions).send_due() == 1
    assert sender(sessions).send_due() == 0
    assert (len(never.seen), stands(sessions)) == (messages.MAX_ATTEMPTS, (1, 1, "it answered with status 503"))


def test_the_pauses_are_the_documented_ones() -> None:
    pauses = [Pace().webhook_seconds * messages.GROWTH**number for number in range(messages.MAX_ATTEMPTS - 1)]
    units = ((3600, "h"), (60, "min"), (1, "s"))
    words = [next(f"{pause / unit:g} {name}" for unit, name in units if pause >= unit) for pause in pauses]
    text = " ".join((ROOT / "docs" / "jobs.md").read_text().split())
    assert f"sent again after {', '.join(words[:-1])} and {words[-1]}, then given up" in text


def test_pauses_grow(sessions: Sessions) -> None:
    hook(sessions, "http://127.0.0.1:9/")
    ended(sessions)
    seen = []
    for _ in range(4):
        (due,) = sessions.run(partial(messages.take_due, hold=timedelta(seconds=99)))
        assert sessions.run(partial(messages.take_due, hold=timedelta(seconds=99))) == []  # nobody else has it
        sessions.run(partial(messages.settle, due=due, error="no", first_pause=timedelta(seconds=5)))
        with sessions.read() as session:
            told = session.scalars(select(Message)).one()
            seen.append(round((told.due_at - _now(sessions)).total_seconds() / 5))
        write(sessions, update(Message).values(due_at=_now(sessions)))
    assert seen == [1, 6, 36, 216]


def _now(sessions: Sessions) -> Any:
    with sessions.read() as session:
        return session.scalar(select(now()))


def test_a_late_answer_of_another_attempt_changes_nothing(sessions: Sessions) -> None:
    hook(sessions, "http://127.0.0.1:9/")
    ended(sessions)
    (first,) = sessions.run(partial(messages.take_due, hold=timedelta(0)))
    (second,) = sessions.run(partial(messages.take_due, hold=timedelta(seconds=99)))
    assert (first.attempt, second.attempt) == (1, 2)
    sessions.run(partial(messages.settle, due=first, error=None, first_pause=timedelta(0)))
    assert (len(waiting(sessions)), stands(sessions)[0]) == (1, 0)
    sessions.run(partial(messages.settle, due=second, error=None, first_pause=timedelta(0)))
    assert (waiting(sessions), stands(sessions)[0]) == ([], 1)


def test_every_way_to_end_is_told_but_no_row_of_an_experiment(sessions: Sessions) -> None:
    hook(sessions, "http://127.0.0.1:9/")
    cancelled = submit(sessions)
    sessions.run(lambda session: machine.request_cancel(session, cancelled))
    failed = submit(sessions)
    claim = must_claim(sessions)
    assert sessions.run(lambda session: machine.fail(session, claim, "it broke"))
    lost = submit(sessions)
    must_claim(sessions)
    sweep = partial(machine.sweep, lease=timedelta(0), max_losses=1, wake_after=timedelta(0))
    wait_until(lambda: lost in sessions.run(sweep).failed or lost in waiting(sessions), "the lease to run out", 30)
    assert sorted(waiting(sessions)) == sorted([cancelled, failed, lost])
    identifier = create(sessions, design(trials=1), "ann")
    work_off(sessions)
    assert finished.note_finished(sessions) == 1
    assert finished.note_finished(sessions) == 0
    assert sorted(waiting(sessions)) == sorted([cancelled, failed, lost, identifier])


def test_the_end_of_an_experiment_is_told(sessions: Sessions, receive: Callable[..., Receiver]) -> None:
    to = receive()
    identifier = create(sessions, design(trials=1), "ann")
    hook(sessions, to.url)
    work_off(sessions)
    finished.note_finished(sessions)
    assert sender(sessions).send_due() == 1
    told = webhooks.WebhookMessage.model_validate_json(to.seen[0][1])
    assert (told.type, told.data.kind, told.data.status, told.data.id) == (
        "experiment.ended", "experiment", "done", identifier,
    )  # fmt: skip


def test_what_is_gone_is_not_told(sessions: Sessions, receive: Callable[..., Receiver]) -> None:
    to = receive()
    hook(sessions, to.url)
    identifier = ended(sessions)
    sessions.run(lambda session: machine.delete(session, identifier))
    sender(sessions).send_due()
    assert (to.seen, waiting(sessions)) == ([], [])
    ended(sessions)
    write(sessions, delete(Webhook))  # without its messages
    assert sender(sessions).send_due() == 0
    assert (to.seen, waiting(sessions)) == ([], [])


PRIVATE = (
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:10.0.0.1",
    "::ffff:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:a9fe:a9fe::", "2001:db8::1",
)  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert not is_allowed(ip_address(address))
    assert is_allowed(ip_address(address), [ip_network("0.0.0.0/0"), ip_network("::/0")])


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"])
def test_public_addresses_are_not(address: str) -> None:
    assert is_allowed(ip_address(address))


def test_nothing_private_is_reached(sessions: Sessions, receive: Callable[..., Receiver]) -> None:
    to = receive()
    port = to.url.rpartition(":")[2].partition("/")[0]
    for url in (
        to.url,
        f"http://localhost:{port}/",
        f"http://[::ffff:127.0.0.1]:{port}/",
        f"http://2130706433:{port}/",
    ):
        write(sessions, delete(Webhook))
        hook(sessions, url)
        ended(sessions)
        assert sender(sessions, networks="").send_due() == 1
        assert "not public" in (stands(sessions)[2] or ""), url
    assert to.seen == []


def test_a_name_is_refused_if_any_of_its_addresses_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(*_: object, **__: object) -> list[Any]:
        return [(2, 1, 6, "", ("8.8.8.8", 443)), (2, 1, 6, "", ("10.0.0.1", 443))]

    async def ask() -> None:
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", found, raising=False)
        assert str(await resolve("two.example", 443, [ip_network("10.0.0.0/8")])) == "8.8.8.8"
        with pytest.raises(RefusedError, match=r"10\.0\.0\.1, which is not public"):
            await resolve("two.example", 443, [])

    asyncio.run(ask())


def test_the_address_that_was_checked_is_the_one_that_is_asked(
    sessions: Sessions, receive: Callable[..., Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    to = receive()
    port = to.url.rpartition(":")[2].partition("/")[0]
    asked: list[str] = []

    async def once(host: str, *_: object) -> Any:
        asked.append(host)
        return ip_address("127.0.0.1")

    monkeypatch.setattr(sending, "resolve", once)
    hook(sessions, f"http://nobody.invalid:{port}/ended?x=1")  # no server of names knows it
    ended(sessions)
    sender(sessions).send_due()
    assert (asked, stands(sessions)) == (["nobody.invalid"], (1, 0, None))
    assert to.seen[0][0]["host"] == f"nobody.invalid:{port}"


def test_without_tls_only_networks_of_the_setting_are_told(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    async def public(*_: object) -> Any:
        return ip_address("8.8.8.8")

    monkeypatch.setattr(sending, "resolve", public)
    hook(sessions, "http://example.org/")
    ended(sessions)
    sender(sessions).send_due()
    assert "use https" in (stands(sessions)[2] or "")


def test_a_server_that_never_answers_is_left(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hook(sessions, f"http://127.0.0.1:{silent.getsockname()[1]}/")
        ended(sessions)
        sender(sessions).send_due()
    assert stands(sessions) == (0, 0, "no answer within 0.2 s")


def test_a_wrong_network_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"HSTAR_WEBHOOK_NETWORKS|does not appear"):
        Settings.from_env({"HSTAR_WEBHOOK_NETWORKS": "loopback"})
