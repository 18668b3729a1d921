"""The service under gunicorn: it matches its document, is bound to loopback, and waits do not block it."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from running.ports import free_port
from service.reading import MAX_BODY_BYTES
from store.settings import Pace
from tests import forking
from tests.conftest import SEED, TEST_ALL
from tests.servers import Valkey, wait_until
from tests.service.conftest import KEYS
from tests.service.processes import BIN, ROOT, Api, environment, gunicorn

BODY = {"puzzle": "8-puzzle", "scramble": {"k": 20, "seed": 5}}

# Generated requests: a few for each operation; or many, including boundary values and chains of requests.
BRIEF = """
seed = 0
[phases.coverage]
enabled = false
[phases.stateful]
enabled = false
[generation]
max-examples = 2
deterministic = true
"""
LONG = f"""
seed = {SEED}
request-timeout = 60
[generation]
max-examples = 50
"""
SCHEMATHESIS = (
    (LONG if TEST_ALL else BRIEF)
    + """
mode = "all"
database = "none"
# U+0000 is refused in every text, because PostgreSQL cannot keep it.
allow-x00 = false

[checks.positive_data_acceptance]
# A body can fit its schema and still name a puzzle that is not there; If-None-Match: * always matches; some requests
# need a role that nobody has where there are no keys.
expected-statuses = ["2xx", 304, 403, 404, 422]

[checks.negative_data_rejection]
# A body that breaks its schema may be too large first.
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx"]

[checks.use_after_free]
# DELETE revokes a key; it stays in the list.
enabled = false

