"""The Megaminx, compared with group theory, its number of states, and cubing.js's definition."""

from __future__ import annotations

import itertools
import json
from contextlib import suppress
from math import factorial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidAlg, InvalidState
from hstar.puzzles import get_puzzle
from hstar.puzzles.megaminx import COLOURS, CORNERS, EDGES, FACES, NEIGHBOURS, OPPOSITE, Megaminx

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="module")
def megaminx() -> Megaminx:
    puzzle = get_puzzle("megaminx")
    assert isinstance(puzzle, Megaminx)
    return puzzle


def order(puzzle: Megaminx, alg: str) -> int:
    moves = puzzle.parse_alg(alg)
    state, count = puzzle.apply_alg(puzzle.solved, moves), 1
    while state != puzzle.solved:
        state, count = puzzle.apply_alg(state, moves), count + 1
    return count


@pytest.mark.parametrize("face", FACES)
def test_every_turn_has_order_five_and_its_suffixes_are_its_powers(megaminx: Megaminx, face: str) -> None:
    assert order(megaminx, face) == 5
    for suffix, count in (("2", 2), ("2'", 3), ("'", 4)):
        assert megaminx.apply(megaminx.solved, face + suffix) == megaminx.apply_alg(megaminx.solved, [face] * count)


def test_commutators_have_order_six_for_neighbours_and_one_otherwise(megaminx: Megaminx) -> None:
    for a, b in itertools.permutations(FACES, 2):
        assert order(megaminx, f"{a} {b} {a}' {b}'") == (6 if b in NEIGHBOURS[a] else 1)


def test_the_faces_form_a_dodecahedron() -> None:
    for face in FACES:
        around = NEIGHBOURS[face]
        assert len(set(around)) == 5
        assert OPPOSITE[OPPOSITE[face]] == face
        for k, neighbour in enumerate(around):
            # seen from a neighbour, the next face clockwise here comes just before this one
            theirs = NEIGHBOURS[neighbour]
            assert theirs[(theirs.index(face) - 1) % 5] == around[(k + 1) % 5]
    assert len(set(CORNERS)) == 20
    assert len(set(EDGES)) == 30
    assert sorted(COLOURS) == sorted(FACES)


Place = tuple[str, int]  # a face, and the position of one of its ten outer facelets in the format: 1..10


def facelet_turn(face: str) -> dict[Place, Place]:
    """Where each facelet goes in a clockwise turn, from the neighbours alone: a second model, without pieces."""
    around = NEIGHBOURS[face]
    goes: dict[Place, Place] = {(face, 1 + i): (face, 1 + (i + 2) % 10) for i in range(10)}
    for k, neighbour in enumerate(around):
        following = around[(k + 1) % 5]
        here, there = NEIGHBOURS[neighbour].index(face), NEIGHBOURS[following].index(face)
        for offset in (-1, 0, 1):  # corner, edge, corner along the side that touches the turning face
            goes[neighbour, 1 + (2 * here + offset) % 10] = (following, 1 + (2 * there + offset) % 10)
    return goes


def closed_blocks() -> list[set[Place]]:
    """Facelet places that touch one another across an edge or around a corner."""
    blocks: list[set[Place]] = []
    for face in FACES:
        for k, neighbour in enumerate(NEIGHBOURS[face]):
            third = NEIGHBOURS[face][(k + 1) % 5]
            theirs = NEIGHBOURS[neighbour].index(face)
            thirds = NEIGHBOURS[third].index(face)
            edge = {(face, 1 + 2 * k), (neighbour, 1 + 2 * theirs)}
            corner = {(face, 2 + 2 * k), (neighbour, 1 + (2 * theirs - 1) % 10), (third, 2 + 2 * thirds)}
            blocks += [block for block in (edge, corner) if block not in blocks]
    return blocks


