"""Experiments over given instances and random states: files, known sets, rows, and stated optima."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import hstar
from bench.korf import instances as korf
from hstar.errors import InvalidRequest
from hstar.experiments.compare import compare
from hstar.experiments.design import instance_seed, plan
from hstar.experiments.export import read_rows_csv, rows_csv
from hstar.experiments.instances import SETS, known_set, read_instances
from hstar.experiments.schema import ExperimentRequest
from hstar.puzzles import get_puzzle
from hstar.search import prepare, solve
from tests.experiments.builders import searched

BOARDS = ["2 8 3 / 1 6 4 / 0 7 5", "1 2 3 / 8 0 4 / 7 6 5", "1 2 3 / 0 8 4 / 7 6 5"]


def request(**fields: Any) -> ExperimentRequest:
    return ExperimentRequest.model_validate({"puzzle": "8-puzzle", "heuristics": ["manhattan"]} | fields)


def test_every_form_of_a_file_is_read(tmp_path: Path) -> None:
    lines, table, listed = (tmp_path / name for name in ("boards.txt", "boards.csv", "boards.json"))
    lines.write_text(f"# three boards\n{BOARDS[0]}\n\n{BOARDS[1]}  # solved\n{BOARDS[2]}\n")
    assert [one.state for one in read_instances(lines)] == BOARDS
    table.write_text(f'\ufeffname,optimum,state,seconds\na,5,"{BOARDS[0]}",7.5\nb,,"[1,2,3,8,0,4,7,6,5]",\n')
    found = read_instances(table)
    assert [(one.name, one.optimum, one.state) for one in found] == [
        ("a", 5, BOARDS[0]),
        ("b", None, [1, 2, 3, 8, 0, 4, 7, 6, 5]),
    ]
    listed.write_text(json.dumps([BOARDS[0], {"alg": "U R", "name": "two"}, {"tiles": [1, 2, 3, 8, 0, 4, 7, 6, 5]}]))
    assert [(one.name, one.start) for one in read_instances(listed)] == [
        (None, {"state": BOARDS[0]}),
        ("two", {"alg": "U R"}),
        (None, {"state": {"tiles": [1, 2, 3, 8, 0, 4, 7, 6, 5]}}),
    ]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("x.csv", "board\n1 2 3\n", "/instances: expected a column state or alg, found board"),
        ("x.csv", 'state,optimum\n"1 2",many\n', "/instances/0/optimum"),
        ("x.json", "[1", "/instances: "),
        ("x.json", '[{"state": "1", "alg": "U"}]', "/instances/0: give exactly one of state and alg"),
        ("x.txt", "# nothing\n", "/instances"),
        ("none", None, "/instances: No such file or directory; or give one of korf-15-puzzle"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_place(tmp_path: Path, name: str, text: str | None, fault: str) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(InvalidRequest) as error:
        read_instances(path)
    assert str(error.value.faults[0]).startswith(fault)


def test_the_known_sets_are_korfs() -> None:
    hundred = known_set("korf-15-puzzle")
    assert [(one.text, one.optimum) for one in hundred] == [
        (" ".join(map(str, one.board)), one.length) for one in korf()
    ]
    fifty = known_set("korf-24-puzzle")
    assert (len(fifty), sum(one.optimum or 0 for one in fifty)) == (50, 5039)
    for name in SETS:
        design = plan(request(puzzle={24: "tiles:5x5", 15: "15-puzzle"}[int(name[5:7])], instances=name))
        assert len(design) == len(known_set(name))


def test_rows_search_the_given_states() -> None:
    given = [{"state": BOARDS[0], "name": "far", "optimum": 5}, {"alg": "U R", "optimum": 2}, BOARDS[2]]
    design = plan(request(instances=given, heuristics=["manhattan", "misplaced-tiles"]))
    rows = searched(design)
    assert [(row.index, row.trial, row.instance, row.start, row.optimum) for row in rows] == [
        (0, 1, "far", BOARDS[0], 5), (1, 1, "far", BOARDS[0], 5), (2, 2, "2", "U R", 2), (3, 2, "2", "U R", 2),
        (4, 3, "3", BOARDS[2], None), (5, 3, "3", BOARDS[2], None),
    ]  # fmt: skip
    puzzle = get_puzzle("8-puzzle")
    for row, asked in zip(rows, design.rows(), strict=True):
        alone = solve(prepare(design.solve_request(asked)))
        assert alone.counters is not None
        assert (row.k, row.seed, row.scramble, row.scramble_moves) == (None, None, None, None)
        assert (row.length, row.expanded, row.optimality) == (alone.length, alone.counters.expanded, "proven")
        state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(row.start or "")) if row.trial == 2 else None
        state = puzzle.parse_state(row.start) if state is None else state
        assert puzzle.apply_alg(state, (row.solution or "").split()) == puzzle.solved
    assert list(read_rows_csv(rows_csv(rows))) == rows
    first, second = rows[::2], rows[1::2]
    assert compare(first, second).instances == 3
    other = searched(plan(request(instances=[BOARDS[1]])))
    assert compare(first, other).instances == 0


def test_solutions_are_compared_with_stated_optima() -> None:
    given = [{"state": BOARDS[0], "optimum": n, "name": str(n)} for n in (5, 6, 7)] + [{"alg": "U", "name": "one"}]
    found = hstar.experiment("8-puzzle", instances=given, heuristics=["manhattan"], jobs=1).report.table.quality[0]
    assert found.stated is not None
    assert (found.stated.compared, found.stated.optimal, found.stated.longest_excess) == (3, 1, 1)
    assert (found.stated.found, found.stated.stated, found.stated.wrong) == (18, 18, ["5", "7"])
    assert found.sentence.endswith(
        "as short as stated 1 of 3, longest +1 (18 moves in all, 18 stated); the stated optimum is wrong for 5, 7"
    )
    assert hstar.experiment("8-puzzle", instances=BOARDS, jobs=1).report.table.quality[0].stated is None


def test_random_states_have_seeds_of_their_own() -> None:
    design = plan(request(random=3, seed=7))
    assert [row.seed for row in design.rows()] == [instance_seed(7, None, trial) for trial in (1, 2, 3)]
    assert len({row.seed for row in design.rows()}) == 3
    rows = searched(design)
    for row in rows:
        again = hstar.puzzle("8-puzzle").random(row.seed or 0) @ (row.solution or "")
        assert again.is_solved
    assert (
        design.fingerprint != plan(request(random=3, seed=8)).fingerprint != plan(request(random=4, seed=8)).fingerprint
    )


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, "give exactly one of k, instances and random; found none of them"),
        ({"k": [3], "random": 2}, "found k and random"),
        ({"random": 2, "trials": 3}, "only scrambles, which k asks for, have trials"),
        ({"instances": BOARDS, "scramble_moves": "slide"}, "only scrambles, which k asks for, have scramble_moves"),
        ({"instances": "korf"}, "expected a list of instances, or one of korf-15-puzzle, korf-24-puzzle"),
        ({"instances": []}, "at least 1"),
    ],
)
def test_a_request_has_one_kind_of_instances(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        request(**fields)


def test_faults_name_the_instance() -> None:
    given = [BOARDS[0], "1 2 3", {"alg": "Q", "name": "1"}]
    with pytest.raises(InvalidRequest) as error:
        plan(request(instances=given))
    assert [fault.where for fault in error.value.faults] == ["/instances/1", "/instances/2", "/instances/2/name"]


def test_states_of_the_library_are_instances() -> None:
    cube = hstar.puzzle("2x2x2")
    given: list[Any] = [cube.scramble(3, seed=1), {"state": cube.scramble(4, seed=2), "name": "four", "optimum": 4}]
    found = hstar.experiment("2x2x2", instances=given, jobs=1)
    assert [(row.instance, row.outcome, row.optimality) for row in found.rows] == [
        ("1", "solved", "proven"),
        ("four", "solved", "proven"),
    ]
