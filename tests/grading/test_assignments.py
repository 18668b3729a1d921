"""Assignments: the names of instances, all faults at once, limits; and how lines find their instances."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from hstar.errors import InvalidRequest
from hstar.grading import Assignment, Grading, databases_of, grade, read_assignment, read_submission
from hstar.grading.assignments import short_name
from hstar.grading.case import MAX_OWN
from hstar.grading.gradebook import Attempt, Entry, Work, entry, late_percent
from hstar.grading.preview import PreviewRequest, preview
from hstar.grading.records import (
    Adjustment,
    Extension,
    Mark,
    Record,
    RecordChange,
    check_marks,
    exact,
    extended,
    points_of,
)
from hstar.grading.requests import (
    GradingRequest,
    RegradeAnswer,
    RegradeRequestIn,
    RegradeRequestObject,
    SubmissionIn,
    SubmissionSummary,
    UploadsIn,
)
from hstar.grading.roster import RosterLine
from hstar.grading.schema import (
    MAX_INSTANCES,
    AssignmentIn,
    InstanceIn,
    Late,
    RubricItem,
    Submission,
    SubmissionRow,
    TokenBucket,
)
from hstar.grading.views import after_due_date, student_copy
from hstar.puzzles import make_scramble
from hstar.puzzles.megaminx import NEIGHBOURS
from hstar.schema import MAX_SCRAMBLE_LENGTH
from tests.grading.test_score import RIGHT, assignment, graded

DUE = datetime(2026, 12, 1, tzinfo=UTC)
VALID = [{"kind": "valid", "points": 1}]


def names(*instances: dict[str, Any], **changes: Any) -> list[str]:
    return [instance.name for instance in assignment(instances=list(instances), **changes).instances]


def test_instances_are_named_by_what_they_are() -> None:
    assert names({"alg": "U F"}, {"alg": ""}, {"alg": "U", "name": "x"}) == ["U F", "solved", "x"]
    assert names({"k": 3, "each": 2}, {"k": [4, 5]}) == ["k = 3, 1", "k = 3, 2", "k = 4, 1", "k = 5, 1"]
    assert names({"k": 3, "name": "x"}) == ["x"]
    assert names({"k": 3, "name": "x", "each": 2}) == ["x 3.1", "x 3.2"]
    assert names({"k": [3, 4], "name": "x"}) == ["x 3.1", "x 4.1"]
    assert names({"k": [3], "name": "x"}) == ["x"]
    full, longer = "U" * 120, "U" * 121
    assert short_name(full) == full
    assert short_name(longer).startswith("U" * 100 + "... ")
    assert len(short_name(longer)) == 116
    assert short_name(longer) != short_name(longer + "F")
    board: dict[str, Any] = {"puzzle": "8-puzzle", "moves": None, "scramble_moves": None, "heuristic": None}
    rows = {"rows": "1 2 3 / 8 4 0 / 7 6 5"}
    assert names({"state": rows}, {"state": [1, 2, 3, 8, 0, 4, 7, 6, 5], "name": "x"}, **board) == [str(rows), "x"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "give exactly one of alg, state and k; found none of them"),
        ({"alg": "U", "k": 3}, "give exactly one of alg, state and k; found alg and k"),
        ({"alg": "U", "each": 2}, "each is for k only"),
    ],
)
def test_an_instance_is_given_in_one_way(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        InstanceIn.model_validate(fields)


def test_scrambles_are_those_of_their_seeds() -> None:
    over = assignment(instances=[{"k": [3, 4], "seed": 9, "each": 2}])
    expected = [make_scramble(over.puzzle, k, seed, "cw").alg for k in (3, 4) for seed in (9, 10)]
    assert [instance.alg for instance in over.instances] == [tuple(alg) for alg in expected]
    assert [instance.k for instance in over.instances] == [3, 3, 4, 4]
    for instance in over.instances:
        assert instance.state == over.puzzle.apply_alg(over.puzzle.solved, instance.alg or ())
        assert not instance.own
    (given,) = assignment(instances=[{"alg": "U F R"}]).instances
    assert (given.alg, given.k) == (("U", "F", "R"), 3)
    assert assignment().max_score == 9


def faults(**changes: Any) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        assignment(**changes)
    return [f"{fault.where}: {fault.message}" for fault in refused.value.faults]


def test_all_faults_are_named_at_once() -> None:
    found = faults(moves="no", scramble_moves="no", heuristic="nonsense(")
    assert [text.split(":")[0] for text in found] == ["/scramble_moves", "/moves", "/heuristic"]
    found = faults(instances=[{"alg": "Q"}, {"alg": "U"}, {"alg": "V"}])
    assert [text.split(":")[0] for text in found] == ["/instances/0", "/instances/2"]
    assert found[0].startswith("/instances/0: move 1: 'Q' is not a face turn")
    twice = [{"kind": "valid", "points": 1}, {"kind": "optimal", "points": 1, "name": "valid"}] * 2
    found = faults(rubric=twice, instances=[{"alg": "U"}] * 3)
    assert found == ["/instances: two instances are called 'U'"] * 2 + [
        f"/rubric/{number}: two items are called 'valid'" for number in (1, 2, 3)
    ]
    lacking = [*VALID, {"kind": "covers_k", "points": 1, "k": [9, 1, 7]}]
    assert faults(rubric=lacking, instances=[{"alg": "U"}]) == ["/rubric/1/k: no instance has k = 7, 9"]
    assert assignment(rubric=lacking, instances=[{"alg": "U"}], own_scrambles=True).max_score == 2
    for text in ("{", "[" * 100_000):
        with pytest.raises(InvalidRequest, match="not JSON"):
            read_assignment(text)


def test_no_more_instances_than_the_limit() -> None:
    some = [{"k": 0, "each": 200, "name": f"x{i}"} for i in range(MAX_INSTANCES // 200)]
    assert len(assignment(instances=some).instances) == MAX_INSTANCES
    assert faults(instances=[*some, {"alg": "U"}]) == ["/instances: there are 1001; at most 1000"]


def test_a_version_is_short_and_does_not_depend_on_the_order_of_names() -> None:
    over = assignment()
    state = over.puzzle.format_state(over.instances[0].state)
    for given in (state, {"pieces": state["pieces"]}):
        turned = {"pieces": dict(reversed(given["pieces"].items()))}
        found = {
            assignment(instances=[{"name": "a", "state": one}]).version for one in ({"pieces": given["pieces"]}, turned)
        }
        assert [len(version) for version in found] == [16]


@pytest.mark.parametrize("distance", [3, None])
def test_a_preview_tells_how_far_instances_are(distance: int | None) -> None:
    asked = {
        "puzzle": "8-puzzle", "expanded": 1000 if distance else 0,
        "instances": [{"name": "a", "alg": "R D L"}, {"name": "b", "alg": "R L D"}, {"k": 0}, {"k": 2, "seed": 3}],
    }  # fmt: skip
    found = preview(PreviewRequest.model_validate(asked))
    assert [(one.name, one.k) for one in found.items] == [("a", 3), ("b", 3), ("k = 0, 1", 0), ("k = 2, 1", 2)]
    if distance:
        assert [(one.distance, one.collapsed) for one in found.items] == [
            (3, False), (1, True), (0, False), (2, False),
        ]  # fmt: skip
        assert 3 <= found.expanded <= 1000
    else:
        assert [(one.distance, one.collapsed) for one in found.items[:2]] == [(None, None)] * 2
        assert found.expanded == 0
    many = PreviewRequest.model_validate({"puzzle": "8-puzzle", "instances": [{"k": 1, "each": 51}], "expanded": 0})
    with pytest.raises(InvalidRequest) as refused:
        preview(many)
    assert [str(fault) for fault in refused.value.faults] == ["/instances: there are 51; at most 50 in one preview"]
    at_most = many.model_copy(update={"instances": [InstanceIn(k=1, each=50)]})
    assert len(preview(at_most).items) == 50
    stated = {"puzzle": "8-puzzle", "instances": [{"state": [1, 2, 3, 8, 4, 0, 7, 6, 5]}]}
    (one,) = preview(PreviewRequest.model_validate(stated)).items
    assert (one.k, one.collapsed, one.distance) == (None, None, 1)


def test_the_limit_comes_before_the_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body of a few bytes may name millions of scrambles, or of moves: none of them is made."""
    monkeypatch.setattr("hstar.grading.assignments.make_scramble", lambda *_: pytest.fail("a scramble was made"))
    assert faults(instances=[{"k": [1] * 9000, "each": 200}]) == [
        "/instances: there are 1800000; at most 1000",
        "/instances: they have 1800000 random moves together; at most 100000",
    ]
    some = [{"k": 10_000, "each": 10, "name": "a"}, {"k": 1, "name": "b"}]
    assert faults(instances=some) == ["/instances: they have 100001 random moves together; at most 100000"]


