"""The peers that hstar is compared with: S2's design in C++, plain A* in Python, and A* of libraries from PyPI.

Each stops after a given number of expansions, so that all do the same work on the same instance.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.native import program
from bench.rows import Missing
from hstar.puzzles.megaminx import FACES, NEIGHBOURS, OPPOSITE, Megaminx
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search import Problem, reference

#: S2's distances between a facelet's home face and its present face: the same, a neighbour, two away, opposite
S2_DISTANCES = (0, 1, 2, 7)


@dataclass(frozen=True)
class Run:
    """The counts and time of a peer's search."""

    solved: bool
    expanded: int
    generated: int
    seconds: float
    peak_bytes: int | None = None


def s2_design(problem: Problem) -> Run:
    """A* over a priority queue of whole cubes, without a closed list, as the report of S2 describes it."""
    puzzle = problem.puzzle
    if not isinstance(puzzle, Megaminx):
        raise TypeError(f"S2 solves the Megaminx, not {puzzle.name}")
    words = [
        str(problem.limits.expanded or 2**63),
        f"{sum(puzzle.orientations)} {len(FACES)}",
        _join(_colours(puzzle, puzzle.solved)),
        _join(_face_distance(a, b) for a in FACES for b in FACES),
        str(len(problem.moves.moves)),
        *(_join(_sources(puzzle, move)) for move in problem.moves.moves),
        _join(_colours(puzzle, problem.start)),
    ]
    done = subprocess.run([program("hstar_s2_design")], input="\n".join(words), capture_output=True, text=True)
    if done.returncode != 0:
        raise MemoryError(f"S2's design ended with status {done.returncode}: {done.stderr[-200:]}")
    solved, expanded, generated, seconds, peak = done.stdout.split()
    return Run(solved == "1", int(expanded), int(generated), float(seconds), int(peak))


def plain_python(problem: Problem) -> Run:
    """The reference: heapq and a dict, with the same counts as the kernel."""
    began = time.perf_counter()
    found = reference.astar(
        problem.puzzle,
        problem.start,
        problem.moves.moves,
        problem.heuristic,
        tie_breaking=problem.options.tie_breaking,
        max_expanded=problem.limits.expanded,
    )
    return Run(found.status == "solved", found.expanded, found.generated, time.perf_counter() - began)


class _Enough(Exception):
    """Raised to stop a library's search at the limit of expansions."""


def library_astar(problem: Problem) -> Run:
    """`astar` of PyPI, which uses sorted lists."""
    try:
        from astar import find_path
    except ImportError:
        raise Missing("the library astar is not installed: make bench installs it") from None
    return _counting(problem, lambda neighbours: find_path(
        problem.start,
        problem.puzzle.solved,
        neighbours,
        heuristic_cost_estimate_fnct=lambda state, _: problem.heuristic(state),
    ))  # fmt: skip


def library_simpleai(problem: Problem) -> Run:
    """`simpleai` of PyPI, with its graph search, which scans its whole open list for every new node."""
    try:
        from simpleai.search import SearchProblem, astar
    except ImportError:
        raise Missing("the library simpleai is not installed: make bench installs it") from None

    def search(neighbours: Callable[[bytes], Iterator[bytes]]) -> Any:
        class PuzzleProblem(SearchProblem):  # type: ignore[misc]
            def actions(self, state: bytes) -> list[bytes]:
                return list(neighbours(state))

            def result(self, _state: bytes, action: bytes) -> bytes:
                return action

            def is_goal(self, state: bytes) -> bool:
                return state == problem.puzzle.solved

            def heuristic(self, state: bytes) -> float:
                return problem.heuristic(state)

        return astar(PuzzleProblem(problem.start), graph_search=True)

    return _counting(problem, search)


def _counting(problem: Problem, search: Callable[[Callable[[bytes], Iterator[bytes]]], Any]) -> Run:
    """Run a library's search with a function for neighbours that counts expansions and stops at the limit."""
    expanded = generated = 0

    def neighbours(state: bytes) -> Iterator[bytes]:
        nonlocal expanded, generated
        if expanded == problem.limits.expanded:
            raise _Enough
        expanded += 1
        for _, after in problem.puzzle.successors(state, problem.moves.moves):
            generated += 1
            yield after

    began = time.perf_counter()
    try:
        solved = search(neighbours) is not None
    except _Enough:
        solved = False
    return Run(solved, expanded, generated, time.perf_counter() - began)


def _join(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def _face_distance(a: str, b: str) -> int:
    same, adjacent, far, opposite = S2_DISTANCES
    return same if a == b else adjacent if b in NEIGHBOURS[a] else opposite if b == OPPOSITE[a] else far


def _facelets(puzzle: PermutationPuzzle) -> dict[tuple[int, int], int]:
    """A number for each (slot, facelet of the slot)."""
    places = [(slot, j) for slot, count in enumerate(puzzle.orientations) for j in range(count)]
    return {place: number for number, place in enumerate(places)}


def _colours(puzzle: Megaminx, state: bytes) -> list[int]:
    """The face whose colour each facelet shows."""
    number = _facelets(puzzle)
    colours = [0] * len(number)
    first = {slot: orbit.first for orbit in puzzle.orbits for slot in orbit.slots}
    for slot, value in enumerate(state):
        count = puzzle.orientations[slot]
        piece, orientation = divmod(value, count)
        for j, face in enumerate(puzzle.slot_faces[first[slot] + piece]):
            colours[number[slot, (j + orientation) % count]] = FACES.index(face)
    return colours


def _sources(puzzle: Megaminx, move: str) -> list[int]:
    """The facelet that a move brings to each place."""
    number = _facelets(puzzle)
    sources = list(range(len(number)))
    for slot, source, values in puzzle.touched(move):
        count = puzzle.orientations[slot]
        for j in range(count):
            sources[number[slot, (j + values[0]) % count]] = number[source, j]
    return sources
