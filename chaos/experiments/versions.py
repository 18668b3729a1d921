"""Programs of before the last migration beside those of today, on the database of today."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chaos.clients import Submitting
from chaos.experiments.table import CannotRun, Experiment, mixed, times
from chaos.invariants import Violation
from chaos.processes import Program
from chaos.system import System
from store.database import migrate

PROGRAMS = ("store", "service", "worker", "migrations", "alembic.ini")


def earlier_programs(root: Path, directory: Path) -> str:
    """Put the programs as they were before the newest migration came into ``directory``; the commit.

    They use the library of today, which is compiled. Raises `CannotRun` where there is no history, or they cannot.
    """
    (newest,) = (root / "migrations/versions").glob(f"{migrate.newest()}_*.py")
    try:
        came = (
            _git(root, "log", "--diff-filter=A", "--format=%H", "-1", "--", str(newest.relative_to(root)))
            .decode()
            .strip()
        )
        if not came:
            raise CannotRun(f"{newest.name} is not committed")
        commit = _git(root, "rev-parse", "--short", f"{came}^").decode().strip()
        archive = _git(root, "archive", commit, *PROGRAMS)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotRun(f"there is no history of these sources: {error}") from None
    subprocess.run(["tar", "--extract", "--directory", str(directory)], input=archive, check=True)
    check = f"import sys; sys.path.insert(0, {str(directory)!r}); import service.app, worker.runner"
    done = subprocess.run([sys.executable, "-c", check], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"the programs of {commit} do not go with the library of today: {done.stderr[-300:]}")
    return commit


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True).stdout


def two_versions(system: System, scale: float) -> int:
    """Workers, sweepers and an API of both versions at once; the workers are exchanged again and again under load."""
    exchanges = times(6, scale)
    with tempfile.TemporaryDirectory(prefix="hstar-earlier-") as directory:
        root = Path(directory)
        system.note(f"beside {earlier_programs(system.root, root)}")
        old = system.start_worker(wait=False, root=root)
        system.start_sweeper(wait=False, root=root)
        system.start(api=False)
        # The API is exchanged last.
        system.start_api(root=root)
        system.until_said(old, " ready.")
        both: dict[bool, list[Program]] = {True: [old], False: [system.find("worker")]}
        with Submitting(system.client, mixed(system, 30 * exchanges, 0.5)):
            for _ in range(exchanges):
                time.sleep(1)
                for is_old, programs in both.items():
                    system.stop(programs[-1])
                    programs.append(system.start_worker(root=root if is_old else None))
        system.calm()
        system.check()
    for is_old, programs in both.items():
        ended = [event for program in programs for event in program.events() if event.get("event") == "the job ended"]
        if not ended:
            log = programs[0].log.read_text(errors="replace")[-2000:]
            raise Violation(
                f"the {'earlier' if is_old else 'newer'} workers have ended no job; the first one's log:\n{log}"
            )
    return 2 * exchanges


EXPERIMENTS = (
    Experiment("two-versions", "programs of before the last migration beside today's, under load", two_versions),
)