# -- lines -----------------------------------------------------------------------------------------------------------


def test_a_name_goes_before_a_scramble() -> None:
    found = graded([{"instance": "two", "scramble": "U F R", "solution": "DR' L'"}])
    assert [one.row for one in found.graded] == [None, 1, None]
    unknown = graded([{"instance": "no such", "scramble": "U F R", "solution": RIGHT["solution"]}])
    assert [one.row for one in unknown.graded] == [1, None, None]
    assert graded([{"solution": "U"}]).ignored == ["row 1: it names no instance"]
    state = assignment().puzzle.format_state(assignment().instances[0].state)
    assert graded([{"state": state, "solution": RIGHT["solution"]}]).graded[0].valid


def test_scrambles_that_are_no_instance() -> None:
    assert graded([{"scramble": "D", "solution": "D'"}]).ignored == [
        "row 1: its scramble is none of the assignment's instances"
    ]
    labels = {"neighbours": {face: list(around) for face, around in NEIGHBOURS.items()}}
    (line,) = graded([{"scramble": "D", "solution": "D'"}], labels=labels).ignored
    assert line.endswith("none of the assignment's instances, read in the names of its labels")


def own(**changes: Any) -> Assignment:
    return assignment(own_scrambles=True, rubric=VALID, **changes)


