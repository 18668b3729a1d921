"""The files of deploy/ in real use: the proxy's configuration, the role in PostgreSQL, the systemd unit."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import delete, select

from store.database import make_engine, make_sessions, migrate
from store.database.backup import restore
from store.jobs.models import Job
from tests.packaging.compose import ROOT
from tests.servers import PostgreSQL, Server, Valkey, wait_until
from tests.service.processes import Api
from tests.store.builders import submit

DEPLOY = ROOT / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
KEY = "chalk-and-blackboard"


class Proxy(Server):
    """nginx with the configuration of compose; only addresses and the directory of temporary files are changed."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self.api = api

    def command(self) -> list[str]:
        text = (DEPLOY / "nginx.conf").read_text()
        for theirs, ours in (
            ("listen 8080;", f"listen 127.0.0.1:{self.port};"),
            ("api:8000", f"127.0.0.1:{self.api.port}"),
            ("/tmp/", f"{self.home}/"),
            ("client_header_timeout 10s", "client_header_timeout 2s"),
            ("client_body_timeout 10s", "client_body_timeout 2s"),
            ("/dev/stdout", f"{self.home}/access.log"),
        ):
            assert theirs in text
            text = text.replace(theirs, ours)
        file = self.home / "nginx.conf"
        file.write_text(text)
        assert NGINX is not None
        return [NGINX, "-e", "stderr", "-c", str(file), "-g", "daemon off;"]

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/health/live", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, valkey: Valkey) -> Iterator[Proxy]:
    if NGINX is None:
        pytest.skip("nginx is not installed")
    url = f"sqlite:///{tmp_path_factory.mktemp('proxy') / 'hstar.db'}"
    settings: dict[str, Any] = {
        "api_keys": f"teacher:{KEY}",
        "proxies": 1,
        "api_processes": 1,
        "wrong_keys_per_minute": 2,
    }
    with Api(url, valkey.url, **settings) as api, Proxy(api) as server:
        yield server


def test_requests_pass_through_the_proxy_and_keep_their_names(proxy: Proxy) -> None:
    with httpx.Client(base_url=proxy.url, headers={"Authorization": f"Bearer {KEY}"}, timeout=60) as client:
        body = {"puzzle": "8-puzzle", "alg": "U"}
        # As a page behind the proxy does: its Origin has the public port.
        taken = client.post("/v1/solves", json=body, headers={"Origin": proxy.url, "Prefer": "wait=1"})
        assert taken.status_code == 202, taken.text
        assert client.get(taken.headers["Location"]).json()["status"] == "queued"
        # The request id is the proxy's, whatever the client sends, and both logs have it.
        named = client.get("/v1/me", headers={"X-Request-Id": "mine"}).headers["X-Request-Id"]
        assert len(named) == 32
        assert named in proxy.api.log.read_text()
        foreign = client.post("/v1/solves", json=body, headers={"Origin": "http://elsewhere.example"})
        assert (foreign.status_code, foreign.json()["type"]) == (403, "/docs/errors#forbidden")


def test_the_address_of_a_client_is_the_proxys_word_not_its_own(proxy: Proxy) -> None:
    with httpx.Client(base_url=proxy.url, timeout=60) as client:
        answers = [
            client.get("/v1/me", headers={"Authorization": f"Bearer wrong-{n}", "X-Forwarded-For": f"203.0.113.{n}"})
            for n in range(4)
        ]
    assert [answer.status_code for answer in answers] == [401, 401, 429, 429]


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 40_000 + b"\r\n\r\n", 431),
        (b"POST /v1/solves HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n", 413),
    ],
)
def test_refusals_of_the_proxy_are_problem_documents(proxy: Proxy, request_bytes: bytes, status: int) -> None:
    with closing(socket.create_connection(("127.0.0.1", proxy.port), timeout=30)) as connection:
        connection.sendall(request_bytes)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
            if b"}" in piece:
                break
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer
    assert b"application/problem+json" in answer
    assert b'"status":%d,' % status in answer


def test_slow_clients_cost_the_api_nothing(proxy: Proxy) -> None:
    half = b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"
    with ExitStack() as stack:
        slow = [stack.enter_context(closing(socket.create_connection(("127.0.0.1", proxy.port)))) for _ in range(200)]
        for connection in slow:
            connection.sendall(half)
        with httpx.Client(base_url=proxy.url, timeout=30) as client:
            for _ in range(5):
                assert client.get("/health/live").status_code == 200
        for connection in slow[:5]:
            connection.settimeout(60)
            assert connection.recv(100)[9:12] in (b"", b"408")


