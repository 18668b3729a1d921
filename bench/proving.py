"""The rows of proven shortest solutions: the time of `auto`, and IDA* over additive databases."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from bench import korf
from bench.rows import Curve, Figure, Measured, Scale, row
from bench.searching import problem
from hstar._kernel import Control, TilePattern, build_tile_database
from hstar.certificates.proofs import write
from hstar.databases import TileDatabases, tile_databases
from hstar.databases.tiles import patterns
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import ScrambleIn
from hstar.search import Problem, Result, proof, solve

#: (k, seed) of scrambles, by their distance
Scrambles = Mapping[int, tuple[tuple[int, int], ...]]

#: scrambles with all 48 moves of the Megaminx whose distance equals their number of turns
ALL_AT: Scrambles = {
    11: tuple((11, seed) for seed in (4, 7, 13, 30, 38, 41, 43, 47, 53, 54, 59)),
    12: tuple((12, seed) for seed in (10, 14, 19, 24, 25, 26, 40, 50, 52)),
    13: tuple((13, seed) for seed in (6, 8, 13, 14, 19, 26, 27, 35, 36, 38, 42)),
}
#: algs of 15 face turns of the 3x3x3 that lead to states at distance 15
CUBE_AT_15 = (
    "R2 U2 F2 R2 L' D' L U' L' B' D2 U' B2 R' U2",
    "D' U2 R2 B2 D R F B2 L' D' U2 B' U2 B R'",
    "U L B' L2 F U' B R' B' L' R' U L2 R2 F",
    "D' F L' R' F U2 L' D B2 F' R2 B D' F2 B",
    "D2 U' R2 D U R' L D' F2 L U2 D B2 L D2",
)
#: seconds after which a proof counts as not found
PATIENCE = 60.0
#: Korf's boards for which IDA* with Manhattan distance has least to do
EASIEST = (79, 42, 55, 12, 97, 19, 94, 93, 9, 47)
#: scrambles of each number of turns of a posted cube
FAR = 6
#: (k, seed) of far scrambles of the Megaminx: clockwise by their turns, the others by their distance
FAR_CLOCKWISE: Scrambles = {
    k: tuple((k, seed) for seed in range(1, n + 1)) for k, n in ((28, 5), (30, 5), (32, 7), (35, 3))
}
FAR_ALL: Scrambles = {
    14: ((15, 1), (15, 5), (16, 3), (18, 5)),
    15: ((15, 2), (15, 9), (15, 12), (16, 4), (16, 5), (16, 6), (18, 1), (18, 7)),
    16: ((18, 8),),
}
FAR_SINGLE: Scrambles = {
    18: tuple((20, seed) for seed in (1, 3, 4, 6, 10)),
    20: tuple((20, seed) for seed in (5, 7, 11, 14, 15, 16, 18)),
}
#: the boards of the report S5, and how far they are from its goal, which is the 8-puzzle's
S5_BOARDS = (("2 8 3 / 1 6 4 / 0 7 5", 6), ("2 1 6 / 4 0 8 / 7 5 3", 18))
#: scrambles with all 32 moves of the Master Pyraminx, most of them nearer than their number of turns
LAYERS_AT: Scrambles = {
    12: ((12, 1), (12, 30), *((13, seed) for seed in (1, 2, 4, 6, 8, 13, 16, 22, 24))),
    13: ((13, 14), (13, 35), (14, 9), (14, 10), (14, 15)),
}


class NotProvenError(Exception):
    """`auto` reached a limit."""

    def __init__(self, lower_bound: int) -> None:
        super().__init__(f"not proven; at least {lower_bound} moves")
        self.lower_bound = lower_bound


def prove(
    puzzle: str, k: int, seed: int, scramble_moves: str, moves: str, threads: int, seconds: float | None = None
) -> tuple[float, Result]:
    """The seconds that `auto` takes for a shortest solution and its proof, and the solution.

    :param seconds: the limit of the proof, if there is one
    :raises NotProvenError: it came to a limit
    """
    asked = problem(
        seconds=seconds,
        puzzle=puzzle,
        scramble=ScrambleIn(k=k, seed=seed, moves=scramble_moves),
        moves=moves,
        algorithm="auto",
    )
    asked = proof(asked)  # all of the time is for the proof
    began = time.perf_counter()
    result = solve(asked, threads=threads)
    took = time.perf_counter() - began
    if result.optimality != "proven":
        raise NotProvenError(result.lower_bound or 0)
    return took, result


@row("megaminx-cw", "Megaminx, clockwise scrambles, proven shortest, one thread")
def megaminx_cw(scale: Scale) -> Measured:
    """The time of `auto`, scramble by scramble, and its growth with k."""
    prove("megaminx", 2, 1, "cw", "ccw", 1)  # makes the tables
    figures, points, counts = [], [], {}
    for k in range(4, scale.pick(27, 5), 2):
        found = [prove("megaminx", k, seed, "cw", "ccw", 1) for seed in range(1, scale.pick(12, 3))]
        times = tuple(seconds for seconds, _ in found)
        points.append((k, median(times)))
        counts[f"moves of all solutions, k = {k}"] = sum(result.length or 0 for _, result in found)
        aim = {14: 0.005, 20: 0.5, 22: 20.0}.get(k)
        if aim is not None:
            figures.append(Figure(f"k = {k}", "s", times, aim=aim, sample="scramble"))
    curve = Curve("Megaminx, clockwise scrambles: auto", "k", "seconds to the proof", "hstar", tuple(points))
    return Measured(tuple(figures), (curve,), counts)


@row("megaminx-all", "Megaminx, 48 moves, proven shortest, two threads")
def megaminx_all(scale: Scale) -> Measured:
    """Scrambles whose distance equals their number of turns."""
    prove("megaminx", 2, 1, "all", "all", 2)  # makes the tables
    return _by_distance("megaminx", "all", scale.pick(ALL_AT, {1: ((1, 1), (1, 2))}), {11: 0.5, 12: 15.0})


@row("pyraminx", "Master Pyraminx, 32 moves, proven shortest, two threads")
def pyraminx(scale: Scale) -> Measured:
    """Scrambles by their distance. The aim for distance 13 is to finish at all."""
    puzzle = get_puzzle("master_pyraminx")
    moves = puzzle.move_set("layers32")
    if not scale.smoke:
        for choice in puzzle.auto(moves)[:-1]:  # the largest is for states that are farther
            get_heuristic(choice.heuristic, puzzle, moves).load()  # builds the tables, or opens them
    prove("master_pyraminx", 1, 1, "layers32", "layers32", 2)
    return _by_distance("master_pyraminx", "layers32", scale.pick(LAYERS_AT, {1: ((1, 1), (1, 2))}), {12: 3.0})


@row("megaminx-far", "Megaminx, far states proven shortest within 60 s", long=True)
def megaminx_far(scale: Scale) -> Measured:
    """Each search has 60 s, and one that comes to them counts as 60 s. So a median of 60 s means 60 s or more.

    Clockwise scrambles are named by their turns, the others by their distance."""
    prove("megaminx", 2, 1, "cw", "ccw", 1)  # makes the tables
    prove("megaminx", 2, 1, "all", "all", 2)
    prove("megaminx", 2, 1, "single", "single", 2)
    figures, counts, notes = [], {}, []
    for title, scramble, moves, threads, aims, scrambles in (
        ("clockwise, one thread, k =", "cw", "ccw", 1, {28: None, 30: None, 32: 5.0, 35: PATIENCE}, FAR_CLOCKWISE),
        ("48 moves, two threads, distance", "all", "all", 2, {14: 1.0, 15: 5.0, 16: PATIENCE}, FAR_ALL),
        ("24 moves, two threads, distance", "single", "single", 2, {18: None, 20: 10.0}, FAR_SINGLE),
    ):
        for far, aim in scale.pick(aims, {2: 1.0}).items():
            times, unproven = [], []
            for k, seed in scale.pick(scrambles, {2: ((2, 1), (2, 2))})[far]:
                began = time.perf_counter()
                try:
                    took, result = prove("megaminx", k, seed, scramble, moves, threads, PATIENCE)
                except NotProvenError as not_proven:
                    unproven.append(not_proven.lower_bound)
                    took = max(PATIENCE, time.perf_counter() - began)
                else:
                    counts[f"{title} {far}: length of ({k}, {seed})"] = result.length or 0
                times.append(took)
            figures.append(Figure(f"{title} {far}", "s", tuple(times), aim=aim, sample="scramble"))
            if unproven:
                bounds = ", ".join(map(str, unproven))
                notes.append(f"{title} {far}: {len(unproven)} of {len(times)} not proven (at least {bounds} moves)")
    return Measured(tuple(figures), counts=counts, notes=tuple(notes))


def _by_distance(puzzle: str, moves: str, scrambles: Scrambles, aims: Mapping[int, float]) -> Measured:
    figures, counts = [], {}
    for distance, some in scrambles.items():
        found = [prove(puzzle, k, seed, moves, moves, 2) for k, seed in some]
        if any(result.length != distance for _, result in found):
            raise ValueError(f"not all scrambles of {some} have the distance {distance}")
        times = tuple(seconds for seconds, _ in found)
        figures.append(Figure(f"distance {distance}", "s", times, aim=aims.get(distance), sample="scramble"))
        counts[f"scrambles at distance {distance}"] = len(found)
    return Measured(tuple(figures), counts=counts)


@row("cube-posted", "a 3x3x3 as a user posts it, face turns, proven shortest, two threads")
def cube_posted(scale: Scale) -> Measured:
    """States at distance 15, and scrambles of 18 turns, by the database that the rule chooses; its table is made first.
    Each search has 60 s, and one that comes to them counts as 60 s."""
    text = files("hstar.puzzles").joinpath("data", "3x3x3.json").read_text(encoding="utf-8")
    figures, counts = [], {}
    with TemporaryDirectory() as place, looking_in(Folder(Path(place))):
        Folder(Path(place)).add(read_any_definition(json.loads(text), "posted"))
        puzzle = get_puzzle("posted")
        if not scale.smoke:
            get_heuristic(puzzle.auto(puzzle.move_set(None))[-1].heuristic, puzzle).load()
        times = []
        for alg in scale.pick(CUBE_AT_15, ("R U F2",)):
            asked = problem(puzzle="posted", alg=alg, algorithm="auto")
            began = time.perf_counter()
            result = solve(asked, threads=2)
            times.append(time.perf_counter() - began)
            if (result.optimality, result.length) != ("proven", scale.pick(15, 3)):
                raise ValueError(f"{alg} is not at the distance that it should be at")
        figures.append(Figure("distance 15", "s", tuple(times), aim=5.0, sample="state"))
        times = []
        for seed in range(1, scale.pick(FAR, 0) + 1):
            try:
                took, result = prove("posted", 18, seed, "all", "all", 2, PATIENCE)
                counts[f"k = 18, seed {seed}, length"] = result.length or 0
            except NotProvenError as not_proven:
                took = PATIENCE
                counts[f"k = 18, seed {seed}, at least"] = not_proven.lower_bound
            times.append(took)
        if times:
            figures.append(Figure("k = 18", "s", tuple(times), sample="scramble"))
    return Measured(tuple(figures), counts=counts)


@row("tiles-pdb", "15-puzzle, IDA* with additive databases, Korf's 100 boards")
def tiles_pdb(scale: Scale) -> Measured:
    """All hundred in each run, with the tables loaded; missing tables are built first. Building is measured separately,
    without files."""
    figures, counts = [], {}
    puzzle = get_puzzle(scale.pick("15-puzzle", "8-puzzle"))
    assert isinstance(puzzle, SlidingTiles)
    for sizes, aim in scale.pick((("7-8", 1.0), ("6-6-3", None)), (("4-4", 1.0),)):
        databases = tile_databases(puzzle, sizes)
        databases.load()
        times = []
        for _ in range(scale.repeats):
            began = time.process_time()
            lengths = [len(databases.search(board, control=Control()).path) for board, _ in _boards(puzzle)]
            times.append(time.process_time() - began)
            if lengths != [length for _, length in _boards(puzzle)]:
                raise ValueError(f"not all solutions with {sizes} are shortest")
            counts[f"moves of all solutions with {sizes}"] = sum(lengths)
        figures.append(Figure(sizes, "CPU s", tuple(times), aim=aim, sample="run of all"))
        figures.append(Figure(f"building {sizes}, two threads", "s", (_building(databases),), sample="build"))
    return Measured(tuple(figures), counts=counts)


@row("certificates", "what solving with a certificate takes, in times of solving without one, one thread")
def certificates(scale: Scale) -> Measured:
    """Each is solved without and with one by turns. What a process does once, such as tables, is done before."""

    def boards(*numbers: int, **asked: Any) -> list[Problem]:
        chosen = [korf.instances()[number - 1].board for number in numbers]
        return [problem(puzzle="15-puzzle", state=list(board), **asked) for board in chosen]

    scrambled = ScrambleIn(k=scale.pick(28, 4), seed=1, moves="cw")
    manhattan, databases = {"heuristic": "manhattan"}, {"heuristic": 'pdb("4-4-4-3")', "algorithm": "ida_star"}
    megaminx = problem(puzzle="megaminx", scramble=scrambled, moves="ccw", algorithm="auto")
    figures, counts = [], {}
    for title, solves in {
        "Korf's 25th board, A*": boards(scale.pick(25, EASIEST[0]), **manhattan),
        "Korf's ten easiest boards, A*": boards(*EASIEST[: scale.pick(10, 1)], **manhattan),
        "Korf's ten easiest boards, databases": boards(*EASIEST[: scale.pick(10, 1)], **databases),
        "Megaminx, clockwise, k = 28, auto": [megaminx],
    }.items():
        _certified(solves)
        times = []
        for _ in range(scale.repeats):
            began = time.process_time()
            for asked in solves:
                solve(asked, threads=1)
            plain = time.process_time() - began
            seconds, moves = _certified(solves)
            times.append(seconds / plain)
            counts[f"{title}: moves"] = moves
        figures.append(Figure(title, "times", tuple(times), aim=1.3))
    return Measured(tuple(figures), counts=counts)


def _certified(solves: Sequence[Problem]) -> tuple[float, int]:
    """The seconds that these take with certificates, and the moves that are proven."""
    began, moves = time.process_time(), 0
    for asked in solves:
        with TemporaryFile() as file:
            result = solve(asked, threads=1, keep=True)
            write(asked, result, file)
            moves += result.lower_bound or 0
    return time.process_time() - began, moves


def _building(databases: TileDatabases) -> float:
    began = time.perf_counter()
    for tiles in patterns(databases.puzzle, databases.sizes):
        pattern = TilePattern(databases.puzzle.kernel, list(tiles))
        build_tile_database(pattern, threads=2, progress=Control())
    return time.perf_counter() - began


def _boards(puzzle: SlidingTiles) -> Iterator[tuple[bytes, int]]:
    """Boards and their distances: Korf's, or the two of S5."""
    if puzzle.cells == 16:
        yield from ((instance.board, instance.length) for instance in korf.instances())
    else:
        yield from ((puzzle.parse_state(text), length) for text, length in S5_BOARDS)
