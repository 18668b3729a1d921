"""Random histories of jobs in memory, and the violations found when a guard is removed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from chaos.simulation import mutants
from chaos.simulation.histories import draw, run
from chaos.simulation.memory import Guard, MemoryJobs
from chaos.simulation.mutants import EQUIVALENT, all_mutants
from chaos.simulation.specification import Violation
from chaos.simulation.world import ACTIONS, World
from tests import forking
from tests.conftest import TEST_ALL, instances

ROOT = Path(__file__).resolve().parents[2]
HISTORIES = range(100_000 if TEST_ALL else 3_000)


def test_nothing_that_may_happen_loses_a_job_or_does_one_twice() -> None:
    done = run(HISTORIES)
    assert done.violations == []
    assert done.histories == len(HISTORIES)
    drawn = Counter(name for seed in range(500) for name, _ in draw(seed))
    assert set(drawn) == set(ACTIONS)
    assert min(drawn.values()) > 100


@pytest.mark.parametrize("guard", list(Guard))
def test_a_missing_guard_is_noticed_and_the_seed_repeats_it(guard: Guard) -> None:
    lacking = frozenset({guard})
    violations = run(range(300), without=lacking).violations
    assert violations
    seed, told = violations[0]
    with pytest.raises(Violation) as again:
        live_again(seed, lacking)
    assert str(again.value) == told


def live_again(seed: int, lacking: frozenset[Guard]) -> None:
    world = World(MemoryJobs(lacking))
    for name, number in draw(seed):
        world.act(name, number)
    world.recover()


def test_the_command_counts_and_tells_one_history() -> None:
    def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
        return forking.run(["-m", "chaos", "simulate", *arguments], cwd=ROOT)

    count = 500 if TEST_ALL else 100
    whole = simulate("--histories", str(count), "--seed", "7", "--processes", "1")
    assert whole.returncode == 0, whole.stderr
    assert f"{count} histories" in whole.stdout
    assert "0 violations" in whole.stdout
    one = simulate("--tell", "7")
    assert [line.split()[0] for line in one.stdout.splitlines()][:-2] == [name for name, _ in draw(7)]


MUTANTS = {mutant.name: mutant for mutant in all_mutants()}
# Ordinary faults that an earlier simulation did not notice, because it compared the rules with themselves.
ONCE_MISSED = {
    "the sweep ignores the lease": "LOSE_AND_QUEUE without LEASE_RAN_OUT",
    "a loss is not counted": "LOSE_AND_QUEUE without losses",
    "a cancel is forgotten": "NO_CANCEL_REQUESTED always",
    "a heartbeat does not extend the lease": "EXTEND without lease_until",
    "the flag of a running job is ignored": "FLAG_RUNNING without cancel_requested",
}


@pytest.mark.parametrize(
    "name", [*ONCE_MISSED.values(), *instances([name for name in MUTANTS if name not in EQUIVALENT], 12)]
)
def test_a_change_of_a_rule_is_noticed(name: str) -> None:
    assert MUTANTS[name].is_noticed(range(mutants.HISTORIES))


def test_nearly_all_changes_of_the_rules_can_be_noticed() -> None:
    assert set(EQUIVALENT) <= set(MUTANTS)
    assert len(EQUIVALENT) < len(MUTANTS) / 20


def test_the_specification_imports_nothing_that_decides() -> None:
    source = (ROOT / "chaos" / "simulation" / "specification.py").read_text()
    names = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {getattr(node, "module", None) or node.names[0].name for node in names}
    assert modules <= set(sys.stdlib_module_names) | {"collections.abc", "__future__"}


def test_the_command_tells_which_changes_survive() -> None:
    told = forking.run(["-m", "chaos", "mutants", "--histories", "2"], cwd=ROOT, timeout=300)
    assert told.returncode == 1, told.stderr
    *survivors, summary = told.stdout.splitlines()
    noticed = len(MUTANTS) - len(survivors)
    assert 0 < noticed < len(MUTANTS)
    assert summary == f"{noticed} of {len(MUTANTS)} changes of the rules are noticed within 2 histories"
