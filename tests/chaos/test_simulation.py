"""Random histories of jobs in memory, and the violations found when a guard is removed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from chaos.simulation.histories import draw, run
from chaos.simulation.memory import Guard, MemoryJobs
from chaos.simulation.specification import Violation
from chaos.simulation.world import ACTIONS, World
from tests.conftest import TEST_ALL

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
        command = [sys.executable, "-m", "chaos", "simulate", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    whole = simulate("--histories", "500", "--seed", "7", "--processes", "1")
    assert whole.returncode == 0, whole.stderr
    assert "500 histories" in whole.stdout
    assert "0 violations" in whole.stdout
    one = simulate("--tell", "7")
    assert [line.split()[0] for line in one.stdout.splitlines()][:-2] == [name for name, _ in draw(7)]
