"""Large puzzles become small ones: solutions by way of a subgroup, replayed here on the points of the puzzle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.published.replay import cube, globe, replayed
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.schema import SolveRequest
from hstar.search import Result, prepare, solve

CUBE, COLOURS = cube(4), [i // 16 for i in range(96)]
GLOBE, SHOWN = globe(3, 4), [i // 4 for i in range(32)]
SETTINGS = {"rounds": [[300, 0.5, 1.4, 0, 1]], "perimeter": 20_000, "least": 100_000}


@pytest.fixture(autouse=True)
def posted(tmp_path: Path) -> Iterator[None]:
    with looking_in(Folder(tmp_path)):
        for name, rows, shown in (("cube", CUBE, COLOURS), ("globe", GLOBE, SHOWN)):
            Folder(tmp_path).add(read_any_definition({"generators": rows, "central_state": shown}, f"posted-{name}"))
        yield


def ask(name: str, points: list[Any], threads: int) -> Result:
    asked = {"puzzle": f"posted-{name}", "state": {"points": [*map(str, points)]}, "moves": "single",
             "algorithm": "plan", "plan": [{"method": "reduction", "settings": SETTINGS}]}  # fmt: skip
    return solve(prepare(SolveRequest.model_validate(asked)), threads=threads)


def test_a_large_cube_is_solved_as_a_small_one() -> None:
    outer = [name for name in CUBE if name[1] in "03"]
    inner = [name for name in CUBE if name[1] in "12"]
    random = Random(4)
    for count in (1, 2):  # quarter turns of inner layers; one alone is an odd permutation of the edges' halves
        mixed = [*random.choices(outer, k=20), *random.choices([*inner, *outer], k=2), *random.choices(inner, k=count)]
        start = replayed(CUBE, COLOURS, mixed)
        for threads in (1, 2):
            found = ask("cube", start, threads)
            assert found.status == "solved"
            moves = ["-" + move.rstrip("'") if move.endswith("'") else move for move in found.solution or ()]
            assert replayed(CUBE, start, moves) == COLOURS
            assert len(moves) <= 45


def test_a_puzzle_without_such_a_subgroup_is_left_to_others() -> None:
    found = ask("globe", replayed(GLOBE, SHOWN, ["r0", "f1", "r3", "f2"]), 1)
    assert (found.status, found.counters.expanded) == ("limit_reached", 0)
