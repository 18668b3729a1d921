"""Hidden items never leak into a student's view, neither directly nor through a total."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hstar.grading import Assignment, grade, read_submission, student_view
from hstar.grading.views import student_copy
from tests.conftest import TEST_ALL
from tests.grading.test_score import assignment

RUBRIC = [
    {"kind": "valid", "points": 7},
    {"kind": "optimal", "points": 5},
    {"kind": "claims_true", "points": 4},
    {"kind": "expanded_at_most", "points": 3, "at_most": 50, "name": "few nodes"},
    {"kind": "covers_k", "points": 6, "k": [1, 2, 3]},
    {"kind": "heuristic_admissible", "points": 2, "radius": 2},
    {"kind": "valid", "name": "unseen", "points": 8, "visibility": "hidden"},
    {"kind": "optimal", "name": "later", "points": 1, "visibility": "after_due_date"},
]
#: k = 2 has a visible and a hidden instance, k = 3 only hidden ones, k = 1 one for after the due date as well
INSTANCES = [
    {"name": "a", "alg": "U"},
    {"name": "b", "alg": "L DR"},
    {"name": "secret", "alg": "F R", "visibility": "hidden"},
    {"name": "concealed", "alg": "F R L", "visibility": "hidden"},
    {"name": "after", "alg": "BL", "visibility": "after_due_date"},
]
SHOWN = {"a": "U'", "b": "DR' L'"}
UNSEEN = {"secret": "R' F'", "concealed": "L' R' F'", "after": "BL'"}


@pytest.fixture(scope="module")
def over() -> Assignment:
    return assignment(rubric=RUBRIC, instances=INSTANCES)


def a_line(name: str, right: str) -> st.SearchStrategy[dict[str, Any] | None]:
    """A line for an instance: right, wrong, or with claims of any kind; or none."""
    solution = st.sampled_from([right, "U", f"{right} U' U' U' U' U'", "nonsense"])
    line = st.fixed_dictionaries(
        {"instance": st.just(name), "solution": solution},
        optional={
            "nodes": st.integers(0, 60),
            "generated": st.integers(0, 60),
            "length": st.integers(0, 5),
            "optimal": st.booleans(),
            "heuristic": st.sampled_from([0.0, 1.0, 9.0]),
        },
    )
    return st.none() | line


def lines(table: dict[str, str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.tuples(*(a_line(name, right) for name, right in table.items())).map(
        lambda found: [line for line in found if line is not None]
    )


@pytest.fixture(scope="module", params=[False, True], ids=["given", "own scrambles"])
def twins(request: pytest.FixtureRequest) -> tuple[Assignment, Assignment]:
    """Two assignments that students cannot tell apart: only hidden names and scrambles differ."""
    elsewhere = [
        *INSTANCES[:2],
        {"name": "dark", "alg": "D R", "visibility": "hidden"},
        {"name": "deep", "alg": "D R L", "visibility": "hidden"},
        {"name": "late", "alg": "BR", "visibility": "after_due_date"},
    ]
    made = (assignment(rubric=RUBRIC, instances=i, own_scrambles=request.param) for i in (INSTANCES, elsewhere))
    return next(made), next(made)


def guesses() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Lines for hidden instances, by name and by scramble, and for instances that do not exist."""
    names = st.sampled_from(["secret", "dark", "late", "after", "nothing"]).map(lambda name: {"instance": name})
    algs = st.sampled_from(["F R", "D R", "F R L", "BL", "BR", "L L"]).map(lambda alg: {"scramble": alg})
    line = st.tuples(names | algs, st.sampled_from(["R' F'", "BL'", "U"]), st.sampled_from([None, 1, 9]))
    made = line.map(lambda found: {**found[0], "solution": found[1], "nodes": found[2]})
    return st.lists(made, max_size=30)


@settings(max_examples=300 if TEST_ALL else 25, deadline=None)
@given(shown=lines(SHOWN), guessed=guesses(), heuristic=st.sampled_from([None, "corner_moves", "no such thing"]))
def test_a_students_view_depends_only_on_visible_data(
    twins: tuple[Assignment, Assignment], shown: list[dict[str, Any]], guessed: list[dict[str, Any]], heuristic: Any
) -> None:
    """A guess at a hidden instance gets no answer whether it was right, nowhere and by no count."""
    data = json.dumps({"results": [*shown, *guessed], "heuristic": heuristic}).encode()
    views = [student_view(grade(over, read_submission(data))).model_dump() for over in twins]
    assert views[0] == views[1]


@settings(max_examples=100 if TEST_ALL else 10, deadline=None)
@given(shown=lines(SHOWN), one=lines(UNSEEN), other=lines(UNSEEN))
def test_a_students_view_does_not_depend_on_lines_for_hidden_instances(
    over: Assignment, shown: list[dict[str, Any]], one: list[dict[str, Any]], other: list[dict[str, Any]]
) -> None:
    views = []
    for hidden in (one, other):
        found = grade(over, read_submission(json.dumps([*shown, *hidden]).encode()))
        views.append(student_view(found).model_dump(exclude={"submission", "ignored"}))
    assert views[0] == views[1]
    assert not any(name in json.dumps(views[0]) for name in (*UNSEEN, "unseen", "later"))


@settings(max_examples=100 if TEST_ALL else 10, deadline=None)
@given(shown=lines(SHOWN), hidden=lines(UNSEEN), due=st.booleans())
def test_a_students_copy_grades_to_the_students_view(
    over: Assignment, shown: list[dict[str, Any]], hidden: list[dict[str, Any]], due: bool
) -> None:
    data = json.dumps([*shown, *hidden]).encode()
    view = student_view(grade(over, read_submission(data)), after_due_date=due)
    copy = Assignment.of(student_copy(over, after_due_date=due))
    own = grade(copy, read_submission(data))
    assert own.score == pytest.approx(view.score, abs=1e-4)
    assert own.max_score == pytest.approx(view.max_score, abs=1e-4)
    assert [g.instance for g in own.graded] == [g.instance for g in view.graded]
    assert (own.version, own.ignored, own.faults) == (view.version, view.ignored, view.faults)


def test_a_students_copy_tells_no_seed_and_no_hidden_instance() -> None:
    over = assignment(
        instances=[{"k": 3, "seed": 41, "each": 2}, {"k": 3, "seed": 43, "visibility": "hidden", "name": "x"}]
    )
    text = student_copy(over).model_dump_json(exclude_defaults=True)
    assert "41" not in text
    assert '"x"' not in text
    assert text.count('"alg"') == 2
    everything_hidden = assignment(rubric=[{"kind": "valid", "points": 1, "visibility": "hidden"}])
    assert student_copy(everything_hidden).rubric == []
