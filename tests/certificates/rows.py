"""The rows of "Made and checked" in docs/certificates.md, made again: `python -m tests.certificates.rows [PART]`.

Each answer is solved, its certificate written and checked by `checker/check.py`; seconds are of the processor.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.proving import EASIEST
from hstar.certificates.proofs import write_file
from hstar.experiments.instances import known_set
from hstar.search import SolveRequest, prepare, solve
from tests.certificates.checkers import first

FAR = {"puzzle": "8-puzzle", "goal": "1 2 3 / 4 5 6 / 7 8 0", "state": "8 6 7 / 2 5 4 / 3 0 1"}
#: seconds that a checker may take: the last row, and that of the 24-puzzle, take ten minutes each
PATIENCE = 3_600


def _korf(name: str, rows: int, number: int, **asked: Any) -> dict[str, Any]:
    tiles = known_set(name)[number - 1].text.split()
    board = {"puzzle": f"tiles:{rows}x{rows}", "goal": list(range(rows**2)), "state": list(map(int, tiles))}
    return board | {"limits": {"memory_mib": 4096, "seconds": 600}} | asked


def _megaminx(k: int, moves: str, solved_with: str) -> dict[str, Any]:
    return {"puzzle": "megaminx", "scramble": {"k": k, "seed": 1, "moves": moves}, "moves": solved_with}


MASTER = {
    "puzzle": "master_pyraminx", "scramble": {"k": 12, "seed": 1, "moves": "layers32"}, "moves": "layers32",
    "algorithm": "auto",
}  # fmt: skip
#: (what, the solves, arguments of the checker)
ROWS: tuple[tuple[str, Sequence[dict[str, Any]], Sequence[str]], ...] = (
    ("8-puzzle, 31 moves, A*", [FAR | {"heuristic": "manhattan"}], ()),
    ("8-puzzle, 31 moves, breadth-first", [FAR | {"algorithm": "breadth_first"}], ()),
    ("8-puzzle, 31 moves, bidirectional", [FAR | {"algorithm": "bidirectional"}], ()),
    ("15-puzzle, ten, A*", [_korf("korf-15-puzzle", 4, n, heuristic="manhattan") for n in EASIEST], ()),
    (
        "15-puzzle, ten, IDA* with databases",
        [_korf("korf-15-puzzle", 4, n, algorithm="ida_star", heuristic='pdb("4-4-4-3")') for n in EASIEST],
        (),
    ),
    ("15-puzzle, the 25th, A*", [_korf("korf-15-puzzle", 4, 25, heuristic="manhattan")], ()),
    ("15-puzzle, the 26th, A*", [_korf("korf-15-puzzle", 4, 26, heuristic="manhattan")], ()),
    ("24-puzzle, the 40th", [_korf("korf-24-puzzle", 5, 40, algorithm="auto")], ()),
    ("Megaminx, clockwise, k = 14", [_megaminx(14, "cw", "ccw") | {"algorithm": "auto"}], ()),
    ("Megaminx, clockwise, k = 28", [_megaminx(28, "cw", "ccw") | {"algorithm": "auto"}], ()),
    ("Megaminx, 48 moves, distance 10", [_megaminx(10, "all", "all") | {"algorithm": "auto"}], ()),
    ("Master Pyraminx, distance 12, a spot check", [MASTER], ("--sample", "200")),
    ("Master Pyraminx, distance 12", [MASTER], ()),
)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def made(name: str, solves: Sequence[dict[str, Any]], arguments: Sequence[str]) -> str:
    """A row of the table: lengths, states, bytes, and seconds to solve, to write and to check.

    :raises AssertionError: a certificate was not accepted
    """
    states = size = 0
    seconds = [0.0, 0.0, 0.0]
    lengths, said = [], ""
    for asked in solves:
        with tempfile.TemporaryDirectory() as scratch:
            problem, file = prepare(SolveRequest(**asked)), Path(scratch, "proof.hcert")
            began = time.process_time()
            result = solve(problem, keep=True)
            solved = time.process_time()
            written = write_file(problem, result, file)
            seconds[0] += solved - began
            seconds[1] += time.process_time() - solved
            began = _children()
            verdict = first(file, *arguments, seconds=PATIENCE)
            seconds[2] += _children() - began
            assert verdict.status in (0, 3), verdict.said
            states, size = states + written.states, size + written.bytes
            lengths.append(result.lower_bound)
            said = f"{verdict.said.split(':')[0]}; {verdict.said.split('; ', 1)[-1]}"
    times = " | ".join(f"{own:.2f}" for own in seconds)
    return f"| {name}: {', '.join(map(str, lengths))} | {states:,} | {size:,} | {times} | {said}"


def main() -> int:
    asked = argparse.ArgumentParser(description="Make rows of the table of docs/certificates.md again.")
    asked.add_argument("part", nargs="?", default="", help="only rows whose name has this")
    part = asked.parse_args().part
    for row in ROWS:
        if part in row[0]:
            print(made(*row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
