"""Moves with costs: the length of a claimed solution is what it costs, and is compared with the cheapest."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from hstar.certificates import verdicts
from hstar.errors import HstarError
from hstar.puzzles import get_puzzle
from hstar.verification import VerificationRequest, verify
from tests.certificates.checkers import first, second
from tests.command_line import run as hstar
from tests.search.test_costs import distances

COSTS = {"U": 3, "U2": 4, "U'": 1, "R": 2, "R2": 5, "R'": 6}
MOVES = " ".join(f"{move}:{cost}" for move, cost in COSTS.items())


def test_the_optimum_is_that_of_dijkstra() -> None:
    puzzle, truth, random = get_puzzle("2x2x2"), distances(COSTS), Random(1)
    dearer = 0
    for count in [1, 2, 2, 3, 5, 8] * 3:
        alg = tuple(random.choice(list(COSTS)) for _ in range(count))
        start = puzzle.apply_alg(puzzle.solved, puzzle.inverse_alg(alg))
        best, cost = truth[start], sum(COSTS[move] for move in alg)
        asked = {"puzzle": "2x2x2", "alg": " ".join(puzzle.inverse_alg(alg)), "moves": MOVES, "solution": " ".join(alg)}
        request = asked | {"claims": {"length": cost, "optimal": True}}
        found = verify(VerificationRequest.model_validate(request))
        assert (found.valid, found.length, found.optimal_length, found.excess) == (True, cost, best, cost - best)
        assert found.optimality == ("proven" if cost == best else "feasible")
        assert [claim.judgement for claim in found.claims] == ["true", "true" if cost == best else "false"]
        if cost > best:
            dearer += 1
            assert found.shorter is not None
            assert sum(COSTS[move] for move in found.shorter) == best
            assert puzzle.apply_alg(start, found.shorter) == puzzle.solved
            assert found.claims[1].reason == f"a solution that costs {best} exists"
    assert 0 < dearer < 18


def test_fewer_moves_may_cost_more() -> None:
    asked = {"puzzle": "3x3x3", "alg": "U2", "moves": "U U2:3 U'", "solution": "U2", "claims": {"length": 1}}
    found = verify(VerificationRequest.model_validate(asked))
    assert (found.length, found.optimal_length, found.optimality) == (3, 2, "feasible")
    assert [(claim.judgement, claim.reason) for claim in found.claims] == [
        ("false", "the moves of the solution cost 3")
    ]


def test_what_is_not_read_costs_1_each() -> None:
    asked = {"puzzle": "3x3x3", "alg": "U2", "moves": "U:5 U2:3 U'", "solution": "U D R"}
    found = verify(VerificationRequest.model_validate(asked))
    assert (found.valid, found.first_wrong, found.length) == (False, 2, 7)


def test_numbers_of_nodes_are_refused() -> None:
    asked = {"puzzle": "3x3x3", "alg": "U2", "moves": "U U2:3 U'", "solution": "U2"}
    with pytest.raises(HstarError, match="with costs no number of nodes") as error:
        verify(VerificationRequest.model_validate(asked | {"claims": {"expanded": 3, "generated": 5}}))
    assert [fault.where for fault in error.value.faults] == ["/claims/expanded", "/claims/generated"]


def test_a_solution_that_fails_has_a_certificate(tmp_path: Path) -> None:
    """Which says nothing of costs, so that it is the one for the same moves at cost 1, byte for byte."""
    asked = {"puzzle": "3x3x3", "alg": "U2", "moves": "U U2:3 U'", "solution": "U"}
    files = []
    for moves in ("U U2:3 U'", "U U2 U'"):
        request, file = VerificationRequest.model_validate(asked | {"moves": moves}), BytesIO()
        verdicts.of_verification(request, verify(request)).write(file)
        files.append(file.getvalue())
    assert files[0] == files[1]
    path = tmp_path / "fails.hstarcrt"
    path.write_bytes(files[0])
    assert first(path).proven
    assert second(path).proven


def test_a_state_that_cannot_be_solved_has_a_certificate(tmp_path: Path) -> None:
    path = tmp_path / "unsolvable.hstarcrt"
    board = "2 1 3 / 8 0 4 / 7 6 5"
    done = hstar("solve", "8-puzzle", "--state", board, "--moves", "U:2 D:2 L R", "--certificate", str(path))
    assert "proves that this state cannot be solved" in " ".join(done.stderr.split())
    assert first(path).proven
    assert second(path).proven


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "dear.hstarcrt"
    shown = hstar(
        "verify", "3x3x3", "--alg", "U2", "--moves", "U U2:3 U'", "--solution", "U2", "--certificate", str(file)
    )
    assert "length          3 (1 move)" in shown.stdout
    assert "optimal length  2 (proven)" in shown.stdout
    assert "moves that cost 2 are enough: U:1 U:1" in first(file).said.replace("U':1", "U:1")
    assert second(file).proven
