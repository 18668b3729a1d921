"""Breadth-first heuristic search: few layers in memory, the others on disk or dropped."""

from __future__ import annotations

from hstar import _kernel
from hstar.errors import Fault, InvalidRequest
from hstar.search.method import Method
from hstar.search.run import Search


def search(asked: Search) -> _kernel.Outcome:
    given = asked.files | asked.limits
    try:
        return _kernel.layered(*asked.question, asked.heuristic.kernel, threads=asked.threads, **given)
    except ValueError as error:  # the rest of the question has been checked
        raise InvalidRequest("the directory cannot be used", [Fault("/directory", str(error))]) from None


METHOD = Method(
    name="layered",
    summary="breadth-first below rising thresholds of f; few layers are kept, what memory cannot hold on disk",
    duplicates="exact",
    forbidden=True,
    search=search,
    options=("heuristic", "threads", "directory", "disk_mib"),
    optimal=True,
    layers=True,
)
