"""Rows and requests for the tests of experiments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any, get_args

from hypothesis import strategies as st

from hstar import schema, search
from hstar.experiments.design import Design, plan
from hstar.experiments.rows import ExperimentRow, row_of
from hstar.experiments.schema import ExperimentRequest, KRange

#: how searches end, or that they have not
ENDINGS = ("queued", "running", "solved", "exhausted", "limit_reached", "cancelled", "failed")


def span(first: int, last: int) -> KRange:
    return KRange.model_validate({"from": first, "to": last})


def request(**fields: Any) -> ExperimentRequest:
    """A small experiment like that of report S2."""
    given: dict[str, Any] = {
        "puzzle": "megaminx", "scramble_moves": "cw", "moves": "ccw", "k": span(3, 5), "trials": 2, "seed": 7,
        "heuristics": ["s2-face-distance"], "limits": schema.LimitsIn(expanded=2_000_000),
    }  # fmt: skip
    return ExperimentRequest(**(given | fields))


def searched(design: Design) -> list[ExperimentRow]:
    """All rows, searched in this process."""
    rows = []
    for planned in design.rows():
        problem = search.prepare(design.solve_request(planned))
        rows.append(row_of(design, planned, search.answer(problem, search.solve(problem))))
    return rows


@cache
def searched_once(**fields: Any) -> tuple[ExperimentRow, ...]:
    """The same, cached for other tests; the fields are `request`'s, with tuples for lists."""
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    return tuple(searched(plan(request(**listed))))


def ended(ending: str) -> dict[str, Any]:
    """The status and the outcome of a search that ended so."""
    outcome = ending if ending in get_args(schema.SolveOutcome) else None
    return {"status": "done" if outcome else ending, "outcome": outcome}


def row(index: int = 0, ending: str = "solved", **fields: Any) -> ExperimentRow:
    """A row as if from a database."""
    given: dict[str, Any] = {
        "index": index, "role": "search", "k": 3, "trial": index + 1, "seed": index, "puzzle": "megaminx",
        "scramble_moves": "cw", "moves": "ccw", "algorithm": "astar", "heuristic": "h", "expression": "0",
        "tie_breaking": "low_h", **ended(ending),
    }  # fmt: skip
    return ExperimentRow(**(given | fields))


def without_times(rows: Iterable[ExperimentRow]) -> list[ExperimentRow]:
    """The rows in order, without wall-clock time, which does not depend on the seed."""
    return [replace(one, seconds=None) for one in sorted(rows, key=lambda one: one.index)]


counts = st.integers(0, 2**40)
seconds = st.floats(0, 1e6, allow_nan=False, allow_subnormal=False)


layers = st.none() | st.lists(st.tuples(st.floats(0, 1e3), counts), min_size=1, max_size=4).map(tuple)


@st.composite
def rows(draw: st.DrawFn, max_size: int = 40) -> list[ExperimentRow]:
    """Rows of every outcome, with the counters that such a search has."""
    found = []
    for index in range(draw(st.integers(0, max_size))):
        ending = draw(st.sampled_from(ENDINGS))
        has_run = ending in ("solved", "exhausted", "limit_reached") or (ending == "cancelled" and draw(st.booleans()))
        solved = ending == "solved"
        length = draw(st.integers(0, 20)) if solved else None
        found.append(
            row(
                index,
                k=draw(st.integers(3, 6)),
                heuristic=draw(st.sampled_from(["one", "two"])),
                ending=ending,
                expanded=draw(counts) if has_run else None,
                expanded_last_layer=draw(counts) if solved else None,
                generated=draw(counts) if has_run else None,
                seconds=draw(seconds) if has_run else None,
                layers=draw(layers) if has_run else None,
                length=length,
                lower_bound=length if solved else draw(st.integers(0, 20)) if has_run else None,
                branching_effective=draw(st.floats(1, 12)) if length else None,
            )
        )
    return found
