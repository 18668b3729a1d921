"""The faces of a puzzle from a definition: what they show, reading it, and drawing it.

A cube is read as facelets by face, row by row; as a string of all facelets in the order U, R, F, D, L, B (Kociemba's
order), named by faces or by the first letters of the colours; and as an unfolded cube::

          U U U
          U U U
          U U U
    L L L F F F R R R B B B
    L L L F F F R R R B B B
    L L L F F F R R R B B B
          D D D
          D D D
          D D D
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from xml.etree import ElementTree as ET

from hstar.errors import Fault, InvalidState
from hstar.puzzles import octahedron
from hstar.puzzles.base import Orbit, State, contents
from hstar.puzzles.definition import KFace
from hstar.puzzles.facelets import read_faces
from hstar.puzzles.master_pyraminx.picture import TetrahedronPainter
from hstar.puzzles.megaminx.geometry import FACES as DODECAHEDRON
from hstar.puzzles.megaminx.picture import KilominxPainter
from hstar.puzzles.painter import PALETTE, Labels, Painter, Style, paint_facelet
from hstar.puzzles.permutation import Turn
from hstar.svg import INK, Point, group, label, readable_on

__all__ = ["CUBE", "SKEWB_FACE", "TETRAHEDRON", "Faces", "flat_cells", "net_painter"]

#: the faces of a cube in the order of strings, and where each is on an unfolded one: column and row
CUBE = ("U", "R", "F", "D", "L", "B")
#: facelets of a face of a Skewb: two corners, the centre, two corners; of each an outline, as `flat_cells` has it
SKEWB_FACE = 5
#: the faces of a Pyraminx, and how many facelets each has
TETRAHEDRON, TETRAHEDRON_FACE = {"F", "BL", "BR", "D"}, 9
#: the facelets of a face of a Master Pyraminx without tips, and of a Kilominx
_WITHOUT_TIPS, _KILOMINX_FACE = 13, 5
_NET = {"U": (1, 0), "L": (0, 1), "F": (1, 1), "R": (2, 1), "B": (3, 1), "D": (1, 2)}
_MARGIN, _FACE = 16.0, 138.0

Place = tuple[int, int]


@dataclass(frozen=True)
class Faces:
    """The faces of a puzzle of these orbits.

    :param given: by name, its colour, and the orbit, slot and facelet of each facelet
    :param home: the content of each slot at the goal
    """

    given: Mapping[str, KFace]
    orbits: Sequence[Orbit]
    home: Sequence[int]

    @cached_property
    def colours(self) -> dict[str, str]:
        return {name: face.colour for name, face in self.given.items()}

    @cached_property
    def places(self) -> dict[str, list[Place | None]]:
        """By face, the slot of each facelet and its number there; None for what no move moves."""
        first = {orbit.name: orbit.first for orbit in self.orbits}
        return {
            name: [
                (first[str(own[0])] + int(own[1]), int(own[2])) if own else None for own in face.facelets
            ]
            for name, face in self.given.items()
        }  # fmt: skip

    @cached_property
    def size(self) -> int:
        """The number of facelets of a face."""
        return len(next(iter(self.places.values())))

    @cached_property
    def _faces_of(self) -> list[list[str]]:
        """By slot, the face of each of its facelets."""
        found: list[list[str]] = [[] for _ in self.home]
        for (slot, _), face in sorted((own, face) for face, all_ in self.places.items() for own in all_ if own):
            found[slot].append(face)
        return found

    @cached_property
    def _looks(self) -> list[dict[tuple[str, ...], int]]:
        """By orbit, the content of a slot by what it shows, from the slot's first facelet."""
        found = []
        for orbit in self.orbits:
            looks: dict[tuple[str, ...], int] = {}
            for slot in orbit.slots:
                shown = self._faces_of[slot]
                for turned in range(orbit.orientations):
                    look = tuple(shown[(k - turned) % len(shown)] for k in range(len(shown)))
                    looks.setdefault(look, self.home[slot] + turned)
            found.append(looks)
        return found

    @cached_property
    def _shows(self) -> list[dict[int, tuple[str, ...]]]:
        return [{value: look for look, value in looks.items()} for looks in self._looks]

    def show(self, state: State) -> dict[str, list[str]]:
        """What each facelet shows, named by the face that has it when solved."""
        held = contents(state, len(self.home))
        shown: dict[Place, str] = {}
        for orbit, looks in zip(self.orbits, self._shows, strict=True):
            for slot in orbit.slots:
                shown |= {(slot, k): face for k, face in enumerate(looks[held[slot]])}
        return {face: [face if own is None else shown[own] for own in places] for face, places in self.places.items()}

    def text(self, state: State) -> str:
        """All facelets in one string, face after face: what `listed` reads, where faces have one letter."""
        return "".join(letter for row in self.show(state).values() for letter in row)

    def read(self, value: object, title: str, rotations: Sequence[Turn], rotate: bool) -> list[int]:
        """The content of each slot that shows these colours: the inverse of `show`. Not checked: whether moves lead
        there.

        :param rotations: those of the whole puzzle
        :param rotate: rotate it first, where its centres are not home
        :raises InvalidState: with all faults
        """
        if isinstance(value, str):
            value = self.listed(value)
        order = "row by row" if set(self.places) == set(CUBE) else "in the order of its definition"
        shown, faults = read_faces(value, self.colours, self.size, order)
        if faults:
            raise InvalidState(f"the facelets of {title} are incomplete or unknown", faults)
        turned = self._home(shown, rotations)
        if turned is not None and turned != shown:
            if not rotate:
                text = (
                    'its centres are not in their places: rotate it as a whole, or send "rotate": true beside the state'
                )
                raise InvalidState(f"{title} is held rotated", [Fault("", text)])
            shown = turned
        counts = Counter(colour for row in shown.values() for colour in row)
        faults = [
            Fault("", f"there are {counts[face]} facelets of {face} ({colour}); there must be {self.size}")
            for face, colour in self.colours.items()
            if counts[face] != self.size
        ]
        found = list(self.home)
        seen = {own: shown[face][i] for face, places in self.places.items() for i, own in enumerate(places) if own}
        for face, places in self.places.items():
            for i, own in enumerate(places):
                if own is None and shown[face][i] != face:
                    faults.append(
                        Fault(f"/{face}/{i}", f"shows {shown[face][i]}; the centre of {face} is always {face}")
                    )
        for orbit, looks in zip(self.orbits, self._looks, strict=True):
            for slot in orbit.slots:
                own_faces = self._faces_of[slot]
                look = tuple(seen[slot, k] for k in range(len(own_faces)))
                if look in looks:
                    found[slot] = looks[look]
                else:
                    faults.append(Fault("-".join(own_faces), self._impossible(look, looks)))
        if faults:
            raise InvalidState(f"this is not a state of {title}", faults)
        return found

    @staticmethod
    def _impossible(look: Sequence[str], looks: Mapping[tuple[str, ...], int]) -> str:
        shown = f"shows {', '.join(look)}"
        if len(set(look)) < len(look):
            return f"{shown}: no piece has a colour twice"
        if any(set(look) == set(own) for own in looks):
            return f"{shown}: a piece has these colours in the other order only (a mirror image)"
        return f"{shown}: no piece has these colours"

    def _home(self, shown: dict[str, list[str]], rotations: Sequence[Turn]) -> dict[str, list[str]] | None:
        """The facelets after the rotation that brings all centres home; None if none does."""
        fixed = [(face, i) for face, places in self.places.items() for i, own in enumerate(places) if own is None]
        if all(shown[face][i] == face for face, i in fixed):
            return shown
        where = {own: (face, i) for face, places in self.places.items() for i, own in enumerate(places) if own}
        sizes = {slot: orbit.orientations for orbit in self.orbits for slot in orbit.slots}
        for turn in rotations:
            goes: dict[tuple[str, int], tuple[str, int]] = {}
            for slot, source in enumerate(turn.source):
                count = len(self._faces_of[slot])
                for k in range(count):
                    there = slot, (k + turn.twist[slot]) % (count if sizes[slot] > 1 else 1) if sizes[slot] > 1 else k
                    goes[where[source, k]] = where[there]
            faces = {face: there for (face, _), (there, _) in goes.items()}
            goes |= {(face, i): (faces[face], i) for face, i in fixed}
            after = {face: [""] * self.size for face in self.places}
            for (face, i), (there_face, j) in goes.items():
                after[there_face][j] = shown[face][i]
            if all(after[face][i] == face for face, i in fixed):
                return after
        return None

    def listed(self, text: str) -> dict[str, list[str]]:
        """The colours from a string of all facelets, face after face, by letters or by words, or from an unfolded cube.

        :raises InvalidState: it is neither
        """
        side = isqrt(self.size)
        faces = CUBE if set(self.places) == set(CUBE) else tuple(self.places)
        lines = ["".join(line.split()) for line in text.splitlines() if line.strip()]
        letters = "".join(lines)
        count, words = len(faces) * self.size, text.split()
        if len(words) == count and any(len(word) > 1 for word in words):
            return {face: words[i * self.size : (i + 1) * self.size] for i, face in enumerate(faces)}
        if len(letters) != count:
            faces_in_turn = f"the faces {', '.join(faces)} one after the other"
            expected = f"expected {count} letters, or words with spaces between: {faces_in_turn}"
            raise InvalidState("cannot read the facelets", [Fault("/facelets", f"{expected}; found {len(letters)}")])
        names = self._letters(letters)
        if faces is CUBE and [len(line) for line in lines] == [side] * side + [4 * side] * side + [side] * side:
            rows = {face: [] for face in CUBE}  # type: dict[str, list[str]]
            for number, line in enumerate(lines):
                if number // side == 1:
                    for i, face in enumerate(("L", "F", "R", "B")):
                        rows[face] += line[i * side : (i + 1) * side]
                else:
                    rows["U" if number < side else "D"] += line
        else:
            rows = {face: list(letters[i * self.size : (i + 1) * self.size]) for i, face in enumerate(faces)}
        return {face: [names.get(letter, letter) for letter in row] for face, row in rows.items()}

    def _letters(self, letters: str) -> dict[str, str]:
        """The face of each letter: of its name, or of its colour where the letters are those of colours."""
        by_colour = {colour[0].upper(): face for face, colour in self.colours.items()}
        given = set(letters.upper())
        faces = {face: face for face in self.places}
        chosen = by_colour if given <= set(by_colour) and not given <= set(faces) else faces
        return chosen | {letter.lower(): face for letter, face in chosen.items()}


