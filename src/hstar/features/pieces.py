"""Pieces that are not solved."""

from __future__ import annotations

from collections.abc import Mapping

from hstar.errors import FeatureError
from hstar.features.base import Feature
from hstar.features.registry import Arguments, FeatureKind
from hstar.features.tables import empty_table, table_feature
from hstar.puzzles.base import MoveSet
from hstar.puzzles.permutation import PermutationPuzzle


def _docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    orbits = " | ".join(f'"{orbit.name}"' for orbit in puzzle.orbits)
    return {f"misplaced_pieces or misplaced_pieces({orbits})": "pieces not in their slot and orientation"}


def _make(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    orbits = list(puzzle.orbits)
    if arguments:
        orbit = puzzle.find_orbit(arguments[0]) if isinstance(arguments[0], str) else None
        if orbit is None or len(arguments) > 1:
            known = ", ".join(f'"{orbit.name}"' for orbit in puzzle.orbits)
            raise FeatureError(f"{name} or {name}(one of the orbits {known})")
        orbits = [orbit]
        name = f'{name}("{orbit.name}")'
    table = empty_table(puzzle)
    for orbit in orbits:
        for slot in orbit.slots:
            table[slot, : puzzle.values[slot]] = 1
            table[slot, puzzle.home[slot]] = 0
    return table_feature(puzzle, name, table)


MISPLACED = FeatureKind(PermutationPuzzle, _docs, _make)
