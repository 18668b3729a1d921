"""The canonical text of a heuristic: the same for equal meanings, different for different ones."""

from __future__ import annotations

import pytest
from hypothesis import given

from hstar import heuristics
from hstar.errors import InvalidExpression
from hstar.heuristics import canonical, canonical_anywhere, get_heuristic, named_for
from hstar.heuristics.expression import parse
from hstar.puzzles import get_puzzle, puzzle_names
from tests.heuristics.test_expression import expressions

EIGHT = get_puzzle("8-puzzle")


@pytest.mark.parametrize(
    ("puzzle", "text", "expected"),
    [
        ("megaminx", "  ceil( misplaced_facelets/15 )", "ceil(misplaced_facelets / 15)"),
        ("megaminx", "s1-misplaced-facelets", "ceil(misplaced_facelets / 15)"),
        ("megaminx", "ceil(misplaced_facelets() / 15.0)", "ceil(misplaced_facelets / 15)"),
        ("megaminx", "corner_moves//5", 'corner_moves("ccw") // 5'),
        ("megaminx", "corner_moves('ccw') // 5", 'corner_moves("ccw") // 5'),
        ("megaminx", "max(pdb('edges:3'),pdb('corners:3'))", 'max(pdb("edges:3"), pdb("corners:3"))'),
        ("8-puzzle", "((manhattan)) + (linear_conflict)", "manhattan + linear_conflict"),
        ("8-puzzle", "linear-conflict", "manhattan + linear_conflict"),
        ("8-puzzle", "+1.50*manhattan", "1.5 * manhattan"),
        ("8-puzzle", "manhattan - (2 - 3)", "manhattan - (2 - 3)"),
        ("8-puzzle", "(manhattan - 2) - 3", "manhattan - 2 - 3"),
        ("8-puzzle", "max(1, max(2, manhattan), 3)", "max(1, 2, manhattan, 3)"),
        ("8-puzzle", "1 < manhattan and manhattan <= 3", "1 < manhattan <= 3"),
        ("8-puzzle", "(1 < manhattan) < 3", "(1 < manhattan) < 3"),
        ("8-puzzle", "solved and (not solved and solved) or 2", "solved and (not solved) and solved or 2"),
        ("8-puzzle", "-(1 if solved else 2)", "-(1 if solved else 2)"),
        ("8-puzzle", "1e-5 * manhattan", "1e-05 * manhattan"),
    ],
)
def test_one_text(puzzle: str, text: str, expected: str) -> None:
    found = canonical(text, get_puzzle(puzzle))
    assert found == expected
    assert canonical(found, get_puzzle(puzzle)) == found
    assert get_heuristic(text, get_puzzle(puzzle)) is get_heuristic(found, get_puzzle(puzzle))


@given(expressions)
def test_the_canonical_text_is_read_as_the_same_tree(text: str) -> None:
    read = parse(text, EIGHT)
    again = parse(read.text, EIGHT)
    assert again.root == read.root
    assert again.text == read.text
    assert [f.name for f in again.features] == [f.name for f in read.features]


@pytest.mark.parametrize("puzzle", puzzle_names())
def test_a_name_and_its_expression_are_one(puzzle: str) -> None:
    known = get_puzzle(puzzle)
    for named in named_for(known):
        by_name = get_heuristic(named.name, known)
        assert by_name.name == named.name  # no two names have the same expression
        assert get_heuristic(f" ({named.expression}) ", known) is by_name


def test_one_object_also_when_the_caches_are_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristics, "_CACHE_SIZE", 3)
    monkeypatch.setattr(heuristics, "_by_text", {})
    monkeypatch.setattr(heuristics, "_by_canonical_text", {})
    for number in range(8):
        text = f"(manhattan)+{number}"
        assert get_heuristic(text, EIGHT) is get_heuristic(canonical(text, EIGHT), EIGHT)


def test_different_expressions_stay_different() -> None:
    texts = ["manhattan", "manhattan + 0", "2 * manhattan", "manhattan * 2", "manhattan / 3", "manhattan // 3"]
    assert len({canonical(text, EIGHT) for text in texts}) == len(texts)


def test_a_text_without_a_puzzle() -> None:
    assert canonical_anywhere("ceil(misplaced_facelets/15)") == ["ceil(misplaced_facelets / 15)"]
    assert canonical_anywhere("linear-conflict") == ["manhattan + linear_conflict"]
    assert len(canonical_anywhere("piece-moves")) == 2  # the Megaminx's and the Master Pyraminx's
    assert canonical_anywhere("no such") == []


def test_a_text_that_grows_too_long_is_refused_where_it_is_read() -> None:
    """A stored text can always be parsed again."""
    text = f"max({','.join(['corner_moves'] * 70)})"
    assert len(text) < 1000
    with pytest.raises(InvalidExpression, match="written out"):
        canonical(text, get_puzzle("megaminx"))
