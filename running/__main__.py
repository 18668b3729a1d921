"""`hstar serve`: migrate the database, then keep Valkey, the API, a worker and the sweeper running, until Ctrl-C.

Settings come from the environment (`HSTAR_*`, see `python -m store settings`). Their defaults need nothing else:
SQLite and the broker's socket below `var/`, which only its user may enter, and a loopback address. The Procfile lists
the programs.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO

from running import valkey
from running.ports import is_free
from running.supervisor import Supervisor, parts_of_procfile
from store.capacity import fitting_cap_mib
from store.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parent.parent
# The request counters are memory-mapped files. On a full disk a write to one kills the process, so they are in memory.
SHARED_MEMORY = Path("/dev/shm")
BROKER = "valkey"


class CannotRunError(Exception):
    """The reason why nothing was started, as a sentence for the user."""


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """`given`, completed with the defaults of a run from the checkout; the user's values are kept, unless empty."""
    env = {name: value for name, value in given.items() if value or not name.startswith(PREFIX)}
    var = Path(env.get("HSTAR_VAR") or ROOT / "var").resolve()
    env["HSTAR_VAR"] = str(var)
    env.setdefault("HSTAR_DATABASES", str(var / "databases"))
    env.setdefault("HSTAR_BIND", f"127.0.0.1:{env.get('PORT') or 8000}")
    env.setdefault("HSTAR_WORKERS", str(min(os.cpu_count() or 1, 4)))
    quick = env.get("HSTAR_QUICK_SLOTS") or str(Settings().quick_slots)
    paused = env.get("HSTAR_PAUSED_SLOTS") or str(Settings().paused_slots)
    numbers = (env["HSTAR_WORKERS"], quick, paused)
    if "HSTAR_CAP_MEMORY_MIB" not in env and all(number.isdecimal() for number in numbers):
        fitting = fitting_cap_mib(max(1, int(numbers[0])), int(quick), int(paused))
        env["HSTAR_CAP_MEMORY_MIB"] = str(min(Settings().cap_memory_mib, fitting))
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env.get("PATH", os.defpath)])
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), env.get("PYTHONPATH", "")]))
    env["PYTHONUNBUFFERED"] = "1"
    return env


def check_address(bind: str) -> str:
    """The URL of `bind` (host:port). Raises CannotRunError if it is malformed or another program listens there."""
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal():
        raise CannotRunError(f"HSTAR_BIND is {bind!r}; it must be an address and a port, such as 127.0.0.1:8000.")
    if not is_free(int(port), host):
        raise CannotRunError(
            f"Port {port} on {host} is in use. Stop what uses it, or choose another, such as PORT=8001."
        )
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def lock(var: Path) -> IO[str]:
    """Lock the data directory for this process and its parts, which inherit the lock and keep it if they outlive it."""
    var.mkdir(mode=0o700, parents=True, exist_ok=True)
    if var == ROOT / "var":  # a directory that the user chose keeps its mode
        var.chmod(0o700)
    file = (var / "run.lock").open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise CannotRunError(
            f"hstar is already running on {var}. Stop it, or set HSTAR_VAR to another directory."
        ) from None
    return file


def empty(directory: Path) -> str:
    """This directory, emptied of an earlier run's files."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o700, parents=True)
    return str(directory)


def metrics_of(var: Path) -> Path:
    """The directory of the request counters for this data directory; not on its disk."""
    found = var.stat()
    home = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    return home / f"hstar-metrics-{os.getuid()}-{found.st_dev:x}-{found.st_ino:x}"


def is_ready(url: str) -> bool:
    """Whether the API at `url` answers, and says that a worker and a sweeper work."""
    try:
        with urllib.request.urlopen(f"{url}/health/ready", timeout=2) as answer:
            told = json.load(answer)
    except (urllib.error.URLError, OSError, ValueError):
        return False
    return bool(told.get("worker") == told.get("sweeper") == "works")


def main() -> int:
    env = environment(os.environ)
    # Other users may not read the files of the parts: submissions, results, the broker's socket.
    os.umask(0o077)
    try:
        url = check_address(env["HSTAR_BIND"])
        with lock(Path(env["HSTAR_VAR"])) as held, ExitStack() as leaving:
            chosen = parts_of_procfile()
            if "HSTAR_BROKER_URL" in env:
                chosen = [part for part in chosen if part.name != BROKER]
            else:
                at = valkey.socket_of(Path(env["HSTAR_VAR"]))
                env["HSTAR_BROKER_URL"] = f"{valkey.SCHEME}{at}"
                next(part for part in chosen if part.name == BROKER).probe = partial(valkey.answers, at)
            if "PROMETHEUS_MULTIPROC_DIR" not in env:
                metrics = env["PROMETHEUS_MULTIPROC_DIR"] = empty(metrics_of(Path(env["HSTAR_VAR"])))
                leaving.callback(shutil.rmtree, metrics, ignore_errors=True)
            migrated = subprocess.run([sys.executable, "-m", "store", "migrate"], cwd=ROOT, env=env, check=False)
            if migrated.returncode != 0:
                raise CannotRunError("The database could not be migrated; nothing was started.")
            ready = f"\n  hstar is ready: {url}/  (API: {url}/docs)\n  Ctrl-C stops it.\n"
            return Supervisor(chosen, env, [held]).run(lambda: is_ready(url), lambda: print(ready, flush=True))
    except CannotRunError as fault:
        print(fault, file=sys.stderr)
        return 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # while the database was migrated
        sys.exit(130)
