"""The rows of two guarantees: the memory limit bounds the process, and a cancel takes effect within 50 ms."""

from __future__ import annotations

import gc
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.rows import Curve, Figure, Measured, Scale, row
from hstar import _kernel
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
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


def latency(run: Callable[[], object], cancel: Callable[[], None], after: float) -> tuple[float, float] | None:
    """Seconds from a cancel, ``after`` seconds into the run, to its end, and those that its thread worked meanwhile;
    None if it ended before."""
    ended = worked = 0.0

    def work() -> None:
        nonlocal ended, worked
        run()
        ended, worked = time.perf_counter(), time.thread_time()

    thread = threading.Thread(target=work)
    thread.start()
    assert thread.ident is not None
    clock = time.pthread_getcpuclockid(thread.ident)
    thread.join(after)
    try:
        before = time.clock_gettime(clock)
    except OSError:  # it has ended
        thread.join()
        return None
    asked = time.perf_counter()
    cancel()
    thread.join()
    return (ended - asked, worked - before) if ended > asked else None


def in_new_process(run: Callable[[float], tuple[float, float] | None], after: float) -> tuple[float, float] | None:
    """The latency in a process that has made nothing ready yet."""
    with get_context("fork").Pool(1) as pool:
        return pool.apply(run, (after,))


def search_latency(request: dict[str, Any], memory_mib: int, after: float) -> tuple[float, float] | None:
    """Of a search that goes on until its memory is full."""
    problem = prepare(
        SolveRequest.model_validate(
            {"scramble": {"k": 80, "seed": 3, "moves": request.get("moves")}, **request}
            | {"limits": {"memory_mib": memory_mib}}
        )
    )
    control = Control()
    return latency(lambda: solve(problem, control=control, threads=2), control.cancel, after)


def tile_build_latency(side: int, tiles: Iterable[int], after: float) -> tuple[float, float] | None:
    """Of the build of a database of a square board."""
    pattern = _kernel.TilePattern(_kernel.SlidingTiles(side, side, bytes(range(side * side))), list(tiles))
    progress = _kernel.BuildProgress()
    return latency(lambda: _kernel.build_tile_database(pattern, threads=1, progress=progress), progress.cancel, after)


def pattern_build_latency(pieces: str, after: float) -> tuple[float, float] | None:
    """Of the build of a database of the Megaminx for the clockwise turns."""
    puzzle = get_puzzle("megaminx")
    assert isinstance(puzzle, PermutationPuzzle)
    orbit, count = pieces.split(":")
    first = {each.name: each.first for each in puzzle.orbits}[orbit]
    space = _kernel.PieceSpace(puzzle.kernel, [(o.first, o.pieces, o.orientations) for o in puzzle.orbits])
    pattern = _kernel.Pattern(space, list(range(first, first + int(count))))
    moves = [puzzle.moves.index(move) for move in puzzle.move_set("cw").moves]
    progress = _kernel.BuildProgress()
    return latency(
        lambda: _kernel.build_pattern_database(pattern, moves, threads=1, progress=progress), progress.cancel, after
    )


def audit_latency(after: float) -> tuple[float, float] | None:
    """Of an audit of S2's heuristic within a radius that it never reaches."""
    puzzle = get_puzzle("megaminx")
    heuristic = get_heuristic("s2-face-distance", puzzle, puzzle.move_set("all"))
    moves = list(range(len(puzzle.move_set("all").moves)))
    inverses = [puzzle.moves.index(puzzle.inverse(puzzle.moves[move])) for move in moves]
    control = _kernel.Control()
    return latency(
        lambda: _kernel.audit(
            heuristic.kernel, None, moves, inverses, 20, memory_bytes=1 << 30, control=control
        ),
        control.cancel,
        after,
    )  # fmt: skip


#: what is searched while it is cancelled: a request for each algorithm, and for each kind of state and open list
SEARCHES: dict[str, dict[str, Any]] = {
    "A* (15-puzzle)": {"puzzle": "15-puzzle", "heuristic": "manhattan"},
    "A* (15-puzzle, a heap)": {"puzzle": "15-puzzle", "heuristic": "manhattan / 3", "tie_breaking": "fifo"},
    "A* (15-puzzle, slow heuristic)": {"puzzle": "15-puzzle", "heuristic": "inversions"},
    "A* (15-puzzle, batch)": {"puzzle": "15-puzzle", "heuristic": "manhattan", "tie_breaking": "batch"},
    "A* (Megaminx)": {"puzzle": "megaminx", "moves": "single", "heuristic": "s2-face-distance", "tie_breaking": "fifo"},
    "greedy (Megaminx)": {
        "puzzle": "megaminx", "moves": "all", "algorithm": "greedy", "heuristic": "misplaced_facelets",
    },
    "IDA* (Megaminx, two threads)": {"puzzle": "megaminx", "moves": "all", "algorithm": "auto"},
    "breadth-first (24-puzzle)": {"puzzle": "tiles:5x5", "algorithm": "breadth_first"},
    "breadth-first (Master Pyraminx)": {
        "puzzle": "master_pyraminx", "moves": "layers32", "algorithm": "breadth_first",
    },
    "bidirectional (15-puzzle)": {"puzzle": "15-puzzle", "algorithm": "bidirectional"},
    "anytime (Megaminx)": {"puzzle": "megaminx", "moves": "all", "algorithm": "anytime"},
    "anytime (Master Pyraminx)": {"puzzle": "master_pyraminx", "moves": "layers32", "algorithm": "anytime"},
    "anytime (24-puzzle)": {"puzzle": "tiles:5x5", "algorithm": "anytime"},
}  # fmt: skip


@row("cancel", "From a cancel to the end of the search or build")
def cancel(scale: Scale) -> Measured:
    """Cancelled at many moments, so that every phase is hit: also where a state table grows, or a table is packed. At
    the first moments in new processes too, where heuristics, symmetries and words are still being made ready. The
    second figure of each is what the thread has worked, which on a busy machine is what counts."""
    memory = scale.pick(4096, 64)
    runs: dict[str, Callable[[float], tuple[float, float] | None]] = {
        **{name: partial(search_latency, request, memory) for name, request in SEARCHES.items()},
        "building 7 tiles of 16": partial(tile_build_latency, 4, range(1, 8)),
        "building 6 tiles of 25": partial(tile_build_latency, 5, range(1, 7)),
        "building 5 edges (Megaminx)": partial(pattern_build_latency, "edges:5"),
        "auditing (Megaminx)": audit_latency,
    }
    first = [0.01 + 0.04 * i for i in range(scale.pick(8, 1))]
    moments = first + [0.3 + 0.25 * i for i in range(scale.pick(12, 0))]
    early = {name: [in_new_process(run, after) for after in first] for name, run in runs.items()}
    figures, counts = [], {}
    for name, run in runs.items():
        tried = early[name] + [run(after) for after in moments]
        found = [times for times in tried if times is not None]
        counts[f"{name}: moments"] = len(tried)
        if found:
            sample = f"maximum of {len(found)}"
            for i, (what, unit) in enumerate((("longest", "ms"), ("most work", "CPU ms"))):
                most = 1000 * max(times[i] for times in found)
                figures.append(Figure(f"{name}, {what}", unit, (most,), aim=50, sample=sample))
    return Measured(tuple(figures), counts=counts)