def test_the_students_own_instances() -> None:
    over = own(instances=[{"name": "own: D", "alg": "U"}])
    found = graded([{"scramble": "D", "solution": "D'"}, {"scramble": "", "solution": ""}], over)
    assert [(one.instance, one.own, one.k, one.valid) for one in found.graded] == [
        ("own: D", False, 1, False),
        ("own own: D", True, 1, True),
        ("own: solved", True, 0, True),
    ]
    again = graded([{"scramble": "D", "solution": "U"}, {"scramble": "D", "solution": "D'"}], own(instances=[]))
    assert [(one.row, one.valid) for one in again.graded] == [(2, True)]
    state = over.puzzle.format_state(over.puzzle.apply_alg(over.puzzle.solved, ("F",)))
    (stated,) = graded([{"state": state, "solution": "F'"}], own(instances=[])).graded
    assert (stated.k, stated.valid) == (None, True)
    assert stated.instance.startswith("own: state ")
    assert len(stated.instance) == len("own: state ") + 12
    board = own(instances=[], puzzle="8-puzzle", moves=None, scramble_moves=None, heuristic=None)
    (tiles,) = graded([{"state": [1, 2, 3, 8, 4, 0, 7, 6, 5], "solution": "L"}], board).graded
    assert (tiles.instance, tiles.valid) == ("own: 1 2 3 / 8 4 0 / 7 6 5", True)


def test_no_more_own_instances_than_the_limit() -> None:
    over = own(instances=[], puzzle="8-puzzle", moves=None, scramble_moves=None, heuristic=None)
    boards = [{"k": 30, "seed": seed} for seed in range(2 * MAX_OWN)]
    algs = dict.fromkeys(" ".join(make_scramble(over.puzzle, b["k"], b["seed"], None).alg) for b in boards)
    states = {over.puzzle.apply_alg(over.puzzle.solved, over.puzzle.parse_alg(alg)): alg for alg in algs}
    lines = [{"scramble": alg, "solution": "x"} for alg in states.values()][: MAX_OWN + 1]
    assert len(lines) == MAX_OWN + 1
    found = graded(lines, over)
    assert len(found.graded) == MAX_OWN
    assert found.ignored == ["row 501: at most 500 own instances are graded"]


def test_what_cannot_be_read_for_the_whole_submission() -> None:
    asks = assignment(
        rubric=[{"kind": "valid", "points": 6}, {"kind": "heuristic_admissible", "points": 1, "radius": 1}]
    )
    found = graded([RIGHT], asks, notation="no such", heuristic="no such(")
    assert [fault.where for fault in found.faults] == ["notation", "heuristic"]
    found = graded([RIGHT], notation="no such", heuristic="no such(")  # no item asks for a heuristic
    assert [fault.where for fault in found.faults] == ["notation"]
    many = {f"x{n}": [f"y{n}{m}" for m in range(5)] for n in range(12)}
    assert len(graded([RIGHT], labels={"neighbours": many}).faults) <= 10
    assert found.graded[0].valid
    # A negative h is no claim, and the line is graded all the same.
    claims = [{"kind": "claims_true", "points": 2}]
    over = assignment(rubric=claims, instances=[{"alg": "U F R"}])
    assert graded([{**RIGHT, "heuristic": -0.5, "length": 3}], over).score == 2
    assert graded([{**RIGHT, "heuristic": 0.0, "length": 4}], over).score in (0, 1)
    assert (
        graded([{**RIGHT, "heuristic": -0.5}], over)
        .parts[0]
        .deductions[0]
        .reason.endswith("claims nothing about this instance")
    )


def test_the_databases_that_a_students_heuristic_names() -> None:
    over = assignment().given

    def named(heuristic: str | None) -> dict[str, int]:
        return databases_of(over, read_submission(json.dumps({"results": [], "heuristic": heuristic}).encode()))

    assert named(None) == named("misplaced_facelets") == named("nonsense(") == {}
    assert len(named('max(pdb("corners:2"), pdb("edges:1"))')) == 2


def test_fingerprints_are_equal_for_equal_moves() -> None:
    def fingerprint(solution: str, **whole: Any) -> str | None:
        return graded([{"instance": "one", "solution": solution}], **whole).graded[0].solution

    assert fingerprint("R' F' U'") == fingerprint(" R'  F' U' ")
    assert fingerprint("R' F' U'") != fingerprint("R' F'")
    assert fingerprint("nonsense one") != fingerprint("nonsense two")
    assert graded([]).graded[0].solution is None
    assert len(fingerprint("R'") or "") == 12


# -- times -----------------------------------------------------------------------------------------------------------


def test_after_the_due_date() -> None:
    open_, dated = assignment().given, assignment(due=DUE.isoformat()).given
    moment = timedelta(microseconds=1)
    assert not after_due_date(open_, DUE)
    assert [after_due_date(dated, DUE + step * moment) for step in (-1, 0, 1)] == [False, False, True]


