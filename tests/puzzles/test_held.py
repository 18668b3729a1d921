"""A Megaminx that is held rotated, and algs that rotate it, compared with cubing.js."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from hstar.errors import InvalidAlg, InvalidState
from hstar.labels import Labelling
from hstar.polyhedra import isomorphisms
from hstar.puzzles import get_puzzle, random_state
from hstar.puzzles.megaminx import FACES, NEIGHBOURS
from hstar.puzzles.megaminx.held import Turning, back_home, home_frame, read_held

#: states after algs that rotate the puzzle, as cubing.js 0.56 writes them
HELD = json.loads((Path(__file__).resolve().parents[1] / "data/cubingjs_held.json").read_text())
ROTATIONS = isomorphisms(NEIGHBOURS, NEIGHBOURS)
MEGAMINX = get_puzzle("megaminx")


def held(facelets: dict[str, list[str]], rotation: dict[str, str]) -> dict[str, list[str]]:
    """The facelets of a puzzle that is rotated as a whole: each face is carried to its image."""
    shown = {}
    for face, (centre, *around) in facelets.items():
        place = rotation[face]
        first = [rotation[neighbour] for neighbour in NEIGHBOURS[face]].index(NEIGHBOURS[place][0])
        shown[place] = [centre, *around[2 * first :], *around[: 2 * first]]
    return shown


@pytest.mark.parametrize("alg", HELD)
def test_algs_with_rotations_and_inner_layers_agree_with_cubing_js(alg: str) -> None:
    if "_" in alg:
        with pytest.raises(InvalidAlg):
            MEGAMINX.parse_alg(alg)
        return
    state = MEGAMINX.apply_alg(MEGAMINX.solved, MEGAMINX.parse_alg(alg))
    assert MEGAMINX.parse_state(HELD[alg] | {"rotate": True}) == state
    with pytest.raises(InvalidState, match="held rotated"):
        MEGAMINX.parse_state(HELD[alg])


def test_every_spelling_of_one_turn() -> None:
    for layers, plain in (("3U", "D'"), ("3U2'", "D2"), ("U Uv Uv'", "U"), ("Uw 2U' U'", ""), ("Rv U Rv'", "BR")):
        wanted = MEGAMINX.apply_alg(MEGAMINX.solved, MEGAMINX.parse_alg(plain)) if plain else MEGAMINX.solved
        moved = MEGAMINX.apply_alg(MEGAMINX.solved, MEGAMINX.parse_alg(layers))
        if layers.startswith("Rv"):  # one of the faces around R lies on top
            assert sum(a != b for a, b in zip(moved, MEGAMINX.solved, strict=True)) == 10
        else:
            assert moved == wanted
    assert MEGAMINX.parse_move("3U") == ("D'",)
    assert MEGAMINX.parse_alg("Uv white F") == ("U", "R")
    for wrong in ("4U", "Uv5", "2Uv", "Ux", "2white"):
        with pytest.raises(InvalidAlg):
            MEGAMINX.parse_alg(wrong)
    with pytest.raises(InvalidAlg, match="it is allowed in an alg, but is not a move"):
        MEGAMINX.parse_move("Uv")


@pytest.mark.parametrize("number", range(len(ROTATIONS)))
def test_a_rotated_puzzle_is_offered_its_rotation(number: int) -> None:
    state = random_state(MEGAMINX, number) if number % 3 else MEGAMINX.solved
    facelets = MEGAMINX.format_state(state)["facelets"]
    shown = held(facelets, ROTATIONS[number])
    assert MEGAMINX.parse_state({"facelets": shown, "rotate": True}) == state
    if shown == facelets or ROTATIONS[number] == home_frame():
        assert MEGAMINX.parse_state(shown) == state
        return
    with pytest.raises(InvalidState, match="held rotated") as refused:
        MEGAMINX.parse_state({"facelets": shown})
    (fault,) = refused.value.faults
    assert '"rotate": true' in fault.message
    frame = {face: row[0] for face, row in shown.items()}
    tokens = back_home(frame)
    assert tokens in fault.message
    turned = Turning()
    turned.frame = frame
    for token in tokens.split():
        (rotation,) = read_held(token) or ()
        assert turned(rotation) == ()
    assert turned.frame == home_frame()
    assert len(tokens.split()) <= 2


def test_other_faults_of_a_rotated_puzzle_are_reported() -> None:
    shown = held(MEGAMINX.format_state(MEGAMINX.solved)["facelets"], ROTATIONS[7])
    shown["U"][1], shown["U"][3] = shown["U"][3], shown["D"][5]
    with pytest.raises(InvalidState) as refused:
        MEGAMINX.parse_state(shown)
    assert "held rotated" not in str(refused.value)
    assert any("there must be 11" in fault.message for fault in refused.value.faults)


def test_centres_that_no_rotation_gives_are_reported_one_by_one() -> None:
    shown = MEGAMINX.format_state(MEGAMINX.solved)["facelets"]
    shown["U"][0], shown["F"][0] = "F", "U"
    with pytest.raises(InvalidState) as refused:
        MEGAMINX.parse_state(shown)
    assert {fault.where for fault in refused.value.faults} == {"/U/0", "/F/0"}


def test_a_face_with_ten_colours_is_not_missing_as_well() -> None:
    shown = MEGAMINX.format_state(MEGAMINX.solved)["facelets"]
    shown["U"] = shown["U"][:10]
    with pytest.raises(InvalidState) as refused:
        MEGAMINX.parse_state(shown)
    assert [fault.where for fault in refused.value.faults] == ["/U"]


def test_names_of_one_s_own_may_be_held_rotated_too() -> None:
    names = {face: f"f{i}" for i, face in enumerate(FACES)}
    table = {names[face]: [names[n] for n in around] for face, around in NEIGHBOURS.items()}
    labelling = Labelling.from_neighbours(table, anchors={"f0": "U", "f1": "F"})
    shown = held(MEGAMINX.format_state(MEGAMINX.solved)["facelets"], ROTATIONS[Random(1).randrange(1, 60)])
    mine = {names[face]: [names[c] for c in row] for face, row in shown.items()}
    with pytest.raises(InvalidState, match="held rotated"):
        labelling.parse_state({"facelets": mine})
    assert labelling.parse_state({"facelets": mine, "rotate": True}) == MEGAMINX.solved


@pytest.mark.parametrize("rotate", [1, "yes", None])
def test_rotate_is_true_or_false(rotate: object) -> None:
    shown = MEGAMINX.format_state(MEGAMINX.solved)
    with pytest.raises(InvalidState, match="/rotate: expected true or false"):
        MEGAMINX.parse_state(shown | {"rotate": rotate})
    assert MEGAMINX.parse_state(shown | {"rotate": False}) == MEGAMINX.solved


MASTER = get_puzzle("master_pyraminx")
MASTER_PATTERNS = json.loads((Path(__file__).resolve().parents[1] / "data/cubingjs_master_pyraminx.json").read_text())


def kpattern(alg: list[str]) -> dict[str, dict[str, list[int]]]:
    """The KPattern after moves, by cubing.js's definition of the Master Pyraminx."""
    sizes = {"CORNERS": 4, "CORNERS2": 4, "EDGES": 12, "EDGES2": 6, "CENTERS": 4}
    turns = {"CORNERS": 3, "CORNERS2": 3, "EDGES": 2, "EDGES2": 2, "CENTERS": 3}
    state = {orbit: {"pieces": list(range(n)), "orientation": [0] * n} for orbit, n in sizes.items()}
    for move in alg:
        for orbit, own in MASTER_PATTERNS["moves"][move].items():
            before = state[orbit]
            sources, delta = own["permutation"], own["delta"]
            turned = [before["orientation"][s] + d for s, d in zip(sources, delta, strict=True)]
            state[orbit] = {
                "pieces": [before["pieces"][s] for s in sources],
                "orientation": [o % turns[orbit] for o in turned],
            }
    return state


