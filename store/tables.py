"""All tables, for Alembic and for tests: importing this module completes ``Base.metadata``."""

from store.counts.models import Count
from store.database.base import Base
from store.experiments.models import Experiment, ExperimentMember, ExperimentTable
from store.grading.models import (
    StoredAssignment,
    StoredNotation,
    StoredRecord,
    StoredRegradeRequest,
    StoredRosterLine,
    StoredSubmission,
    StoredUpload,
    StoredVersion,
)
from store.jobs.models import Job
from store.owners.models import ApiKey, Change, IdempotencyKey, OwnerDatabase
from store.parts.models import PartSeen
from store.puzzles.models import AddedPuzzle, Scramble
from store.remembered.models import RememberedResult
from store.solves.models import Solve, SolveDocument, SolveTag
from store.statistics.models import Rollup, UncountedSolve
from store.webhooks.models import Message, Webhook

__all__ = [
    "AddedPuzzle",
    "ApiKey",
    "Base",
    "Change",
    "Count",
    "Experiment",
    "ExperimentMember",
    "ExperimentTable",
    "IdempotencyKey",
    "Job",
    "Message",
    "OwnerDatabase",
    "PartSeen",
    "RememberedResult",
    "Rollup",
    "Scramble",
    "Solve",
    "SolveDocument",
    "SolveTag",
    "StoredAssignment",
    "StoredNotation",
    "StoredRecord",
    "StoredRegradeRequest",
    "StoredRosterLine",
    "StoredSubmission",
    "StoredUpload",
    "StoredVersion",
    "UncountedSolve",
    "Webhook",
]
