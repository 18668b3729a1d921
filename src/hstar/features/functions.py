"""Functions of one's own as features: ``python("NAME")`` in an expression.

The library and the command line give a function a name in this process (`named`), and expressions look it up. Reading
an expression runs no code and opens no file. So a server, where nothing is ever named, refuses them.

>>> text = named(lambda state: 0, lambda puzzle, state: state, "nothing")
>>> text
'python("nothing")'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from threading import Lock
from traceback import extract_tb
from typing import Any, NamedTuple

from hstar.errors import Fault, FeatureError, HeuristicFailed
from hstar.features.base import Feature
from hstar.features.registry import Arguments, quoted
from hstar.puzzles.base import Puzzle

__all__ = ["NAME", "FunctionFeature", "named", "of_puzzle", "watching"]

NAME = "python"
#: values are from -LARGEST to LARGEST
LARGEST = 1_000_000
#: so many values of a function are kept: all of a puzzle whose states are all looked at for a proof
KEPT = 250_000

Function = Callable[[Any], Any]


class _Named(NamedTuple):
    function: Function
    view: Callable[[Puzzle, bytes], Any]  # what the function takes


_functions: dict[str, _Named] = {}
_naming = Lock()


def named(function: Function, view: Callable[[Puzzle, bytes], Any], name: str | None = None) -> str:
    """The expression of a function in this process. Another function of the same name gets a number.

    :param view: what the function is called with, from a puzzle and the bytes of a state
    """
    own = name or str(getattr(function, "__name__", type(function).__name__))
    with _naming:
        number, chosen = 1, own
        while chosen in _functions and _functions[chosen].function is not function:
            number += 1
            chosen = f"{own} {number}"
        _functions.setdefault(chosen, _Named(function, view))
    return f"{NAME}({quoted(chosen)})"


@dataclass(frozen=True, kw_only=True, eq=False)
class FunctionFeature(Feature):
    """A function of the user. Nothing is known of it: its bounds are those that are checked at each call.

    The first values are kept, and never asked for again. So where all states were looked at, the values that a search
    uses are those that were looked at, whatever the function does (``fixed``).
    """

    puzzle: Puzzle
    called: _Named
    _known: dict[bytes, float] = field(default_factory=dict)
    _failures: list[BaseException] = field(default_factory=list)
    _stops: list[Callable[[], None]] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return False

    @property
    def fixed(self) -> bool:
        """Whether every value that was asked for is kept."""
        return len(self._known) < KEPT

    def evaluate(self, state: bytes) -> float:
        """The function's value.

        :raises HeuristicFailed: it raised an error, or returned something that is not a number in range
        """
        value = self._known.get(state)
        if value is None:
            value = self._value(state)
            if len(self._known) < KEPT:
                value = self._known.setdefault(state, value)
        return value

    def _value(self, state: bytes) -> float:
        seen = self.called.view(self.puzzle, state)
        try:
            returned = self.called.function(seen)
            value = float(returned) if not isinstance(returned, (str, bytes)) else float("nan")
        except Exception as error:
            where = [f"{Path(frame.filename).name}, line {frame.lineno}" for frame in extract_tb(error.__traceback__)][
                1:
            ]
            place = f" ({where[-1]})" if where else ""
            fault = Fault(repr(seen), f"{type(error).__name__}: {error}{place}")
            raise HeuristicFailed(f"the heuristic {self.name} failed", [fault]) from error
        if not isfinite(value) or abs(value) > LARGEST:
            fault = Fault(repr(seen), f"it returned {returned!r}, expected a number up to {LARGEST:,}")
            raise HeuristicFailed(f"the heuristic {self.name} failed", [fault])
        return value

    def _for_kernel(self, state: bytes) -> float:
        """`evaluate` without errors: the first one ends what is watched, and is raised then."""
        if not self._failures:
            try:
                return self.evaluate(state)
            except BaseException as error:
                self._failures.append(error)
                for stop in self._stops:
                    stop()
        return 0.0

    def kernel_feature(self) -> tuple[str, Callable[[bytes], float]]:
        return "function", self._for_kernel


@contextmanager
def watching(features: Iterable[Feature], stop: Callable[[], None]) -> Iterator[None]:
    """While the kernel calls these features in the block, a function that fails calls ``stop``; its error is raised at
    the end of the block."""
    own = [feature for feature in features if isinstance(feature, FunctionFeature)]
    for feature in own:
        feature._failures.clear()
        feature._stops.append(stop)
    try:
        yield
    finally:
        for feature in own:
            feature._stops.remove(stop)
    for failures in [feature._failures for feature in own if feature._failures]:
        raise failures.pop()


def of_puzzle(puzzle: Puzzle, arguments: Arguments) -> Feature:
    """The feature of a function that has a name here.

    :raises FeatureError: there is none of this name
    :raises HeuristicFailed: it fails at the goal
    """
    match arguments:
        case (str(name),) if name in _functions:
            wide = dict.fromkeys(puzzle.moves, (2 * LARGEST, 2 * LARGEST))
            feature = FunctionFeature(
                name=f"{NAME}({quoted(name)})", low=-LARGEST, high=LARGEST, at_goal=0, changes=wide, puzzle=puzzle,
                called=_functions[name],
            )  # fmt: skip
            return replace(feature, at_goal=feature.evaluate(puzzle.solved))
    raise FeatureError(
        "the name of a function of this process; give functions to hstar.solve(..., heuristic=f), or as "
        "--heuristic FILE.py:FUNCTION. A server runs none"
    )
