"""The row of a guarantee: the memory limit bounds the process."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from pathlib import Path

from bench.rows import Curve, Figure, Measured, Scale, row
from hstar.schema import LimitsIn, ScrambleIn, SolveRequest
from hstar.search import prepare, solve

#: puzzle, moves, algorithm, heuristic, tie-breaking; they fill different parts of the memory
KINDS: tuple[tuple[str, str | None, str, str | None, str], ...] = (
    ("15-puzzle", None, "astar", "manhattan", "low_h"),
    ("15-puzzle", None, "astar", "manhattan / 3", "fifo"),
    ("15-puzzle", None, "greedy", "manhattan + linear_conflict", "lifo"),
    ("15-puzzle", None, "bidirectional", None, "low_h"),
    ("tiles:5x5", None, "breadth_first", None, "low_h"),
    ("megaminx", "single", "astar", "s2-face-distance", "fifo"),
    ("megaminx", "single", "astar", "misplaced_facelets / 16", "lifo"),
    ("megaminx", "single", "bidirectional", None, "low_h"),
    ("master_pyraminx", "layers32", "breadth_first", None, "low_h"),
    ("master_pyraminx", "layers32", "ida_star", "misplaced_facelets // 20", "low_h"),
)


def resident_bytes() -> int:
    """Resident bytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def mixed_solves(count: int, memory_mib: int, seed: int = 1) -> Iterator[int]:
    """Solve ``count`` random problems of all kinds, most to their limits; yields the resident bytes after each."""
    rng = random.Random(seed)
    for number in range(count):
        puzzle, moves, algorithm, heuristic, tie_breaking = KINDS[rng.randrange(len(KINDS))]
        # One in fifty fills its memory; the rest are as large as those of an experiment.
        most = None if number % 50 == 7 and algorithm != "ida_star" else rng.randrange(1, 3000)
        request = SolveRequest(
            puzzle=puzzle,
            moves=moves,
            algorithm=algorithm,  # type: ignore[arg-type]
            heuristic=heuristic,
            tie_breaking=tie_breaking,  # type: ignore[arg-type]
            scramble=ScrambleIn(k=rng.randrange(30, 90), seed=number, moves=moves),
            limits=LimitsIn(expanded=most, memory_mib=memory_mib, seconds=20),
        )
        solve(prepare(request))
        yield resident_bytes()


@row("memory", "Resident memory over 10,000 mixed solves with a limit of 64 MiB")
def memory(scale: Scale) -> Measured:
    """In one process; the memory of Python and its libraries is that before the first solve."""
    limit = 64
    count = scale.pick(10_000, 60)
    before = resident_bytes()
    held = list(mixed_solves(count, limit))
    gc.collect()
    mib = 2**20
    step = max(1, count // 100)
    return Measured(
        (
            Figure("most, above the start", "MiB", ((max(held) - before) / mib,), sample="process"),
            Figure(
                "last tenth over first tenth", "MiB",
                ((max(held[-count // 10 :]) - max(held[: count // 10])) / mib,), sample="process",
            ),
        ),
        (Curve("memory", "solves", "resident MiB", "mixed", tuple((i, held[i] / mib) for i in range(0, count, step))),),
        counts={"solves": count},
    )  # fmt: skip
