"""`make run` as for a user: everything starts, answers, and ends after Ctrl-C."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import psutil
import pytest

from running import valkey
from running.__main__ import CannotRunError, check_address, environment, is_ready, lock
from running.ports import LOOPBACK, free_port, is_free
from store.settings import Pace, Settings
from tests.conftest import TEST_ALL
from tests.servers import Valkey, wait_until

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
    """Run `python -m running`, which is `make run` without the setup, on a free port."""
    port = free_port()
    own = {**environment({}), "HSTAR_VAR": str(var), "HSTAR_BIND": f"{LOOPBACK}:{port}", "HSTAR_WORKERS": "1", **env}
    with output.open("wb") as file:
        process = subprocess.Popen([sys.executable, "-m", "running"], cwd=ROOT, env=own, stdout=file, stderr=file)
    return Run(process, f"http://{LOOPBACK}:{port}", var, output)


@contextmanager
def running(directory: Path, **env: str) -> Iterator[Run]:
    """A `make run` that has reported to be ready."""
    run = start(directory / "var", directory / "output", **env)
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


def solves(run: Run, seconds: float = 60, headers: Mapping[str, str] | None = None) -> None:
    """Assert that a new job is solved."""
    body = {"puzzle": "8-puzzle", "scramble": {"k": 12, "seed": 1}, "heuristic": "manhattan"}
    with httpx.Client(base_url=run.url, timeout=30, headers=headers) as client:
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
    found = [process for process in parts if word in programs(process)]
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


def test_what_hangs_is_ended_and_comes_back(tmp_path: Path) -> None:
    """Every process is stopped for good: first those that have a parent among the parts, then the parts themselves."""
    with running(tmp_path, HSTAR_PACE=Pace(silent_seconds=5).model_dump_json()) as run:
        kinds = ("valkey-server", "gunicorn", "celery", "worker.sweeper")
        mains = {word: found for word in kinds if (found := part(run, word)) is not None}
        children = [child for main in mains.values() for child in main.children()]
        assert len(mains) == 4
        assert len(children) == 6  # two of the API and four of the worker
        for hung in (children, [*mains.values()]):
            for process in hung:
                process.suspend()
            _, alive = psutil.wait_procs(hung, timeout=120)
            assert alive == [], run.output.read_text()
            wait_until(lambda: all(part(run, word) for word in kinds), "all parts to start again")
            wait_until(partial(is_ready, run.url), "the service to be ready")
            solves(run)
        said = run.output.read_text()
        assert all(f"({process.pid}) hangs; it is killed" in said for process in (*children, *mains.values()))


def test_a_supervisor_that_hangs_is_ended_and_comes_back(tmp_path: Path) -> None:
    """The unit's watchdog, with a program in the place of systemd."""
    env = {**environment({}), "HSTAR_VAR": str(tmp_path / "var"), "HSTAR_BIND": f"{LOOPBACK}:{free_port()}"}
    output = tmp_path / "output"
    with output.open("wb") as file:
        systemd = subprocess.Popen([sys.executable, "-m", "chaos.systemd"], cwd=ROOT, env=env, stdout=file, stderr=file)
    try:
        wait_until(lambda: "hstar is ready" in output.read_text(), "ready", 180)
        (hung,) = psutil.Process(systemd.pid).children()
        hung.suspend()
        _, alive = psutil.wait_procs([hung], timeout=120)
        assert alive == []
        wait_until(lambda: output.read_text().count("hstar is ready") == 2, "ready again", 120)
        solves(Run(systemd, f"http://{env['HSTAR_BIND']}", tmp_path / "var", output))
    finally:
        systemd.terminate()
        assert systemd.wait(60) == 0


#: for each setting that `start` does not choose itself, a value that is not the default
OTHER_VALUES: dict[str, object] = {
    "database_url": "sqlite:///{var}/other.sqlite", "broker_url": "", "workers": 2, "quick_slots": 2, "paused_slots": 1,
    "api_keys": "ann:key-of-ann-in-tests", "allowed_hosts": "solver.example.org", "api_processes": 1, "api_threads": 4,
    "lease_seconds": 20, "cap_expanded": 10**6, "cap_seconds": 60, "cap_memory_mib": 300, "wait_cap_seconds": 5,
    "max_queued": 100, "owner_queued": 50, "student_queued": 10, "owner_running": 1, "requests_per_minute": 1000,
    "wrong_keys_per_minute": 5, "proxies": 1, "databases": "{var}/tables", "databases_mib": 100,
    "databases_reserve_mib": 10, "owner_databases_mib": 100, "reserve_mib": 10, "certificate_mib": 64,
    "certificates_mib": 128, "layers_mib": 64, "log_format": "text", "log_level": "debug",
    "pace": Pace(sweep_seconds=1).model_dump_json(),
}  # fmt: skip


CHOICES = {"all": [*OTHER_VALUES], **({name: [name] for name in OTHER_VALUES} if TEST_ALL else {})}


@pytest.mark.parametrize("names", CHOICES.values(), ids=CHOICES)
def test_every_setting_is_started_and_supervised(names: Sequence[str], tmp_path: Path, valkey: Valkey) -> None:
    """All of them at once; in `make test-all` also each of them alone."""
    assert OTHER_VALUES.keys() | {"var", "bind"} == Settings.model_fields.keys()
    chosen = {name: str(OTHER_VALUES[name]).replace("{var}", str(tmp_path)) for name in names}
    if "broker_url" in chosen:
        chosen["broker_url"] = valkey.url
    headers = {"Authorization": "Bearer key-of-ann-in-tests"} if "api_keys" in chosen else {}
    headers |= {"Host": "solver.example.org"} if "allowed_hosts" in chosen else {}
    with running(tmp_path, **{f"HSTAR_{name.upper()}": text for name, text in chosen.items()}) as run:
        sweeper = part(run, "worker.sweeper")
        assert sweeper is not None
        sweeper.kill()
        wait_until(lambda: part(run, "worker.sweeper") not in (None, sweeper), "the sweeper to start again")
        wait_until(partial(is_ready, run.url), "the service to be ready")
        solves(run, headers=headers)


def test_a_part_that_cannot_start_ends_everything(tmp_path: Path) -> None:
    failed = start(tmp_path / "var", tmp_path / "output", HSTAR_API_KEYS="no-key")
    assert failed.process.wait(60) == 1
    said = failed.output.read_text()
    assert "hstar does not start: HSTAR_API_KEYS" in said
    assert "api does not start; stopping everything" in said


def programs(process: psutil.Process) -> set[str]:
    """The words of its command line, and the names that they end with."""
    try:
        words = process.cmdline()
        return {*words, *(Path(word).name for word in " ".join(words).replace(":", " ").split())}
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
        with pytest.raises(CannotRunError, match=rf"Port {port} on 127.0.0.1 is in use.*PORT=8001"):
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
