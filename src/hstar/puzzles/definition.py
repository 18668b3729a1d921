"""Permutation puzzles as data: the KPuzzle format of cubing.js (JSON), read and checked.

A definition has a ``name``, ``orbits`` of pieces, the ``defaultPattern`` (the goal), and ``moves``: for each orbit,
which slot's piece comes to slot i (``permutation[i]``) and what orientation it gains there (``orientationDelta[i]``).
Identical pieces have the same number in the default pattern; ``orientationMod`` there says in how many orientations a
piece looks different (0: in all). ``derivedMoves`` are algs of other moves, such as ``[x: U]`` (see `derived`). Members
of cubing.js that begin with ``experimental`` or ``$`` are passed over.

An optional member ``hstar`` has what only hstar uses; each of its members is optional too::

    {"title": "Pyraminx", "moveSets": {"faces": {"moves": ["U", "U'"], "description": "..."}},
     "defaultMoves": "all", "defaultScrambleMoves": "all", "defaultHeuristic": "misplaced_pieces / 4",
     "heuristics": {"name": {"expression": "...", "source": "..."}}, "patterns": ["edges:6"],
     "restingOrbits": {"CENTERS": {"pieces": [0, 1, ...], "orientation": [0, 0, ...]}}, "hiddenOrbits": [],
     "rotations": {"x": {"CORNERS": {"permutation": [...], "orientationDelta": [...]}}},
     "grips": {"R": {"blocks": ["R", "L x", "x"], "opposite": "L"}}, "spellings": {"M": "2L"},
     "forbidden": {"S": {"WEDGES": {"3": [16]}}}}

``patterns`` are the pattern databases that ``auto`` uses. Definitions made from permutations of points have ``points``
and ``labels``: for each orbit, slot and orientation the points that the piece there covers, and the label that each
point shows when the puzzle is solved. A KPattern may have more orbits than the puzzle: resting ones, whose pieces must
be solved, and hidden ones, which are ignored. ``rotations`` turn the whole puzzle but are not moves; rotated states are
recognised by them. ``grips`` and ``spellings`` are what algs may say besides moves (`hstar.puzzles.spelling`).
``forbidden``: a move, and every power of it, cannot be made while the slot of that number, from 0, holds one of these
pieces, nor if it would after the move. So a move can be undone where it can be made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hstar.errors import Fault, InvalidRequest, in_words
from hstar.groups.permutation_group import MAX_DEGREE

__all__ = ["KPuzzle", "read_definition"]

#: the most orientations of all pieces of an orbit
MAX_VALUES = 512
#: the most orientations of all slots together, and so the most slots, which are as many in the kernel; more than
#: ``MAX_DEGREE`` only where nothing asks for the group
MAX_PLACES = 8192
MAX_MOVES = 200
MAX_ORBITS = 320
#: the most characters of all algs of derived moves together
MAX_DERIVED_TEXT = 10_000

_NAME = r"^[a-zA-Z0-9][a-zA-Z0-9_.:-]{0,63}$"
_ORBIT = r"^[A-Za-z][A-Za-z0-9_]{0,31}$"
#: so that algs of the moves can be read again; what cannot be seen is not typed again either
_MOVE_NAMES = "a move's name has 1 to 32 visible characters, and no white space, prime, comma, colon or bracket"
_MOVE = re.compile(r"[^\s'\u2019()\[\],:]{1,32}")

Small = Annotated[int, Field(ge=0, le=MAX_VALUES)]
Row = Annotated[list[Small], Field(max_length=MAX_PLACES)]
Text = Annotated[str, Field(max_length=500)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True, defer_build=True)


class KOrbit(_Model):
    """Pieces that moves exchange with each other."""

    name: Annotated[str, Field(alias="orbitName", pattern=_ORBIT)]
    pieces: Annotated[int, Field(alias="numPieces", ge=1, le=MAX_VALUES)]
    orientations: Annotated[int, Field(alias="numOrientations", ge=1, le=MAX_VALUES)]


class KOrbitPattern(_Model):
    """The content of an orbit at the goal, slot by slot."""

    pieces: Row
    orientation: Row
    orientation_mod: Annotated[Row | None, Field(alias="orientationMod")] = None


class KOrbitMove(_Model):
    """The effect of a move on an orbit, slot by slot."""

    permutation: Row
    #: negative ones turn the other way, as on the Clock of cubing.js
    orientation_delta: Annotated[
        list[Annotated[int, Field(ge=-MAX_VALUES, le=MAX_VALUES)]],
        Field(alias="orientationDelta", max_length=MAX_PLACES),
    ]


class KMoveSet(_Model):
    """A named choice of moves."""

    moves: Annotated[list[str], Field(min_length=1, max_length=10 * MAX_MOVES)]
    description: Text = ""


class KGrip(_Model):
    """The layers of a face or a corner: algs that turn the first one, the first two, ..., the whole puzzle."""

    blocks: Annotated[list[Annotated[str, Field(max_length=100)]], Field(min_length=2, max_length=32)]
    opposite: Annotated[str | None, Field(max_length=8)] = None


class KFace(_Model):
    """The colour of a face, and what shows on it, row by row: orbit, slot and facelet; nothing for what never moves."""

    colour: Annotated[str, Field(max_length=20)]
    facelets: Annotated[list[list[str | int]], Field(min_length=1, max_length=MAX_PLACES)]


class KHeuristic(_Model):
    """A heuristic that has a name."""

    expression: Annotated[str, Field(max_length=1000)]
    source: Text = ""


class KExtra(_Model):
    """The members that only hstar uses."""

    title: Annotated[str | None, Field(max_length=100)] = None
    move_sets: Annotated[dict[str, KMoveSet], Field(alias="moveSets", max_length=32)] = {}
    default_moves: Annotated[str | None, Field(alias="defaultMoves")] = None
    default_scramble_moves: Annotated[str | None, Field(alias="defaultScrambleMoves")] = None
    default_heuristic: Annotated[str | None, Field(alias="defaultHeuristic", max_length=1000)] = None
    heuristics: Annotated[dict[str, KHeuristic], Field(max_length=64)] = {}
    patterns: Annotated[list[str], Field(max_length=8)] = []
    #: orbits of a KPattern that the puzzle does not have: those that never move, and those that are invisible
    resting_orbits: Annotated[dict[str, KOrbitPattern], Field(alias="restingOrbits", max_length=32)] = {}
    hidden_orbits: Annotated[list[str], Field(alias="hiddenOrbits", max_length=32)] = []
    #: rotations of the whole puzzle that no move makes; found from the moves if left out
    rotations: Annotated[dict[str, dict[str, KOrbitMove]] | None, Field(max_length=32)] = None
    #: what algs may say besides (`hstar.puzzles.spelling`): layers of grips, and names of algs
    grips: Annotated[dict[str, KGrip], Field(max_length=64)] = {}
    spellings: Annotated[dict[str, Annotated[str, Field(max_length=100)]], Field(max_length=64)] = {}
    #: the faces of a puzzle that can be painted and drawn (`hstar.puzzles.faces`)
    faces: Annotated[dict[str, KFace], Field(max_length=20)] = {}
    #: by move, orbit and slot: the pieces, numbered as in the default pattern
    forbidden: Annotated[dict[str, dict[str, dict[str, Row]]], Field(max_length=MAX_MOVES)] = {}
    points: Annotated[dict[str, list[list[list[int]]]], Field(max_length=MAX_PLACES)] = {}
    labels: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=MAX_PLACES)] = []


class KPuzzle(_Model):
    """A puzzle as data, checked by `read_definition`."""

    name: Annotated[str, Field(pattern=_NAME)]
    orbits: Annotated[list[KOrbit], Field(min_length=1, max_length=MAX_ORBITS)]
    default_pattern: Annotated[dict[str, KOrbitPattern], Field(alias="defaultPattern")]
    moves: Annotated[dict[str, dict[str, KOrbitMove]], Field(min_length=1, max_length=MAX_MOVES)]
    derived_moves: Annotated[
        dict[str, Annotated[str, Field(max_length=1000)]], Field(alias="derivedMoves", max_length=MAX_MOVES)
    ] = {}
    hstar: KExtra = KExtra()


def read_definition(value: object) -> KPuzzle:
    """The definition from a JSON value.

    :raises InvalidRequest: it is not a definition; has all faults, each with its place
    """
    if isinstance(value, Mapping):
        value = {k: v for k, v in value.items() if not (isinstance(k, str) and k.startswith(("experimental", "$")))}
    try:
        definition = KPuzzle.model_validate(value)
    except ValidationError as error:
        faults = [Fault("/" + "/".join(map(str, e["loc"])), in_words(e)) for e in error.errors(include_url=False)]
        raise InvalidRequest("this is not the definition of a puzzle", faults) from None
    faults = [
        *_forbidding_faults(definition),
        *_orbit_faults(definition),
        *_pattern_faults(definition),
        *_move_faults(definition, definition.moves, "/moves"),
        *_move_faults(definition, definition.hstar.rotations or {}, "/hstar/rotations"),
        *_derived_faults(definition),
        *_forbidden_faults(definition),
        *_points_faults(definition),
    ]
    if faults:
        raise InvalidRequest("this is not the definition of a puzzle", faults)
    return definition


def _forbidden_faults(definition: KPuzzle) -> list[Fault]:
    faults = []
    if definition.hstar.forbidden:
        beside = {"/derivedMoves": definition.derived_moves, "/hstar/rotations": definition.hstar.rotations}
        faults += [Fault(where, "not beside forbidden moves") for where, given in beside.items() if given]
    for move, orbits in definition.hstar.forbidden.items():
        where = f"/hstar/forbidden/{move:.32}"
        if move not in definition.moves:
            faults.append(Fault(where, "no such move"))
        faults += _unknown_orbits(definition, orbits, where)
        for orbit in definition.orbits:
            known = {*definition.default_pattern[orbit.name].pieces} if orbit.name in definition.default_pattern else {}
            for slot, pieces in orbits.get(orbit.name, {}).items():
                at = f"{where}/{orbit.name}/{slot:.8}"
                if not (slot.isascii() and slot.isdigit() and len(slot) < 5 and int(slot) < orbit.pieces):
                    faults.append(Fault(at, f"expected the number of a slot, from 0 to {orbit.pieces - 1}"))
                elif str(int(slot)) != slot:
                    faults.append(Fault(at, f"expected {int(slot)}"))
                faults += [Fault(at, f"there is no piece {piece}") for piece in pieces if piece not in known]
    return faults


def _forbidding_faults(definition: KPuzzle) -> list[Fault]:
    """A Square-1: its slash cannot be made in every state, which a KPuzzle of cubing.js does not say."""
    slashes = [name for name in definition.moves if name in ("_SLASH_", "/")]
    if (
        not slashes
        or slashes[0] in definition.hstar.forbidden
        or not any("_SQ_" in name or name in ("U", "D") for name in definition.moves)
    ):
        return []
    text = (
        "the slash of a Square-1 cannot be made in every state, and a KPuzzle does not say in which: "
        "say it in hstar.forbidden, or take the built-in square1"
    )
    return [Fault(f"/moves/{slashes[0]}", text)]


def _orbit_faults(definition: KPuzzle) -> list[Fault]:
    faults = []
    names = [orbit.name.lower() for orbit in definition.orbits]
    for number, orbit in enumerate(definition.orbits):
        where = f"/orbits/{number}"
        if names.index(orbit.name.lower()) < number:
            faults.append(Fault(where, f"there are two orbits {orbit.name}, in capitals or not"))
        if orbit.pieces * orbit.orientations > MAX_VALUES:
            faults.append(Fault(where, f"{orbit.pieces} pieces in {orbit.orientations} orientations; at most "
                                       f"{MAX_VALUES} together"))  # fmt: skip
    places = sum(orbit.pieces * orbit.orientations for orbit in definition.orbits)
    if places > MAX_PLACES:
        faults.append(Fault("/orbits", f"there are {places} orientations of all pieces; at most {MAX_PLACES} together"))
    elif places > MAX_DEGREE and (definition.hstar.forbidden or _all_different(definition)):
        text = f"at most {MAX_DEGREE} where all look different or moves are forbidden"
        faults.append(Fault("/orbits", f"there are {places} orientations of all pieces; {text}"))
    return faults


def _all_different(definition: KPuzzle) -> bool:
    known = [(definition.default_pattern.get(orbit.name), orbit.orientations) for orbit in definition.orbits]
    return all(
        own is None or (len({*own.pieces}) == len(own.pieces) and {0, n}.issuperset(own.orientation_mod or ()))
        for own, n in known
    )


def _pattern_faults(definition: KPuzzle) -> list[Fault]:
    faults = _unknown_orbits(definition, definition.default_pattern, "/defaultPattern")
    for orbit in definition.orbits:
        where = f"/defaultPattern/{orbit.name}"
        own = definition.default_pattern.get(orbit.name)
        if own is None:
            faults.append(Fault(where, "this orbit is missing"))
            continue
        faults += _row_faults(own.pieces, orbit.pieces, orbit.pieces, f"{where}/pieces")
        faults += _row_faults(own.orientation, orbit.pieces, orbit.orientations, f"{where}/orientation")
        if sorted(own.pieces) == list(range(orbit.pieces)) and own.pieces != list(range(orbit.pieces)):
            text = "expected 0, 1, 2 ... in this order where all pieces are different: each has the number of its slot"
            faults.append(Fault(f"{where}/pieces", text))
        if any(own.orientation):
            faults.append(Fault(f"{where}/orientation", "expected 0 for every piece: they count from the goal"))
        if own.orientation_mod is not None:
            faults += _modulus_faults(own, orbit, f"{where}/orientationMod")
    return faults


def _modulus_faults(own: KOrbitPattern, orbit: KOrbit, where: str) -> list[Fault]:
    moduli = own.orientation_mod or []
    if len(moduli) != orbit.pieces:
        return [Fault(where, f"expected a list of {orbit.pieces} integers")]
    faults = [
        Fault(f"{where}/{i}", f"expected 0 or a divisor of {orbit.orientations}, found {modulus}")
        for i, modulus in enumerate(moduli)
        if modulus and orbit.orientations % modulus
    ]
    known: dict[int, int] = {}
    for i, (piece, modulus) in enumerate(zip(own.pieces, moduli, strict=False)):
        if known.setdefault(piece, modulus) != modulus:
            faults.append(Fault(f"{where}/{i}", f"identical pieces {piece} look different in different orientations"))
    return faults


def _is_name(name: str) -> bool:
    return _MOVE.fullmatch(name) is not None and name.isprintable()


def _move_faults(definition: KPuzzle, moves: Mapping[str, Mapping[str, KOrbitMove]], place: str) -> list[Fault]:
    faults = []
    for name, move in moves.items():
        where = f"{place}/{name:.32}"
        if not _is_name(name):
            faults.append(Fault(where, _MOVE_NAMES))
        faults += _unknown_orbits(definition, move, where)
        moved = False
        for orbit in definition.orbits:
            own = move.get(orbit.name)
            if own is None:
                continue
            at = f"{where}/{orbit.name}"
            wrong = _row_faults(own.permutation, orbit.pieces, orbit.pieces, f"{at}/permutation")
            if not wrong and len(set(own.permutation)) < orbit.pieces:
                wrong = [Fault(f"{at}/permutation", f"expected each integer from 0 to {orbit.pieces - 1} once")]
            faults += wrong
            faults += _row_faults(
                own.orientation_delta, orbit.pieces, orbit.orientations, f"{at}/orientationDelta", both_ways=True
            )
            moved |= own.permutation != list(range(orbit.pieces)) or any(own.orientation_delta)
        if not moved:
            faults.append(Fault(where, "this move moves nothing"))
    return faults


def _derived_faults(definition: KPuzzle) -> list[Fault]:
    if (length := sum(map(len, definition.derived_moves.values()))) > MAX_DERIVED_TEXT:
        return [Fault("/derivedMoves", f"there are {length:,} characters together; at most {MAX_DERIVED_TEXT:,}")]
    return [
        Fault(f"/derivedMoves/{name:.32}", _MOVE_NAMES if not _is_name(name) else "there is a move of this name")
        for name in definition.derived_moves
        if not _is_name(name) or name in definition.moves
    ]


def _points_faults(definition: KPuzzle) -> list[Fault]:
    """Each slot and orientation of each orbit has points, each point once; labels are those of all points."""
    points = definition.hstar.points
    if not points:
        return [Fault("/hstar/points", "there are none, but labels")] if definition.hstar.labels else []
    faults = _unknown_orbits(definition, points, "/hstar/points")
    for orbit in definition.orbits:
        slots = points.get(orbit.name, [])
        if len(slots) != orbit.pieces or any(len(slot) != orbit.orientations or not all(slot) for slot in slots):
            text = f"expected {orbit.pieces} slots, {orbit.orientations} lists of points in each"
            faults.append(Fault(f"/hstar/points/{orbit.name}", text))
        elif len({len(place) for slot in slots for place in slot}) > 1:
            faults.append(Fault(f"/hstar/points/{orbit.name}", "expected as many points of each slot and orientation"))
    every = {point for slots in points.values() for slot in slots for place in slot for point in place}
    if every and not (min(every) >= 0 and max(every) < MAX_PLACES):
        faults.append(Fault("/hstar/points", f"expected points from 0 to {MAX_PLACES - 1}"))
    elif len(definition.hstar.labels) <= max(every, default=0):
        faults.append(Fault("/hstar/labels", f"expected one for each of {max(every, default=0) + 1} points"))
    return faults


def _row_faults(row: Sequence[int], count: int, below: int, where: str, both_ways: bool = False) -> list[Fault]:
    """``both_ways``: negative integers are as good."""
    if len(row) != count:
        return [Fault(where, f"expected a list of {count} integers, found {len(row)}")]
    least = 1 - below if both_ways else 0
    return [
        Fault(f"{where}/{i}", f"expected an integer from {least} to {below - 1}, found {value}")
        for i, value in enumerate(row)
        if not least <= value < below
    ]


def _unknown_orbits(definition: KPuzzle, named: Mapping[str, Any], where: str) -> list[Fault]:
    known = [orbit.name for orbit in definition.orbits]
    return [Fault(f"{where}/{name:.40}", f"no such orbit; known are {', '.join(known)}") for name in named if
            name not in known]  # fmt: skip
