"""Megaminx: a dodecahedron with 20 corners and 30 edges; a move turns one face by a multiple of 72 degrees.

Faces are named as in cubing.js; each also has the colour that the standard scheme gives it. A face's facelets are
listed as its centre and then clockwise, seen from outside: the edge against its first neighbour, the corner between its
first and second neighbours, the edge against the second, and so on: 11 colours a face.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any

from hstar.errors import Fault, InvalidAlg, InvalidState
from hstar.heuristics.features import Feature, FeatureError
from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle, Turn, parity

FACES = ("U", "F", "L", "R", "BL", "BR", "D", "B", "FL", "FR", "DL", "DR")

COLOURS = {
    "U": "white", "F": "green", "L": "purple", "R": "red", "BL": "yellow", "BR": "blue",
    "D": "grey", "B": "lime", "FL": "cyan", "FR": "tan", "DL": "orange", "DR": "pink",
}  # fmt: skip
_FACE_OF_COLOUR = {colour: face for face, colour in COLOURS.items()}

_UPPER = ("F", "L", "BL", "BR", "R")  # around U, clockwise
_LOWER = ("FL", "DL", "B", "DR", "FR")  # _LOWER[i] lies below and between _UPPER[i] and _UPPER[i + 1]


def _neighbours() -> dict[str, tuple[str, ...]]:
    around = {"U": _UPPER, "D": tuple(reversed(_LOWER))}
    for i in range(5):
        before, after = (i - 1) % 5, (i + 1) % 5
        around[_UPPER[i]] = ("U", _UPPER[before], _LOWER[before], _LOWER[i], _UPPER[after])
        around[_LOWER[i]] = ("D", _LOWER[after], _UPPER[after], _UPPER[i], _LOWER[before])
    return {face: around[face] for face in FACES}


#: the five neighbours of each face, clockwise seen from outside
NEIGHBOURS: Mapping[str, tuple[str, ...]] = _neighbours()

#: the face opposite to each face: the one other face that shares no neighbour with it
OPPOSITE: Mapping[str, str] = {
    face: next(
        o for o in FACES if o != face and o not in NEIGHBOURS[face] and not set(NEIGHBOURS[o]) & set(NEIGHBOURS[face])
    )
    for face in FACES
}


def _from_first(faces: Sequence[str]) -> tuple[str, ...]:
    """Rotate a clockwise cycle of faces so that the face that comes first in FACES is in front."""
    start = min(range(len(faces)), key=lambda i: FACES.index(faces[i]))
    return (*faces[start:], *faces[:start])


def _pieces() -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    corners: list[tuple[str, ...]] = []
    edges: list[tuple[str, ...]] = []
    for face in FACES:
        for k, neighbour in enumerate(NEIGHBOURS[face]):
            edge = _from_first((face, neighbour))
            corner = _from_first((face, neighbour, NEIGHBOURS[face][(k + 1) % 5]))
            if edge not in edges:
                edges.append(edge)
            if corner not in corners:
                corners.append(corner)
    return corners, edges


#: faces of each corner (clockwise around it) and of each edge; the index is the piece and also its home slot
CORNERS, EDGES = _pieces()
_SLOTS = (*CORNERS, *EDGES)
_SLOT_OF = {frozenset(faces): slot for slot, faces in enumerate(_SLOTS)}

_SUFFIXES = {1: "", 2: "2", 3: "2'", 4: "'"}  # by the number of clockwise turns of 72 degrees
_TOKEN = re.compile(r"^([A-Z]{1,2}|[a-z]+)([0-9]{0,3})('?)$")


def _facelets_of(face: str) -> list[tuple[int, int]]:
    """(slot, facelet of that slot) for the ten facelets around a face, in the order of the format."""
    found = []
    for k, neighbour in enumerate(NEIGHBOURS[face]):
        for faces in ((face, neighbour), (face, neighbour, NEIGHBOURS[face][(k + 1) % 5])):
            slot = _SLOT_OF[frozenset(faces)]
            found.append((slot, _SLOTS[slot].index(face)))
    return found


_FACELETS = {face: _facelets_of(face) for face in FACES}


def _clockwise(face: str) -> Turn:
    """One face by 72 degrees: what lay against neighbour k comes to lie against neighbour k + 1."""
    around = NEIGHBOURS[face]
    carried = {face: face} | {around[k]: around[(k + 1) % 5] for k in range(5)}
    source = list(range(len(_SLOTS)))
    twist = [0] * len(_SLOTS)
    for slot, faces in enumerate(_SLOTS):
        if face in faces:
            target_faces = [carried[f] for f in faces]
            target = _SLOT_OF[frozenset(target_faces)]
            source[target] = slot
            twist[target] = _SLOTS[target].index(target_faces[0])
    return Turn(tuple(source), tuple(twist))


def _then(first: Turn, second: Turn) -> Turn:
    source = tuple(first.source[s] for s in second.source)
    twist = tuple(
        (first.twist[s] + t) % len(_SLOTS[i]) for i, (s, t) in enumerate(zip(second.source, second.twist, strict=True))
    )
    return Turn(source, twist)


def _turns() -> dict[str, Turn]:
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
    default_scramble_moves = "cw"
    default_moves = "ccw"
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
        self.slot_faces = _SLOTS
        self._build([Orbit("corners", 20, 3, 0), Orbit("edges", 30, 2, 20)], _turns())

    # -- moves ---------------------------------------------------------------------------------------------------

    def parse_alg(self, text: str) -> tuple[str, ...]:
        """Turns of faces or colours; with a token such as ``R++``, WCA notation as a whole, in its moving frame."""
        from hstar.notation import wca  # it is built on this module

        return wca.parse_wca(text).moves if wca.is_wca(text) else super().parse_alg(text)

    def parse_move(self, token: str) -> tuple[str, ...]:
        """A face or its colour, with an optional count and prime: ``U``, ``BR2'``, ``white``, ``blue2'``."""
        match = _TOKEN.match(token.replace("\u2019", "'"))
        face = _FACE_OF_COLOUR.get(match[1], match[1]) if match else None
        if match is None or face not in FACES:
            hint = (
                " (names are case-sensitive)" if token.upper() != token and token.upper().rstrip("'") in FACES else ""
            )
            raise InvalidAlg(f"{token[:40]!r} is not a face turn such as U, BR2 or DL' or a colour such as white{hint}")
        count = int(match[2] or 1) * (-1 if match[3] else 1) % 5
        if count == 0:
            raise InvalidAlg(f"{token!r} turns a face by a multiple of 360 degrees, which is no move")
        return (face + _SUFFIXES[count],)

    # -- states --------------------------------------------------------------------------------------------------

    def piece_name(self, orbit: Orbit, piece: int) -> str:
        return "-".join(_SLOTS[orbit.first + piece])

    def format_state(self, state: State) -> dict[str, Any]:
        return {"facelets": self.format_facelets(state), "pieces": self.format_pieces(state)}

    def format_facelets(self, state: State) -> dict[str, list[str]]:
        """The colour of each facelet, named by the face that is of that colour: 11 a face, the centre first."""
        shown: dict[tuple[int, int], str] = {}
        for slot, faces in enumerate(_SLOTS):
            n = len(faces)
            piece, orientation = divmod(state[slot], n)
            home = _SLOTS[piece + (0 if n == 3 else len(CORNERS))]
            for j in range(n):
                shown[slot, (j + orientation) % n] = home[j]
        return {face: [face, *(shown[place] for place in _FACELETS[face])] for face in FACES}

    def parse_state(self, value: object) -> State:
        """``{"facelets": {face: [11 colours]}}``, ``{"pieces": {...}}`` or either object bare."""
        if isinstance(value, Mapping):
            kinds = set(value) & {"facelets", "pieces"}
            if kinds and set(value) - {"facelets", "pieces"}:
                extra = ", ".join(sorted(map(str, set(value) - kinds)))
                raise InvalidState("the state has unknown members", [Fault("/", f"unexpected: {extra}")])
            states = []
            if "facelets" in kinds:
                states.append(self.parse_facelets(value["facelets"]))
            if "pieces" in kinds:
                states.append(self.parse_pieces(value["pieces"]))
            if len(states) == 2 and states[0] != states[1]:
                raise InvalidState("facelets and pieces describe different states; send one of them")
            if states:
                return states[0]
            if {"corners", "edges"} & set(value):
                return self.parse_pieces(value)
            return self.parse_facelets(value)
        raise InvalidState(
            "a Megaminx state is an object",
            [
                Fault(
                    "/", 'expected {"facelets": {"U": [11 colours], ...}} or {"pieces": {"corners": ..., "edges": ...}}'
                )
            ],
        )

    def parse_facelets(self, value: object) -> State:
        """The inverse of `format_facelets`; face names and colour names are both read."""
        faults: list[Fault] = []
        colours = self._read_colours(value, faults)
        if faults:
            raise InvalidState("the facelets of the Megaminx are incomplete or unknown", faults)
        counts = Counter(c for shown in colours.values() for c in shown)
        for face in FACES:
            if colours[face][0] != face:
                text = f"the centre is {_colour(colours[face][0])}; the centre of {face} is always {_colour(face)}"
                faults.append(Fault(f"/{face}/0", text))
            if counts[face] != 11:
                faults.append(Fault("", f"there are {counts[face]} facelets of {_colour(face)}; there must be 11"))
        shown = {place: colours[face][1 + k] for face in FACES for k, place in enumerate(_FACELETS[face])}
        state = bytearray(self.solved)
        for slot, faces in enumerate(_SLOTS):
            found = tuple(shown[slot, j] for j in range(len(faces)))
            value_here = _identify(found)
            if value_here is None:
                faults.append(Fault("-".join(faces), _impossible(found)))
            else:
                state[slot] = value_here
        faults = faults or self.faults(bytes(state))
        if faults:
            raise InvalidState("this is not a state of the Megaminx", faults)
        return bytes(state)

    def _read_colours(self, value: object, faults: list[Fault]) -> dict[str, list[str]]:
        colours: dict[str, list[str]] = {}
        if not isinstance(value, Mapping):
            faults.append(Fault("/", "expected an object with one list of 11 colours a face"))
            return colours
        for key, shown in value.items():
            face = _FACE_OF_COLOUR.get(key, key)
            if face not in FACES:
                faults.append(Fault(f"/{key}", f"no such face; faces are {', '.join(FACES)}"))
            elif face in colours:
                faults.append(Fault(f"/{key}", f"face {face} is given twice, by name and by colour"))
            elif not isinstance(shown, list) or len(shown) != 11:
                faults.append(
                    Fault(f"/{key}", "expected a list of 11 colours: the centre, then clockwise edge and corner")
                )
            else:
                colours[face] = []
                for i, name in enumerate(shown):
                    colour = _FACE_OF_COLOUR.get(name, name) if isinstance(name, str) else None
                    if colour not in FACES:
                        faults.append(Fault(f"/{key}/{i}", f"{name!r:.40} is neither a face nor a colour"))
                    colours[face].append(str(colour))
        missing = [face for face in FACES if face not in colours and not any(f.where == f"/{face}" for f in faults)]
        faults += [Fault(f"/{face}", "this face is missing") for face in missing]
        return colours

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

    # -- features --------------------------------------------------------------------------------------------------

    @property
    def feature_docs(self) -> Mapping[str, str]:
        return {
            "misplaced_facelets": "facelets that are not of their face's colour; centres never move (0..120)",
            "face_distance(same, adjacent, far, opposite)": (
                "sum over the facelets of one of four numbers, by how the face that shows the facelet lies to the "
                "facelet's home face: the same face, a neighbour, two away, opposite"
            ),
            **super().feature_docs,
        }

    def feature(self, name: str, arguments: tuple[float | str, ...]) -> Feature:
        if name == "misplaced_facelets":
            if arguments:
                raise FeatureError("no arguments: misplaced_facelets")
            return self._face_feature("misplaced_facelets", 0, 1, 1, 1)
        if name == "face_distance":
            numbers = [a for a in arguments if isinstance(a, int) and 0 <= a <= 1000]
            if len(arguments) != 4 or len(numbers) != 4:
                raise FeatureError("face_distance(same, adjacent, far, opposite) with four integers from 0 to 1000")
            return self._face_feature(f"face_distance({', '.join(map(str, numbers))})", *numbers)
        return super().feature(name, arguments)

    def _face_feature(self, name: str, same: int, adjacent: int, far: int, opposite: int) -> Feature:
        table = self.empty_table()
        for slot, faces in enumerate(_SLOTS):
            n = len(faces)
            for piece, home in enumerate(CORNERS if n == 3 else EDGES):
                for orientation in range(n):
                    for j, colour in enumerate(home):
                        shows = faces[(j + orientation) % n]
                        if shows == colour:
                            cost = same
                        elif shows == OPPOSITE[colour]:
                            cost = opposite
                        else:
                            cost = adjacent if shows in NEIGHBOURS[colour] else far
                        table[slot, piece * n + orientation] += cost
        return self.table_feature(name, table)

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
    slot = _SLOT_OF.get(frozenset(found))
    if slot is None or len(set(found)) != len(found):
        return None
    home = _SLOTS[slot]
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
