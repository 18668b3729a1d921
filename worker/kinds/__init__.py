"""The kinds of jobs that a worker runs: one module each, and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hstar import heuristics
from worker.kinds.checks import HEURISTIC_AUDIT, MODEL_AUDIT, VERIFICATION
from worker.kinds.database import DATABASE
from worker.kinds.grading import GRADING
from worker.kinds.kind import Kind
from worker.kinds.solve import SOLVE, told_at_submission

KINDS: Mapping[str, Kind[Any, Any]] = {
    kind.name: kind for kind in (SOLVE, DATABASE, VERIFICATION, HEURISTIC_AUDIT, MODEL_AUDIT, GRADING)
}


def forget() -> None:
    """Free the heuristics and databases that jobs have left in this process's memory."""
    told_at_submission.cache_clear()
    heuristics.forget()
