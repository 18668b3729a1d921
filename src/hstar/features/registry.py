"""How a module of features describes them: for which puzzles they exist, and how they are made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hstar.errors import FeatureError
from hstar.features.base import Feature
from hstar.puzzles.base import MoveSet, Puzzle

__all__ = ["Arguments", "FeatureKind", "no_arguments", "quoted"]

#: the numbers and texts in the expression
Arguments = tuple[float | str, ...]


@dataclass(frozen=True, slots=True)
class FeatureKind:
    """One or more features that are made in the same way.

    :param puzzles: the class of puzzles that have it
    :param docs: signature and meaning of each feature of a puzzle, by signature; empty if the puzzle has nothing to
    measure. An expression uses the name before the signature's parenthesis
    :param make: makes the feature of a puzzle from the moves of the solve, its name and its arguments; raises
    `FeatureError` if the arguments are wrong
    :param more: like ``docs``, other arguments of the same features; looking for them may take a tenth of a second
    """

    puzzles: type[Any]
    docs: Callable[[Any], Mapping[str, str]]
    make: Callable[[Any, MoveSet, str, Arguments], Feature]
    more: Callable[[Any], Mapping[str, str]] = lambda _puzzle: {}

    def docs_of(self, puzzle: Puzzle) -> Mapping[str, str]:
        """Signature and meaning of each feature of this kind that the puzzle has."""
        return {**self.docs(puzzle), **self.more(puzzle)} if isinstance(puzzle, self.puzzles) else {}

    def names_of(self, puzzle: Puzzle) -> Iterable[str]:
        """The names of these features."""
        return [bare_name(signature) for signature in self.docs(puzzle)] if isinstance(puzzle, self.puzzles) else []


def bare_name(signature: str) -> str:
    """The name at the beginning of a feature's signature."""
    return signature.split("(")[0].split(" ")[0]


def quoted(text: str) -> str:
    """A text as an expression has it. Names of moves may have quotes and backslashes."""
    return json.dumps(text, ensure_ascii=False)


def no_arguments(name: str, arguments: Arguments) -> None:
    """Raises `FeatureError` if there are any."""
    if arguments:
        raise FeatureError(f"no arguments: {name}")
