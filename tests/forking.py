"""Programs of ours started by forking one process that has imported their modules, which is ten times quicker.

```python
process = forking.start(["/…/bin/gunicorn", "--config", …], log, cwd=ROOT, env=environment, real=False)
process.pid, process.poll(), process.wait(), process.returncode
run(["-m", "hstar.cli", "puzzles"]).stdout, run(["-c", "print(2)"]).returncode
```

The forked process gets the environment, the directory and the arguments first, and then runs the same script or module
as the command would: only the start of Python and the imports of what reads no settings are not repeated. `make
test-all` starts the commands themselves everywhere, and `make test` where a test says `real=True`, in `tests/packaging`
and in `tests/chaos`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import multiprocessing
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
#: names the socket of a running fork server, for the processes of pytest-xdist
SOCKET = "FORK_SERVER_OF_TESTS"
TEST_ALL = os.environ.get("HSTAR_TEST_ALL", "0") not in ("", "0")

#: what the programs import, without `worker.app`, `service.wsgi` and others that read settings when they are imported
IMPORTED = (
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.worker.consumer",
    "gunicorn.app.wsgiapp",
    "hstar.cli",
    "kombu.transport.redis",
    "psycopg",
    "service.app",
    "service.server",
    "worker.consumer",
    "worker.looking",
    "worker.runner",
    "worker.slots",
    "worker.stopping",
)


class Forked:
    """A forked process, with that part of the interface of `subprocess.Popen` which tests use."""

    def __init__(self, address: str, command: list[str], **options: Any) -> None:
        self.args = command
        self.returncode: int | None = None
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(address)
        self._connection.sendall(json.dumps({"command": command, **options}).encode() + b"\n")
        self.pid = self._read()

    def _read(self) -> int:
        line = b""
        while not line.endswith(b"\n"):
            got = self._connection.recv(1)
            if not got:
                raise RuntimeError(f"the fork server has ended while {self.args} ran")
            line += got
        return int(line)

    def poll(self) -> int | None:
        """The exit status, or minus the number of the signal that ended it; None while it runs."""
        return self._end(0)

    def wait(self, timeout: float | None = None) -> int:
        """As `poll`, once it has ended. Raises subprocess.TimeoutExpired."""
        code = self._end(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def _end(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._connection], [], [], timeout)[0]:
            self.returncode = self._read()
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """A process of this file. It ends with the process that started it."""

    def __init__(self) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="hstar-fork-server-")
        self.address = str(Path(self._home.name) / "socket")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self.address)
            listening.listen(16)  # requests wait here until the modules are imported
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forking", str(listening.fileno())],
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT), "PROMETHEUS_MULTIPROC_DIR": self._home.name},
                stdin=subprocess.PIPE,
                pass_fds=[listening.fileno()],
                start_new_session=True,
            )

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._home.cleanup()


_own: list[ForkServer] = []


def prepare() -> None:
    """Start the fork server for this process and those that it starts; nothing happens if there is one."""
    if SOCKET not in os.environ:
        _own.append(ForkServer())
        os.environ[SOCKET] = _own[0].address
        atexit.register(_own[0].close)


def start(
    command: list[str], log: IO[bytes], *, cwd: Path, env: dict[str, str], real: bool, start_new_session: bool = False
) -> subprocess.Popen[bytes] | Forked:
    """Fork a script or `-m` module of this Python with its output in `log`; with `real`, start the command instead."""
    if real:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=start_new_session,
        )
    return _forked(command, cwd, env, (log.name, log.name), new_session=start_new_session)


def run(
    arguments: list[str], *, cwd: Path | None = None, env: dict[str, str] | None = None, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` of this Python with these arguments (`-m`, `-c` or a script) and without input, its output
    captured; forked, but for `make test-all`."""
    command, env = [sys.executable, *arguments], dict(os.environ if env is None else env)
    if TEST_ALL:
        return subprocess.run(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
            check=False,
        )  # fmt: skip
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        process = _forked(arguments, cwd or Path.cwd(), env, (out.name, err.name), forks=True)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        said = (out.read().decode(), err.read().decode())
    return subprocess.CompletedProcess(command, code, *said)


#: asks for a forked process that writes where this one would
_HSTAR = """#!{python} -SEs
import json, os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect("{address}")
logs = [f"/proc/{{os.getpid()}}/fd/{{number}}" for number in (1, 2)]
options = {{"cwd": os.getcwd(), "env": dict(os.environ), "logs": logs, "new_session": False, "forks": True}}
asked.sendall(json.dumps({{"command": ["-m", "hstar.cli", *sys.argv[1:]], **options}}).encode() + b"\\n")
code = int(asked.makefile().read().split()[1])
sys.exit(code if code >= 0 else 128 - code)
"""