@pytest.mark.parametrize("seed", range(5))
def test_a_kpattern_of_the_master_pyraminx_is_read(seed: int) -> None:
    moves = [move for move in MASTER_PATTERNS["moves"] if not move.endswith("v")]
    alg = Random(seed).choices(moves, k=30)
    state = MASTER.apply_alg(MASTER.solved, MASTER.parse_alg(" ".join(alg)))
    assert MASTER.parse_state(kpattern(alg)) == state
    assert MASTER.parse_state({"patternData": kpattern(alg)}) == state
    written = MASTER.format_kpattern(state)["patternData"]
    theirs = kpattern(alg) | {"CENTERS": written["CENTERS"]}
    assert written == theirs
    assert written["CENTERS"]["pieces"] == kpattern(alg)["CENTERS"]["pieces"]


def test_a_flipped_wing_of_a_kpattern_is_refused() -> None:
    pattern = kpattern([])
    pattern["EDGES"]["orientation"][4] = 1
    with pytest.raises(InvalidState, match="/EDGES/orientation/4: turns never flip a wing"):
        MASTER.parse_state(pattern)


@pytest.mark.parametrize("rotation", ["U 2U 3U D'", "L 2L 3L BR' U 2U 3U D'"])
def test_a_rotated_master_pyraminx_can_be_rotated_home(rotation: str) -> None:
    state = MASTER.apply_alg(MASTER.solved, MASTER.parse_alg("U 2R' 3B L"))
    held = MASTER.apply_alg(state, MASTER.parse_alg(rotation))
    shown = {"facelets": MASTER.format_state(held)["facelets"]}
    assert MASTER.parse_state(shown) == held
    assert not MASTER.solvable_with(held, MASTER.move_set("cw12"))
    assert MASTER.parse_state(shown | {"rotate": True}) == state
