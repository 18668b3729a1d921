"""The figures of a class, compared with a plain count over its gradings, and with the rows that their queries name."""

from __future__ import annotations

import random
from itertools import combinations
from statistics import mean, median
from typing import Any, get_args
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import ValidationError

from hstar.grading import Grading
from hstar.grading.class_statistics import class_counts, statistics
from hstar.grading.results import Result, ResultQuery, Rows, ScoreSummary, ask
from hstar.grading.schema import Graded, Part
from hstar.grading.similar import SIMILAR_LINES, Same, pairs, shared
from tests.conftest import SEED


def graded(name: str, draw: random.Random, *, own: bool = False) -> Graded:
    valid, submitted = draw.random() < 0.6, draw.random() < 0.8
    return Graded(
        instance=name, k=draw.choice([None, 2, 3]), visibility="visible",
        row=draw.randrange(1, 9) if submitted else None, valid=valid and submitted,
        length=draw.choice([3, 4]) if submitted else None, optimal_length=draw.choice([None, 3, 3]),
        expanded=draw.choice([None, 10, 11]) if submitted else None,
        solution=draw.choice("ab") if submitted else None, own=own,
    )  # fmt: skip


def part(name: str, draw: random.Random, number: str = "1") -> Part:
    score = draw.choice([0.0, 1.5, 3.0])
    return Part(
        number=number, name=name, kind="valid", visibility="visible", score=score, max_score=3.0, passed=score == 3
    )


def grading(draw: random.Random, **changes: Any) -> Grading:
    parts = [part("valid", draw), part("valid", draw, "1.hidden"), part("optimal", draw, "2")]
    found = [graded(name, draw) for name in ("one", "two", "three", "four")] + [graded("own: U", draw, own=True)]
    whole: dict[str, Any] = {
        "assignment": "t", "version": "v", "student": None, "name": None, "email": None, "submission": "f",
        "score": sum(p.score for p in parts), "max_score": 9.0, "parts": parts, "graded": found,
    }  # fmt: skip
    return Grading.model_validate(whole | changes)


@pytest.fixture(scope="module", params=range(SEED, SEED + 4))
def some(request: pytest.FixtureRequest) -> list[Grading]:
    draw = random.Random(request.param)
    return [grading(draw, student=str(number)) for number in range(8)]


def test_items_and_totals_as_counted_one_by_one(some: list[Grading]) -> None:
    found = statistics(some)
    totals = [one.score for one in some]
    assert (found.students, found.mean, found.median) == (8, round(mean(totals), 6), round(median(totals), 6))
    assert [item.item for item in found.items] == ["valid", "optimal"]
    for item, (numbers, most) in zip(found.items, ((("1", "1.hidden"), 6), (("2",), 3)), strict=True):
        points = [sum(part.score for part in one.parts if part.number in numbers) for one in some]
        assert (item.max_score, item.mean, item.median) == (most, round(mean(points), 6), round(median(points), 6))
        assert (item.full, item.none) == (points.count(most), points.count(0))


def test_instances_as_counted_one_by_one(some: list[Grading]) -> None:
    found = statistics(some)
    assert {one.instance for one in found.instances} == {"one", "two", "three", "four"}
    for one in found.instances:
        mine = [graded for whole in some for graded in whole.graded if graded.instance == one.instance]
        assert one.submitted == sum(graded.row is not None for graded in mine)
        assert one.valid == sum(graded.valid for graded in mine)
        assert one.optimal == sum(graded.valid and graded.length == graded.optimal_length for graded in mine)
        assert one.k == mine[0].k
    order = [(one.valid, one.optimal) for one in found.instances]
    assert order == sorted(order)
    if len(set(order)) > 1:
        assert found.hardest in {one.instance for one in found.instances if (one.valid, one.optimal) == order[0]}


def test_every_figure_is_the_number_of_rows_of_its_query(some: list[Grading]) -> None:
    found, rows = statistics(some, "/v1/assignments/a"), Rows(some)

    def asked(path: str) -> list[Result]:
        parts = urlsplit(path)
        assert parts.path == "/v1/assignments/a/results"
        given: dict[str, Any] = dict(parse_qsl(parts.query))
        typed = {name: {"true": True, "false": False}.get(value, value) for name, value in given.items()}
        return ask(rows, ResultQuery.model_validate(typed)).items

    for item in found.items:
        assert len(asked(item.queries["full"])) == item.full
        assert len(asked(item.queries["none"])) == item.none
        assert {row.item for row in asked(item.queries["mean"])} == {item.item}
        assert item.queries["median"] == item.queries["mean"]
    for one in found.instances:
        for figure in ("submitted", "valid", "optimal"):
            rows_of = asked(one.queries[figure])
            assert len(rows_of) == getattr(one, figure)
            assert {row.instance for row in rows_of} <= {one.instance}
    for pair in found.similar:
        for figure in ("lines", "same_solutions", "same_counts", "shared_by_no_other"):
            assert len(asked(pair.queries[figure])) == getattr(pair, figure), figure
        assert {row.student for row in asked(pair.queries["second"])} <= {pair.students[1]}
    assert len(asked(found.queries["students"])) == found.students
    assert len(asked(found.queries["similar"])) == len(found.similar)
    assert {row.instance for row in asked(found.queries["hardest"])} == {found.hardest} - {None}


