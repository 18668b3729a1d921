"""What ``hstar solve`` advises can be followed: its options and commands are accepted."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, get_args

import pytest

from hstar import schema, search
from hstar.commands.answer import next_thing_to_try
from hstar.databases.requests import DatabaseRequest, find
from hstar.heuristics.analysis import Verdicts
from hstar.options import MAX_WIDTH, OPTIONS
from hstar.schema import SolveRequest
from hstar.search import ALGORITHMS
from tests.command_line import run

PLAN = '[{"method": "beam", "width": 5}]'
#: a value of each option that is not its default
GIVEN = {"heuristic": "manhattan", "weight": "2", "width": "7", "tie_breaking": "lifo", "plan": PLAN}
SOLVED = search.prepare(SolveRequest(puzzle="8-puzzle", alg=""))
UNKNOWN = SOLVED.heuristic.verdicts(SOLVED.moves)


class _Read(Exception):
    """The command was accepted."""


def _accept(*_: Any, **__: Any) -> Any:
    raise _Read


def follow(advice: str, puzzle: str, words: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each command of the advice, and ask again with each option of it."""
    found = re.findall(
        r"a larger (--[\w-]+)|a (--width) above (\d+)|(--algorithm) (\w+)(?: without (--[\w-]+(?: and --[\w-]+)*))?",
        advice,
    )
    assert found or "`" in advice, advice
    for larger, width, above, algorithm, name, without in found:
        asked = dict(words)
        if larger:
            asked[larger] = "999"
        elif width:
            asked[width] = str(int(above) + 1)
        else:
            asked[algorithm] = name
            for flag in without.split(" and ") if without else ():
                del asked[flag]
        command = ["solve", puzzle, "--k", "3", *(word for pair in asked.items() for word in pair)]
        with monkeypatch.context() as patch:
            patch.setattr("hstar.commands.solve._run", _accept)
            ended = run(*command)
        assert isinstance(ended.exception, _Read), (advice, command, ended.output)


@pytest.mark.parametrize("limit", get_args(schema.LimitName))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_to_try_after_every_limit(
    algorithm: schema.Algorithm, limit: schema.LimitName, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = "3x3x3" if algorithm == "two_phase" else "8-puzzle"
    for options in ([], [one for one in ALGORITHMS[algorithm].options if not OPTIONS[one].shown.local]):
        given = {name: GIVEN[name] for name in options} | ({"plan": PLAN} if algorithm == "plan" else {})
        words = {"--algorithm": algorithm} | {OPTIONS[name].flag: value for name, value in given.items()}
        problem = search.prepare(
            SolveRequest.model_validate(
                {"puzzle": puzzle, "scramble": {"k": 3, "seed": 0}, "algorithm": algorithm, **given}, strict=False
            )
        )
        asked = search.question(problem)
        ended = asked.model_copy(update={"status": "done", "outcome": "limit_reached", "limit": limit})
        advice = next_thing_to_try(ended, UNKNOWN, given=given)
        assert advice is not None
        follow(advice, puzzle, words, monkeypatch)
        feasible = {
            "status": "done",
            "outcome": "solved",
            "optimality": "feasible",
            "length": 5,
            "lower_bound": 3,
            "weight": 1.0,
        }
        advice = next_thing_to_try(asked.model_copy(update=feasible), UNKNOWN, given=given)
        assert advice is not None
        follow(advice, puzzle, words, monkeypatch)


def test_no_width_above_the_largest() -> None:
    problem = search.prepare(SolveRequest(puzzle="8-puzzle", alg="", algorithm="beam", width=MAX_WIDTH))
    ended = search.question(problem).model_copy(update={"status": "done", "outcome": "limit_reached", "limit": "width"})
    advice = next_thing_to_try(ended, UNKNOWN, given={"width"})
    assert advice == "No state was left in the beam. Try --algorithm auto without --width."


def test_a_weight_is_not_blamed_for_a_wrong_heuristic() -> None:
    wrong = Verdicts("refuted", "refuted", "h = 9 where h* = 2", counterexample=("U",))
    asked = search.question(search.prepare(SolveRequest(puzzle="8-puzzle", alg="", weight=2)))
    feasible = {"status": "done", "outcome": "solved", "optimality": "feasible", "length": 5, "lower_bound": 3}
    advice = next_thing_to_try(asked.model_copy(update=feasible), wrong, given={"weight"})
    assert advice is not None
    assert "Try --algorithm auto without --weight to prove which." in advice


def test_where_tables_took_too_long_it_says_how_to_build_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    asked = search.question(search.prepare(SolveRequest(puzzle="8-puzzle", alg="")))
    ended = asked.model_copy(update={"status": "done", "outcome": "limit_reached", "limit": "seconds"})
    for request in (
        DatabaseRequest(puzzle="8-puzzle", pattern="4-4", goal="8 7 6 5 4 3 2 1 0"),  # type: ignore[arg-type]
        DatabaseRequest(puzzle="pyraminx", pattern="edges:2"),
    ):
        databases = find(request)
        assert not databases.kept
        advice = next_thing_to_try(ended, UNKNOWN, [databases, databases])
        assert advice is not None
        (command,) = re.findall(r"`(hstar database build [^`]*)` first", advice)
        assert advice.startswith(
            f"The limit on seconds ended the search. Try `{command}` first, or a larger --limit-sec"
        )
        assert run(*shlex.split(command)[1:]).exit_code == 0
        assert find(request).kept
    assert list(tmp_path.iterdir())


def test_another_move_set_only_where_there_is_one() -> None:
    for puzzle, others in (("8-puzzle", False), ("megaminx", True)):
        asked = search.question(search.prepare(SolveRequest(puzzle=puzzle, alg="")))
        advice = next_thing_to_try(asked.model_copy(update={"status": "done", "outcome": "exhausted"}), UNKNOWN)
        assert ("another move set" in str(advice)) == others
        if others:
            assert run("puzzles", puzzle).exit_code == 0
