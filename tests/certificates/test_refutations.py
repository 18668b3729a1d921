"""Every verdict that something is wrong has a file that the checkers accept, and false ones are not written."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from hstar.audits import heuristic
from hstar.audits.heuristic import HeuristicAuditRequest
from hstar.audits.model.turn_system import ours
from hstar.certificates import Refused, refutations, verdicts
from hstar.puzzles import get_puzzle, invariants
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from tests.certificates.checkers import second
from tests.certificates.container import Claimed, put_together, taken_apart
from tests.certificates.made import REFUTATIONS, draw_held, refutation_of
from tests.conftest import SEED, instances


@pytest.mark.parametrize("name", REFUTATIONS)
def test_the_checkers_accept_it(name: str, tmp_path: Path) -> None:
    data = refutation_of(name)
    assert put_together(list(taken_apart(data).items())) == data
    file = tmp_path / "file.hcert"
    file.write_bytes(data)
    verdict = second(file)
    assert verdict.proven, verdict.said


@pytest.mark.parametrize("name", ["8-puzzle", "2x2x2", "3x3x3", "megaminx", "pyraminx", "skewb", "master_tetraminx"])
def test_an_invariant_is_found_for_just_the_states_that_cannot_be_solved(name: str) -> None:
    puzzle, draw = get_puzzle(name), random.Random(SEED)
    moves = puzzle.move_set(None)
    for _ in instances(range(200), few=15):
        held = draw_held(puzzle, draw)
        state = puzzle.state_of(held)
        found = invariants.find(puzzle, moves, held)
        if isinstance(puzzle, SlidingTiles):
            assert (found is None) == puzzle.is_solvable(state)
        else:
            assert isinstance(puzzle, PermutationPuzzle)
            assert (found is None) == (not puzzle.faults(state))
        if found is not None:
            for move in draw.choices(moves.moves, k=20):
                state = puzzle.apply(state, move) or state
            assert found.value(puzzle.contents(state)) == found.value(held)
            assert found.value(held) != found.value(puzzle.contents(puzzle.solved))


def test_the_puzzle_of_a_file_is_the_puzzle() -> None:
    draw = random.Random(SEED)
    for name in ("8-puzzle", "megaminx", "pyraminx", "3x3x3"):
        puzzle = get_puzzle(name)
        moves = puzzle.move_set(None)
        destination = io.BytesIO()
        state = puzzle.apply_alg(puzzle.solved, draw.choices(puzzle.legal(puzzle.solved, moves.moves), k=1))
        refutations.shorter(puzzle, moves, state, []).write(destination)
        read = Claimed.of(taken_apart(destination.getvalue()))
        assert read.goal == tuple(puzzle.contents(puzzle.solved))
        for _ in range(30):
            made = read.after(tuple(puzzle.contents(state)))
            after = {moves.moves[number]: puzzle.state_of(held) for number, held in made}
            assert after == dict(puzzle.successors(state, moves.moves))
            state = draw.choice(list(after.values()))


def test_what_is_right_is_not_refuted() -> None:
    board = get_puzzle("8-puzzle")
    moves = board.move_set(None)
    with pytest.raises(Refused, match="no invariant of the moves differs"):
        refutations.unsolvable(board, moves, list(board.solved))
    request = HeuristicAuditRequest(puzzle="8-puzzle", heuristic="manhattan", radius=3)
    with pytest.raises(Refused, match="the heuristic was not refuted by a state"):
        verdicts.of_heuristic_audit(request, heuristic.audit(request))
    system = {move: list(turn) for move, turn in _megaminx().items()}
    megaminx = get_puzzle("megaminx")
    with pytest.raises(Refused, match="no short word of the turns has an order that shows it"):
        refutations.wrong_turns(megaminx, megaminx.move_sets["cw"], system)


def _megaminx() -> dict[str, tuple[int, ...]]:
    system = ours(get_puzzle("megaminx"), get_puzzle("megaminx").move_sets["cw"].moves)
    return dict(zip(system.names, system.turns, strict=True))


@pytest.mark.parametrize("turn", [["a", 1, 2], [0, 1.5, 2], [None, 1, 2], [[], 1, 2], [True, 1, 2]])
def test_turns_of_something_else_than_numbers_have_none(turn: list[object]) -> None:
    cube = get_puzzle("2x2x2")
    with pytest.raises(Refused, match="no numbers"):
        refutations.not_a_permutation(cube, cube.move_set(None), {"U": turn})
    both = refutations.not_a_permutation(cube, cube.move_set(None), {"U": turn, "R": [0, 0, 2]})
    assert both.claim.endswith(b"\0\0")  # the first of the turns that are written
