"""Every documented feature of every puzzle has the same values in the kernel, and keeps within its bounds."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from hstar.errors import FeatureError, HstarError, InvalidExpression, UnavailableFeature, UnknownFeature
from hstar.features import KINDS, Feature, _kinds, feature_docs
from hstar.heuristics import get_heuristic
from hstar.puzzles import MoveSet, Puzzle, get_puzzle, make_scramble, puzzle_names
from service.errors import ERROR_KINDS

PUZZLES = [*puzzle_names(), "tiles:3x5", "tiles:5x2", "tiles:6x6"]
#: arguments of the features whose signatures do not list them
ARGUMENTS = {"face_distance": ["0, 1, 2, 7", "3, 0, 0, 5"]}
#: stored tables of whole patterns have their own tests
ELSEWHERE = {"pdb"}


def written(puzzle: Puzzle) -> list[str]:
    """Every feature in every form that its signature shows: ``a or a("x" | "y")`` is a, a("x") and a("y")."""
    found = []
    for signature in feature_docs(puzzle):
        for form in signature.split(" or "):
            name, _, arguments = form.rstrip(")").partition("(")
            if name in ELSEWHERE:
                continue
            quoted = re.findall(r'"[^"]+"', arguments)
            choices = quoted or ARGUMENTS.get(name, []) if arguments else [""]
            found += [f"{name}({choice})" if choice else name for choice in choices]
            assert choices, f"{form} needs arguments to be tested with"
    return found


CASES = [
    (name, text)
    for name in PUZZLES
    for text in written(get_puzzle(name))
    if (name, text) != ("tiles:6x6", "walking_distance")
]


@pytest.mark.parametrize(("name", "text"), CASES)
def test_kernel_and_python_agree_within_the_bounds(name: str, text: str) -> None:
    puzzle = get_puzzle(name)
    heuristic = get_heuristic(text, puzzle)
    (feature,) = heuristic.expression.features
    assert feature.evaluate(puzzle.solved) == feature.at_goal
    random = Random(f"{name} {text}")
    low = high = feature.at_goal
    for _ in range(12):
        state = puzzle.apply_alg(
            puzzle.solved, make_scramble(puzzle, random.randint(0, 60), random.getrandbits(60)).alg
        )
        for _ in range(8):
            move = random.choice(puzzle.legal(state, puzzle.moves))
            after = puzzle.apply(state, move)
            assert after is not None
            before, value = feature.evaluate(state), feature.evaluate(after)
            assert heuristic.kernel.evaluate(after) == value
            drop, rise = feature.changes[move]
            assert -drop <= value - before <= rise
            low, high = min(low, value), max(high, value)
            state = after
    assert feature.low <= low < high <= feature.high


def test_the_forms_are_read_from_the_signatures() -> None:
    megaminx, board = written(get_puzzle("megaminx")), written(get_puzzle("8-puzzle"))
    assert {"misplaced_pieces", 'misplaced_pieces("edges")', "edge_moves", 'max_corner_moves("all")'} <= set(megaminx)
    assert {"walking_distance", "gaschnig", "out_of_row", "clustered_misplaced", "solved"} <= set(board)
    assert len(CASES) > 150


def test_a_mistake_in_a_maker_is_not_taken_for_an_unknown_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(puzzle: Puzzle, moves: MoveSet, name: str, arguments: object) -> Feature:
        raise KeyError(name)

    board = get_puzzle("8-puzzle")
    kinds = [replace(kind, make=mistaken) if "solved" in kind.names_of(board) else kind for kind in KINDS]
    monkeypatch.setattr("hstar.features.KINDS", tuple(kinds))
    _kinds.cache_clear()
    try:
        with pytest.raises(KeyError):
            get_heuristic("solved + 0 * manhattan", get_puzzle("8-puzzle"))
        with pytest.raises(InvalidExpression, match="has no feature 'resolved'"):
            get_heuristic("resolved", get_puzzle("8-puzzle"))
    finally:
        _kinds.cache_clear()


@pytest.mark.parametrize("error", [FeatureError("x"), UnknownFeature("x", []), UnavailableFeature("x")])
def test_errors_of_features_have_an_answer(error: HstarError) -> None:
    """The service has an HTTP status for each of them, and it is a client error."""
    assert 400 <= ERROR_KINDS[error.code].status < 500
