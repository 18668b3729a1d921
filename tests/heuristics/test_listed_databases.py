"""The databases that a puzzle's list of features names can be used, and those that ``auto`` chooses are in the list."""

from __future__ import annotations

import re

import pytest

from hstar.errors import InvalidExpression
from hstar.features import feature_docs
from hstar.heuristics import get_heuristic
from hstar.puzzles import Puzzle, get_puzzle, puzzle_names
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import prepare, solve
from tests.conftest import TEST_ALL

#: memory for building a database here; larger ones take seconds
MOST_BYTES = 2**30 if TEST_ALL else 2**23


def listed(puzzle: Puzzle) -> list[str]:
    """The databases in the list of features, each with the first move set that its signature shows, if any."""
    forms = [form for signature in feature_docs(puzzle) for form in signature.split(" or ")]
    return [re.sub(r'("[^"]+")(?: \| "[^"]+")+\)', r"\1)", form) for form in forms if form.startswith("pdb(")]


def kinds(expression: str) -> set[str]:
    """What parts the texts of databases have: a number of pieces, a whole orbit, one in blocks, or another text."""
    found = set()
    for text in re.findall(r'pdb\("([^"]+)"', expression):
        for part in text.split("+"):
            name = re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*([:/])?[0-9]*", part)
            found.add("cosets" if part == "cosets" else "tiles" if name is None else name[1] or "whole")
    return found


@pytest.mark.parametrize("name", [*puzzle_names(), "tiles:3x5", "tiles:5x5", "pancake:6", "lrx:7", "topspin:8"])
def test_what_is_listed_can_be_used_and_what_auto_uses_is_listed(name: str) -> None:
    puzzle = get_puzzle(name)
    texts = listed(puzzle)
    for text in texts:
        request = {
            "puzzle": name, "scramble": {"k": 1, "seed": 1}, "algorithm": "astar", "heuristic": text,
            "limits": LimitsIn(expanded=1000),
        }  # fmt: skip
        able = [moves for moves in puzzle.move_sets if _has(puzzle, text, moves)]
        assert able, f"{text} is of no use with any moves"
        problem = prepare(SolveRequest(**request, moves=able[0]))  # type: ignore[arg-type]
        (feature,) = problem.heuristic.expression.features
        if feature.build_bytes <= MOST_BYTES:
            assert solve(problem).status == "solved"
    for moves in puzzle.move_sets.values():
        chosen = set().union(*(kinds(choice.heuristic or "") for choice in puzzle.auto(moves)))
        assert chosen <= set().union(*map(kinds, texts))


def _has(puzzle: Puzzle, text: str, moves: str) -> bool:
    try:
        get_heuristic(text, puzzle, puzzle.move_set(moves))
    except InvalidExpression:
        return False
    return True
