"""The rows of two guarantees: the memory limit bounds the process, and a cancel takes effect within 50 ms."""

from __future__ import annotations

import gc
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.rows import Curve, Figure, Measured, Scale, row
from hstar import _kernel
from hstar.schema import LimitsIn, ScrambleIn, SolveRequest
from hstar.search import Control, prepare, solve

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


def latency(run: Callable[[], object], cancel: Callable[[], None], after: float) -> float | None:
    """Seconds from a cancel, ``after`` seconds into the run, to its end; None if it ended before."""
    ended = 0.0

    def work() -> None:
        nonlocal ended
        run()
        ended = time.perf_counter()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(after)
    asked = time.perf_counter()
    cancel()
    thread.join()
    return ended - asked if ended > asked else None


def search_latency(kind: int, memory_mib: int, after: float) -> float | None:
    """For a search of ``KINDS[kind]`` that goes on until its memory is full."""
    puzzle, moves, algorithm, heuristic, tie_breaking = KINDS[kind]
    problem = prepare(
        SolveRequest(
            puzzle=puzzle,
            moves=moves,
            algorithm=algorithm,  # type: ignore[arg-type]
            heuristic=heuristic,
            tie_breaking=tie_breaking,  # type: ignore[arg-type]
            scramble=ScrambleIn(k=80, seed=kind, moves=moves),
            limits=LimitsIn(memory_mib=memory_mib),
        )
    )
    control = Control()
    return latency(lambda: solve(problem, control=control), control.cancel, after)


def tile_build_latency(after: float, tiles: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)) -> float | None:
    """For the build of a database of the 15-puzzle."""
    pattern = _kernel.TilePattern(_kernel.SlidingTiles(4, 4, bytes(range(16))), list(tiles))
    progress = _kernel.BuildProgress()
    return latency(lambda: _kernel.build_tile_database(pattern, threads=1, progress=progress), progress.cancel, after)


def bidirectional_latency(memory_mib: int, after: float) -> float | None:
    """For a bidirectional search, whose two state tables grow in large steps."""
    return search_latency(3, memory_mib, after)


@row("latency", "From a cancel to the end of the search or build")
def latencies(scale: Scale) -> Measured:
    """Cancelled at many moments, to hit every phase, including growing a state table and packing a table."""
    moments = [0.01 + 0.09 * i for i in range(scale.pick(40, 2))]
    figures = []
    for name, run in (
        ("A* (15-puzzle)", lambda after: search_latency(0, scale.pick(4096, 64), after)),
        ("A* (Megaminx)", lambda after: search_latency(5, scale.pick(4096, 64), after)),
        ("bidirectional (15-puzzle)", lambda after: bidirectional_latency(scale.pick(4096, 64), after)),
        ("breadth-first (24-puzzle)", lambda after: search_latency(4, scale.pick(4096, 64), after)),
        ("building 7 tiles", tile_build_latency),
    ):
        found = [seconds for after in moments if (seconds := run(after)) is not None]
        if found:
            figures.append(
                Figure(f"{name}, longest", "ms", (1000 * max(found),), aim=50, sample=f"maximum of {len(found)}")
            )
    return Measured(tuple(figures))