def flat_cells(size: int) -> list[list[Point]]:
    """The outlines of the facelets of a cube's face, clockwise, from its top left corner at (0, 0) to (1, 1)."""
    if size == SKEWB_FACE:
        top, right, low, left = (0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)
        return [
            [(0.0, 0.0), top, left], [top, (1.0, 0.0), right], [top, right, low, left], [left, low, (0.0, 1.0)],
            [right, (1.0, 1.0), low],
        ]  # fmt: skip
    side = isqrt(size)
    steps = [(i % side, i // side) for i in range(size)]
    return [[((x + dx) / side, (y + dy) / side) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))] for x, y in steps]


def net_painter(title: str, faces: Faces) -> Painter | None:
    """What draws the unfolded puzzle; None if its faces are none of those that are known."""
    names = set(faces.places)
    if names == set(CUBE) and faces.size in (SKEWB_FACE, isqrt(faces.size) ** 2):
        return CubePainter(faces)
    if names == TETRAHEDRON and faces.size == TETRAHEDRON_FACE:
        return TetrahedronPainter(title, 3, faces.show)
    if names == TETRAHEDRON and faces.size == _WITHOUT_TIPS:
        return TetrahedronPainter(title, 4, faces.show, tips=False)
    if names == set(DODECAHEDRON) and faces.size == _KILOMINX_FACE:
        return KilominxPainter(faces.show)
    if names == set(octahedron.CORNERS) and faces.size == octahedron.FACELETS:
        return octahedron.OctahedronPainter(title, faces.colours, faces.show)
    return None


