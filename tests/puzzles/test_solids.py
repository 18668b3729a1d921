"""Puzzles in space: turning facelets about their axis makes the state that the puzzle's own permutations make."""

from __future__ import annotations

import math

import pytest

from hstar.errors import InvalidRequest, InvalidState
from hstar.puzzles import get_puzzle, make_scramble, random_state
from hstar.solids import Solid, SolidTurn, solid_of

Vector = tuple[float, float, float]
#: all, and of the cubes those with even and odd numbers of layers
NAMES = ("megaminx", "kilominx", "master_pyraminx", "pyraminx", "skewb", "fto", "2x2x2", "3x3x3", "4x4x4", "5x5x5")


def turned(v: Vector, turn: SolidTurn) -> Vector:
    """Rodrigues' formula; clockwise from the tip of the axis is the negative sense."""
    angle = -math.radians(turn.degrees)
    (x, y, z), (a, b, c) = v, turn.axis
    along = (a * x + b * y + c * z) * (1 - math.cos(angle))
    across = (b * z - c * y, c * x - a * z, a * y - b * x)
    moved = (
        part * math.cos(angle) + side * math.sin(angle) + axis * along
        for part, side, axis in zip(v, across, turn.axis, strict=True)
    )
    p, q, r = moved
    return p, q, r


def middle(corners: list[Vector]) -> Vector:
    x, y, z = (sum(corner[i] for corner in corners) / len(corners) for i in range(3))
    return x, y, z


def after(solid: Solid, turn: SolidTurn, shown: list[str]) -> list[str]:
    """The colours in space after a turn, found from places alone."""
    places = [middle(facelet.corners) for facelet in solid.facelets]
    found = list(shown)
    for number in turn.facelets:
        goes = turned(places[number], turn)
        target = min(range(len(places)), key=lambda one: math.dist(places[one], goes))
        assert math.dist(places[target], goes) < 1e-4
        found[target] = shown[number]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_turn_in_space_is_the_puzzles_own(name: str) -> None:
    puzzle = get_puzzle(name)
    solid = solid_of(puzzle)
    assert [turn.move for turn in solid.turns if turn.move not in puzzle.moves] == []
    assert sorted(turn.move for turn in solid.turns) == sorted(puzzle.moves)

    def shown(state: bytes) -> list[str]:
        faces = puzzle.format_state(state)["facelets"]
        return [faces[facelet.face][facelet.index] for facelet in solid.facelets]

    state = random_state(puzzle, 27)
    for turn in solid.turns:
        assert after(solid, turn, shown(state)) == shown(puzzle.apply_alg(state, [turn.move])), turn.move


@pytest.mark.parametrize(
    ("name", "whole", "left_out"),
    [("kilominx", "megaminx", [0, *range(1, 11, 2)]), ("master_tetraminx", "master_pyraminx", [0, 9, 15])],
)
def test_facelets_are_some_of_those_of_the_whole_puzzle(name: str, whole: str, left_out: list[int]) -> None:
    part, puzzle = get_puzzle(name), get_puzzle(whole)
    alg = make_scramble(part, 30, 28).alg
    every = puzzle.format_state(puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(part.format_alg(alg))))["facelets"]
    shown = part.format_state(part.apply_alg(part.solved, alg))["facelets"]
    assert shown == {face: [c for i, c in enumerate(row) if i not in left_out] for face, row in every.items()}


@pytest.mark.parametrize("name", NAMES)
def test_facelets_lie_on_their_face_and_are_clockwise(name: str) -> None:
    solid = solid_of(get_puzzle(name))
    for facelet in solid.facelets:
        normal = solid.normals[facelet.face]
        for corner in facelet.corners:
            assert sum(a * b for a, b in zip(corner, normal, strict=True)) == pytest.approx(1, abs=1e-4)
        a, b, c = facelet.corners[:3]
        one, two = ([q - p for p, q in zip(x, y, strict=True)] for x, y in ((a, b), (b, c)))
        outward = (
            one[1] * two[2] - one[2] * two[1], one[2] * two[0] - one[0] * two[2], one[0] * two[1] - one[1] * two[0],
        )  # fmt: skip
        assert sum(p * q for p, q in zip(outward, normal, strict=True)) < 0


@pytest.mark.parametrize("name", ["pyraminx", "skewb", "fto", "kilominx", "master_tetraminx"])
def test_facelets_are_read_as_they_are_shown(name: str) -> None:
    puzzle = get_puzzle(name)
    for seed in range(20):
        state = random_state(puzzle, seed)
        assert puzzle.parse_state({"facelets": puzzle.format_state(state)["facelets"]}) == state
    shown = puzzle.format_state(puzzle.solved)["facelets"]
    shown["F"][0], shown["F"][1] = shown["D"][0], shown["D"][1]
    with pytest.raises(InvalidState, match="there must be"):
        puzzle.parse_state({"facelets": shown})


@pytest.mark.parametrize("name", ["megaminx", "kilominx", "master_pyraminx", "master_tetraminx", "fto", "3x3x3"])
def test_facelets_are_read_as_words(name: str) -> None:
    puzzle = get_puzzle(name)
    colours = {face["name"]: face["colour"] for face in puzzle.describe()["faces"]}
    for seed in range(5):
        state = random_state(puzzle, seed)
        shown = puzzle.format_state(state)["facelets"]
        rows = [shown[face] for face in ("URFDLB" if name == "3x3x3" else shown)]
        words = [word for row in rows for word in row]
        assert puzzle.parse_state(" ".join(words)) == puzzle.parse_state("\n".join(words)) == state
        assert puzzle.parse_state(" ".join(colours[word] for word in words)) == state
        with pytest.raises(InvalidState, match="neither a face nor a colour"):
            puzzle.parse_state(" ".join(["violet", *words[1:]]))
    with pytest.raises(InvalidState, match="with spaces between"):
        puzzle.parse_state("white blue")


def test_other_puzzles_have_no_solid() -> None:
    with pytest.raises(InvalidRequest, match="15-puzzle has no solid"):
        solid_of(get_puzzle("15-puzzle"))
