"""``python -m bench.korf``: IDA* with Manhattan distance on the 100 15-puzzles of Korf (1985).

All optimal lengths and all 36,302,807,931 generated nodes must be the published ones; see docs/search.md for the
convention of the count. Times are of one thread.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass
from pathlib import Path

from hstar import _kernel
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle

DATA = Path(__file__).parent.parent / "tests" / "data" / "korf100.csv"

#: the order in which the published counts make the blank's moves
ORDER = ("U", "L", "R", "D")


@dataclass(frozen=True, slots=True)
class Instance:
    """One of Korf's boards, its shortest length, and how many nodes IDA* is published to generate."""

    number: int
    board: bytes
    length: int
    generated: int


def instances() -> list[Instance]:
    """The 100 instances in their order."""
    with DATA.open(newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [
            Instance(
                int(row["instance"]),
                bytes(map(int, row["tiles"].split())),
                int(row["length"]),
                int(row["generated"]),
            )
            for row in rows
        ]


def search(board: bytes, heuristic: str = "manhattan") -> _kernel.Outcome:
    """Plain IDA* from a board of the 15-puzzle, without limits."""
    puzzle = get_puzzle("15-puzzle")
    return _kernel.ida_star(
        puzzle.kernel,
        board,
        [puzzle.moves.index(move) for move in ORDER],
        get_heuristic(heuristic, puzzle).kernel,
        pruning="inverse",
        memory_bytes=2**24,
        control=_kernel.Control(),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.korf", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--first", type=int, default=1, help="first instance (1)")
    parser.add_argument("--last", type=int, default=100, help="last instance (100)")
    parser.add_argument("--heuristic", default="manhattan", help="a name or an expression (manhattan)")
    options = parser.parse_args()
    generated, seconds, wrong = 0, 0.0, []
    for instance in instances()[options.first - 1 : options.last]:
        began = time.process_time()
        outcome = search(instance.board, options.heuristic)
        took = time.process_time() - began
        generated += outcome.generated
        seconds += took
        right = len(outcome.path) == instance.length
        if options.heuristic == "manhattan":
            right = right and outcome.generated == instance.generated
        if not right:
            wrong.append(instance.number)
        print(
            f"{instance.number:3} length {len(outcome.path):2} generated {outcome.generated:13,} {took:8.2f} s"
            f"{'' if right else '   NOT AS PUBLISHED'}",
            flush=True,
        )
    print(f"all generated {generated:,} in {seconds:.1f} CPU s: {generated / seconds / 1e6:.0f} M/s")
    if wrong:
        raise SystemExit(f"not as published: {wrong}")


if __name__ == "__main__":
    main()
