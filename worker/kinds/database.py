"""Building a pattern database in advance, so that no search has to wait for it: ``POST /v1/databases``.

The tables are stored on the worker's machine (``HSTAR_DATABASES``), where later searches find them.
"""

from __future__ import annotations

import time

from hstar.databases.requests import BuildProgress, BuiltDatabase, DatabaseRequest, describe, find
from worker.kinds.kind import Ending, Kind, Work


def run(request: DatabaseRequest, work: Work) -> Ending[BuiltDatabase]:
    """Build the tables, or open existing ones."""
    databases = find(request)

    def progress() -> BuildProgress:
        building, built = work.control.building or (None, None)
        return BuildProgress(building=building, built=built)

    work.progress = progress
    began = time.monotonic()
    with work.control.watching_builds():
        databases.load()
    return Ending(describe(databases, request, time.monotonic() - began))


DATABASE = Kind(name="database", request=DatabaseRequest, run=run)