# The path is also that of an assignment whose id is "check", and there is none.
[[operations]]
include-path = "/v1/assignments/check"
checks.unsupported_method.enabled = false
checks.allow_header_conformance.enabled = false
"""
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"] if TEST_ALL else ["sqlite"])
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, valkey: Valkey) -> Iterator[Api]:
    """Two processes with short waits, on SQLite, and in `make test-all` also on PostgreSQL."""
    url = f"sqlite:///{tmp_path_factory.mktemp('http') / 'hstar.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql").create_database()
    brief: dict[str, Any] = {"wait_cap_seconds": 2, "pace": Pace(request_seconds=3).model_dump_json()}
    with Api(url, valkey.url, api_processes=2, api_threads=4, **brief) as server:
        yield server


@pytest.mark.thorough
def test_every_answer_is_as_the_document_says(api: Api, tmp_path: Path) -> None:
    config = tmp_path / "schemathesis.toml"
    config.write_text(SCHEMATHESIS)
    command = [str(BIN / "schemathesis"), "--config-file", str(config), "run", f"{api.url}/openapi.json"]
    run = subprocess.run([*command, "--warnings", "off"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    with api.client() as client:
        paths = client.get("/openapi.json").json()["paths"].values()
        operations = sum(method in ("get", "post", "put", "patch", "delete") for path in paths for method in path)
        assert f"Tested: {operations}" in run.stdout, run.stdout
        health = client.get("/health/ready").json()
        # Neither a worker nor a sweeper runs here, so it is degraded.
        assert (health["status"], health["database"], health["broker"]) == ("degraded", "answers", "answers"), health
    assert "request_failed" not in api.log.read_text()


def raw(api: Api, request: bytes) -> bytes:
    """The whole raw answer to ``request``, up to the end of the connection."""
    with closing(socket.create_connection(("127.0.0.1", api.port), timeout=60)) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_chunked_body_has_a_greatest_size_too(api: Api) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(MAX_BODY_BYTES // 65536 + 1):
            yield b" " * 65536

    with api.client() as client:
        answer = client.post("/v1/solves", content=chunks(), headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["type"]) == (413, "/docs/errors#payload-too-large")
    # A new connection: after an answer to half a body the server may close the old one at any time.
    with api.client() as client:
        small = client.post("/v1/solves", content=iter([b"{", b"}"]), headers={"Content-Type": "application/json"})
        assert small.json()["errors"][0]["where"] == "/puzzle"


def test_half_a_body_is_no_request(api: Api) -> None:
    body = b'{"puzzle": "8-puzzle", "alg": ""}'
    head = (
        b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    )
    assert raw(api, head % len(body) + body).startswith(b"HTTP/1.1 202 ")
    answer = raw(api, head % (len(body) + 1) + body)
    assert not answer or answer.startswith(b"HTTP/1.1 400 "), answer


@pytest.mark.parametrize(
    "chunks", [b"zz\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"5\r\nhel"]
)
def test_a_broken_chunked_body_is_a_bad_request(api: Api, chunks: bytes) -> None:
    head = (
        b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    answer = raw(api, head + chunks)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b"/docs/errors#bad-request" in answer
    assert "request_failed" not in api.log.read_text()


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET /v1/limits HTTP/1.1\r\nHost: a b\r\n\r\n",
        b'GET /docs HTTP/1.1\r\nHost: "><b>\r\n\r\n',
        b"nonsense\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/limits HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 500 + b"\r\n",
        b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/solves HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /v1/solves?tag=\xff\xfe:%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/puzzles/\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_no_request_breaks_the_server(api: Api, request_line: bytes) -> None:
    answer = raw(api, request_line)
    status = answer.split(b" ", 2)[1:2]
    assert not status or status[0].startswith(b"4"), status
    assert not answer or b"\r\nContent-Type: application/problem+json\r\n" in answer, answer
    with api.client() as client:
        assert client.get("/health/live").status_code == 200


HEAD = b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET /v1/limits HTTP/1.1\r\nHost: loc",
        HEAD + b"Content-Length: 100\r\n\r\n{",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n40\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n",
    ],
    ids=["nothing", "head", "body", "chunks", "continue"],
)
def test_half_sent_requests_hold_no_thread_and_not_for_long(api: Api, half: bytes) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(socket.create_connection(("127.0.0.1", api.port)))) for _ in range(40)]
        for client in clients:
            client.sendall(half)
            client.settimeout(60)
        # Forty of them, and eight threads.
        with api.client() as other:
            for _ in range(20):
                assert other.get("/v1/limits").status_code == 200
                assert other.get("/health/live").status_code == 200
        for client in clients:
            said = b"".join(iter(partial(client.recv, 65536), b"")).removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
            if half:
                assert said.startswith(b"HTTP/1.1 408 "), said
                assert json.loads(said.partition(b"\r\n\r\n")[2])["status"] == 408
            else:
                assert said == b""


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /v1/limits HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 2**16,
        HEAD + b"Content-Length: " + b"9" * 25 + b"\r\n\r\n{",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1000000000\r\n{",
    ],
    ids=["head", "length", "chunk"],
)
def test_requests_that_never_end_are_refused_and_hold_no_thread(api: Api, sent: bytes) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(socket.create_connection(("127.0.0.1", api.port)))) for _ in range(40)]
        for client in clients:
            client.sendall(sent)
            client.settimeout(60)
        with api.client() as other:
            for _ in range(20):
                assert other.get("/v1/limits").status_code == 200
        for client in clients:
            said = b"".join(iter(partial(client.recv, 65536), b""))
            assert said.split(b" ", 2)[1] in (b"400", b"413", b"431"), said


def test_answers_that_nobody_reads_hold_no_thread(api: Api) -> None:
    """Far more than the system keeps for each connection, on more connections than there are threads."""
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(socket.create_connection(("127.0.0.1", api.port)))) for _ in range(40)]
        for client in clients:
            client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        with api.client() as other:
            for _ in range(20):
                assert other.get("/v1/limits").status_code == 200
        # One of them begins to read, and gets its answers, whole.
        slow = clients[0]
        slow.settimeout(60)
        bodies = set()
        with slow.makefile("rb") as lines:
            for _ in range(12):
                assert lines.readline() == b"HTTP/1.1 200 OK\r\n"
                head = b"".join(iter(lines.readline, b"\r\n"))
                bodies.add(lines.read(_length(head)))
        assert len(bodies) == 1
        assert json.loads(bodies.pop())["openapi"].startswith("3.1")


def test_clients_that_do_not_close_hold_nobody_up(api: Api) -> None:
    """The loop may not wait for them: one after the other would take a hundred times two seconds."""
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(socket.create_connection(("127.0.0.1", api.port)))) for _ in range(100)]
        for client in clients:
            client.settimeout(60)
            client.sendall(b"GET /v1/limits HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        for client in clients:
            assert b"".join(iter(partial(client.recv, 65536), b"")).startswith(b"HTTP/1.1 200 ")
        with api.client() as other:
            assert other.get("/v1/limits").status_code == 200


def test_a_request_that_comes_in_pieces_is_answered(api: Api) -> None:
    body = json.dumps(BODY).encode()
    chunks = b"".join(b"%x;a=b\r\n%s\r\n" % (len(piece), piece) for piece in (body[:7], body[7:]))
    for request in (
        HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nX-Note: x\r\n\r\n",
    ):
        with closing(socket.create_connection(("127.0.0.1", api.port), timeout=60)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Two requests on one connection, the second together with the beginning of a third.
            for number, more in enumerate((b"", b"GET /health/live HTTP/1.1\r\nHost: ")):
                for piece in (request[i : i + 5] for i in range(0, len(request), 5)):
                    connection.sendall(piece)
                connection.sendall(more)
                assert _answer(connection).startswith(b"HTTP/1.1 202 "), number
            connection.sendall(b"localhost\r\n\r\n")
            assert _answer(connection).startswith(b"HTTP/1.1 200 ")


def _answer(connection: socket.socket) -> bytes:
    """One whole answer: its head may arrive before its body."""
    said = b""
    while (end := said.find(b"\r\n\r\n")) < 0 or len(said) < end + 4 + _length(said[:end]):
        received = connection.recv(65536)
        assert received, said
        said += received
    return said


def _length(head: bytes) -> int:
    return next(int(line[15:]) for line in head.splitlines() if line.lower().startswith(b"content-length:"))


def test_it_lives_while_every_thread_waits_for_the_database(tmp_path: Path, valkey: Valkey) -> None:
    file = tmp_path / "locked.db"
    with (
        Api(f"sqlite:///{file}", valkey.url, api_processes=1, api_threads=2) as api,
        ThreadPoolExecutor(4) as pool,
        closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        other.execute("BEGIN EXCLUSIVE")
        waiting = [pool.submit(httpx.post, f"{api.url}/v1/solves", json=BODY, timeout=60) for _ in range(4)]
        for _ in range(10):
            assert httpx.get(f"{api.url}/health/live", timeout=60).status_code == 200
        assert not any(one.done() for one in waiting)
        other.execute("COMMIT")
        assert {one.result().status_code for one in waiting} == {202}


def test_waits_leave_threads_for_others(api: Api) -> None:
    """Eight waits for eight threads: if they took all of them, nothing else would be answered before they end."""
    with api.client() as client, ThreadPoolExecutor(8) as pool:
        path = client.post("/v1/solves", json=BODY).headers["Location"]
        for _ in range(10):  # on a busy machine the waits may end first
            held = [pool.submit(httpx.get, api.url + path, headers={"Prefer": "wait=2"}, timeout=60) for _ in range(8)]
            for _ in range(20):
                assert client.get("/v1/limits").status_code == 200
            meanwhile = not all(one.done() for one in held)
            answers = [one.result() for one in held]
            assert {answer.json()["status"] for answer in answers} == {"queued"}
            granted = ["Preference-Applied" in answer.headers for answer in answers]
            # The distribution of requests over the two processes is random; each can hold two.
            assert granted.count(True) <= 4
            if meanwhile and granted.count(True) >= 2:
                return
    raise AssertionError("nothing was answered while threads waited")


def test_metrics_add_up_over_processes(api: Api) -> None:
    def count() -> float:
        with httpx.Client(base_url=api.url) as client:
            lines = client.get("/metrics").text.splitlines()
        name = 'hstar_http_requests_total{method="GET",route="/v1/puzzles",status="200"}'
        return sum(float(line.split()[-1]) for line in lines if line.startswith(name))

    before = count()
    for _ in range(30):
        assert httpx.get(f"{api.url}/v1/puzzles").status_code == 200
    assert count() == before + 30


def test_a_stopping_process_ends_its_waits(sqlite_url: str, valkey: Valkey) -> None:
    with (
        Api(sqlite_url, valkey.url, real=True, api_processes=1, wait_cap_seconds=300) as api,
        ThreadPoolExecutor(1) as pool,
    ):
        with api.client() as client:
            path = client.post("/v1/solves", json=BODY).headers["Location"]
        held = pool.submit(httpx.get, api.url + path, headers={"Prefer": "wait=300"}, timeout=60)
        channel = f"hstar:finished:{path.rpartition('/')[2]}"
        with closing(valkey.client()) as broker:
            wait_until(lambda: broker.pubsub_numsub(channel)[0][1] == 1, "the wait to begin")
        process = api.process
        assert process is not None
        process.send_signal(signal.SIGTERM)
        answer = held.result()
        assert (answer.status_code, answer.json()["status"]) == (200, "queued")
        assert process.wait(30) == 0


def test_a_killed_process_is_replaced(sqlite_url: str, valkey: Valkey) -> None:
    with Api(sqlite_url, valkey.url, api_processes=1) as api:
        assert api.process is not None
        children = Path(f"/proc/{api.process.pid}/task/{api.process.pid}/children")
        child = int(children.read_text().split()[0])
        os.kill(child, signal.SIGKILL)
        wait_until(lambda: api.answers() and str(child) not in children.read_text().split(), "another process")
        with api.client() as client:
            assert client.post("/v1/solves", json=BODY).status_code == 202
            assert "hstar_http_requests_total" in client.get("/metrics").text


def refused(tmp_path: Path, *more: str, **settings: object) -> str:
    """The output of gunicorn when it does not start."""
    settings = {"var": tmp_path, "bind": f"127.0.0.1:{free_port()}"} | settings
    log = tmp_path / "log"
    with log.open("wb") as file:
        process = forking.start(gunicorn(*more), file, cwd=ROOT, env=environment(**settings), real=TEST_ALL)
    assert process.wait(60) != 0
    return log.read_text()


def test_without_keys_it_does_not_start_beyond_loopback(tmp_path: Path) -> None:
    for said in (
        refused(tmp_path, bind=f"[::]:{free_port()}"),
        refused(tmp_path, "--bind", f"0.0.0.0:{free_port()}"),
    ):
        assert "hstar does not start: hstar has no API keys, so it may listen on loopback only" in said
        assert "HSTAR_API_KEYS" in said
        assert "Traceback" not in said


def test_faulty_settings_are_said_in_a_sentence_that_shows_no_key(tmp_path: Path) -> None:
    assert "HSTAR_API_THREADS='many'" in refused(tmp_path, api_threads="many")
    said = refused(tmp_path, api_keys="alice:secret-of-16-chars,bob")
    assert "hstar does not start: HSTAR_API_KEYS: entry 2 is not owner:key" in said
    assert "secret" not in said
    assert "Traceback" not in said


def test_with_keys_it_listens_on_any_address(sqlite_url: str, valkey: Valkey) -> None:
    class Everywhere(Api):
        def options(self) -> dict[str, object]:
            return {"cwd": ROOT, "env": environment(bind=f"0.0.0.0:{self.port}", **self.settings)}

    with Everywhere(sqlite_url, valkey.url, api_keys=KEYS) as api, api.client() as client:
        assert client.get("/v1/puzzles").status_code == 401
        assert client.get("/v1/puzzles", headers={"Authorization": "Bearer key-of-bob-in-tests"}).status_code == 200
