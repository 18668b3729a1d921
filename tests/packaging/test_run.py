"""`make run` as for a user: everything starts, answers, and ends after Ctrl-C."""

import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from running import valkey
from running.__main__ import CannotRunError, check_address, environment, is_ready, lock
from running.ports import LOOPBACK, free_port
from store.settings import Pace, Settings
from tests.conftest import TEST_ALL
from tests.servers import Valkey, wait_until
from tests.service.processes import Api, Worker

ROOT = Path(__file__).resolve().parents[2]
FINAL = {"done", "cancelled", "failed"}
NOTHING: Mapping[str, str] = {}


@dataclass
class Run:
    """A running `make run`, with its URL and directory; `watched` by a program in the place of systemd."""

    process: subprocess.Popen[bytes]
    url: str
    var: Path
    output: Path
    watched: bool

    def supervisor(self) -> psutil.Process:
        """The process that starts the parts."""
        own = psutil.Process(self.process.pid)
        return own.children()[0] if self.watched else own

    def descendants(self) -> list[psutil.Process]:
        """Every process that it started."""
        return psutil.Process(self.process.pid).children(recursive=True)


def start(var: Path, output: Path, env: Mapping[str, str] = NOTHING, *, watched: bool = False) -> Run:
    """Run `python -m running`, which is `make run` without the setup, on a free port."""
    port = free_port()
    own = {**environment({}), "HSTAR_VAR": str(var), "HSTAR_BIND": f"{LOOPBACK}:{port}", "HSTAR_WORKERS": "1", **env}
    command = [sys.executable, "-m", "chaos.systemd" if watched else "running"]
    with output.open("wb") as file:
        process = subprocess.Popen(command, cwd=ROOT, env=own, stdout=file, stderr=file)
    return Run(process, f"http://{LOOPBACK}:{port}", var, output, watched)


@contextmanager
def running(directory: Path, env: Mapping[str, str] = NOTHING, *, watched: bool = False) -> Iterator[Run]:
    """A `make run` that has reported to be ready."""
    run = start(directory / "var", directory / "output", env, watched=watched)
    try:
        wait_until(lambda: run.process.poll() is not None or "hstar is ready" in run.output.read_text(), "ready", 180)
        assert run.process.poll() is None, run.output.read_text()
        yield run
    finally:
        run.process.terminate()
        run.process.wait(60)


@pytest.fixture(scope="module")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """One as it is by default. Each start takes the seconds of five programs, so tests share it."""
    with running(tmp_path_factory.mktemp("run")) as made:
        yield made


@pytest.fixture(scope="module")
def watched_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """One that is watched, and soon takes a silent process for one that hangs."""
    pace = Pace(silent_seconds=5).model_dump_json()
    with running(tmp_path_factory.mktemp("watched"), {"HSTAR_PACE": pace}, watched=True) as made:
        yield made


def solves(run: Run, seconds: float = 60, headers: Mapping[str, str] | None = None) -> None:
    """Assert that a new job is solved."""
    body = {"puzzle": "8-puzzle", "scramble": {"k": 12, "seed": 1}, "heuristic": "manhattan", "limits": {"seconds": 10}}
    with httpx.Client(base_url=run.url, timeout=30, headers=headers) as client:
        submitted = client.post("/v1/solves", json=body)
        assert submitted.status_code == 202, submitted.text
        address = f"/v1/jobs/{submitted.json()['id']}"
        wait_until(lambda: client.get(address).json()["status"] in FINAL, f"it\n{run.output.read_text()}", seconds)
        assert client.get(address).json()["outcome"] == "solved"


def test_it_solves_and_others_see_nothing(shared_run: Run) -> None:
    assert f"hstar is ready: {shared_run.url}/" in shared_run.output.read_text()
    solves(shared_run)
    assert list(shared_run.var.glob("*.sqlite*"))
    check_that_others_see_nothing(shared_run)


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
    parts = run.supervisor().children()
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


