"""The counters of `anytime` and `auto` are those of the searches that they ran, and each gets its share of the time.

Every search of the kernel is watched while it runs as usual, so these tests know nothing of the code in between.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import pytest

from hstar import _kernel
from hstar.search import Result, SolveRequest, prepare, solve
from tests.conftest import TEST_ALL


@dataclass(frozen=True)
class Part:
    """One search of the kernel: its counters, and the seconds that it was allowed."""

    name: str
    outcome: Any
    seconds: float | None

    def __getattr__(self, counter: str) -> int:
        # A beam evaluates all that it generates, reopens nothing, and has no other queue than what it stores.
        return int(getattr(self.outcome, counter, self.outcome.generated if counter == "evaluated" else 0))


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """Each search that the kernel has run since."""
    seen: list[Part] = []

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            outcome = function(*given, **named)
            if isinstance(outcome, _kernel.Outcome | _kernel.Descent):
                # Its limit of time is the only large number with a point.
                floats = [one for one in (*given, *named.values()) if isinstance(one, float) and one < inf]
                seconds = max(floats, default=None)
                seen.append(Part(getattr(function, "__qualname__", function.__name__), outcome, seconds))
            return outcome

        return call

    for name, found in list(vars(_kernel).items()):
        if isinstance(found, type):
            for method, function in list(vars(found).items()):
                if callable(function) and not method.startswith("_") and not isinstance(function, type):
                    monkeypatch.setattr(found, method, watched(function))
        elif callable(found) and not name.startswith("_"):
            monkeypatch.setattr(_kernel, name, watched(found))
    return seen


def run(puzzle: str, algorithm: str, **limits: float) -> Result:
    asked = {"puzzle": puzzle, "random": 1, "algorithm": algorithm, "limits": limits}
    return solve(prepare(SolveRequest.model_validate(asked)))


#: with so many expansions each runs several searches of different kinds
SEVERAL = [
    ("tiles:2x7", "anytime", 600_000),
    ("tiles:2x9", "anytime", 600_000),
    ("3x3x3", "anytime", 150_000),
    ("tiles:2x9", "auto", 600_000),
    ("tiles:5x5", "auto", 200_000),
]


@pytest.mark.parametrize(("puzzle", "algorithm", "expanded"), SEVERAL)
def test_the_counters_are_those_of_all_parts(parts: list[Part], puzzle: str, algorithm: str, expanded: int) -> None:
    result = run(puzzle, algorithm, expanded=expanded)
    assert len(parts) >= 2
    counters = result.counters
    for name in ("expanded", "generated", "evaluated", "reopened"):
        assert getattr(counters, name) == sum(getattr(part, name) for part in parts), name
    for name in ("max_open", "peak_bytes"):
        found = getattr(result if name == "peak_bytes" else counters, name)
        assert found == max(getattr(part, name) for part in parts), name
    # Never the sum: memory is free again after each search.
    assert parts[-1].stored <= counters.stored <= max(part.stored for part in parts)
    assert counters.stored < sum(part.stored for part in parts) or sum(part.stored > 0 for part in parts) == 1


def test_weighted_searches_of_anytime_reopen_states(parts: list[Part]) -> None:
    counters = run("tiles:2x7", "anytime", expanded=600_000).counters
    assert sum(part.reopened > 0 for part in parts) > 1
    assert counters.reopened > max(part.reopened for part in parts)
    assert counters.max_open > 0


#: seconds, so many that what is used up meanwhile does not matter
LONG = 6e5


@pytest.mark.parametrize("puzzle", ["tiles:2x7", "tiles:2x9", "megaminx", *(["3x3x3"] if TEST_ALL else [])])
def test_anytime_shares_its_time(parts: list[Part], puzzle: str) -> None:
    """The exact search of near states gets little, and what improves the solution afterwards most of the time."""
    run(puzzle, "anytime", expanded=400_000, seconds=LONG)
    exact = [part for part in parts if part.name in ("ida_star", "bidirectional")]
    assert 0.02 * LONG < (exact[0].seconds or 0) < 0.1 * LONG
    later = parts[parts.index(exact[0]) :]  # the first solution may take all of it
    others = [part.seconds for part in later if part not in exact and part.seconds is not None and part.seconds <= LONG]
    assert 0.5 * LONG < max(others) < 0.97 * LONG