def test_dates_are_text_in_json_and_have_a_time_zone() -> None:
    for name in ("due", "regrade_requests_until"):
        given = AssignmentIn.model_validate(TITLED | {name: "2026-12-01T00:00:00Z"})
        assert getattr(given, name) == DUE
        with pytest.raises(ValidationError):
            AssignmentIn.model_validate(TITLED | {name: "2026-12-01T00:00:00"})


def test_late_penalties_by_the_day() -> None:
    day, second = timedelta(days=1), timedelta(seconds=1)
    over = assignment(due=DUE.isoformat(), late={"percent_a_day": 30, "days": 0}).given
    times = (-day, 0 * day, second, day, day + second, 3 * day, 4 * day, 400 * day)
    assert [late_percent(over, DUE + after) for after in times] == [0, 0, 30, 30, 60, 90, 100, 100]
    assert late_percent(over, None) == 0
    ends = over.model_copy(update={"late": over.late.model_copy(update={"days": 2, "percent_a_day": 1.0})})
    assert [late_percent(ends, DUE + after) for after in (day, 2 * day, 2 * day + second)] == [1, 2, 100]
    assert late_percent(assignment().given, DUE) == 0


def test_the_gradebooks_line() -> None:
    over = assignment().given
    half = graded([RIGHT], student="7", name="Ann", email="a@b")
    times = [DUE + timedelta(hours=n) for n in range(4)]
    attempts = [Attempt(half, times[0], submission="s0", changed=times[3]), Attempt(half, times[1], submission="s1")]
    found = entry(over, Work("7", attempts=attempts), times[2])
    assert (found.counted, found.submission, found.submitted_at, found.changed_at) == (1, "s0", times[0], times[3])
    assert entry(over, Work("", attempts=attempts[1:]), times[2]).changed_at == times[2]
    assert entry(over, Work("", attempts=attempts[1:])).changed_at is None
    assert (found.student, found.name, found.email, found.max_score, found.attempts) == ("7", "Ann", "a@b", 9, 2)
    more = [*attempts, Attempt(half, times[2], adjustment=1.5), Attempt(half, times[3], adjustment=-99)]
    best = entry(over, Work("", attempts=more))
    assert (best.score, best.counted, best.adjustment) == (4.5, 3, 1.5)
    last = entry(over.model_copy(update={"counts": "last"}), Work("", attempts=more))
    assert (last.score, last.counted, last.adjustment) == (0, 4, -99)
    limited = entry(over.model_copy(update={"attempts": 2}), Work("", attempts=more))
    assert (limited.score, limited.attempts) == (3, 2)
    excused = entry(over, Work("", attempts=[Attempt(half, excused=True, adjustment=1)] * 2))
    assert (excused.attempts, excused.score) == (1, 4)


RUBRIC = [
    {"kind": "valid", "points": 6},
    {"kind": "manual", "name": "report", "points": 4},
    {"kind": "manual", "name": "talk", "points": 2,
     "criteria": [{"name": "clear", "points": 1.5}, {"name": "short", "points": 0.5}]},
]  # fmt: skip
DAY = timedelta(days=1)


def recorded(attempts: list[Attempt], now: datetime | None = None, status: Any = "missing", **record: Any) -> Entry:
    """The line of a student of whom this was decided, on an assignment that takes half of the points a day."""
    over = assignment(
        rubric=RUBRIC, due=DUE.isoformat(), closes=(DUE + 2 * DAY).isoformat(), late={"percent_a_day": 50}, attempts=1
    ).given
    return entry(over, Work("7", None, attempts, Record.model_validate(record), status, changed=DUE - DAY), now=now)


def test_marks_and_adjustments_are_added_to_what_is_left_after_the_late_penalty() -> None:
    found = grade(assignment(rubric=RUBRIC), read_submission(b'[{"scramble": "U F R", "solution": "R\' F\' U\'"}]'))
    own = found.score
    assert 0 < own < 6 == found.max_score
    once = [Attempt(found, DUE, adjustment=1)]
    plain = recorded(once)
    assert (plain.status, plain.score, plain.max_score, plain.marks) == ("graded", own + 1, 6, 0)
    assert (plain.pending, plain.final, plain.late_percent) == (["report", "talk"], False, 0)
    assert (plain.adjustment, plain.adjustment_reason, plain.extension, plain.comment) == (1, None, False, None)

    half = {"report": {"points": 3.125001}, "talk": {"criteria": {"clear": 1.25}}}
    marked = recorded(once, marks=half, comment="good")
    assert (marked.score, marked.marks, marked.max_score) == (own + 4.125001, 3.125001, 10)
    assert (marked.pending, marked.final, marked.comment) == (["talk"], False, "good")
    whole = half | {"talk": {"criteria": {"clear": 1.25, "short": 0}}}
    late = recorded([Attempt(found, DUE + DAY)], marks=whole, adjustment={"points": -0.5, "reason": "why"})
    assert (late.score, late.late_percent) == (own / 2 + 3.125001 + 1.25 - 0.5, 50)
    assert (late.max_score, late.pending, late.final, late.marks) == (12, [], True, 4.375001)
    assert (late.adjustment, late.adjustment_reason) == (-0.5, "why")
    both = recorded(once, adjustment={"points": -100, "reason": "copied"})
    assert (both.score, both.adjustment, both.changed_at) == (0, -99, DUE - DAY)

    more = recorded([Attempt(found, DUE + DAY)] * 3, extension={"due": DUE + DAY, "attempts": 1})
    assert (more.late_percent, more.attempts, more.extension) == (0, 2, True)
    excused = recorded(once, excused=True, marks=half)
    assert (excused.status, excused.score, excused.pending, excused.final) == ("excused", None, [], False)


