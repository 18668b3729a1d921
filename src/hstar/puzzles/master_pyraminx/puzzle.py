"""Master Pyraminx: a tetrahedron of four layers, 64 facelets; a move turns layers of a corner by 120 degrees.

The frame is fixed: a face keeps its name and its solved colour while layers turn, so that the fourth layer of a corner,
which is the opposite face, turns like the others and carries three tips with it.

Moves are named as in cubing.js, from the corner or the face that is nearer. Clockwise around the corner U, layer 1 is
``U``, layer 2 ``2U``, layer 3 ``2D'`` and layer 4 ``D'``, because the face D is seen from the other side; ``u`` is the
layers 1 and 2 together and ``3u`` the layers 1 to 3. Course report S4 writes corner, layer and direction (1 clockwise,
2 counter-clockwise): ``U1 1`` is ``U`` and ``U4 1`` is ``D'``. Both are read.

Colours are those of the standard Pyraminx. A face's 16 facelets are listed in rows from its top corner, left to right
seen from outside, and so numbered 0 | 1 2 3 | 4 5 6 7 8 | 9 10 11 12 13 14 15 as in S4. The top corner is U, and of D
it is B. S4 leaves the latter open, and its groups on the three sides of a face are not alike: counts may differ on D.

The verdicts of `hstar.heuristics.analysis` on the reports' heuristics:

- S3's ``faces_out_of_place / 4`` is admissible and consistent for every move set: no move changes more than 3 faces.
- S4's ``ceil(misplaced_groups / 9)`` is refuted for ``layers32``, where the report calls it admissible: one turn of the
  face BR makes 13 groups wrong, and so h = 2 one move from the goal. However the faces are numbered, a fourth layer
  meets 12 groups on average, so the flaw is not one of our convention. It is refuted for ``physical24`` as well (12
  groups), and proven for ``cw12`` and ``ccw12``, where a layer meets at most 9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import factorial
from typing import Any

from hstar.errors import Fault, InvalidState
from hstar.puzzles.base import ZERO, Choice, MoveSet, Orbit, State
from hstar.puzzles.facelets import Meant, in_convention, read_faces, read_formats, take_rotate
from hstar.puzzles.master_pyraminx.geometry import (
    COLOURS,
    CORNERS,
    FACELETS,
    FACES,
    OPPOSITE,
    ORBITS,
    PIECES,
    corners_of,
    turn,
)
from hstar.puzzles.master_pyraminx.heuristics import HEURISTICS
from hstar.puzzles.master_pyraminx.kpattern import is_kpattern, pattern_data, pieces_of
from hstar.puzzles.master_pyraminx.moves import (
    MOVES,
    Turning,
    format_layers,
    join_report_tokens,
    layer_name,
    read_move,
    read_rotation,
)
from hstar.puzzles.master_pyraminx.picture import TetrahedronPainter
from hstar.puzzles.master_pyraminx.shape import SHAPE
from hstar.puzzles.notation import Notation, Said, Step
from hstar.puzzles.permutation import PermutationPuzzle, parity

#: expansions of `auto` over patterns of pieces, before tables of orbits are built, and over these, before larger ones
BEFORE_ORBITS, BEFORE_LARGER_ORBITS = 300_000, (1_000_000, 3_000_000)
#: S4's groups of facelets, the same on every face: the corners, the three sides, the middle
GROUPS: tuple[tuple[int, ...], ...] = (
    (0,), (9,), (15,),
    (1, 2, 4, 5), (3, 7, 8), (10, 11, 12, 13, 14),
    (6,),
)  # fmt: skip

Place = tuple[str, int]
_PLACE: Mapping[tuple[int, int], Place] = {
    where: (face, number) for face in FACES for number, where in enumerate(FACELETS[face])
}


def _shown(home: int, orientation: int) -> tuple[str, ...]:
    """The colours that a piece shows in its orbit, from the slot's first facelet."""
    faces = PIECES[home].faces
    return tuple(faces[(j - orientation) % len(faces)] for j in range(len(faces)))


def _values(orbit: Orbit) -> dict[tuple[str, ...], int]:
    return {
        _shown(orbit.first + piece, orientation): piece * orbit.orientations + orientation
        for piece in range(orbit.pieces)
        for orientation in range(orbit.orientations)
    }


#: for each orbit, the slot value that shows these colours
_VALUES = {orbit.name: _values(orbit) for orbit in ORBITS}

#: the other wing of the same edge, which shows the same two colours in the mirrored order
_WING_TWINS = {wing: _VALUES["wings"][shown[::-1]] for shown, wing in _VALUES["wings"].items()}


