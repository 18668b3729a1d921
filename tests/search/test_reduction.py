"""Large puzzles become small ones: solutions by way of a subgroup, replayed here on the points of the puzzle."""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.published.replay import cube, globe, replayed
from hstar import _kernel
from hstar.puzzles import puzzle_from_definition
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.defined import DefinedPuzzle
from hstar.puzzles.formats import read_any_definition
from hstar.schema import SolveRequest
from hstar.search import Result, plans, prepare, solve
from hstar.search.anytime.chains import Chains, chains_of
from hstar.search.anytime.reduction import Left, _left, reducing_of

CUBE, COLOURS = cube(4), [i // 16 for i in range(96)]
SLICES, STICKERS = cube(3), [*range(54)]
GLOBE, SHOWN = globe(3, 4), [i // 4 for i in range(32)]
SETTINGS = {"rounds": [[300, 1, 1.4, 1]], "perimeter": 20_000, "least": 100_000}


@pytest.fixture(autouse=True)
def posted(tmp_path: Path) -> Iterator[None]:
    with looking_in(Folder(tmp_path)):
        for name, rows, shown in (("cube", CUBE, COLOURS), ("globe", GLOBE, SHOWN), ("slices", SLICES, STICKERS)):
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


def test_a_cube_with_slices_is_solved_by_way_of_its_faces() -> None:
    """All pieces are told apart, also the centres."""
    timed, untimed = (
        [step.method for step in plans.improving(prepare(SolveRequest.model_validate(
            {"puzzle": "posted-slices", "random": 1, "algorithm": "anytime", "limits": limits})))]
        for limits in ({"seconds": 10}, {})
    )  # fmt: skip
    assert timed.index("reduction") < timed.index("beams")
    assert "reduction" not in untimed
    random = Random(2)
    start = replayed(SLICES, STICKERS, random.choices([*SLICES], k=40))
    found = ask("slices", start, 1)
    assert found.status == "solved"
    moves = ["-" + move.rstrip("'") if move.endswith("'") else move for move in found.solution or ()]
    assert replayed(SLICES, start, moves) == STICKERS
    assert len(moves) <= 34


def test_a_puzzle_without_such_a_subgroup_is_left_to_others() -> None:
    found = ask("globe", replayed(GLOBE, SHOWN, ["r0", "f1", "r3", "f2"]), 1)
    assert (found.status, found.counters.expanded) == ("limit_reached", 0)


def subgroup_of(
    rows: dict[str, list[int]], shown: list[int], moves: str
) -> tuple[DefinedPuzzle, Chains, Left | None, list[str]]:
    puzzle = puzzle_from_definition(read_any_definition({"generators": rows, "central_state": shown}, "large"))
    chains = chains_of(puzzle, puzzle.move_set(moves))
    found = _left(chains, puzzle, 2**30)
    return puzzle, chains, found and found[0], [chains.names[number] for number in found[2]] if found else []


def layers(size: int, first: str) -> dict[str, list[int]]:
    """The generators of a cube, those of some layers before the others."""
    return dict(sorted(cube(size).items(), key=lambda item: item[0][1] not in first))


def colours(size: int, *alike: int) -> list[int]:
    """By sticker its colour; the faces with these numbers have one."""
    return [alike[0] if i // size**2 in alike else i // size**2 for i in range(6 * size**2)]


@pytest.mark.parametrize(
    ("rows", "shown", "moves", "outer"),
    [
        (layers(4, "03"), colours(4), "single", "03"),
        (layers(4, "12"), colours(4), "single", "03"),
        (layers(4, "12"), colours(4, 1, 3), "single", ""),  # corners, which have orientations, look alike
        (layers(3, "1"), [*range(54)], "single", "02"),
        (layers(3, "02"), colours(3, 1, 3), "single", ""),
        ({name: row for name, row in cube(3).items() if name[1] != "1"}, [*range(54)], "all", "02"),  # not half turns
        (layers(2, "0"), colours(2), "single", ""),  # one kind of moves
        (layers(5, "04"), colours(5), "single", ""),  # 48 pieces look alike
        (GLOBE, SHOWN, "single", ""),
    ],
)
def test_the_largest_subgroup_of_kinds_of_moves(
    rows: dict[str, list[int]], shown: list[int], moves: str, outer: str
) -> None:
    _, _, left, names = subgroup_of(rows, shown, moves)
    assert names == [name + sign for name in rows if name[1] in outer for sign in ("", "'")]
    if left is not None:
        assert left.puzzle.group(left.moves).order == order_of_the_cube()
        assert sorted(left.ours.values()) == sorted((name,) for name in names)


def order_of_the_cube() -> int:
    return factorial(8) * 3**7 * factorial(12) * 2**10


def test_which_elements_are_in_the_subgroup() -> None:
    puzzle, chains, left, names = subgroup_of(layers(4, "12"), colours(4), "single")
    assert left is not None

    def after(element: list[int], move: str) -> list[int]:
        images = chains.generators[chains.names.index(move)].tolist()
        return [images[place] for place in element]

    random = Random(3)
    for _ in range(20):
        alg = random.choices(names, k=random.randint(0, 12))
        element = list(range(chains.generators.shape[1]))
        for move in alg:
            element = after(element, move)
        there = left.state_in(element)
        assert there is not None
        inverse = [next(own for own, ours in left.ours.items() if ours == (move,)) for move in puzzle.inverse_alg(alg)]
        assert left.puzzle.apply_alg(there, inverse) == left.puzzle.solved
        inner = random.choice([name for name in chains.names if name[1] in "12"])
        assert left.state_in(after(element, inner)) is None


def test_a_beam_ends_after_so_many_moves() -> None:
    puzzle, chains, _, _ = subgroup_of(layers(4, "12"), colours(4), "single")
    control, twin = _kernel.Control(), puzzle.twin
    reducing = reducing_of(chains, puzzle, 13, 2**30, 60.0, control)  # the subgroup and what one move leads to
    assert reducing is not None
    assert twin is not None
    assert reducing.kernel.cosets == 13
    alg = ("r1", "f0", "d2", "r0", "f1")
    element = twin.permutation_of(twin.apply_alg(twin.solved, alg))
    kinds = puzzle.kinds_in(puzzle.apply_alg(puzzle.solved, alg))
    for alike, power in ((0.4, 2.0), (1.4, 1.0)):
        short, long = (
            reducing.kernel.search(element, kinds, 500, 1.0, alike, power, most, control=control) for most in (2, 4)
        )
        assert not short.ways
        assert {len(way) for way in long.ways} == {5}
        assert all(reducing.after(element, way) is not None for way in long.ways)
        assert short.generated < long.generated
