"""The base class of puzzles: slots with values, named moves, move sets, formats and features.

A **state** is ``bytes``, one byte for each slot. It is immutable and hashable, and the kernel reads it directly. If a
slot may have more than 256 values, it takes two bytes, and `contents` gives the values. Subclasses of `Puzzle` give it
a meaning: pieces with orientations (`permutation.py`) or tiles on a board (`sliding_tiles`).

>>> puzzle = get_puzzle("megaminx")                                               # doctest: +SKIP
>>> state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("U R2'"))            # doctest: +SKIP
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidAlg, InvalidRequest, UnknownName
from hstar.puzzles.notation import NO_NAMES, MoveNames, Notation, Rotation, Said, Step, written_out
from hstar.puzzles.painter import Painter
from hstar.puzzles.shape import Shape
from hstar.schema import MAX_SCRAMBLE_LENGTH, Method

State = bytes
#: what a move does to slots: (destination slot, source slot, the image of each value)
Touch = tuple[int, int, tuple[int, ...]]
#: the touches of a move where a slot holds a value: ((slot, value), touches); None: everywhere
Case = tuple[tuple[int, int] | None, Sequence[Touch]]
#: many states, a row each, in numbers of the puzzle's `dtype`
States = np.ndarray[Any, np.dtype[Any]]

__all__ = [
    "ZERO",
    "Case",
    "Choice",
    "MoveSet",
    "NamedHeuristic",
    "Orbit",
    "Puzzle",
    "State",
    "States",
    "Touch",
    "contents",
]


def contents(state: State, slots: int) -> Sequence[int]:
    """The value of each slot of a state with this many slots."""
    return state if len(state) == slots else memoryview(state).cast("H")


#: the longest name of a move set, in characters
MAX_MOVE_SET_NAME = 64
#: the most that a move may cost
MAX_COST = 255


@dataclass(frozen=True, slots=True)
class MoveSet:
    """A named choice of moves, and what each costs. It is part of the problem: h* depends on it.

    :param costs: of each move, whole numbers of at least 1; empty: each costs 1
    """

    name: str
    moves: tuple[str, ...]
    description: str
    costs: tuple[int, ...] = ()

    def cost(self, move: str) -> int:
        """Of a move of this set."""
        return self.costs[self.moves.index(move)] if self.costs else 1

    def length(self, alg: Sequence[str]) -> int:
        """The length of a path: what its moves cost, which are of this set."""
        return sum(map(self.cost, alg)) if self.costs else len(alg)


@dataclass(frozen=True, slots=True)
class Orbit:
    """Pieces that moves exchange with each other; ``first`` is the index of the orbit's first slot."""

    name: str
    pieces: int
    orientations: int
    first: int

    @property
    def one(self) -> str:
        """The name of one of its pieces: ``corner`` of ``corners`` and of ``CORNERS``."""
        return self.name.lower().removesuffix("s")

    @property
    def slots(self) -> range:
        return range(self.first, self.first + self.pieces)