class MasterPyraminx(PermutationPuzzle):
    """The Master Pyraminx in a fixed frame: 12 * 3^8 * 12!/2 * 6!/2 * 2^5 * 4!/2 states.

    The factor 12 counts how the tips, as a whole, stand in the frame; only a fourth layer changes that.
    """

    name = "master_pyraminx"
    title = "Master Pyraminx"
    shape = SHAPE
    heuristics = (ZERO, *HEURISTICS)
    # Every move set undoes a cw12 scramble, and layers32 solves every state.
    default_scramble_moves = "cw12"
    default_moves = "layers32"
    #: the divisors are the most that the largest move (three outer layers or one face) changes
    default_heuristic = (
        'max(ceil(misplaced_facelets / 27), ceil(misplaced_pieces("tips") / 3), '
        'ceil(misplaced_pieces("axials") / 3), ceil(misplaced_pieces("edges") / 3), '
        'ceil(misplaced_pieces("wings") / 6), ceil(misplaced_pieces("centres") / 3))'
    )
    patterns = ("tips:4+axials:4", "tips:2+edges:2+wings:4")
    #: for far states: all orbits but the wings, and with them these, which are larger and larger
    without_wings = "tips+axials+edges+centres"
    with_wings = (
        ("axials+wings/4+centres",),
        ("tips+axials+wings/4",),
        ("tips+axials+wings/4", "edges+wings/4+centres"),
    )
    #: of what third layers turn, and of wings, where no fourth layer turns
    layer_patterns = ("edges:6+centres:4", "wings:7")
    state_count = 12 * 3**8 * (factorial(12) // 2) * (factorial(6) // 2 * 2**5) * (factorial(4) // 2)

    def __init__(self) -> None:
        def moves(chosen: Sequence[tuple[int, ...]], *directions: bool) -> tuple[str, ...]:
            return tuple(name for name, (_, layers, way) in MOVES.items() if layers in chosen and way in directions)

        inner = [(1,), (2,), (3,)]
        self.move_sets = {
            m.name: m
            for m in (
                MoveSet("cw12", moves(inner, True), "layers 1 to 3 of each corner, one at a time, clockwise (S3)"),
                MoveSet("ccw12", moves(inner, False), "layers 1 to 3 of each corner, one at a time, counter-clockwise"),
                MoveSet("layers32", moves([*inner, (4,)], True, False), "each layer of each corner, either way (S4)"),
                MoveSet(
                    "physical24",
                    moves([(1,), (1, 2), (1, 2, 3)], True, False),
                    "what a hand turns: all layers of a corner down to a cut (1, 1 to 2 or 1 to 3), either way; no "
                    "inner layer alone. Turning a face is turning the other three layers, in a frame that stays",
                ),
            )
        }
        self.facelets, self.facelet_groups = FACELETS, GROUPS
        self._build(ORBITS, {name: turn(*definition) for name, definition in MOVES.items()})

    # -- moves ---------------------------------------------------------------------------------------------------

    def said(self, text: str) -> list[Said]:
        return super().said(join_report_tokens(text))

    def frame(self) -> Callable[[Step], tuple[str, ...]]:
        return Turning()

    def steps(self, token: str) -> Sequence[Step]:
        rotation = read_rotation(token.replace("\u2019", "'"))
        return self.parse_move(token) if rotation is None else (rotation,)

    def parse_move(self, token: str) -> tuple[str, ...]:
        return (read_move(token),)

    @cached_property
    def notations(self) -> Mapping[str, Notation]:
        layers = Notation(
            "s4", "corner, layer and direction (1 clockwise, 2 counter-clockwise), one layer a move, as in S4",
            "U1 1 L3 2", self.parse_alg, format_layers,
        )  # fmt: skip
        return {**super().notations, layers.name: layers}

    @cached_property
    def painter(self) -> TetrahedronPainter:
        return TetrahedronPainter(self.title, 4, self.format_facelets)

    def auto(self, moves: MoveSet) -> list[Choice]:
        """Without fourth layers, only first layers turn tips, second ones axials, and third ones edges and centres;
        wings turn with the second and the third. So the moves of different layers can be added."""
        own = self.covering(moves)
        if own is None or own.name not in ("cw12", "ccw12"):
            *others, last = super().auto(moves)
            if moves.name != "layers32":
                return [*others, last]
            tables = [[f'pdb("{name}")' for name in (self.without_wings, *names)] for names in self.with_wings]
            return [
                *others,
                replace(last, expanded=BEFORE_ORBITS),
                *(
                    Choice("ida_star", f"max({', '.join(every)})", expanded)
                    for every, expanded in zip(tables, (*BEFORE_LARGER_ORBITS, None), strict=True)
                ),
            ]
        third = 'max(ceil(edge_moves("{0}") / 3), ceil(centre_moves("{0}") / 3))'
        layers = 'tip_moves("{0}") + max(axial_moves("{0}") + {1}, ceil(wing_moves("{0}") / 3){2})'
        alone = layers.format(own.name, third.format(own.name), "")
        edges, wings = (f'pdb("{pattern}")' for pattern in self.layer_patterns)
        return [
            Choice("ida_star", alone, self.easy),
            Choice("ida_star", layers.format(own.name, edges, f", {wings}")),
        ]

    # -- states --------------------------------------------------------------------------------------------------

    def piece_name(self, orbit: Orbit, piece: int) -> str:
        return PIECES[orbit.first + piece].name

    def format_state(self, state: State) -> dict[str, Any]:
        return {"facelets": self.format_facelets(state), "pieces": self.format_pieces(state)}

    def format_facelets(self, state: State) -> dict[str, list[str]]:
        """The colour of each facelet, named by the face that is of that colour: 16 a face."""
        shown = [
            _shown(orbit.first + state[slot] // orbit.orientations, state[slot] % orbit.orientations)
            for orbit in self.orbits
            for slot in orbit.slots
        ]
        return {face: [shown[slot][j] for slot, j in FACELETS[face]] for face in FACES}

    def pattern_data(self, state: State) -> dict[str, Any]:
        return pattern_data(self.format_pieces(state))

    def parse_state(self, value: object) -> State:
        """``{"facelets": {face: [16 colours]}}``, ``{"pieces": {...}}``, either object bare, or cubing.js's KPattern.

        With a member ``"rotate": true`` the whole puzzle is rotated so that every tip is at its own corner.
        """
        value, rotate = take_rotate(value)
        state = self._read(value)
        return self._rotated_home(state) if rotate else state

    def _read(self, value: object) -> State:
        if isinstance(value, Mapping) and is_kpattern(value):
            return self.parse_pieces(pieces_of(value))
        state = read_formats(value, self.name, {"facelets": self.parse_facelets, "pieces": self.parse_pieces})
        if state is not None:
            return state
        assert isinstance(value, Mapping)
        bare_pieces = any(orbit.name in value for orbit in self.orbits)
        return self.parse_pieces(value) if bare_pieces else self.parse_facelets(value)

    def _rotated_home(self, state: State) -> State:
        """The state after rotating the whole puzzle so that every tip is at its own corner."""
        tips = self.orbit("tips").slots
        seen, todo = {state}, [state]
        while todo:
            now = todo.pop()
            if all(now[slot] // 3 == self.solved[slot] // 3 for slot in tips):
                return now
            for corner in CORNERS:
                after = now
                for layer in (1, 2, 3, 4):
                    after = self.turned(after, layer_name(corner, layer, clockwise=True))
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        raise AssertionError("the tips are an even permutation, and so one of the twelve rotations")

    def parse_pieces(self, value: object) -> State:
        """The inverse of `format_pieces`; `InvalidState` lists every fault."""
        try:
            return super().parse_pieces(value)
        except InvalidState as error:
            if not any(fault.where.startswith("/wings/orientation/") for fault in error.faults):
                raise
            why = Fault("wings", "turns never flip a wing in place: a wing has one orientation in each place, 0")
            raise InvalidState(error.message, [*error.faults, why]) from None

    def parse_facelets(self, value: object) -> State:
        """The inverse of `format_facelets`; face names and colour names are both read."""
        colours, faults = read_faces(value, COLOURS, 16, "rows of 1, 3, 5 and 7 from the top corner")
        if faults:
            raise InvalidState(f"the facelets of {self.name} are incomplete or unknown", faults)
        state, faults = self._shown(colours)
        # Where all pieces are there, the convention is ours.
        meant = self._other_convention(colours) if faults else None
        held = None if faults else state
        faults = faults or self.faults(state)
        if faults:
            raise InvalidState(*in_convention(self.name, faults, meant), held)
        return state

    def _shown(self, colours: Mapping[str, list[str]]) -> tuple[State, list[Fault]]:
        """The state that shows these colours, and a fault for each piece that does not exist."""
        counts = Counter(c for shown in colours.values() for c in shown)
        faults = [
            Fault("", f"there are {counts[face]} facelets of {_colour(face)}; there must be 16")
            for face in FACES
            if counts[face] != 16
        ]
        state = bytearray(self.solved)
        for orbit in self.orbits:
            for slot in orbit.slots:
                places = (_PLACE[slot, j] for j in range(len(PIECES[slot].faces)))
                found = tuple(colours[face][number] for face, number in places)
                value_here = _VALUES[orbit.name].get(found)
                if value_here is None:
                    faults.append(Fault(f"{orbit.name} {PIECES[slot].name}", _impossible(found)))
                else:
                    state[slot] = value_here
        return bytes(state), faults

    def _other_convention(self, colours: Mapping[str, list[str]]) -> Meant | None:
        """The convention by which facelets show pieces: each face listed right to left, two colours exchanged, or both;
        None if they do not by any of these. Other colours than these are the same puzzle held another way."""
        rows = (0, 1, 4, 9, 16)
        backwards = {
            face: [colour for a, b in pairwise(rows) for colour in reversed(shown[a:b])]
            for face, shown in colours.items()
        }
        one, two = FACES[:2]
        names = {face: face for face in FACES} | {one: two, two: one}
        found = []
        for given, mirrored in ((colours, False), (backwards, True)):
            for scheme in (False, True):
                listing = {f: [names[c] for c in shown] for f, shown in given.items()} if scheme else given
                state, faults = self._shown(listing)
                if faults:
                    continue
                ways = ["list each row of a face from left to right, its top corner above"] if mirrored else []
                ways += [f"exchange two colours, such as {_colour(one)} and {_colour(two)}"] if scheme else []
                whats = ["listed right to left, as in a mirror"] if mirrored else []
                whats += ["in the mirror image of our colour scheme"] if scheme else []
                text = f"these are facelets {' and '.join(whats)}: {', and '.join(ways)}"
                found.append(Meant(text, self.faults(state)))
        return min(found, key=lambda meant: len(meant.faults), default=None)

    def faults(self, state: State) -> list[Fault]:
        found = super().faults(state)
        wings = self.orbit("wings")
        held = Counter(state[slot] for slot in wings.slots)
        for wing, twin in _WING_TWINS.items():
            if held[wing] > 1 and not held[twin]:
                looks = f"a flipped {self.piece_name(wings, twin)} looks like {self.piece_name(wings, wing)}"
                text = f"{looks}, but turns never flip a wing: it has one orientation in each place"
                found.append(Fault("wings", text))
        return found

    def is_reachable(self, state: State) -> bool:
        # What is checked below decides it, as tests with the group show, and takes less time.
        return not self.reachability_faults(state)

    def reachability_faults(self, state: State) -> list[Fault]:
        found = []
        pieces = {o.name: [state[slot] // o.orientations for slot in o.slots] for o in self.orbits}
        for orbit in self.orbits:
            if orbit.name != "axials" and parity(pieces[orbit.name]):
                text = f"odd permutation: two {orbit.name} are swapped, and turns make even permutations only"
                found.append(Fault(orbit.name, text))
        for corner, tip, axial in zip(CORNERS, pieces["tips"], pieces["axials"], strict=True):
            if tip != axial:
                text = f"the tip of {CORNERS[tip]} stands on the axial of {CORNERS[axial]}; they never leave each other"
                found.append(Fault(f"corner {corner}", text))
        if sum(state[slot] % 2 for slot in self.orbit("edges").slots) % 2:
            found.append(Fault("edges", "the edge flips add up to an odd number: a single edge is flipped"))
        return found

    def solvable_with(self, state: State, moves: MoveSet) -> bool:
        """Of its own move sets those without turns of a fourth layer solve a state whose tips are at their corners."""
        if moves.name not in self.move_sets:
            return super().solvable_with(state, moves)
        tips = self.orbit("tips")
        return any(4 in MOVES[move][1] for move in moves.moves) or all(
            state[slot] // tips.orientations == slot - tips.first for slot in tips.slots
        )

    def describe(self) -> dict[str, Any]:
        return self._describe_base() | {
            "faces": [
                {
                    "name": face,
                    "colour": COLOURS[face],
                    "opposite": OPPOSITE[face],  # a corner
                    "corners": list(corners_of(face)),
                    # across the sides of the face, clockwise from the one on the right of its top corner
                    "neighbours": [OPPOSITE[corners_of(face)[i]] for i in (2, 0, 1)],
                }
                for face in FACES
            ],
            "corners": list(CORNERS),
            "orbits": [
                {"name": o.name, "pieces": o.pieces, "orientations": o.orientations,
                 "slots": [self.piece_name(o, i) for i in range(o.pieces)]}
                for o in self.orbits
            ],
            "facelets_per_face": 16,
            "groups": [list(group) for group in GROUPS],
        }  # fmt: skip


def _colour(face: str) -> str:
    return f"{face} ({COLOURS[face]})"


def _impossible(found: Sequence[str]) -> str:
    shown = ", ".join(_colour(face) for face in found)
    if len(set(found)) < len(found):
        return f"shows {shown}: no piece has a colour twice"
    return f"shows {shown}: the corner exists with these colours in the other rotation sense only (a mirror image)"
