"""Random solves with every outcome, and the same as rows for the library's statistics."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert

from hstar import schema
from hstar.experiments.rows import ExperimentRow
from store.database import Sessions
from store.ids import created_at, new_id
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.states import State
from store.solves.models import Solve, SolveTag
from store.solves.status import DONE, Status

ENDINGS = ("solved", "solved", "solved", "limit_reached", "exhausted", "cancelled", "failed")
COUNTERS = tuple(name for name in schema.Counters.model_fields if not name.startswith("branching"))


def random_solve(draw: random.Random, **fixed: Any) -> dict[str, Any]:
    """The columns of one solve: any outcome, counters from 0 to 2^45, many equal ones."""
    status = fixed.pop("status", None) or draw.choice([*ENDINGS, "queued", "running"])
    identifier = new_id()
    ended = status in ENDINGS
    ran = status in ("solved", "limit_reached", "exhausted") or (status == "cancelled" and draw.random() < 0.5)
    heuristic = draw.choice(["manhattan", "ceil(misplaced_tiles / 2)"])
    values: dict[str, Any] = {
        "id": identifier,
        "created_at": created_at(identifier),
        "kind": "solve",
        "request": "{}",
        "state": State(status if status in ("queued", "running", "cancelled", "failed") else "done"),
        "status": Status(status),
        "outcome": Status(status) if ended else None,
        "owner": "ann",
        "worker": "w" if status == "running" else None,
        "lease_until": created_at(identifier) if status == "running" else None,
        "attempt": 1,
        "losses": 0,
        "priority": 0,
        "cancel_requested": False,
        "finished_at": created_at(identifier) if ended else None,
        "puzzle": draw.choice(["8-puzzle", "megaminx"]),
        "goal": draw.choice([None, "1,2,3,8,0,4,7,6,5"]),
        "moves": draw.choice(["slide", "cw"]),
        "algorithm": draw.choice(["astar", "astar", "greedy", "auto", "anytime"]),
        "weight": draw.choice([1.0, 1.5]),
        "width": draw.choice([None, 100]),
        "heuristic": heuristic,
        "tie_breaking": draw.choice(["low_h", "fifo"]),
        "limit_memory_mib": 64,
        "scramble_moves": draw.choice([None, "cw"]),
        "k": draw.choice([None, 3, 4, 5]),
        "limit": "expanded" if status == "limit_reached" else None,
        "error": "it broke" if status == "failed" else None,
        "solution": [] if status == "solved" else None,
    }
    for name in (*COUNTERS, "peak_bytes"):
        values[name] = draw.choice([draw.randrange(6), draw.randrange(3000), draw.randrange(2**45)]) if ran else None
    values |= {
        "seconds": draw.random() * 10 ** draw.randrange(-6, 5) if ran else None,
        "length": None,
        "lower_bound": draw.randrange(20) if ran and draw.random() < 0.9 else None,
        "branching_generated": None,
        "branching_effective": None,
    }
    if status == "solved":
        length = draw.randrange(6)
        values |= {"length": length, "lower_bound": length, "optimality": "proven"}
        if draw.random() < 0.4:
            values |= {"length": length + 1, "optimality": "feasible"}
        if length:
            values |= {"branching_generated": draw.random() * 9, "branching_effective": 1 + draw.random() * 9}
    else:
        values |= {"expanded_last_layer": None, "expanded_before_last_layer": None, "optimality": None}
    return values | fixed


def insert_solves(sessions: Sessions, solves: Sequence[dict[str, Any]]) -> None:
    """Insert them into the database."""
    with sessions.write() as session:
        for table in (Job.__table__, Solve.__table__):
            names = {column.name for column in table.columns}
            rows = [{name: value for name, value in solve.items() if name in names} for solve in solves]
            session.execute(insert(table), rows)  # type: ignore[arg-type]


def tag(sessions: Sessions, key: str, values: dict[str, str]) -> None:
    """Give solves, by their id, a tag."""
    with sessions.write() as session:
        tags = [{"solve_id": solve, "key": key, "value": value} for solve, value in values.items()]
        session.execute(insert(SolveTag.__table__), tags)  # type: ignore[arg-type]


def end_by_machine(sessions: Sessions, solve_id: str) -> None:
    """End a queued solve by the state machine, as cancelled."""
    assert sessions.run(lambda session: machine.request_cancel(session, solve_id)) is State.CANCELLED


def row_of(solve: dict[str, Any], index: int = 0) -> ExperimentRow:
    """The same solve as a row for the library's own statistics."""
    return ExperimentRow(
        index=index, role="search", k=solve["k"], trial=1, seed=index, puzzle=solve["puzzle"],
        scramble_moves=solve["scramble_moves"], moves=solve["moves"], algorithm=solve["algorithm"],
        heuristic=solve["heuristic"], expression=solve["heuristic"], tie_breaking=solve["tie_breaking"],
        status=solve["state"].value, outcome=solve["status"].value if solve["status"] in DONE else None,
        length=solve["length"], optimality=solve["optimality"],
        lower_bound=solve["lower_bound"], seconds=solve["seconds"], peak_bytes=solve["peak_bytes"],
        branching_generated=solve["branching_generated"], branching_effective=solve["branching_effective"],
        **{name: solve[name] for name in COUNTERS},
    )  # fmt: skip
