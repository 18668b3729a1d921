"""Programs from before the last migration together with present ones, on the present schema."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from sqlalchemy import func, select

from chaos.clients import PATIENCE_SECONDS
from chaos.experiments.table import CannotRun, Experiment, mixed, times
from chaos.invariants import Violation
from chaos.processes import Program
from chaos.system import System
from store.database import migrate
from store.jobs.models import Job
from store.jobs.states import FINAL
from tests.servers import wait_until

PROGRAMS = ("store", "service", "worker", "migrations", "alembic.ini")


def earlier_programs(root: Path, directory: Path) -> str:
    """Write the programs of the commit before the newest migration into ``directory``; returns the commit.

    They use the present library, which is compiled. Raises `CannotRun` if there is no history, or they fail to start.
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
        raise CannotRun(f"the programs of {commit} do not work with the present library: {done.stderr[-300:]}")
    return commit


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True).stdout


def two_versions(system: System, scale: float) -> int:
    """Workers and sweepers of both versions with an earlier API; each worker in turn leaves its jobs to the other."""
    exchanges = times(4, scale)
    with tempfile.TemporaryDirectory(prefix="hstar-earlier-") as directory:
        root = Path(directory)
        system.note(f"beside {earlier_programs(system.root, root)}")
        old = system.start_worker(wait=False, root=root)
        system.start_sweeper(wait=False, root=root)
        system.start(api=False)
        # The API is replaced last.
        system.start_api(root=root)
        system.until_said(old, " ready.")
        workers: dict[bool, list[Program]] = {True: [old], False: [system.find("worker")]}
        for _ in range(exchanges):
            for is_old, programs in workers.items():
                submitted = mixed(system, 10, 0.5)
                system.client.submit_all(submitted)
                # Its jobs go back to the queue, for the only remaining worker, of the other version.
                system.stop(programs[-1])
                system.client.submit_all(submitted)
                wait_until(lambda: _all_ended(system), "all jobs to end", PATIENCE_SECONDS, pause=0.2)
                programs.append(system.start_worker(root=root if is_old else None))
        system.calm()
        system.check()
    for is_old, programs in workers.items():
        if not any(event.get("event") == "the job ended" for program in programs for event in program.events()):
            raise Violation(f"the {'earlier' if is_old else 'newer'} workers have ended no job")
    return 2 * exchanges


def _all_ended(system: System) -> bool:
    with system.sessions.read() as session:
        return session.scalar(select(func.count()).select_from(Job).where(Job.state.not_in(sorted(FINAL)))) == 0


EXPERIMENTS = (
    Experiment(
        "two-versions", "programs from before the last migration together with present ones, under load", two_versions
    ),
)
