"""Random hostile definitions, compared with their whole spaces (`make hostile SEED=n`), and a table of what was
compared.

Each definition has a number, from which alone it is drawn: ``--first N --count 1`` repeats number N. A failure is
printed with its number, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from random import Random

__all__ = ["drawn", "main", "run"]

#: definitions that a process compares before it says so
CHUNK = 100
#: how many states a definition may have, and how often
SIZES = (*[20] * 4, *[60] * 8, *[200] * 6, *[1000] * 2)
#: of so many definitions one has up to a hundred thousand states
LARGE = 2000


def drawn(seed: int, number: int) -> tuple[Random, int]:
    """What a definition is drawn from, and how many states it may have."""
    random = Random(seed * 10**9 + number)
    return random, 100_000 if number % LARGE == LARGE - 1 else random.choice(SIZES)


def run(seed: int, first: int, count: int) -> tuple[dict[tuple[str, str], int], list[str]]:
    """What was compared, and what disagreed."""
    from tests.hostile.comparison import Disagreement, Tally, compare

    tally, wrong = Tally(), []
    for number in range(first, first + count):
        random, most = drawn(seed, number)
        try:
            compare(random, tally, most)
        except Disagreement as found:
            wrong.append(f"--seed {seed} --first {number} --count 1: {found}")
    return dict(tally), wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first definition")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--until", type=int, default=20, help="end after so many disagreements")
    asked = parser.parse_args()
    began, together, wrong = time.monotonic(), dict[tuple[str, str], int](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HSTAR_DATABASES"] = folder
        chunk = min(CHUNK, -(-asked.count // asked.jobs))
        last = asked.first + asked.count
        with ProcessPoolExecutor(asked.jobs, max_tasks_per_child=50) as pool:
            every = [
                pool.submit(run, asked.seed, first, min(chunk, last - first))
                for first in range(asked.first, last, chunk)
            ]
            for done in every:
                tally, found = done.result()
                for key, count in tally.items():
                    together[key] = together.get(key, 0) + count
                for text in found:
                    print(text, file=sys.stderr, flush=True)
                wrong += found
                if len(wrong) >= asked.until:
                    pool.shutdown(cancel_futures=True)
                    break
    rows = [f"| {table} | {row} | {count:,} |" for (table, row), count in sorted(together.items())]
    print("\n".join(["| compared | of | |", "|---|---|---:|", *rows]))
    print(f"| disagreements | | {len(wrong)} |")
    print(f"\nseed {asked.seed}, {time.monotonic() - began:.0f} s with {asked.jobs} processes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
