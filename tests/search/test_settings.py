"""Constants of methods that a step of a plan sets: each is in force, and shares nothing with other values."""

from __future__ import annotations

from typing import Any

import pytest

from hstar.errors import InvalidRequest
from hstar.schema import SolveRequest
from hstar.search import prepare, solve
from hstar.search.anytime.chains import ChainSettings

Answer = tuple[Any, ...]

CONSTRUCTIVE: list[dict[str, Any]] = [{"method": "constructive"}]
BEAMS = [*CONSTRUCTIVE, {"method": "beams", "settings": {"widths": [[20, 1], [40, 2], [60, 1]], "last_moves": 40}}]
OTHER_ORDERS = [{"method": "constructive", "settings": {"chains": {"long": 0}}}]

#: by setting: the puzzle, the plan, of whose last step it is, and another value than the default
CASES: dict[str, tuple[str, list[dict[str, Any]], Any]] = {
    "chains/quick/half": ("skewb", CONSTRUCTIVE, 2),
    "chains/quick/last_halves": ("skewb", CONSTRUCTIVE, [1, 1]),
    "chains/quick/most": ("2x2x2", CONSTRUCTIVE, 50),
    "chains/quick/words": ("2x2x2", CONSTRUCTIVE, 2),
    "chains/quick/matches": ("2x2x2", CONSTRUCTIVE, 100),
    "chains/thorough/half": ("2x2x2", BEAMS, 1),
    "chains/thorough/last_halves": ("pyraminx", BEAMS, [1, 1]),
    "chains/thorough/most": ("2x2x2", BEAMS, 50),
    "chains/thorough/words": ("2x2x2", BEAMS, 2),
    "chains/thorough/matches": ("2x2x2", BEAMS, 100),
    "chains/before_last": ("skewb", CONSTRUCTIVE, 1.0),
    "chains/large": ("2x2x2", CONSTRUCTIVE, 1),
    "chains/long": ("skewb", CONSTRUCTIVE, 0),
    "chains/too_long": ("lrx:9", CONSTRUCTIVE, 1000.0),
    "chains/probes": ("skewb", OTHER_ORDERS, 1),
    "chains/probe_moves": ("skewb", OTHER_ORDERS, 1),
    "chains/probe_width": ("skewb", OTHER_ORDERS, 500),
    "chains/probe_outlook": ("skewb", OTHER_ORDERS, 3.0),
    "chains/endings": ("2x2x2", BEAMS, 1),
    "chains/perimeter": ("2x2x2", BEAMS, 5),
}


def leaves(model: Any, before: str = "") -> list[str]:
    found: list[str] = []
    for name, field in model.model_fields.items():
        inner = field.annotation
        nested = isinstance(inner, type) and hasattr(inner, "model_fields")
        found += leaves(inner, f"{before}{name}/") if nested else [before + name]
    return found


def changed(plan: list[dict[str, Any]], setting: str, value: Any) -> list[dict[str, Any]]:
    """The plan with another value of a setting of its last step."""

    def merged(old: dict[str, Any], path: list[str]) -> dict[str, Any]:
        name, *rest = path
        return {**old, name: merged(old.get(name, {}), rest) if rest else value}

    *before, last = plan
    return [*before, {**last, "settings": merged(last.get("settings", {}), setting.split("/"))}]


def answer(puzzle: str, plan: list[dict[str, Any]]) -> Answer:
    asked = {"puzzle": puzzle, "random": 1, "algorithm": "plan", "plan": plan, "limits": {"expanded": 20_000}}
    found = solve(prepare(SolveRequest.model_validate(asked)))
    return found.status, found.solution, found.counters


def test_each_setting_has_a_case() -> None:
    assert set(CASES) == {f"chains/{name}" for name in leaves(ChainSettings)}


@pytest.mark.parametrize("setting", CASES)
def test_a_setting_is_in_force_and_shares_nothing_with_another_value(setting: str) -> None:
    puzzle, plan, value = CASES[setting]
    before = answer(puzzle, plan)
    other = answer(puzzle, changed(plan, setting, value))
    assert other != before
    assert answer(puzzle, plan) == before
    assert answer(puzzle, changed(plan, setting, value)) == other


@pytest.mark.parametrize(
    ("method", "setting", "value"),
    [
        ("constructive", "chains/quick/half", 9), ("beam", "chains/quick/most", 0),
        ("beams", "chains/thorough/words", -1),
        ("spins", "chains/before_last", 0), ("insertions", "chains/probes", 0), ("beam", "chains/large", 0),
        ("beams", "chains/perimeter", 10**9), ("insertions", "beams", 0), ("insertions", "rounds", []),
        ("insertions", "misplaced", []), ("constructive", "width", 0), ("beam", "chains/endless", 1),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_refused_by_step_and_setting(method: str, setting: str, value: Any) -> None:
    plan = changed([*CONSTRUCTIVE, {"method": method}], setting, value)
    with pytest.raises(InvalidRequest) as refused:
        prepare(SolveRequest.model_validate({"puzzle": "2x2x2", "random": 1, "algorithm": "plan", "plan": plan}))
    assert [fault.where for fault in refused.value.faults] == [f"/plan/1/settings/{setting}"]
