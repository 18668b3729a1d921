"""Puzzles from definitions: everything about them is computed from data.

>>> puzzle = puzzle_from_definition(read_definition(json.loads(text)))                            # doctest: +SKIP

A move is a move of the definition, made any number of times, written as `notation` says. As in cubing.js, moves whose
names end with ``v``, and ``x``, ``y``, ``z``, rotate the whole puzzle. They are moves, but only in move sets that name
them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from importlib.resources import files
from math import lcm
from typing import Any

import numpy as np

from hstar.errors import Fault, HstarError, InvalidAlg, InvalidRequest, InvalidState
from hstar.groups import PermutationGroup
from hstar.puzzles.base import ZERO, Choice, MoveSet, NamedHeuristic, Orbit, Puzzle, State
from hstar.puzzles.definition import KOrbit, KOrbitMove, KOrbitPattern, KPuzzle, read_definition
from hstar.puzzles.derived import AlgError, power, read_alg
from hstar.puzzles.facelets import read_formats, take_rotate
from hstar.puzzles.faces import Faces, net_painter
from hstar.puzzles.held import Hold, closure, hold, in_words, rotated, rotation_home, rotations
from hstar.puzzles.kept_parts import strongest
from hstar.puzzles.notation import MoveNames, Rotation, Step
from hstar.puzzles.painter import Painter
from hstar.puzzles.permutation import Forbidden, PermutationPuzzle, Turn
from hstar.puzzles.points import PointList
from hstar.puzzles.spelling import CUBE, Grip, Terms, aliases, found_grips, spellings
from hstar.puzzles.subgroups import COSETS, subgroup_of, with_blocks

__all__ = ["DefinedPuzzle", "puzzle_from_definition", "shipped_puzzle"]

#: of a move of higher order only the move and its inverse are moves, and other powers are read as repeated moves; but
#: where moves are forbidden, powers may be allowed that lead past states in which they end
MAX_ORDER = 12
#: the most moves, including the powers of each, that the kernel can number
MAX_TURNS = 256
#: the most moves among which rotations of the whole puzzle are looked for
MOST_COMPARED = 100
#: expansions of `auto` over patterns of pieces, before the larger table of cosets is built,
#: over that one, before the one with blocks is, which takes minutes, and over this before the largest one is
BEFORE_COSETS, BEFORE_BLOCKS, BEFORE_FINER, BEFORE_PARTS = 300_000, 100_000_000, 500_000_000, 3_000_000
#: the most rotations of a whole puzzle: those of a dodecahedron
MOST_ROTATIONS = 60
#: the longest chain of moves that are derived from each other
MAX_DERIVED = 20

#: the prefix of sets of moves that rotations map to each other
_LIKE = "like-"
_ROTATION = re.compile(r"v$|^[xyz]2?$")
#: moves of a Clock, such as ``UR3+``, which cubing.js calls UR_PLUS_
_DIAL = re.compile(r"^(.+?)([0-9]{1,2})([+-])$")
_PLUS = "_PLUS_"


def puzzle_from_definition(definition: KPuzzle) -> DefinedPuzzle:
    """The puzzle that a definition describes.

    :raises InvalidRequest: a move set or a default has an unknown name
    """
    return DefinedPuzzle(definition)


@cache
def shipped_puzzle(name: str) -> DefinedPuzzle:
    """The puzzle whose definition is ``data/<name>.json``; the same object each time."""
    text = files("hstar.puzzles").joinpath("data", f"{name}.json").read_text(encoding="utf-8")
    return puzzle_from_definition(read_definition(json.loads(text)))


class DefinedPuzzle(PermutationPuzzle):
    """A permutation puzzle with orientations and, if its definition says so, identical pieces."""

    #: whether its states have pictures of their own, without faces
    drawn = False

    def __init__(self, definition: KPuzzle, name: str | None = None, held: tuple[Hold | None] | None = None) -> None:
        """
        :param name: used instead of the definition's
        :param held: what is held in place, or that nothing is, instead of what is chosen by rule
        """
        extra = definition.hstar
        self.name = name or definition.name
        self.turns_clockwise = name is None
        self.title = extra.title or definition.name
        self.definition = definition
        orbits = _orbits(definition)
        self.orientations = [orbit.orientations for orbit in orbits for _ in orbit.slots]
        #: of a move of at least this order only the move and its inverse are moves
        self._most = MAX_TURNS if extra.forbidden else MAX_ORDER
        #: every move of the definition, by name; also those that rotate the whole puzzle
        self._named = _named_turns(definition, self.orientations)
        # Where moves are forbidden all of them are moves: a rotation would change what is forbidden.
        self.rotations = [] if extra.forbidden else self._named_rotations()
        kinds = self._kinds()
        self.hold = self._chosen_hold(orbits, kinds) if held is None else held[0]
        if not self.rotations and not extra.forbidden:
            self.rotations = self._rotations()
            kinds = self._kinds()
        #: the moves by name, as they are of a puzzle that is held
        self._base, self._turned = self._held_moves()
        turns = self._with_powers()
        if len(turns) > MAX_TURNS:
            self._most = 1  # of each move only itself and its inverse
            turns = self._with_powers()
        self._name_of = {turn: name for name, turn in reversed(turns.items())}
        if len(turns) > MAX_TURNS:
            text = f"there are {len(turns)} moves with the powers of each; at most {MAX_TURNS}"
            raise InvalidRequest("this is not the definition of a puzzle", [Fault("/moves", text)])
        patterns = [definition.default_pattern[orbit.name] for orbit in orbits]
        moduli = [m for own in patterns for m in _moduli(own)]
        self._build(
            orbits,
            turns,
            pieces=[piece for own in patterns for piece in own.pieces],
            distinct_orientations=[m or n for m, n in zip(moduli, self.orientations, strict=True)],
            forbidden=self._forbidden_of(orbits) if extra.forbidden else None,
        )
        self._spell()
        self.move_sets = self._own_move_sets(kinds)
        self.default_moves = extra.default_moves or self._usual_moves()
        self.default_scramble_moves = extra.default_scramble_moves or self.default_moves
        named = {"defaultMoves": self.default_moves, "defaultScrambleMoves": self.default_scramble_moves}
        unknown = [member for member, chosen in named.items() if chosen not in self.move_sets]
        if unknown:
            text = f"expected one of {', '.join(self.move_sets)}"
            faults = [Fault(f"/hstar/{member}", text) for member in unknown]
            raise InvalidRequest(f"the definition of {self.name} names unknown move sets", faults)
        self.default_heuristic = extra.default_heuristic or self._misplaced()
        self.heuristics = (
            ZERO,
            *(NamedHeuristic(name, own.expression, own.source) for name, own in extra.heuristics.items()),
        )
        self.patterns = tuple(extra.patterns) or None
        self._points = PointList(definition, orbits, self.home) if extra.points else None
        #: what its faces show, if it has any
        self.faces = Faces(extra.faces, self.orbits, self.home) if extra.faces else None

    def _forbidden_of(self, orbits: Sequence[Orbit]) -> dict[str, Forbidden]:
        """By canonical move: of each move and its powers what the definition says of it.

        :raises InvalidRequest: the same move has two names, of which it says different things
        """
        first, found, faults = {orbit.name: orbit.first for orbit in orbits}, dict[str, Forbidden](), []
        for name, base in self._base.items():
            given = self.definition.hstar.forbidden.get(name, {})
            own = {
                first[orbit] + int(slot): frozenset(pieces)
                for orbit, slots in given.items()
                for slot, pieces in slots.items()
                if pieces
            }
            powers = self._powers(base)
            if own and not power(base, len(powers) + 1, self.orientations).is_identity:
                text = f"there are more than {MAX_TURNS} moves with the powers of each, and all of them must be moves"
                faults.append(Fault(f"/hstar/forbidden/{name}", text))
            for turn in powers:
                if turn in self._name_of and found.setdefault(self._name_of[turn], own) != own:
                    text = (
                        f"{self._name_of[turn]} is a power of another move, too, of which something else is forbidden"
                    )
                    faults.append(Fault(f"/hstar/forbidden/{name}", text))
        if faults:
            raise InvalidRequest("this is not the definition of a puzzle", faults)
        return {name: slots for name, slots in found.items() if slots}

    # -- how it is held ------------------------------------------------------------------------------------------

    def _chosen_hold(self, orbits: Sequence[Orbit], kinds: Sequence[Sequence[str]]) -> Hold | None:
        """What is held, so that rotations of the whole puzzle are no moves and do not matter."""
        turning = {name: turn for name, turn in self._named.items() if name not in self.rotations}
        given = [_turn(self.definition, move) for move in (self.definition.hstar.rotations or {}).values()]
        whole = closure([*given, *(self._named[name] for name in self.rotations)], self.orientations)
        if not turning or not whole or len(whole) > MOST_ROTATIONS:
            return None
        patterns = self.definition.default_pattern
        different = [
            orbit
            for orbit in orbits
            if len(set(patterns[orbit.name].pieces)) == orbit.pieces and not any(_moduli(patterns[orbit.name]))
        ]
        powers = [power for turn in turning.values() for power in self._powers(turn)]
        found = hold(different, self.orientations, turning, powers, whole, kinds[0] if kinds else list(turning))
        # Rotations beside the moves, where the moves keep no piece, are those of a puzzle with fixed centres.
        kept = found is not None and all(map(found.keeps, turning.values()))
        return found if self.rotations or (kept and len(different) < len(orbits)) else None

    def _held_moves(self) -> tuple[dict[str, Turn], dict[str, Turn]]:
        """The moves after which what is held is in place, by name, and all others that algs may name."""
        whole = self.definition.hstar.rotations or {}
        others = {name: _turn(self.definition, move) for name, move in whole.items() if name not in self._named}
        if self.hold is None or not self.rotations:
            return dict(self._named), others
        base = {n: t for n, t in self._named.items() if n not in self.rotations and self.hold.keeps(t)}
        others |= {name: turn for name, turn in self._named.items() if name not in base}
        known = {power for turn in base.values() for power in self._powers(turn)}
        for name, turn in list(others.items()):
            rotation = None if name in self.rotations else self.hold.back(turn)
            if rotation is not None and (kept := turn.then(rotation, self.orientations)) not in known:
                base[self._together(name, rotation)] = kept
                known |= {*self._powers(kept)}
        return base, others

    def _together(self, name: str, rotation: Turn) -> str:
        """The name of a move together with a rotation of the whole puzzle: ``D-y``, ``D+Lv``."""
        for sign, wanted in (("+", rotation), ("-", rotation.inverse(self.orientations))):
            for own in self.rotations:
                if self._named[own] == wanted:
                    return f"{name}{sign}{own}"
        return f"{name}+{self.rotations[0]}{len(name)}h"

    def _spell(self) -> None:
        """What algs may say besides moves: rotations, inner layers, other spellings."""
        extra = self.definition.hstar
        known = {**self._base, **self._turned}
        self._spelled: dict[str, Terms] = {}
        self._names = MoveNames(known)
        named = {name: turn for name, turn in self._turned.items() if name in self.rotations or name not in self._named}
        if extra.grips:
            grips = {
                grip: Grip([self._terms(text) for text in own.blocks], own.opposite)
                for grip, own in extra.grips.items()
            }
        else:
            grips = found_grips(self._named, self.rotations, self.orientations)
        self._spelled = spellings(grips, named or self.rotations, known)
        for name, own in aliases(known, known.__contains__).items():
            self._spelled.setdefault(name, ((own, 1),))
        self._names = MoveNames({**known, **self._spelled})
        for letter, face in CUBE.items():
            if letter not in known and (terms := self._whole_of(face)) is not None:
                self._spelled[letter] = terms
        self._names = MoveNames({**known, **self._spelled})
        for name, text in extra.spellings.items():
            self._spelled[name] = self._terms(text)
            self._names = MoveNames({**known, **self._spelled})
        every = closure(named.values(), self.orientations) if named else []
        size = len(self.orientations)
        #: the ways in which the whole puzzle may be held; the first is as it is when solved
        self._frames = [Turn(tuple(range(size)), (0,) * size), *(every if len(every) <= MOST_ROTATIONS else ())]
        self._frame_of = {turn.source: number for number, turn in enumerate(self._frames)}
        self._seen: dict[tuple[int, Step], tuple[tuple[str, ...], int]] = {}

    def _whole_of(self, face: str) -> Terms | None:
        """The quarter rotation of a cube that its definition names by a face, ``Rv``; None if there is none."""
        terms = self._spelled.get(f"{face}v", ((f"{face}v", 1),))
        turn = self._turned.get(terms[0][0]) if len(terms) == 1 else None
        if turn is None or terms[0][0] not in self.rotations:
            return None
        n = self.orientations
        return terms if power(turn, 4, n).is_identity and not power(turn, 2, n).is_identity else None

    def _terms(self, text: str) -> Terms:
        """An alg of moves about one axis, as moves and rotations with their counts."""
        terms: Counter[str] = Counter()
        for token in text.split():
            name, count = self._names.read(token) or ("", 0)
            if name in self._spelled:
                for inner, times in self._spelled[name]:
                    terms[inner] += times * count
            elif name in self._base or name in self._turned:
                terms[name] += count
            else:
                raise InvalidRequest(
                    "this is not the definition of a puzzle", [Fault("/hstar/grips", f"{token!r:.40} is not a move")]
                )
        return tuple((name, count) for name, count in terms.items() if count)

    def frame(self) -> Callable[[Step], tuple[str, ...]]:
        at = 0

        def read(step: Step) -> tuple[str, ...]:
            nonlocal at
            if at == 0 and isinstance(step, str):
                return (step,)
            if (at, step) not in self._seen:
                self._seen[at, step] = self._in_frame(at, step)
            moves, at = self._seen[at, step]
            return moves

        return read

    def _in_frame(self, at: int, step: Step) -> tuple[tuple[str, ...], int]:
        """The moves of a step of a puzzle that is held in some way, and how it is held then."""
        if isinstance(step, Rotation):
            turn = power(self._turned.get(step.name) or self._named[step.name], step.count, self.orientations)
        else:
            turn = self.turns[step]
        n, frame = self.orientations, self._frames[at]
        seen = frame.then(turn, n).then(frame.inverse(n), n)
        for rotation in self._frames:
            kept = seen.then(rotation.inverse(n), n)
            after = self._frame_of.get(rotation.then(frame, n).source)
            if after is not None and (kept in self._name_of or kept.is_identity):
                return () if kept.is_identity else (self._name_of[kept],), after
        raise InvalidAlg(f"{_shown(step)} cannot be made while the puzzle is rotated: its definition has no such move")

    # -- move sets -----------------------------------------------------------------------------------------------

    def _own_move_sets(self, kinds: Sequence[Sequence[str]]) -> dict[str, MoveSet]:
        turned = [name for name in self._named if name not in self.rotations] or list(self._named)
        single: list[str] = []
        powers: list[str] = []
        for name in turned:
            own = self._base_of(name)
            powers += [n for n in (self._name_of.get(p) for p in self._powers(own)) if n is not None]
            single += [self._name_of[own], self._name_of[own.inverse(self.orientations)]]
        sets = [MoveSet("all", tuple(dict.fromkeys(powers)), "each move, and every power of it")]
        if set(single) != set(powers):
            sets.insert(0, MoveSet("single", tuple(dict.fromkeys(single)), "each move and its inverse"))
        for names in kinds:
            inside = [name for name in turned if name in names]
            powers = []
            for name in inside:
                found = (self._name_of.get(p) for p in self._powers(self._base_of(name)))
                powers += [n for n in found if n is not None]
            words = f"{', '.join(inside[:12])}: rotations carry them into one another"
            sets.append(MoveSet(_LIKE + inside[0], tuple(dict.fromkeys(powers)), words))
        written = self.definition.hstar.move_sets
        sets += [MoveSet(name, self._read_moves(name, own.moves), own.description) for name, own in written.items()]
        return {own.name: own for own in sets}

    def _powers(self, turn: Turn) -> list[Turn]:
        """The turn, its square and so on, without the identity; of a turn of high order, itself and its inverse."""
        powers = [turn]
        while len(powers) < self._most and not (after := powers[-1].then(turn, self.orientations)).is_identity:
            powers.append(after)
        if len(powers) < self._most:
            return powers
        back = turn.inverse(self.orientations)
        return [turn] if back == turn else [turn, back]

    def _with_powers(self) -> dict[str, Turn]:
        """Every move by its canonical name: each move that has a name, then its powers that have none yet."""
        turns: dict[str, Turn] = {}
        named = set(self._base.values())
        names = MoveNames(self._base)
        for name, turn in self._base.items():
            if turn in turns.values():
                continue  # another name for an existing move
            turns[_written(names, name, 1)] = turn
            powers = self._powers(turn)
            for count, made in enumerate(powers[1:], start=2):
                if made not in named:
                    named.add(made)
                    back = 1 if made == turn.inverse(self.orientations) else len(powers) + 1 - count
                    shorter = count if 1 < count <= back else -back
                    turns[_written(names, name, shorter)] = made
        return turns

    def _base_of(self, name: str) -> Turn:
        """A named move of the definition, of the puzzle as it is held."""
        turn = self._named[name]
        rotation = None if self.hold is None else self.hold.back(turn)
        return turn if rotation is None else turn.then(rotation, self.orientations)

    def _usual_moves(self) -> str:
        """The first kind of moves, if these and rotations of the whole puzzle reach all states; otherwise all moves."""
        kinds = [name for name in self.move_sets if name.startswith(_LIKE)]
        if kinds and self.all_different and self.has_group:
            part, whole = self.group(self.move_sets[kinds[0]]), self._everything
            names = [] if self.hold else [self._name_of[self._base[name]] for name in self.rotations]
            if part.order * self.group(MoveSet("rotations", tuple(names), "")).order >= whole.order:
                return kinds[0]
        return "all"

    @property
    def _everything(self) -> PermutationGroup:
        """The group of all moves, including rotations."""
        return self.group(MoveSet("every move", self.moves, ""))

    def solvable_with(self, state: State, moves: MoveSet) -> bool:
        known = self.all_different and self.has_group
        return not known or self.permutation_of(state) in self.group(moves)

    def _named_rotations(self) -> list[str]:
        """The moves with names of rotations that carry every other move to a move, and some to another one."""
        named = [name for name in self._named if _ROTATION.search(name)]
        known = {p for turn in self._named.values() for p in self._powers(turn)}
        others = [turn for name, turn in self._named.items() if name not in named]

        def carries(turn: Turn) -> bool:
            back = turn.inverse(self.orientations)
            seen = [self._conjugate(turn, back, other) for other in others]
            return known.issuperset(seen) and seen != others

        return [name for name in named if not others or carries(self._named[name])]

    def _rotations(self) -> list[str]:
        """The moves that rotate the whole puzzle, recognised by their effect: conjugation maps every move to a move,
        and some moves to others than themselves and their inverses."""
        own = {turn: set(self._powers(turn)) for turn in self._named.values()}
        known = {power for powers in own.values() for power in powers}

        others = list(self._named.values())

        def rotates(turn: Turn) -> bool:
            if len(self._named) > MOST_COMPARED:
                return False
            back = turn.inverse(self.orientations)
            changes = False
            for number, other in enumerate(others):
                seen = self._conjugate(turn, back, other)
                if seen not in known:
                    others.insert(0, others.pop(number))  # it is likely to tell of the next one, too
                    return False
                changes |= seen not in own[other]
            return changes

        found = [name for name, turn in self._named.items() if rotates(turn)]
        return found if len(found) < len(self._named) else []

    def _conjugate(self, turn: Turn, back: Turn, other: Turn) -> Turn:
        return turn.then(other, self.orientations).then(back, self.orientations)

    def _kinds(self) -> list[list[str]]:
        """The kinds of moves that rotations map to each other, if there are several kinds."""
        turned = [name for name in self._named if name not in self.rotations] or list(self._named)
        kind: dict[Turn, set[str]] = {}
        for name in turned:
            kind.setdefault(self._named[name], {name})
        for name in self.rotations if len(self._named) <= MOST_COMPARED else ():
            turn = self._named[name]
            back = turn.inverse(self.orientations)
            for other in list(self._named.values()):
                seen = self._conjugate(turn, back, other)
                for there in (seen, seen.inverse(self.orientations)):
                    if other in kind and there in kind and kind[there] is not kind[other]:
                        together = kind[other] | kind[there]
                        kind |= {self._named[n]: together for n in together}
        kinds = list({id(names): names for names in kind.values()}.values())
        if len(kinds) == 1 or not any(len(names) > 1 for names in kinds):
            return []
        return [[name for name in turned if name in names] for names in kinds]

    def _read_moves(self, name: str, tokens: list[str]) -> tuple[str, ...]:
        moves: list[str] = []
        for number, token in enumerate(tokens):
            try:
                (move,) = self.parse_move(token)
            except (HstarError, ValueError):
                where = f"/hstar/moveSets/{name}/moves/{number}"
                raise InvalidRequest(
                    "a move set names an unknown move", [Fault(where, f"{token!r:.40} is not a move")]
                ) from None
            moves.append(move)
        return tuple(dict.fromkeys(moves))

    def _misplaced(self) -> str:
        """The default heuristic: misplaced pieces of each orbit, divided by the most that one move touches."""
        parts = []
        moves = {move for own in self.move_sets.values() for move in own.moves}
        number = np.repeat(np.arange(len(self.orbits)), [orbit.pieces for orbit in self.orbits])
        touched = [number[np.array([dst for dst, _, _ in self.touched(move)], dtype=np.int64)] for move in moves]
        counts = np.max([np.bincount(own, minlength=len(self.orbits)) for own in touched], axis=0).tolist()
        for orbit, most in zip(self.orbits, counts, strict=True):
            if most:
                parts.append(f'ceil(misplaced_pieces("{orbit.name}") / {most})')
        return parts[0] if len(parts) == 1 else f"max({', '.join(parts[:16])})"

    @cached_property
    def twin(self) -> PermutationPuzzle:
        if self.all_different:
            return self
        pattern = {
            orbit.name: KOrbitPattern(
                pieces=list(range(orbit.pieces)),
                orientation=[0] * orbit.pieces,
                # The same places and turns, also where no piece shows all orientations of the definition.
                orientation_mod=[orbit.orientations] * orbit.pieces,
            )
            for orbit in self.orbits
        }
        # What is named of these pieces may not exist where all are different: patterns may be too large.
        extra = self.definition.hstar.model_copy(
            update={
                "points": {},
                "labels": [],
                "patterns": [],
                "heuristics": {},
                "default_heuristic": None,
                "faces": {},
            }
        )
        return DefinedPuzzle(
            self.definition.model_copy(update={"default_pattern": pattern, "hstar": extra}), held=(self.hold,)
        )

    @cached_property
    def state_count(self) -> int | None:  # type: ignore[override]  # computed when it is asked for
        """The order of the group that the default moves generate (Schreier-Sims); None if pieces are identical."""
        return self.group(self.move_set(None)).order if self.all_different and self.has_group else None

    @cached_property
    def identity(self) -> list[object]:
        """Its name and its definition, because two definitions may have the same name."""
        return [self.name, sha256(self.definition.model_dump_json(by_alias=True).encode()).hexdigest()]

    def auto(self, moves: MoveSet) -> list[Choice]:
        choices = super().auto(moves)
        if self.patterns is not None:
            return choices
        *others, last = choices
        subgroup = subgroup_of(self, moves)
        if subgroup is None and last.heuristic not in (None, "gaps"):
            texts = strongest(self, moves)
            kept = [Choice("ida_star", f'pdb("{text}")', BEFORE_PARTS) for text in texts]
            return [*others, *kept[:-1], replace(kept[-1], expanded=None)] if kept else choices
        if subgroup is None:
            return choices
        blocks = with_blocks(self, moves)
        names = [COSETS, *[*blocks][:1], *(name for name, (_, finer) in blocks.items() if finer is not None)]
        before = (BEFORE_COSETS, BEFORE_BLOCKS, BEFORE_FINER)
        choices = [*others, last, *(Choice("ida_star", f'pdb("{name}")') for name in names)]
        for number, expanded in zip(range(len(others), len(choices) - 1), before, strict=False):
            choices[number] = replace(choices[number], expanded=expanded)
        return choices

    # -- states in relation to other states ------------------------------------------------------------------------

    def toward(self, start: State, target: State) -> tuple[Puzzle, State]:
        if not self.forbids or not self.tells_apart:
            return super().toward(start, target)
        return _toward(self, target), self.seen_from(target, start)

    def along(self, start: State, alg: Sequence[str]) -> tuple[Puzzle, State]:
        return self.toward(start, self.apply_alg(start, alg)) if self.forbids else super().along(start, alg)

    # -- moves ---------------------------------------------------------------------------------------------------

    @property
    def names(self) -> MoveNames:
        return self._names

    def steps(self, token: str) -> Sequence[Step]:
        """A move of the definition or another spelling, with a count and a prime: ``U``, ``U2'``, ``(f2)3``, ``Rw2``;
        on a Clock ``UR3+`` and ``UR3-``."""
        token = token.replace("\u2019", "'")
        read = self._names.read(token) or self._read_dial(token)
        if read is None and self.definition.derived_moves.get(token, "").strip() == ".":
            return []  # a pin of a Clock
        if read is None:
            known = ", ".join(list(self._base)[:12])
            raise InvalidAlg(f"{token[:40]!r} is not a move of {self.name} such as {known}, with a count and a prime")
        name, count = read
        terms = self._spelled.get(name) or ((name, 1),)
        steps = [step for own, times in terms for step in self._power(own, times * count)]
        if not steps and _DIAL.match(token) is None:  # scrambles of a Clock have ``UR0+``
            raise InvalidAlg(f"{token[:40]!r} turns by a multiple of a full turn, which is not a move")
        return steps

    def _read_dial(self, token: str) -> tuple[str, int] | None:
        match = _DIAL.match(token)
        if match is None:
            return None
        names = [name for name in (match[1], match[1] + _PLUS) if name in self._names.names]
        return (names[0], int(match[2]) * (1 if match[3] == "+" else -1)) if names else None

    def _power(self, name: str, count: int) -> list[Step]:
        """A move or a rotation, made ``count`` times: nothing if that is a full turn."""
        base = self._base.get(name)
        if base is None:
            turn = power(self._turned[name], count, self.orientations)
            return [] if turn.is_identity else [Rotation(name, count)]
        turn = power(base, count, self.orientations)
        if turn.is_identity:
            return []
        if turn in self._name_of:
            return [self._name_of[turn]]
        return [self._name_of[base if count > 0 else base.inverse(self.orientations)]] * abs(count)

    def parse_move(self, token: str) -> tuple[str, ...]:
        """As in an alg; a move that rotates the whole puzzle as well is the move without the rotation."""
        turned = self.frame()
        moves = tuple(move for step in self.steps(token) for move in turned(step))
        if not moves:
            raise InvalidAlg(f"{token[:40]!r} rotates the whole puzzle: it is allowed in an alg, but is not a move")
        return moves

    def place_name(self, orbit: Orbit, slot: int) -> str:
        """A slot's name from the moves that move it, if these are different for each slot of the orbit: ``UFR
        (CORNERS[0])``."""
        name = self.piece_name(orbit, slot)
        moving = self._movers.get(orbit.name)
        return f"{moving[slot]} ({name})" if moving and moving[slot] else name

    @cached_property
    def _movers(self) -> dict[str, list[str]]:
        faces = [name for name in self._base if name.isalpha() and name.isupper() and name not in self.rotations]
        found = {}
        for orbit in self.orbits:
            names = [
                "".join(face for face in faces if (own := self._base[face]).source[slot] != slot or own.twist[slot])
                for slot in orbit.slots
            ]
            if len(set(names)) == len(names) and max(map(len, names)) <= 6:
                found[orbit.name] = names
        return found

    # -- states --------------------------------------------------------------------------------------------------

    def format_state(self, state: State) -> dict[str, Any]:
        shown: dict[str, Any] = {} if self.faces is None else {"facelets": self.faces.show(state)}
        shown |= {"pieces": self.format_pieces(state)}
        return shown if self._points is None else shown | {"points": self._points.write(self.contents(state))}

    @cached_property
    def painter(self) -> Painter:
        drawn = None if self.faces is None else net_painter(self.title, self.faces)
        return super().painter if drawn is None else drawn

    def pattern_data(self, state: State) -> dict[str, Any]:
        """With resting orbits; hidden orbits are left out, because the state does not have them."""
        resting = {
            name: part.model_dump(by_alias=True, exclude_none=True)
            for name, part in self.definition.hstar.resting_orbits.items()
        }
        return self.format_pieces(state) | resting

    def parse_state(self, value: object) -> State:
        """A KPattern: ``{"pieces": {orbit: {"pieces": [...], "orientation": [...]}}}``, the inner object bare, or what
        cubing.js writes, ``{"kpuzzleName": ..., "patternData": {...}}``; of a puzzle with faces also
        ``{"facelets": ...}``, the object of faces bare, or a text (`faces`).

        A puzzle that is held rotated is refused, with the rotation that brings it home, unless the object has a member
        ``"rotate": true`` as well: then it is rotated.
        """
        value, rotate = take_rotate(value)
        state = self._read(value, rotate)
        state = state if self.hold is None else self.hold.home(self, state)
        faults = self.faults(state)
        if not faults:
            return state
        turn = self._rotation_home(state)
        if turn is None:
            raise InvalidState(f"this is not a state of {self.name}", faults, self.contents(state))
        if rotate:
            return rotated(self, state, turn)
        text = f'it is held rotated: {in_words(self, turn)}, or send "rotate": true beside the state'
        mended = [fault.message for fault in faults if fault.where.endswith("repair")]
        if mended and ";" not in mended[0]:  # of a single step, which is as likely
            faults.append(Fault("rotation", f"or {text}"))
            raise InvalidState(f"this is not a state of {self.name}", faults, self.contents(state))
        raise InvalidState(f"{self.name} is held rotated", [Fault("rotation", text), *faults])

    def _rotation_home(self, state: State) -> Turn | None:
        """The rotation of the whole that makes a state of these pieces; None if none does, or pieces are missing."""
        held = self.contents(state)
        whole = all(len({held[i] // orbit.orientations for i in orbit.slots}) == orbit.pieces for orbit in self.orbits)
        return rotation_home(self, state, self._held) if whole and self.all_different else None

    @cached_property
    def _held(self) -> list[Turn]:
        """The rotations of the whole puzzle: those of its definition, or the symmetries of its moves."""
        given = self.definition.hstar.rotations
        if given is not None:
            return closure((_turn(self.definition, move) for move in given.values()), self.orientations)
        return rotations(self)

    def _read(self, value: object, rotate: bool) -> State:
        if isinstance(value, Mapping) and "patternData" in value:
            value = {key: part for key, part in value.items() if key not in ("kpuzzleName", "experimentalPuzzleName")}
        readers: dict[str, Callable[[object], State]] = dict.fromkeys(("pieces", "patternData"), self.read_pieces)
        if (faces := self.faces) is not None:
            if isinstance(value, Mapping) and value and set(value) <= set(faces.places):
                value = {"facelets": value}
            readers["facelets"] = lambda part: self.state_of(faces.read(part, self.title, self._held, rotate))
        if self._points is not None:
            readers["points"] = self._read_points
            value = {"points": value} if isinstance(value, list) else value
        state = read_formats(value, self.title, readers)
        return self.read_pieces(value) if state is None else state

    def _read_points(self, value: object) -> State:
        assert self._points is not None
        try:
            return self.state_of(self._points.read(value))
        except InvalidState as error:
            meant = self._points.other_convention(value, self) if isinstance(value, list) else None
            if meant is None:
                raise
            message = f"this is a state of {self.name} by another convention"
            raise InvalidState(message, [Fault("", meant), *error.faults]) from None

    def read_pieces(self, value: object) -> State:
        """As `PermutationPuzzle.read_pieces`; resting and hidden orbits may be given too."""
        extra = self.definition.hstar
        if not isinstance(value, Mapping):
            return super().read_pieces(value)
        for name, resting in extra.resting_orbits.items():
            part = value.get(name)
            pieces = part.get("pieces") if isinstance(part, Mapping) else None
            if isinstance(pieces, list) and pieces != resting.pieces:
                text = f"the {name.lower()} are not at home, so the puzzle is held rotated: rotate it back as a whole"
                raise InvalidState(f"this is not a state of {self.name}", [Fault(f"/{name}", text)])
        beside = {*extra.resting_orbits, *extra.hidden_orbits}
        return super().read_pieces({name: part for name, part in value.items() if name not in beside})

    def describe(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"drawn": True} if self.drawn else {}
        if self.faces is not None:
            shown["faces"] = [{"name": name, "colour": colour} for name, colour in self.faces.colours.items()]
            shown["facelets_per_face"] = self.faces.size
        return self._describe_base() | shown | {
            "orbits": [
                {"name": o.name, "pieces": o.pieces, "orientations": o.orientations} for o in self.orbits
            ],
            "identical_pieces": not self.tells_apart,
            "rotations": self.rotations,
            "definition": self.definition.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        }  # fmt: skip


@lru_cache(maxsize=16)
def _toward(puzzle: DefinedPuzzle, target: State) -> DefinedPuzzle:
    """The same puzzle with pieces that are named by the slots where they are in the target: so other numbers are
    forbidden."""
    if target == puzzle.solved:
        return puzzle
    held, extra = puzzle.contents(target), puzzle.definition.hstar
    named = {
        orbit.name: {held[slot] // orbit.orientations: slot - orbit.first for slot in orbit.slots}
        for orbit in puzzle.orbits
    }
    forbidden = {
        move: {
            orbit: {slot: [named[orbit][piece] for piece in pieces] for slot, pieces in slots.items()}
            for orbit, slots in orbits.items()
        }
        for move, orbits in extra.forbidden.items()
    }
    extra = extra.model_copy(update={"forbidden": forbidden})
    return DefinedPuzzle(puzzle.definition.model_copy(update={"hstar": extra}))


def _written(names: MoveNames, name: str, count: int) -> str:
    """A move made that often: ``U2'``, and on a Clock ``UR3-``, which `steps` reads too."""
    if not name.endswith(_PLUS):
        return names.write(name, count)
    return f"{name.removesuffix(_PLUS)}{abs(count)}{'+' if count > 0 else '-'}"


