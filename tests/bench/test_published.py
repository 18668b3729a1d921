"""Published instances: what is asked and replayed is what was published, and a run goes on where it was."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bench.published.__main__ import ask, generators, main, plot
from bench.published.replay import cube, globe, replayed, slid, turned_over, wreath
from bench.published.sets import OURS, SETS, Instance, sample
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition

SHIPPED = [name for name, one in SETS.items() if one.licence]


def first(name: str, folder: Path = OURS) -> Instance:
    return SETS[name].instances(folder)[0]


@pytest.mark.parametrize("name", SHIPPED)
def test_samples_are_in_the_project(name: str) -> None:
    instances = SETS[name].instances(OURS)
    assert len(instances) == len({one.id for one in instances}) == 20
    assert all(not one.replays([]) and one.published for one in instances)


def test_every_puzzle_turns_as_its_written_copy() -> None:
    """Random moves lead to the same colours as the built-in cube, and undo each other."""
    cube3 = get_puzzle("3x3x3")
    moves, random = ("R", "F", "D'", "L", "B'", "U"), Random(1)
    for _ in range(5):
        alg = random.choices(moves, k=20)
        with_scramble = {"id": "0", "scramble (quarter turns)": " ".join(alg), "optimum (quarter turns)": "20",
                         "deepcubea_length": "20"}  # fmt: skip
        instance = SETS["cube3-quarter-turns"].read(with_scramble, OURS)
        assert instance.replays(cube3.inverse_alg(alg))
        assert not instance.replays(cube3.inverse_alg(alg)[:-1])
        assert not instance.replays(["R2", *cube3.inverse_alg(alg)])  # a half turn is no move
    for rows in (cube(4), globe(2, 3), globe(3, 4), wreath(7), wreath(12)):
        points = list(range(len(next(iter(rows.values())))))
        for name in rows:
            assert replayed(rows, points, [name]) != points
            assert replayed(rows, points, [name, f"-{name}"]) == points


def test_boards_and_stacks_are_replayed() -> None:
    assert slid([1, 2, 3, 0], 2, ["L"]) == [1, 2, 0, 3]
    assert slid([1, 2, 3, 0], 2, ["R"]) is None
    assert slid([1, 2, 3, 0], 2, ["D"]) is None
    assert turned_over([2, 0, 1], ["f3", "f2"]) == [0, 1, 2]


def test_globes_and_cubes_are_those_of_the_competition() -> None:
    """Rows from the competition's files."""
    assert globe(1, 8)["f0"][:17] == [23, 22, 21, 20, 19, 18, 17, 16, 8, 9, 10, 11, 12, 13, 14, 15, 7]
    assert globe(1, 8)["f9"][:10] == [25, 1, 2, 3, 4, 5, 6, 7, 8, 16]
    assert globe(1, 8)["r0"][14:18] == [15, 0, 16, 17]
    assert wreath(21)["r"] == [21, 1, 2, 3, 4, 5, 34, *range(7, 21), *range(22, 34), 6, *range(35, 40), 0]


def write(folder: Path, name: str, rows: list[dict[str, Any]], definition: dict[str, Any] | None = None) -> None:
    with (folder / f"{name}.csv").open("w", newline="") as file:
        lines = csv.DictWriter(file, rows[0])
        lines.writeheader()
        lines.writerows(rows)
    if definition:
        (folder / f"{name}.json").write_text(json.dumps(definition))


def test_a_contest_is_read_run_gone_on_with_and_submitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two turns of a 2x2x2 of the contest's form, in colours."""
    rows = cube(2)
    both = rows | {f"-{name}": replayed(rows, list(range(24)), [name] * 3) for name in rows}
    goal = [i // 4 for i in range(24)]
    starts = {"a": replayed(both, goal, ["f0", "r1"]), "b": replayed(both, goal, ["d0"])}
    table = [{"id": key, "state": " ".join(map(str, state)), "published_length": 2} for key, state in starts.items()]
    write(tmp_path, "cube4", table, {"generators": both, "central_state": goal})
    results, answers = tmp_path / "results.jsonl", tmp_path / "answers.csv"
    arguments = ["cube4", "--data", str(tmp_path), "--seconds", "20", "--results", str(results)]
    assert main([*arguments, "--sample", "1"]) == 0
    assert len(results.read_text().splitlines()) == 1
    with results.open("a") as file:
        file.write('{"set": "cub')  # a run that was killed as it wrote
        file.write("\n")
    assert main([*arguments, "--submission", str(answers), "--plot", str(tmp_path / "plot.svg")]) == 0
    assert len(results.read_text().splitlines()) == 3
    assert "| 4x4x4 | 2 of 2 | 1.50 | 1.50 | 2 | published 2.00 |" in capsys.readouterr().out
    given = {row["initial_state_id"]: row["path"].split(".") for row in csv.DictReader(answers.open())}
    assert {key: replayed(both, starts[key], moves) for key, moves in given.items()} == dict.fromkeys(starts, goal)
    assert (tmp_path / "plot.svg").read_text().count("4x4x4")


def test_a_plot_has_the_mean_from_when_all_have_a_solution_to_the_limit() -> None:
    results = [{"steps": [[1, 9], [3, 7]], "limit": 5}, {"steps": [[2, 5]], "limit": 5}]
    (line,) = plot({"two": results}).axes[0].lines
    assert np.array([line.get_xdata(), line.get_ydata()]).tolist() == [[2, 3, 5], [7, 6, 6]]


def test_posted_generators_are_asked_without_other_moves(tmp_path: Path) -> None:
    rows = wreath(6)
    row = {"id": "0", "puzzle_type": "wreath_6/6", "initial_state": "A;" * 9 + "B", "solution_state": "B" + ";A" * 9,
           "winning_length": "3"}  # fmt: skip
    instance = SETS["santa2023"].read(row, tmp_path)
    assert instance.definition is not None
    with looking_in(Folder(tmp_path)):
        Folder(tmp_path).add(read_any_definition(instance.definition))
        moves = get_puzzle(instance.asked["puzzle"]).move_set(generators(instance)["moves"]).moves
    assert sorted(moves) == sorted([*rows, *(f"-{name}" for name in rows)])


def test_labels_that_are_all_different_are_read(tmp_path: Path) -> None:
    rows, goal = wreath(6), [f"N{i}" for i in range(10)]
    start = replayed(rows, goal, ["l", "r"])
    row = {"id": "0", "puzzle_type": "wreath_6/6", "initial_state": ";".join(start), "solution_state": ";".join(goal),
           "winning_length": "2"}  # fmt: skip
    instance = SETS["santa2023"].read(row, tmp_path)
    assert instance.definition is not None
    with looking_in(Folder(tmp_path)):
        Folder(tmp_path).add(read_any_definition(instance.definition))
        assert ask(instance, "anytime", 5, 1, 512)["length"] == 2


def test_samples_are_spread() -> None:
    instances = [Instance(str(i), {}, {"length": i}, lambda moves: True) for i in range(100)]
    assert [one.published["length"] for one in sample(instances, 4)] == [12, 37, 62, 87]
    assert len(sample(instances, 200)) == 100


def test_what_cannot_be_read_has_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cube4", "--data", str(tmp_path)])
    assert "cube4.csv" in capsys.readouterr().err
    (tmp_path / "tiles15.csv").write_text("id,board\n0,1 2 x\n")
    with pytest.raises(SystemExit):
        main(["tiles15", "--data", str(tmp_path)])
    assert "tiles15.csv, line 2" in capsys.readouterr().err
