"""The rows of solution lengths: those of `anytime` after 1, 10 and 60 seconds, and the proofs of `auto`.

Samples are states: as many as ``--repeats``, the same in every run. A limit of seconds is wall-clock time, so a busy
machine gives longer solutions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from random import Random
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from bench.rows import Figure, Measured, Scale, row
from hstar.databases import tile_databases
from hstar.databases.building import cores
from hstar.experiments.instances import known_set
from hstar.features.databases import DatabaseFeature
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import Result, prepare, solve

MEMORY_MIB = 2048


def ask(seconds: float | None, algorithm: str = "anytime", **start: Any) -> tuple[Result, float]:
    """The result of a search with a limit of seconds, or its first solution, and the seconds it took."""
    limits = LimitsIn(seconds=seconds, memory_mib=MEMORY_MIB)
    if seconds is None:  # which limits on nodes do not keep away
        limits = LimitsIn(expanded=1, memory_mib=MEMORY_MIB)
    problem = prepare(SolveRequest.model_validate({"algorithm": algorithm, "limits": limits, **start}))
    began = time.perf_counter()
    result = solve(problem, threads=cores())
    took = time.perf_counter() - began
    if result.solution is None or not problem.is_solution(result.solution):
        raise AssertionError(f"no solution of {start}")
    return result, took


def first_answers(scale: Scale, aim: float | None = 1.0, **start: Any) -> tuple[Figure, Figure]:
    """The time and length of the first solution, after everything that is built once."""
    ask(None, random=10_000, **start)
    found = [ask(None, random=seed, **start) for seed in range(scale.repeats)]
    return (
        Figure("first answer", "s", tuple(took for _, took in found), aim=aim, sample="state"),
        Figure("its length", "moves", tuple(float(result.length or 0) for result, _ in found), sample="state"),
    )


def lengths(scale: Scale, seconds: float, aim: float | None, **start: Any) -> Figure:
    """The lengths after so many seconds."""
    part = scale.pick(seconds, 0.05)
    found = [ask(part, random=seed, **start)[0].length for seed in range(scale.repeats)]
    return Figure(f"after {seconds:g} s", "moves", tuple(float(n or 0) for n in found), aim=aim, sample="state")


def _growing(scale: Scale, aims: Mapping[float, float], which: dict[str, Any]) -> Measured:
    """The first answer, and the lengths after each limit of seconds."""
    after = (lengths(scale, seconds, aim, **which) for seconds, aim in aims.items())
    return Measured((*first_answers(scale, **which), *after), counts={"states": scale.repeats})


@row("lengths-megaminx-single", "random Megaminx, 24 quarter turns: length of a solution", long=True)
def megaminx_single(scale: Scale) -> Measured:
    """Quarter turns are `single`: 2/5 of a face turn counts two."""
    which = {"puzzle": "megaminx", "moves": "single"}
    return _growing(scale, {10: 120, 60: 95}, which)


@row("lengths-megaminx-all", "random Megaminx, 48 moves: length of a solution", long=True)
def megaminx_all(scale: Scale) -> Measured:
    which = {"puzzle": "megaminx", "moves": "all"}
    return _growing(scale, {10: 85, 60: 70}, which)


@row("lengths-master-pyraminx", "random Master Pyraminx, 32 moves: proven shortest by auto within 120 s", long=True)
def master_pyraminx(scale: Scale) -> Measured:
    """Unproven searches count with all their time. The tables are built before, or opened."""
    puzzle = get_puzzle("master_pyraminx")
    moves, tables = puzzle.move_set(None), dict[str, int]()
    began = time.process_time()
    for choice in [] if scale.smoke else puzzle.auto(moves):
        expression = get_heuristic(choice.heuristic, puzzle, moves).expression
        for databases in (one.databases for one in expression.features if isinstance(one, DatabaseFeature)):
            tables |= {databases.name: sum(table.data.nbytes for table in databases.tables)}
    took = time.process_time() - began
    starts = [{"puzzle": "master_pyraminx", "random": seed} for seed in range(scale.repeats)]
    proven = _proven(scale, 120, 10, starts)
    longest = max(proven.figures[0].samples)
    mib = sum(tables.values()) / 2**20
    note = f"the longest took {longest:.3g} s; tables of {mib:.0f} MiB, built or opened in {took:.3g} CPU s"
    return replace(proven, notes=(*proven.notes, note))


def _proven(
    scale: Scale, seconds: float, aim: float | None, starts: Sequence[dict[str, Any]], known: Sequence[Board] = ()
) -> Measured:
    allowed = scale.pick(seconds, 0.05)
    found = [ask(allowed, "auto", **start) for start in starts]
    for board, (result, _) in zip(known, found, strict=False):
        _compare(board, result)
    proven = [result.optimality == "proven" for result, _ in found]
    times = tuple(took if done else allowed for done, (_, took) in zip(proven, found, strict=True))
    gap = mean((result.length or 0) - (result.lower_bound or 0) for result, _ in found)
    return Measured(
        (Figure("time to the proof", "s", times, aim=aim, sample="state"),),
        counts={"states": len(found)},
        notes=(f"{sum(proven)} of {len(proven)} proven; solutions are {gap:.1f} moves above the bound on average",),
    )


@dataclass(frozen=True, slots=True)
class Board:
    """A 24-puzzle of Korf and Felner, and the length of its shortest solutions."""

    tiles: list[int]
    length: int


def boards() -> list[Board]:
    """The fifty boards in the published order."""
    found = known_set("korf-24-puzzle")
    return [Board(list(map(int, one.text.split())), one.optimum) for one in found if one.optimum is not None]


def _compare(board: Board, result: Result) -> None:
    """Compare a result with the published length.

    :raises AssertionError: it is shorter, the bound is higher, or another length is called proven
    """
    length, bound = result.length or 0, result.lower_bound or 0
    if not bound <= board.length <= length or (result.optimality == "proven") != (bound == length):
        raise AssertionError(f"{length} moves, at least {bound}, but the shortest are {board.length}: {board.tiles}")


def _load(name: str, goal: list[int] | None = None) -> None:
    """Build or open the databases with which a board is searched."""
    puzzle = get_puzzle(name, goal)
    assert isinstance(puzzle, SlidingTiles)
    for size in puzzle.blocks:
        tile_databases(puzzle, f"blocks:{size}").load()


@row("lengths-24-puzzle", "24-puzzle, Korf's boards: length of a solution", long=True)
def tiles_24(scale: Scale) -> Measured:
    """The aim for all fifty is 5,090 moves, of which 5,039 are needed."""
    chosen = boards()[:: max(1, 50 // (2 * scale.repeats))]
    seconds = scale.pick(10.0, 0.05)
    goal = list(range(25))
    if not scale.smoke:
        _load("tiles:5x5", goal)
    found = [ask(seconds, puzzle="tiles:5x5", goal=goal, state=board.tiles)[0] for board in chosen]
    for board, result in zip(chosen, found, strict=True):
        _compare(board, result)
    needed = mean(board.length for board in chosen)
    average = mean(float(result.length or 0) for result in found)
    sample = f"mean of {len(chosen)} boards that need {needed:.1f}"
    return Measured(
        (Figure("after 10 s", "moves", (average,), aim=needed + 51 / 50, sample=sample),),
        counts={"boards": len(chosen)},
    )


#: the boards, from 1 on, for which IDA* over blocks of six has least to do, if it is told that there are no shorter
#: solutions than the published one: in the last iteration, or the last but one, after 12,000,000 expansions
EASIEST = (40, 38, 44, 32, 28, 25, 37, 5, 16, 1, 22, 30, 36, 29)


@row("lengths-24-puzzle-proven", "24-puzzle, Korf's boards: proven shortest by auto within 60 s", long=True)
def tiles_24_proven(scale: Scale) -> Measured:
    """The aim is to prove ten of the fifty; the easiest are used, of which 14 are foretold."""
    chosen = [boards()[number - 1] for number in EASIEST[: 2 * scale.repeats]]
    goal = list(range(25))
    if not scale.smoke:
        _load("tiles:5x5", goal)
    starts = [{"puzzle": "tiles:5x5", "goal": goal, "state": board.tiles} for board in chosen]
    return _proven(scale, 60, 60, starts, chosen)


@row("lengths-35-puzzle-walks", "35-puzzle, 1,000 random steps: length of a solution", long=True)
def tiles_35_walks(scale: Scale) -> Measured:
    """States like those on which neural solvers are compared: DeepCubeA's solutions have 124.8 moves on average. Steps
    off the board count and change nothing. Uniformly random states are farther: see the next row."""
    puzzle = get_puzzle("tiles:6x6")
    if not scale.smoke:
        _load(puzzle.name)
    found = []
    for seed in range(scale.repeats):
        random, state = Random(seed), puzzle.solved
        for _ in range(1000):
            state = dict(puzzle.successors(state, puzzle.moves)).get(random.choice(puzzle.moves), state)
        result, _ = ask(scale.pick(60.0, 0.05), puzzle=puzzle.name, state=list(state))
        found.append(float(result.length or 0))
    after = Figure("after 60 s", "moves", tuple(found), aim=128, sample="state")
    return Measured((after,), counts={"states": len(found)})


@row("lengths-35-puzzle", "random 35-puzzle and 99-puzzle: length of a solution", long=True)
def tiles_35(scale: Scale) -> Measured:
    """No aim for the 35-puzzle's lengths: the Manhattan distance alone, a lower bound, is 135 on average."""
    small: dict[str, Any] = {"puzzle": "tiles:6x6"}
    large: dict[str, Any] = {"puzzle": "tiles:10x10"}
    soon, _ = first_answers(scale, **large)
    if not scale.smoke:
        _load("tiles:6x6")
    after = lengths(scale, 60, None, **small)
    figures = (*first_answers(scale, **small), after, replace(soon, name="99-puzzle: first"))
    return Measured(figures, counts={"states": scale.repeats})