class CubePainter:
    """Draws a cube unfolded, its facelets row by row."""

    small_labels: Labels = "none"

    def __init__(self, faces: Faces) -> None:
        self._faces = faces
        self._cells = flat_cells(faces.size)
        self.width, self.height = 2 * _MARGIN + 4 * _FACE, 2 * _MARGIN + 3 * _FACE

    def paint(self, parent: ET.Element, state: bytes, style: Style) -> None:
        cell = _FACE / isqrt(self._faces.size)
        for face, row in self._faces.show(state).items():
            left, top = (_MARGIN + _FACE * at for at in _NET[face])
            drawn = group(parent, data_face=style.name(face), stroke=INK, stroke_width=1.6, stroke_linejoin="round")
            for i, shown in enumerate(row):
                points = [(left + _FACE * x, top + _FACE * y) for x, y in self._cells[i]]
                paint_facelet(drawn, points, i, shown, self._faces.colours[shown], style, min(17, cell / 2), cell - 4)
        if style.labels == "faces":
            for face, row in self._faces.show(state).items():
                left, top = (_MARGIN + _FACE * at for at in _NET[face])
                middle = row[len(row) // 2] if len(row) % 2 else None
                ink = INK if middle is None else readable_on(PALETTE[self._faces.colours[middle]])
                label(parent, (left + _FACE / 2, top + _FACE / 2), style.name(face), 20, width=30, fill=ink,
                      font_weight="bold")  # fmt: skip

    def describe(self, state: bytes, style: Style) -> str:
        lines = ["Unfolded cube. Each face with the colours of its facelets, row by row."]
        for face, row in self._faces.show(state).items():
            colours = " ".join(self._faces.colours[shown] for shown in row)
            lines.append(f"{style.name(face)} ({self._faces.colours[face]}): {colours}.")
        return "\n".join(lines)
