"""The language of heuristics: its values, and its error messages."""

from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidExpression
from hstar.heuristics import get_heuristic
from hstar.heuristics.expression import parse
from hstar.puzzles import get_puzzle, make_scramble
from hstar.search import SolveRequest, prepare

BOARD = bytes([2, 1, 6, 4, 0, 8, 7, 5, 3])  # S5's board B; goal 1 2 3 / 8 0 4 / 7 6 5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("misplaced_tiles", 7),
        ("misplaced_cells", 7),
        ("manhattan", 12),
        ("inversions", 11),
        ("3", 3),
        ("7 // 2", 3),
        ("-7 // 2 + 10", 6),
        ("7 // -2 + 10", 6),
        ("manhattan // -7 + 10", 8),
        ("manhattan // (1 / 3)", 36),
        ("4 // 0.1", 39),
        ("misplaced_tiles // 0.1", 69),
        ("-misplaced_tiles", 0),
        ("manhattan * 0.1 * 10", 12.000000000000002),
        ("7 / 2", 3.5),
        ("ceil(7 / 2)", 4),
        ("floor(-7 / 2) + 5", 1),
        ("max(1, manhattan, 3)", 12),
        ("min(1, manhattan, 3)", 1),
        ("abs(2 - manhattan)", 10),
        ("2 - manhattan", 0),
        ("1 if manhattan > 3 else 2", 1),
        ("1 if 1 < manhattan < 3 else 2", 2),
        ("5 if not solved and 1 else 2", 5),
        ("(1 == 1) + (1 != 1) + (1 <= 1) + (1 >= 2)", 2),
        ("1 if solved or 0 else +4", 4),
        ("0.5 * manhattan", 6),
    ],
)
def test_values(text: str, value: float) -> None:
    heuristic = get_heuristic(text, get_puzzle("8-puzzle"))
    assert heuristic(BOARD) == value
    assert heuristic.kernel.evaluate(BOARD) == value


def test_s5_conflicts_and_inversions_by_hand() -> None:
    # rows 2 1 6 | 4 0 8 | 7 5 3: (2,1) (4,0) (7,5) (7,3) (5,3); columns 2 4 7 | 1 0 5 | 6 8 3: (1,0) (6,3) (8,3)
    puzzle = get_puzzle("8-puzzle")
    assert get_heuristic("conflicts", puzzle)(BOARD) == 8
    # 2>1; 6>4 6>5 6>3; 4>3; 8>7 8>5 8>3; 7>5 7>3; 5>3
    assert get_heuristic("inversions", puzzle)(BOARD) == 11
    named = get_heuristic("s5-conflicts-inversions", puzzle)
    assert named(BOARD) == 19
    assert named(puzzle.solved) == 0


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 1, "empty"),
        ("manhattan +", 12, "ends too early"),
        ("manhattan + bogus", 13, "no feature 'bogus'"),
        ("  manhattan + bogus", 15, "no feature"),
        ("manhattan / 0", 13, "constant"),
        ("manhattan // (1 - 1)", 15, "constant"),
        ("1 / manhattan", 5, "constant"),
        ("manhattan / 1e-300 / 1e-300", 1, "too large"),
        ("1000000 / 1e-320", 1, "too large"),
        ("manhattan ** 2", 1, "the operator ** is not part"),
        ("manhattan % 2", 1, "the operator % is not part"),
        ("__import__('os')", 1, "no feature '__import__'"),
        ("manhattan.real", 1, "a dot is not part"),
        ("[1][0]", 1, "an index is not part"),
        ("~manhattan", 1, "~ is not part"),
        ("manhattan is 3", 1, "the comparison is is not part"),
        ("lambda: 1", 1, "lambda is not part"),
        ("'a'", 1, "not a number"),
        ("True", 1, "not a number"),
        ("1e400", 1, "too large"),
        ("1e7", 1, "too large"),
        ("ceil", 1, "is a function"),
        ("ceil(1, 2)", 1, "2 arguments"),
        ("max(1)", 1, "1 arguments"),
        ("max(1, *[2])", 1, "by position"),
        ("1j", 1, "not a number"),
        ("manhattan(1)", 1, "wrong arguments"),
        ("manhattan()(3)", 1, "only functions"),
        ("1 in manhattan", 1, "the comparison in is not part"),
        ("\u00e9 + bogus", 1, "no feature"),
        ("1 +\n2", 1, "more than one line"),
        ("x" * 2000, 1001, "2000 characters"),
        ("(" * 400 + "1" + ")" * 400, None, ""),
        ("1" + "+1" * 300, None, "too"),
        ("-" * 60 + "1", 42, "too deeply"),
        ("manhattan manhattan", 11, "does not parse"),
        ("1000000 * 1000000", 1, "too large"),
        ("(x := 3)", 2, ":= is not part"),
        ("ceil(misplaced_facelets / 15)", 6, "no feature 'misplaced_facelets'"),
        ("s1-misplaced-facelets", 1, "not a heuristic for"),
    ],
)
def test_refusals_name_the_column(text: str, column: int | None, says: str) -> None:
    with pytest.raises(InvalidExpression) as caught:
        get_heuristic(text, get_puzzle("8-puzzle"))
    assert says in str(caught.value)
    assert caught.value.expected
    if column is not None:
        assert caught.value.column == column