def test_what_hangs_is_ended_and_comes_back(watched_run: Run) -> None:
    """Every process is stopped for good: the parts themselves last, before them those that they have started, and first
    those that these have started. In `make test` at once: two parts, one that another part has started, and one that
    such a one of the last part has started."""
    run, kinds = watched_run, ("valkey-server", "gunicorn", "celery", "worker.sweeper")

    def processes() -> list[list[psutil.Process]]:
        """Two beside the API's, two of the API and four of the worker, and the parts."""
        mains = [found for word in kinds if (found := part(run, word)) is not None]
        children = [child for main in mains for child in living(main)]
        return [[other for child in children for other in living(child)], children, mains]

    def below(word: str) -> list[psutil.Process]:
        found = part(run, word)
        return [] if found is None else living(found)

    for number in range(3 if TEST_ALL else 1):
        wait_until(lambda: [len(some) for some in processes()] == [2, 6, 4], "every process to be there")
        lowest, _, mains = every = processes()
        hung = every[number] if TEST_ALL else [lowest[0], below("celery")[0], mains[0], mains[-1]]
        for process in hung:
            process.suspend()
        _, alive = psutil.wait_procs(hung, timeout=120)
        assert alive == [], run.output.read_text()
        wait_until(lambda: all(part(run, word) for word in kinds), "all parts to start again")
        wait_until(partial(is_ready, run.url), "the service to be ready")
        solves(run)
        said = run.output.read_text()
        assert all(f"({process.pid}) hangs; it is killed" in said for process in hung)


def living(process: psutil.Process) -> list[psutil.Process]:
    """What it has started, and has not ended."""
    found = []
    with suppress(psutil.NoSuchProcess):
        for child in process.children():
            with suppress(psutil.NoSuchProcess):
                found += [child] if child.status() != psutil.STATUS_ZOMBIE else []
    return found


def test_a_part_that_stops_while_it_starts_is_ended(watched_run: Run) -> None:
    before = part(watched_run, "worker.sweeper")
    assert before is not None
    before.kill()
    wait_until(lambda: part(watched_run, "worker.sweeper") not in (None, before), "it to start again", pause=0.01)
    hung = part(watched_run, "worker.sweeper")
    assert hung is not None
    hung.suspend()
    psutil.wait_procs([hung], timeout=120)
    said = watched_run.output.read_text()
    assert f"({hung.pid}) hangs; it is killed" in said
    assert "too long to start" not in said
    wait_until(partial(is_ready, watched_run.url), "the service to be ready")
    solves(watched_run)


def test_a_supervisor_that_hangs_is_ended_and_comes_back(watched_run: Run) -> None:
    """The unit's watchdog."""
    hung = watched_run.supervisor()
    hung.suspend()
    _, alive = psutil.wait_procs([hung], timeout=120)
    assert alive == []
    wait_until(lambda: watched_run.output.read_text().count("hstar is ready") == 2, "ready again", 120)
    solves(watched_run)
    watched_run.process.terminate()
    assert watched_run.process.wait(60) == 0


#: for each setting that `start` does not choose itself, a value that is not the default
OTHER_VALUES: dict[str, object] = {
    "database_url": "sqlite:///{var}/other.sqlite", "broker_url": "", "workers": 2, "quick_slots": 2, "paused_slots": 1,
    "worker_takes": "small", "keep_days": 100, "keep_log_days": 100,
    "api_keys": "ann:key-of-ann-in-tests", "allowed_hosts": "solver.example.org", "api_processes": 1, "api_threads": 4,
    "lease_seconds": 20, "cap_expanded": 10**6, "cap_seconds": 60, "cap_memory_mib": 300, "wait_cap_seconds": 5,
    "max_queued": 100, "owner_queued": 50, "student_queued": 10, "owner_running": 1, "requests_per_minute": 1000,
    "wrong_keys_per_minute": 5, "proxies": 1, "databases": "{var}/tables", "databases_mib": 100,
    "owner_databases_mib": 100, "reserve_mib": 10, "certificate_mib": 64,
    "certificates_mib": 128, "layers_mib": 64, "webhooks": 2, "webhook_networks": "10.0.0.0/8",
    "log_format": "text", "log_level": "debug",
    "pace": Pace(sweep_seconds=1).model_dump_json(),
}  # fmt: skip


