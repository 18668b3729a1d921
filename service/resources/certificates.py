"""Certificates: proofs of answers, and of what is wrong, as files for `checker/check.py`."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from apiflask import APIBlueprint
from flask import Response, send_file

from hstar.audits.schema import HeuristicAuditRequest
from hstar.certificates import Refused, refutations, verdicts
from hstar.certificates.refutations import Refutation
from hstar.errors import InvalidState
from hstar.heuristics import get_heuristic
from hstar.heuristics.check import HeuristicCheckRequest, check
from hstar.puzzles import get_puzzle
from hstar.schema import Job, Solve
from service.context import context
from service.errors import ProblemError
from service.formats import CERTIFICATE, content
from service.job_resource import JOBS, find_job, shown
from service.openapi import READ_PROBLEMS, answers, responses
from service.resources.heuristic_audits import HeuristicAuditJob
from service.resources.model_audits import ModelAuditJob
from service.resources.verifications import VerificationJob
from service.schema import StateRequest
from store.certificates import SUFFIX, CertificateFiles

bp = APIBlueprint("certificates", __name__, url_prefix="/v1", tag=JOBS)


@bp.get("/jobs/<id>/certificate")
@bp.doc(
    operation_id="getCertificate",
    responses=responses(
        {200: {"description": "The file", "content": content(hcert=True), "headers": answers("ETag")}},
        *READ_PROBLEMS, "not-found", "no-certificate",
    ),
)  # fmt: skip
def get_certificate(id: str) -> Response:
    """Read the certificate of a job

    Of a solve with `"certificate": true`: a proof of its answer. The solve says whether there is one, its size, and
    its SHA-256, which is also the `ETag`. Of an audit of a heuristic: a state and a solution that is shorter than h, or
    a move that lowers h by more than 1. Of an audit of a model: a word of its turns that has another order in the
    puzzle, a turn that loses facelets, or a wrong state. Of a verification: where the moves lead, or a shorter
    solution. The format is described in docs/certificates.md.
    """
    with context().sessions.read() as session:
        row = find_job(session, id)
        (job,) = shown(session, [row])
    if isinstance(job, Solve):
        return _proof(job, CertificateFiles.of(context().settings).path(row.id, row.attempt))
    refute = _REFUTES.get(type(job))
    if refute is None or not isinstance(job, Job):
        raise ProblemError("no-certificate", f"a job of the kind {row.kind} has none")
    asked, found = job.request, job.answer
    if found is None:
        raise ProblemError("no-certificate", f"the job is {job.status} and has no answer")
    if isinstance(asked, HeuristicAuditRequest) and asked.heuristic is not None:
        _check_tables(asked.puzzle, asked.goal, asked.moves, asked.heuristic)
    return _refutation(job.id, lambda: refute(asked, found))


_REFUTES: Mapping[type, Callable[[Any, Any], Refutation]] = {
    HeuristicAuditJob: verdicts.of_heuristic_audit,
    ModelAuditJob: verdicts.of_model_audit,
    VerificationJob: verdicts.of_verification,
}


def _proof(solve: Solve, path: Path) -> Response:
    """The file of a solve's proof."""
    made = solve.certificate
    if made is None:
        raise ProblemError("no-certificate", 'none was asked for: `"certificate": true`')
    if made.status != "made":
        raise ProblemError("no-certificate", made.reason or "the search has not ended")
    if not path.is_file():
        raise ProblemError("no-certificate", "its file is not on this machine, or was deleted")
    name = f"{solve.id}{SUFFIX}"
    return send_file(path, CERTIFICATE, as_attachment=True, download_name=name, etag=made.sha256 or False)


def of_heuristic(asked: HeuristicCheckRequest) -> Response:
    """The file for what a check of a heuristic refutes."""
    _check_tables(asked.puzzle, asked.goal, asked.moves, asked.heuristic)
    return _refutation("heuristic", lambda: verdicts.of_check(asked, check(asked)))


def of_state(asked: StateRequest) -> Response:
    """The file that proves that no moves lead from a state to the goal."""
    if asked.state is None:
        raise ProblemError("no-certificate", "only a `state` can be one from which the goal is not reached")
    puzzle = get_puzzle(asked.puzzle, asked.goal)
    moves = puzzle.move_set(asked.moves, costs=True)
    try:
        held = puzzle.contents(puzzle.parse_state(asked.state))
    except InvalidState as error:
        if error.held is None:
            raise
        held = error.held
    return _refutation("unsolvable", lambda: refutations.unsolvable(puzzle, moves, held))


def _check_tables(puzzle: str, goal: list[int] | None, moves: str | None, heuristic: str) -> None:
    """Refuse heuristics whose tables would have to be built first."""
    board = get_puzzle(puzzle, goal)
    features = get_heuristic(heuristic, board, board.move_set(moves, costs=True)).expression.features
    if not all(feature.kept for feature in features):
        text = "the heuristic's tables are not on this machine; `hstar check --certificate` writes the file"
        raise ProblemError("no-certificate", text)


def _refutation(name: str, refute: Callable[[], Refutation]) -> Response:
    file = io.BytesIO()
    try:
        refute().write(file)
    except Refused as refused:
        raise ProblemError("no-certificate", str(refused)) from None
    response = Response(file.getvalue(), content_type=CERTIFICATE)
    response.headers["Content-Disposition"] = f"attachment; filename={name}{SUFFIX}"
    return response
