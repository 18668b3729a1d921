"""Heuristics: how they are written (`expression`), and what is known about them (`analysis`).

Their features are in `hstar.features`; each puzzle lists its named heuristics.

>>> heuristic = get_heuristic("ceil(misplaced_facelets / 15)", puzzle)            # doctest: +SKIP
>>> heuristic.verdicts(puzzle.move_set("ccw")).admissible                         # doctest: +SKIP
'proven'
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from types import ModuleType
from typing import Any

from hstar import _kernel
from hstar.databases import forget as forget_databases
from hstar.errors import MAX_NAME, InvalidExpression, clipped
from hstar.features.functions import FunctionFeature, watching
from hstar.heuristics.analysis import Verdicts, check_whole_space, look_nearby, looking_proves, prove
from hstar.heuristics.bounds import Bounds, bounds
from hstar.heuristics.expression import Expression, parse
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, puzzle_names
from hstar.puzzles.base import NamedHeuristic

__all__ = [
    "Heuristic",
    "canonical",
    "canonical_anywhere",
    "describe_all",
    "describe_named",
    "forget",
    "get_heuristic",
    "named_for",
]

_CACHE_SIZE = 256


@dataclass(frozen=True, eq=False)
class Heuristic:
    """A heuristic for one puzzle: its expression, its program for the kernel, and what is known about it."""

    puzzle: Puzzle
    name: str | None
    expression: Expression
    _verdicts: dict[MoveSet, Verdicts] = field(default_factory=dict)
    _looked: set[MoveSet] = field(default_factory=set)

    def __call__(self, state: bytes) -> float:
        """h(state) in plain Python, independently of the kernel."""
        return self.expression.evaluate(state)

    def verdicts(self, moves: MoveSet, deep: bool | None = None) -> Verdicts:
        """Is it admissible and consistent for this move set and what its moves cost?

        :param deep: also look for a counterexample in the states near the goal, and in all states of a puzzle with at
        most 200,000. This takes a fraction of a second, once, and longer if a database is built for it. Without it, the
        answer is only what the bounds prove; this takes milliseconds and opens no database. Left out: unless it is a
        function of the user, which may take long
        """
        known = self._verdicts.get(moves)
        if known is None:
            known = self._verdicts[moves] = prove(self.expression, moves)
        if deep is None:
            deep = not self._own
        if deep and moves not in self._looked:
            known = self._verdicts[moves] = look_nearby(self.expression, self._evaluate, self.puzzle, moves, known)
            self._looked.add(moves)
        return known

    def is_admissible(self, moves: MoveSet, deep: bool = True) -> bool:
        """Whether it is proven to be admissible. On a puzzle of more than 200,000 states this takes milliseconds: it
        looks for no counterexample near the goal, because it would prove nothing that there is none.

        A function of the user may take long, so it is looked at only where the user asks (`verdicts`, a check). What
        was seen counts as long as all its values are kept."""
        if not all(feature.fixed for feature in self._own):
            return prove(self.expression, moves).admissible == "proven"
        look = deep and looking_proves(self.puzzle) and not self._own
        return self.verdicts(moves, look).admissible == "proven"

    def check_whole_space(self, moves: MoveSet) -> Verdicts:
        """`verdicts`; if these leave something unknown and the puzzle has at most four million states, every state is
        checked, which takes seconds."""
        known = self._verdicts[moves] = check_whole_space(
            self.expression, self._evaluate, self.puzzle, moves, self.verdicts(moves, deep=True)
        )
        return known

    def _evaluate(self, state: State) -> float:
        return self(state) if self._own else self.kernel.evaluate(state)

    @cached_property
    def _own(self) -> list[FunctionFeature]:
        return [feature for feature in self.expression.features if isinstance(feature, FunctionFeature)]

    @property
    def here_only(self) -> bool:
        """Whether it has a function of the user, which only this process knows."""
        return bool(self._own)

    def watching(self, stop: Callable[[], None]) -> AbstractContextManager[None]:
        """While the kernel evaluates it in the block, a function of the user that fails calls ``stop``; its error is
        raised at the end of the block."""
        return watching(self._own, stop)

    def bounds(self, moves: MoveSet) -> Bounds:
        """Bounds that hold on every state: the range of h, and by how much one of these moves can change it."""
        return bounds(self.expression, moves)

    @property
    def integer(self) -> bool:
        """Whether every value is an integer; the open list is then a bucket queue."""
        return self._bounds.integer

    @cached_property
    def _bounds(self) -> Bounds:
        return bounds(self.expression, self.puzzle.move_set(None))

    @property
    def build_bytes(self) -> int:
        """Memory that `load` takes if it has to build a table."""
        return max((feature.build_bytes for feature in self.expression.features), default=0)

    @property
    def kept(self) -> bool:
        """Whether all its tables are in memory or in files, so that `load` has nothing to build."""
        return all(feature.kept for feature in self.expression.features)

    @property
    def build_seconds(self) -> float:
        """About how long this machine builds the tables that are not kept."""
        return sum(feature.build_seconds for feature in self.expression.features)

    def load(self) -> None:
        """Build or open the databases that it looks up. The first evaluation would do so too, but without progress
        reports.

        :raises MemoryError: there is not enough memory to build one
        """
        for feature in self.expression.features:
            feature.load()

    @cached_property
    def kernel(self) -> _kernel.Heuristic:
        """The program that the kernel runs."""
        return _kernel.Heuristic(
            self.puzzle.kernel,
            [feature.kernel_feature() for feature in self.expression.features],
            self.expression.root.postfix(),
            self.integer,
            self._bounds.of_doubles().high,
        )


def named_for(puzzle: Puzzle) -> list[NamedHeuristic]:
    """The named heuristics for a puzzle."""
    return list(puzzle.heuristics)


_by_text: dict[tuple[Puzzle, str, str], Heuristic] = {}
_by_canonical_text: dict[tuple[Puzzle, str, str], Heuristic] = {}


def get_heuristic(text: str | None, puzzle: Puzzle, moves: MoveSet | None = None) -> Heuristic:
    """A named heuristic or an expression; the puzzle's default for None. Raises `InvalidExpression`.

    Texts with the same meaning give the same object (see `canonical`); an expression that has a name gets it.

    :param moves: the moves of the solve, on which databases depend; the puzzle's default moves if None
    """
    moves = moves or puzzle.move_set(None)
    key = (puzzle, puzzle.default_heuristic if text is None else text, moves.name)
    heuristic = _by_text.get(key)
    if heuristic is None:
        name, expression = _parse(key[1], puzzle, moves)
        if moves.costs and prove(expression, moves).admissible != "proven":  # perhaps it is with databases of moves
            name, expression = _parse(key[1], puzzle, puzzle.at_cost_1(moves))
        same = (puzzle, expression.text, moves.name)
        heuristic = _by_canonical_text.get(same)
        if heuristic is None:
            heuristic = Heuristic(puzzle, name or _name_of(expression, puzzle, moves), expression)
            heuristic.integer  # noqa: B018  # refuses values that are too large now, not when a worker runs it
        if len(_by_text) >= _CACHE_SIZE or len(_by_canonical_text) >= _CACHE_SIZE:
            # The older half goes from both caches, because otherwise one would return objects that the other no longer
            # has. What was just checked, such as a function of the user, stays known.
            old = {id(own) for own in [*_by_canonical_text.values()][: _CACHE_SIZE // 2]}
            for cache in (_by_text, _by_canonical_text):
                for one in [one for one, own in [*cache.items()] if id(own) in old]:
                    cache.pop(one, None)
        _by_canonical_text[same] = heuristic
        _by_text[key] = heuristic
    return heuristic


def forget() -> None:
    """Clear the caches of heuristics and databases in this process; objects in use stay valid."""
    _by_text.clear()
    _by_canonical_text.clear()
    forget_databases()


def canonical(text: str, puzzle: Puzzle) -> str:
    """The canonical text of a heuristic, for storing, looking up, grouping and comparing. Raises `InvalidExpression`.

    A name is replaced by its expression. Spacing, needless parentheses, the spelling of numbers and default arguments
    do not matter. The canonical text of a canonical text is that text.

    >>> canonical("ceil( misplaced_facelets/15.0 )", get_puzzle("megaminx"))      # doctest: +SKIP
    'ceil(misplaced_facelets / 15)'
    """
    return get_heuristic(text, puzzle).expression.text


def canonical_anywhere(text: str) -> list[str]:
    """The canonical texts that ``text`` has on any of the registered puzzles, for a filter that names no puzzle.

    A name may have several expressions. Empty if no puzzle can read the text.
    """
    found: dict[str, None] = {}
    for name in puzzle_names():
        with suppress(InvalidExpression):
            found[canonical(text, get_puzzle(name))] = None
    return list(found)


def _parse(text: str, puzzle: Puzzle, moves: MoveSet) -> tuple[str | None, Expression]:
    named = {n.name: n for n in named_for(puzzle)}.get(text.strip())
    try:
        if named is not None:
            return named.name, parse(named.expression, puzzle, moves)
        return None, parse(text, puzzle, moves)
    except InvalidExpression as error:
        if text.strip() in _names_elsewhere():
            fitting = ", ".join(n.name for n in named_for(puzzle))
            raise InvalidExpression(
                f"{text.strip()!r} is not a heuristic for {puzzle.name}", 1, f"one of {fitting}"
            ) from None
        if re.fullmatch(r"[a-z0-9-]+", text.strip()):
            names = [named.name for named in named_for(puzzle)]
            close = get_close_matches(text.strip()[:MAX_NAME], names, n=1, cutoff=0.8)
            if close:
                message = f"there is no heuristic {clipped(text.strip(), MAX_NAME)!r}; did you mean {close[0]!r}?"
                raise InvalidExpression(message, error.column, error.expected) from None
        raise error


def _names_elsewhere() -> set[str]:
    return {named.name for name in puzzle_names() for named in get_puzzle(name).heuristics}


def _name_of(expression: Expression, puzzle: Puzzle, moves: MoveSet) -> str | None:
    """The name of this expression, if it has one."""
    words = _words(expression.text)
    for named in named_for(puzzle):
        # Parsing makes the features, and some are large tables, so only texts with the same words are parsed.
        if _words(named.expression) <= words and parse(named.expression, puzzle, moves).text == expression.text:
            return named.name
    return None


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z_]+", text))


def describe_all() -> list[dict[str, Any]]:
    """The named heuristics of all built-in puzzles, as `describe_named`."""
    return [described for name in puzzle_names() for described in describe_named(get_puzzle(name))]


def describe_named(puzzle: Puzzle) -> list[dict[str, Any]]:
    """The named heuristics of a puzzle, and what is known about them for each move set, as values for JSON."""
    return [
        {
            "name": named.name,
            "puzzle": puzzle.name,
            "expression": heuristic.expression.text,
            "source": named.source,
            "integer": heuristic.integer,
            "move_sets": {m.name: _verdicts_of(heuristic, m) for m in puzzle.move_sets.values()},
        }
        for named in named_for(puzzle)
        for heuristic in (get_heuristic(named.name, puzzle),)
    ]


def _verdicts_of(heuristic: Heuristic, moves: MoveSet) -> dict[str, Any]:
    found = heuristic.verdicts(moves)
    return {
        "admissible": found.admissible,
        "consistent": found.consistent,
        "reason": found.reason,
        "counterexample": None if found.counterexample is None else list(found.counterexample),
    }


class _Listing(ModuleType):
    """``hstar.heuristics("8-puzzle")`` lists the named heuristics of a puzzle."""

    def __call__(self, puzzle: str) -> list[str]:
        return [named.name for named in get_puzzle(puzzle).heuristics]


sys.modules[__name__].__class__ = _Listing
