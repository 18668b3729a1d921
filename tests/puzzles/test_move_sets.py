"""Any list of moves is a move set: one name for each set, and states that it cannot solve are detected."""

from __future__ import annotations

import pytest

from hstar.errors import InvalidExpression, InvalidRequest, UnknownName
from hstar.features import make_feature
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle, make_scramble, puzzle_names
from hstar.search import SolveRequest, prepare, solve


@pytest.mark.parametrize(
    ("puzzle", "written", "name"),
    [
        ("megaminx", "R' U", "U R'"),
        ("megaminx", "white, red'", "U R'"),
        ("megaminx", " R4  U6 U ", "U R'"),
        ("master_pyraminx", "2L U R'", "U 2L R'"),
        ("master_pyraminx", "L3.1 U1.2", "U' 2BR'"),
        ("8-puzzle", "D U", "U D"),
        ("3x3x3", "U2 R2 F2", "U2 R2 F2"),
    ],
)
def test_one_set_has_one_name(puzzle: str, written: str, name: str) -> None:
    found = get_puzzle(puzzle).move_set(written)
    assert found.name == name
    assert " ".join(found.moves) == name
    assert get_puzzle(puzzle).move_set(found.name) == found


@pytest.mark.parametrize("name", puzzle_names())
def test_a_set_of_the_puzzle_keeps_its_name(name: str) -> None:
    puzzle = get_puzzle(name)
    for own in puzzle.move_sets.values():
        written = " ".join(reversed(own.moves))
        if len(written) <= 64:
            assert puzzle.move_set(written) is own


def test_invalid_lists_of_moves_are_refused() -> None:
    megaminx = get_puzzle("megaminx")
    with pytest.raises(UnknownName, match="did you mean 'ccw'"):
        megaminx.move_set("ccww")
    with pytest.raises(InvalidRequest) as refused:
        megaminx.move_set("U X 2L R")
    assert [fault.message.split(" is ")[0] for fault in refused.value.faults] == ["'X'", "'2L'"]
    with pytest.raises(InvalidRequest, match="at most 64 characters"):
        megaminx.move_set(" ".join(megaminx.moves[:40]))


def test_a_student_s_own_turns_are_searched_and_proven() -> None:
    """Layer 2 turned against the rest, as by hand, which no built-in move set has."""
    moves = "U U' 2U 2U' 2L 2L'"
    asked = {"puzzle": "master_pyraminx", "scramble": {"k": 6, "seed": 2, "moves": moves}, "moves": moves}
    plain = solve(prepare(SolveRequest.model_validate(asked)))
    for algorithm in ("auto", "bidirectional", "ida_star"):
        other = solve(prepare(SolveRequest.model_validate(asked | {"algorithm": algorithm})))
        assert other.optimality == "proven"
        assert other.length == plain.length
    assert plain.solution is not None
    assert set(plain.solution) <= set(moves.split())
    # With a subset of the moves the distance is at least as large.
    wide = solve(prepare(SolveRequest.model_validate(asked | {"moves": "layers32"})))
    assert wide.length is not None
    assert plain.length is not None
    assert wide.length <= plain.length


@pytest.mark.parametrize(("puzzle", "alg", "moves"), [("megaminx", "L", "U R"), ("master_pyraminx", "2U", "U U' L L'"),
                                                      ("3x3x3", "F", "U U' D D'")])  # fmt: skip
def test_states_that_a_set_cannot_solve_are_known_without_a_search(puzzle: str, alg: str, moves: str) -> None:
    result = solve(prepare(SolveRequest(puzzle=puzzle, alg=alg, moves=moves)))
    assert (result.status, result.counters.expanded) == ("exhausted", 0)
    solved = solve(prepare(SolveRequest(puzzle=puzzle, alg=moves.split()[0], moves=moves)))
    assert solved.status == "solved"


def test_features_count_in_any_set() -> None:
    puzzle = get_puzzle("megaminx")
    feature = make_feature(puzzle, "corner_moves", ("R' U",))
    assert feature.name == 'corner_moves("U R\'")'
    state = puzzle.apply_alg(puzzle.solved, ["U'"])
    assert feature.evaluate(state) == 5
    heuristic = get_heuristic('ceil(corner_moves("U R\'") / 5)', puzzle, puzzle.move_set("U R'"))
    assert heuristic.verdicts(puzzle.move_set("U R'")).admissible == "proven"
    assert get_heuristic('pdb("corners:1", "U R\'")', puzzle)(state) == 1
    for wrong in ('corner_moves("X")', 'corner_moves("U X")', 'pdb("corners:2", "X")', "corner_moves(3)"):
        with pytest.raises(InvalidExpression, match="wrong arguments"):
            get_heuristic(wrong, puzzle)


def test_scrambles_are_drawn_from_any_set() -> None:
    puzzle = get_puzzle("megaminx")
    scramble = make_scramble(puzzle, 30, 5, "R' U")
    assert scramble.moves == "U R'"
    assert set(scramble.alg) == {"U", "R'"}
    assert scramble == make_scramble(puzzle, 30, 5, "U R'")