HEADERS = {
    "api_keys": {"Authorization": "Bearer key-of-ann-in-tests"},
    "allowed_hosts": {"Host": "solver.example.org"},
}


def others(names: Iterable[str], directory: Path, valkey: Valkey) -> dict[str, str]:
    """The other values of these settings, as texts."""
    chosen = {name: str(OTHER_VALUES[name]).replace("{var}", str(directory)) for name in names}
    return chosen | ({"broker_url": valkey.url} if "broker_url" in chosen else {})


def variables(chosen: Mapping[str, str]) -> dict[str, str]:
    return {f"HSTAR_{name.upper()}": text for name, text in chosen.items()}


def check_that_it_is_supervised(run: Run, headers: Mapping[str, str]) -> None:
    sweeper = part(run, "worker.sweeper")
    assert sweeper is not None
    sweeper.kill()
    wait_until(lambda: part(run, "worker.sweeper") not in (None, sweeper), "the sweeper to start again")
    wait_until(partial(is_ready, run.url), "the service to be ready")
    solves(run, headers=headers)


def test_with_other_values_of_all_settings_it_solves(sqlite_url: str, tmp_path: Path, valkey: Valkey) -> None:
    """The service and a worker, forked. A new setting comes with another value."""
    chosen: dict[str, Any] = others(OTHER_VALUES, tmp_path, valkey) | {"database_url": sqlite_url}
    defaults = Settings()
    given = Settings.from_env(variables(chosen))
    those = {name for name in Settings.model_fields if getattr(given, name) == getattr(defaults, name)}
    assert those == {"var", "bind"}
    with Api(**chosen) as api, Worker(api), api.client(**HEADERS["api_keys"], **HEADERS["allowed_hosts"]) as client:
        assert client.get("/health/live").status_code == 200
        wanted = {"puzzle": "8-puzzle", "random": 1, "heuristic": "manhattan", "limits": {"seconds": 10}}
        solve = client.post("/v1/solves", json=wanted, headers={"Prefer": "wait=5"})
        assert solve.headers["Preference-Applied"] == "wait=5"
        wait_until(lambda: client.get(solve.headers["Location"]).json()["status"] in FINAL, "its end")
        assert client.get(solve.headers["Location"]).json()["outcome"] == "solved"


@pytest.mark.thorough
def test_every_setting_is_started_and_supervised(tmp_path: Path, valkey: Valkey) -> None:
    with running(tmp_path, variables(others(OTHER_VALUES, tmp_path, valkey))) as run:
        check_that_it_is_supervised(run, HEADERS["api_keys"] | HEADERS["allowed_hosts"])


@pytest.mark.thorough
@pytest.mark.parametrize("name", OTHER_VALUES)
def test_each_setting_alone_is_started_and_supervised(name: str, tmp_path: Path, valkey: Valkey) -> None:
    with running(tmp_path, variables(others([name], tmp_path, valkey))) as run:
        check_that_it_is_supervised(run, HEADERS.get(name, {}))


def test_a_part_that_cannot_start_ends_everything(tmp_path: Path) -> None:
    failed = start(tmp_path / "var", tmp_path / "output", {"HSTAR_API_KEYS": "no-key"})
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


# The last test of this run, since it ends it. That Ctrl-C leaves nothing behind is seen in test_wheel.py.
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
    names = ("VAR", "BIND", "WORKERS", "CAP_MEMORY_MIB", "DATABASES", "BROKER_URL")
    assert environment({f"HSTAR_{name}": "" for name in names}) == environment({})
