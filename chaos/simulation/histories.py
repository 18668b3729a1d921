"""Histories drawn from seeds: many of them on all cores, or one of them told step by step.

>>> run(range(1000)).violations
[]
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat

from chaos.simulation.memory import Guard, Jobs, MemoryJobs
from chaos.simulation.world import ACTIONS, Violation, World

CHUNK = 2000
# A history is told by its seed, so these must not change without a reason: old seeds would tell other stories.
SHORTEST, LONGEST = 15, 60


@dataclass
class Simulated:
    """What came of some histories."""

    histories: int = 0
    actions: int = 0
    #: the seed and what was wrong
    violations: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0


def draw(seed: int) -> Iterator[tuple[str, int]]:
    """The actions of a history and their numbers."""
    chance = random.Random(seed)
    for _ in range(chance.randint(SHORTEST, LONGEST)):
        drawn = chance.getrandbits(48)
        yield ACTIONS[drawn % len(ACTIONS)], drawn >> 16


def live(seed: int, jobs: Jobs, tell: Callable[[str], None] = lambda _: None) -> int:
    """Live through the history of a seed; how many actions it had. Raises `Violation`."""
    world, count = World(jobs), 0
    for name, number in draw(seed):
        tell(f"{name} {number}")
        world.act(name, number)
        count += 1
    tell("recover")
    world.recover()
    return count


def run(seeds: Sequence[int], without: frozenset[Guard] = frozenset()) -> Simulated:
    """The histories of these seeds, one after the other."""
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
    """So many histories from the seed ``first`` on; ``tell`` is called with what there is from time to time."""
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


def census(seeds: Sequence[int]) -> Counter[str]:
    """How often each action is drawn in these histories."""
    return Counter(name for seed in seeds for name, _ in draw(seed))
