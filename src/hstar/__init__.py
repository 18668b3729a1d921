"""hstar solves permutation puzzles and sliding tiles, proves whether a solution is optimal and a heuristic admissible,
and counts every node.

>>> import hstar                                                                  # doctest: +SKIP
>>> print(hstar.solve("8-puzzle", k=20, heuristic="manhattan"))
>>> hstar.heuristic("misplaced_cells", "8-puzzle").check().reason

This is the library. It uses no web service, queue or database. `hstar.session` documents each name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hstar.errors import HstarError

if TYPE_CHECKING:
    from hstar.client import AsyncClient, Client
    from hstar.session import (
        Experiment,
        Heuristic,
        Puzzle,
        Solution,
        State,
        algorithms,
        check,
        experiment,
        heuristic,
        puzzle,
        shorten,
        solve,
    )

__version__ = "0.3.0"

__all__ = [
    "AsyncClient",
    "Client",
    "Experiment",
    "Heuristic",
    "HstarError",
    "Puzzle",
    "Solution",
    "State",
    "algorithms",
    "check",
    "experiment",
    "heuristic",
    "puzzle",
    "shorten",
    "solve",
]


def __getattr__(name: str) -> Any:
    # Imported on first use, so that parts of the library can be imported alone.
    if name in ("AsyncClient", "Client"):
        return getattr(import_module("hstar.client"), name)
    if name in __all__:
        return getattr(import_module("hstar.session"), name)
    if name in ("puzzles", "heuristics"):  # packages, which list these when they are called
        return import_module(f"hstar.{name}")
    raise AttributeError(f"module 'hstar' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "heuristics", "puzzles", "__version__"]
