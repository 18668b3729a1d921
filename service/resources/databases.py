"""``/v1/databases``: build a pattern database ahead, so that no search has to wait for it."""

from __future__ import annotations

from hstar.databases.requests import BuildProgress, BuiltDatabase, DatabaseRequest, find
from hstar.schema import Job
from service.context import context
from service.job_resource import JobResource


class DatabaseJob(Job[DatabaseRequest, BuildProgress, BuiltDatabase]):
    """A pattern database that is to be built, is being built, or is there."""


def check(request: DatabaseRequest) -> None:
    """Is there such a pattern, and does building it fit into the memory that a job may take?"""
    find(request, context().settings.caps.memory_mib)


def name(request: DatabaseRequest) -> dict[str, int]:
    """What identifies the database, and its bytes."""
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
    tag={"name": "Pattern databases", "description": "Tables that heuristics look up, built ahead of the searches."},
    submit="Searches whose heuristic names `pdb(...)`, and `auto`, build their tables on first use, which may take "
    "minutes. Build them ahead here; the answer says how large they are. They stay on the worker's machine.",
    quick=False,
).blueprint()
