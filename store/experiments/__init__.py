"""Experiments: a request, and the solves that are its rows."""

from store.experiments.records import (
    Standing,
    Version,
    create,
    find_same,
    get,
    list_experiments,
    request_cancel,
    request_of,
    rows,
    standing_of,
    tallies_of,
    version_of,
)

__all__ = [
    "Standing",
    "Version",
    "create",
    "find_same",
    "get",
    "list_experiments",
    "request_cancel",
    "request_of",
    "rows",
    "standing_of",
    "tallies_of",
    "version_of",
]
