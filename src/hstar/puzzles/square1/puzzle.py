"""The Square-1: two layers of corners and edges in twelve places each, and a slash that swaps their right halves.

The slash is forbidden while a corner is between the halves that it would part. Algs are written as the World Cube
Association does: by how many twelfths both layers turn clockwise, from -5 to 6, and slashes.

>>> square = Square1()
>>> square.format_alg(square.parse_alg("(1,0) / (0,-3) U2'"))
'(1,0) / (0,-3) (-2,0)'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from hstar.errors import Fault, InvalidAlg
from hstar.puzzles.base import MoveSet, Puzzle, State
from hstar.puzzles.defined import DefinedPuzzle
from hstar.puzzles.definition import read_definition
from hstar.puzzles.notation import Notation, Step
from hstar.puzzles.painter import Painter
from hstar.puzzles.square1.layers import CORNERS, EDGES, FIRSTS, following, layers
from hstar.puzzles.square1.picture import Square1Painter

__all__ = ["SLASH", "Square1"]

SLASH = "/"
_BOTH = re.compile(r"\(\s*(-?[0-9]{1,2})\s*,\s*(-?[0-9]{1,2})\s*\)")


def _definition(seconds: frozenset[int]) -> dict[str, Any]:
    still = list(range(24))

    def move(permutation: Sequence[int], over: int = 0) -> dict[str, Any]:
        return {
            "WEDGES": {"permutation": list(permutation), "orientationDelta": [0] * 24},
            "EQUATOR": {"permutation": [0], "orientationDelta": [over]},
        }

    return {
        "name": "square1",
        "orbits": [
            {"orbitName": "WEDGES", "numPieces": 24, "numOrientations": 1},
            {"orbitName": "EQUATOR", "numPieces": 1, "numOrientations": 2},
        ],
        "defaultPattern": {
            "WEDGES": {"pieces": still, "orientation": [0] * 24},
            "EQUATOR": {"pieces": [0], "orientation": [0]},
        },
        "moves": {
            "U": move([11, *still[:11], *still[12:]]),
            "D": move([*still[:12], 23, *still[12:23]]),
            SLASH: move([*still[:6], *still[12:18], *still[6:12], *still[18:]], 1),
        },
        "hstar": {
            "title": "Square-1",
            "forbidden": {SLASH: {"WEDGES": {str(slot): sorted(seconds) for slot in (0, 6, 12, 18)}}},
        },
    }


class Square1(DefinedPuzzle):
    """The corners' halves, the edges, and the equator.

    To find paths to another state than the solved one, pieces are named by where they are there; so that state is
    solved.
    """

    drawn = True

    def __init__(self, firsts: frozenset[int] = FIRSTS) -> None:
        """
        :param firsts: the slots of the first halves of corners when solved; of a cube, by default
        """
        self.firsts = firsts
        self.seconds = frozenset(map(following, firsts))
        super().__init__(read_definition(_definition(self.seconds)))
        #: what is solved, with the pieces' own names
        self.goal = _placed(firsts, lambda count: 0, 0)

    #: 3678 pairs of layers that can be cut are 170 shapes; here each turn of each layer counts, and the equator
    @cached_property
    def state_count(self) -> int:  # type: ignore[override]
        return len(layers()) * 40320 * 40320 * 2

    # -- notation ------------------------------------------------------------------------------------------------

    def steps(self, token: str) -> Sequence[Step]:
        match = _BOTH.fullmatch(token)
        if match is None:
            return super().steps(token)
        amounts = [int(match[1]), int(match[2])]
        if any(abs(amount) > 11 for amount in amounts):
            raise InvalidAlg(f"{token!r:.40}: a layer turns by at most 11 twelfths")
        return [*self._power("U", amounts[0]), *self._power("D", amounts[1])]

    def written(self, alg: Sequence[str]) -> list[str]:
        words, upper = list[str](), 0
        for move, after in zip(alg, [*alg, SLASH][1:], strict=True):
            if move == SLASH:
                words.append(SLASH)
            elif move[0] == "D":
                words.append(f"({upper},{self._amount(move)})")
                upper = 0
            elif after[0] == "D":
                words.append("")
                upper = self._amount(move)
            else:
                words.append(f"({self._amount(move)},0)")
        return words

    def _amount(self, move: str) -> int:
        name_and_count = self.names.read(move)
        assert name_and_count is not None
        return name_and_count[1]

    @cached_property
    def notations(self) -> Mapping[str, Notation]:
        return {"wca": Notation("wca", "both layers, and slashes", "(1,0) / (-3,6)", self.parse_alg, self.format_alg)}

    def why_not(self, state: State, move: str) -> str:
        held = self.contents(state)
        names = [
            name
            for name, begin in (("upper", 0), ("lower", 12))
            if {held[begin], held[begin + 6]} & self.seconds
        ]  # fmt: skip
        return f"a corner of the {' and one of the '.join(names)} layer is in the way"

    # -- states --------------------------------------------------------------------------------------------------

    def reachability_faults(self, state: State) -> list[Fault]:
        held, found = self.contents(state), []
        for slot in range(24):
            if held[slot] in self.firsts and held[following(slot)] != following(held[slot]):
                halves = f"{held[slot]} and {following(held[slot])}"
                text = f"the halves {halves} of a corner are not side by side, clockwise"
                found.append(Fault(self.place_name(self.orbits[0], slot), text))
        return found

    def is_reachable(self, state: State) -> bool:
        return not self.reachability_faults(state)

    def random_state(self, choose: Callable[[int], int], moves: MoveSet) -> State:
        """The places of the corners, then which corners and edges, then the equator: all are equally likely."""
        top, bottom = layers()[choose(len(layers()))]
        return _placed(top | {12 + place for place in bottom}, choose, choose(2))

    @cached_property
    def painter(self) -> Painter:
        return Square1Painter(self.own_names)

    def pattern_data(self, state: State) -> dict[str, Any]:
        """As cubing.js writes it: the equator has two halves, of which a slash turns the right one by 3 of 6."""
        over = {"pieces": [0, 1], "orientation": [0, 3 * self.contents(state)[24]]}
        return self.format_pieces(state) | {"EQUATOR": over}

    def read_pieces(self, value: object) -> State:
        if isinstance(value, Mapping):
            equator = value.get("EQUATOR")
            for over in (0, 1):
                if equator == {"pieces": [0, 1], "orientation": [0, 3 * over]}:
                    value = {**value, "EQUATOR": {"pieces": [0], "orientation": [over]}}
        return super().read_pieces(value)

    # -- states in relation to other states ------------------------------------------------------------------------

    def toward(self, start: State, target: State) -> tuple[Puzzle, State]:
        at = {piece: slot for slot, piece in enumerate(target[:24])}
        seen = bytes([*(at[piece] for piece in start[:24]), start[24] ^ target[24]])
        return _with_firsts(frozenset(slot for slot in range(24) if target[slot] in self.firsts)), seen

    def along(self, start: State, alg: Sequence[str]) -> tuple[Puzzle, State]:
        return self.toward(start, self.apply_alg(start, alg))

    def own_names(self, state: State) -> State:
        """The state with the names that pieces have where a cube is solved."""
        return bytes([*(self.goal[piece] for piece in state[:24]), self.goal[24] ^ state[24]])

    def answers(self, moves: MoveSet) -> bool:
        return set(self.move_sets["all"].moves) <= set(moves.moves)


@lru_cache(maxsize=64)
def _with_firsts(firsts: frozenset[int]) -> Square1:
    return Square1(firsts)


def _placed(firsts: frozenset[int], choose: Callable[[int], int], over: int) -> State:
    """A state with corners there; which corner and which edge comes next is chosen among those that are left."""
    corners, edges, state = list(CORNERS), list(EDGES), [0] * 24
    seconds = frozenset(map(following, firsts))
    for slot in range(24):
        if slot in firsts:
            piece = corners.pop(choose(len(corners)))
            state[slot], state[following(slot)] = piece, piece + 1
        elif slot not in seconds:
            state[slot] = edges.pop(choose(len(edges)))
    return bytes([*state, over])
