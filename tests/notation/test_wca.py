"""WCA Megaminx notation, compared with cubing.js: which layers turn, and how the puzzle is held afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidAlg
from hstar.puzzles import get_puzzle
from hstar.puzzles.megaminx import FACES, NEIGHBOURS, OPPOSITE
from hstar.puzzles.megaminx.wca import TOKENS, format_wca, parse_wca

DATA = Path(__file__).parent.parent / "data"

Part = tuple[list[int], list[int]]  # pieces and orientations of one orbit
Pattern = dict[str, Part]

tokens = st.lists(st.sampled_from(list(TOKENS)), max_size=80)


def _oracle() -> tuple[dict[str, Any], list[str]]:
    turns = json.loads((DATA / "cubingjs_megaminx.json").read_text())["moves"]
    rotations = json.loads((DATA / "cubingjs_megaminx_rotations.json").read_text())
    return turns | rotations["moves"], rotations["centres"]


MOVES, CENTRES = _oracle()
ORIENTATIONS = {"corners": 3, "edges": 2, "centres": 5}
SIZES = {"corners": 20, "edges": 30, "centres": 12}


def solved() -> Pattern:
    return {orbit: (list(range(n)), [0] * n) for orbit, n in SIZES.items()}


def turn(pattern: Pattern, move: str, count: int = 1) -> Pattern:
    """cubing.js's definition; a face turn leaves the centres where they are."""
    count %= 5
    for _ in range(count):
        after = dict(pattern)
        for orbit, how in MOVES[move].items():
            pieces, turned = pattern[orbit]
            source = how["permutation"]
            after[orbit] = (
                [pieces[s] for s in source],
                [(turned[s] + d) % ORIENTATIONS[orbit] for s, d in zip(source, how["delta"], strict=True)],
            )
        pattern = after
    return pattern


def turn_wca(pattern: Pattern, token: str) -> Pattern:
    """A token as layers: "all but the left layer" is the inner layer and the opposite one, the face DR."""
    if token in ("U", "U'"):
        return turn(pattern, "U", 1 if token == "U" else -1)
    count = 2 if token.endswith("++") else -2
    inner, far = ("2L", "DR") if token[0] == "R" else ("2U", "D")
    return turn(turn(pattern, inner, -count), far, count)


def turn_face(pattern: Pattern, move: str) -> Pattern:
    face = move.rstrip("2'")
    return turn(pattern, face, {"": 1, "2": 2, "2'": -2, "'": -1}[move[len(face) :]])


def places(pattern: Pattern) -> dict[str, str]:
    """The face whose centre is now in the place of each face."""
    pieces, _ = pattern["centres"]
    return {CENTRES[place]: CENTRES[piece] for place, piece in enumerate(pieces)}


def held_like(pattern: Pattern, wanted: dict[str, str]) -> Pattern:
    """The pattern, rotated as a whole until its centres lie as wanted."""
    seen, todo = [places(pattern)], [pattern]
    for at in todo:
        if places(at) == wanted:
            return at
        for rotation in ("Uv", "Lv"):
            after = turn(at, rotation)
            if places(after) not in seen:
                seen.append(places(after))
                todo.append(after)
    raise AssertionError(f"none of the {len(seen)} rotations puts the centres so: {wanted}")


@given(tokens)
def test_moves_and_rotation_equal_those_of_cubing_js(alg: list[str]) -> None:
    theirs = solved()
    for token in alg:
        theirs = turn_wca(theirs, token)
    ours = parse_wca(" ".join(alg))
    fixed = solved()
    for move in ours.moves:
        fixed = turn_face(fixed, move)
    assert ours.frame == places(theirs)
    rotated = held_like(fixed, places(theirs))
    assert rotated["corners"] == theirs["corners"]
    assert rotated["edges"] == theirs["edges"]


@pytest.mark.parametrize("token", ["R++", "R--", "D++", "D--"])
def test_the_three_pieces_at_the_top_left_are_held(token: str) -> None:
    after = turn_wca(solved(), token)
    left_and_up = set(solved()["corners"][0])
    for face in ("L", "U"):
        moved = MOVES[face]["corners"]["permutation"]
        left_and_up &= {i for i in range(20) if moved[i] != i}
    assert len(left_and_up) == 2
    for i in left_and_up:
        assert after["corners"][0][i] == i


@given(tokens)
def test_parse_and_format_are_inverses(alg: list[str]) -> None:
    text = " ".join(alg)
    assert format_wca(parse_wca(text).moves) == text
    assert parse_wca(format_wca(parse_wca(text).moves)) == parse_wca(text)


@given(tokens)
def test_the_frame_is_a_rotation(alg: list[str]) -> None:
    frame = parse_wca(" ".join(alg)).frame
    assert sorted(frame) == sorted(frame.values()) == sorted(FACES)
    for place in FACES:
        assert frame[OPPOSITE[place]] == OPPOSITE[frame[place]]
        carried = [frame[n] for n in NEIGHBOURS[place]]
        around = NEIGHBOURS[frame[place]]
        start = around.index(carried[0])
        assert carried == [*around[start:], *around[:start]]


def test_five_turns_and_a_turn_back_change_nothing() -> None:
    puzzle = get_puzzle("megaminx")
    for text in ("R++ R++ R++ R++ R++", "D-- D-- D-- D-- D--", "R++ R--", "U U' D++ D--"):
        alg = parse_wca(text)
        assert puzzle.apply_alg(puzzle.solved, alg.moves) == puzzle.solved
        assert alg.frame == {face: face for face in FACES}


def test_the_puzzle_reads_wca_where_a_token_says_so() -> None:
    puzzle = get_puzzle("megaminx")
    assert puzzle.parse_alg("R++ D--  U\u2019\n R--") == parse_wca("R++ D-- U' R--").moves
    # After R++ another face is on top: the same token turns another face.
    assert puzzle.parse_alg("U") == ("U",)
    assert puzzle.parse_alg("R++ U")[1] not in ("U", "L")
    # Other tokens may stand between: they are read in the same frame.
    back_and_forth = puzzle.parse_alg("(R++ F)' R++ F")
    assert puzzle.apply_alg(puzzle.solved, back_and_forth) == puzzle.solved
    with pytest.raises(InvalidAlg) as caught:
        puzzle.parse_alg("R++ F U2 white D+")
    assert [fault.where for fault in caught.value.faults] == ["move 5"]


def test_most_algs_cannot_be_written_and_the_first_such_move_is_named() -> None:
    with pytest.raises(InvalidAlg, match="move 2: F is none of U, U', U2, U2', L2 and L2'"):
        format_wca(["U", "F"])
    with pytest.raises(InvalidAlg, match="move 1: L is none"):
        format_wca(["L"])
    assert format_wca(["U2", "BR2"]) == "D++ R++"  # with U on top, D++ brings BR to the left
    assert format_wca([]) == ""


@given(st.text(max_size=40) | tokens.map(" ".join))
def test_no_text_raises_anything_but_our_error(text: str) -> None:
    wrong = [number for number, token in enumerate(text.split(), start=1) if token.replace("\u2019", "'") not in TOKENS]
    try:
        alg = parse_wca(text)
    except InvalidAlg as error:
        found = [fault.where for fault in error.faults]
    else:
        found = []
        assert format_wca(alg.moves) == " ".join(text.replace("\u2019", "'").split())
    assert found == [f"move {number}" for number in wrong[:20]]