@dataclass(frozen=True, slots=True)
class NamedHeuristic:
    """A named heuristic: an expression over the puzzle's features, and its source."""

    name: str
    expression: str
    source: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the searches of ``auto``.

    :param heuristic: a name or an expression; the puzzle's default heuristic if None
    :param expanded: the number of expansions after which the next one is tried; None: never
    :param partitions: IDA* below learned cost partitions, which must be at least as large as the heuristic
    """

    method: Method
    heuristic: str | None = None
    expanded: int | None = None
    partitions: bool = False


#: a heuristic for every puzzle
ZERO = NamedHeuristic("zero", "0", "no knowledge: A* becomes uniform-cost search")


class Puzzle(ABC):
    """A puzzle: its states, its moves and its measures. Instances are immutable and shared."""

    name: str
    title: str
    solved: State
    #: for each slot, the number of its values
    values: Sequence[int]
    #: every move that the puzzle knows, by its canonical name, in the kernel's order
    moves: tuple[str, ...]
    move_sets: Mapping[str, MoveSet]
    default_scramble_moves: str
    default_moves: str
    #: the move set in which the puzzle's community counts, for scrambles and shorter algs; `default_moves` if None
    metric: str | None = None
    #: expression of the heuristic that is used when none is named; proven admissible for every move set
    default_heuristic: str
    #: the named heuristics
    heuristics: tuple[NamedHeuristic, ...] = (ZERO,)
    #: the number of states that the default moves reach from the goal; None: unknown
    state_count: int | None
    kernel: _kernel.PermutationPuzzle | _kernel.SlidingTiles
    #: ``auto`` ends its search without databases after this many expansions, sooner than they could be built
    easy: int = 10_000
    #: whether every move can be made in every state
    always_legal: bool = False
    #: whether no two pieces look alike, and every move can be made in every state: states are the elements of a group
    all_different: bool = True
    #: whether it has pieces in slots, and moves that are forbidden in some states
    forbids: bool = False
    #: how names refer to faces, if the faces can have other names
    shape: Shape | None = None

    @property
    def identity(self) -> list[object]:
        """The identity of this puzzle with its goal, equal in every process, as values for JSON."""
        return [self.name, self.goal_board()]

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """What a state's numbers are: bytes, or two bytes each."""
        return np.dtype(np.uint16) if max(self.values) > 256 else np.dtype(np.uint8)

    def contents(self, state: State) -> Sequence[int]:
        """What each slot holds."""
        return contents(state, len(self.values))

    def state_of(self, values: Sequence[int]) -> State:
        """The state whose slots hold these: the inverse of `contents`."""
        return bytes(values) if self.dtype.itemsize == 1 else array("H", values).tobytes()

    # -- moves ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def apply(self, state: State, move: str) -> State | None:
        """The state after one move, or None if the move cannot be made."""

    @abstractmethod
    def cases(self, move: str) -> Sequence[Case]:
        """What a move does: one case for each slot in which a blank may be, or a single one without a condition."""

    @abstractmethod
    def inverse(self, move: str) -> str:
        """The name of the inverse of ``move``; always one of ``moves``."""

    @abstractmethod
    def parse_move(self, token: str) -> tuple[str, ...]:
        """The canonical moves of one token of an alg; raises `InvalidAlg`."""

    def move_set(self, name: str | None, costs: bool = False) -> MoveSet:
        """The move set of this name; the puzzle's solving default for None.

        A list of moves is a name too, in any order and spelling: ``U R' 2L``. The set's own name lists them in the
        order of the puzzle's moves, so that each set has one name; if it equals a set of the puzzle, it has that name.
        A move may have a cost: ``U U' U2:2``.

        :param costs: whether moves may have costs other than 1
        :raises UnknownName: there is no such set, and the name is not a list of moves
        :raises InvalidRequest: only some of it are moves, the name is too long, or there are costs
        """
        name = self.default_moves if name is None else name
        found = self.move_sets.get(name) or self._set_of(name)
        if found.costs and not costs:
            raise InvalidRequest("moves cannot have costs here", [Fault("/moves", "here each move costs 1")])
        return found

    def at_cost_1(self, moves: MoveSet) -> MoveSet:
        """The set of the same moves, each at cost 1."""
        return self.move_set(" ".join(moves.moves)) if moves.costs else moves

    def _set_of(self, text: str) -> MoveSet:
        tokens = text[: 10 * MAX_MOVE_SET_NAME].replace(",", " ").split()
        moves: dict[str, int] = {}
        faults: list[Fault] = []
        some = False
        for token in tokens:
            of, colon, price = token.partition(":")  # no move has a colon in its name
            try:
                found = self.parse_move(of)
            except InvalidAlg:
                found = ()
            some |= found != ()
            cost = int(price) if price.isascii() and price.isdecimal() and len(price) < 10 else 0 if colon else 1
            if len(found) != 1:
                faults.append(Fault("/moves", f"{of[:40]!r} is not one move of {self.name}"))
            elif not 1 <= cost <= MAX_COST:
                faults.append(Fault("/moves", f"a move costs 1 to {MAX_COST}, found {token[:40]!r}"))
            elif moves.setdefault(found[0], cost) != cost:
                faults.append(Fault("/moves", f"{found[0]} has two costs"))
        if not some:
            raise UnknownName("move set", text[:200], self.move_sets)
        costs = {move: moves[move] for move in self.moves if move in moves}
        name = " ".join(move if cost == 1 else f"{move}:{cost}" for move, cost in costs.items())
        each_1 = set(costs.values()) == {1}
        same = next((own for own in self.move_sets.values() if each_1 and set(own.moves) == costs.keys()), None)
        while same is None and name in self.move_sets:
            name += ","  # so that it is read as a list: a definition may call a move ``all``
        if len(name) > MAX_MOVE_SET_NAME:
            faults.append(Fault("/moves", f"at most {MAX_MOVE_SET_NAME} characters, found {len(name)}"))
        if faults:
            raise InvalidRequest("the move set is not a list of moves", faults)
        return same or MoveSet(name, tuple(costs), "these moves alone", () if each_1 else tuple(costs.values()))

    @property
    def counted(self) -> str:
        """The move set of scrambles and shorter algs that name none."""
        return self.metric or self.default_moves

    def covering(self, moves: MoveSet) -> MoveSet | None:
        """The smallest of the puzzle's own move sets that has all of these moves; None if none has."""
        having = [own for own in self.move_sets.values() if set(moves.moves) <= set(own.moves)]
        return min(having, key=lambda own: len(own.moves), default=None)

    def legal(self, state: State, moves: Iterable[str]) -> list[str]:
        """Those of ``moves`` that can be made, in their order."""
        return [move for move in moves if self.apply(state, move) is not None]

    def successors(self, state: State, moves: Iterable[str]) -> Iterator[tuple[str, State]]:
        """(move, state) for each of ``moves`` that can be made, in their order."""
        for move in moves:
            after = self.apply(state, move)
            if after is not None:
                yield move, after

    def apply_alg(self, state: State, alg: Sequence[str]) -> State:
        """The state after all moves of ``alg``; `InvalidAlg` names the first one that cannot be made."""
        for number, move in enumerate(alg, start=1):
            after = self.apply(state, move)
            if after is None:
                raise InvalidAlg(
                    f"the alg cannot be applied to {self.name}",
                    [Fault(f"move {number}", f"{move} is not possible here: {self.why_not(state, move)}")],
                )
            state = after
        return state

    def why_not(self, state: State, move: str) -> str:
        """Why a move cannot be made."""
        return "the blank is at that border"

    def inverse_alg(self, alg: Sequence[str]) -> tuple[str, ...]:
        """The alg that undoes ``alg``."""
        return tuple(self.inverse(move) for move in reversed(alg))

    @property
    def names(self) -> MoveNames:
        """The names of moves that may look like a part of the language of algs (`notation`)."""
        return NO_NAMES

    def said(self, text: str) -> list[Said]:
        """The moves of an alg as they are written, one after the other, with its groups written out; raises
        `InvalidAlg`."""
        return written_out(text, self.names)

    def steps(self, token: str) -> Sequence[Step]:
        """What a token does to a puzzle as it is held: moves, and rotations of the whole; raises `InvalidAlg`."""
        return self.parse_move(token)

    def frame(self) -> Callable[[Step], tuple[str, ...]]:
        """A function that reads the steps of one alg, one after the other, as moves of a puzzle that is not rotated. It
        remembers the rotations before, because they change the meaning of later moves."""
        return lambda step: () if isinstance(step, Rotation) else (step,)

    def reader(self) -> Callable[[Said], tuple[str, ...]]:
        """A function that reads the tokens of one alg, one after the other; it raises `InvalidAlg`."""
        turned = self.frame()

        def read(said: Said) -> tuple[str, ...]:
            steps = self.steps(said.text)
            if said.back:
                steps = [self._undone(step) for step in reversed(steps)]
            return tuple(move for step in steps for move in turned(step))

        return read

    def _undone(self, step: Step) -> Step:
        return Rotation(step.name, -step.count) if isinstance(step, Rotation) else self.inverse(step)

    def parse_alg(self, text: str) -> tuple[str, ...]:
        """The moves of an alg in the language that `notation` describes. Rotations of the whole puzzle are no moves,
        but change the meaning of later ones. `InvalidAlg` lists every token that is not a move."""
        moves: list[str] = []
        faults: list[Fault] = []
        read = self.reader()
        for number, said in enumerate(self.said(text), start=1):
            try:
                moves.extend(read(said))
            except InvalidAlg as error:
                faults.append(Fault(f"move {number}", error.message))
        if faults:
            raise InvalidAlg(f"the alg does not parse as moves of {self.name}", faults)
        if len(moves) > MAX_SCRAMBLE_LENGTH:
            raise InvalidAlg(f"the alg has more than {MAX_SCRAMBLE_LENGTH:,} moves")
        return tuple(moves)

    def format_alg(self, alg: Sequence[str]) -> str:
        """The inverse of `parse_alg`."""
        return " ".join(word for word in self.written(alg) if word)

    def written(self, alg: Sequence[str]) -> list[str]:
        """What `format_alg` writes for each move; a word for several moves stands at the last, and "" at the others."""
        return list(alg)

    @cached_property
    def notations(self) -> Mapping[str, Notation]:
        """The notations of algs by name. The first is the puzzle's own, used in answers."""
        own = Notation(
            "cubing", "moves named as in cubing.js", " ".join(self.moves[:3]), self.parse_alg, self.format_alg
        )
        return {own.name: own}

    def notation(self, name: str) -> Notation:
        """The notation of this name; raises `UnknownName` if the puzzle does not have it.

        >>> get_puzzle("megaminx").notation("colours").format(["U", "BR2'"])          # doctest: +SKIP
        "white blue2'"
        """
        if name not in self.notations:
            raise UnknownName(f"notation of {self.name}", name, self.notations)
        return self.notations[name]

    def solvable_with(self, state: State, moves: MoveSet) -> bool:
        """Whether moves of this set lead from a valid state to the goal; True where that is not known."""
        return True

    def length_parity(self, state: State, moves: MoveSet) -> int | None:
        """0 if all solutions of a state have an even number of moves, 1 if an odd one; None if that is not known."""
        return None

    # -- states in relation to other states ------------------------------------------------------------------------

    def compose(self, first: State, second: State) -> State:
        """The state after an alg of ``first`` and then an alg of ``second``, from solved.

        :raises InvalidRequest: possible moves depend on the state, as on sliding tiles, or pieces are identical
        """
        raise self._cannot_compose("moves depend on the state")

    def inverse_state(self, state: State) -> State:
        """The inverse of ``state``: composing them in either order gives the solved state.

        :raises InvalidRequest: as `compose`
        """
        raise self._cannot_compose("moves depend on the state")

    def _cannot_compose(self, reason: str) -> InvalidRequest:
        return InvalidRequest(f"states of {self.name} cannot be composed", [Fault("/puzzle", reason)])

    @abstractmethod
    def toward(self, start: State, target: State) -> tuple[Puzzle, State]:
        """A puzzle and a state of it whose solutions are the paths from ``start`` to ``target``.

        :raises InvalidState: on sliding tiles, no moves lead from one to the other
        :raises InvalidRequest: as `compose`
        """

    @abstractmethod
    def along(self, start: State, alg: Sequence[str]) -> tuple[Puzzle, State]:
        """A puzzle and a state of it whose solutions are the paths from ``start`` to the state after ``alg``.

        :raises InvalidRequest: pieces are identical
        """

    @abstractmethod
    def out_of_place(self, state: State) -> dict[str, list[str]]:
        """The names of the pieces or tiles that are out of place, by their kind (``of 20 corners``, ``tiles``)."""

    # -- states --------------------------------------------------------------------------------------------------

    @abstractmethod
    def parse_state(self, value: object) -> State:
        """The state that ``value`` describes in one of the puzzle's formats; `InvalidState` lists all its faults."""

    @abstractmethod
    def format_state(self, state: State) -> dict[str, Any]:
        """The state in every format of the puzzle, as values for JSON; `parse_state` accepts each of them."""

    def format_kpattern(self, state: State) -> dict[str, Any]:
        """The state as the KPattern JSON of cubing.js 0.56, with its numbers of pieces; `parse_state` reads it.

        :raises InvalidRequest: the puzzle has no pieces that moves permute, as sliding tiles
        """
        raise InvalidRequest(f"{self.name} has no KPattern", [Fault("/puzzle", "only permutation puzzles have one")])

    def goal_board(self) -> list[int] | None:
        """The goal board, if the puzzle's goal can be chosen; otherwise None."""
        return None

    # -- solving -------------------------------------------------------------------------------------------------

    @abstractmethod
    def auto(self, moves: MoveSet) -> list[Choice]:
        """The searches of the algorithm ``auto`` for a move set, in turn, chosen by measurement if there is one
        (docs/decisions/0022). All prove their solutions; the last one has no limit of its own."""

    def constructs(self, moves: MoveSet) -> bool:
        """Whether `hstar.search.anytime` constructs a solution of these moves for every state."""
        return False

    def answers(self, moves: MoveSet) -> bool:
        """Whether `hstar.search.anytime` finds a solution of these moves for every state, or for most."""
        return self.constructs(moves)

    def effect(self, alg: Sequence[str]) -> Hashable:
        """What moves do to every state: equal only if they do the same to all. They must be legal from the goal."""
        return self.apply_alg(self.solved, alg)

    @abstractmethod
    def random_state(self, choose: Callable[[int], int], moves: MoveSet) -> State:
        """A uniformly random state among those that the moves reach from the goal; ``choose(n)`` gives one of 0, 1, ...
        n - 1."""

    @abstractmethod
    def apply_to_all(self, states: States, move: str) -> States:
        """One move on many states, shape (states, slots), without the states in which it is not possible."""

    @cached_property
    def painter(self) -> Painter | None:
        """The painter of the puzzle's states; None if they cannot be drawn."""
        return None

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The description of the puzzle, as values for JSON: orbits, faces, move sets, number of states.
        (`hstar.features.describe` adds its features.)"""

    def _describe_base(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "state_count": None if self.state_count is None else str(self.state_count),
            "moves": list(self.moves),
            "move_sets": {
                m.name: {"moves": list(m.moves), "count": len(m.moves), "description": m.description}
                for m in self.move_sets.values()
            },
            "default_scramble_moves": self.default_scramble_moves,
            "metric": self.metric,
            "default_moves": self.default_moves,
            "default_heuristic": self.default_heuristic,
            "notations": [
                {"name": n.name, "description": n.description, "example": n.example} for n in self.notations.values()
            ],
        }

    def __repr__(self) -> str:
        return f"get_puzzle({self.name!r})"
