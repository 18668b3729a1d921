"""The two checkers, as programs: `checker/check.py`, and the second one, which is compiled from ``second.cpp``."""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("second.cpp")
FIRST = ROOT / "checker" / "check.py"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")


@dataclass(frozen=True)
class Verdict:
    """How a checker ended: its exit status (0: proven, 1: not), what it said, and its most memory in bytes."""

    status: int
    said: str
    memory: int

    @property
    def proven(self) -> bool:
        return self.status == 0


@cache
def second_program() -> Path:
    """The second checker, compiled once for these sources and this compiler."""
    compiler = os.environ.get("CXX", "c++")
    digest = sha256(SOURCE.read_bytes() + compiler.encode()).hexdigest()[:16]
    program = ROOT / "build" / "checkers" / f"second-{digest}"
    program.parent.mkdir(parents=True, exist_ok=True)
    with program.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            part, launcher = program.with_suffix(".o"), [found] if (found := shutil.which("ccache")) else []
            subprocess.run([*launcher, compiler, "-std=c++20", "-O2", *WARNINGS, "-c", SOURCE, "-o", part], check=True)
            linked = program.with_suffix(".part")
            subprocess.run([compiler, "-o", linked, part], check=True)
            linked.rename(program)
    return program


def second(file: Path, seconds: int = 60, memory_mib: int = 1024) -> Verdict:
    """What the second checker says of a file."""
    return run([str(second_program()), str(file)], seconds, memory_mib)


def first(file: Path, *more: str, seconds: int = 60) -> Verdict:
    """What `checker/check.py` says of a file."""
    return run([sys.executable, str(FIRST), *more, str(file)], seconds)


@cache
def first_module() -> ModuleType:
    """`checker/check.py`, as a module."""
    sys.path.insert(0, str(FIRST.parent))  # as for a script
    return import_module("check")


#: imports `checker/check.py`, compiles its loops, and then checks each file of a line in a fork. Its forks have no
#: memory of another's that they could use, as those of a large process have
_FORKS = """
import json, os, resource, sys
sys.path.insert(0, sys.argv[1])
import check
check.core()
for line in sys.stdin:
    file, output, seconds = json.loads(line)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(output, os.O_WRONLY), 1)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        sys.stdout, sys.argv = open(1, "w", closefd=False), ["check.py", file]
        status = 99
        try:
            status = check.main()
            sys.stdout.flush()
        finally:
            os._exit(status)
    with open("/proc/self/statm") as pages:
        own = int(pages.read().split()[1]) * resource.getpagesize()
    _, status, used = os.wait4(child, 0)
    print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024 - own]), flush=True)
"""


@cache
def _forks(process: int) -> subprocess.Popen[str]:
    """A process with `_FORKS`, of this process: another must not write to it at the same time."""
    started = subprocess.Popen(
        [sys.executable, "-c", _FORKS, str(FIRST.parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(lambda: os.getpid() == process and started.communicate())
    return started


def first_forked(file: Path, seconds: int = 60) -> Verdict:
    """`first` without the start of Python: for many files. Memory is what it takes beyond Python and its modules."""
    forks = _forks(os.getpid())
    assert forks.stdin is not None
    assert forks.stdout is not None
    with tempfile.NamedTemporaryFile() as output:
        print(json.dumps([str(file.resolve()), output.name, seconds]), file=forks.stdin, flush=True)
        status, memory = json.loads(forks.stdout.readline())
        return Verdict(status, output.read().decode(errors="replace").strip(), memory)


def run(command: list[str], seconds: int, memory_mib: int | None = None) -> Verdict:
    """Run a checker with limits on processor time and on its address space, which end it by a signal."""

    # A shell sets them: a function in the new process would need a fork, which copies the page tables of this one.
    memory = f"ulimit -v {memory_mib << 10}; " if memory_mib is not None else ""
    limited = ["sh", "-c", f'ulimit -c 0; ulimit -t {seconds}; {memory}exec "$@"', "sh", *command]
    process = subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return Verdict(process.returncode, said.decode(errors="replace").strip(), used.ru_maxrss * 1024)