def _shown(step: Step) -> str:
    return step if isinstance(step, str) else step.name


def _orbits(definition: KPuzzle) -> list[Orbit]:
    orbits: list[Orbit] = []
    for own in definition.orbits:
        first = sum(orbit.pieces for orbit in orbits)
        orbits.append(Orbit(own.name, own.pieces, _distinct_orientations(definition, own), first))
    return orbits


def _distinct_orientations(definition: KPuzzle, orbit: KOrbit) -> int:
    """In how many orientations a piece of the orbit looks different after all turns that any piece shows: the least
    common multiple of those of its pieces. More turns could not be told apart by what the slots hold."""
    moduli = definition.default_pattern[orbit.name].orientation_mod or [0]
    return lcm(*(modulus or orbit.orientations for modulus in moduli))


def _moduli(pattern: KOrbitPattern) -> list[int]:
    """For each slot, the number of orientations in which the piece looks different, if not all do; 0: all of the
    orbit's."""
    moduli = pattern.orientation_mod or [0]
    return moduli if len(set(moduli)) > 1 else [0] * len(pattern.pieces)


def _turn(definition: KPuzzle, move: Mapping[str, KOrbitMove]) -> Turn:
    """A move; orbits that it does not mention stay as they are."""
    source: list[int] = []
    twist: list[int] = []
    for orbit in definition.orbits:
        own, first = move.get(orbit.name), len(source)
        source += [first + s for s in (range(orbit.pieces) if own is None else own.permutation)]
        n = _distinct_orientations(definition, orbit)
        twist += [0] * orbit.pieces if own is None else [turned % n for turned in own.orientation_delta]
    return Turn(tuple(source), tuple(twist))


