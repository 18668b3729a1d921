"""Facelets that are a state only by another convention get a hint: listed backwards, or with other colours."""

from __future__ import annotations

from typing import Any

import pytest

from hstar.errors import InvalidState
from hstar.puzzles import get_puzzle, random_state
from hstar.puzzles.defined import DefinedPuzzle, puzzle_from_definition
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.held import rotated, rotations
from hstar.puzzles.megaminx.geometry import FACES
from tests.conftest import instances

Facelets = dict[str, list[str]]


def backwards(facelets: Facelets) -> Facelets:
    """Each face listed counter-clockwise, from the same edge on."""
    return {face: [*shown[:2], *reversed(shown[2:])] for face, shown in facelets.items()}


def other_colours(facelets: Facelets) -> Facelets:
    """The colours of two neighbouring faces exchanged, as on a puzzle with other stickers: no rotation does that."""
    names = {face: face for face in FACES} | {"U": "F", "F": "U"}
    return {face: [names[colour] for colour in shown] for face, shown in facelets.items()}


def right_to_left(facelets: Facelets) -> Facelets:
    """Each row of a Master Pyraminx's face from its other end."""
    return {face: [c for a, b in ((0, 1), (1, 4), (4, 9), (9, 16)) for c in shown[a:b][::-1]]
            for face, shown in facelets.items()}  # fmt: skip


def exchanged(facelets: Facelets) -> Facelets:
    """Two colours exchanged: no rotation of a tetrahedron does that."""
    names = {"D": "F", "F": "D", "BL": "BL", "BR": "BR"}
    return {face: [names[colour] for colour in shown] for face, shown in facelets.items()}


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("megaminx", backwards, "listed counter-clockwise, as in a mirror: list the facelets of each face clockwise"),
        ("megaminx", other_colours, "in another colour scheme: name each colour by the face whose centre has it"),
        (
            "megaminx",
            lambda facelets: other_colours(backwards(facelets)),
            "in another colour scheme and listed counter-clockwise, as in a mirror: name",
        ),
        ("master_pyraminx", right_to_left, "listed right to left, as in a mirror: list each row"),
        ("master_pyraminx", exchanged, "in the mirror image of our colour scheme: exchange two colours"),
        (
            "master_pyraminx",
            lambda facelets: exchanged(right_to_left(facelets)),
            "as in a mirror and in the mirror image of our colour",
        ),
    ],
)
def test_other_conventions_are_offered(name: str, change: object, told: str) -> None:
    assert callable(change)
    puzzle = get_puzzle(name)
    for seed in range(3):
        facelets = puzzle.format_state(random_state(puzzle, seed))["facelets"]
        with pytest.raises(InvalidState, match="by another convention") as refused:
            puzzle.parse_state({"facelets": change(facelets)})
        assert told in refused.value.faults[0].message


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("megaminx", backwards, "list the facelets of each face clockwise; then these faults are left"),
        ("megaminx", other_colours, "name each colour by the face whose centre has it; then these faults are left"),
        ("master_pyraminx", right_to_left, "its top corner above; then these faults are left"),
        ("master_pyraminx", exchanged, "F (green) and BL (red); then these faults are left"),
    ],
)
def test_other_conventions_are_offered_for_an_impossible_state(name: str, change: object, told: str) -> None:
    assert callable(change)
    puzzle = get_puzzle(name)
    edge = next(orbit for orbit in puzzle.orbits if orbit.name == "edges").first  # type: ignore[attr-defined]
    state = bytearray(random_state(puzzle, 1))
    state[edge] ^= 1
    facelets = puzzle.format_state(bytes(state))["facelets"]
    with pytest.raises(InvalidState, match="not a state") as refused:
        puzzle.parse_state({"facelets": change(facelets)})
    assert told in refused.value.faults[0].message
    assert [fault.where for fault in refused.value.faults[1:]] == ["edges", "the smallest repair"]


def test_facelets_wrong_by_every_convention_get_no_hint() -> None:
    puzzle = get_puzzle("megaminx")
    facelets = puzzle.format_state(random_state(puzzle, 1))["facelets"]
    facelets["U"][1], facelets["F"][2] = facelets["F"][2], facelets["U"][1]
    with pytest.raises(InvalidState, match="not a state of the Megaminx"):
        puzzle.parse_state({"facelets": facelets})
    puzzle = get_puzzle("master_pyraminx")
    wrong = puzzle.format_state(puzzle.solved)["facelets"] | {"F": ["F"] * 15 + ["D"]}
    with pytest.raises(InvalidState, match="not a state of master_pyraminx"):
        puzzle.parse_state({"facelets": wrong})


HELD = {"2x2x2": (23, 23), "skewb": (23, 23), "3x3x3": (23, 12), "pyraminx": (11, 11)}


@pytest.mark.parametrize("name", instances(HELD, few=3))
def test_a_rotated_puzzle_gets_the_rotation_and_is_rotated_on_request(name: str) -> None:
    """By each of its rotations; where moves reach the same, as on the Kilominx, nothing tells a rotation."""
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, DefinedPuzzle)
    known = puzzle._held
    ways = {turn.source for turn in known}
    told = []
    for seed, turn in enumerate(known):
        state = random_state(puzzle, seed)
        given = {"pieces": puzzle.format_pieces(rotated(puzzle, state, turn))}
        try:
            puzzle.parse_state(given)
        except InvalidState as error:
            told.append((turn.source, error))
        home = puzzle.parse_state(given | {"rotate": True})
        assert puzzle.is_reachable(home)
        if name == "2x2x2":  # a corner is held, so that only one way of holding it is ours
            assert home == state
    assert (len(ways), len({source for source, _ in told})) == HELD[name]
    for _, refused in told:
        (text,) = [fault.message for fault in refused.faults if fault.where == "rotation"]
        assert "it is held rotated: rotate it as a whole so that what is at" in text