def test_twenty_triples_and_thirty_pairs_of_facelets_stay_together() -> None:
    blocks = closed_blocks()
    assert sorted(len(block) for block in blocks) == [2] * 30 + [3] * 20
    for face in FACES:
        goes = facelet_turn(face)
        assert len(goes) == 25
        for block in blocks:
            assert {goes.get(place, place) for place in block} in blocks


@given(st.lists(st.sampled_from(FACES), max_size=30))
def test_the_piece_model_agrees_with_the_facelet_model(alg: list[str]) -> None:
    puzzle = get_puzzle("megaminx")
    assert isinstance(puzzle, Megaminx)
    shown = {(face, i): face for face in FACES for i in range(1, 11)}
    for face in alg:
        goes = facelet_turn(face)
        shown |= {goes[place]: colour for place, colour in shown.items() if place in goes}
    facelets = puzzle.format_facelets(puzzle.apply_alg(puzzle.solved, alg))
    assert {(face, i): row[i] for face, row in facelets.items() for i in range(1, 11)} == shown


def test_moves_equal_those_of_cubing_js(megaminx: Megaminx) -> None:
    """Both define the same group action up to the names of pieces and of their first facelets."""
    theirs: dict[str, Any] = json.loads((DATA / "cubingjs_megaminx.json").read_text())["moves"]
    for orbit, ours_of in zip(megaminx.orbits, (CORNERS, EDGES), strict=True):
        n = orbit.orientations
        turned_by = [
            frozenset(f for f in FACES if theirs[f][orbit.name]["permutation"][i] != i) for i in range(orbit.pieces)
        ]
        slot = [next(j for j, faces in enumerate(ours_of) if set(faces) == turned_by[i]) for i in range(orbit.pieces)]
        assert sorted(slot) == list(range(orbit.pieces))
        ours: dict[str, list[tuple[int, int]]] = {}
        for face in FACES:
            after = megaminx.turned(megaminx.solved, face)
            ours[face] = [divmod(after[orbit.first + slot[i]], n) for i in range(orbit.pieces)]
        shift = {0: 0}  # how far our first facelet lies from theirs, found from one slot outwards
        todo = [0]
        while todo:
            source = todo.pop()
            for face in FACES:
                i = theirs[face][orbit.name]["permutation"].index(source)
                if i not in shift:
                    shift[i] = (ours[face][i][1] - theirs[face][orbit.name]["delta"][i] + shift[source]) % n
                    todo.append(i)
        assert len(shift) == orbit.pieces
        for face in FACES:
            for i in range(orbit.pieces):
                source = theirs[face][orbit.name]["permutation"][i]
                piece, twist = ours[face][i]
                assert piece == slot[source]
                assert twist == (theirs[face][orbit.name]["delta"][i] + shift[i] - shift[source]) % n


def test_state_count(megaminx: Megaminx) -> None:
    assert megaminx.state_count == factorial(20) // 2 * 3**19 * factorial(30) // 2 * 2**29
    assert f"{megaminx.state_count:.2e}" == "1.01e+68"  # Jaap Scherphuis, "Megaminx"


def test_move_sets(megaminx: Megaminx) -> None:
    assert {name: len(m.moves) for name, m in megaminx.move_sets.items()} == {
        "cw": 12,
        "ccw": 12,
        "single": 24,
        "all": 48,
    }
    for m in megaminx.move_sets.values():
        assert set(m.moves) <= set(megaminx.moves)


algs = st.lists(st.sampled_from([f + s for f in FACES for s in ("", "2", "2'", "'")]), max_size=40)


@given(algs)
def test_scramble_then_inverse_is_the_identity(alg: list[str]) -> None:
    puzzle = get_puzzle("megaminx")
    state = puzzle.apply_alg(puzzle.solved, alg)
    assert puzzle.apply_alg(state, puzzle.inverse_alg(alg)) == puzzle.solved
    assert list(puzzle.parse_alg(puzzle.format_alg(alg))) == alg


