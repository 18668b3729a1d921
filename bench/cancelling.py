"""The row of a guarantee: a cancel takes effect within 50 ms."""

from __future__ import annotations

import gc
import os
import resource
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.rows import Figure, Measured, Scale, row
from hstar import _kernel
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import SolveRequest
from hstar.search import Control, prepare, solve

#: milliseconds from a cancel to the end
AIM = 50


@dataclass(frozen=True)
class Latency:
    """What passed from a cancel to the end of the work, and what the system counted of its thread meanwhile.

    :param after: when it was cancelled, in seconds from the start
    :param asked: the same by ``time.perf_counter``
    :param seconds: from the cancel to the end
    :param worked: seconds of processor time
    :param in_system: the part of it within the system, to 10 ms: new pages of memory, mostly
    :param waited: seconds in which the thread was ready, but other programs had the processors
    :param new_pages: how many pages of memory it touched for the first time
    :param stood_still: seconds in which the whole machine did nothing; a thread at work is charged with them
    """

    after: float
    asked: float
    seconds: float
    worked: float
    in_system: float
    waited: float
    new_pages: int
    stood_still: float = 0.0

    @property
    def own_work(self) -> float:
        """The processor time without the machine's standstills."""
        return max(0.0, self.worked - self.stood_still)

    def __str__(self) -> str:
        ms = [round(1000 * t) for t in (self.seconds, self.worked, self.in_system, self.waited, self.stood_still)]
        return (
            f"after {self.after:.2f} s: {ms[0]} ms, {ms[1]} of them at work ({ms[2]} in the system), {ms[3]} ready but "
            f"waiting for a processor; {self.new_pages} pages of memory new; the machine stood still for {ms[4]} ms"
        )


