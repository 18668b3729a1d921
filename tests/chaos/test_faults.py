"""The experiments of `make chaos` detect the faults that they are for: each guard is removed from the real programs.

Most faults also have tests with fewer jobs, in tests/worker and tests/packaging/test_run; docs/reliability.md lists
them.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from chaos.experiments import EXPERIMENTS
from chaos.faults import Result, Servers, run_one
from chaos.report import line_of, summary_of, table_of
from chaos.system import PACE

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("store", "service", "worker", "migrations", "running")
# The file of a guard, its text, and the text without it.
ATTEMPT_CHECK = (
    "store/jobs/statements.py",
    {'row.attempt == bindparam("claim_attempt")': 'row.attempt >= bindparam("claim_attempt") - 1000000'},
)
LOOKUP = (
    "store/owners/idempotency.py",
    {
        "known = session.get_one(IdempotencyKey, (owner, key))": "return resource_id",
        "return session.get(IdempotencyKey, (owner, key))": "return None",
    },
)


def mutated(directory: Path, file: str, changes: dict[str, str]) -> Path:
    """A copy of the programs with some lines changed."""
    for name in PARTS:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, directory / name)
    path = directory / file
    text = path.read_text()
    for sound, broken in changes.items():
        assert text.count(sound) == 1, sound
        text = text.replace(sound, broken)
    path.write_text(text)
    return directory


def run(name: str, root: Path = ROOT, **settings: str) -> Result:
    with ExitStack() as stack:
        return run_one(EXPERIMENTS[name], 0, Servers(stack), seed=1, scale=0.12, root=root, **settings)


def test_the_table_names_every_experiment_once() -> None:
    results = [Result(name, "SQLite", 0, 1, faults=2, jobs=3) for name in EXPERIMENTS]
    table = table_of(results)
    assert all(table.count(f"| `{name}` |") == 1 for name in EXPERIMENTS)
    assert f"{len(EXPERIMENTS)} experiments, {2 * len(EXPERIMENTS)} faults" in summary_of(results)
    assert "--only stopped" in line_of(Result("stopped", "SQLite", 4, 1, violation="lost"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["stopped", "messages-lost"])
def test_the_programs_as_they_are_pass(name: str) -> None:
    result = run(name)
    assert result.violation is None
    assert result.faults > 0
    assert result.jobs > 0


@pytest.mark.thorough
def test_programs_of_before_the_last_migration_work_beside_todays() -> None:
    result = run("two-versions")
    if result.skipped:
        pytest.skip(result.skipped)
    assert result.violation is None
    assert result.jobs >= 30


@pytest.mark.thorough
def test_without_the_attempt_check_it_is_noticed(tmp_path: Path) -> None:
    result = run("stopped", mutated(tmp_path / "code", *ATTEMPT_CHECK))
    assert "ended it" in str(result.violation)


@pytest.mark.thorough
def test_without_the_idempotency_lookup_it_is_noticed(tmp_path: Path) -> None:
    result = run("messages-lost", mutated(tmp_path / "code", *LOOKUP))
    assert "no client submitted" in str(result.violation) or "was accepted as" in str(result.violation)


@pytest.mark.thorough
def test_without_a_sweeper_it_is_noticed() -> None:
    # A sweeper that sweeps once in an hour is as good as none.
    result = run("children-killed", HSTAR_PACE=PACE.model_copy(update={"sweep_seconds": 3600}).model_dump_json())
    assert "has ended for" in str(result.violation)