@row("lengths-3x3x3", "random 3x3x3, face turns: length of a solution", long=True)
def cube(scale: Scale) -> Measured:
    return _growing(scale, {1: 22, 10: 20}, {"puzzle": "3x3x3"})


@row("lengths-posted", "a 3x3x3 as a user posts it: the first solution", long=True)
def posted(scale: Scale) -> Measured:
    """Nothing is shipped for it: its words are made for the first answer of a process."""
    text = files("hstar.puzzles").joinpath("data", "3x3x3.json").read_text(encoding="utf-8")
    with TemporaryDirectory() as place, looking_in(Folder(Path(place))):
        Folder(Path(place)).add(read_any_definition(json.loads(text), "posted"))
        _, first = ask(None, puzzle="posted", random=10_000)
        soon, length = first_answers(scale, aim=2.0, puzzle="posted")
    made = Figure("the first of a process", "s", (first,), aim=2.0, sample="run")
    return Measured((made, soon, replace(length, aim=45)), counts={"states": scale.repeats})


def wreath(beads: int) -> dict[str, list[int]]:
    """Two rings with two beads in common, a puzzle of the published competitions."""
    size, crossing = 2 * beads - 2, beads // 4
    rest = list(range(beads, size))
    rings = {"l": list(range(beads)), "r": [0, *rest[: crossing - 1], crossing, *rest[crossing - 1 :]]}
    moves = {}
    for name, ring in rings.items():
        moves[name] = list(range(size))
        for one, following in zip(ring, [*ring[1:], ring[0]], strict=True):
            moves[name][one] = following
    return moves


