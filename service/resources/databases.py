"""``/v1/databases``: build a pattern database in advance, so that no search has to wait for it."""

from __future__ import annotations

from typing import Literal

from hstar.databases.requests import BuildProgress, BuiltDatabase, DatabaseRequest, find
from hstar.schema import Job
from service.context import context
from service.job_resource import JobResource


class DatabaseJob(Job[DatabaseRequest, BuildProgress, BuiltDatabase]):
    """A job that builds a pattern database."""

    kind: Literal["database"] = "database"


def check(request: DatabaseRequest) -> None:
    """Raise `HstarError` unless the pattern exists and building it fits into the memory of a job."""
    find(request, context().settings.caps.memory_mib)


def name(request: DatabaseRequest) -> dict[str, int]:
    """The key of the database, and its size in bytes."""
    found = find(request)
    return {found.identity: found.states}


bp = JobResource(
    path="databases",
    kind="database",
    noun="pattern database",
    request=DatabaseRequest,
    object=DatabaseJob,
    check=check,
    databases=name,
    examples={
        "megaminx": {
            "summary": "Megaminx: three corners, for counter-clockwise turns",
            "value": {"puzzle": "megaminx", "pattern": "corners:3", "moves": "ccw"},
        },
        "tiles": {"summary": "8-puzzle: all tiles in two patterns", "value": {"puzzle": "8-puzzle", "pattern": "4-4"}},
    },
    tag={"name": "Pattern databases", "description": "Lookup tables of heuristics, built before the searches."},
    submit="Searches whose heuristic names `pdb(...)`, and `auto`, build their tables on first use, which may take "
    "minutes. Build them in advance here; the answer gives their sizes. They stay on the worker's machine.",
    quick=False,
).blueprint()
