"""Facelets that are a state by another convention than ours are told so: listed backwards, or other colours."""

from __future__ import annotations

import pytest

from hstar.errors import InvalidState
from hstar.puzzles import get_puzzle, random_state
from hstar.puzzles.megaminx.geometry import FACES

Facelets = dict[str, list[str]]


def backwards(facelets: Facelets) -> Facelets:
    """Each face listed counter-clockwise, from the same edge on."""
    return {face: [*shown[:2], *reversed(shown[2:])] for face, shown in facelets.items()}


def other_colours(facelets: Facelets) -> Facelets:
    """The colours of two neighbouring faces exchanged, as on a puzzle with other stickers: no rotation does that."""
    names = {face: face for face in FACES} | {"U": "F", "F": "U"}
    return {face: [names[colour] for colour in shown] for face, shown in facelets.items()}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (backwards, "listed counter-clockwise, as in a mirror: list the facelets of each face clockwise"),
        (other_colours, "in another colour scheme: name each colour by the face whose centre has it"),
        (
            lambda facelets: other_colours(backwards(facelets)),
            "in another colour scheme and listed counter-clockwise, as in a mirror: name",
        ),
    ],
)
def test_other_conventions_are_offered(change: object, told: str) -> None:
    assert callable(change)
    puzzle = get_puzzle("megaminx")
    for seed in range(3):
        facelets = puzzle.format_state(random_state(puzzle, seed))["facelets"]
        with pytest.raises(InvalidState, match="by another convention") as refused:
            puzzle.parse_state({"facelets": change(facelets)})
        assert told in refused.value.faults[0].message


def test_what_is_wrong_by_every_convention_is_only_wrong() -> None:
    puzzle = get_puzzle("megaminx")
    facelets = puzzle.format_state(random_state(puzzle, 1))["facelets"]
    facelets["U"][1], facelets["F"][2] = facelets["F"][2], facelets["U"][1]
    with pytest.raises(InvalidState, match="not a state of the Megaminx"):
        puzzle.parse_state({"facelets": facelets})
