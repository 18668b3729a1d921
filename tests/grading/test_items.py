"""Each item of a rubric at its limits: the points just within and just beyond, and what is said about the rest."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.grading import Assignment, AssignmentIn, Grading
from hstar.grading.schema import Part, Visibility
from hstar.puzzles.megaminx import NEIGHBOURS
from tests.certificates.checkers import second
from tests.command_line import run
from tests.grading.test_score import RIGHT, assignment, graded

#: five turns of a face change nothing
AROUND = "U' U' U' U' U'"
ONE = [{"name": "one", "alg": "U F R"}]


def only(grading: Grading) -> Part:
    (part,) = grading.parts
    return part


def item(kind: str, row: dict[str, Any] | None, **fields: Any) -> Part:
    """The part of one item of 4 points for one line, on one instance."""
    over = assignment(instances=ONE, rubric=[{"kind": kind, "points": 4} | fields])
    return only(graded([] if row is None else [{"instance": "one", "solution": RIGHT["solution"]} | row], over))


# -- optimal ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("excess", "points"), [(None, 0), (0, 0), (4, 0), (5, 4), (6, 4)])
def test_the_moves_above_the_optimum_that_still_give_points(excess: int | None, points: int) -> None:
    given = {} if excess is None else {"excess": excess}
    found = item("optimal", {"solution": f"R' F' U' {AROUND}"}, **given)
    assert found.score == points
    assert [d.reason for d in found.deductions] == ([] if points else ["the solution has 8 moves; 3 are enough"])


def test_excess_is_of_each_instance_by_itself() -> None:
    over = assignment(rubric=[{"kind": "optimal", "points": 6, "excess": 5}])
    lines = [
        {"instance": "one", "solution": f"R' F' U' {AROUND}"},
        {"instance": "two", "solution": f"{AROUND} DR' L' {AROUND}"},
    ]
    seen = [part for part in graded(lines, over).parts if part.visibility == "visible"]
    assert [(part.score, [d.instance for d in part.deductions]) for part in seen] == [(2, ["two"])]


def test_no_valid_solution_is_not_optimal() -> None:
    for row in (None, {"solution": "U"}):
        found = item("optimal", row, excess=100)
        assert (found.score, found.passed) == (0, False)
        assert found.deductions[0].reason == "there is no valid solution for this instance"
        assert found.deductions[0].row == (1 if row else None)


# -- expanded --------------------------------------------------------------------------------------------------------


def test_the_most_nodes_that_give_points() -> None:
    honest = {"nodes": 3}
    assert item("claims_true", honest).score == 4  # so it is no lie
    for at_most, points in ((2, 0), (3, 4), (4, 4)):
        found = item("expanded_at_most", honest, at_most=at_most)
        assert (found.score, found.passed) == (points, points == 4)
        assert [d.reason for d in found.deductions] == ([] if points else ["3 nodes were expanded; at most 2"])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (None, "there is no valid solution for this instance"),
        ({"solution": "U", "nodes": 3}, "there is no valid solution for this instance"),
        ({"length": 3, "generated": 36}, "the line has no number of expanded nodes"),
    ],
)
def test_no_points_for_nodes_without_a_number(row: dict[str, Any] | None, reason: str) -> None:
    found = item("expanded_at_most", row, at_most=10**6)
    assert found.score == 0
    assert found.deductions[0].reason == reason


# -- claims ----------------------------------------------------------------------------------------------------------


def test_each_wrong_claim_costs_its_share() -> None:
    found = item("claims_true", {"length": 4, "optimal": True, "nodes": 999, "generated": 10**6})
    assert found.score == 1
    wrong = found.deductions[0].reason.split("; ")
    assert [text.split(":")[0] for text in wrong] == ["length 4", "expanded 999", "generated 1000000"]
    right = item("claims_true", {"length": 3, "optimal": True})
    assert (right.score, right.deductions, right.passed) == (4, [], True)
    assert item("claims_true", {"length": 4, "optimal": True}).score == 2
    assert item("claims_true", {"length": 4, "optimal": False}).score == 0
    assert item("claims_true", {"length": 3, "optimal": False}).score == 2


@pytest.mark.parametrize("row", [None, {}, {"solution": "U"}])
def test_no_claim_no_points(row: dict[str, Any] | None) -> None:
    found = item("claims_true", row)
    assert found.score == 0
    assert found.deductions[0].reason == "the submission claims nothing about this instance"


def test_the_command_repeats_every_claim() -> None:
    row = {"length": 3, "optimal": False, "nodes": 999, "generated": 998, "heuristic": 0.5}
    command = shlex.split(str(item("claims_true", row).deductions[0].command))
    claims = command[command.index("--heuristic") :]
    assert sorted(claims) == sorted([
        "--heuristic", "s1-misplaced-facelets", "--claim-length", "3", "--claim-expanded", "999",
        "--claim-generated", "998", "--claim-not-optimal", "--claim-heuristic", "0.5",
    ])  # fmt: skip
    shown = run(*command[1:], "--json")
    judged = {claim["claim"]: claim["judgement"] for claim in json.loads(shown.stdout)["claims"]}
    assert judged["length"] == "true"
    assert {judged["optimal"], judged["expanded"]} == {"false"}
    many = shlex.split(str(item("claims_true", {"nodes": 10**7, "generated": 10**8}).deductions[0].command))
    assert many[-4:] == ["--claim-expanded", "10000000", "--claim-generated", "100000000"]
    yes = shlex.split(str(item("claims_true", {"length": 4, "optimal": True}).deductions[0].command))
    assert "--claim-optimal" in yes


# -- heuristic and model ---------------------------------------------------------------------------------------------


def test_an_admissible_expression_has_all_points_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = item("heuristic_admissible", None, radius=2)
    assert (found.score, found.deductions[0].points) == (0, 4)
    over = assignment(instances=ONE, rubric=[{"kind": "heuristic_admissible", "points": 4, "radius": 2}])
    right = only(graded([], over, heuristic="ceil(misplaced_facelets / 15)"))
    assert (right.score, right.passed, right.deductions) == (4, True, [])
    assert len(right.notes) == 1
    wrong = only(graded([], over, heuristic="3 * misplaced_facelets"))
    command = shlex.split(str(wrong.deductions[0].command))
    assert command[:5] == ["hstar", "audit", "heuristic", "megaminx", "3 * misplaced_facelets"]
    # The counterexample is that near.
    assert command[5:] == ["--moves", "ccw", "--radius", "1", "--certificate", "proof.hcert"]
    monkeypatch.chdir(tmp_path)
    assert run(*command[1:]).exit_code == 1  # refuted
    assert second(tmp_path / "proof.hcert").proven
    unread = only(graded([], over, heuristic="misplaced +"))
    assert unread.deductions[0].command is None


def test_only_values_of_instances_as_visible_as_the_item_are_audited() -> None:
    far = [
        {"instance": "one", "solution": "U", "heuristic": 99.0},
        {"instance": "secret", "solution": "U", "heuristic": 0.0},
    ]
    near = [{**far[0], "heuristic": 0.0}, {**far[1], "heuristic": 99.0}]
    points: dict[tuple[Visibility, bool], float] = {}
    for visibility in ("visible", "hidden"):
        rubric = [{"kind": "heuristic_admissible", "points": 4, "visibility": visibility}]
        for lines in (far, near):
            points[visibility, lines is far] = only(graded(lines, assignment(rubric=rubric))).score
    assert points["visible", True] == 0
    assert points["visible", False] == 4
    assert points["hidden", True] == 0  # all instances are as hidden as this item
    assert points["hidden", False] == 0


def test_a_model_and_its_mirror_image() -> None:
    over = assignment(instances=ONE, rubric=[{"kind": "model_right", "points": 4, "mirrored": 0.25}])
    right = {face: list(around) for face, around in NEIGHBOURS.items()}
    mirrored = {face: around[::-1] for face, around in right.items()}
    same, mirror = (only(graded([], over, model={"neighbours": table})) for table in (right, mirrored))
    assert (same.score, same.passed, same.deductions) == (4, True, [])
    assert (mirror.score, mirror.passed, mirror.deductions[0].points) == (1, False, 3)
    none = only(graded([], over))
    assert (none.score, none.deductions[0].points) == (0, 4)
    assert none.deductions[0].reason == "there is no model in the submission"
    wrong = only(graded([], over, model={"turns": {"U": [1, 0]}}))
    assert (wrong.score, wrong.deductions[0].points) == (0, 4)
    assert wrong.deductions[0].reason.startswith("the model is wrong")
    strange = {"turns": {"U": [1, 0], "F": [1, 0]}, "anchors": {"U": "north", "F": "south"}}
    (told,) = only(graded([], over, model=strange)).deductions
    assert told.points == 4
    assert told.reason.startswith("cannot read the model: cannot read the anchors: /anchors/U: ")


def test_a_model_of_a_board_with_another_goal(tmp_path: Path) -> None:
    over = Assignment.of(
        AssignmentIn.model_validate(
            {
                "title": "boards",
                "puzzle": "8-puzzle",
                "goal": [1, 2, 3, 4, 5, 6, 7, 8, 0],
                "instances": [{"alg": "U"}],
                "rubric": [{"kind": "model_right", "points": 4}],
            }
        )
    )
    right = {"states": [{"alg": "U L", "state": "1 2 3 / 4 0 5 / 7 8 6"}]}
    assert only(graded([], over, model=right)).score == 4
    wrong = {"states": [{"alg": "U L", "state": "1 2 3 / 4 5 0 / 7 8 6"}]}
    (told,) = only(graded([], over, model=wrong)).deductions
    assert told.reason.startswith("the model is wrong: after U L: ")
    assert told.command is not None
    (tmp_path / "model.json").write_text(json.dumps({"puzzle": "8-puzzle", **wrong}))
    command = ["audit", "model", str(tmp_path / "model.json"), *shlex.split(told.command)[4:]]
    assert run(*command[:-2], "--certificate", str(tmp_path / "proof.hcert")).exit_code == 1
    assert second(tmp_path / "proof.hcert").proven


# -- k ---------------------------------------------------------------------------------------------------------------


def test_a_k_is_covered_by_any_valid_line_of_an_instance_with_it() -> None:
    over = assignment(
        instances=[{"name": "a", "alg": "U"}, {"name": "b", "alg": "F"}, {"name": "c", "alg": "L DR"}],
        rubric=[{"kind": "covers_k", "points": 6, "k": [1, 2]}],
    )
    lines = {"a": "U'", "b": "F'", "c": "DR' L'"}

    def points(*names: str, wrong: str = "") -> float:
        rows = [{"instance": name, "solution": lines[name]} for name in names]
        return only(graded([*rows, *([{"instance": wrong, "solution": "R"}] if wrong else [])], over)).score

    assert points() == 0
    assert [points(name) for name in lines] == [3, 3, 3]
    assert points("a", "b") == 3
    assert points("a", "c") == points("a", "b", "c") == 6
    assert points("b", wrong="a") == 3
    assert points("c", wrong="a") == 3
    missing = only(graded([{"instance": "c", "solution": lines["c"]}], over)).deductions
    assert [(d.reason, d.points) for d in missing] == [("there is no valid solution with k = 1", 3)]


def test_only_hidden_instances_have_only_hidden_parts() -> None:
    hidden = [{"name": "a", "alg": "U", "visibility": "hidden"}, {"name": "b", "alg": "F R", "visibility": "hidden"}]
    rubric = [{"kind": "valid", "points": 2}, {"kind": "covers_k", "points": 2, "k": [1, 2]}]
    found = graded([{"instance": "a", "solution": "U'"}], assignment(instances=hidden, rubric=rubric))
    assert [(part.number, part.visibility, part.score) for part in found.parts] == [
        ("1", "hidden", 1),
        ("2", "hidden", 1),
    ]


def test_twenty_notes_at_most() -> None:
    over = assignment(
        instances=[{"k": 20, "each": 21}], rubric=[{"kind": "optimal", "points": 1}], limits={"expanded": 0},
        heuristic=None, moves="all", scramble_moves="all",
    )  # fmt: skip
    back = [" ".join(over.puzzle.inverse_alg(one.alg or ())) for one in over.instances]
    rows = [{"instance": one.name, "solution": text} for one, text in zip(over.instances, back, strict=True)]
    assert len(only(graded(rows, over)).notes) == 20


def test_a_command_that_is_too_long_is_not_shown() -> None:
    def command(spaces: int) -> str | None:
        return item("valid", {"solution": "R' Q" + " " * spaces}).deductions[0].command

    short = command(1)
    assert short is not None
    fitting = 4000 - len(short) + 1
    assert len(command(fitting) or "") == 4000
    assert command(fitting + 1) is None


# -- the parts of an item ----------------------------------------------------------------------------------------------

RUBRIC = [
    {"kind": "valid", "points": 7, "name": "solutions"},
    {"kind": "optimal", "points": 5, "excess": 1},
    {"kind": "claims_true", "points": 4},
    {"kind": "expanded_at_most", "points": 3, "at_most": 5},
    {"kind": "covers_k", "points": 2, "k": [2, 3, 4]},
    {"kind": "valid", "points": 2, "name": "unseen", "visibility": "hidden"},
]
RIGHT_ONES = {"one": "R' F' U'", "two": "DR' L'"}


@pytest.fixture(scope="module")
def over() -> Assignment:
    return assignment(rubric=RUBRIC)


def test_an_item_has_a_part_for_each_visibility(over: Assignment) -> None:
    parts = graded([RIGHT], over).parts
    assert [(part.number, part.name, part.visibility, part.max_score) for part in parts] == [
        ("1.visible", "solutions", "visible", pytest.approx(14 / 3, abs=1e-6)),
        ("1.hidden", "solutions", "hidden", pytest.approx(7 / 3, abs=1e-6)),
        ("2.visible", "optimal", "visible", pytest.approx(10 / 3, abs=1e-6)),
        ("2.hidden", "optimal", "hidden", pytest.approx(5 / 3, abs=1e-6)),
        ("3.visible", "claims_true", "visible", pytest.approx(8 / 3, abs=1e-6)),
        ("3.hidden", "claims_true", "hidden", pytest.approx(4 / 3, abs=1e-6)),
        ("4.visible", "expanded_at_most", "visible", 2),
        ("4.hidden", "expanded_at_most", "hidden", 1),
        ("5.visible", "covers_k", "visible", pytest.approx(4 / 3, abs=1e-6)),
        ("5.hidden", "covers_k", "hidden", pytest.approx(2 / 3, abs=1e-6)),
        ("6", "unseen", "hidden", 2),
    ]
    assert [part.number for part in graded([], assignment(instances=ONE, rubric=RUBRIC[:2])).parts] == ["1", "2"]


def test_thirds_add_up_to_the_whole() -> None:
    """Each part is shown as 0.333333; everything right is still all points."""
    names = {"a": ("U", "visible"), "b": ("F", "hidden"), "c": ("L", "after_due_date")}
    instances = [{"name": name, "alg": alg, "visibility": seen} for name, (alg, seen) in names.items()]
    over = assignment(instances=instances, rubric=[{"kind": "valid", "points": 1}])
    found = graded([{"instance": name, "solution": f"{alg}'"} for name, (alg, _) in names.items()], over)
    assert [part.score for part in found.parts] == [0.333333] * 3
    assert found.score == found.max_score == 1


line = st.fixed_dictionaries(
    {"solution": st.sampled_from(["right", "long", "U", "nonsense"])},
    optional={"nodes": st.sampled_from([3, 9, 10**6]), "length": st.integers(2, 8), "optimal": st.booleans()},
)


@given(lines=st.fixed_dictionaries({}, optional={"one": line, "two": line}))
def test_points_and_deductions_add_up(over: Assignment, lines: dict[str, dict[str, Any]]) -> None:
    rows = []
    for name, row in lines.items():
        solution = {"right": RIGHT_ONES[name], "long": f"{RIGHT_ONES[name]} {AROUND}"}.get(
            row["solution"], row["solution"]
        )
        rows.append({"instance": name, **row, "solution": solution})
    found = graded(rows, over)
    for part in found.parts:
        lost = sum(deduction.points for deduction in part.deductions)
        assert part.score + lost == pytest.approx(part.max_score, abs=1e-5), part
        assert part.passed == (not part.deductions) == (part.score == part.max_score)
        for deduction in part.deductions:
            number = next((n for n, row in enumerate(rows, 1) if row["instance"] == deduction.instance), None)
            assert deduction.row == (None if part.kind == "covers_k" else number)
    assert found.score == pytest.approx(sum(part.score for part in found.parts), abs=1e-5)
    assert found.max_score == 23
    valid = {one.instance for one in found.graded if one.valid}
    assert valid == {name for name, row in lines.items() if row["solution"] in ("right", "long")}