def test_queries_leave_out_what_does_not_match(some: list[Grading]) -> None:
    rows = Rows(some)

    def where(**query: Any) -> list[tuple[str, str | None]]:
        return [(row.student, row.instance) for row in ask(rows, ResultQuery.model_validate(query)).items]

    every = [(whole.student, graded) for whole in some for graded in whole.graded]
    for name in ("valid", "own"):
        for wanted in (True, False):
            expected = [(who, graded.instance) for who, graded in every if getattr(graded, name) is wanted]
            assert where(of="instances", **{name: wanted}) == expected
    for wanted in (True, False):
        expected = [(who, graded.instance) for who, graded in every if (graded.row is not None) is wanted]
        assert where(of="instances", submitted=wanted) == expected
    assert where(of="instances", k=2) == [(who, graded.instance) for who, graded in every if graded.k == 2]
    hard = statistics(some).hardest
    expected = [(who, graded.instance) for who, graded in every if graded.instance != hard]
    assert where(of="instances", hardest=False) == expected
    assert where(student="3") == [("3", None)]
    scores = [row.score for row in ask(rows, ResultQuery(of="items", reached="some")).items]
    assert all(score is not None and score > 0 for score in scores)
    nothing = ask(rows, ResultQuery(student="nobody"))
    assert (nothing.count, nothing.mean, nothing.median) == (0, None, None)
    assert ask(rows, ResultQuery(of="instances")).mean is None  # they have no scores


def test_summaries_have_six_digits() -> None:
    assert ScoreSummary.of([]) is None
    assert ScoreSummary.of([1, 1, 0]) == ScoreSummary(mean=0.666667, median=1, least=0, greatest=1)
    draw = random.Random(1)
    thirds = [part("valid", draw).model_copy(update={"score": 0.333333, "max_score": 0.333333}) for _ in range(3)]
    (row,) = Rows([grading(draw, student="a", parts=thirds)]).items
    assert (row.score, row.max_score) == (0.999999, 0.999999)


@pytest.mark.parametrize(
    ("score", "reached"), [(0, "none"), (1e-6, "some"), (2.5, "some"), (2.99998, "some"), (2.999995, "all"), (3, "all")]
)
def test_the_share_of_the_points(score: float, reached: str) -> None:
    draw = random.Random(1)
    one = [part("valid", draw).model_copy(update={"score": float(score)})]
    rows = Rows([grading(draw, student="a", parts=one)])
    for asked in ("none", "some", "all"):
        assert ask(rows, ResultQuery(of="items", reached=asked)).count == (asked == reached)


@pytest.mark.parametrize("students", [0, 4, 5, 9])
def test_counts_of_a_class_are_shown_from_five_students_on(students: int) -> None:
    draw = random.Random(1)
    one = graded("one", draw).model_copy(update={"expanded": None})
    two = one.model_copy(update={"instance": "two", "expanded": 7})
    numbers = [10 * n for n in range(students)]
    some = [[one.model_copy(update={"expanded": n}), two] for n in numbers]
    found = class_counts([grading(draw, graded=mine) for mine in [*some, [one, two]]], "one")
    assert (found.instance, found.students) == ("one", students)
    last = students - 1
    expected = {f"{q:g}": round(10 * q * last, 6) for q in (0.1, 0.25, 0.5, 0.75, 0.9)}
    assert found.expanded == (pytest.approx(expected) if students >= 5 else None)


def test_quantiles_have_six_digits() -> None:
    draw = random.Random(1)
    one = graded("one", draw)
    numbers = [0, 0, 0, 0, 0, 0, 1, 1]
    found = class_counts([grading(draw, graded=[one.model_copy(update={"expanded": n})]) for n in numbers], "one")
    assert found.expanded == {"0.1": 0, "0.25": 0, "0.5": 0, "0.75": 0.25, "0.9": 1}


def test_nobody_has_any_points() -> None:
    draw = random.Random(1)
    nothing = [part("valid", draw).model_copy(update={"score": 0.0})]
    found = statistics([grading(draw, student=who, parts=nothing, score=0.0) for who in "ab"])
    assert (found.mean, found.median) == (0, 0)
    (item,) = found.items
    assert (item.mean, item.median, item.full, item.none, item.max_score) == (0, 0, 0, 2, 3)


def test_students_without_an_id_are_told_apart() -> None:
    draw = random.Random(1)
    unnamed = [
        grading(draw, name="Ann"),
        grading(draw, name="Ann"),
        grading(draw),
        grading(draw, student="7", name="Ann"),
    ]
    assert [row.student for row in Rows(unnamed).students] == ["Ann", "Ann (2)", "f", "7"]


