"""Random definitions with forbidden moves, compared with a search of the whole space that imports nothing of hstar.

``python -m tests.hostile.forbidden SEED SECONDS``
"""

from __future__ import annotations

import copy
import json
import sys
import time
from collections.abc import Sequence
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hstar.certificates import Refused
from hstar.certificates.proofs import write_file
from hstar.errors import InvalidExpression, InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.puzzles import DefinedPuzzle, MoveSet, puzzle_from_definition
from hstar.puzzles.added import looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.search import ALGORITHMS, SolveRequest, prepare, solve
from hstar.search.methods import METHODS
from hstar.search.perft import count_states, perft
from tests.hostile.comparison import (
    INFORMED,
    MOST_BYTES,
    MOST_EXPANDED,
    WITHOUT_STATES,
    Disagreement,
    Tally,
    _Shelf,
    agree,
)  # fmt: skip
from tests.hostile.definitions import Space, State, random_space

#: by slot, the pieces with which a move is forbidden
Slots = dict[int, set[int]]


class Forbidding:
    """A space whose moves are forbidden with some pieces in some slots, before them or after them."""

    def __init__(self, random: Random, space: Space) -> None:
        self.space = space
        given = json.loads(space.given) if isinstance(space.given, str) else copy.deepcopy(space.given)
        assert isinstance(given, dict)
        self.turns = [turns for _, pieces, turns in space.orbits for _ in range(pieces)]
        self.forbidden: dict[str, Slots] = {}
        said: dict[str, Any] = {}
        for move in space.actions:
            for _ in range(random.choice((0, 0, 1, 1, 2))):
                name, pieces, turns = random.choice(space.orbits)
                slot = random.randrange(pieces)
                first = space.slots([name])[0]
                held = [value // turns for value in space.solved[first : first + pieces]]
                chosen = set(random.sample(held, random.randint(1, min(2, pieces))))
                if held[slot] in chosen and random.randrange(4):
                    continue  # most moves can be made from solved
                self.forbidden.setdefault(move, {}).setdefault(first + slot, set()).update(chosen)
                own = said.setdefault(move, {}).setdefault(name, {})
                own[str(slot)] = sorted(self.forbidden[move][first + slot])
        given["hstar"] = {"forbidden": said}
        self.given = given

    def clean(self, state: State, name: str) -> bool:
        return all(
            state[slot] // self.turns[slot] not in pieces for slot, pieces in self.forbidden.get(name, {}).items()
        )

    def after(self, state: State, token: str) -> State | None:
        """The state after a move or a power of it; None if it is forbidden."""
        name, _ = self.space.read(token)
        after = self.space.apply(state, token)
        return after if self.clean(state, name) and self.clean(after, name) else None

    def distances(self, tokens: Sequence[str], costs: Sequence[int]) -> dict[State, int]:
        """Of every state of the space from which these moves lead to solved."""
        before: dict[State, list[tuple[State, int]]] = {}
        for state in self.space.states:
            for token, cost in zip(tokens, costs, strict=True):
                if (after := self.after(state, token)) is not None:
                    before.setdefault(after, []).append((state, cost))
        found, todo = {self.space.solved: 0}, [(0, self.space.solved)]
        while todo:
            distance, state = heappop(todo)
            if distance > found[state]:
                continue
            for other, cost in before.get(state, ()):
                if distance + cost < found.get(other, 10**9):
                    found[other] = distance + cost
                    heappush(todo, (distance + cost, other))
        return found


def compare(random: Random, tally: Tally, most: int) -> None:
    """Draw a definition of at most so many states without forbidden moves, forbid some, and compare.

    :raises Disagreement: with the definition
    """
    space = random_space(random, most, "kpuzzle")
    while len(space.states) < 20 and random.randrange(4):
        space = random_space(random, most, "kpuzzle")
    random_one = Forbidding(random, space)
    try:
        puzzle = puzzle_from_definition(read_any_definition(random_one.given, "random"))
    except InvalidRequest as error:
        agree(all("/hstar/forbidden" in fault.where for fault in error.faults), "refused", error.faults)
        tally.add("definitions", "refused: a move with two names, or of a high order")
        return
    if not puzzle.forbids:
        tally.add("definitions", "nothing is forbidden")
        return
    tally.add("definitions", "with forbidden moves")
    try:
        with looking_in(_Shelf(puzzle.definition)):
            _Comparison(random, tally, random_one, puzzle).everything()
    except Exception as error:
        raise Disagreement(f"{type(error).__name__}: {error}\n{json.dumps(random_one.given)}") from error


class _Comparison:
    def __init__(self, random: Random, tally: Tally, truth: Forbidding, puzzle: DefinedPuzzle) -> None:
        self.random, self.tally, self.truth, self.puzzle, self.space = random, tally, truth, puzzle, truth.space
        pieces = {state: puzzle.read_pieces(self.space.as_json(state)["pieces"]) for state in self.space.states}
        self.ours: dict[State, bytes] = pieces

    def everything(self) -> None:
        puzzle = self.puzzle
        self.moves()
        names = self.random.sample(puzzle.moves, self.random.randint(1, min(len(puzzle.moves), 8)))
        try:
            moves = puzzle.move_set(" ".join(names)) if self.random.randrange(3) else puzzle.move_set(None)
        except InvalidRequest:  # the name is too long
            moves = puzzle.move_set(None)
        truth = self.truth.distances(moves.moves, [1] * len(moves.moves))
        self.layers(moves, truth)
        texts = [text for text in (self.text() for _ in range(4)) if self.heuristic(text, moves, truth)]
        for _ in range(12):
            self.answer(moves, texts, truth)
        for _ in range(4):
            self.shorter(moves)

    def moves(self) -> None:
        puzzle = self.puzzle
        for state in self.random.sample(list(self.space.states), min(len(self.space.states), 40)):
            ours = self.ours[state]
            for number, move in enumerate(puzzle.moves):
                after = self.truth.after(state, move)
                wanted = None if after is None else self.ours[after]
                agree(puzzle.apply(ours, move) == wanted, "a move", move, state)
                agree(puzzle.kernel.apply(ours, number) == wanted, "a move in the kernel", move, state)
                agree((move in puzzle.legal(ours, puzzle.moves)) == (wanted is not None), "legal", move, state)
                if wanted is None:
                    agree("forbidden" in puzzle.why_not(ours, move), "why not", move, state)
                else:
                    agree(puzzle.apply(wanted, puzzle.inverse(move)) == ours, "the way back", move, state)
                self.tally.add("moves", "forbidden" if wanted is None else "allowed")

    def layers(self, moves: MoveSet, truth: dict[State, int]) -> None:
        """How many states are at each distance, forwards, in the kernel and in NumPy."""
        from_solved = {self.space.solved: 0}
        todo = [self.space.solved]
        for state in todo:
            for move in moves.moves:
                after = self.truth.after(state, move)
                if after is not None and after not in from_solved:
                    from_solved[after] = from_solved[state] + 1
                    todo.append(after)
        wanted = [sum(d == depth for d in from_solved.values()) for depth in range(1 + max(from_solved.values()))]
        agree(list(perft(self.puzzle, moves, 1000)) == wanted, "layers in NumPy", moves.name)
        agree(list(count_states(self.puzzle, moves)) == wanted, "layers in the kernel", moves.name)
        self.tally.add("layers", "states", len(from_solved))

    def text(self) -> str:
        random, puzzle = self.random, self.puzzle
        orbits = random.sample(puzzle.orbits, random.randint(1, len(puzzle.orbits)))
        sizes = "+".join(f"{orbit.name}:{random.randint(1, len(puzzle.kinds(orbit)))}" for orbit in orbits)
        one = f"{orbits[0].one}_moves"
        return random.choice([
            f'pdb("{sizes}")', f'pdb("{sizes}")', f'pdb("{"+".join(orbit.name for orbit in orbits)}")', 'pdb("cosets")',
            puzzle.default_heuristic, one, f"ceil({one} / 2)", f"max({puzzle.default_heuristic}, {one} // 3)", "zero",
            f'min(pdb("{sizes}"), 2)',
        ])  # fmt: skip

    def heuristic(self, text: str, moves: MoveSet, truth: dict[State, int]) -> bool:
        try:
            heuristic = get_heuristic(text, self.puzzle, moves)
        except InvalidExpression:
            return False
        if heuristic.build_bytes > MOST_BYTES:
            return False
        proven = heuristic.verdicts(moves, deep=False)
        for state, distance in truth.items():
            value = heuristic.kernel.evaluate(self.ours[state])
            agree(value <= distance or proven.admissible != "proven", "said to be admissible", text, state, value)
            for move in moves.moves:
                after = self.truth.after(state, move)
                if after is not None and proven.consistent == "proven":
                    fall = value - heuristic.kernel.evaluate(self.ours[after])
                    agree(fall <= 1 + 1e-7, "said to be consistent", text, state, move)
        self.tally.add("heuristics", f"admissible: {proven.admissible}")
        return True

    def answer(self, moves: MoveSet, texts: list[str], truth: dict[State, int]) -> None:
        random = self.random
        inside = list(truth)
        state = random.choice(inside if random.randrange(4) else list(self.space.states))
        algorithm: str = random.choice([*(name for name in ALGORITHMS if name != "plan"), "partitions"])
        if algorithm in ("astar", "ida_star", "auto") and random.randrange(3) == 0:
            given = [random.choice((1, 1, 2, 3)) for _ in moves.moves]
            name = " ".join(f"{move}:{cost}" for move, cost in zip(moves.moves, given, strict=True))
            try:
                moves = self.puzzle.move_set(name, costs=True)
            except InvalidRequest:
                self.tally.add("answers", "too long a name of costs")
            truth = self.truth.distances(moves.moves, moves.costs or [1] * len(moves.moves))
        request: dict[str, Any] = {
            "puzzle": "random", "state": self.space.as_json(state), "moves": moves.name,
            "limits": {"expanded": MOST_EXPANDED},
        }  # fmt: skip
        if algorithm == "partitions":
            settings = {"partitions": True, "learn_after": 0}
            request |= {"algorithm": "plan", "plan": [{"method": "ida_star", "settings": settings}]}
        else:
            heuristic = random.choice(texts) if texts and algorithm in INFORMED else None
            request |= {"algorithm": algorithm, "heuristic": heuristic}
        refused = algorithm == "partitions" or not METHODS[algorithm].forbidden
        try:
            problem = prepare(SolveRequest.model_validate(request), costs=True)
            result = solve(problem, keep=True)
        except InvalidRequest as error:
            agree(refused, "refused", request, error.faults)
            self.tally.add("answers", f"{algorithm}: refused by name")
            return
        agree(not refused or state == self.space.solved, "not refused", request)
        self.confirm(state, truth.get(state), result, algorithm, moves)
        self.tally.add("answers", f"{algorithm}: {'proven' if result.optimality == 'proven' else result.status}")
        try:
            with TemporaryDirectory() as folder:
                write_file(problem, result, Path(folder) / "proof.hcert")
            agree(False, "a certificate")
        except Refused as error:
            agree(error.code in ("forbidden", "costs", "not_proven"), "certificate", error.code)

    def shorter(self, moves: MoveSet) -> None:
        """A shorter alg for a random one, and a path from a state of it to another."""
        random, puzzle = self.random, self.puzzle
        alg, states = list[str](), [self.space.solved]
        for _ in range(random.randrange(12)):
            ways = [(move, after) for move in moves.moves if (after := self.truth.after(states[-1], move)) is not None]
            if ways:
                move, after = random.choice(ways)
                alg.append(move)
                states.append(after)
        begin = random.randrange(len(states))
        others = {"puzzle": "random", "moves": moves.name, "limits": {"expanded": MOST_EXPANDED}}
        shorten = {"shorten": puzzle.format_alg(alg), "algorithm": random.choice(("auto", "anytime"))}
        target = {"state": self.space.as_json(states[begin]), "target": self.space.as_json(states[-1]),
                  "algorithm": random.choice(("auto", "anytime", "bidirectional"))}  # fmt: skip
        for first, most, asked in ((0, len(alg), shorten), (begin, len(alg) - begin, target)):
            request = {**asked, **others}
            try:
                result = solve(prepare(SolveRequest.model_validate(request)))
            except InvalidRequest as error:
                agree(not puzzle.tells_apart, "refused", request, error.faults)
                self.tally.add("shorter", "refused: pieces look alike")
                continue
            at: State | None = states[first]
            for move in result.solution or ():
                at = None if at is None else self.truth.after(at, move)
            said = (request, alg, result.solution, result.status, result.optimality)
            agree(result.solution is None or at == states[-1], "not a path", *said)
            agree(result.optimality != "proven" or len(result.solution or ()) <= most, "not shortest", *said)
            agree(result.solution is not None or asked["algorithm"] == "anytime", "none", *said)
            self.tally.add("shorter", f"{next(iter(asked))}: {asked['algorithm']}, {result.optimality}")

    def confirm(self, state: State, distance: int | None, result: Any, algorithm: str, moves: MoveSet) -> None:
        said = (algorithm, state, distance, result.status, result.length, result.lower_bound, result.optimality)
        if result.status == "solved":
            at: State | None = state
            for move in result.solution:
                at = None if at is None else self.truth.after(at, move)
            agree(distance is not None and at == self.space.solved, "no solution", *said)
            assert distance is not None
            agree(result.length == moves.length(result.solution) >= distance, "length", *said)
            agree(result.optimality == "feasible" or result.length == distance, "false proven", *said)
            exact = algorithm in ("auto", "breadth_first", "bidirectional")
            agree(not exact or result.length == distance, "not shortest", *said)
        elif result.status == "exhausted":
            agree(distance is None, "exhausted", *said)
        else:
            may = algorithm in WITHOUT_STATES or algorithm in ("auto", "anytime", "layered")
            # IDA* and RBFS search states again, of which they leave out fewer where moves are forbidden.
            again = algorithm in ("ida_star", "rbfs") or moves.costs != ()
            agree(may and (distance is None or again), "limit", result.limit, *said)
        agree(result.lower_bound is None or distance is None or result.lower_bound <= distance, "false bound", *said)


def main() -> None:
    seed, seconds = int(sys.argv[1]), float(sys.argv[2])
    tally, begin = Tally(), time.process_time()
    while time.process_time() - begin < seconds:
        try:
            compare(Random(seed), tally, 2000)
        except Disagreement as fault:
            print(f"seed {seed}: {fault}", flush=True)
        seed += 1
    for (table, row), count in sorted(tally.items()):
        print(f"{table:12} {row:60} {count:,}")


if __name__ == "__main__":
    main()
