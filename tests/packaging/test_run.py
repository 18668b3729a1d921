"""`make run` as for a user: everything starts, answers, and ends after Ctrl-C."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import psutil
import pytest

from tests.servers import wait_until
from tools import valkey
from tools.ports import LOOPBACK, free_port, is_free
from tools.run import CannotRunError, check_address, environment, is_ready, lock

ROOT = Path(__file__).resolve().parents[2]
FINAL = {"solved", "exhausted", "limit_reached", "cancelled", "failed"}


@dataclass
class Run:
    """A running `make run`, with its URL and directory."""

    process: subprocess.Popen[bytes]
    url: str
    var: Path
    output: Path

    def descendants(self) -> list[psutil.Process]:
        """Every process that it started."""
        return psutil.Process(self.process.pid).children(recursive=True)


def start(var: Path, output: Path, **env: str) -> Run:
    """Run `python -m tools.run`, which is `make run` without the setup, on a free port."""
    port = free_port()
    own = {**environment({}), "HSTAR_VAR": str(var), "HSTAR_BIND": f"{LOOPBACK}:{port}", "HSTAR_WORKERS": "1", **env}
    with output.open("wb") as file:
        process = subprocess.Popen([sys.executable, "-m", "tools.run"], cwd=ROOT, env=own, stdout=file, stderr=file)
    return Run(process, f"http://{LOOPBACK}:{port}", var, output)


@contextmanager
def running(directory: Path) -> Iterator[Run]:
    """A `make run` that has reported to be ready."""
    run = start(directory / "var", directory / "output")
    try:
        wait_until(lambda: run.process.poll() is not None or "hstar is ready" in run.output.read_text(), "ready", 180)
        assert run.process.poll() is None, run.output.read_text()
        yield run
    finally:
        run.process.terminate()
        run.process.wait(60)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A new one, for a test that ends it."""
    with running(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """One for all tests of the module that leave it running."""
    with running(tmp_path_factory.mktemp("run")) as made:
        yield made


def solves(run: Run, seconds: float = 60) -> None:
    """Assert that a new job is solved."""
    body = {"puzzle": "8-puzzle", "scramble": {"k": 12, "seed": 1}, "heuristic": "manhattan"}
    with httpx.Client(base_url=run.url, timeout=30) as client:
        submitted = client.post("/v1/solves", json=body)
        assert submitted.status_code == 202, submitted.text
        address = f"/v1/solves/{submitted.json()['id']}"
        wait_until(lambda: client.get(address).json()["status"] in FINAL, f"it\n{run.output.read_text()}", seconds)
        assert client.get(address).json()["status"] == "solved"


def test_it_solves_and_leaves_nothing_behind(run: Run) -> None:
    assert f"hstar is ready: {run.url}/" in run.output.read_text()
    solves(run)
    assert list(run.var.glob("*.sqlite*"))
    check_that_others_see_nothing(run)

    started = run.descendants()
    assert {"gunicorn", "celery", "valkey-server"} <= {word for p in started for word in programs(p)}
    run.process.send_signal(signal.SIGINT)
    assert run.process.wait(60) == 0
    _, alive = psutil.wait_procs(started, timeout=60)
    assert alive == []
    assert is_free(int(run.url.rpartition(":")[2]))
    said = run.output.read_text()
    assert "Traceback" not in said
    assert "lost Redis" not in said


def check_that_others_see_nothing(run: Run) -> None:
    """Only its user can read its files, and the broker saves no file and listens on no port."""
    broker = valkey.socket_of(run.var)
    assert [path.name for path in broker.parent.iterdir()] == [broker.name]
    for path in (run.var, broker.parent, broker, *run.var.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path
    (server,) = (process for process in run.descendants() if "valkey-server" in programs(process))
    assert [seen for seen in server.net_connections("inet") if seen.status == psutil.CONN_LISTEN] == []


def part(run: Run, word: str) -> psutil.Process | None:
    """The part with this word in its command line: the supervisor's child, not that child's own children."""
    parts = psutil.Process(run.process.pid).children()
    found = [process for process in parts if word in {*programs(process), *process.cmdline()}]
    return found[0] if found else None


def test_a_part_that_is_killed_comes_back(shared_run: Run) -> None:
    words = {"valkey": "valkey-server", "api": "gunicorn", "worker": "celery", "sweeper": "worker.sweeper"}
    for name, word in words.items():
        main = part(shared_run, word)
        assert main is not None
        main.kill()
        wait_until(lambda: f"{name} was ended by SIGKILL" in shared_run.output.read_text(), "it to be missed")  # noqa: B023
        wait_until(lambda: part(shared_run, word) not in (None, main), f"{name} to start again")  # noqa: B023
        wait_until(partial(is_ready, shared_run.url), "the service to be ready")
        solves(shared_run)


def test_a_part_that_cannot_start_ends_everything(tmp_path: Path) -> None:
    failed = start(tmp_path / "var", tmp_path / "output", HSTAR_API_KEYS="no-key")
    assert failed.process.wait(60) == 1
    said = failed.output.read_text()
    assert "hstar does not start: HSTAR_API_KEYS" in said
    assert "api does not start; stopping everything" in said


def programs(process: psutil.Process) -> set[str]:
    """The names that the words of its command line end with."""
    try:
        return {Path(word).name for word in " ".join(process.cmdline()).replace(":", " ").split()}
    except psutil.NoSuchProcess:
        return set()


def test_a_second_one_on_the_same_data_is_refused(shared_run: Run, tmp_path: Path) -> None:
    second = start(shared_run.var, tmp_path / "second")
    assert second.process.wait(60) == 1
    assert second.output.read_text() == (
        f"hstar is already running on {shared_run.var}. Stop it, or set HSTAR_VAR to another directory.\n"
    )
    assert httpx.get(f"{shared_run.url}/health/ready").status_code == 200


# The last test of the shared one, since it ends it.
def test_a_killed_supervisor_takes_its_parts_along_and_they_hold_the_lock_meanwhile(
    shared_run: Run, tmp_path: Path
) -> None:
    run = shared_run
    started = run.descendants()
    # One of them is stopped for a while, so it survives.
    still = part(run, "worker.sweeper")
    assert still is not None
    still.suspend()
    run.process.kill()
    run.process.wait()
    _, alive = psutil.wait_procs([process for process in started if process != still], timeout=60)
    assert alive == []
    second = start(run.var, tmp_path / "second")
    assert second.process.wait(60) == 1
    assert second.output.read_text() == (
        f"hstar is already running on {run.var}. Stop it, or set HSTAR_VAR to another directory.\n"
    )
    still.resume()
    _, alive = psutil.wait_procs([still], timeout=60)
    assert alive == []
    with lock(run.var):
        pass


def test_a_taken_port_is_named() -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotRunError, match=rf"Port {port} on 127.0.0.1 is in use.*make run PORT=8001"):
            check_address(f"{LOOPBACK}:{port}")
    assert check_address(f"{LOOPBACK}:{port}") == f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("bind", ["8000", ":8000", "127.0.0.1:", "127.0.0.1:http"])
def test_an_invalid_address_is_refused(bind: str) -> None:
    with pytest.raises(CannotRunError, match="must be an address and a port"):
        check_address(bind)


def test_the_users_settings_are_kept(tmp_path: Path) -> None:
    given = {
        "HSTAR_VAR": str(tmp_path),
        "HSTAR_BIND": "[::1]:9000",
        "HSTAR_BROKER_URL": "redis://other:1/2",
        "PORT": "7",
    }
    env = environment(given)
    assert {name: env[name] for name in given} == given
    assert environment({"PORT": "8123"})["HSTAR_BIND"] == "127.0.0.1:8123"