@row("lengths-any-puzzle", "large puzzles: the first solution, each in a new process", long=True)
def any_puzzle(scale: Scale) -> Measured:
    """With the start of the program and all tables; the puzzles with the most points take longest."""
    names = scale.pick(("pancake:200", "lrx:300", "lrx:500", "topspin:300", "topspin:500"), ("lrx:20",))
    figures, counts = [], {}
    with TemporaryDirectory() as place:
        for beads in scale.pick((33, 100), (12,)):
            names = (*names, f"wreath-{beads}")
            Folder(Path(place)).add(read_any_definition(wreath(beads), names[-1]))
        for name in names:
            command = [
                str(Path(sys.executable).with_name("hstar")),
                "solve",
                name,
                "--random",
                "--algorithm",
                "anytime",
                "--json",
            ]
            times = []
            for seed in range(1, scale.repeats + 1):
                began = time.perf_counter()
                done = subprocess.run(
                    [*command, "--seed", str(seed), "--limit-seconds", "0"],
                    env={**os.environ, "HSTAR_PUZZLES": place}, capture_output=True, text=True, check=True,
                )  # fmt: skip
                times.append(time.perf_counter() - began)
                counts[f"{name}, seed {seed}, moves"] = json.loads(done.stdout)["length"]
            figures.append(Figure(name, "s", tuple(times), aim=2.0, sample="run"))
    return Measured(tuple(figures), counts=counts)
