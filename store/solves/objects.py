"""From rows to the API's objects."""

from __future__ import annotations

from typing import cast

from hstar import schema
from hstar.labels import named
from hstar.puzzles import get_puzzle, make_scramble
from hstar.search.methods import METHODS
from hstar.search.prepare import started_by
from store.database.options import OPTION_COLUMNS
from store.ids import created_at
from store.jobs.objects import about
from store.jobs.states import State
from store.solves.models import Solve
from store.solves.submission import NewSolve


def to_object(solve: Solve) -> schema.Solve:
    """The solve with its request's names, for a row whose ``document`` is loaded (as by `store.solves.queries`)."""
    return named(to_canonical_object(solve))


def as_submitted(new: NewSolve) -> schema.Solve:
    """What `to_object` returns for the row of a job that was just submitted, without reading the row."""
    update = {"id": new.id, "owner": new.owner, "created_at": created_at(new.id), "about": about(new.job().request)}
    return named(new.question.model_copy(update=update))


def to_canonical_object(solve: Solve) -> schema.Solve:
    """The same with our names of faces and moves, even if the request has labels."""
    document, job = solve.document, solve.job
    return schema.Solve(
        id=solve.id,
        owner=solve.owner,
        status=job.state.value,
        outcome=_outcome(solve),
        about=about(job.request),
        puzzle=solve.puzzle,
        goal=_goal(solve),
        moves=solve.moves,
        algorithm=cast(schema.Algorithm, solve.algorithm),
        method=cast(schema.Method | None, solve.method),
        **{name: getattr(solve, name) for name in OPTION_COLUMNS},
        heuristic=schema.HeuristicUsed.model_validate(document.heuristic),
        duplicate_detection=None if solve.method is None else METHODS[solve.method].duplicates,
        limits=schema.Limits(**{name: getattr(solve, f"limit_{name}") for name in schema.Limits.model_fields}),
        start=_start(solve),
        tags=document.tags,
        priority=job.priority,
        progress=_progress(solve),
        **dict(solve.answer),
        certificate=_certificate(solve),
        error=job.error,
        attempt=job.attempt,
        cancel_requested=job.cancel_requested,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


def _outcome(solve: Solve) -> schema.SolveOutcome | None:
    return cast(schema.SolveOutcome, solve.outcome.value) if solve.job.state is State.DONE and solve.outcome else None


def _start(solve: Solve) -> schema.Start:
    """The stored start; for rows of experiments, the start made from the scramble."""
    document = solve.document
    if document.start is not None:
        return schema.Start.model_validate(document.start)
    assert solve.k is not None
    assert solve.seed is not None
    puzzle = get_puzzle(solve.puzzle, _goal(solve))
    scramble = make_scramble(puzzle, solve.k, solve.seed, solve.scramble_moves)
    return started_by(scramble)


def _certificate(solve: Solve) -> schema.Certificate | None:
    kept = solve.document.certificate
    found = None if kept is None else schema.Certificate.model_validate(kept)
    if found is not None and found.status == "asked" and solve.status.final:  # without an answer nothing is made
        return schema.Certificate(status="none", reason="the solve ended without an answer")
    return found


def _goal(solve: Solve) -> list[int] | None:
    return None if solve.goal is None else [int(cell) for cell in solve.goal.split(",")]


def _progress(solve: Solve) -> schema.Progress | None:
    """Progress of a running job (zeros before its first heartbeat), or the last of an ended job without counters.

    The best solution of an earlier attempt, with which the next one begins, is shown until that attempt has progress.
    """
    job = solve.job
    if solve.answer.counters is not None:
        return None
    nothing = schema.Progress() if job.state is State.RUNNING else None
    if job.progress is None:
        return nothing
    last = schema.Progress.model_validate_json(job.progress).model_copy(update={"updated_at": job.progress_at})
    if job.has_progress:
        return last
    if last.best is None:
        return nothing
    return schema.Progress.model_validate(last.model_dump(include={"best", "best_length", "lower_bound", "updated_at"}))
