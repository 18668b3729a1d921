"""The built-in cubes, compared with lists of facelets: their moves, what they show, how that is read and drawn."""

from __future__ import annotations

from random import Random
from xml.etree import ElementTree

import pytest

from hstar.errors import InvalidState
from hstar.pictures import draw
from hstar.puzzles import DefinedPuzzle, get_puzzle, random_state
from hstar.puzzles.held import rotated
from tests.conftest import TEST_ALL
from tests.puzzles.cubes import cube, replayed

SIZES = range(2, 8)
#: by face, its side of the cube, and where its columns and rows go; x to the right, y up, z to the front
SIDES = {
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)), "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)), "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)), "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
}  # fmt: skip
AXES = {"R": ("x", True), "L": ("x", False), "U": ("y", True), "D": ("y", False), "F": ("z", True), "B": ("z", False)}


def puzzle_of(n: int) -> DefinedPuzzle:
    puzzle = get_puzzle(f"{n}x{n}x{n}")
    assert isinstance(puzzle, DefinedPuzzle)
    return puzzle


def numbers(n: int) -> dict[str, list[int]]:
    """By face, row by row, the number of each facelet in the lists of `cube`."""
    last = n - 1
    facelets = [
        (*(a, b)[:axis], side, *(a, b)[axis:])
        for axis in range(3)
        for side in (-n, n)
        for a in range(-last, n, 2)
        for b in range(-last, n, 2)
    ]
    found = {}
    for face, (side, column, row) in SIDES.items():
        found[face] = [
            facelets.index(
                tuple(
                    n * s + (2 * j - last) * c + (2 * i - last) * r for s, c, r in zip(side, column, row, strict=False)
                )
            )
            for i in range(n)
            for j in range(n)
        ]
    return found


def layers(n: int, move: str) -> list[str]:
    """The quarter turns of single layers, as `cube` names them, that a move of outer layers is."""
    name = move.rstrip("'").rstrip("2") if not move.endswith("w") else move
    count = 3 if move.endswith("'") else 2 if move.endswith("2") else 1
    depth = int(name[0]) if name[0].isdigit() else 2 if name.endswith("w") else 1
    axis, outer = AXES[name.strip("0123456789w")]
    here = range(n - depth, n) if outer else range(depth)
    return [f"{axis}{layer}" for layer in here for _ in range(count if outer else 4 - count)]


@pytest.mark.parametrize("n", SIZES)
def test_moves_turn_layers_of_facelets(n: int) -> None:
    puzzle, generators, places = puzzle_of(n), cube(n), numbers(n)
    random = Random(n)
    home = [""] * (6 * n * n)
    for face, own in places.items():
        for at in own:
            home[at] = face
    number = {face: i for i, face in enumerate(places)}
    for _ in range(20 if TEST_ALL else 4):
        alg = random.choices(puzzle.moves, k=25)
        shown = replayed(generators, [number[face] for face in home], [t for move in alg for t in layers(n, move)])
        state = puzzle.apply_alg(puzzle.solved, alg)
        facelets = puzzle.format_state(state)["facelets"]
        assert facelets == {face: ["URFDLB"[shown[at]] for at in own] for face, own in places.items()}
        # And every way in which it is written is read back.
        rows = {face: [" ".join(row[i * n : i * n + n]) for i in range(n)] for face, row in facelets.items()}
        beside = [" ".join(rows[face][i] for face in "LFRB") for i in range(n)]
        net = "\n".join(["      " + row for row in rows["U"]] + beside + ["      " + row for row in rows["D"]])
        string = "".join("".join(facelets[face]) for face in "URFDLB")
        colours = string.translate(str.maketrans("URFDLB", "WRGYOB"))
        for written in ({"facelets": facelets}, facelets, net, string, string.lower(), colours, {"facelets": string}):
            assert puzzle.parse_state(written) == state


@pytest.mark.parametrize("n", SIZES)
def test_a_picture_shows_every_facelet(n: int) -> None:
    puzzle = puzzle_of(n)
    state = random_state(puzzle, n)
    picture = ElementTree.fromstring(draw(puzzle, state))
    drawn = {
        group.attrib["data-face"]: [
            facelet.attrib["data-colour"] for facelet in group if "data-facelet" in facelet.attrib
        ]
        for group in picture.iter()
        if "data-face" in group.attrib
    }
    assert drawn == puzzle.format_state(state)["facelets"]


def test_impossible_facelets_are_refused_with_the_piece() -> None:
    puzzle = puzzle_of(3)
    facelets = puzzle.format_state(puzzle.solved)["facelets"]

    def refused(**changed: dict[int, str]) -> str:
        shown = {face: [changed.get(face, {}).get(i, colour) for i, colour in enumerate(row)]
                 for face, row in facelets.items()}  # fmt: skip
        with pytest.raises(InvalidState) as error:
            puzzle.parse_state({"facelets": shown})
        return str(error.value)

    assert "no piece has a colour twice" in refused(U={7: "F"})
    assert "there are 8 facelets of U (white)" in refused(U={7: "F"})
    assert "a mirror image" in refused(F={2: "R"}, R={0: "F"})
    assert "no piece has these colours" in refused(U={7: "B"}, B={1: "U"})
    assert "the orientations add up to 1" in refused(U={7: "F"}, F={1: "U"})
    assert "'X' is neither a face nor a colour" in refused(U={0: "X"})
    for wrong in ("U" * 53, "", "U" * 55):
        with pytest.raises(InvalidState, match="expected 54 letters"):
            puzzle.parse_state(wrong)


def test_a_cube_held_in_another_way() -> None:
    cube_3 = puzzle_of(3)
    state = cube_3.apply_alg(cube_3.solved, cube_3.parse_alg("R U2 F'"))
    facelets = cube_3.format_state(state)["facelets"]
    # Rotated by y: what was at R is at F; U and D turn in their places.
    turned = {
        "F": facelets["R"], "L": facelets["F"], "B": facelets["L"], "R": facelets["B"],
        "U": [facelets["U"][i] for i in (6, 3, 0, 7, 4, 1, 8, 5, 2)],
        "D": [facelets["D"][i] for i in (2, 5, 8, 1, 4, 7, 0, 3, 6)],
    }  # fmt: skip
    with pytest.raises(InvalidState, match="held rotated"):
        cube_3.parse_state({"facelets": turned})
    assert cube_3.parse_state({"facelets": turned, "rotate": True}) == state
    # Where no centre tells, the corner DBL does, and a rotated state is the same state.
    for n in (4, 6):
        cube_n = puzzle_of(n)
        state = cube_n.apply_alg(cube_n.solved, cube_n.parse_alg("Rw U2 F'"))
        assert cube_n.hold is not None
        for rotation in cube_n.hold.rotations:
            assert cube_n.parse_state(cube_n.format_pieces(rotated(cube_n, state, rotation))) == state