def test_without_a_submission_there_are_points_once_it_is_over_or_somebody_decided() -> None:
    report, talk = {"report": {"points": 4}}, {"talk": {"points": 1}}
    reason = {"points": 2, "reason": "on paper"}
    for now, score in ((None, None), (DUE + DAY, None), (DUE + 2 * DAY, None), (DUE + 2.001 * DAY, 0)):
        line = recorded([], now)
        assert (line.status, line.score, line.max_score, line.attempts) == ("missing", score, 6, 0), now
        assert (line.counted, line.late_percent, line.adjustment, line.submitted_at) == (None, 0, 0, None)
        marked = recorded([], now, marks=report)
        assert (marked.score, marked.max_score, marked.final) == (4, 10, False)
        assert recorded([], now, marks=report | talk).final
        assert recorded([], now, adjustment=reason).score == 2
    assert recorded([], DUE + 3 * DAY, extension={"closes": DUE + 4 * DAY}).score is None
    for status in ("refused", "waiting", "failed", "mapping"):
        for record in ({"marks": report | talk}, {"adjustment": reason}):
            expected = None if status != "refused" else 5 if "marks" in record else 2
            assert recorded([], DUE + 9 * DAY, status, **record).score == expected
        line = recorded([], DUE + 9 * DAY, status)
        assert (line.status, line.score, line.final) == (status, None, False)


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ({"report": {"points": 4}, "talk": {"points": 2}}, []),
        ({"report": None, "talk": {"criteria": {"clear": 1.5, "short": 0.5}}}, []),
        ({"talk": {"criteria": {"clear": 0}}}, []),
        ({"valid": {"points": 1}, "report": {"points": 4.5}},
         ["/marks/valid: the rubric has no manual item of this name; it has report, talk",
          "/marks/report/points: at most 4"]),
        ({"optimal": None, "count": None},
         [f"/marks/{name}: the rubric has no manual item of this name; it has report, talk"
          for name in ("optimal", "count")]),
        ({"report": {}}, ["/marks/report: give either points or criteria"]),
        ({"talk": {"points": 1, "criteria": {"clear": 1}}}, ["/marks/talk: give either points or criteria"]),
        ({"report": {"criteria": {"clear": 1}}},
         ["/marks/report/criteria/clear: the item has no such criterion; it has none"]),
        ({"talk": {"criteria": {"clear": 1.6, "loud": 1, "short": 0.5}}},
         ["/marks/talk/criteria/clear: at most 1.5",
          "/marks/talk/criteria/loud: the item has no such criterion; it has clear, short"]),
        ({"report": None, "talk": {"points": 3}}, ["/marks/talk/points: at most 2"]),
    ],
)  # fmt: skip
def test_marks_fit_the_rubric(marks: dict[str, Any], expected: list[str]) -> None:
    given, asked = assignment(rubric=RUBRIC).given, RecordChange.model_validate({"marks": marks}).marks
    if not expected:
        check_marks(given, asked)
        return
    with pytest.raises(InvalidRequest) as refused:
        check_marks(given, asked)
    assert list(map(str, refused.value.faults)) == expected


def test_only_manual_items_are_marked() -> None:
    rubric = [{"kind": "claims_true", "points": 1}, {"kind": "valid", "points": 1}]
    with pytest.raises(InvalidRequest) as refused:
        check_marks(assignment(rubric=rubric).given, {"claims_true": Mark(points=1.0)})
    assert [fault.message for fault in refused.value.faults] == [
        "the rubric has no manual item of this name; it has none"
    ]
    unnamed = assignment(rubric=[*rubric, {"kind": "manual", "points": 1}]).given
    check_marks(unnamed, {"manual": Mark(points=1.0)})
    found = entry(unnamed, Work("7", record=Record(marks={"manual": Mark(points=1.0)})))
    assert (found.score, found.max_score, found.pending) == (1, 3, [])