def test_no_instance_is_the_hardest_if_all_are_equal() -> None:
    draw = random.Random(1)
    one = graded("a", draw)
    same = [one, one.model_copy(update={"instance": "b"})]
    assert statistics([grading(draw, graded=same)]).hardest is None
    valid = [one.model_copy(update={"valid": True, "length": 3, "optimal_length": 3}) for one in same]
    longer = [valid[0], valid[1].model_copy(update={"length": 4})]
    assert statistics([grading(draw, graded=longer)]).hardest == "b"
    own = [*valid, longer[1].model_copy(update={"instance": "own: U", "own": True})]
    assert statistics([grading(draw, graded=own)]).hardest is None


# -- similar submissions ---------------------------------------------------------------------------------------------


def line(draw: random.Random) -> tuple[str, int | None]:
    return draw.choice("aaab"), draw.choice([None, 5, 5, 5, 6])


@pytest.mark.parametrize("seed", range(SEED, SEED + 40))
def test_pairs_as_compared_line_by_line(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"i{number}" for number in range(draw.choice([2, 3, 6]))]
    lines = {who: {name: line(draw) for name in names if draw.random() < 0.9} for who in "pqr"}
    expected = []
    for one, other in combinations("pqr", 2):
        (third,) = set("pqr") - {one, other}
        both = [name for name in names if name in lines[one] and name in lines[other]]
        solutions = [name for name in both if lines[one][name][0] == lines[other][name][0]]
        counts = [name for name in solutions if lines[one][name][1] == lines[other][name][1] is not None]
        alone = [name for name in counts if lines[third].get(name) != lines[one][name]]
        wanted: dict[Same | None, list[str]] = {
            None: both,
            "solution": solutions,
            "count": counts,
            "only_theirs": alone,
        }
        for same in (None, *get_args(Same)):
            assert shared(lines, one, other, same) == set(wanted[same]), same
        if len(both) >= 3 and len(counts) / len(both) >= 0.8 and alone:
            expected.append((-len(alone), one, other, len(both), len(solutions), len(counts)))
    found = [
        (-p.shared_by_no_other, p.student, p.other, p.lines, p.same_solutions, p.same_counts) for p in pairs(lines)
    ]
    assert found == sorted(expected)


def test_the_share_of_equal_lines_that_is_shown() -> None:
    def both(equal: int, different: int) -> dict[str, dict[str, tuple[str, int | None]]]:
        one = {f"i{n}": ("a", n) for n in range(equal + different)}
        return {"p": dict(one), "q": {name: ("a", n if n < equal else n + 100) for name, (_, n) in one.items()}}

    assert len(pairs(both(4, 1))) == 1
    assert pairs(both(7, 2)) == []
    assert len(pairs(both(SIMILAR_LINES, 0))) == 1
    assert pairs(both(2, 0)) == []


def test_a_pair_with_few_lines_hides_no_other() -> None:
    lines: dict[str, dict[str, tuple[str, int | None]]] = {"p": {"i0": ("a", 0)}}
    lines |= {who: {f"i{n}": ("a", n) for n in range(4)} for who in "qr"}
    assert [(pair.student, pair.other, pair.shared_by_no_other) for pair in pairs(lines)] == [("q", "r", 3)]


def test_similar_pairs_as_rows() -> None:
    draw = random.Random(3)
    twin = [graded(f"i{n}", draw).model_copy(update={"row": 1, "solution": "s", "expanded": n}) for n in range(4)]
    other = [one.model_copy(update={"solution": f"s{n}"}) for n, one in enumerate(twin)]
    rows = Rows([grading(draw, student=who, graded=mine) for who, mine in (("a", twin), ("b", twin), ("c", other))])
    (row,) = rows.similar
    assert (row.student, row.other, row.lines, row.same_solutions) == ("a", "b", 4, 4)
    for query in ({}, {"student": "a"}, {"student": "b"}, {"student": "b", "other": "a"}):
        assert ask(rows, ResultQuery.model_validate({"of": "similar", **query})).items == [row], query
    assert ask(rows, ResultQuery(of="similar", student="c")).items == []
    assert ask(rows, ResultQuery(of="similar", student="a", other="c")).items == []
    (figures,) = statistics([grading(draw, student=who, graded=twin) for who in "ab"], "/x").similar
    assert (figures.students, figures.lines, figures.same_solutions) == (("a", "b"), 4, 4)
    assert (figures.same_counts, figures.shared_by_no_other) == (4, 4)


@pytest.mark.parametrize(
    "query",
    [
        {"other": "b"},
        {"other": "b", "student": "a"},
        {"other": "b", "student": "a", "of": "items"},
        {"other": "b", "of": "similar"},
        {"same": "count", "of": "instances", "student": "a"},
        {"same": "count", "of": "similar", "student": "a", "other": "b"},
        {"hardest": True},
        {"hardest": False, "of": "items"},
    ],
)
def test_queries_that_make_no_sense(query: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ResultQuery.model_validate(query)
    ResultQuery.model_validate({"of": "instances", "student": "a", "other": "b", "same": "count", "hardest": True})
