"""Random hostile definitions in all formats: everything that hstar says of them, compared with their whole spaces.

`make hostile SEED=n` compares a million (docs/certificates.md).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hstar.heuristics import canonical
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import images_of_moves
from tests.conftest import SEED, instances
from tests.hostile.campaign import drawn
from tests.hostile.comparison import Compared, Tally, compare
from tests.hostile.definitions import FORMATS, Space, random_space, space_of
from tests.hostile.faults import FAULTS, ROOT, Fault


@pytest.mark.parametrize("number", instances(range(1000), few=12))
def test_everything_is_as_the_whole_space_has_it(number: int) -> None:
    random, most = drawn(SEED, number)
    compare(random, Tally(), min(most, 1000))


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_is_read(form: str) -> None:
    random, tally = Random(SEED), Tally()
    for _ in range(10):
        space = random_space(random, 200, form)
        Compared(random, tally, space).moves()
    assert tally["moves", "states before and after"] > 0


def six() -> Space:
    """Six slots in a ring of three colours: three of the moves swap pieces that look alike when solved."""

    def swap(a: int) -> dict[str, Any]:
        order = [*range(a), a + 1, a, *range(a + 2, 6)]
        return {"P": {"permutation": order, "orientationDelta": [0] * 6}}

    return space_of({
        "name": "random",
        "orbits": [{"orbitName": "P", "numPieces": 6, "numOrientations": 1}],
        "defaultPattern": {"P": {"pieces": [0, 0, 1, 1, 2, 2], "orientation": [0] * 6}},
        "moves": {
            "A": swap(0),
            "B": {"P": {"permutation": [1, 2, 3, 4, 5, 0], "orientationDelta": [0] * 6}},
            "C": swap(2),
            "D": swap(4),
        },
    })  # fmt: skip


def test_moves_that_look_equal_on_the_solved_state_are_not() -> None:
    """Swaps of different pieces look equal where the pieces do: a database for A and B says nothing of C and D."""
    space, text, tokens = six(), 'pdb("P:1", "A B")', ["A", "B", "C", "D"]
    compared = Compared(Random(0), Tally(), space)
    truth = space.distances(tokens)
    with compared.found_by_name():
        moves = compared.puzzle.move_set("A B C D")
        assert compared.heuristic(text, moves, tokens, truth)
        for _ in range(12):
            compared.answer(moves, [text], truth)
    assert compared.tally["verdicts", "refuted"] == 5


def test_names_of_moves_with_quotes_are_read_again() -> None:
    """The set of moves is in the canonical text of a heuristic, whatever its moves are called."""
    turn = {"P": {"permutation": [1, 2, 0], "orientationDelta": [0, 0, 0]}}
    space = space_of({
        "name": "random",
        "orbits": [{"orbitName": "P", "numPieces": 3, "numOrientations": 1}],
        "defaultPattern": {"P": {"pieces": [0, 1, 2], "orientation": [0, 0, 0]}},
        "moves": {'"': turn, "\\": {"P": {"permutation": [1, 0, 2], "orientationDelta": [0, 0, 0]}}},
    })  # fmt: skip
    puzzle = Compared(Random(0), Tally(), space).puzzle
    for feature in ('pdb("P:2", \'" \\\\\')', "p_moves('\"')"):
        text = canonical(feature, puzzle)
        assert canonical(text, puzzle) == text


def test_only_some_of_very_many_symmetries_are_no_group() -> None:
    """Eight pieces that turn by themselves have 8! * 2^8 symmetries. Tables of whole orbits need a group of them."""
    turns = {
        f"m{slot}x": {"P": {"permutation": [*range(8)], "orientationDelta": [int(slot == other) for other in range(8)]}}
        for slot in range(8)
    }
    space = space_of({
        "name": "random",
        "orbits": [{"orbitName": "P", "numPieces": 8, "numOrientations": 3}],
        "defaultPattern": {"P": {"pieces": [*range(8)], "orientation": [0] * 8}},
        "moves": turns,
    })  # fmt: skip
    compared = Compared(Random(0), Tally(), space)
    tokens = [*compared.puzzle.move_set("all").moves]
    with compared.found_by_name():
        moves = compared.puzzle.move_set("all")
        assert len(images_of_moves(compared.puzzle, moves)) == 1
        assert compared.heuristic('pdb("P")', moves, tokens, space.distances(tokens))
    cube = get_puzzle("3x3x3")
    assert isinstance(cube, PermutationPuzzle)
    assert len(images_of_moves(cube, cube.move_set("all"))) == 48


def test_turns_that_no_piece_shows_do_not_count() -> None:
    """Of six orientations one piece shows one and the others two: a symmetry of all six is refused by the kernel, which
    reads of the moves what they do to these pieces."""
    space = space_of({
        "name": "random",
        "orbits": [{"orbitName": "P", "numPieces": 3, "numOrientations": 6}],
        "defaultPattern": {"P": {"pieces": [0, 1, 1], "orientation": [0, 0, 0], "orientationMod": [1, 2, 2]}},
        "moves": {
            "A": {"P": {"permutation": [1, 2, 0], "orientationDelta": [0, 3, 0]}},
            "B": {"P": {"permutation": [2, 0, 1], "orientationDelta": [0, 2, 1]}},
        },
    })  # fmt: skip
    compared = Compared(Random(0), Tally(), space)
    assert compared.puzzle.orbits[0].orientations == 2
    tokens = [*compared.puzzle.move_set("all").moves]
    with compared.found_by_name():
        moves = compared.puzzle.move_set("all")
        assert len(images_of_moves(compared.puzzle, moves)) > 1
        assert compared.heuristic('pdb("P:2")', moves, tokens, space.distances(tokens))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_faults_can_still_be_put_in(fault: Fault, tmp_path: Path) -> None:
    """The sources have the text of each fault, so that `make faults` can change it."""
    copy = tmp_path / fault.file
    copy.parent.mkdir(parents=True)
    shutil.copy(ROOT / fault.file, copy)
    fault.apply(tmp_path)
    assert copy.read_text() != (ROOT / fault.file).read_text()
