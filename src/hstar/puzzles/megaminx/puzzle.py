"""The Megaminx as a puzzle: its turns, its states and their formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import factorial
from typing import Any

from hstar.errors import Fault, InvalidAlg, InvalidState
from hstar.puzzles.base import ZERO, Choice, MoveSet, Orbit, State
from hstar.puzzles.facelets import Meant, in_convention, read_faces, read_formats, take_rotate
from hstar.puzzles.megaminx import wca
from hstar.puzzles.megaminx.colours import FACE_OF, format_colours, parse_colours
from hstar.puzzles.megaminx.geometry import (
    COLOURS,
    CORNERS,
    FACELETS,
    FACES,
    NEIGHBOURS,
    OPPOSITE,
    SLOT_OF,
    SLOTS,
)
from hstar.puzzles.megaminx.held import SUFFIXES as _SUFFIXES
from hstar.puzzles.megaminx.held import Turning, back_home, home_frame, read_held, turned_home
from hstar.puzzles.megaminx.heuristics import HEURISTICS
from hstar.puzzles.megaminx.kpattern import facelets_of, is_kpattern, pattern_data
from hstar.puzzles.megaminx.picture import MegaminxPainter
from hstar.puzzles.megaminx.shape import SHAPE
from hstar.puzzles.notation import Notation, Step
from hstar.puzzles.permutation import PermutationPuzzle, Turn, parity

_TOKEN = re.compile(r"^([A-Z]{1,2}|[a-z]+)([0-9]{0,3})('?)$")


def _clockwise(face: str) -> Turn:
    """One face by 72 degrees: what was next to neighbour k comes next to neighbour k + 1."""
    around = NEIGHBOURS[face]
    carried = {face: face} | {around[k]: around[(k + 1) % 5] for k in range(5)}
    source = list(range(len(SLOTS)))
    twist = [0] * len(SLOTS)
    for slot, faces in enumerate(SLOTS):
        if face in faces:
            target_faces = [carried[f] for f in faces]
            target = SLOT_OF[frozenset(target_faces)]
            source[target] = slot
            twist[target] = SLOTS[target].index(target_faces[0])
    return Turn(tuple(source), tuple(twist))


def _then(first: Turn, second: Turn) -> Turn:
    source = tuple(first.source[s] for s in second.source)
    twist = tuple(
        (first.twist[s] + t) % len(SLOTS[i]) for i, (s, t) in enumerate(zip(second.source, second.twist, strict=True))
    )
    return Turn(source, twist)


def _colours(slot: int) -> list[tuple[str, ...]]:
    """The colours that each value of a slot shows on the faces of the slot, in their order."""
    n = len(SLOTS[slot])
    homes = [faces for faces in SLOTS if len(faces) == n]
    return [tuple(home[(j - orientation) % n] for j in range(n)) for home in homes for orientation in range(n)]


_COLOURS = [_colours(slot) for slot in range(len(SLOTS))]


def turns() -> dict[str, Turn]:
    turns = {}
    for face in FACES:
        power = clockwise = _clockwise(face)
        for count in range(1, 5):
            turns[face + _SUFFIXES[count]] = power
            power = _then(power, clockwise)
    return turns


class Megaminx(PermutationPuzzle):
    """The Megaminx with fixed centres: 20!/2 * 3^19 * 30!/2 * 2^29 states."""

    name = "megaminx"
    title = "Megaminx"
    shape = SHAPE
    heuristics = (ZERO, *HEURISTICS)
    default_scramble_moves = "cw"
    default_moves = "ccw"
    metric = "all"
    default_heuristic = (
        'max(ceil(misplaced_facelets / 15), ceil(misplaced_pieces("corners") / 5), ceil(misplaced_pieces("edges") / 5))'
    )
    state_count = factorial(20) // 2 * 3**19 * factorial(30) // 2 * 2**29

    def __init__(self) -> None:
        def moves(*counts: int) -> tuple[str, ...]:
            return tuple(face + _SUFFIXES[count] for face in FACES for count in counts)

        self.move_sets = {
            m.name: m
            for m in (
                MoveSet("cw", moves(1), "each face clockwise by 72 degrees"),
                MoveSet("ccw", moves(4), "each face counter-clockwise by 72 degrees"),
                MoveSet("single", moves(1, 4), "each face by 72 degrees either way"),
                MoveSet("all", moves(1, 4, 2, 3), "each face by 72 or 144 degrees either way"),
            )
        }
        self.facelets, self.face_neighbours, self.opposite_faces = FACELETS, NEIGHBOURS, OPPOSITE
        self._build([Orbit("corners", 20, 3, 0), Orbit("edges", 30, 2, 20)], turns())

    # -- moves ---------------------------------------------------------------------------------------------------

    def frame(self) -> Callable[[Step], tuple[str, ...]]:
        return Turning()

    def steps(self, token: str) -> Sequence[Step]:
        """Turns of faces or colours, rotations and inner layers as in cubing.js, and WCA notation (`held`)."""
        token = token.replace("\u2019", "'")
        return read_held(token) or self._read(token)

    def parse_move(self, token: str) -> tuple[str, ...]:
        """A face or its colour, with an optional count and prime: ``U``, ``BR2'``, ``white``, ``blue2'``."""
        steps = self.steps(token)
        moves = tuple(step for step in steps if isinstance(step, str))
        if len(moves) < len(steps):
            text = "rotates the whole puzzle: it is allowed in an alg, but is not a move"
            raise InvalidAlg(f"{token[:40]!r} {text}")
        return moves

    def _read(self, token: str) -> tuple[str, ...]:
        match = _TOKEN.match(token)
        face = FACE_OF.get(match[1], match[1]) if match else None
        if match is None or face not in FACES:
            raise InvalidAlg(f"{token[:40]!r} is not a face turn such as U, BR2 or DL' or a colour such as white")
        count = int(match[2] or 1) * (-1 if match[3] else 1) % 5
        if count == 0:
            raise InvalidAlg(f"{token!r} turns a face by a multiple of 360 degrees, which is no move")
        return (face + _SUFFIXES[count],)

    @cached_property
    def notations(self) -> Mapping[str, Notation]:
        more = (
            Notation("colours", "faces by colour, counts and primes as usual", "white blue2'", parse_colours,
            format_colours), Notation(
                "wca", "scrambling notation of the World Cube Association; not every alg can be written in it",
                "R++ D-- U'", lambda text: wca.parse_wca(text).moves, wca.format_wca,
            ),
        )  # fmt: skip
        return {**super().notations, **{n.name: n for n in more}}

    @cached_property
    def painter(self) -> MegaminxPainter:
        return MegaminxPainter(self.format_facelets)

    def auto(self, moves: MoveSet) -> list[Choice]:
        """Exact moves of each piece alone; a turn moves five pieces of each kind. That is a cost partition with equal
        shares, and far states are worth learning others for."""
        own = (self.covering(moves) or self.move_set("all")).name
        pieces = f'max(ceil(corner_moves("{own}") / 5), ceil(edge_moves("{own}") / 5))'
        return [Choice("ida_star", pieces, partitions=own == moves.name)]

    # -- states --------------------------------------------------------------------------------------------------

    def piece_name(self, orbit: Orbit, piece: int) -> str:
        return "-".join(SLOTS[orbit.first + piece])

    def format_state(self, state: State) -> dict[str, Any]:
        return {"facelets": self.format_facelets(state), "pieces": self.format_pieces(state)}

    def format_facelets(self, state: State) -> dict[str, list[str]]:
        """The colour of each facelet, named by the face that is of that colour: 11 a face, the centre first."""
        shown = [colours[value] for colours, value in zip(_COLOURS, state, strict=True)]
        return {face: [face, *(shown[slot][j] for slot, j in FACELETS[face])] for face in FACES}

    def pattern_data(self, state: State) -> dict[str, Any]:
        return pattern_data(state)

    def parse_state(self, value: object) -> State:
        """``{"facelets": {face: [11 colours]}}``, ``{"pieces": {...}}``, either object bare, or cubing.js's KPattern.

        A puzzle that is held rotated is refused, with the rotation that brings it home, unless the object has a member
        ``"rotate": true`` as well: then it is rotated.
        """
        value, rotate = take_rotate(value)

        def facelets(part: object) -> State:
            return self.parse_facelets(part, rotate)

        if isinstance(value, Mapping) and is_kpattern(value):
            return facelets(facelets_of(value))
        state = read_formats(value, self.title, {"facelets": facelets, "pieces": self.parse_pieces})
        if state is not None:
            return state
        assert isinstance(value, Mapping)
        bare_pieces = any(orbit.name in value for orbit in self.orbits)
        return self.parse_pieces(value) if bare_pieces else facelets(value)

    def parse_facelets(self, value: object, rotate: bool = False) -> State:
        """The inverse of `format_facelets`; face names and colour names are both read.

        :param rotate: rotate the whole puzzle first, where its centres are not home
        """
        colours, faults = read_faces(value, COLOURS, 11, "the centre, then clockwise edge and corner")
        if faults:
            raise InvalidState("the facelets of the Megaminx are incomplete or unknown", faults)
        home = turned_home(colours)
        frame = {face: shown[0] for face, shown in colours.items()}
        if home is not None and frame != home_frame():
            turned = self.parse_facelets(home)  # other faults are reported first
            if rotate:
                return turned
            centre = f"the centre of U is {_colour(frame['U'])} and that of F {_colour(frame['F'])}"
            text = f'{centre}: rotate it whole by {back_home(frame)}, or send "rotate": true beside the state'
            raise InvalidState("the Megaminx is held rotated", [Fault("", text)])
        state, faults = self._shown(colours)
        # If all pieces exist, the convention is ours.
        meant = self._other_convention(colours) if faults else None
        held = None if faults else state
        faults = faults or self.faults(state)
        if faults:
            raise InvalidState(*in_convention("the Megaminx", faults, meant), held)
        return state

    def _shown(self, colours: Mapping[str, list[str]]) -> tuple[State, list[Fault]]:
        """The state that shows these colours, and a fault for each piece that does not exist."""
        faults = []
        counts = Counter(c for shown in colours.values() for c in shown)
        for face in FACES:
            if colours[face][0] != face:
                text = f"the centre is {_colour(colours[face][0])}; the centre of {face} is always {_colour(face)}"
                faults.append(Fault(f"/{face}/0", text))
            if counts[face] != 11:
                faults.append(Fault("", f"there are {counts[face]} facelets of {_colour(face)}; there must be 11"))
        shown = {place: colours[face][1 + k] for face in FACES for k, place in enumerate(FACELETS[face])}
        state = bytearray(self.solved)
        for slot, faces in enumerate(SLOTS):
            found = tuple(shown[slot, j] for j in range(len(faces)))
            value_here = _identify(found)
            if value_here is None:
                faults.append(Fault("-".join(faces), _impossible(found)))
            else:
                state[slot] = value_here
        return bytes(state), faults

    def _other_convention(self, colours: Mapping[str, list[str]]) -> Meant | None:
        """The convention by which facelets show pieces: listed counter-clockwise, in another colour scheme, or both, as
        mirror images are; None if they do not by any of these."""
        face_of = {shown[0]: face for face, shown in colours.items()}
        by_centres = {face: [face_of.get(c, c) for c in shown] for face, shown in colours.items()}
        other_scheme = len(face_of) == len(FACES) and by_centres != colours
        for scheme in (False, True) if other_scheme else (False,):
            given = by_centres if scheme else colours
            backwards = {face: [*shown[:2], *reversed(shown[2:])] for face, shown in given.items()}
            for listing in (given, backwards):
                state, faults = self._shown(listing)
                if faults:
                    continue
                ways = ["name each colour by the face whose centre has it"] if scheme else []
                ways += ["list the facelets of each face clockwise"] if listing is backwards else []
                whats = ["in another colour scheme"] if scheme else []
                whats += ["listed counter-clockwise, as in a mirror"] if listing is backwards else []
                what = " and ".join(whats)
                return Meant(f"these are facelets {what}: {', and '.join(ways)}", self.faults(state))
        return None

    def is_reachable(self, state: State) -> bool:
        # The parities and sums decide it. The group, which decides it for any puzzle, takes 30 ms to compute.
        return not self.reachability_faults(state)

    def reachability_faults(self, state: State) -> list[Fault]:
        found = []
        corners, edges = self.orbits
        for orbit in self.orbits:
            if parity([state[i] // orbit.orientations for i in orbit.slots]):
                text = f"odd permutation: two {orbit.name} are swapped, and turns make even permutations only"
                found.append(Fault(orbit.name, text))
        twist = sum(state[i] % 3 for i in corners.slots) % 3
        if twist:
            way = "clockwise" if twist == 1 else "counter-clockwise"
            found.append(
                Fault("corners", f"the corner twists add up to {twist}, not 0, modulo 3: a corner is twisted {way}")
            )
        if sum(state[i] % 2 for i in edges.slots) % 2:
            found.append(Fault("edges", "the edge flips add up to an odd number: a single edge is flipped"))
        return found

    def describe(self) -> dict[str, Any]:
        return self._describe_base() | {
            "faces": [
                {"name": f, "colour": COLOURS[f], "opposite": OPPOSITE[f], "neighbours": list(NEIGHBOURS[f])}
                for f in FACES
            ],
            "orbits": [
                {"name": o.name, "pieces": o.pieces, "orientations": o.orientations,
                 "slots": [self.piece_name(o, i) for i in range(o.pieces)]}
                for o in self.orbits
            ],
            "facelets_per_face": 11,
        }  # fmt: skip


def _colour(face: str) -> str:
    return f"{face} ({COLOURS[face]})"


def _identify(found: tuple[str, ...]) -> int | None:
    """The slot value that shows these colours clockwise from the slot's first facelet, or None."""
    slot = SLOT_OF.get(frozenset(found))
    if slot is None or len(set(found)) != len(found):
        return None
    home = SLOTS[slot]
    n = len(home)
    orientation = found.index(home[0])
    if any(found[(j + orientation) % n] != home[j] for j in range(n)):
        return None
    piece = slot - (0 if n == 3 else len(CORNERS))
    return piece * n + orientation


def _impossible(found: tuple[str, ...]) -> str:
    shown = ", ".join(_colour(face) for face in found)
    if len(set(found)) != len(found):
        return f"shows {shown}: no piece has a colour twice"
    for i, a in enumerate(found):
        for b in found[i + 1 :]:
            if OPPOSITE[a] == b:
                return f"shows {shown}: {a} and {b} are opposite faces, so no piece has both"
            if b not in NEIGHBOURS[a]:
                return f"shows {shown}: {a} and {b} do not touch, so no piece has both"
    return f"shows {shown}: the corner exists with these colours in the other rotation sense only (a mirror image)"
