"""Puzzles made of pieces that moves permute and reorient: one orbit after another, one byte a slot.

The byte of a slot is ``piece * orientations + orientation``. Orientation o in a slot means that the piece's first
facelet lies on the slot's facelet number o, counting the slot's facelets clockwise from its first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import perm

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidState, UnknownName
from hstar.puzzles.base import Choice, MoveSet, Orbit, Puzzle, State, States

#: one pattern has no more states than this, if nobody has chosen it
PATTERN_STATES = 12_000_000


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
    #: by slot, how many orientations its pieces have
    orientations: Sequence[int]
    #: by face, (slot, facelet of the slot) of each of its facelets that can move; empty if the puzzle has no faces
    facelets: Mapping[str, Sequence[tuple[int, int]]] = {}
    #: by slot, the faces on which it shows a facelet, in the order of its facelets
    slot_faces: Sequence[Sequence[str]] = ()
    #: by face, the faces that touch it, clockwise, and the one opposite, where every face has one
    face_neighbours: Mapping[str, Sequence[str]] = {}
    opposite_faces: Mapping[str, str] = {}
    #: groups of facelets, by their numbers on each face, that a report counts as one
    facelet_groups: Sequence[Sequence[int]] = ()
    #: the pattern databases that ``auto`` searches with, best together by measurement; by rule if left out
    patterns: tuple[str, ...] | None = None
    always_legal = True

    def _build(self, orbits: Sequence[Orbit], turns: Mapping[str, Turn]) -> None:
        self.slot_faces = _slot_faces(self.facelets)
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

    def apply_to_all(self, states: States, move: str) -> States:
        after = states.copy()
        for dst, src, values in self.touched(move):
            after[:, dst] = np.frombuffer(values, dtype=np.uint8)[states[:, src]]
        return after

    # -- solving -------------------------------------------------------------------------------------------------

    def auto(self, moves: MoveSet) -> list[Choice]:
        features = [f'pdb("{pattern}")' for pattern in self.patterns or self._patterns_by_rule()]
        together = features[0] if len(features) == 1 else f"max({', '.join(features)})"
        return [Choice("bidirectional", "zero", self.easy), Choice("ida_star", together)]

    def _patterns_by_rule(self) -> list[str]:
        """As many pieces of each orbit as fit."""
        texts = []
        for orbit in self.orbits:
            count, n = 0, orbit.orientations
            while count < orbit.pieces and perm(orbit.pieces, count + 1) * n ** (count + 1) <= PATTERN_STATES:
                count += 1
            texts.append(f"{orbit.name}:{count}")
        return texts

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
        """The orbit of this name; `UnknownName` if there is none."""
        orbit = self.find_orbit(name)
        if orbit is None:
            raise UnknownName(f"orbit of {self.name}", name, [o.name for o in self.orbits])
        return orbit

    def find_orbit(self, name: str) -> Orbit | None:
        """The orbit of this name, in capitals or not; None if there is none."""
        return next((orbit for orbit in self.orbits if orbit.name.lower() == name.lower()), None)


def _slot_faces(facelets: Mapping[str, Sequence[tuple[int, int]]]) -> list[tuple[str, ...]]:
    face_of = {where: face for face, places in facelets.items() for where in places}
    slots = 1 + max((slot for slot, _ in face_of), default=-1)
    return [tuple(face_of[where] for where in sorted(face_of) if where[0] == slot) for slot in range(slots)]


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