@pytest.mark.parametrize(("name", "count"), [("3x3x3", 23), ("pyraminx", 11), ("kilominx", 59)])
def test_the_moves_alone_tell_the_rotations_of_the_solid(name: str, count: int) -> None:
    """Up to what moves reach: turned back by the other one of the same slots, a state is reached."""
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, DefinedPuzzle)
    found = {turn.source: turn for turn in rotations(puzzle)}
    assert len(found) == count
    assert name == "kilominx" or set(found) == {turn.source for turn in puzzle._held}
    for turn in puzzle._held:
        back = found[turn.source].inverse(puzzle.orientations)
        assert puzzle.is_reachable(rotated(puzzle, rotated(puzzle, puzzle.solved, turn), back))
    for turn in found.values():
        assert name != "kilominx" or puzzle.is_reachable(rotated(puzzle, puzzle.solved, turn))


def test_a_solved_cube_on_its_side_is_solved() -> None:
    puzzle = get_puzzle("2x2x2")
    assert isinstance(puzzle, DefinedPuzzle)
    for turn in puzzle._held:
        given = {"pieces": puzzle.format_pieces(rotated(puzzle, puzzle.solved, turn)), "rotate": True}
        assert puzzle.parse_state(given) == puzzle.solved


def test_a_corruption_is_not_taken_for_a_rotation() -> None:
    puzzle = get_puzzle("3x3x3")
    pieces = puzzle.format_state(random_state(puzzle, 1))["pieces"]
    pieces["CORNERS"]["orientation"][0] = (pieces["CORNERS"]["orientation"][0] + 1) % 3
    with pytest.raises(InvalidState, match="not a state of 3x3x3") as refused:
        puzzle.parse_state({"pieces": pieces, "rotate": True})
    assert refused.value.faults[-1].where == "the smallest repair"


def test_pieces_numbered_from_one_are_recognised() -> None:
    puzzle = get_puzzle("pyraminx")
    pieces = puzzle.format_state(random_state(puzzle, 1))["pieces"]
    for part in pieces.values():
        part["pieces"] = [piece + 1 for piece in part["pieces"]]
    with pytest.raises(InvalidState) as refused:
        puzzle.parse_state(pieces)
    assert refused.value.faults[0].message == "the pieces are numbered from 1; here they are numbered from 0"


def facelets_of_a_cube() -> tuple[dict[str, Any], list[tuple[int, int, int]], list[str]]:
    """The 3x3x3 as permutations of its 54 facelets, made from coordinates: the definition, where each facelet is (its
    cubie and, as the sixth of it, its face), and the colours."""
    faces = {"U": (0, 1, 0), "R": (1, 0, 0), "F": (0, 0, 1), "D": (0, -1, 0), "L": (-1, 0, 0), "B": (0, 0, -1)}
    # A facelet is its centre: two out along its face's axis.
    places = []
    for axis in faces.values():
        others = [i for i in range(3) if not axis[i]]
        for a in (-1, 0, 1):
            for b in (-1, 0, 1):
                at = [3 * axis[i] for i in range(3)]
                at[others[0]], at[others[1]] = 2 * a, 2 * b
                places.append((at[0], at[1], at[2]))
    colours = [name for name in faces for _ in range(9)]
    number = {place: i for i, place in enumerate(places)}

    def turned(place: tuple[int, int, int], axis: tuple[int, int, int]) -> tuple[int, int, int]:
        """A quarter clockwise, seen from the end of the axis."""
        i = next(i for i in range(3) if axis[i])
        j, k = (i + 1) % 3, (i + 2) % 3
        at = list(place)
        at[j], at[k] = (place[k], -place[j]) if axis[i] > 0 else (-place[k], place[j])
        return at[0], at[1], at[2]

    generators = {}
    for name, axis in faces.items():
        comes = list(range(54))
        for place in places:
            if sum(p * a for p, a in zip(place, axis, strict=True)) >= 2:
                comes[number[turned(place, axis)]] = number[place]
        generators[name] = comes
    return {"generators": generators, "central_state": colours}, places, colours


def test_points_in_other_colours_or_mirrored_are_recognised() -> None:
    definition, places, colours = facelets_of_a_cube()
    puzzle = puzzle_from_definition(read_any_definition(definition, "facelets"))
    assert puzzle.state_count == 43_252_003_274_489_856_000
    number = {place: i for i, place in enumerate(places)}
    paint = dict(zip("URFDLB", ["white", "red", "green", "yellow", "orange", "blue"], strict=True))
    for seed in range(3):
        points = puzzle.format_state(random_state(puzzle, seed))["points"]
        mirrored = [points[number[-x, y, z]] for x, y, z in places]
        rotated_list = [points[number[x, z, -y]] for x, y, z in places]
        for given, told in (
            ([paint[colour] for colour in points], "in another colour scheme, or held rotated: name each colour"),
            (mirrored, "as in a mirror"),
            (rotated_list, "held rotated: name each colour"),
        ):
            with pytest.raises(InvalidState, match="by another convention") as refused:
                puzzle.parse_state(given)
            assert told in refused.value.faults[0].message
        other = next(i for i in range(10, 18) if points[i] != points[1])
        points[1], points[other] = points[other], points[1]
        with pytest.raises(InvalidState, match=r"facelets|points"):
            puzzle.parse_state(points)
    assert len(set(colours)) == 6
