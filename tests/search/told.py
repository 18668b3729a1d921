"""Searches that end as they are told, for tests of what the methods of plans do then.

So a test reaches, at once and on every machine, what otherwise needs a large puzzle or a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hstar.search import Budget, SolveRequest, prepare
from hstar.search.control import Stopped
from hstar.search.methods.constructive import Words
from hstar.search.run import Run
from tests.search.test_budget import Clock

#: two moves from solved
CUBE = {"puzzle": "2x2x2", "alg": "R U"}
SHORT, LONG = ("U'", "R'"), ("U'", "F", "F'", "R'")


class Way(NamedTuple):
    """How a beam of words has ended."""

    ending: str
    moves: bytes = b"\0"
    expanded: int = 1
    generated: int = 2
    stored: int = 3
    peak_bytes: int = 4


@dataclass
class Chain:
    """A chain whose beams end as they are told, the last ones by solutions; what they were asked."""

    endings: list[str] = field(default_factory=list)
    complete: bool = True
    asked: list[tuple[Any, int, dict[str, Any]]] = field(default_factory=list)
    at_each: Callable[[], None] = lambda: None

    def descend(self, element: Any, width: int, outlook: float, seconds: float, control: Any, **options: Any) -> Way:
        assert outlook == Words().outlook
        self.asked.append((element, width, options))
        self.at_each()
        return Way(self.endings.pop(0) if self.endings else "done")


def begun(question: Mapping[str, Any] = CUBE, clock: Clock | None = None, **limits: Any) -> Run:
    """A run whose clock stands still until it is told to go on."""
    problem = prepare(SolveRequest.model_validate({**question, "limits": limits}))
    return Run(problem, Budget(problem.limits, clock=clock or Clock()), {})


def stopped(*_: Any, **__: Any) -> Any:
    raise Stopped


def nothing(*_: Any, **__: Any) -> None:
    """Of what there is none of."""


class Ended(NamedTuple):
    """How a search of the kernel has ended."""

    status: str
    path: Sequence[int] = ()
    limit: str | None = None
    expanded: int = 0
    generated: int = 0
    stored: int = 0
    peak_bytes: int = 0
    f_bound: float = 0.0
    layers: Sequence[tuple[float, int]] = ()
    seconds: float = 1.0