@given(algs)
def test_every_format_reads_back(alg: list[str]) -> None:
    puzzle = get_puzzle("megaminx")
    state = puzzle.apply_alg(puzzle.solved, alg)
    shown = puzzle.format_state(state)
    assert puzzle.parse_state(shown) == state
    assert puzzle.parse_state(json.loads(json.dumps(shown["pieces"]))) == state
    in_colours = {COLOURS[face]: [COLOURS[c] for c in row] for face, row in shown["facelets"].items()}
    assert puzzle.parse_state({"facelets": in_colours}) == state


def faults_of(puzzle: Megaminx, value: object) -> str:
    with pytest.raises(InvalidState) as caught:
        puzzle.parse_state(value)
    assert caught.value.faults
    return str(caught.value)


def test_every_broken_invariant_is_named_at_once(megaminx: Megaminx) -> None:
    pieces = megaminx.format_pieces(megaminx.solved)
    pieces["corners"]["orientation"][3] = 1
    pieces["edges"]["orientation"][7] = 1
    pieces["edges"]["pieces"][:2] = [1, 0]
    text = faults_of(megaminx, {"pieces": pieces})
    assert "twist" in text
    assert "flip" in text
    assert "odd permutation" in text


def test_repeated_and_missing_pieces_are_named(megaminx: Megaminx) -> None:
    pieces = megaminx.format_pieces(megaminx.solved)
    pieces["corners"]["pieces"][5] = 4
    text = faults_of(megaminx, pieces)
    assert f"{'-'.join(CORNERS[4])} appears more than once" in text
    assert f"{'-'.join(CORNERS[5])} is missing" in text


def test_impossible_facelets_are_named(megaminx: Megaminx) -> None:
    facelets = megaminx.format_facelets(megaminx.solved)
    facelets["U"][1] = "D"
    text = faults_of(megaminx, {"facelets": facelets})
    assert "there are 10 facelets of U (white)" in text
    assert "there are 12 facelets of D (grey)" in text
    assert "no piece has both" in text
    facelets = megaminx.format_facelets(megaminx.solved)
    facelets["U"][0], facelets["D"][0] = "D", "U"
    assert "the centre of U is always U (white)" in faults_of(megaminx, {"facelets": facelets})


def test_a_mirrored_corner_is_recognised(megaminx: Megaminx) -> None:
    facelets = megaminx.format_facelets(megaminx.solved)
    a, b = NEIGHBOURS["U"][0], NEIGHBOURS["U"][1]
    places = [
        (face, 2 + 2 * k)
        for face in (a, b)
        for k in range(5)
        if {face, NEIGHBOURS[face][k], NEIGHBOURS[face][(k + 1) % 5]} == {"U", a, b}
    ]
    (f, i), (g, j) = places
    facelets[f][i], facelets[g][j] = facelets[g][j], facelets[f][i]
    assert "mirror image" in faults_of(megaminx, {"facelets": facelets})


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        True,
        "U",
        [],
        {},
        {"facelets": 1},
        {"facelets": {"U": []}},
        {"pieces": {"corners": 1}},
        {"bogus": {}},
        {"pieces": {"corners": {"pieces": [True] * 20}}},
        {"facelets": {"U": [None] * 11}},
        {"pieces": {}, "extra": 1},
    ],
)
def test_malformed_states_are_refused(megaminx: Megaminx, value: object) -> None:
    assert "\n  - /" in faults_of(megaminx, value)


def test_moves_are_read_in_both_names(megaminx: Megaminx) -> None:
    assert megaminx.parse_alg("white BR2' F3 DL4 U6") == ("U", "BR2'", "F2'", "DL'", "U")
    with pytest.raises(InvalidAlg) as caught:
        megaminx.parse_alg("U X R5 w \u2603")
    assert [fault.where for fault in caught.value.faults] == ["move 2", "move 3", "move 4", "move 5"]


@given(st.text(max_size=60))
def test_no_alg_raises_anything_but_our_error(text: str) -> None:
    puzzle = get_puzzle("megaminx")
    with suppress(InvalidAlg):
        assert set(puzzle.parse_alg(text)) <= set(puzzle.moves)
