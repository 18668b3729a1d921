"""Histories from seeds: many of them on all cores, or one of them shown step by step.

>>> run(range(1000)).violations
[]
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat

from chaos.simulation.memory import Guard, Jobs, MemoryJobs
from chaos.simulation.specification import Violation
from chaos.simulation.world import ACTIONS, World

CHUNK = 2000
# A seed determines a history, so do not change these without a reason: old seeds would give other histories.
SHORTEST, LONGEST = 15, 60


@dataclass
class Simulated:
    """The results of some histories."""

    histories: int = 0
    actions: int = 0
    #: the seed and what was wrong
    violations: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0


def draw(seed: int) -> Iterator[tuple[str, int]]:
    """The actions of a history, with their numbers."""
    chance = random.Random(seed)
    for _ in range(chance.randint(SHORTEST, LONGEST)):
        drawn = chance.getrandbits(48)
        yield ACTIONS[drawn % len(ACTIONS)], drawn >> 16


def live(seed: int, jobs: Jobs, tell: Callable[[str], None] = lambda _: None, *, exact: bool = True) -> int:
    """Run the history of a seed; returns its number of actions. Raises `Violation`; ``exact`` as in `World`."""
    world, count = World(jobs, exact=exact), 0
    for name, number in draw(seed):
        tell(f"{name} {number}")
        world.act(name, number)
        count += 1
    tell("recover")
    world.recover()
    return count


def run(seeds: Sequence[int], without: frozenset[Guard] = frozenset()) -> Simulated:
    """Run the histories of these seeds, one after the other."""
    began = time.monotonic()
    done = Simulated()
    for seed in seeds:
        try:
            done.actions += live(seed, MemoryJobs(without))
        except Violation as error:
            done.violations.append((seed, str(error)))
        done.histories += 1
    done.seconds = time.monotonic() - began
    return done


def run_on_all_cores(first: int, histories: int, processes: int, tell: Callable[[Simulated], None]) -> Simulated:
    """Run so many histories from the seed ``first`` on; ``tell`` is called with intermediate results."""
    began, whole = time.monotonic(), Simulated()
    chunks = [range(start, min(start + CHUNK, first + histories)) for start in range(first, first + histories, CHUNK)]
    with ProcessPoolExecutor(processes) as pool:
        for done in pool.map(run, chunks, repeat(frozenset())):
            whole.histories += done.histories
            whole.actions += done.actions
            whole.violations += done.violations
            whole.seconds = time.monotonic() - began
            tell(whole)
    return whole