def test_an_api_that_is_away_is_said_so(proxy: Proxy) -> None:
    port = proxy.api.port
    proxy.api.stop()
    try:
        answer = httpx.get(f"{proxy.url}/v1/limits", timeout=30)
        assert (answer.status_code, answer.headers["Content-Type"]) == (502, "application/problem+json")
        assert answer.json()["status"] == 502
    finally:
        proxy.api.start(port)
    wait_until(lambda: httpx.get(f"{proxy.url}/health/live", timeout=30).status_code == 200, "the API to be back")


class Cluster(PostgreSQL):
    """As the image makes it: of a superuser who is not the service."""

    superuser = "postgres"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """The cluster of compose, with the service's role."""
    with Cluster() as server:
        with server._connect() as connection:
            connection.execute("CREATE DATABASE hstar")
            connection.execute("ALTER ROLE postgres PASSWORD 'secret'")
        env = inside(server) | {
            "POSTGRES_USER": "postgres",
            "POSTGRES_DB": "hstar",
            "POSTGRES_PASSWORD": "it's\"secret",
        }
        done = subprocess.run(
            ["sh", str(DEPLOY / "postgres-role.sh")], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        yield server


def inside(server: PostgreSQL) -> dict[str, str]:
    """The environment of a program that runs as in PostgreSQL's container."""
    path = f"{server.binaries}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "PGHOST": "127.0.0.1", "PGPORT": str(server.port)}


def test_the_services_role_owns_its_database_and_no_more(cluster: Cluster) -> None:
    with cluster._connect() as connection:
        roles = dict(
            connection.execute(
                "SELECT rolname, (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls, "
                "rolpassword LIKE 'SCRAM-SHA-256%')::text FROM pg_authid WHERE rolcanlogin"
            ).fetchall()
        )
    # The superuser has no password any more, so nobody can log in as the superuser over the network.
    assert roles == {"postgres": "(t,)", "hstar": "(f,t)"}
    url = f"postgresql+psycopg://hstar@127.0.0.1:{cluster.port}/hstar"
    engine = make_engine(url)
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.newest()
    engine.dispose()
    for refused in ("CREATE ROLE other", "CREATE DATABASE other", "COPY (SELECT 1) TO PROGRAM 'true'"):
        with (
            psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as own,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            own.execute(refused.encode())
    with pytest.raises(psycopg.OperationalError, match="permission denied"):
        psycopg.connect(host="127.0.0.1", port=cluster.port, user="hstar", dbname="postgres")


def test_the_manuals_commands_copy_and_restore_the_database_of_compose(cluster: Cluster, tmp_path: Path) -> None:
    page = (DEPLOY.parent / "docs/operating.md").read_text()
    commands = re.findall(r"^docker compose exec -T postgres (pg_\w+ .*) ([<>]) FILE", page, re.MULTILINE)
    assert [sign for _, sign in commands] == [">", "<"]
    sessions = make_sessions(make_engine(f"postgresql+psycopg://hstar@127.0.0.1:{cluster.port}/hstar"))
    migrate.upgrade(sessions.engine)
    kept = submit(sessions)

    def run(number: int) -> None:
        command, sign = commands[number]
        line = f"{command} {sign} {tmp_path / 'copy'}"
        done = subprocess.run(["sh", "-c", line], env=inside(cluster), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    run(0)
    submit(sessions)
    run(1)
    with sessions.read() as session:
        assert session.scalars(select(Job.id)).all() == [kept]
    # It is a copy like any other.
    sessions.run(lambda session: session.execute(delete(Job)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(cluster.binaries), prepend=os.pathsep)
        restore(sessions.engine, tmp_path / "copy", replace=True)
    with sessions.read() as session:
        assert session.scalars(select(Job.id)).all() == [kept]
    sessions.close()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "hstar.service").read_text()
    assert "ExecStart=/opt/hstar/.venv/bin/python -m running\n" in text
    unit = tmp_path / "hstar.service"
    unit.write_text(text.replace("/opt/hstar/.venv/bin/python", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