@pytest.mark.parametrize(
    "text",
    [
        "face_distance(0, 1, 2)",
        "face_distance(0, 1, 2, -7)",
        "face_distance(0, 1, 2, 1.5)",
        'misplaced_pieces("x")',
        "face_distance(0, 1, 2, misplaced_facelets)",
        "misplaced_facelets(3)",
    ],
)
def test_wrong_feature_arguments(text: str) -> None:
    with pytest.raises(InvalidExpression):
        get_heuristic(text, get_puzzle("megaminx"))


DIVISIONS = ["/ 3", "// 4", "* 2", "/ 0.25", "// 0.1", "* 0.1", "/ 10", "// -7", "* (1 / 3)", "// (1 / 3)",
             "+ (10 // 0.1 - 99)", "* 1.1 - 0.7", "// (0.3 - 0.2)"]  # fmt: skip

expressions = st.recursive(
    st.sampled_from(
        [
            *("manhattan", "misplaced_tiles", "linear_conflict", "conflicts", "inversions", "solved", "3", "0.5", "15"),
            *("gaschnig", "walking_distance", "clustered_misplaced", "out_of_row", "out_of_column"),
        ]
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.sampled_from(DIVISIONS)).map(lambda t: f"({t[0]}) {t[1]}"),
        st.tuples(st.sampled_from(["ceil", "floor", "abs", "-"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        st.tuples(inner, inner, st.sampled_from(["<", "==", ">="]), inner).map(
            lambda t: f"({t[0]} if {t[1]} {t[2]} 2 else {t[3]})"
        ),
    ),
    max_leaves=8,
)


@given(expressions, st.integers(0, 10**6))
def test_the_kernel_and_python_compute_the_same(text: str, seed: int) -> None:
    """Also against Python's own arithmetic on the same text."""
    puzzle = get_puzzle("8-puzzle")
    state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 25, seed).alg)
    heuristic = get_heuristic(text, puzzle)
    names = {f.name: f.evaluate(state) for f in heuristic.expression.features}
    scope = {"ceil": math.ceil, "floor": math.floor, "abs": abs, "max": max, "min": min} | names
    expected = max(0, eval(text, {"__builtins__": {}}, scope))
    assert heuristic(state) == expected
    assert heuristic.kernel.evaluate(state) == expected
    assert parse(heuristic.expression.text, puzzle).evaluate(state) == expected


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_no_text_raises_anything_but_our_error(text: str) -> None:
    column = 1
    with suppress(InvalidExpression):
        try:
            assert get_heuristic(text, get_puzzle("8-puzzle"))(BOARD) >= 0
        except InvalidExpression as error:
            column = error.column
            raise
    assert 1 <= column <= len(text) + 1


def test_the_default_heuristic_is_used_and_named() -> None:
    problem = prepare(SolveRequest(puzzle="8-puzzle", alg="U"))
    assert problem.heuristic.expression.text == "manhattan + linear_conflict"
    assert problem.heuristic.name == "linear-conflict"
    assert prepare(SolveRequest(puzzle="8-puzzle", alg="U", heuristic="linear-conflict")).heuristic is problem.heuristic
