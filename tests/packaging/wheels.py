"""Wheels as a user has them: built, installed into a fresh environment, and serving."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from uv import find_uv_bin

from running.ports import LOOPBACK, free_port, is_free
from tests.packaging import compose
from tests.packaging.dockerfile import share_bytecode
from tests.servers import wait_until
from tools.install import uv_environment


def build(sources: Path, directory: Path) -> Path:
    """The wheel of these sources."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(directory)]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*command, "."],
        cwd=sources,
        env={**os.environ, "PATH": tools},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")
    (made,) = directory.glob("*.whl")
    return made


def install(wheel: Path, there: Path) -> Path:
    """The programs of a fresh environment with `hstar[server]` from the wheel, of the locked versions."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(there)], check=True)
    command = [find_uv_bin(), "pip", "install", "--quiet", "--python", str(there / "bin" / "python")]
    command += [f"hstar[server] @ file://{wheel}", "--constraint", str(compose.ROOT / "requirements" / "run.txt")]
    subprocess.run(command, check=True, env=uv_environment() | os.environ)
    share_bytecode(there)
    return there / "bin"


def alone(directory: Path) -> dict[str, str]:
    """An environment without this checkout, and with no program but a shell: no compiler, no make."""
    programs = directory / "programs"
    programs.mkdir(exist_ok=True)
    if not (programs / "sh").exists():
        (programs / "sh").symlink_to("/bin/sh")
    kept = {name: text for name, text in os.environ.items() if name in ("HOME", "TMPDIR", "LANG")}
    return kept | {"PATH": str(programs), "XDG_DATA_HOME": str(directory / "data")}


@contextmanager
def serving(programs: Path, directory: Path) -> Iterator[str]:
    """The address of a `hstar serve` that is ready, with its data below the directory. Ctrl-C ends it with status 0 and
    leaves no process and no open port behind."""
    port = free_port()
    output = directory / "output"
    with output.open("wb") as file:
        command = [str(programs / "hstar"), "serve", "--port", str(port), "--workers", "1"]
        process = subprocess.Popen(command, cwd=directory, env=alone(directory), stdout=file, stderr=file)
    try:
        wait_until(lambda: process.poll() is not None or "hstar is ready" in output.read_text(), "ready", 180)
        assert process.poll() is None, output.read_text()
        yield f"http://{LOOPBACK}:{port}"
    finally:
        started = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        before = len(output.read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, output.read_text()
    _, alive = psutil.wait_procs(started, timeout=60)
    assert alive == []
    assert len(started) >= 4  # the broker, the API, the worker, the sweeper
    assert is_free(port)
    said = output.read_text()[before:]
    assert "Traceback" not in said
    assert "lost Redis" not in said
