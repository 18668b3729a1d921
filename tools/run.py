"""`make run`: migrate the database, then Valkey, the API, a worker and the sweeper under honcho, until Ctrl-C.

Settings come from the environment (`HSTAR_*`, see `python -m store settings`) and have defaults that need nothing but
this checkout: SQLite and the append-only file below `var/`, and loopback addresses. The Procfile is what runs.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import IO

from tools.ports import free_port, is_free

ROOT = Path(__file__).resolve().parent.parent
VALKEY_PORT = 6379
# In the data directory: what counts requests writes there, also when it is killed.
METRICS = "metrics"
PROCESSES = ("valkey", "api", "worker", "sweeper")
# It would kill what has not stopped after five seconds. gunicorn alone grants its requests ten.
HONCHO = "from honcho import command, manager; assert manager.KILL_WAIT; manager.KILL_WAIT = 30; command.main()"


class CannotRunError(Exception):
    """Why nothing was started, as a sentence for the user."""


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """`given`, completed with the defaults of a run from the checkout; what the user set stays as it is."""
    env = dict(given)
    var = Path(env.get("HSTAR_VAR") or ROOT / "var").resolve()
    env["HSTAR_VAR"] = str(var)
    env.setdefault("HSTAR_DATABASES", str(var / "databases"))
    env.setdefault("HSTAR_BIND", f"127.0.0.1:{env.get('PORT') or 8000}")
    env.setdefault("HSTAR_WORKERS", str(min(os.cpu_count() or 1, 4)))
    if "HSTAR_BROKER_URL" not in env:
        env["HSTAR_BROKER_URL"] = f"redis://127.0.0.1:{free_port(VALKEY_PORT)}/0"
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env.get("PATH", os.defpath)])
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), env.get("PYTHONPATH", "")]))
    env["PYTHONUNBUFFERED"] = "1"
    return env


def check_address(bind: str) -> str:
    """The URL of `bind` (host:port). Raises CannotRunError if it is none or something else listens there."""
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal():
        raise CannotRunError(f"HSTAR_BIND is {bind!r}; it has to be an address and a port, like 127.0.0.1:8000.")
    if not is_free(int(port), host):
        raise CannotRunError(
            f"Port {port} on {host} is taken. Stop what listens there, or take another: make run PORT=8001"
        )
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def lock(var: Path) -> IO[str]:
    """Hold the data directory for this process: two Valkeys would write one append-only file."""
    var.mkdir(parents=True, exist_ok=True)
    file = (var / "run.lock").open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise CannotRunError(
            f"hstar is already running on {var}. Stop it, or give this one HSTAR_VAR of its own."
        ) from None
    return file


def empty(directory: Path) -> str:
    """This directory, made anew without what an earlier run has left in it."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return str(directory)


def is_ready(url: str) -> bool:
    """Whether the API at `url` answers that it is ready."""
    try:
        with urllib.request.urlopen(f"{url}/health/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def supervise(env: Mapping[str, str], url: str, processes: tuple[str, ...]) -> int:
    """Run honcho to its end and say when the API is ready. The exit status: 0 if the user ended it."""
    # An empty list of env files: a .env lying here is docker compose's, with production's addresses.
    command = [sys.executable, "-c", HONCHO, "--env", os.devnull, "start", *processes]
    honcho = subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True)
    asked_to_stop = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked_to_stop
        asked_to_stop = True
        honcho.send_signal(signal.SIGTERM)

    for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(wanted, stop)

    said = False
    while True:
        try:
            status = honcho.wait(timeout=None if said else 0.25)
        except subprocess.TimeoutExpired:
            if is_ready(url):
                said = True
                print(f"\n  hstar is ready: {url}/  (API: {url}/docs)\n  Ctrl-C stops it.\n", flush=True)
        else:
            return 0 if asked_to_stop else status or 1


def main() -> int:
    given = os.environ
    env = environment(given)
    try:
        url = check_address(env["HSTAR_BIND"])
        with lock(Path(env["HSTAR_VAR"])):
            if "PROMETHEUS_MULTIPROC_DIR" not in given:
                env["PROMETHEUS_MULTIPROC_DIR"] = empty(Path(env["HSTAR_VAR"]) / METRICS)
            migrated = subprocess.run([sys.executable, "-m", "store", "migrate"], cwd=ROOT, env=env, check=False)
            if migrated.returncode != 0:
                raise CannotRunError("The database could not be migrated; nothing was started.")
            own_broker = "HSTAR_BROKER_URL" not in given
            processes = PROCESSES if own_broker else tuple(name for name in PROCESSES if name != "valkey")
            return supervise(env, url, processes)
    except CannotRunError as fault:
        print(fault, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
