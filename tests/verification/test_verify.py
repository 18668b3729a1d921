"""Claimed solutions: valid, or the first wrong move and the reason, in the student's labels; the optimum and excess."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hstar import schema
from hstar.errors import HstarError
from hstar.features import make_feature
from hstar.puzzles import get_puzzle, make_scramble
from hstar.puzzles.megaminx import NEIGHBOURS
from hstar.search.reference_graph import breadth_first
from hstar.verification import Claims, Verification, VerificationRequest, verify
from hstar.verification.schema import SearchLimits
from tests.command_line import run as hstar

A = "2 8 3 / 1 6 4 / 0 7 5"  # board A of course report S5


def check(puzzle: str, solution: str, **fields: object) -> Verification:
    return verify(VerificationRequest.model_validate({"puzzle": puzzle, "solution": solution} | fields))


def test_a_shortest_solution() -> None:
    verdict = check("megaminx", "R' F' U'", alg="U F R", moves="ccw", claims={"length": 3, "optimal": True})
    assert (verdict.valid, verdict.first_wrong, verdict.length) == (True, None, 3)
    assert (verdict.optimal_length, verdict.excess, verdict.optimality) == (3, 0, "proven")
    assert [claim.judgement for claim in verdict.claims] == ["true", "true"]


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_that_of_breadth_first_search_in_python(seed: int) -> None:
    puzzle = get_puzzle("8-puzzle")
    scramble = make_scramble(puzzle, 14, seed)
    detour = [*scramble.alg, puzzle.inverse(scramble.alg[-1]), scramble.alg[-1]]
    solution = puzzle.inverse_alg(detour)
    verdict = check("8-puzzle", " ".join(solution), state=scramble.state)
    moves = puzzle.move_set(None).moves
    shortest = len(breadth_first(puzzle, puzzle.apply_alg(puzzle.solved, scramble.alg), moves).path)
    assert (verdict.valid, verdict.length, verdict.optimal_length) == (True, 16, shortest)
    assert verdict.excess == 16 - shortest


@pytest.mark.parametrize(
    ("solution", "number", "reason", "length"),
    [
        ("R' F U'", 2, "F is not in the move set ccw: each face counter-clockwise by 72 degrees", 3),
        ("R' Q U' F'", 2, "'Q' is not a face turn", 4),
        ("R5 F'", 1, "turns by a multiple of 360 degrees", 2),
    ],
)
def test_the_first_wrong_move_and_why(solution: str, number: int, reason: str, length: int) -> None:
    verdict = check("megaminx", solution, alg="U F R", moves="ccw")
    assert (verdict.valid, verdict.first_wrong, verdict.length) == (False, number, length)
    assert reason in str(verdict.reason)
    assert (verdict.optimal_length, verdict.excess) == (3, None)


def test_a_move_over_the_border() -> None:
    verdict = check("8-puzzle", "U R3", state=A)
    assert verdict.first_wrong == 2
    assert "the blank is at that border" in str(verdict.reason)


def test_unsolved_pieces_are_reported() -> None:
    verdict = check("megaminx", "R' F'", alg="U F R", moves="ccw")
    assert (verdict.valid, verdict.first_wrong) == (False, None)
    assert verdict.unsolved[0].startswith("5 of 20 corners out of place (")
    assert "after the last move the puzzle is not solved" in str(verdict.reason)


def test_the_students_names_and_notation(tmp_path: Path) -> None:
    table = {f"face{face}": [f"face{n}" for n in around] for face, around in NEIGHBOURS.items()}
    labels = {"neighbours": table, "anchors": {"faceU": "U", "faceF": "F"}}
    verdict = check("megaminx", "faceR' faceF'", alg="faceU faceF faceR", moves="ccw", labels=labels)
    assert verdict.solution == ["faceR'", "faceF'"]
    assert "faceU-faceF-faceL" in verdict.unsolved[0]
    assert check("megaminx", "red' green' white'", alg="U F R", moves="ccw", notation="colours").valid
    assert check("8-puzzle", "down left left down up", state=A, notation="tile").first_wrong is None
    assert check("master_pyraminx", "U1 2 L3 2", alg="L3 1 U1 1", moves="layers32").valid
    assert check("master_pyraminx", "U1 2 L3 7", alg="L3 1 U1 1", moves="layers32").first_wrong == 2
    assert check("megaminx", "U R-- D++", alg="U").valid is False


def test_a_limit_leaves_the_bound_and_no_optimum() -> None:
    alg = make_scramble(get_puzzle("megaminx"), 20, 1, "cw").alg
    solution = " ".join(get_puzzle("megaminx").inverse_alg(alg))
    verdict = check("megaminx", solution, alg=" ".join(alg), moves="all", limits={"expanded": 10})
    assert (verdict.valid, verdict.optimal_length, verdict.excess, verdict.optimality) == (True, None, None, "feasible")
    assert verdict.lower_bound is not None
    assert 1 <= verdict.lower_bound < 20


def test_a_solution_as_short_as_the_bound_is_proven_without_a_search() -> None:
    """One expansion finds no solution of this board, but its bound is the length of the shortest."""
    puzzle = get_puzzle("8-puzzle")
    scramble = make_scramble(puzzle, 14, 0)
    solution = puzzle.inverse_alg(scramble.alg)
    detour = [*solution, puzzle.inverse(solution[-1]), solution[-1]]
    for moves, known, excess, optimality in ((solution, 14, 0, "proven"), (detour, None, None, "feasible")):
        verdict = check("8-puzzle", " ".join(moves), state=scramble.state, limits={"expanded": 1})
        assert (verdict.valid, verdict.lower_bound, verdict.optimality) == (True, 14, optimality)
        assert (verdict.optimal_length, verdict.excess) == (known, excess)


def test_a_hundred_thousand_moves_are_an_answer() -> None:
    verdict = check("megaminx", "U' " * 100_000, alg="U", moves="ccw")
    assert (verdict.valid, verdict.first_wrong, verdict.length) == (False, 10_001, 100_000)
    assert "more than 10,000 moves" in str(verdict.reason)


def test_no_solution_at_all() -> None:
    """A turned fourth layer, and a move set without one."""
    verdict = check("master_pyraminx", "", alg="D", moves="cw12")
    assert (verdict.valid, verdict.optimal_length, verdict.lower_bound) == (False, None, None)


def test_what_is_refused() -> None:
    for fields in ({}, {"alg": "U", "state": {}}, {"alg": "Q"}, {"alg": "U", "notation": "nonsense"}):
        with pytest.raises((HstarError, ValueError)):
            check("megaminx", "U'", **fields)


def test_claims_are_judged() -> None:
    claims = {"length": 5, "optimal": False, "heuristic": 4, "expanded": 7, "generated": 10**6}
    verdict = check("8-puzzle", "U U R D L D R D L U", state=A, heuristic="manhattan", claims=claims)
    judged = {claim.claim: claim for claim in verdict.claims}
    assert judged["length"].judgement == "false"
    puzzle = get_puzzle("8-puzzle")
    assert judged["heuristic"].found == make_feature(puzzle, "manhattan", ()).evaluate(puzzle.parse_state(A))
    assert judged["expanded"].judgement in ("true", "convention", "possible")
    assert judged["generated"].judgement == "false"
    assert "every documented convention" in judged["generated"].reason


def test_the_command_line(tmp_path: Path) -> None:
    done = hstar("verify", "megaminx", "--alg", "U F R", "--solution", "R' F' U'", "--moves", "ccw", "--json")
    assert done.exit_code == 0, done.stderr
    answer = Verification.model_validate(json.loads(done.stdout))
    assert (answer.valid, answer.optimal_length) == (True, 3)
    done = hstar("verify", "8-puzzle", "--state", A, "--solution", "U U U", "--moves", "slide")
    assert done.exit_code == 1
    assert "move 3" in done.stdout
    known = ["verify", "megaminx", "--alg", "U F R", "--solution", "R' F' U'", "--moves", "ccw", "--claim-length"]
    assert [hstar(*known, length).exit_code for length in ("3", "4")] == [0, 1]
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps({f"{face}x": [f"{n}x" for n in around] for face, around in NEIGHBOURS.items()}))
    done = hstar("verify", "megaminx", "--alg", "Ux", "--solution", "Ux'", "--labels", str(labels), "--json")
    assert json.loads(done.stdout)["valid"] is True
    assert hstar("verify", "megamix", "--alg", "U", "--solution", "U'").exit_code == 2
    assert hstar("verify", "megaminx", "--alg", "Q", "--solution", "U'").exit_code == 2


def test_the_schema_is_strict() -> None:
    assert VerificationRequest(puzzle="8-puzzle", state=A, solution="").limits == SearchLimits()
    assert Claims().expanded is None
    assert issubclass(VerificationRequest, schema.Strict)
