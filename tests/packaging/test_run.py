"""`make run` as a user has it: everything starts, answers, and is gone after Ctrl-C."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from tests.servers import wait_until
from tools.ports import LOOPBACK, free_port, is_free
from tools.run import CannotRunError, check_address, environment

ROOT = Path(__file__).resolve().parents[2]
FINAL = {"solved", "exhausted", "limit_reached", "cancelled", "failed"}


@dataclass
class Run:
    """A running `make run` and where it is."""

    process: subprocess.Popen[bytes]
    url: str
    var: Path
    output: Path

    def descendants(self) -> list[psutil.Process]:
        """Every process that it started."""
        return psutil.Process(self.process.pid).children(recursive=True)


def start(var: Path, output: Path, **env: str) -> Run:
    """Run `python -m tools.run`, which is all of `make run` but the setup, on a free port."""
    port = free_port()
    own = {**environment({}), "HSTAR_VAR": str(var), "HSTAR_BIND": f"{LOOPBACK}:{port}", "HSTAR_WORKERS": "1", **env}
    del own["HSTAR_BROKER_URL"]
    with output.open("wb") as file:
        process = subprocess.Popen([sys.executable, "-m", "tools.run"], cwd=ROOT, env=own, stdout=file, stderr=file)
    return Run(process, f"http://{LOOPBACK}:{port}", var, output)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """One that says that it is ready."""
    running = start(tmp_path / "var", tmp_path / "output")
    try:
        wait_until(
            lambda: running.process.poll() is not None or "hstar is ready" in running.output.read_text(), "ready", 60
        )
        assert running.process.poll() is None, running.output.read_text()
        yield running
    finally:
        running.process.terminate()
        running.process.wait(30)


def test_it_solves_and_leaves_nothing_behind(run: Run) -> None:
    assert f"hstar is ready: {run.url}/" in run.output.read_text()
    body = {"puzzle": "8-puzzle", "scramble": {"k": 12, "seed": 1}, "heuristic": "manhattan"}
    submitted = httpx.post(f"{run.url}/v1/solves", json=body, timeout=30)
    assert submitted.status_code == 202, submitted.text
    address = f"{run.url}/v1/solves/{submitted.json()['id']}"
    wait_until(lambda: httpx.get(address).json()["status"] in FINAL, "the answer")
    assert httpx.get(address).json()["status"] == "solved"
    assert (run.var / "valkey").is_dir()
    assert list(run.var.glob("*.sqlite*"))

    started = run.descendants()
    assert {"gunicorn", "celery", "valkey-server"} <= {word for p in started for word in programs(p)}
    run.process.send_signal(signal.SIGINT)
    assert run.process.wait(30) == 0
    _, alive = psutil.wait_procs(started, timeout=10)
    assert alive == []
    assert is_free(int(run.url.rpartition(":")[2]))
    said = run.output.read_text()
    assert "Traceback" not in said
    assert "lost Redis" not in said


def programs(process: psutil.Process) -> set[str]:
    """The names that the words of its command line end with."""
    try:
        return {Path(word).name for word in " ".join(process.cmdline()).replace(":", " ").split()}
    except psutil.NoSuchProcess:
        return set()


def test_a_second_one_on_the_same_data_is_refused(run: Run, tmp_path: Path) -> None:
    second = start(run.var, tmp_path / "second")
    assert second.process.wait(30) == 1
    assert second.output.read_text() == (
        f"hstar is already running on {run.var}. Stop it, or give this one HSTAR_VAR of its own.\n"
    )
    assert httpx.get(f"{run.url}/health/ready").status_code == 200


def test_a_taken_port_is_named() -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotRunError, match=rf"Port {port} on 127.0.0.1 is taken.*make run PORT=8001"):
            check_address(f"{LOOPBACK}:{port}")
    assert check_address(f"{LOOPBACK}:{port}") == f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("bind", ["8000", ":8000", "127.0.0.1:", "127.0.0.1:http"])
def test_an_address_that_is_none_is_refused(bind: str) -> None:
    with pytest.raises(CannotRunError, match="has to be an address and a port"):
        check_address(bind)


def test_what_the_user_sets_stays(tmp_path: Path) -> None:
    given = {
        "HSTAR_VAR": str(tmp_path),
        "HSTAR_BIND": "[::1]:9000",
        "HSTAR_BROKER_URL": "redis://other:1/2",
        "PORT": "7",
    }
    env = environment(given)
    assert {name: env[name] for name in given} == given
    assert environment({"PORT": "8123"})["HSTAR_BIND"] == "127.0.0.1:8123"
