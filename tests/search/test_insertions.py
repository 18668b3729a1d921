"""Cycles of three put in anywhere: solutions of large puzzles, replayed here on the points of the puzzle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bench.published.replay import Rows, cube, globe, replayed
from hstar import _kernel
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import SolveRequest
from hstar.search import Control, Result, prepare, solve
from hstar.search.anytime.chains import chains_of
from hstar.search.anytime.first import First
from hstar.search.anytime.insertions import inserting_of, inserts
from tests.conftest import LARGE_CUBES, TEST_ALL, instances, large_cubes_thorough

#: by name: the generators, what each point shows, and the most moves of a solution after some CPU seconds
PUZZLES: dict[str, tuple[Rows, list[int], int]] = {
    "cube-of-colours": (cube(4), [i // 16 for i in range(96)], 110),
    "cube-of-five": (cube(5), [i // 25 for i in range(150)], 200),
    "cube-of-numbers": (cube(4), list(range(96)), 150),
    "globe": (globe(3, 4), [i // 4 for i in range(32)], 50),
}


@pytest.fixture(autouse=True)
def posted(tmp_path: Path) -> Iterator[None]:
    with looking_in(Folder(tmp_path)):
        for name, (rows, shown, _) in PUZZLES.items():
            Folder(tmp_path).add(read_any_definition({"generators": rows, "central_state": shown}, name))
        yield


def scrambled(rows: Rows, shown: list[int], seed: int) -> list[Any]:
    return replayed(rows, shown, Random(seed).choices([*rows, *(f"-{name}" for name in rows)], k=300))


def ask(name: str, points: list[Any], threads: int = 1, **more: Any) -> Result:
    asked = {"puzzle": name, "state": {"points": [*map(str, points)]}, "algorithm": "plan", **more}
    return solve(prepare(SolveRequest.model_validate(asked)), threads=threads)


def single(name: str) -> str:
    """The generators and their inverses alone."""
    return "single" if "single" in get_puzzle(name).move_sets else "all"


def written(moves: Sequence[str] | None) -> list[str]:
    """Moves as generators."""
    return ["-" + move.rstrip("'").strip("()") if move.endswith("'") else move for move in moves or ()]


@pytest.mark.parametrize("name", instances(PUZZLES, few=2))
def test_large_puzzles_are_solved_with_few_moves(name: str) -> None:
    rows, shown, most = PUZZLES[name]
    settings = {"rounds": [[20, 50_000, 2]]}
    start = scrambled(rows, shown, 1)
    found = ask(name, start, moves=single(name), plan=[{"method": "insertions", "settings": settings}])
    assert found.status == "solved"
    assert replayed(rows, start, written(found.solution)) == shown
    assert len(found.solution or ()) <= most
    if TEST_ALL or name == "globe":
        again = ask(name, start, 2, moves=single(name), plan=[{"method": "insertions", "settings": settings}])
        assert (again.solution, again.counters) == (found.solution, found.counters)


@pytest.mark.parametrize("name", large_cubes_thorough(LARGE_CUBES))
def test_large_cubes_are_answered_within_few_expansions(name: str) -> None:
    asked = {"puzzle": name, "random": 1, "algorithm": "anytime", "limits": {"expanded": 500}}
    found = solve(prepare(SolveRequest.model_validate(asked)))
    assert found.status == "solved"
    assert len(found.solution or ()) <= 70 * int(name[0])


def parts(name: str) -> tuple[PermutationPuzzle, _kernel.Insertions]:
    posted = get_puzzle(name)
    assert isinstance(posted, PermutationPuzzle)
    puzzle = posted.twin
    assert puzzle is not None
    made = inserting_of(chains_of(puzzle, puzzle.move_set("all")), _kernel.Control(), 100.0)
    assert made is not None
    return puzzle, made.kernel


def test_each_cycle_of_three_is_one_word() -> None:
    """Of a globe, all of whose orbits have them: none comes first."""
    puzzle, kernel = parts("globe")
    names, home = chains_of(puzzle, puzzle.move_set("all")).names, list(puzzle.home)
    random = Random(5)
    for _ in range(20):
        a, b, c = random.sample(random.choice(puzzle.orbits).slots, 3)
        start = list(home)
        start[b], start[c], start[a] = home[a], home[b], home[c]
        way = kernel.solve(start, home, [], 5, 2.0, 1, 0, 0, control=_kernel.Control())
        assert way.ending == "done"
        state = puzzle.state_of(start)
        assert list(puzzle.contents(puzzle.apply_alg(state, [names[i] for i in way.moves]))) == home
        assert way.expanded >= 1


def test_pieces_of_another_parity_are_left() -> None:
    """Two pieces that are swapped are no cycles of three, and no moves of a globe of this size swap them."""
    puzzle, kernel = parts("cube-of-numbers")
    own = next(orbit for orbit in puzzle.orbits if orbit.orientations == 1)
    home = list(range(len(puzzle.values)))
    start = list(home)
    start[own.first], start[own.first + 1] = start[own.first + 1], start[own.first]
    way = kernel.solve(start, home, [], 5, 2.0, 1, 0, 0, control=_kernel.Control())
    assert way.ending == "stopped"
    assert not way.moves


def test_limits_and_a_cancel_end_it() -> None:
    _, kernel = parts("globe")
    home = list(range(32))
    start = [*Random(2).sample(home[:16], 16), *Random(3).sample(home[16:], 16)]
    cancelled = _kernel.Control()
    cancelled.cancel()
    assert kernel.solve(start, home, [], 50, 2.0, 1, 10**12, 1, control=cancelled).ending == "stopped"
    few = kernel.solve(start, home, [], 50, 2.0, 1, 0, 0, control=_kernel.Control(), max_expanded=3)
    assert few.ending in ("expanded", "stopped")
    assert few.expanded <= 3
    with pytest.raises(ValueError, match="a kind for each slot"):
        kernel.solve(start[1:], home, [], 5, 2.0, 1, 0, 0, control=_kernel.Control())
    with pytest.raises(ValueError, match="other kinds"):
        kernel.solve([0, 0, *home[2:]], home, [], 5, 2.0, 1, 0, 0, control=_kernel.Control())
    with pytest.raises(ValueError, match="no such move"):
        kernel.solve(start, home, [200], 5, 2.0, 1, 0, 0, control=_kernel.Control())
    with pytest.raises(_kernel.Stopped):
        _kernel.Insertions(np.array([[1, 2, 0], [2, 0, 1]], np.uint16), [0, 1, 2], [(0, 3)], 100.0, cancelled)


def test_the_first_orbits_are_a_puzzle_of_their_own() -> None:
    """The corners of a 4x4x4 are those of a 2x2x2 whose every layer turns."""
    puzzle = get_puzzle("cube-of-numbers")
    assert isinstance(puzzle, PermutationPuzzle)
    corners = next(orbit for orbit in puzzle.orbits if orbit.orientations == 3)
    first = First(puzzle, {corners.first}, puzzle.moves)
    assert {move.strip("()-")[:2] for move in first.moves} == {"f0", "f3", "r0", "r3", "d0", "d3"}
    state = puzzle.solved
    own = first.solved
    for move in Random(1).choices(first.moves, k=30):
        state, own = puzzle.turned(state, move), first.turned(own, move)
    held = puzzle.contents(state)
    assert list(first.contents(own)) == [held[slot] for slot in first.slots]


def test_small_puzzles_have_no_cycles_put_in() -> None:
    for name, wanted in (("4x4x4", True), ("megaminx", False), ("master_pyraminx", False), ("topspin:30", False)):
        puzzle = get_puzzle(name)
        assert isinstance(puzzle, PermutationPuzzle)
        assert inserts(puzzle, puzzle.move_set(None)) == wanted


def test_nothing_of_the_first_orbits_is_shown() -> None:
    """What is published while it searches solves the whole puzzle."""
    rows, shown, _ = PUZZLES["cube-of-colours"]
    start, seen = scrambled(rows, shown, 3), []

    class Watched(Control):
        def show_best(self, solution: tuple[str, ...]) -> None:
            seen.append(solution)

    asked = {"puzzle": "cube-of-colours", "state": {"points": [*map(str, start)]}, "moves": "single",
             "algorithm": "plan",
             "plan": [{"method": "insertions", "settings": {"rounds": [[5, 3_000, 1]]}}]}  # fmt: skip
    solve(prepare(SolveRequest.model_validate(asked)), Watched())
    assert seen
    assert all(replayed(rows, start, written(alg)) == shown for alg in seen)