def test_a_record_keeps_what_a_change_leaves_out() -> None:
    first = Record.model_validate({"comment": "a", "excused": True, "marks": {"x": {"points": 1}, "y": {"points": 2}}})
    change = RecordChange.model_validate({"comment": None, "marks": {"x": None, "z": {"points": 3}}})
    found = first.changed(change, "bob", DUE)
    assert (found.comment, found.excused, list(found.marks)) == (None, True, ["y", "z"])
    assert (found.marks["z"].by, found.marks["z"].at, found.marks["y"].by) == ("bob", DUE, None)
    assert list(first.marks) == ["x", "y"]


def test_points_are_exact_to_six_digits() -> None:
    for points, expected in ((1e-6, 1e-6), (7e-7, 1e-6), (1e-7, 0), (3.125001, 3.125001)):
        assert exact(points) == Fraction(str(expected))
    third = 1 / 3
    rubric = [{"kind": "valid", "points": third}, {"kind": "manual", "name": "report", "points": third}]
    over = assignment(rubric=rubric, due=DUE.isoformat(), late={"percent_a_day": 33.33333333}).given
    full = ann_of(third).model_copy(update={"max_score": third})
    record = Record.model_validate(
        {"marks": {"report": {"points": third}}, "adjustment": {"points": third, "reason": "r"}}
    )
    found = entry(over, Work("7", attempts=[Attempt(full, DUE + DAY, adjustment=third)], record=record))
    assert (found.max_score, found.marks, found.adjustment) == (0.666667, 0.333333, 0.666667)
    assert found.score == 1.111111


def ann_of(score: float) -> Grading:
    return graded([RIGHT], student="7").model_copy(update={"score": score})


def test_a_mark_without_points_marks_nothing() -> None:
    whole, talk = assignment(rubric=RUBRIC).given.rubric[1:]
    for mark in (None, Mark()):
        assert (points_of(whole, mark), points_of(talk, mark)) == (None, None)
    assert points_of(talk, Mark(points=1.5)) == points_of(talk, Mark(criteria={"clear": 1.0, "short": 0.5})) == 1.5


def test_extensions_give_more_and_never_less() -> None:
    given = assignment(due=DUE.isoformat(), closes=(DUE + DAY).isoformat(), attempts=2).given
    for extension, due, closes, attempts in (
        ({}, 0, 1, 2), ({"due": 3 * DAY}, 3, 3, 2), ({"due": DAY / 2}, 0.5, 1, 2), ({"closes": 5 * DAY}, 0, 5, 2),
        ({"due": 2 * DAY, "closes": 4 * DAY, "attempts": 3}, 2, 4, 5), ({"closes": 0 * DAY}, 0, 1, 2),
    ):  # fmt: skip
        asked = {name: DUE + to if isinstance(to, timedelta) else to for name, to in extension.items()}
        found = extended(given, Extension.model_validate(asked))
        assert (found.due, found.closes, found.attempts) == (DUE + due * DAY, DUE + closes * DAY, attempts), extension
    free = assignment(due=DUE.isoformat()).given
    found = extended(free, Extension(due=DUE + DAY, closes=DUE + DAY, attempts=1))
    assert (found.due, found.closes, found.attempts) == (DUE + DAY, None, None)
    assert extended(free, None) is free


# -- views -----------------------------------------------------------------------------------------------------------


