"""The states of the goal's shape as a puzzle without forbidden moves, whose moves are loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from hstar.groups import orbits
from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle, Turn
from hstar.search.anytime.inner import InnerPuzzle
from hstar.search.anytime.shapes.graph import Rows, Shapes
from hstar.search.anytime.shapes.loops import Loops

__all__ = ["Inside", "Ways", "ways_of"]


class Inside(InnerPuzzle):
    """The slots that loops change, with loops as moves. Slots of which others tell what is in them are left out."""

    def __init__(self, shapes: Shapes, loops: Sequence[tuple[int, ...]], own: Sequence[Sequence[int]]) -> None:
        """:param own: the slots, those together that loops take to each other"""
        self.shapes = shapes
        outer = shapes.puzzle
        self.slots = [slot for part in own for slot in part]
        parts, pieces, looks = list[Orbit](), list[int](), list[int]()
        #: by slot: pieces of the whole puzzle by their numbers here
        self._pieces: list[dict[int, int]] = []
        for number, part in enumerate(own, start=1):
            n = int((shapes.slot_of == part[0]).sum())
            parts.append(Orbit(f"ORBIT{number}", len(part), n, len(pieces)))
            seen: dict[int, int] = {}
            for slot in part:
                pieces.append(seen.setdefault(outer.home[slot] // outer.orientations[slot], len(seen)))
                looks.append(outer.distinct_orientations[slot] if n > 1 else 1)
            self._pieces += [seen] * len(part)
        self.words: dict[str, tuple[int, ...]] = {}
        turns: dict[str, Turn] = {}
        for sign, way in (("", tuple), ("'", shapes.back)):
            for number, word in enumerate(loops, start=1):
                turn = self._turn(shapes.do(way(word)))
                if not turn.is_identity and turn not in turns.values():
                    turns[f"L{number}{sign}"], self.words[f"L{number}{sign}"] = turn, way(word)
        self._be(f"{outer.name}, states of the goal's shape", parts, turns, pieces, looks)

    def _turn(self, images: Rows) -> Turn:
        slot_of = self.shapes.slot_of
        number = {slot: i for i, slot in enumerate(self.slots)}
        first = {slot: int(np.argmax(slot_of == slot)) for slot in self.slots}
        source, twist = [0] * len(self.slots), [0] * len(self.slots)
        for slot in self.slots:
            there = int(images[first[slot]])
            to = int(slot_of[there])
            source[number[to]], twist[number[to]] = number[slot], there - first[to]
        return Turn(tuple(source), tuple(twist))

    def state_in(self, state: State) -> State | None:
        """What a state of the goal's shape is here; None if no loops solve it."""
        outer = self.shapes.puzzle
        held, values = outer.contents(state), list[int]()
        for slot, known, n in zip(self.slots, self._pieces, self.orientations, strict=True):
            piece, turned = divmod(held[slot], outer.orientations[slot])
            if piece not in known or turned >= n:
                return None
            values.append(known[piece] * n + turned)
        found = self.state_of(values)
        return found if self.is_solvable(found) else None

    def is_solvable(self, state: State) -> bool:
        """Whether loops solve it; True if this is unknown, because pieces look alike."""
        return not self.tells_apart or self.is_reachable(state)

    def outer_alg(self, alg: Sequence[str]) -> tuple[str, ...]:
        return tuple(move for name in alg for move in self.shapes.named(self.words[name]))


def _inside(shapes: Shapes, loops: Sequence[tuple[int, ...]]) -> Inside | None:
    """None if they change nothing that can be seen."""
    own = _parts(shapes, np.array([shapes.do(word) for word in loops])) if loops else []
    return Inside(shapes, loops, own) if own else None


def _parts(shapes: Shapes, rows: Rows) -> list[list[int]]:
    """The slots that loops take to each other, without those that always look the same, and without those that follow
    others whose pieces are all different: where these are solved, so are the others."""
    puzzle, found, leaders = shapes.puzzle, list[list[int]](), list[int]()
    for own in sorted(orbits(rows.tolist()), key=len, reverse=True):
        slots = sorted({int(slot) for slot in shapes.slot_of[own]})
        alike = len({puzzle.home[slot] for slot in slots}) == 1
        looks = [puzzle.distinct_orientations[slot] for slot in slots]
        if slots in found or (alike and (set(looks) == {1} or len(own) == len(slots))):
            continue
        if any(_follows(rows, leader, place) for leader in leaders for place in own):
            continue
        found.append(slots)
        turned = len(own) > len(slots) and looks != [puzzle.orientations[slot] for slot in slots]
        if len({puzzle.home[slot] for slot in slots}) == len(slots) and not turned:
            leaders.append(own[0])
    return found


def _follows(rows: Rows, leader: int, follower: int) -> bool:
    """Whether wherever loops take what is in one place, they take what is in the other to a place that is decided by
    that."""
    seen, todo = {leader: follower}, [leader]
    for place in todo:
        for row in rows:
            there, other = int(row[place]), int(row[seen[place]])
            if there not in seen:
                seen[there] = other
                todo.append(there)
            elif seen[there] != other:
                return False
    return True


class Ways:
    """From any state to one of the goal's shape, and how that is solved."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        loops = Loops(shapes)
        self._odd = loops.odd
        self.short = _inside(shapes, loops.short)
        self.whole = _inside(shapes, [*loops.short, *loops.more]) if loops.more else self.short

    def find(self, start: State) -> tuple[tuple[str, ...], Inside | None, State | None] | None:
        """Moves to a state of the goal's shape, the puzzle that is left if there is anything, and its state; None if no
        moves solve the start. Where short loops solve half of the states, the moves lead to one of these."""
        shapes, puzzle = self.shapes, self.shapes.puzzle
        number = shapes.number(start)
        if number is None:
            return None
        tried = [(self.whole, shapes.back(shapes.path(number)))]
        if self._odd is not None:
            tried = [(self.short, way) for way in shapes.ways(number, self._odd)] + tried
        for inside, way in tried:
            there = puzzle.apply_alg(start, moves := shapes.named(way))
            here = None if inside is None else inside.state_in(there)
            if here is not None or there == puzzle.solved:
                return moves, inside, here
        return None


@lru_cache(maxsize=4)
def ways_of(puzzle: PermutationPuzzle, moves: MoveSet) -> Ways | None:
    """The same object each time; None if there are too many shapes, or a move has no inverse among the moves."""
    if not puzzle.forbids or not all(puzzle.inverse(name) in moves.moves for name in moves.moves):
        return None
    shapes = Shapes(puzzle, moves)
    return Ways(shapes) if shapes.complete else None