def put_hstar(directory: Path) -> None:
    """Put a command `hstar` into this directory, for shells: a forked process without input. In `make test-all`, and
    where the output of another process has no name, there is none, so that a shell finds the real one."""
    if TEST_ALL or not Path("/proc/self/fd").exists():
        return
    prepare()
    command = directory / "hstar"
    command.write_text(_HSTAR.format(python=sys.executable, address=os.environ[SOCKET]))
    command.chmod(0o755)


def _forked(
    command: list[str], cwd: Path, env: dict[str, str], logs: tuple[str, str], *, new_session: bool = False,
    forks: bool = False,
) -> Forked:  # fmt: skip
    prepare()
    options = {"cwd": str(cwd), "env": env, "logs": logs, "new_session": new_session, "forks": forks}
    return Forked(os.environ[SOCKET], command, **options)


def _import_everything() -> None:
    """Import the programs' modules, and warm what a service computes at its start."""
    for name in IMPORTED:
        importlib.import_module(name)
    importlib.import_module("hstar.heuristics").describe_all()
    settings = importlib.import_module("store.settings").Settings(var=Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]))
    app = importlib.import_module("service.app").create_app(settings)
    importlib.import_module("service.openapi").documents(app)


def _serve(listening: socket.socket) -> dict[str, Any]:
    """Fork a process for each request. Returns the request in the forked process; ends when the input does."""
    ended: dict[int, socket.socket] = {}
    awake, wake = socket.socketpair()
    awake.setblocking(False)
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno())
    selector = selectors.DefaultSelector()
    for source in (listening, awake, sys.stdin):
        selector.register(source, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                os._exit(0)
            if key.fileobj is awake:
                awake.recv(1024)
                _tell_ends(ended)
                continue
            connection, _ = listening.accept()
            with connection.makefile("rb") as lines:
                request: dict[str, Any] = json.loads(lines.readline())
            number = os.fork()
            if number:
                connection.sendall(b"%d\n" % number)
                ended[number] = connection
                continue
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            selector.close()
            for open_here in (listening, awake, wake, connection, *ended.values()):
                open_here.close()
            return request


def _tell_ends(ended: dict[int, socket.socket]) -> None:
    """Wait for the processes that have ended, and tell their codes."""
    for number in list(ended):
        found, status = os.waitpid(number, os.WNOHANG)
        if found:
            with ended.pop(number) as connection, contextlib.suppress(OSError):
                connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def fork_experiments(setattr: Callable[[Any, str, Any], None]) -> None:
    """Have the processes of experiments forked from this one, a twentieth of starting Python twice."""
    local = importlib.import_module("hstar.experiments.local")
    setattr(local, "get_context", lambda _: multiprocessing.get_context("fork"))


def _become(request: dict[str, Any]) -> NoReturn:
    """Be the program of this command to its end."""
    if request["new_session"]:
        os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None  # of another environment
    for path, flags, numbers in (
        (os.devnull, os.O_RDONLY, (0,)),
        (request["logs"][0], os.O_WRONLY | os.O_APPEND, (1,)),
        (request["logs"][1], os.O_WRONLY | os.O_APPEND, (2,)),
    ):
        opened = os.open(path, flags)
        for number in numbers:
            os.dup2(opened, number)
        os.close(opened)
    if request["forks"]:
        fork_experiments(setattr)
    program, *arguments = request["command"]
    code: object = None
    try:
        if program == "-c":
            sys.argv = ["-c", *arguments[1:]]
            sys.modules["__main__"] = ModuleType("__main__")  # without a file, for processes that it starts
            exec(compile(arguments[0], "<string>", "exec"), vars(sys.modules["__main__"]))
        elif program == "-m":
            sys.argv = arguments
            if not hasattr(sys.modules.get(arguments[0]), "__path__"):  # of a package, `__main__` is run
                sys.modules.pop(arguments[0], None)
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        elif arguments[:1] == ["-m"]:
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = [program, *arguments]
            runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        code = end.code
    except Exception:
        traceback.print_exc()
        code = 1
    _end(code)


def _end(code: object) -> NoReturn:
    """End this process, and those that its program forked, as Python does, but free nothing: to free the modules would
    copy all their memory, which it shares with the fork server."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    _import_everything()
    gc.collect()
    gc.freeze()  # what is never looked at stays shared with the forked processes
    _become(_serve(socket.socket(fileno=int(sys.argv[1]))))