def test_a_students_copy_has_the_points_of_what_it_shows() -> None:
    rubric = [
        {"kind": "valid", "points": 6},
        {"kind": "optimal", "points": 3, "visibility": "after_due_date"},
        {"kind": "covers_k", "points": 4, "k": [2, 3, 4]},
        {"kind": "model_right", "points": 5},
        {"kind": "covers_k", "points": 1, "k": [4], "name": "only hidden"},
    ]
    over = assignment(rubric=rubric)
    copy = student_copy(over)
    assert [(item.kind, item.points, item.k) for item in copy.rubric] == [
        ("valid", 4, None), ("covers_k", pytest.approx(8 / 3), [2, 3]), ("model_right", 5, None),
    ]  # fmt: skip
    assert [(one.name, one.alg) for one in copy.instances] == [("one", "U F R"), ("two", "L DR")]
    later = student_copy(over, after_due_date=True)
    assert [(item.kind, item.points) for item in later.rubric][:2] == [("valid", 4), ("optimal", 2)]
    mine = student_copy(assignment(rubric=rubric[:1], own_scrambles=True))
    assert mine.rubric[0].points == 6
    board = {"state": {"pieces": over.puzzle.format_state(over.instances[0].state).get("pieces")}}
    if board["state"]["pieces"] is not None:
        assert student_copy(assignment(instances=[board])).instances[0].alg is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "expanded_at_most"}, "at_most is needed for expanded_at_most"),
        ({"kind": "valid", "at_most": 3}, "at_most is only for expanded_at_most"),
        ({"kind": "covers_k"}, "k is needed for covers_k"),
        ({"kind": "claims_true", "at_most": 3}, "at_most is only for expanded_at_most"),
        ({"kind": "claims_true", "k": [3]}, "k is only for covers_k"),
        ({"kind": "valid", "k": [3]}, "k is only for covers_k"),
    ],
)
def test_what_an_item_needs(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RubricItem.model_validate({"points": 1.0} | fields)


@pytest.mark.parametrize("model", [Entry, RegradeAnswer, RegradeRequestObject, SubmissionSummary])
def test_nothing_is_adjusted_unless_somebody_does(model: type[BaseModel]) -> None:
    assert model.model_fields["adjustment"].default == 0


@pytest.mark.parametrize(
    ("model", "base", "expected"),
    [
        (InstanceIn, {"k": 1}, {"seed": 1, "each": 1, "visibility": "visible"}),
        (RubricItem, {"kind": "valid", "points": 1.0}, {"excess": 0, "radius": 4, "mirrored": 0.5}),
        (Late, {}, {"percent_a_day": 10, "days": 0}),
        (AssignmentIn, {"title": "t", "puzzle": "p", "rubric": [{"kind": "valid", "points": 1.0}]},
         {"own_scrambles": False, "reasons_from_attempt": 1, "counts": "best", "submitted": "files"}),
        (GradingRequest, {"assignment": {"title": "t", "puzzle": "p", "rubric": [{"kind": "valid", "points": 1.0}]},
                          "student": "7", "filename": "f", "content": ""}, {"by_student": False, "priority": 0}),
        (RecordChange, {}, {"excused": False}),
        (Record, {}, {"excused": False}),
        (PreviewRequest, {"puzzle": "p", "instances": [{"k": 1}]}, {"expanded": 100_000}),
    ],
)  # fmt: skip
def test_what_holds_for_a_field_that_is_left_out(
    model: type[BaseModel], base: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = model.model_validate(base)
    assert {name: getattr(found, name) for name in expected} == expected


# -- the bounds of the API -------------------------------------------------------------------------------------------

ITEM = {"kind": "valid", "points": 1.0}
TITLED = {"title": "t", "puzzle": "p", "rubric": [ITEM]}
ROW = {"solution": ""}
NOTE = {"note": "n"}
ANSWER = {"decision": "granted", "answer": "a"}
UPLOAD = {"content": "c"}


@pytest.mark.parametrize(
    ("model", "base", "field", "within", "beyond"),
    [
        (InstanceIn, {}, "k", [0, MAX_SCRAMBLE_LENGTH], [-1, MAX_SCRAMBLE_LENGTH + 1, None]),
        (InstanceIn, {"k": 1}, "each", [1, 200], [0, 201]),
        (InstanceIn, {"k": 1}, "name", ["n", "n" * 200], ["", "n" * 201]),
        (RubricItem, ITEM, "points", [0.001, 10_000.0], [0.0, 10_001.0]),
        (RubricItem, ITEM, "excess", [0, 5], [-1]),
        (RubricItem, {"kind": "expanded_at_most", "points": 1.0}, "at_most", [0, 10], [-1, None]),
        (RubricItem, ITEM, "radius", [0, 1000], [-1, 1001]),
        (RubricItem, ITEM, "mirrored", [0.0, 1.0], [-0.1, 1.1]),
        (RubricItem, {"kind": "covers_k", "points": 1.0}, "k", [[0], [1, MAX_SCRAMBLE_LENGTH]],
         [[], [-1], [MAX_SCRAMBLE_LENGTH + 1], None]),
        (RubricItem, ITEM, "k", [None], [[1]]),
        (RubricItem, ITEM, "at_most", [None], [1]),
        (RubricItem, {"kind": "manual", "points": 50.0}, "criteria",
         [None, [{"name": "c", "points": 50.0}], [{"name": f"c{n}", "points": 1.0} for n in range(50)]], [[]]),
        (RubricItem, {"kind": "manual", "points": 51.0}, "criteria",
         [], [[{"name": f"c{n}", "points": 1.0} for n in range(51)]]),
        (RubricItem, {"kind": "manual", "points": 1.0}, "criteria",
         [[{"name": "c", "points": points}] for points in (0.9999991, 1.0, 1.000001)],
         [[{"name": "c", "points": points}] for points in (0.9999989, 1.0000011)]),
        (Late, {}, "percent_a_day", [0.0, 100.0], [-1.0, 101.0]),
        (Late, {}, "days", [0, 365], [-1, 366]),
        (TokenBucket, {"hours_a_token": 1.0}, "tokens", [1, 1000], [0, 1001]),
        (TokenBucket, {"tokens": 1}, "hours_a_token", [0.1, 8760.0], [0.0, 8761.0]),
        (AssignmentIn, TITLED, "rubric", [[ITEM] * 50], [[], [ITEM] * 51]),
        (AssignmentIn, TITLED, "attempts", [None, 1, 1000], [0, 1001]),
        (AssignmentIn, TITLED | {"closes": DUE}, "opens", [None, DUE - DAY], [DUE, DUE + DAY]),
        (AssignmentIn, TITLED, "opens", [None, DUE], []),
        (Submission, {}, "results", [[ROW] * 20_000], [[ROW] * 20_001]),
        (PreviewRequest, {"puzzle": "p"}, "instances", [[{"k": 1}], [{"k": 1}] * 50], [[], [{"k": 1}] * 51]),
        (PreviewRequest, {"puzzle": "p", "instances": [{"k": 1}]}, "expanded", [0, 200_000], [-1, 200_001]),
        (RosterLine, {}, "student", ["s", "s" * 200], ["", "s" * 201, "\0"]),
        (RosterLine, {"student": "s"}, "name", [None, "n", "n" * 200], ["", "n" * 201, "\0"]),
        (AssignmentIn, TITLED, "id", ["a" * 64, "A-_9"], ["", "a" * 65, "a b"]),
        (AssignmentIn, TITLED, "instances", [[{"k": 1}] * MAX_INSTANCES], [[{"k": 1}] * (MAX_INSTANCES + 1)]),
        (SubmissionRow, ROW, "length", [0, None], [-1]),
        (SubmissionRow, ROW, "nodes", [0, None], [-1]),
        (SubmissionRow, ROW, "generated", [0, None], [-1]),
        (SubmissionIn, UPLOAD, "student", ["s", "s" * 200], ["", "s" * 201, "\0"]),
        (SubmissionIn, UPLOAD, "content_base64", [None], ["eA=="]),
        (SubmissionIn, {}, "content_base64", ["eA=="], [None]),
        (UploadsIn, {}, "files", [[UPLOAD], [UPLOAD] * 1000], [[], [UPLOAD] * 1001]),
        (Extension, {}, "attempts", [None, 1, 1000], [0, 1001]),
        (Extension, {}, "reason", ["r", "r" * 2000], ["", "r" * 2001, "\0"]),
        (Adjustment, {"reason": "r"}, "points", [-10_000.0, 10_000.0], [-10_001.0, 10_001.0]),
        (Mark, {}, "points", [None, 0.0, 10_000.0], [-0.1, 10_001.0]),
        (RegradeRequestIn, {}, "note", ["n", "n" * 4000], ["", "n" * 4001, "\0"]),
        (RegradeRequestIn, NOTE, "item", [None, "n" * 200], ["", "n" * 201]),
        (RegradeAnswer, ANSWER, "answer", ["a", "a" * 4000], ["", "a" * 4001]),
        (RegradeAnswer, ANSWER, "adjustment", [-10_000.0, 0.0, 10_000.0], [-10_001.0, 10_001.0]),
        (RegradeAnswer, {"decision": "declined", "answer": "a"}, "adjustment", [0.0], [1.0, -1.0]),
    ],
)  # fmt: skip
def test_the_bounds_of_every_field(
    model: type[BaseModel], base: dict[str, Any], field: str, within: list[Any], beyond: list[Any]
) -> None:
    for value in within:
        model.model_validate(base | {field: value})
    for value in beyond:
        with pytest.raises(ValidationError):
            model.model_validate(base | {field: value})


# -- instances that nobody could answer ------------------------------------------------------------------------------


@pytest.mark.parametrize("visibility", ["hidden", "after_due_date"])
def test_files_cannot_answer_what_nobody_sees(visibility: str) -> None:
    """Or perfect work would not get all points."""
    unseen = {"name": "x", "k": 4, "visibility": visibility}
    with pytest.raises(InvalidRequest) as caught:
        assignment(submitted="files", instances=[{"name": "one", "alg": "U"}, unseen])
    ((where, message),) = [(fault.where, fault.message) for fault in caught.value.faults]
    assert where == "/instances/1/visibility"
    assert "cannot answer an instance that they do not see" in message
    assert len(assignment(submitted="program", instances=[unseen]).instances) == 1
    assert AssignmentIn.model_validate(TITLED).submitted == "files"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "valid", "criteria": [{"name": "a", "points": 1.0}]}, "criteria is only for manual"),
        ({"kind": "claims_true", "criteria": [{"name": "a", "points": 1.0}]}, "criteria is only for manual"),
        ({"kind": "manual", "criteria": [{"name": "a", "points": 2.0}]}, "the criteria have 2 points together, the"),
        ({"kind": "manual", "criteria": [{"name": "a", "points": 0.5}] * 2}, "two criteria have the same name"),
    ],
)
def test_criteria_add_up(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RubricItem.model_validate({"points": 1.0} | fields)
    three = [{"name": str(i), "points": 0.1} for i in range(3)]
    assert RubricItem.model_validate({"kind": "manual", "points": 0.3, "criteria": three}).criteria is not None


def test_a_manual_item_is_no_part_of_a_grading() -> None:
    """A person marks it in the gradebook, so the grading stays a function of the file and the version."""
    rubric = [{"kind": "valid", "points": 6}, {"kind": "manual", "name": "report", "points": 4}]
    over = assignment(rubric=rubric)
    found = grade(over, read_submission(b'[{"scramble": "U F R", "solution": "R\' F\' U\'"}]'))
    assert ([part.name for part in found.parts], found.max_score) == (["valid", "valid"], 6)
    assert over.max_score == 10
    assert [item.name for item in student_copy(over).rubric] == [None, "report"]
