"""``/v1/audits/model``: is a student's model of a puzzle that puzzle?"""

from __future__ import annotations

from hstar.audits.model import ModelAudit, ModelAuditRequest
from hstar.puzzles import get_puzzle
from hstar.schema import Job, Progress
from service.job_resource import JobResource


class ModelAuditJob(Job[ModelAuditRequest, Progress, ModelAudit]):
    """A model that is to be audited, or has been: the answer is what `hstar audit model --json` prints."""


def check(request: ModelAuditRequest) -> None:
    """Is there such a puzzle? What is wrong with the model is the answer."""
    get_puzzle(request.puzzle)


bp = JobResource(
    path="audits/model",
    kind="model-audit",
    noun="model audit",
    request=ModelAuditRequest,
    object=ModelAuditJob,
    check=check,
    examples={
        "turns": {
            "summary": "Two turns of what is no Megaminx: new[i] = old[p[i]]",
            "value": {"puzzle": "megaminx", "turns": {"U": [1, 2, 3, 4, 0], "F": [0, 1, 3, 2, 4]}},
        },
    },
    tag={"name": "Model audits", "description": "Is a student's model the puzzle, its mirror image, or wrong?"},
    submit="Compares a student's turns, over slots of their own, with the puzzle: the same under other names and "
    "numbers, its mirror image, or wrong, with the shortest explanation first.",
    quick=False,
).blueprint()
