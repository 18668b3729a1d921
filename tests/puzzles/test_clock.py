"""Rubik's Clock: its moves, its words, and near states against breadth-first search."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from bench.definitions.replay import read
from hstar.errors import InvalidAlg, InvalidState
from hstar.pictures import draw
from hstar.puzzles import DefinedPuzzle, get_puzzle, puzzle_from_definition, random_state
from hstar.puzzles.clock import Clock
from hstar.puzzles.formats import read_any_definition
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import prepare, solve
from tests.conftest import SEED

PUZZLE = get_puzzle("clock")


def after(alg: str) -> bytes:
    return PUZZLE.apply_alg(PUZZLE.solved, PUZZLE.parse_alg(alg))


def hours(state: bytes) -> list[int]:
    return [value % 12 for value in state]


def test_every_move_is_read_as_it_is_printed() -> None:
    wca = PUZZLE.notation("wca")
    assert len(PUZZLE.moves) == 198
    for move in PUZZLE.moves:
        assert PUZZLE.parse_alg(move) == (move,)
        assert wca.parse(wca.format([move])) == (move,)
    random = Random(SEED)
    for _ in range(50):
        alg = tuple(random.choices(PUZZLE.moves, k=8))
        assert wca.parse(wca.format(alg)) == alg
    with pytest.raises(InvalidAlg):
        wca.format(["UR13+"])


def test_the_last_pins_and_a_wheel_that_is_not_turned_are_no_moves() -> None:
    scramble = "UR1- DR0+ DL5+ UL4- U1+ R3- D6+ L2- ALL1+ y2 U2- R4+ D0- L1+ ALL3- UR DL"
    assert PUZZLE.notation("wca").format(PUZZLE.parse_alg(scramble)) == (
        "UR1- DL5+ UL4- U1+ R3- D6+ L2- ALL1+ y2 U2- R4+ L1+ ALL3-"
    )
    for token in ("UR", "UR0+"):
        with pytest.raises(InvalidAlg):
            PUZZLE.parse_move(token)


def test_a_wheel_turns_the_dials_around_its_pins() -> None:
    assert hours(after("UR3+")) == [0, 3, 3, 0, 3, 3, 0, 0, 0, 9, *[0] * 8]
    assert hours(after("y2 UR3+")) == [9, *[0] * 8, 0, 3, 3, 0, 3, 3, 0, 0, 0]
    # As seen from the back, its dials go on by an hour, and the corners of the front go back.
    assert hours(after("ALL1+ B1-")) == [0, 1, 0, 1, 1, 1, 0, 1, 0] * 2
    assert after("URw2+") == after("U2+ R2+ UR2-")
    assert after("z UR2+") == after("UL2+ z")


def test_it_has_as_many_states_as_fourteen_dials() -> None:
    assert PUZZLE.state_count == 12**14
    for seed in range(30):
        shown = hours(random_state(PUZZLE, seed))
        assert all((shown[corner] + shown[9 + corner // 3 * 3 + 2 - corner % 3]) % 12 == 0 for corner in (0, 2, 6, 8))
    pieces = PUZZLE.format_state(PUZZLE.solved)
    pieces["pieces"]["DIALS"]["orientation"][0] = 1
    with pytest.raises(InvalidState, match="not a state") as refused:
        PUZZLE.parse_state(pieces)
    (fault,) = refused.value.faults
    assert fault.where == "UL"
    pieces["pieces"]["DIALS"]["orientation"][11] = 11
    assert hours(PUZZLE.parse_state(pieces))[0] == 1
    pieces["pieces"]["DIALS"]["pieces"][:2] = [1, 0]
    with pytest.raises(InvalidState, match="not a state"):
        PUZZLE.parse_state(pieces)
    turned = PUZZLE.format_state(PUZZLE.solved)
    turned["pieces"]["DIALS"]["pieces"] = [*range(9, 18), *range(9)]
    with pytest.raises(InvalidState, match="held rotated"):
        PUZZLE.parse_state(turned)
    assert PUZZLE.parse_state(turned | {"rotate": True}) == PUZZLE.solved


def test_near_states_have_the_lengths_of_breadth_first_search() -> None:
    depth = {PUZZLE.solved: 0}
    layer = [PUZZLE.solved]
    for k in (1, 2):
        fresh = {new for state in layer for _, new in PUZZLE.successors(state, PUZZLE.moves)} - depth.keys()
        layer = sorted(fresh)
        depth |= dict.fromkeys(layer, k)
    assert len(layer) == 153 * 121
    for state in Random(SEED).sample(layer, 5):
        for algorithm in ("auto", "astar", "ida_star", "bidirectional"):
            request = SolveRequest(
                puzzle="clock", state=PUZZLE.format_state(state), algorithm=algorithm, limits=LimitsIn(seconds=60)
            )
            found = solve(prepare(request)).solution
            assert found is not None
            assert len(found) == 2


def test_the_picture_has_a_hand_for_each_dial() -> None:
    state = after("UR3+ y2 ALL1-")
    picture = draw(PUZZLE, state)
    assert picture.count("<polygon") == 18
    assert [f'data-hour="{hour or 12}"' in picture for hour in hours(state)] == [True] * 18
    assert PUZZLE.painter is not None


def test_the_definition_is_that_of_a_puzzle() -> None:
    assert isinstance(PUZZLE, Clock)
    assert isinstance(PUZZLE, DefinedPuzzle)
    assert list(PUZZLE.move_sets) == ["single", "all"]


def test_a_replay_of_another_clock_reads_its_moves(tmp_path: Path) -> None:
    definition = {
        "name": "dial",
        "orbits": [{"orbitName": "DIAL", "numPieces": 1, "numOrientations": 12}],
        "defaultPattern": {"DIAL": {"pieces": [0], "orientation": [0]}},
        "moves": {"U_PLUS_": {"DIAL": {"permutation": [0], "orientationDelta": [1]}}},
    }
    (tmp_path / "dial.json").write_text(json.dumps(definition))
    dial, own = puzzle_from_definition(read_any_definition(definition, "dial")), read(tmp_path / "dial.json")
    for hours in range(1, 6):
        state = dial.format_pieces(dial.apply_alg(dial.solved, [f"U{hours}+"]))
        assert own.replays(state, [f"U{hours}-"])
        assert not own.replays(state, [f"U{hours}+"])
