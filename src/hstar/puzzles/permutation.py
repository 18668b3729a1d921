"""Puzzles whose moves permute pieces and change orientations: one orbit after another, one number for each slot.

The number of a slot is ``piece * orientations + orientation``. Orientation o in a slot means that the piece's first
facelet is on the slot's facelet number o, counted clockwise from the slot's first.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from math import comb, gcd
from operator import itemgetter
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidState, UnknownName
from hstar.groups import PermutationGroup
from hstar.groups.permutation_group import MAX_DEGREE
from hstar.groups.permutations import cycle_type, order
from hstar.puzzles.base import Case, Choice, MoveSet, Orbit, Puzzle, State, States, Touch
from hstar.puzzles.orbits_picture import OrbitsPainter
from hstar.puzzles.painter import Painter
from hstar.puzzles.piece_lists import read_integers
from hstar.puzzles.repair import repair

#: the most states of a pattern that is chosen by rule
PATTERN_STATES = 12_000_000
#: and there are no more patterns
MOST_PATTERNS = 8
#: the most pieces of a pattern; the kernel's Pattern::kMaxPieces
PATTERN_PIECES = 16

#: the moves of a random walk to a random state, where some are forbidden
WALK = 1000
#: a move without an inverse is undone by making it again and again, if it is of at most this order
MOST_ORDER = 1000
#: longer algs are replayed by the kernel, in a tenth of the time; they are not its own, but words made in Python
LONG = 5_000

#: by slot, the numbers of pieces
Forbidden = Mapping[int, frozenset[int]]
Places = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Turn:
    """A move as a map of slots: the piece in ``source[i]`` comes to slot i and gains orientation ``twist[i]``."""

    source: tuple[int, ...]
    twist: tuple[int, ...]

    def then(self, after: Turn, orientations: Sequence[int]) -> Turn:
        """This turn followed by another; ``orientations`` are those of the slots."""
        chosen = itemgetter(*after.source, 0)  # of one slot alone it would be no tuple
        source, twist = chosen(self.source)[:-1], chosen(self.twist)[:-1]
        if any(after.twist):
            twist = tuple((t + more) % n for t, more, n in zip(twist, after.twist, orientations, strict=True))
        return Turn(source, twist)

    def inverse(self, orientations: Sequence[int]) -> Turn:
        """The inverse turn."""
        source, twist = [0] * len(self.source), [0] * len(self.source)
        for slot, (s, t) in enumerate(zip(self.source, self.twist, strict=True)):
            source[s], twist[s] = slot, -t % orientations[slot]
        return Turn(tuple(source), tuple(twist))

    @property
    def is_identity(self) -> bool:
        return self.source == tuple(range(len(self.source))) and not any(self.twist)


@dataclass(frozen=True, slots=True)
class _Action:
    """A turn restricted to the slots that it touches, as the kernel takes it.

    :param whole: all slots of a state after a turn that moves many pieces and twists none; else None
    """

    dst: tuple[int, ...]
    src: tuple[int, ...]
    maps: tuple[tuple[int, ...], ...]
    whole: Callable[[State], State] | None = None


class PermutationPuzzle(Puzzle):
    """Orbits of pieces with orientations; subclasses add faces, colours and names.

    Pieces may be identical, and a piece may look the same in several orientations. Then only the pieces of a state are
    checked, because no group decides whether it can be reached.
    """

    kernel: _kernel.PermutationPuzzle
    orbits: tuple[Orbit, ...]
    #: for each slot, the number of orientations of its pieces
    orientations: Sequence[int]
    #: for each face, (slot, facelet of the slot) of each of its movable facelets; empty if the puzzle has no faces
    facelets: Mapping[str, Sequence[tuple[int, int]]] = {}
    #: for each slot, the faces of its facelets, in their order
    slot_faces: Sequence[Sequence[str]] = ()
    #: for each face, its neighbours clockwise, and the opposite face, if every face has one
    face_neighbours: Mapping[str, Sequence[str]] = {}
    opposite_faces: Mapping[str, str] = {}
    #: groups of facelets that a report counts as one, by their numbers on each face
    facelet_groups: Sequence[Sequence[int]] = ()
    #: the pattern databases of ``auto``, chosen by measurement; chosen by rule if left out
    patterns: tuple[str, ...] | None = None
    always_legal = True
    #: whether orientations are known to count clockwise
    turns_clockwise = True

    #: for each slot, the number of orientations in which its solved piece looks different; all by default
    distinct_orientations: Sequence[int]

    #: by move, if it is forbidden in some states: slots, and the pieces with which it is, before it or after it
    forbidden: Mapping[str, Forbidden] = {}

    def _build(
        self,
        orbits: Sequence[Orbit],
        turns: Mapping[str, Turn],
        pieces: Sequence[int] | None = None,
        distinct_orientations: Sequence[int] | None = None,
        forbidden: Mapping[str, Forbidden] | None = None,
    ) -> None:
        """
        :param orbits: the orbits in slot order
        :param turns: every move by its canonical name; the inverse of each must be among them
        :param pieces: the piece in each slot at the goal, numbered within its orbit, where some are identical
        :param distinct_orientations: by slot, in how many orientations its piece at the goal looks different: a divisor
            of the orbit's number, the same for identical pieces
        :param forbidden: as the attribute; the same for a move and its inverse
        """
        self.forbidden = forbidden or {}
        self.forbids = bool(self.forbidden)
        self.always_legal = not self.forbids
        self.slot_faces = _slot_faces(self.facelets)
        self.orbits = tuple(orbits)
        self.moves = tuple(turns)
        self.orientations = [orbit.orientations for orbit in orbits for _ in orbit.slots]
        self.values = [orbit.pieces * orbit.orientations for orbit in orbits for _ in orbit.slots]
        self.distinct_orientations = distinct_orientations or self.orientations
        own = pieces or [i for orbit in orbits for i in range(orbit.pieces)]
        home = [piece * n for piece, n in zip(own, self.orientations, strict=True)]
        self.solved = self.state_of(home)
        #: whether all pieces look different, in all orientations
        self.tells_apart = list(self.distinct_orientations) == self.orientations and all(
            len({home[slot] for slot in orbit.slots}) == orbit.pieces for orbit in orbits
        )
        self.all_different = self.tells_apart and not self.forbids
        self.home: Sequence[int] = home
        self.turns: Mapping[str, Turn] = dict(turns)
        maps: dict[tuple[int, int], tuple[int, ...]] = {}
        self._actions = {name: self._action(turn, maps) for name, turn in turns.items()}
        self._inverse = self._find_inverses(turns)
        self._not_with = {
            name: self._values_against(turns[name], slots) for name, slots in self.forbidden.items() if slots
        }
        self.kernel = _kernel.PermutationPuzzle(
            self.values,
            self.solved,
            [(a.dst, a.src, list(a.maps)) for a in self._actions.values()],
            [[(slot, sorted(values)) for slot, values in self._not_with.get(name, {}).items()] for name in turns]
            if self.forbids
            else [],
        )

    def _values_against(self, turn: Turn, slots: Forbidden) -> dict[int, set[int]]:
        """By slot, the values before a turn with which it is forbidden: pieces that are there, or that come there."""
        found: dict[int, set[int]] = {}
        for slot, pieces in slots.items():
            n = self.orientations[slot]
            values = {piece * n + orientation for piece in pieces for orientation in range(n)}
            for there in (slot, turn.source[slot]):
                found[there] = found.get(there, set()) | values
        return found

    def _action(self, turn: Turn, known: dict[tuple[int, int], tuple[int, ...]]) -> _Action:
        """``known``: the maps of earlier turns, by the first slot of the orbit and the twist, which decide them."""
        touched = []
        maps = []
        for orbit in self.orbits:
            for i in orbit.slots:
                twist = turn.twist[i]
                if turn.source[i] == i and not twist:
                    continue
                if (orbit.first, twist) not in known:
                    known[orbit.first, twist] = self._twisted(orbit, twist)
                touched.append(i)
                maps.append(known[orbit.first, twist])
        plain = all(values == tuple(range(len(values))) for values in set(maps))
        whole = _whole(turn.source, self.dtype) if plain and len(touched) > max(8, len(turn.source) // 4) else None
        return _Action(tuple(touched), tuple(turn.source[i] for i in touched), tuple(maps), whole)

    def _twisted(self, orbit: Orbit, twist: int) -> tuple[int, ...]:
        """The image of each value of an orbit under a twist."""
        n, distinct = orbit.orientations, self._distinct(orbit)
        values = [(*divmod(v, n), distinct.get(v // n, n)) for v in range(orbit.pieces * n)]
        # Unused orientations (those that look like others) are kept, so that the map is one-to-one.
        return tuple(p * n + ((o + twist) % k if o < k else o) for p, o, k in values)

    def _find_inverses(self, turns: Mapping[str, Turn]) -> dict[str, str]:
        name_of: dict[Turn, str] = {}
        for name, turn in turns.items():
            name_of.setdefault(turn, name)
        undoing = {name: name_of.get(turn.inverse(self.orientations)) for name, turn in turns.items()}
        missing = sorted(name for name, other in undoing.items() if other is None)
        if missing:
            raise ValueError(f"moves without an inverse: {missing}")
        return {name: other for name, other in undoing.items() if other is not None}

    # -- moves ---------------------------------------------------------------------------------------------------

    def apply(self, state: State, move: str) -> State | None:
        if self.forbids and not self._is_legal(state, move):
            return None
        return self.turned(state, move)

    def turned(self, state: State, move: str) -> State:
        """The state after a move, also where it is forbidden."""
        action = self._actions[move]
        before = self.contents(state)
        if action.whole is not None:
            return action.whole(state)
        after = bytearray(state) if before is state else array("H", state)
        for dst, src, values in zip(action.dst, action.src, action.maps, strict=True):
            after[dst] = values[before[src]]
        return bytes(after)

    def apply_alg(self, state: State, alg: Sequence[str]) -> State:
        if self.forbids or len(alg) <= LONG:
            return super().apply_alg(state, alg)
        numbers = {move: number for number, move in enumerate(self.moves)}
        for move in alg:
            after = self.kernel.apply(state, numbers[move])
            assert after is not None  # nothing is forbidden
            state = after
        return state

    def legal(self, state: State, moves: Iterable[str]) -> list[str]:
        return [move for move in moves if self._is_legal(state, move)] if self.forbids else list(moves)

    def _is_legal(self, state: State, move: str) -> bool:
        held = self.contents(state)
        return all(held[slot] not in values for slot, values in self._not_with.get(move, {}).items())

    def why_not(self, state: State, move: str) -> str:
        for where, of in (("here", state), ("after it", self.turned(state, move))):
            held = self.contents(of)
            for orbit in self.orbits:
                for slot in orbit.slots:
                    piece = held[slot] // orbit.orientations
                    if piece in self.forbidden.get(move, {}).get(slot, ()):
                        place, name = self.place_name(orbit, slot - orbit.first), self.piece_name(orbit, piece)
                        return f"it is forbidden while {place} holds {name}, as {where}"
        return "it is forbidden"

    def inverse(self, move: str) -> str:
        return self._inverse[move]

    def kinds_in(self, state: State) -> list[int]:
        """By slot, the number of the kind of piece in it."""
        held = self.contents(state)
        return [held[slot] // n for slot, n in enumerate(self.orientations)]

    def touched(self, move: str) -> list[Touch]:
        """(destination slot, source slot, value map) for each slot whose content the move changes."""
        action = self._actions[move]
        return list(zip(action.dst, action.src, action.maps, strict=True))

    def cases(self, move: str) -> Sequence[Case]:
        return [(None, self.touched(move))]

    def carry(self, move: str, orbit: Orbit) -> Places:
        """The image of each place of an orbit under a move; int64, shape (places,).

        A *place* is a slot with an orientation, numbered ``slot * orientations + orientation`` within its orbit.
        """
        n, turn, own = orbit.orientations, self.turns[move], slice(orbit.first, orbit.first + orbit.pieces)
        source, twist = np.array(turn.source[own]) - orbit.first, np.array(turn.twist[own])
        places = np.empty((orbit.pieces, n), dtype=np.int64)
        places[source] = np.arange(orbit.pieces)[:, np.newaxis] * n + (np.arange(n) + twist[:, np.newaxis]) % n
        return places.reshape(-1)

    def permutation_of(self, state: State) -> list[int]:
        """For each place, where its solved content is in this state; one orbit after another. Pieces must be
        different."""
        images: list[int] = []
        held = self.contents(state)
        for orbit in self.orbits:
            n, begin = orbit.orientations, len(images)
            images += [0] * (orbit.pieces * n)
            for slot in orbit.slots:
                piece, turned = divmod(held[slot], n)
                for orientation in range(n):
                    there = (slot - orbit.first) * n + (orientation + turned) % n
                    images[begin + piece * n + orientation] = begin + there
        return images

    def random_state(self, choose: Callable[[int], int], moves: MoveSet) -> State:
        """For each place in ascending order, the position of its solved content is chosen among those still possible,
        in ascending order. Move sets that generate the same group have the same random states.

        With forbidden moves: the end of a random walk of ``WALK`` moves, so that states are not equally likely."""
        if self.forbids:
            return self._after_walk(choose, moves)
        group = self.group(moves)
        places = group.at([choose(size) for size in group.orbit_sizes])
        state = list(self.home)
        begin = 0
        for orbit in self.orbits:
            n = orbit.orientations
            for home in orbit.slots:
                slot, turned = divmod(places[begin + (home - orbit.first) * n] - begin, n)
                state[orbit.first + slot] = self.home[home] + turned % self.distinct_orientations[home]
            begin += orbit.pieces * n
        return self.state_of(state)

    def _after_walk(self, choose: Callable[[int], int], moves: MoveSet) -> State:
        state = self.solved
        for _ in range(WALK):
            legal = self.legal(state, moves.moves)
            if not legal:
                break
            state = self.turned(state, legal[choose(len(legal))])
        return state

    def images(self, moves: Sequence[str]) -> Places:
        """By move and place, orbit after orbit: where the move takes what is there; shape (moves, places)."""
        counts = np.array(self.orientations)
        begins = np.cumsum(counts) - counts
        slot = np.repeat(np.arange(len(counts)), counts)
        turned = np.arange(len(slot)) - begins[slot]
        rows = np.empty((len(moves), len(slot)), dtype=np.int64)
        for row, turn in zip(rows, (self.turns[move] for move in moves), strict=True):
            there = (turned + np.array(turn.twist)[slot]) % counts[slot]
            row[begins[np.array(turn.source)[slot]] + turned] = begins[slot] + there
        return rows

    @property
    def has_group(self) -> bool:
        """Whether the group of moves can be computed; definitions of more places have identical pieces."""
        return sum(self.orientations) <= MAX_DEGREE

    def group(self, moves: MoveSet) -> PermutationGroup:
        """The group that the moves generate on the puzzle's places, orbit after orbit; the same object each time.

        :raises InvalidRequest: there are too many places"""
        return _group(self, moves)

    def apply_to_all(self, states: States, move: str) -> States:
        for slot, against in self._not_with.get(move, {}).items():
            states = states[~np.isin(states[:, slot], list(against))]
        after = states.copy()
        for dst, src, values in self.touched(move):
            after[:, dst] = _array(values, self.dtype.char)[states[:, src]]
        return after

    @cached_property
    def kernel_space(self) -> _kernel.PieceSpace:
        """What the kernel's databases are made over: all of a puzzle must be made over the same object."""
        own = [(orbit.first, orbit.pieces, orbit.orientations) for orbit in self.orbits]
        return _kernel.PieceSpace(self.kernel, own, self.distinct_orientations)

    # -- solving -------------------------------------------------------------------------------------------------

    @cached_property
    def painter(self) -> Painter:
        return OrbitsPainter(self.orbits, self.home)

    def auto(self, moves: MoveSet) -> list[Choice]:
        if self.turns_over(moves):
            return [Choice("ida_star", "gaps")]
        features = [f'pdb("{pattern}")' for pattern in self.patterns or self._patterns_by_rule()]
        if not features:
            return [Choice("bidirectional", "zero", self.easy), Choice("ida_star")]
        together = features[0] if len(features) == 1 else f"max({', '.join(features)})"
        return [Choice("bidirectional", "zero", self.easy), Choice("ida_star", together)]

    @property
    def in_a_row(self) -> bool:
        """Whether it is a row of pieces that do not turn, in the order of their numbers when solved."""
        return (
            len(self.orbits) == 1 and self.orbits[0].orientations == 1 and list(self.home) == [*range(len(self.home))]
        )

    def turns_over(self, moves: MoveSet) -> bool:
        """Whether it is a row of which each move parts at most two neighbours, as a stack of pancakes."""
        return self.in_a_row and all(self.parted(move) <= 1 for move in moves.moves)

    def parted(self, move: str) -> int:
        """How many neighbours in a row a move parts. The end of the row is a neighbour of the last slot."""
        source = (*self.turns[move].source, len(self.home))
        return sum(abs(source[slot] - source[slot + 1]) != 1 for slot in range(len(self.home)))

    def constructs(self, moves: MoveSet) -> bool:
        return self.all_different

    def answers(self, moves: MoveSet) -> bool:
        # Where pieces are alike a state is looked for whose pieces are told apart. Words undo moves.
        return not self.forbids and all(
            self.inverse(move) in moves.moves or self.order(move) <= MOST_ORDER for move in moves.moves
        )

    def order(self, move: str) -> int:
        """How often a move is made until all places have what they had before."""
        return order(cycle_type(tuple(self.images((move,))[0].tolist())))

    def effect(self, alg: Sequence[str]) -> Hashable:
        if self.all_different:
            return super().effect(alg)
        # Pieces that look alike may be exchanged, which the goal does not show.
        if not alg:
            return Turn(tuple(range(len(self.orientations))), (0,) * len(self.orientations))
        return reduce(lambda turn, after: turn.then(after, self.orientations), [self.turns[move] for move in alg])

    @property
    def twin(self) -> PermutationPuzzle | None:
        """The puzzle with the same moves and all pieces different; None if it cannot be made."""
        return self if self.all_different else None

    def _patterns_by_rule(self) -> list[str]:
        """The patterns chosen by rule: as many pieces of each orbit as fit, of many orbits the largest; none if all
        pieces look alike, or none fit."""
        texts = {}
        for orbit in self.orbits:
            kinds = self.rarest_kinds(orbit)
            count = 0
            while (
                count < len(kinds)
                and self.pattern_states(orbit, count + 1) <= PATTERN_STATES
                and sum(map(len, kinds[: count + 1])) <= PATTERN_PIECES
                and self.fits_in_words(orbit, count + 1)
            ):
                count += 1
            if (states := self.pattern_states(orbit, count)) > 1:
                texts[f"{orbit.name}:{count}"] = states
        most = sorted(texts, key=lambda text: -texts[text])[:MOST_PATTERNS]  # stable
        return [text for text in texts if text in most]

    def kinds(self, orbit: Orbit) -> list[tuple[int, ...]]:
        """The pieces of an orbit, those that look alike together, by the slots in which they are at the goal."""
        found: dict[int, list[int]] = {}
        for slot in orbit.slots:
            found.setdefault(self.home[slot], []).append(slot)
        return [tuple(slots) for slots in found.values()]

    def rarest_kinds(self, orbit: Orbit) -> list[tuple[int, ...]]:
        """The kinds of an orbit, those of the fewest pieces first, and of these those that turn in the fewest ways."""
        return sorted(self.kinds(orbit), key=lambda kind: (len(kind), self.distinct_orientations[kind[0]]))

    def pattern_states(self, orbit: Orbit, count: int) -> int:
        """In how many ways the pieces of the ``count`` rarest kinds of an orbit can be placed."""
        states, free = 1, orbit.pieces
        for kind in self.rarest_kinds(orbit)[:count]:
            states *= comb(free, len(kind)) * self.distinct_orientations[kind[0]] ** len(kind)
            free -= len(kind)
        return states

    def fits_in_words(self, orbit: Orbit, count: int) -> bool:
        """Whether the kernel can number the states of so many pieces of an orbit: where all pieces are different it
        adds up words of 16 bits, which hold slots and orientations."""
        slot_bits = sum(range(orbit.pieces - count, orbit.pieces)).bit_length()
        turned = (orbit.orientations - 1) * orbit.orientations ** (count - 1)
        return not self.all_different or (turned << slot_bits) + orbit.pieces - 1 < 2**16

    def length_parity(self, state: State, moves: MoveSet) -> int | None:
        """Known where each move permutes the pieces of some orbits oddly, as quarter turns do."""
        numbers = [self.moves.index(move) for move in moves.moves]
        return self.kernel_space.length_parity(numbers, state) if self.all_different else None

    def solvable_with(self, state: State, moves: MoveSet) -> bool:
        """The puzzle's own move sets solve every state; for other sets the group decides."""
        return moves.name in self.move_sets or not self.all_different or self.permutation_of(state) in self.group(moves)

    # -- states in relation to other states ------------------------------------------------------------------------

    def compose(self, first: State, second: State) -> State:
        self._check_all_different()
        held, after = self.contents(first), self.contents(second)
        state = list(held)
        for orbit in self.orbits:
            n = orbit.orientations
            for slot in range(orbit.pieces):
                # If the second state has piece j in this slot, the composition has the piece that the first one has in
                # slot j.
                home, turned = divmod(after[orbit.first + slot], n)
                piece, before = divmod(held[orbit.first + home], n)
                state[orbit.first + slot] = piece * n + (before + turned) % n
        return self.state_of(state)

    def inverse_state(self, state: State) -> State:
        self._check_all_different()
        held = self.contents(state)
        after = list(held)
        for orbit in self.orbits:
            n = orbit.orientations
            for slot in range(orbit.pieces):
                # If the state has piece j in this slot, the inverse has the piece of this slot in slot j.
                piece, orientation = divmod(held[orbit.first + slot], n)
                after[orbit.first + piece] = slot * n + -orientation % n
        return self.state_of(after)

    def _check_all_different(self) -> None:
        if not self.all_different:
            why = "some moves are forbidden in some states" if self.forbids else "some pieces are identical"
            raise self._cannot_compose(why)

    def toward(self, start: State, target: State) -> tuple[Puzzle, State]:
        self._check_all_different()
        return self, self.seen_from(target, start)

    def seen_from(self, target: State, state: State) -> State:
        """The state, with pieces and orientations named by where they are in the target, which so is solved."""
        held, there = self.contents(state), self.contents(target)
        seen = list(held)
        for orbit in self.orbits:
            n = orbit.orientations
            at = {there[slot] // n: (slot - orbit.first, there[slot] % n) for slot in orbit.slots}
            for slot in orbit.slots:
                (home, before), turned = at[held[slot] // n], held[slot] % n
                seen[slot] = home * n + (turned - before) % n
        return self.state_of(seen)

    def along(self, start: State, alg: Sequence[str]) -> tuple[Puzzle, State]:
        whole = self
        if not self.tells_apart:  # a path may lead to a state in which others of the pieces are exchanged
            if self.twin is None or self.forbids:
                self._check_all_different()
            whole = self.twin or self
        return whole, whole.apply_alg(whole.solved, whole.inverse_alg(alg))

    def out_of_place(self, state: State) -> dict[str, list[str]]:
        held, found = self.contents(state), {}
        for orbit in self.orbits:
            wrong = [
                self.piece_name(orbit, slot - orbit.first) for slot in orbit.slots if held[slot] != self.home[slot]
            ]
            if wrong:
                found[f"of {orbit.pieces} {orbit.name}"] = wrong
        return found

    # -- states as pieces and orientations -------------------------------------------------------------------------

    def format_pieces(self, state: State) -> dict[str, dict[str, list[int]]]:
        """The state as a KPattern: for each orbit the piece and the orientation in each slot.

        As in cubing.js, ``orientationMod`` is the number of orientations in which each piece looks different (0: all),
        given only if it is not 0 for all pieces.
        """
        found = {}
        held = self.contents(state)
        for orbit in self.orbits:
            n = orbit.orientations
            pieces, turned = [held[i] // n for i in orbit.slots], [held[i] % n for i in orbit.slots]
            found[orbit.name] = {"pieces": pieces, "orientation": turned}
            distinct = self._distinct(orbit)
            if any(count != n for count in distinct.values()):
                found[orbit.name]["orientationMod"] = [distinct[p] if distinct[p] != n else 0 for p in pieces]
        return found

    def format_kpattern(self, state: State) -> dict[str, Any]:
        return {"experimentalPuzzleName": self.name, "patternData": self.pattern_data(state)}

    def pattern_data(self, state: State) -> dict[str, Any]:
        """The orbits of a KPattern, named and numbered as in cubing.js."""
        return self.format_pieces(state)

    def _distinct(self, orbit: Orbit) -> dict[int, int]:
        """The number of orientations in which each piece of an orbit looks different."""
        return {self.home[slot] // orbit.orientations: self.distinct_orientations[slot] for slot in orbit.slots}

    def parse_pieces(self, value: object) -> State:
        """The inverse of `format_pieces`; `InvalidState` lists every fault."""
        state = self.read_pieces(value)
        faults = self.faults(state)
        if faults:
            raise InvalidState(f"this is not a state of {self.name}", faults, self.contents(state))
        return state

    def read_pieces(self, value: object) -> State:
        """The pieces and orientations in the slots, whether or not moves lead there.

        :raises InvalidState: they are none of the puzzle's; every fault
        """
        if not isinstance(value, Mapping):
            raise InvalidState("the state is not an object of orbits", [Fault("/", _expected_pieces(self.orbits))])
        named = {}
        for name, part in value.items():
            orbit = self.find_orbit(name) if isinstance(name, str) else None
            named[name if orbit is None else orbit.name] = part
        parts, faults = read_integers(named, {orbit.name: (orbit.pieces, orbit.orientations) for orbit in self.orbits})
        held = list(self.home)
        for orbit in self.orbits:
            if orbit.name in parts:
                distinct = self._distinct(orbit)
                for slot, piece, twist in zip(orbit.slots, *parts[orbit.name], strict=True):
                    modulus = distinct.get(piece, orbit.orientations)
                    held[slot] = piece * orbit.orientations + twist % modulus
        if faults and _counted_from_one(named, self.orbits):
            faults.insert(0, Fault("", "the pieces are numbered from 1; here they are numbered from 0"))
        if faults:
            raise InvalidState(f"this is not a state of {self.name}", faults)
        return self.state_of(held)

    def faults(self, state: State) -> list[Fault]:
        """All reasons why ``state`` is not reachable; empty if it is."""
        found: list[Fault] = []
        contents = self.contents(state)
        for orbit in self.orbits:
            pieces = [contents[i] // orbit.orientations for i in orbit.slots]
            wanted = Counter(self.home[i] // orbit.orientations for i in orbit.slots)
            held = Counter(pieces)
            found += [
                Fault(self._slots_of(orbit, pieces, p), self._too_many(orbit, p, held[p], wanted[p]))
                for p in sorted(held - wanted)
            ]
            found += [
                Fault(orbit.name, f"piece {self.piece_name(orbit, p)} is missing")
                for p in sorted((wanted - held).elements())
            ]
        if not found:
            found = self.reachability_faults(state)
            mended = repair(self, state) if found and not self.forbids else None
            if mended is not None:
                found.append(Fault("the smallest repair" if mended.smallest else "a repair", mended.text))
        return found

    def _slots_of(self, orbit: Orbit, pieces: Sequence[int], piece: int) -> str:
        return " and ".join(self.piece_name(orbit, i) for i, p in enumerate(pieces) if p == piece)

    def _too_many(self, orbit: Orbit, piece: int, held: int, wanted: int) -> str:
        often = "more than once" if wanted == 1 else f"{held} times, and should {wanted} times"
        return f"{orbit.one} piece {self.piece_name(orbit, piece)} appears {often}"

    def reachability_faults(self, state: State) -> list[Fault]:
        """Why no moves lead from the goal to a state with the right pieces; empty if some do, or if this is unknown
        because pieces are identical."""
        if not self.tells_apart or self.is_reachable(state):
            return []
        found = list(self._invariant_faults(state))
        return found or [Fault("", "each orbit by itself is possible, but no moves reach all of them together")]

    def is_reachable(self, state: State) -> bool:
        """Whether moves lead from the goal to a state of different pieces, if none were forbidden."""
        return self.permutation_of(state) in self.group(MoveSet("every move", self.moves, ""))

    @cached_property
    def unchanged(self) -> list[tuple[int, int]]:
        """For each orbit the moduli of what no move changes: its parity, and its sum of orientations; 1 if moves do."""
        found = []
        for orbit in self.orbits:
            sources = ([turn.source[slot] - orbit.first for slot in orbit.slots] for turn in self.turns.values())
            sums = (sum(turn.twist[slot] for slot in orbit.slots) for turn in self.turns.values())
            found.append((1 if any(map(parity, sources)) else 2, gcd(orbit.orientations, *sums)))
        return found

    def invariants(self, state: State) -> list[tuple[int, int]]:
        """For each orbit the parity and the sum of orientations modulo `unchanged`; zeros if moves reach the state."""
        held, found = self.contents(state), []
        for orbit, (even, modulus) in zip(self.orbits, self.unchanged, strict=True):
            pieces, turned = zip(*(divmod(held[slot], orbit.orientations) for slot in orbit.slots), strict=True)
            found.append((parity(pieces) % even, sum(turned) % modulus))
        return found

    def _invariant_faults(self, state: State) -> Iterator[Fault]:
        for orbit, (odd, total), (_, modulus) in zip(self.orbits, self.invariants(state), self.unchanged, strict=True):
            if odd:
                what = f"two {orbit.name} are swapped, and moves make even permutations only"
                yield Fault(orbit.name, f"odd permutation: {what}")
            if total:
                yield Fault(orbit.name, f"the orientations add up to {total}, not 0, modulo {modulus}")

    def piece_name(self, orbit: Orbit, piece: int) -> str:
        """The name of a piece and of its slot when solved."""
        return f"{orbit.name}[{piece}]"

    def place_name(self, orbit: Orbit, slot: int) -> str:
        """The name of a slot for people, by its number in the orbit."""
        return self.piece_name(orbit, slot)

    def orbit(self, name: str) -> Orbit:
        """The orbit of this name; `UnknownName` if there is none."""
        orbit = self.find_orbit(name)
        if orbit is None:
            raise UnknownName(f"orbit of {self.name}", name, [o.name for o in self.orbits])
        return orbit

    def find_orbit(self, name: str) -> Orbit | None:
        """The orbit of this name, in capitals or not; None if there is none."""
        return next((orbit for orbit in self.orbits if orbit.name.lower() == name.lower()), None)


def _whole(source: Sequence[int], dtype: np.dtype[Any]) -> Callable[[State], State]:
    """A move that turns no piece, of all slots in one call."""
    if dtype == np.uint8:
        moved = itemgetter(*source)
        return lambda state: bytes(moved(state))
    order = np.array(source, dtype=np.intp)
    return lambda state: np.frombuffer(state, dtype)[order].tobytes()


@lru_cache(maxsize=1024)
def _array(values: tuple[int, ...], dtype: str) -> States:
    return np.array(values, dtype=dtype)


@lru_cache(maxsize=64)
def _group(puzzle: PermutationPuzzle, moves: MoveSet) -> PermutationGroup:
    return PermutationGroup(puzzle.images(moves.moves).tolist())


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


def _counted_from_one(parts: Mapping[str, object], orbits: Sequence[Orbit]) -> bool:
    """Whether every orbit's pieces are 1, 2 ... in some order."""
    lists = [part.get("pieces") if isinstance(part := parts.get(orbit.name), Mapping) else None for orbit in orbits]
    return all(
        isinstance(pieces, list)
        and all(type(piece) is int for piece in pieces)
        and sorted(pieces) == list(range(1, orbit.pieces + 1))
        for pieces, orbit in zip(lists, orbits, strict=True)
    )


def _expected_pieces(orbits: Sequence[Orbit]) -> str:
    return "expected an object with " + ", ".join(orbit.name for orbit in orbits)
