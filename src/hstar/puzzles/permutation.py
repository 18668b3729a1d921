"""Puzzles made of pieces that moves permute and reorient: one orbit after another, one byte a slot.

The byte of a slot is ``piece * orientations + orientation``. Orientation o in a slot means that the piece's first
facelet lies on the slot's facelet number o, counting the slot's facelets clockwise from its first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidState
from hstar.heuristics.features import Feature, FeatureError, MaximumFeature, Table, TableFeature
from hstar.puzzles import piece_moves
from hstar.puzzles.base import Orbit, Puzzle, State


@dataclass(frozen=True, slots=True)
class Turn:
    """One move as a map of slots: the piece in ``source[i]`` comes to slot i and gains orientation ``twist[i]``."""

    source: tuple[int, ...]
    twist: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Action:
    """A turn restricted to the slots that it touches, as the kernel takes it."""

    dst: bytes
    src: bytes
    maps: tuple[bytes, ...]


class PermutationPuzzle(Puzzle):
    """Orbits of pieces with orientations; subclasses add faces, colours and names.

    :param orbits: the orbits in slot order
    :param turns: every move by its canonical name; the inverse of each must be among them
    """

    kernel: _kernel.PermutationPuzzle
    orbits: tuple[Orbit, ...]
    #: by slot, how many values it may hold and how many orientations its pieces have
    values: Sequence[int]
    orientations: Sequence[int]
    #: by slot, the faces on which it shows a facelet, in the order of its facelets; empty if the puzzle has no faces
    slot_faces: Sequence[Sequence[str]] = ()

    def _build(self, orbits: Sequence[Orbit], turns: Mapping[str, Turn]) -> None:
        self.orbits = tuple(orbits)
        self.moves = tuple(turns)
        self.orientations = [orbit.orientations for orbit in orbits for _ in orbit.slots]
        self.values = [orbit.pieces * orbit.orientations for orbit in orbits for _ in orbit.slots]
        self.solved = bytes(i * orbit.orientations for orbit in orbits for i in range(orbit.pieces))
        self._actions = {name: self._action(turn) for name, turn in turns.items()}
        self._inverse = self._find_inverses(turns)
        self.kernel = _kernel.PermutationPuzzle(
            self.values, self.solved, [(a.dst, a.src, list(a.maps)) for a in self._actions.values()]
        )

    def _action(self, turn: Turn) -> _Action:
        touched = [i for i, (s, t) in enumerate(zip(turn.source, turn.twist, strict=True)) if s != i or t]
        maps = []
        for i in touched:
            o = self.orientations[i]
            maps.append(bytes(v - v % o + (v + turn.twist[i]) % o for v in range(self.values[turn.source[i]])))
        return _Action(bytes(touched), bytes(turn.source[i] for i in touched), tuple(maps))

    def _find_inverses(self, turns: Mapping[str, Turn]) -> dict[str, str]:
        after = {name: self.apply(self.solved, name) for name in turns}
        inverses = {}
        for name in turns:
            for other in turns:
                if self.apply(after[name], other) == self.solved:
                    inverses[name] = other
                    break
        if len(inverses) != len(turns):
            raise ValueError(f"moves without an inverse: {sorted(set(turns) - set(inverses))}")
        return inverses

    # -- moves ---------------------------------------------------------------------------------------------------

    def apply(self, state: State, move: str) -> State:
        action = self._actions[move]
        after = bytearray(state)
        for dst, src, values in zip(action.dst, action.src, action.maps, strict=True):
            after[dst] = values[state[src]]
        return bytes(after)

    def legal(self, state: State, moves: Iterable[str]) -> list[str]:
        return list(moves)

    def inverse(self, move: str) -> str:
        return self._inverse[move]

    def touched(self, move: str) -> list[tuple[int, int, bytes]]:
        """(destination slot, source slot, value map) for each slot whose content the move changes."""
        action = self._actions[move]
        return list(zip(action.dst, action.src, action.maps, strict=True))

    # -- states as pieces and orientations -------------------------------------------------------------------------

    def format_pieces(self, state: State) -> dict[str, dict[str, list[int]]]:
        """The state as a KPattern: for each orbit the piece and the orientation in each slot."""
        return {
            orbit.name: {
                "pieces": [state[i] // orbit.orientations for i in orbit.slots],
                "orientation": [state[i] % orbit.orientations for i in orbit.slots],
            }
            for orbit in self.orbits
        }

    def parse_pieces(self, value: object) -> State:
        """The inverse of `format_pieces`; `InvalidState` lists every fault."""
        faults: list[Fault] = []
        if not isinstance(value, Mapping):
            raise InvalidState("the state is not an object of orbits", [Fault("/", _expected_pieces(self.orbits))])
        known = {orbit.name for orbit in self.orbits}
        faults += [
            Fault(f"/{name}", f"no such orbit; {self.name} has {', '.join(sorted(known))}")
            for name in value
            if name not in known
        ]
        state = bytearray(self.solved)
        for orbit in self.orbits:
            part = value.get(orbit.name)
            if not isinstance(part, Mapping) or set(part) - {"pieces", "orientation"}:
                faults.append(Fault(f"/{orbit.name}", 'expected {"pieces": [...], "orientation": [...]}'))
                continue
            pieces = _integers(part.get("pieces"), orbit.pieces, orbit.pieces, f"/{orbit.name}/pieces", faults)
            turned = part.get("orientation", [0] * orbit.pieces)
            twists = _integers(turned, orbit.pieces, orbit.orientations, f"/{orbit.name}/orientation", faults)
            if pieces is not None and twists is not None:
                for i, (piece, twist) in enumerate(zip(pieces, twists, strict=True)):
                    state[orbit.first + i] = piece * orbit.orientations + twist
        if not faults:
            faults = self.faults(bytes(state))
        if faults:
            raise InvalidState(f"this is not a state of {self.name}", faults)
        return bytes(state)

    def faults(self, state: State) -> list[Fault]:
        """Everything that keeps ``state`` from being reachable; empty when it is reachable."""
        found: list[Fault] = []
        for orbit in self.orbits:
            pieces = [state[i] // orbit.orientations for i in orbit.slots]
            missing = sorted(set(range(orbit.pieces)) - set(pieces))
            if missing:
                twice = sorted({p for p in pieces if pieces.count(p) > 1})
                found += [Fault(self._slots_of(orbit, pieces, p), self._piece_twice(orbit, p)) for p in twice]
                found += [Fault(orbit.name, f"piece {self.piece_name(orbit, p)} is missing") for p in missing]
        if not found:
            found = self.reachability_faults(state)
        return found

    def _slots_of(self, orbit: Orbit, pieces: Sequence[int], piece: int) -> str:
        return " and ".join(self.piece_name(orbit, i) for i, p in enumerate(pieces) if p == piece)

    def _piece_twice(self, orbit: Orbit, piece: int) -> str:
        return f"{orbit.name[:-1]} piece {self.piece_name(orbit, piece)} appears more than once"

    def reachability_faults(self, state: State) -> list[Fault]:
        """Broken invariants of a state whose pieces are all there once: parities, twist and flip sums."""
        raise NotImplementedError

    def piece_name(self, orbit: Orbit, piece: int) -> str:
        """The name of a piece, and of the slot that is its home."""
        return f"{orbit.name}[{piece}]"

    def orbit(self, name: str) -> Orbit:
        """The orbit of this name; `FeatureError` if there is none."""
        for orbit in self.orbits:
            if orbit.name == name:
                return orbit
        raise FeatureError(f"one of the orbits {', '.join(repr(o.name) for o in self.orbits)}")

    # -- features --------------------------------------------------------------------------------------------------

    @property
    def feature_docs(self) -> Mapping[str, str]:
        orbits = " | ".join(f'"{orbit.name}"' for orbit in self.orbits)
        chosen = " | ".join(f'"{name}"' for name in self.move_sets)
        return {
            f"misplaced_pieces or misplaced_pieces({orbits})": "pieces not in their slot and orientation",
            **piece_moves.docs(self),
            f'pdb("{self.orbits[0].name}:3") or pdb("{self.orbits[0].name}:3", {chosen})': (
                "a pattern database: the fewest moves that bring so many pieces of an orbit home (corners:2+edges:2: "
                "of several), the most over all sets of pieces that symmetries carry them to; moves of the solve, or "
                "of a move set; computed on first use"
            ),
            "solved": "1 at the goal, 0 elsewhere",
        }

    def feature(self, name: str, arguments: tuple[float | str, ...]) -> Feature:
        if name != "misplaced_pieces":
            return piece_moves.make(self, name, arguments)
        if len(arguments) > 1 or any(not isinstance(a, str) for a in arguments):
            raise FeatureError(f'misplaced_pieces or misplaced_pieces("{self.orbits[0].name}"), or of another orbit')
        return self.misplaced_pieces(str(arguments[0]) if arguments else None)

    def table_feature(self, name: str, table: Table) -> Feature:
        """The sum of ``table[slot, value]`` over the slots; int32, shape (slots, largest number of values)."""
        changes = {move: self._slot_changes(table, move) for move in self.moves}
        reach = [table[i, : self.values[i]] for i in range(len(self.values))]
        return TableFeature(
            name=name,
            low=sum(int(r.min()) for r in reach),
            high=sum(int(r.max()) for r in reach),
            at_goal=sum(int(table[i, v]) for i, v in enumerate(self.solved)),
            changes={move: (sum(d for d, _ in each), sum(r for _, r in each)) for move, each in changes.items()},
            table=table,
        )

    def maximum_feature(self, name: str, table: Table) -> Feature:
        """The greatest ``table[slot, value]`` over the slots; of the same shape.

        No slot's content that a move carries elsewhere loses more than the greatest loss of any, so the maximum, which
        is one of them or of those that stay, does not either.
        """
        changes = {move: self._slot_changes(table, move) for move in self.moves}
        reach = [table[i, : self.values[i]] for i in range(len(self.values))]
        return MaximumFeature(
            name=name,
            low=max(int(r.min()) for r in reach),
            high=max(int(r.max()) for r in reach),
            at_goal=max(int(table[i, v]) for i, v in enumerate(self.solved)),
            changes={
                move: (max(0, *(drop for drop, _ in each)), max(0, *(rise for _, rise in each)))
                for move, each in changes.items()
            },
            table=table,
        )

    def _slot_changes(self, table: Table, move: str) -> list[tuple[int, int]]:
        """For each slot whose content the move changes, how far the content's entry can at most fall and rise."""
        found = []
        for dst, src, values in self.touched(move):
            change = table[dst, list(values)] - table[src, : len(values)]
            found.append((int(-change.min()), int(change.max())))
        return found

    def empty_table(self) -> Table:
        """A zero table of the shape that `table_feature` takes."""
        return np.zeros((len(self.values), max(self.values)), dtype=np.int32)

    def misplaced_pieces(self, orbit_name: str | None) -> Feature:
        """Pieces that are not in their own slot in their own orientation; of one orbit, or of all."""
        orbits = self.orbits if orbit_name is None else (self.orbit(orbit_name),)
        table = self.empty_table()
        for orbit in orbits:
            for i in orbit.slots:
                table[i, : self.values[i]] = 1
                table[i, self.solved[i]] = 0
        label = "misplaced_pieces" if orbit_name is None else f'misplaced_pieces("{orbit_name}")'
        return self.table_feature(label, table)


def parity(permutation: Sequence[int]) -> int:
    """0 for an even permutation, 1 for an odd one."""
    seen = [False] * len(permutation)
    odd = 0
    for start in range(len(permutation)):
        length = 0
        at = start
        while not seen[at]:
            seen[at] = True
            at = permutation[at]
            length += 1
        if length:
            odd ^= (length - 1) & 1
    return odd


def _integers(value: object, count: int, below: int, where: str, faults: list[Fault]) -> list[int] | None:
    if not isinstance(value, list) or len(value) != count:
        faults.append(Fault(where, f"expected a list of {count} integers"))
        return None
    wrong = [i for i, v in enumerate(value) if type(v) is not int or not 0 <= v < below]
    faults += [
        Fault(f"{where}/{i}", f"expected an integer from 0 to {below - 1}, found {value[i]!r:.40}") for i in wrong
    ]
    return None if wrong else value


def _expected_pieces(orbits: Sequence[Orbit]) -> str:
    return "expected an object with " + ", ".join(orbit.name for orbit in orbits)
