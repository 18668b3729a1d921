"""A student's own names for the faces, recognised by the neighbours of each face in clockwise order.

>>> labelling = Labelling.from_neighbours(table)                                  # doctest: +SKIP
>>> labelling.parse_alg("top left2'"), labelling.format_alg(("U", "L2'"))         # doctest: +SKIP
(('U', "L2'"), "top left2'")

A `Labelling` reads and writes algs and states as the puzzle does, but in the student's names. A token of an alg is a
name with the usual count and prime, ``top2'``. Names that begin or end with digits are put in parentheses if there is a
count or a layer: ``7``, ``7'``, ``(7)2``. For the Master Pyraminx layers are counted from the named face: ``2red'``,
``3-4red``. The facelets of a face are listed as in the table: the first edge is the one to the first neighbour, and the
top corner of a triangle is between its last and its first neighbour.

Several rotations of the puzzle fit a table. The names that are ours, or ``anchors``, choose one; otherwise it is the
first. The table of a mirror image is also a table of the puzzle, with other names. So a mirror image is recognised only
if the names are fixed: if all of them are ours, or by anchors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hstar import schema
from hstar.errors import Fault, HstarError, InvalidAlg, InvalidRequest, InvalidState
from hstar.labels.anchors import choose
from hstar.labels.tables import Table, check_table
from hstar.polyhedra import isomorphisms
from hstar.puzzles import Puzzle, State, get_puzzle
from hstar.puzzles.facelets import take_rotate
from hstar.puzzles.notation import tokens_of
from hstar.puzzles.shape import Shape

__all__ = ["Labelling", "labelling_of", "named"]

_DECORATED = re.compile(r"^((?:[0-9](?:-[0-9])?)?)(?:\((.+)\)|(.+?))([0-9]{0,3})('?)$")
#: the characters of layers and counts
_NUMERALS = "0123456789-"


class Labelling:
    """Names for the faces of a puzzle; immutable.

    :param puzzle: a Megaminx or a Master Pyraminx
    :param faces: our face, by the student's name
    :param table: the student's neighbours of each face, clockwise
    """

    def __init__(self, puzzle: Puzzle, faces: Mapping[str, str], table: Table) -> None:
        self.puzzle = puzzle
        #: our face, by the student's name
        self.faces: Mapping[str, str] = dict(faces)
        #: the student's name, by our face: what `hstar.pictures.draw` takes
        self.names: Mapping[str, str] = {ours: name for name, ours in faces.items()}
        self.table = table
        self._shape = _shape_of(puzzle)
        self._enclosed = any(name[0] in _NUMERALS or name[-1] in _NUMERALS for name in faces)
        self._places = {name: self._shape.places(self._turn(name, around[0])) for name, around in table.items()}
        self._said = self.names | {c: f"the corner opposite {self.names[f]}" for c, f in self._shape.corners.items()}
        said = "|".join(sorted(map(re.escape, self._said), key=len, reverse=True))
        colours = "|".join(self._shape.colours.values())
        self._mentions = re.compile(rf"(?<!\w)({said})(?: \((?:{colours})\))?(?!\w)")

    @classmethod
    def from_neighbours(
        cls,
        table: Mapping[str, Sequence[str]],
        puzzle: Puzzle | str = "megaminx",
        *,
        anchors: Mapping[str, str] | None = None,
    ) -> Labelling:
        """The labelling that a table of neighbours describes.

        :param table: for each face, by the student's name, its neighbours clockwise seen from outside
        :param anchors: our face or colour for some of the student's names; left out: names that are ours are anchors,
        as far as they fit; empty: no name has a meaning
        :raises InvalidRequest: the table is not the puzzle's solid, or the anchors do not fit, or they fit only its
        mirror image; all faults are listed
        """
        puzzle = get_puzzle(puzzle) if isinstance(puzzle, str) else puzzle
        shape = _shape_of(puzzle)
        checked = check_table(table, len(shape.neighbours), shape.sides, shape.solid)
        found = choose(isomorphisms(checked, shape.neighbours), checked, shape, anchors)
        return cls(puzzle, found, checked)

    def _turn(self, name: str, first: str) -> int:
        return list(self._shape.neighbours[self.faces[name]]).index(self.faces[first])

    def parse_alg(self, text: str) -> tuple[str, ...]:
        """Our moves, from tokens in the student's names; `InvalidAlg` lists every token that is not one."""
        moves: list[str] = []
        faults: list[Fault] = []
        for number, token in enumerate(tokens_of(text), start=1):
            try:
                moves.extend(self.puzzle.parse_move(self._our_token(token)))
            except _NotAMove as error:
                faults.append(Fault(f"move {number}", f"{token[:40]!r} is not {error}"))
            except InvalidAlg:
                text = "a multiple of a full turn, or a layer that does not exist"
                faults.append(Fault(f"move {number}", f"{token[:40]!r} is not a move: {text}"))
        if faults:
            raise InvalidAlg("the alg cannot be parsed in the names of this labelling", faults)
        return tuple(moves)

    def _our_token(self, token: str) -> str:
        bare, prime = (token[:-1], "'") if token.endswith("'") else (token, "")
        if bare in self.faces:
            return self._shape.read("", self.faces[bare], "", prime)
        match = _DECORATED.match(token)
        name = "" if match is None else match[2] or match[3]
        if match is None or name not in self.faces or (self._enclosed and match[3]):
            raise _NotAMove(f"a turn of one of {', '.join(self.faces)}")
        return self._shape.read(match[1], self.faces[name], match[4], match[5])

    def format_moves(self, moves: Sequence[str]) -> list[str]:
        """Each of our moves in the student's names."""
        shown = []
        for move in moves:
            layers, face, count, prime = self._shape.write(move)
            name = self.names[face]
            if (layers or count) and self._enclosed:
                name = f"({name})"
            shown.append(layers + name + count + prime)
        return shown

    def format_alg(self, moves: Sequence[str]) -> str:
        """The inverse of `parse_alg`."""
        return " ".join(self.format_moves(moves))

    def parse_state(self, value: object) -> State:
        """Read ``{"facelets": {name: [names]}}``, or only the inner object; with ``"rotate": true`` the whole puzzle
        may be rotated. `InvalidState` uses the student's names."""
        value, rotate = take_rotate(value)
        if isinstance(value, Mapping) and set(value) == {"facelets"}:
            value = value["facelets"]
        ours = {}
        faults = []
        if not isinstance(value, Mapping):
            raise InvalidState("the state is not an object", [Fault("/", "expected a list of colours for each face")])
        for name, shown in value.items():
            if name not in self.faces:
                hint = "; with labels a state is given as facelets" if name == "pieces" else ""
                faults.append(Fault(f"/{name!s:.40}", f"no such face; faces are {', '.join(self.faces)}{hint}"))
                continue
            places = self._places[name]
            if not isinstance(shown, list) or len(shown) != len(places):
                faults.append(Fault(f"/{name}", f"expected a list of {len(places)} names of faces"))
                continue
            wrong = [i for i, colour in enumerate(shown) if not isinstance(colour, str) or colour not in self.faces]
            faults += [Fault(f"/{name}/{i}", f"{shown[i]!r:.40} is none of the faces") for i in wrong]
            if not wrong:
                row = dict(zip(places, shown, strict=True))
                ours[self.faces[name]] = [self.faces[row[i]] for i in range(len(row))]
        faults += [Fault(f"/{name}", "this face is missing") for name in self.faces if name not in value]
        if faults:
            raise InvalidState("the facelets are incomplete or unknown", faults)
        try:
            return self.puzzle.parse_state({"facelets": ours, "rotate": rotate})
        except InvalidState as error:
            raise self.translate(error) from None

    def format_state(self, state: State) -> dict[str, Any]:
        """The inverse of `parse_state`."""
        return self.rename_state(self.puzzle.format_state(state))

    def rename_state(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """A state that the puzzle formatted, in the student's names: only facelets, because pieces have only our
        names."""
        facelets = shown["facelets"]
        return {
            "facelets": {
                name: [self.names[facelets[ours][place]] for place in self._places[name]]
                for name, ours in self.faces.items()
            }
        }

    def to_object(self) -> schema.Labels:
        """The object from which `named` rebuilds the labelling."""
        return schema.Labels(faces=dict(self.faces), neighbours={name: list(row) for name, row in self.table.items()})

    def rename_solve(self, solve: schema.Solve) -> schema.Solve:
        """A solve with its start, its solution and the best so far in the student's names."""
        start = solve.start
        renamed = start.model_copy(
            update={
                "alg": None if start.alg is None else self.format_moves(start.alg),
                "state": self.rename_state(start.state),
            }
        )
        solution = None if solve.solution is None else self.format_moves(solve.solution)
        progress = solve.progress
        if progress is not None and progress.best is not None:
            progress = progress.model_copy(update={"best": self.format_moves(progress.best)})
        return solve.model_copy(update={"start": renamed, "solution": solution, "progress": progress})

    def in_names(self, text: str) -> str:
        """A message with the student's names for the faces that it mentions."""
        return self._mentions.sub(lambda found: self._said[found[1]], text)

    def translate(self, error: HstarError) -> HstarError:
        """The same error in the student's names."""
        faults = [replace(f, where=self.in_names(f.where), message=self.in_names(f.message)) for f in error.faults]
        return type(error)(self.in_names(error.message), faults)

    def __repr__(self) -> str:
        return f"Labelling.from_neighbours({self.table!r}, {self.puzzle!r}, anchors={self.faces!r})"


def named(solve: schema.Solve) -> schema.Solve:
    """A solve in the face names of its request, if it has any, as people see it."""
    labelling = labelling_of(solve)
    return solve if labelling is None else labelling.rename_solve(solve)


def labelling_of(solve: schema.Solve) -> Labelling | None:
    """The labelling in the request of a solve, or None."""
    labels = solve.start.labels
    if labels is None:
        return None
    table = {name: tuple(row) for name, row in labels.neighbours.items()}
    return Labelling(get_puzzle(solve.puzzle), labels.faces, table)


def _shape_of(puzzle: Puzzle) -> Shape:
    if puzzle.shape is None:
        raise InvalidRequest(f"{puzzle.name} has no faces to label", [Fault("/labels", "leave it out for this puzzle")])
    return puzzle.shape


class _NotAMove(Exception):
    """A token is not a move; the message is what was expected."""