@dataclass(frozen=True)
class _Counted:
    """What the system has counted of a thread, in seconds and pages."""

    worked: float
    in_system: float
    waited: float
    new_pages: int

    @classmethod
    def of(cls, thread: int) -> _Counted | None:
        """None if the thread has ended."""
        place = Path(f"/proc/self/task/{thread}")
        try:
            worked, waited = place.joinpath("schedstat").read_text().split()[0], _ready_seconds(place)
            fields = place.joinpath("stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return cls(int(worked) / 1e9, int(fields[12]) / os.sysconf("SC_CLK_TCK"), waited, int(fields[7]))


class Watch:
    """Notices when a virtual machine stands still, from ``with`` to its end. On each processor a process sleeps a
    little, again and again; those that wake up late though their processors are free tell from when to when."""

    _SLEEP, _LATE = 0.005, 0.01

    def __init__(self) -> None:
        context = get_context("fork")
        self._reader, self._writer = context.Pipe(duplex=False)
        self._late: dict[int, list[tuple[float, float]]] = {processor: [] for processor in os.sched_getaffinity(0)}
        self._sleepers = [context.Process(target=self._sleep, args=(each,), daemon=True) for each in self._late]

    def __enter__(self) -> Watch:
        for sleeper in self._sleepers:
            sleeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        for sleeper in self._sleepers:
            sleeper.kill()
            sleeper.join()

    def _sleep(self, processor: int) -> None:
        os.sched_setaffinity(0, {processor})
        while True:
            began, waited = time.perf_counter(), _ready_seconds(Path("/proc/self"))
            time.sleep(self._SLEEP)
            ended = time.perf_counter()
            late = ended - began - self._SLEEP - (_ready_seconds(Path("/proc/self")) - waited)
            if late > self._LATE:
                self._writer.send((processor, ended - late, ended))

    def stood_still(self, begin: float, end: float) -> float:
        """Seconds between two times of ``time.perf_counter`` in which no processor did anything."""
        while self._reader.poll(self._SLEEP):
            processor, since, to = self._reader.recv()
            self._late[processor].append((since, to))
        return min(
            sum(max(0.0, min(end, to) - max(begin, since)) for since, to in late) for late in self._late.values()
        )


def _ready_seconds(place: Path) -> float:
    """How long a thread, or the first thread of a process, was ready but had no processor."""
    return int(place.joinpath("schedstat").read_text().split()[1]) / 1e9


def latency(run: Callable[[], object], cancel: Callable[[], None], after: float) -> Latency | None:
    """Of a cancel ``after`` seconds into the run; None if it ended before."""
    identity: list[int] = []
    ends: list[tuple[float, _Counted]] = []

    def work() -> None:
        identity.append(threading.get_native_id())
        run()
        end = time.perf_counter()
        counted = _Counted.of(identity[0])
        assert counted is not None
        used = resource.getrusage(resource.RUSAGE_THREAD)
        ends.append((end, _Counted(time.thread_time(), used.ru_stime, counted.waited, used.ru_minflt)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(after)
    before = _Counted.of(identity[0]) if identity else None
    asked = time.perf_counter()
    cancel()
    thread.join()
    end, counted = ends[0]
    if before is None or end <= asked:
        return None
    return Latency(
        after, asked, end - asked, counted.worked - before.worked, max(counted.in_system - before.in_system, 0.0),
        counted.waited - before.waited, counted.new_pages - before.new_pages,
    )  # fmt: skip


def in_new_process(run: Callable[[float], Latency | None], after: float) -> Latency | None:
    """The latency in a process that has made nothing ready yet."""
    with get_context("fork").Pool(1) as pool:
        return pool.apply(run, (after,))


def search_latency(request: dict[str, Any], memory_mib: int, after: float) -> Latency | None:
    """Of a search that goes on until its memory is full."""
    problem = prepare(
        SolveRequest.model_validate(
            {"scramble": {"k": 80, "seed": 3, "moves": request.get("moves")}, **request}
            | {"limits": {"memory_mib": memory_mib}}
        )
    )
    control = Control()
    return latency(lambda: solve(problem, control=control, threads=2), control.cancel, after)


def tile_build_latency(side: int, tiles: Iterable[int], after: float) -> Latency | None:
    """Of the build of a database of a square board."""
    pattern = _kernel.TilePattern(_kernel.SlidingTiles(side, side, bytes(range(side * side))), list(tiles))
    progress = _kernel.Control()
    return latency(lambda: _kernel.build_tile_database(pattern, threads=1, progress=progress), progress.cancel, after)


def pattern_build_latency(pieces: str, after: float) -> Latency | None:
    """Of the build of a database of the Megaminx for the clockwise turns."""
    puzzle = get_puzzle("megaminx")
    assert isinstance(puzzle, PermutationPuzzle)
    orbit, count = pieces.split(":")
    first = {each.name: each.first for each in puzzle.orbits}[orbit]
    space = _kernel.PieceSpace(puzzle.kernel, [(o.first, o.pieces, o.orientations) for o in puzzle.orbits])
    pattern = _kernel.Pattern(space, list(range(first, first + int(count))))
    moves = [puzzle.moves.index(move) for move in puzzle.move_set("cw").moves]
    progress = _kernel.Control()
    return latency(
        lambda: _kernel.build_pattern_database(pattern, moves, threads=1, progress=progress),
        progress.cancel,
        after,
    )


def audit_latency(after: float) -> Latency | None:
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
    second figure of each is what the thread has worked, without standstills of the machine; on a busy machine this is
    what counts. Of each that is late there is a note of what its thread did."""
    gc.collect()
    gc.freeze()  # as a worker does
    try:
        with Watch() as watch:
            return _measured(scale, watch)
    finally:
        gc.unfreeze()


def _measured(scale: Scale, watch: Watch) -> Measured:
    memory = scale.pick(4096, 64)
    runs: dict[str, Callable[[float], Latency | None]] = {
        **{name: partial(search_latency, request, memory) for name, request in SEARCHES.items()},
        "building 7 tiles of 16": partial(tile_build_latency, 4, range(1, 8)),
        "building 6 tiles of 25": partial(tile_build_latency, 5, range(1, 7)),
        "building 5 edges (Megaminx)": partial(pattern_build_latency, "edges:5"),
        "auditing (Megaminx)": audit_latency,
    }
    first = [0.01 + 0.04 * i for i in range(scale.pick(8, 1))]
    moments = first + [0.3 + 0.25 * i for i in range(scale.pick(12, 0))]
    early = {name: [in_new_process(run, after) for after in first] for name, run in runs.items()}
    figures, counts, notes = [], {}, []
    for name, run in runs.items():
        tried = early[name] + [run(after) for after in moments]
        found = [
            replace(each, stood_still=watch.stood_still(each.asked, each.asked + each.seconds))
            for each in tried
            if each is not None
        ]
        counts[f"{name}: moments"] = len(tried)
        if found:
            sample = f"maximum of {len(found)}"
            longest, most = max(each.seconds for each in found), max(each.own_work for each in found)
            figures.append(Figure(f"{name}, longest", "ms", (1000 * longest,), aim=AIM, sample=sample))
            figures.append(Figure(f"{name}, most work", "CPU ms", (1000 * most,), aim=AIM, sample=sample))
        notes += [f"{name}, cancelled {each}" for each in found if 1000 * each.seconds > AIM]
    return Measured(tuple(figures), counts=counts, notes=tuple(notes))