def _named_turns(definition: KPuzzle, orientations: Sequence[int]) -> dict[str, Turn]:
    """The moves of the definition and those that it derives from them, by name.

    :raises InvalidRequest: an alg cannot be parsed, names an unknown move, needs itself, or moves nothing; has all
    faults
    """
    turns = {name: _turn(definition, move) for name, move in definition.moves.items()}
    # A pause moves nothing, as do the pins of the Clock of cubing.js, which are moves there.
    algs = {name: alg for name, alg in definition.derived_moves.items() if alg.strip() != "." or "." in turns}
    names = MoveNames({*turns, *algs})
    faults = [
        Fault(f"/moves/{name}", "this move has no visible effect") for name, turn in turns.items() if turn.is_identity
    ]

    def named(token: str, within: tuple[str, ...]) -> Turn:
        read = names.read(token)
        if read is None:
            raise AlgError(f"{token[:40]!r} is not a move")
        name, count = read
        if name in within:
            raise AlgError(f"{name} is derived from itself")
        if len(within) > MAX_DERIVED:
            raise AlgError(f"more than {MAX_DERIVED} moves, each derived from the next")
        if name not in turns:
            turns[name] = read_alg(algs[name], names, lambda inner: named(inner, (*within, name)), orientations)
        return power(turns[name], count, orientations)

    for name in algs:
        try:
            if named(name, ()).is_identity:
                raise AlgError("this move moves nothing")
        except AlgError as error:
            faults.append(Fault(f"/derivedMoves/{name}", str(error)))
    if faults:
        raise InvalidRequest("this is not the definition of a puzzle", faults)
    return turns
