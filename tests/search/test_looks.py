"""Beams where pieces look alike and few moves turn them, such as two rings of beads of three colours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.published.replay import replayed, wreath
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import SolveRequest
from hstar.search import Result, prepare, solve
from hstar.search.anytime import looks as beams_of_looks
from hstar.search.anytime.looks import looks

ROWS = wreath(21)
#: the first ring of one colour, the second of another, and the two beads in both of a third
SHOWN = [2 if bead in (0, 6) else int(bead >= 21) for bead in range(40)]
NARROW = {"looks": {"width": 1_000, "widest": 4_000}}


@pytest.fixture(autouse=True)
def posted(tmp_path: Path) -> Iterator[None]:
    with looking_in(Folder(tmp_path)):
        Folder(tmp_path).add(read_any_definition({"generators": ROWS, "central_state": SHOWN}, "rings"))
        yield


def ask(start: list[Any], **more: Any) -> Result:
    plan = [{"method": "beams", "settings": NARROW}]
    asked = {"puzzle": "rings", "state": {"points": [*map(str, start)]}, "algorithm": "plan", "plan": plan, **more}
    return solve(prepare(SolveRequest.model_validate(asked)))


def written(moves: Any) -> list[str]:
    return ["-" + move.rstrip("'") if move.endswith("'") else move for move in moves]


def test_rings_of_colours_are_solved_with_few_moves() -> None:
    """Words take some 600 moves there."""
    start = replayed(ROWS, SHOWN, Random(1).choices([*ROWS, *(f"-{name}" for name in ROWS)], k=500))
    found = ask(start)
    assert found.status == "solved"
    assert replayed(ROWS, start, written(found.solution)) == SHOWN
    assert len(found.solution or ()) <= 90
    again = ask(start)
    assert (again.solution, again.counters.expanded) == (found.solution, found.counters.expanded)
    few = ask(start, limits={"expanded": 5_000})
    assert few.counters.expanded <= 5_000
    assert few.limit == "expanded"


def test_near_states_are_solved_with_the_fewest_moves() -> None:
    """A beam that keeps all states of the first layers finds no longer way than breadth-first search does."""
    for seed in range(8):
        start = replayed(ROWS, SHOWN, Random(seed).choices([*ROWS, *(f"-{name}" for name in ROWS)], k=6))
        exact = ask(start, algorithm="breadth_first", plan=None)
        assert exact.optimality == "proven"
        assert ask(start).length == exact.length


def test_beams_widen_as_far_as_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, search = list[tuple[int, int, int]](), beams_of_looks._Looks.search

    def noted(self: Any, run: Any, start: Any, width: int, longest: int, share: Any) -> Any:
        found = search(self, run, start, width, longest, share)
        tried.append((width, longest, found.peak_bytes))
        return found

    monkeypatch.setattr(beams_of_looks._Looks, "search", noted)
    start = replayed(ROWS, SHOWN, Random(1).choices([*ROWS, *(f"-{name}" for name in ROWS)], k=500))
    ask(start, limits={"memory_mib": 92})
    (first, second), (longest, shorter), peaks = zip(*tried, strict=True)
    assert first == 1_000 < second < 4_000
    assert peaks[1] <= 92 * 2**20 < beams_of_looks._bytes(second + 1, 4, 40)
    assert (longest, shorter < 90) == (3 * 40, True)
    tried.clear()
    ask(start, limits={"memory_mib": 91})
    assert not tried


def test_which_puzzles_have_such_beams() -> None:
    rings = get_puzzle("rings")
    assert isinstance(rings, PermutationPuzzle)
    assert looks(rings, rings.move_set(None))
    for name in ("2x2x2", "topspin:20", "4x4x4"):
        puzzle = get_puzzle(name)
        assert isinstance(puzzle, PermutationPuzzle)
        assert not looks(puzzle, puzzle.move_set(None))
