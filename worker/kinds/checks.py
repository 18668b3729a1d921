"""Verifications, analyses and audits: ``/v1/verifications``, ``/v1/analyses``, and two below ``/v1/audits``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from hstar import schema
from hstar.analysis import Analysis, AnalysisRequest, analyse
from hstar.audits import heuristic, model
from hstar.audits.model import ModelAudit, ModelAuditRequest
from hstar.audits.schema import HeuristicAudit, HeuristicAuditRequest
from hstar.search.control import Control, Stopped
from hstar.verification import Verification, VerificationRequest, verify
from worker.kinds.kind import Ending, Kind, Work

Request = TypeVar("Request", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)


def _check(name: str, request: type[Request], check: Callable[[Request, Control], Answer]) -> Kind[Request, Answer]:
    """A kind whose answer is the result of ``check``; a cancelled check has no answer."""

    def run(asked: Request, work: Work) -> Ending[Answer]:
        control = work.control
        work.progress = lambda: schema.Progress(expanded=control.expanded, generated=control.generated)
        found = check(asked, control)
        if control.cancelled:  # its result may be incomplete
            raise Stopped
        return Ending(found)

    return Kind(name=name, request=request, run=run)


def _audit_model(asked: ModelAuditRequest, control: Control) -> ModelAudit:
    return model.audit(asked)


VERIFICATION: Kind[VerificationRequest, Verification] = _check("verification", VerificationRequest, verify)
ANALYSIS: Kind[AnalysisRequest, Analysis] = _check("analysis", AnalysisRequest, analyse)
HEURISTIC_AUDIT: Kind[HeuristicAuditRequest, HeuristicAudit] = _check(
    "heuristic-audit", HeuristicAuditRequest, heuristic.audit
)
MODEL_AUDIT: Kind[ModelAuditRequest, ModelAudit] = _check("model-audit", ModelAuditRequest, _audit_model)
