"""Cycles of three in many orbits at once: solutions of puzzles with very many pieces, replayed on their points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bench.published.replay import Rows, cube, globe, replayed, wreath
from hstar import _kernel
from hstar.errors import InvalidRequest
from hstar.puzzles import get_puzzle, random_state
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import SolveRequest
from hstar.search import Result, prepare, solve
from hstar.search.anytime.bundles import bundles, bundling_of
from hstar.search.anytime.chains import chains_of
from hstar.search.anytime.insertions import Cycles

#: by name: the generators, what each point shows, and the most moves of a solution after a CPU second
PUZZLES: dict[str, tuple[Rows, list[int], int]] = {
    "six-of-colours": (cube(6), [i // 36 for i in range(216)], 260),
    "six-of-numbers": (cube(6), list(range(216)), 370),
    "seven-of-stripes": (cube(7), [i // 49 + i % 2 for i in range(294)], 270),
    "globe": (globe(5, 20), list(range(240)), 0),
    "wreath": (wreath(12), list(range(22)), 0),
    "ten-of-colours": (cube(10), [i // 100 for i in range(600)], 850),
}


@pytest.fixture(autouse=True)
def posted(tmp_path: Path) -> Iterator[None]:
    with looking_in(Folder(tmp_path)):
        yield


def post(name: str, folder: Path) -> PermutationPuzzle:
    rows, shown, _ = PUZZLES[name]
    Folder(folder).add(read_any_definition({"generators": rows, "central_state": shown}, name))
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


def scrambled(name: str, seed: int) -> list[Any]:
    rows, shown, _ = PUZZLES[name]
    return replayed(rows, shown, Random(seed).choices([*rows, *(f"-{move}" for move in rows)], k=1_000))


def ask(name: str, points: list[Any], threads: int = 1, **more: Any) -> Result:
    asked = {"puzzle": name, "moves": "single", "state": {"points": [*map(str, points)]}, **more}
    return solve(prepare(SolveRequest.model_validate(asked)), threads=threads)


def written(moves: Sequence[str] | None) -> list[str]:
    return ["-" + move.rstrip("'").strip("()") if move.endswith("'") else move for move in moves or ()]


@pytest.mark.parametrize("name", ["six-of-colours", "six-of-numbers", "seven-of-stripes"])
def test_large_cubes_are_solved_with_few_moves(name: str, tmp_path: Path) -> None:
    rows, shown, most = PUZZLES[name]
    post(name, tmp_path)
    settings = {"anew": [20_000, 1.2, 300_000, 1.2, 1], "better": [10_000, 1.8, 300_000, 0.3, 2]}
    start = scrambled(name, 1)
    plan: dict[str, Any] = {"algorithm": "plan", "plan": [{"method": "bundles", "settings": settings}]}
    found = ask(name, start, **plan)
    assert found.status == "solved"
    assert replayed(rows, start, written(found.solution)) == shown
    assert len(found.solution or ()) <= most
    again = ask(name, start, 2, **plan)
    assert (again.solution, again.counters) == (found.solution, found.counters)


def test_six_hundred_points_are_accepted_and_answered(tmp_path: Path) -> None:
    name = "ten-of-colours"
    rows, shown, most = PUZZLES[name]
    post(name, tmp_path)
    start = scrambled(name, 2)
    found = ask(name, start, algorithm="anytime", limits={"expanded": 10})
    assert found.status == "solved"
    assert replayed(rows, start, written(found.solution)) == shown
    assert len(found.solution or ()) <= most
    near = ask(name, replayed(rows, shown, ["f3", "r2"]), algorithm="anytime", limits={"expanded": 5_000})
    assert (near.length, near.optimality) == (2, "proven")


def test_thirty_three_layers_are_accepted_and_answered(tmp_path: Path) -> None:
    """With the inverses, as in Santa 2023: the squares of 198 moves would be too many moves."""
    rows, colours = cube(33), [i // 1089 for i in range(6534)]
    both = rows | {f"-{name}": np.argsort(row).tolist() for name, row in rows.items()}
    Folder(tmp_path).add(read_any_definition({"generators": both, "central_state": colours}, "thirty-three"))
    puzzle = get_puzzle("thirty-three")
    assert (len(puzzle.values), len(puzzle.move_set(None).moves)) == (6143, 198)
    start = replayed(rows, colours, Random(33).choices(list(both), k=40))
    asked = {"puzzle": "thirty-three", "state": {"points": [*map(str, start)]}, "algorithm": "plan"}
    step = {"method": "bundles", "settings": {"first": True, "anew": [1_000, 1.2, 1, 1.2, 1]}}
    found = solve(prepare(SolveRequest.model_validate({**asked, "plan": [step]})))
    assert found.solution is not None
    assert replayed(rows, start, found.solution) == colours
    with pytest.raises(InvalidRequest, match="cannot compute the group"):
        random_state(puzzle, 1)


def bundling(name: str, folder: Path) -> tuple[PermutationPuzzle, Cycles[_kernel.Bundles] | None]:
    puzzle = post(name, folder).twin
    assert puzzle is not None
    moves = puzzle.move_set("single" if "single" in puzzle.move_sets else "all")
    return puzzle, bundling_of(chains_of(puzzle, moves), _kernel.Control(), 100.0)


def test_each_cycle_of_three_is_a_word(tmp_path: Path) -> None:
    puzzle, made = bundling("six-of-numbers", tmp_path)
    assert made is not None
    assert made.first is not None
    assert [orbit.pieces for orbit in made.first.orbits] == [8]
    names, home = chains_of(puzzle, puzzle.move_set("single")).names, puzzle.kinds_in(puzzle.solved)
    random = Random(3)
    for _ in range(20):
        own = random.choice([orbit for orbit in puzzle.orbits if orbit.orientations == 1])
        a, b, c = random.sample(own.slots, 3)
        start = list(home)
        start[b], start[c], start[a] = home[a], home[b], home[c]
        way = made.kernel.solve(start, home, [], 1.0, 0, 0, 100_000, 1.2, 1, control=_kernel.Control())
        assert way.ending == "done"
        held = [kind * n for kind, n in zip(start, puzzle.orientations, strict=True)]
        after = puzzle.apply_alg(puzzle.state_of(held), [names[i] for i in way.moves])
        assert after == puzzle.solved
        assert 1 <= way.expanded <= 3
    # Two pieces that are swapped are no cycles of three; a single turn makes their orbit even.
    own = next(orbit for orbit in puzzle.orbits if orbit.orientations == 1)
    start = list(home)
    start[own.first], start[own.first + 1] = start[own.first + 1], start[own.first]
    way = made.kernel.solve(start, home, [], 1.0, 0, 0, 100_000, 1.2, 1, control=_kernel.Control())
    assert way.ending == "stopped"
    assert not way.moves


def test_limits_and_a_cancel_end_it(tmp_path: Path) -> None:
    puzzle, made = bundling("six-of-numbers", tmp_path)
    assert made is not None
    kernel, home = made.kernel, puzzle.kinds_in(puzzle.solved)
    state = puzzle.apply_alg(puzzle.solved, Random(1).choices(puzzle.move_set("single").moves, k=200))
    start = puzzle.kinds_in(state)
    cancelled = _kernel.Control()
    cancelled.cancel()
    assert kernel.solve(start, home, [], 1.0, 0, 10**12, 100_000, 1.2, 2, control=cancelled).ending == "stopped"
    few = kernel.solve(start, home, [], 1.0, 0, 0, 100_000, 1.2, 1, control=_kernel.Control(), max_expanded=3)
    assert few.ending in ("expanded", "stopped")
    assert few.expanded <= 3
    with pytest.raises(ValueError, match="a kind for each slot"):
        kernel.solve(start[1:], home, [], 1.0, 0, 0, 1, 1.2, 1, control=_kernel.Control())
    with pytest.raises(ValueError, match="other kinds"):
        kernel.solve([*home[:-1], home[-2]], home, [], 1.0, 0, 0, 1, 1.2, 1, control=_kernel.Control())
    with pytest.raises(ValueError, match="no such move"):
        kernel.solve(start, home, [200], 1.0, 0, 0, 1, 1.2, 1, control=_kernel.Control())
    with pytest.raises(_kernel.Stopped):
        _kernel.Bundles(np.array([[1, 2, 0], [2, 0, 1]], np.uint16), [0, 1, 2], [(0, 3)], 100.0, cancelled)


def test_where_there_are_none(tmp_path: Path) -> None:
    """Two rings have two slots in common; small puzzles and little memory are not looked at."""
    _, made = bundling("wreath", tmp_path)
    assert made is None
    puzzle = get_puzzle("6x6x6")
    assert isinstance(puzzle, PermutationPuzzle)
    moves = puzzle.move_set(None)
    assert bundles(puzzle, moves, 2**30)
    assert not bundles(puzzle, moves, 10**6)
    small = get_puzzle("3x3x3")
    assert isinstance(small, PermutationPuzzle)
    assert not bundles(small, small.move_set(None), 2**30)
    rows = post("globe", tmp_path)  # few orbits, of 80 pieces
    assert not bundles(rows, rows.move_set(None), 2**30)
