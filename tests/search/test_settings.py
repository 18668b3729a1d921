"""Constants of methods that a step of a plan sets: each is in force, and shares nothing with other values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hstar.errors import InvalidRequest
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import SolveRequest
from hstar.search import prepare, solve
from hstar.search.anytime.orbit_by_orbit import OrbitByOrbit, OrbitSettings
from hstar.search.anytime.rankings import Ranking
from hstar.search.methods.constructive import Pieces
from tests.search.test_orbit_by_orbit import Rows, discs
from tests.search.test_spins import ring

Answer = tuple[Any, ...]

CONSTRUCTIVE: list[dict[str, Any]] = [{"method": "constructive"}]
BEAMS = [*CONSTRUCTIVE, {"method": "beams", "settings": {"widths": [[20, 1], [40, 2], [60, 1]], "last_moves": 40}}]
SPINS = [{"method": "spins"}]
PHASES = [{"method": "two_phase"}]
BEAM = [{"method": "beam", "width": 50}]
BOARDS = [*CONSTRUCTIVE, {"method": "beams", "settings": {"board": {"width": 50, "widest": 50}}}]


def constructive(**settings: Any) -> list[dict[str, Any]]:
    return [{"method": "constructive", "settings": settings}]


OTHER_ORDERS = constructive(chains={"long": 0})
ORBITS = constructive(chains={"large": 1})
FEW_PAIRS = constructive(orbits={"pairs": {"most": 1}})
NO_WORDS = constructive(alike={"tried": 0}, orbits={"most": 1, "listed": 1, "rounds": 0})


def turned(sizes: tuple[int, ...], orientations: int, seed: int) -> Rows:
    """Two random moves that permute and turn the pieces of each orbit."""
    random, rows = Random(seed), {}
    for name in ("a", "b"):
        row: list[int] = []
        for n in sizes:
            to, by = random.sample(range(n), n), [random.randrange(orientations) for _ in range(n)]
            row += _places(to, by, orientations, len(row))
        rows[name] = row
    return rows


def _places(to: list[int], by: list[int], n: int, begin: int) -> list[int]:
    return [begin + n * to[i] + (k + by[i]) % n for i in range(len(to)) for k in range(n)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[None]:
    definitions = {
        "turned": {"generators": turned((6, 7), 2, 2)},
        "nested": {"generators": turned((4, 5, 6), 3, 5)},
        "listed": {"generators": turned((4, 5, 5), 3, 29)},
        "discs": {"generators": discs()},
        "coloured": {"generators": discs(), "central_state": [*range(7), *[7] * 10, 8]},
        "spun": ring(6, C5={"A": 1, "B": 2}, C3={"B": 1}),
    }
    with looking_in(Folder(tmp_path)):
        for name, definition in definitions.items():
            Folder(tmp_path).add(read_any_definition(definition, name))
        yield


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
    "orbits/words": ("turned", ORBITS, 20),
    "orbits/commutators": ("turned", ORBITS, 5),
    "orbits/power": ("turned", ORBITS, 2),
    "orbits/few": ("turned", ORBITS, 1),
    "orbits/near": ("turned", ORBITS, 1),
    "orbits/cycles": ("turned", ORBITS, 1),
    "orbits/pool_conjugates": ("nested", ORBITS, 0),
    "orbits/conjugates": ("listed", ORBITS, 0),
    "orbits/longest": ("turned", ORBITS, 10),
    "orbits/places": ("turned", ORBITS, 2_000),
    "orbits/seeds": ("turned", ORBITS, 3),
    "orbits/repeated": ("turned", ORBITS, 1),
    "orbits/conjugating": ("turned", ORBITS, 2),
    "orbits/most": ("turned", ORBITS, 50),
    "orbits/kept": ("turned", ORBITS, 1),
    "orbits/rounds": ("turned", ORBITS, 0),
    "orbits/pool": ("turned", ORBITS, 2),
    "orbits/listed": ("discs", ORBITS, 10),
    "orbits/counted": ("discs", ORBITS, 2),
    "orbits/listing": ("discs", ORBITS, 1),
    "orbits/looked_at": ("discs", ORBITS, 5),
    "orbits/made_of": ("discs", ORBITS, 1),
    "orbits/pairs/most": ("pancake:140", CONSTRUCTIVE, 1),
    "orbits/pairs/fewest": ("pancake:140", FEW_PAIRS, 4),
    "orbits/pairs/thirds": ("topspin:130", CONSTRUCTIVE, 1),
    "spins/words": ("spun", SPINS, 2),
    "spins/moves": ("spun", SPINS, [2]),
    "spins/most": ("spun", SPINS, 8),
    "alike/tried": ("coloured", CONSTRUCTIVE, 0),
    "alike/most_orbits": ("coloured", CONSTRUCTIVE, 0),
    "alike/expanded": ("coloured", NO_WORDS, 0),
    "entries": ("3x3x3", PHASES, 100_000),
    "ranking/manhattan": ("15-puzzle", BEAM, 1.0),
    "ranking/excess": ("15-puzzle", BEAM, 0),
    "ranking/pairs": ("15-puzzle", BEAM, 0),
    "board/rankings": ("tiles:5x5", BOARDS, [{"manhattan": 1.0, "excess": 1.25, "pairs": 0.0}]),
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
    assert set(CASES) | {"orbits/sifted", "orbits/tries", "spins/besides"} == {
        "entries",
        *leaves(Pieces),
        *leaves(Ranking, "ranking/"),
        "board/rankings",
    }


def test_so_many_words_are_tried_before_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = get_puzzle("discs")
    assert isinstance(puzzle, PermutationPuzzle)
    for tries in (1, 3):
        ways, asked = OrbitByOrbit(puzzle, puzzle.move_set(None), OrbitSettings(tries=tries)), list[Any]()
        monkeypatch.setattr(ways, "_solve", lambda *given, asked=asked: asked.append(given))
        assert ways.solve(puzzle.solved) is None
        assert len(asked) == tries


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
        ("constructive", "orbits/power", 0), ("beam", "ranking/pairs", 11), ("spins", "spins/moves", []),
        ("insertions", "alike/tried", -1), ("insertions", "misplaced", []),
        ("constructive", "width", 0), ("beam", "chains/endless", 1),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_refused_by_step_and_setting(method: str, setting: str, value: Any) -> None:
    plan = changed([*CONSTRUCTIVE, {"method": method}], setting, value)
    with pytest.raises(InvalidRequest) as refused:
        prepare(SolveRequest.model_validate({"puzzle": "2x2x2", "random": 1, "algorithm": "plan", "plan": plan}))
    assert [fault.where for fault in refused.value.faults] == [f"/plan/1/settings/{setting}"]
