"""The rows of an experiment never change, whatever other rows are requested with them."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import pytest
from pydantic import ValidationError

from hstar import schema
from hstar.errors import InvalidRequest
from hstar.experiments.design import Configuration, instance_seed, plan
from hstar.experiments.schema import ExperimentRequest
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle, make_scramble
from tests.experiments.builders import request, span

SEEDS_7_3 = [117931450219619, 8052454059699, 206587735564617]
LAST_SEED = 225229051106291
ALGS = [
    "B DR L",
    "BL F B",
    "BR F R B",
    "FL DR B U",
    "L DL DR BR D",
    "DL DR L FR L",
]


def test_seeds_and_scrambles_are_written_down() -> None:
    assert [instance_seed(7, 3, trial) for trial in (1, 2, 3)] == SEEDS_7_3
    assert instance_seed(2**63 - 1, 14, 5) == LAST_SEED
    design = plan(request())
    megaminx = get_puzzle("megaminx")
    algs = [" ".join(make_scramble(megaminx, row.k or 0, row.seed or 0, "cw").alg) for row in design.rows()]
    assert algs == ALGS


def test_the_seed_is_the_documented_hash() -> None:
    digest = sha256(b"hstar experiment 1|42|10|3").hexdigest()
    assert instance_seed(42, 10, 3) == int(digest[:12], 16) < 2**48


def test_rows_go_by_k_trial_and_configuration() -> None:
    design = plan(request(k=[6, 4, 4], trials=2, heuristics=["s2-face-distance", "zero"], weights=[1.0, 2.0]))
    rows = list(design.rows())
    assert len(design) == len(rows) == 2 * 2 * 4
    assert [row.index for row in rows] == list(range(16))
    assert [(row.k, row.trial) for row in rows[::4]] == [(4, 1), (4, 2), (6, 1), (6, 2)]
    assert [(row.configuration.heuristic, row.configuration.options.weight) for row in rows[4:8]] == [
        ("s2-face-distance", 1.0), ("s2-face-distance", 2.0), ("zero", 1.0), ("zero", 2.0),
    ]  # fmt: skip
    assert len({row.seed for row in rows[:4]}) == 1, "all configurations search the same instance"


def test_more_trials_and_more_k_leave_the_instances_as_they_were() -> None:
    few = {(row.k, row.trial): row.seed for row in plan(request()).rows()}
    many = {(row.k, row.trial): row.seed for row in plan(request(k=span(1, 9), trials=20)).rows()}
    assert few.items() <= many.items()


def test_true_distances_are_one_row_an_instance_and_come_first() -> None:
    design = plan(request(true_distance=True, heuristics=["zero", "s2-face-distance"]))
    assert [row.configuration.role for row in design.rows()][:3] == ["true_distance", "search", "search"]
    assert len(design) == 3 * 2 * 3


def test_parameters_that_an_algorithm_ignores_are_not_varied() -> None:
    design = plan(
        request(
            algorithms=["astar", "greedy", "breadth_first", "auto"],
            heuristics=["zero", "s2-face-distance"],
            weights=[1.0, 3.0],
        )
    )
    assert [(one.algorithm, one.heuristic, one.options.weight) for one in design.configurations] == [
        ("astar", "zero", 1.0), ("astar", "zero", 3.0), ("astar", "s2-face-distance", 1.0),
        ("astar", "s2-face-distance", 3.0), ("greedy", "zero", 1.0), ("greedy", "s2-face-distance", 1.0),
        ("breadth_first", None, 1.0), ("auto", None, 1.0),
    ]  # fmt: skip


def test_only_beams_have_widths() -> None:
    design = plan(request(heuristics=[], algorithms=["beam", "constructive"], widths=[10, 20]))
    assert [(one.algorithm, one.options.width) for one in design.configurations] == [
        ("beam", 10), ("beam", 20), ("constructive", None),
    ]  # fmt: skip
    assert [design.solve_request(row).width for row in list(design.rows())[:3]] == [10, 20, None]
    assert plan(request(heuristics=[], algorithms=["beam"])).configurations[0].options.width == 1000
    assert design.fingerprint != plan(request(heuristics=[], algorithms=["beam", "constructive"])).fingerprint
    with pytest.raises(InvalidRequest, match="astar would not look at them"):
        plan(request(widths=[10]))


def test_a_row_is_the_body_of_a_solve() -> None:
    design = plan(request(tags={"course": "ai"}, priority=3, weights=[1.5], tie_breaking="fifo"))
    row = list(design.rows())[3]
    body = design.solve_request(row)
    assert (body.puzzle, body.moves, body.algorithm, body.weight, body.tie_breaking) == (
        "megaminx", "ccw", "astar", 1.5, "fifo",
    )  # fmt: skip
    assert body.scramble == schema.ScrambleIn(k=4, seed=row.seed or 0, moves="cw")
    assert (body.limits.expanded, body.tags, body.priority) == (2_000_000, {"course": "ai"}, 3)
    assert schema.SolveRequest.model_validate_json(body.model_dump_json()) == body


def test_the_default_heuristic_is_named() -> None:
    design = plan(request(heuristics=[]))
    default = get_heuristic(None, get_puzzle("megaminx"))
    assert design.configurations == (Configuration("search", "astar", default.expression.text),)
    assert design.heuristics[0].expression.text == default.expression.text


def test_a_limit_that_is_left_out_is_the_cap() -> None:
    design = plan(request(limits=schema.LimitsIn()), caps=schema.LimitsIn(expanded=500, memory_mib=256))
    assert (design.problem.limits.expanded, design.problem.limits.memory_mib) == (500, 256)
    with pytest.raises(InvalidRequest, match="at most 500") as refused:
        plan(request(limits=schema.LimitsIn(expanded=501)), caps=schema.LimitsIn(expanded=500))
    assert [fault.where for fault in refused.value.faults] == ["/limits/expanded"]


def test_the_fingerprint_is_of_the_searches_and_of_nothing_else() -> None:
    base = plan(request()).fingerprint
    same: list[dict[str, Any]] = [
        {"tags": {"a": "b"}}, {"priority": 5}, {"k": [3, 4, 5]}, {"k": [5, 3, 4, 3]},
        {"heuristics": ["ceil(face_distance(0, 1, 2, 7) / 15)"]},
    ]  # fmt: skip
    for fields in same:
        changed = plan(request(**fields))
        assert changed.fingerprint == base, fields
    other: list[dict[str, Any]] = [
        {"seed": 8}, {"trials": 3}, {"k": [3, 4]}, {"moves": "single"}, {"scramble_moves": "ccw"}, {"weights": [2.0]},
        {"tie_breaking": "fifo"}, {"true_distance": True}, {"limits": schema.LimitsIn(expanded=1_999_999)},
        {"heuristics": ["zero"]}, {"heuristics": []},
    ]  # fmt: skip
    prints = [plan(request(**fields)).fingerprint for fields in other]
    assert len({base, *prints}) == len(other) + 1


def test_every_fault_is_listed_once() -> None:
    with pytest.raises(InvalidRequest) as refused:
        plan(request(heuristics=["nonsense", "1 +", "s2-face-distance"], weights=[1.0, 2.0]))
    assert [fault.where for fault in refused.value.faults] == ["/heuristics/0", "/heuristics/1"]
    assert "column" in str(refused.value.faults[0])
    with pytest.raises(InvalidRequest, match="there is no move set 'sideways'"):
        plan(request(moves="sideways"))
    with pytest.raises(InvalidRequest, match="there is no move set 'sideways'"):
        plan(request(scramble_moves="sideways"))


def test_parameters_that_no_algorithm_uses_are_refused() -> None:
    with pytest.raises(InvalidRequest) as refused:
        plan(request(algorithms=["auto", "breadth_first"], heuristics=["1 +"], weights=[1.0, 2.0]))
    assert [fault.where for fault in refused.value.faults] == ["/heuristics", "/weights"]
    with pytest.raises(InvalidRequest, match="greedy would not look at them"):
        plan(request(algorithms=["greedy"], weights=[2.0]))
    assert len(plan(request(algorithms=["auto", "astar"], weights=[1.0, 2.0])).configurations) == 3


def test_the_same_heuristic_twice_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="is the same heuristic as s2-face-distance"):
        plan(request(heuristics=["s2-face-distance", "ceil(face_distance(0, 1, 2, 7) / 15)"]))


def test_too_many_rows_are_refused_before_any_is_made() -> None:
    with pytest.raises(InvalidRequest, match="200,004; the most is 100,000"):
        plan(
            request(k=[1, 2], trials=100_000, heuristics=["a", "b"], weights=[1.0]).model_copy(
                update={"trials": 50_001}
            )
        )
    assert len(plan(request(k=[1], trials=100_000))) == 100_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": {"from": 5, "to": 3}}, {"k": []}, {"k": [-1]}, {"k": [True]}, {"k": {"from": 1}}, {"trials": 0},
        {"trials": 1.5}, {"seed": -1}, {"algorithms": []}, {"algorithms": ["magic"]}, {"weights": [0.5]},
        {"weights": [float("nan")]}, {"heuristics": [""]}, {"tie_breaking": "random"}, {"unknown": 1}, {"puzzle": 3},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_requests_are_refused(wrong: dict[str, Any]) -> None:
    right = {"puzzle": "megaminx", "k": {"from": 3, "to": 4}, "seed": 1}
    assert ExperimentRequest.model_validate(right).ks() == (3, 4)
    with pytest.raises(ValidationError):
        ExperimentRequest.model_validate(right | wrong)


def test_a_request_survives_json() -> None:
    for given in (request(), request(k=[9, 2], true_distance=True, weights=[1.0, 3.0])):
        assert ExperimentRequest.model_validate_json(given.model_dump_json()) == given
    assert '"k":{"from":3,"to":5}' in request().model_dump_json()


@pytest.mark.parametrize(
    ("text", "ks"),
    [("3-14", range(3, 15)), (" 3 - 5 ", (3, 4, 5)), ("7", (7,)), ("3,5,8-10", (3, 5, 8, 9, 10)), ("5,3", (3, 5))],
)
def test_ks_are_read_as_people_write_them(text: str, ks: Iterable[int]) -> None:
    request = ExperimentRequest.model_validate({"puzzle": "8-puzzle", "seed": 1, "k": text})
    assert request.ks() == tuple(ks)
    assert ExperimentRequest.model_validate_json(request.model_dump_json()) == request


@pytest.mark.parametrize("text", ["", "three", "5-3", "3-", "-3", "1-10001", "3..5", "\u0663-\u0665", "1," * 600 + "1"])
def test_texts_that_name_no_k_are_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="expected numbers and ranges such as 3-14"):
        ExperimentRequest.model_validate({"puzzle": "8-puzzle", "seed": 1, "k": text})
