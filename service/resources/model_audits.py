"""``/v1/audits/model``: is a student's model of a puzzle correct?"""

from __future__ import annotations

from typing import Literal

from hstar.audits.model import ModelAudit, ModelAuditRequest, check
from hstar.schema import Job, Progress
from service.job_resource import JobResource


class ModelAuditJob(Job[ModelAuditRequest, Progress, ModelAudit]):
    """A job that audits a model; its answer is the output of `hstar audit model --json`."""

    kind: Literal["model-audit"] = "model-audit"


bp = JobResource(
    path="audits/model",
    kind="model-audit",
    noun="model audit",
    request=ModelAuditRequest,
    object=ModelAuditJob,
    check=check,
    examples={
        "turns": {
            "summary": "Two turns of a model that is not a Megaminx: new[i] = old[p[i]]",
            "value": {"puzzle": "megaminx", "turns": {"U": [1, 2, 3, 4, 0], "F": [0, 1, 3, 2, 4]}},
        },
    },
    tag={"name": "Model audits", "description": "Is a student's model the puzzle, its mirror image, or wrong?"},
    submit="Compares a student's turns, with slots numbered in any way, with the puzzle: the same up to names and "
    "numbering, its mirror image, or wrong, with the shortest explanation first.",
    quick=False,
).blueprint()
