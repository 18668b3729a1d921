"""Compares what hstar says of a puzzle with its whole space, as a breadth-first search outside of hstar finds it.

A `Tally` counts what was compared; a `Disagreement` says what was not as the space has it.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from hstar import _kernel
from hstar.audits import heuristic as heuristic_audits
from hstar.audits.heuristic import HeuristicAuditRequest, audit
from hstar.certificates import Refused
from hstar.certificates.proofs import write_file
from hstar.databases.cosets import CosetDatabases
from hstar.databases.orbits import OrbitDatabases
from hstar.databases.permutation import PatternDatabases
from hstar.errors import InvalidExpression, InvalidRequest, InvalidState
from hstar.heuristics import Heuristic, canonical, forget, get_heuristic
from hstar.heuristics.check import HeuristicCheckRequest, check
from hstar.heuristics.databases import databases_of
from hstar.puzzles import DefinedPuzzle, MoveSet, puzzle_from_definition, subgroups
from hstar.puzzles.added import looking_in
from hstar.puzzles.definition import KPuzzle
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.repair import repair
from hstar.search import ALGORITHMS, Problem, Result, SolveRequest, prepare, solve
from hstar.search.anytime.phases import phases_of
from tests.certificates.checkers import first_forked
from tests.hostile.definitions import Space, State, random_space, random_tokens

__all__ = ["Compared", "Disagreement", "Tally", "compare", "cosets_of_small_groups", "read"]

#: larger databases are left out
MOST_BYTES = 2**24
#: of larger spaces so many states, drawn at random, are compared
MOST_STATES = 20_000
#: the most expansions of an answer
MOST_EXPANDED = 20_000
#: what finds a shortest solution of every state; of the others some have a heuristic, and some prove nothing
EXACT = ("auto", "breadth_first", "bidirectional")
INFORMED = ("astar", "ida_star", "greedy", "rbfs", "epea_star", "ara_star", "mm", "nbs", "layered")
#: what keeps no states, so that it cannot know that there are no others
WITHOUT_STATES = ("ida_star", "rbfs", "partitions")
#: what searches moves with costs
WITH_COSTS = [name for name, method in ALGORITHMS.items() if method.costs]
#: what may find no solution where there is one
METHODS = ("beam", "constructive", "windows", "two_phase")


class Disagreement(AssertionError):
    """hstar says something else than the space."""


class Tally(Counter[tuple[str, str]]):
    """How much was compared: by table (``states``, ``answers`` ...) and row."""

    def add(self, table: str, row: str, count: int = 1) -> None:
        self[table, row] += count


@contextmanager
def few_samples() -> Iterator[None]:
    """Audits estimate the distribution of h, which nothing here looks at, from a few random states instead of 500: four
    fifths of the time."""
    before = heuristic_audits.SAMPLES
    heuristic_audits.SAMPLES = 5
    try:
        yield
    finally:
        heuristic_audits.SAMPLES = before


@contextmanager
def cosets_of_small_groups(least: int = 100) -> Iterator[None]:
    """Tables of cosets also where the group has few elements, for which no search needs them. Nothing is kept."""
    before = subgroups.SMALL

    def use(small: int) -> None:
        subgroups.SMALL = small
        subgroups.subgroup_of.cache_clear()
        phases_of.cache_clear()
        forget()

    use(least)
    try:
        yield
    finally:
        use(before)


class _Shelf:
    """Definitions of one puzzle."""

    def __init__(self, definition: KPuzzle) -> None:
        self.definition = definition

    def find(self, name: str) -> KPuzzle | None:
        return self.definition if name.partition("@")[0] == self.definition.name else None

    def names(self) -> list[str]:
        return [self.definition.name]


def read(space: Space) -> DefinedPuzzle:
    return puzzle_from_definition(read_any_definition(space.given, "random"))


def agree(condition: bool, *what: object) -> None:
    if not condition:
        raise Disagreement("; ".join(map(str, what)))


def compare(random: Random, tally: Tally, most: int, heuristics: int = 2, answers: int = 3) -> None:
    """Draw a definition of at most so many states, and compare.

    :raises Disagreement: with the definition
    """
    space = random_space(random, most)
    tally.add("definitions", space.form)
    if space.form in ("generators", "gap") and refused_rightly(space):
        tally.add("definitions", "refused: a move has no visible effect")
        return
    try:
        if read(space).hold is not None:
            tally.add("definitions", "left out: a move rotates the whole, which is no move")
            return
        Compared(random, tally, space).everything(heuristics, answers)
    except Exception as error:
        raise Disagreement(f"{type(error).__name__}: {error}\n{space.form}: {space.given!r}") from error


def refused_rightly(space: Space) -> bool:
    """Whether hstar refuses generators because of moves that no state shows: as pieces, these may not be moves.

    :raises Disagreement: some state shows one
    """
    try:
        read(space)
    except InvalidRequest as error:
        names = [fault.where.removeprefix("/moves/") for fault in error.faults]
        for name in names:
            still = name in space.actions and all(space.apply(state, name) == state for state in space.states)
            agree(still, "refused", error, space.given)
        return True
    return False


class Compared:
    """One puzzle: a space, and hstar's reading of its definition."""

    def __init__(self, random: Random, tally: Tally, space: Space) -> None:
        self.random, self.tally, self.space = random, tally, space
        self.puzzle = read(space)
        self.ours = {state: self.puzzle.parse_state(space.as_json(state)) for state in space.states}
        agree(len(set(self.ours.values())) == len(self.ours), "two states are read as one")
        agree(self.ours[space.solved] == self.puzzle.solved, "solved is read as another state")

    @contextmanager
    def found_by_name(self) -> Iterator[None]:
        with looking_in(_Shelf(self.puzzle.definition)), cosets_of_small_groups(), few_samples():
            yield

    def everything(self, heuristics: int, answers: int) -> None:
        self.moves()
        self.reachability()
        tokens = random_tokens(self.random, self.space)
        with self.found_by_name():
            moves = self.puzzle.move_set(" ".join(tokens))
            truth = self.space.distances(tokens)
            every = (self.text(tokens) for _ in range(heuristics))
            texts = [text for text in every if self.heuristic(text, moves, tokens, truth)]
            self.partitions(moves, truth)
            self.parities(moves, truth)
            for _ in range(answers):
                self.answer(moves, texts, truth)

    # -- moves and states ------------------------------------------------------------------------------------------

    def sample(self, states: Sequence[State], most: int) -> Sequence[State]:
        return states if len(states) <= most else self.random.sample(states, most)

    def moves(self) -> None:
        """Every move that is printed can be read, and does what its text says."""
        puzzle, space = self.puzzle, self.space
        some = self.sample(space.states, 50)
        for move in puzzle.moves:
            agree(puzzle.parse_alg(move) == (move,), "a move is read as another", move, puzzle.parse_alg(move))
            for state in some:
                after = puzzle.turned(self.ours[state], move)
                agree(after == self.ours[space.apply(state, move)], "a move leads elsewhere", move, state)
                back = puzzle.turned(after, puzzle.inverse(move))
                agree(back == self.ours[state], "the inverse of a move does not undo it", move, state)
            self.tally.add("moves", "states before and after", len(some))
        alg = tuple(self.random.choice(puzzle.moves) for _ in range(10))
        text = " ".join(alg)
        agree(puzzle.parse_alg(text) == alg, "an alg is read as another", text)
        agree(puzzle.apply_alg(puzzle.solved, alg) == self.ours[space.apply_all(space.solved, alg)], "alg", text)
        for state in some:
            again = puzzle.parse_state(puzzle.format_state(self.ours[state]))
            agree(again == self.ours[state], "a state is not read as it was written", state)

    def reachability(self) -> None:
        """States are refused if and only if no moves reach them; a repair makes one that they reach, in no more steps
        than are needed."""
        space, puzzle = self.space, self.puzzle
        if not space.orbits or not puzzle.all_different:
            return
        reached = set(space.states)
        agree(puzzle.state_count is None or puzzle.group(_every(puzzle)).order == len(reached), "the number of states")
        for _ in range(3):
            state = space.rearranged(self.random)
            given = space.as_json(state)
            try:
                puzzle.parse_state(given)
                refused = False
            except InvalidState:
                refused = True
            agree(refused == (state not in reached), "reachable?", state)
            self.tally.add("reachability", "refused" if refused else "reached")
            mended = repair(puzzle, puzzle.read_pieces(given["pieces"])) if refused else None
            if mended is None:
                continue
            agree(mended.state in self.ours.values(), "a repair does not lead to a state", state, mended.text)
            needed = self._steps(state, reached, min(mended.steps, 3))
            agree(needed is None or needed == mended.steps or not mended.smallest, "a smaller repair", state, mended)
            agree(needed is not None or mended.steps >= 3, "fewer steps than are needed", state, mended)
            self.tally.add("reachability", "repairs")

    def _steps(self, state: State, reached: set[State], most: int) -> int | None:
        """The fewest steps of a repair, if there are at most so many."""
        layer = {state}
        for steps in range(1, most + 1):
            layer = {after for before in layer for after in self.space.one_step(before)}
            if not reached.isdisjoint(layer):
                return steps
        return None

    # -- heuristics ------------------------------------------------------------------------------------------------

    def text(self, tokens: list[str]) -> str:
        """A feature for this or another set of moves, or an expression of some."""
        random, puzzle = self.random, self.puzzle
        orbits = random.sample(puzzle.orbits, random.randint(1, len(puzzle.orbits)))
        sizes = "+".join(f"{orbit.name}:{random.randint(1, len(puzzle.kinds(orbit)))}" for orbit in orbits)
        whole = "+".join(orbit.name for orbit in orbits)
        turned = "+".join(orbit.name + random.choice(["", "/1o", "/2", "/2o", "/3o"]) for orbit in orbits)
        sets = [" ".join(tokens), " ".join(random_tokens(random, self.space)), *puzzle.move_sets]
        chosen = random.choice(["", "", *(f", {_quoted(name)}" for name in sets)])
        one = f"{orbits[0].one}_moves"
        features = [
            *[f'pdb("{sizes}"{chosen})'] * 4, f'pdb("{whole}"{chosen})', f'pdb("{turned}"{chosen})',
            f'pdb("cosets"{chosen})', "misplaced_pieces",
            f'misplaced_pieces("{orbits[0].name}")', f"{one}({chosen[2:]})" if chosen else one, f"max_{one}",
        ]  # fmt: skip
        if random.randrange(8) == 0:
            return puzzle.default_heuristic
        first, second = random.choice(features), random.choice(features)
        part = random.choice((3, 5, 7, 10, 49))
        number, divisor = random.choice((0.5, 0.7, 1.1, 1.3, 2, 3)), random.choice(_DIVISORS)
        return random.choice([
            *[first] * 6, *[f"({first} / {part}) // (1 / {part})"] * 2, f"{first} / {divisor}",
            f"ceil({first} * {number})", f"{first} + {second}",
            f"min({first}, 2)", f"max({first}, {second})", f"ceil({first} / {divisor})", f"{first} // {divisor}",
            f"({first} * {number}) // {divisor}", f"({first} / {divisor}) // {random.choice(_DIVISORS)}",
            f"floor({first} / {divisor} * {divisor})", f"0 if solved else {first} // {divisor} + {number}",
            f"abs({first} - {number})", f"{first} * {number} // {divisor} * {divisor}",
        ])  # fmt: skip

    def heuristic(self, text: str, moves: MoveSet, tokens: list[str], truth: dict[State, int]) -> bool:
        """Compare a heuristic; False if the puzzle does not have it, or its tables are large."""
        try:
            heuristic = get_heuristic(text, self.puzzle, moves)
        except InvalidExpression:
            return False
        if heuristic.build_bytes > MOST_BYTES:
            return False
        again = canonical(heuristic.expression.text, self.puzzle)
        agree(again == canonical(again, self.puzzle), "a canonical text is read as another", again)
        values = {state: heuristic.kernel.evaluate(ours) for state, ours in self.ours.items()}
        for state in self.sample(self.space.states, MOST_STATES):
            agree(heuristic(self.ours[state]) == values[state], "kernel and Python differ", text, state)
        for databases in databases_of(heuristic.expression):
            self.databases(databases, tokens, moves, truth)
        self.verdicts(heuristic, text, moves, tokens, values, truth)
        return True

    def databases(self, databases: Any, tokens: list[str], moves: MoveSet, truth: dict[State, int]) -> None:
        """Every value is at most the distance for the tables' own moves, and equal where a table knows all pieces."""
        space, own = self.space, databases.moves
        distance = truth if own == moves else space.distances([*own.moves])
        kinds: dict[type[Any], str] = {
            PatternDatabases: "some pieces",
            OrbitDatabases: "whole orbits",
            CosetDatabases: "cosets",
        }
        kind = f"database of {kinds[type(databases)]}, {'the same' if own == moves else 'other'} moves"
        exact: dict[State, int] | None = None
        orbits = [orbit.name for orbit in self.puzzle.orbits]
        named = [re.split("[:/]", part)[0] for part in databases.name.split("+")]
        full = [f"{orbit.name}:{len(self.puzzle.kinds(orbit))}" for orbit in self.puzzle.orbits]
        if (
            space.orbits
            and not isinstance(databases, CosetDatabases)
            and {*databases.name.split("+")} <= {*orbits, *full}
        ):
            exact = space.distances([*own.moves], named)
        slots = space.slots(named)
        for state, ours in self.ours.items():
            both = [databases.direct.value(ours)]
            if databases.kernel is not databases.direct:
                both.append(databases.kernel.value(ours))
            for value in both:
                known = distance.get(state)
                agree(value is not None or known is None, "no moves lead home, says", databases.name, own.name, state)
                agree(known is None or value <= known, "overestimate of", databases.name, own.name, state, value, known)
            if exact is not None:
                agree(both[0] == exact.get(tuple(state[slot] for slot in slots)), "not exact", databases.name, state)
        self.tally.add("states", kind, len(self.ours))
        if isinstance(databases, PatternDatabases) and len(databases._views) > 1:
            self.tally.add("states", "database of some pieces, through symmetries and inverses", len(self.ours))
        if exact is not None:
            self.tally.add("states", "database that is exact: equal", len(self.ours))

    def verdicts(
        self, heuristic: Heuristic, text: str, moves: MoveSet, tokens: list[str], values: dict[State, float],
        truth: dict[State, int],
    ) -> None:  # fmt: skip
        """Every command has the verdict that the values of all states have."""
        space, solved = self.space, self.space.solved
        falls = {
            (state, token): values[state] - values[space.apply(state, token)] for state in truth for token in tokens
        }
        admissible = all(values[state] <= distance + 1e-7 for state, distance in truth.items())
        consistent = values[solved] == 0 and all(fall <= 1 + 1e-7 for fall in falls.values())
        row = "proven admissible" if admissible else "refuted"
        self.tally.add("states", f"expression, {row}", len(values))
        # No state is looked at with a large database, unless an audit asks for it.
        cheap = all(feature.cheap for feature in heuristic.expression.features)
        unknown = set() if cheap and len(space.states) <= 4000 else {"unknown", "unrefuted"}
        quick = get_heuristic(text, self.puzzle, moves).verdicts(moves, deep=False)
        agree(quick.admissible in ("unknown", "proven" if admissible else "refuted"), "bounds", text, quick)
        agree(quick.consistent in ("unknown", "proven" if consistent else "refuted"), "bounds", text, quick)
        for whole in (False, True):
            found = check(HeuristicCheckRequest(puzzle="random", heuristic=text, moves=moves.name), whole)
            agree(found.admissible in unknown | {"proven" if admissible else "refuted"}, "check", text, found.reason)
            agree(found.consistent in unknown | {"proven" if consistent else "refuted"}, "check", text, found.reason)
            b = found.bounds
            agree(b.low <= min(values.values()) <= max(values.values()) <= b.high, "range", text, b)
            agree(-b.rise <= min(falls.values()) <= max(falls.values()) <= b.drop, "changes", text, b)
            if found.counterexample is not None:
                at = space.apply_all(solved, found.counterexample.scramble)
                said = (found.counterexample.h, found.counterexample.true_distance)
                agree((values[at], truth[at]) == said and values[at] > truth[at], "counterexample", text, said)
            if found.inconsistency is not None and found.inconsistency.move is not None:
                at = space.apply_all(solved, found.inconsistency.scramble)
                agree(values[at] > 1 + values[space.apply(at, found.inconsistency.move)], "inconsistency", text)
        for radius in (2, 1000):
            heard = audit(HeuristicAuditRequest(puzzle="random", heuristic=text, moves=moves.name, radius=radius))
            undecided = unknown | {"unrefuted"} if radius == 2 else set[str]()
            agree(heard.verdict in undecided | {"proven" if admissible else "refuted"}, "audit", text, heard.reason)
            agree(heard.consistent in undecided | {"proven" if consistent else "refuted"}, "audit", text, heard.reason)
            if radius == 1000:
                layers = Counter(truth.values())
                said_layers = {row.distance: row.states for row in heard.by_distance}
                agree(layers == Counter(said_layers), "states by distance", text, said_layers)
        self.tally.add("verdicts", row, 5)

    def partitions(self, moves: MoveSet, truth: dict[State, int]) -> None:
        """Learned cost partitions and pairs of pieces, from the first node on."""
        puzzle = self.puzzle
        start = self.random.choice(list(truth))
        numbers = [puzzle.moves.index(move) for move in moves.moves]
        try:
            learned = _kernel.LearnedPartitions(puzzle.kernel, self.ours[start], numbers, truth[start])
        except ValueError:
            return
        for (state, known), value in zip(
            truth.items(), learned.values([self.ours[state] for state in truth]), strict=True
        ):
            agree(value <= known, "overestimate of learned partitions", moves.name, state, value, known)
        self.tally.add("states", f"learned partitions{', with pairs' if learned.pairs else ''}", len(truth))
        path = [self.random.choice(moves.moves) for _ in range(40)]
        at, walked = start, [start]
        for move in path:
            at = self.space.apply(at, move)
            walked.append(at)
        along = learned.along(self.ours[start], [puzzle.moves.index(move) for move in path])
        for state, value in zip(walked, along, strict=True):
            agree(state not in truth or value <= truth[state], "overestimate along a path", moves.name, state, value)
        self.tally.add("states", "learned partitions, along paths", len(walked))

    def parities(self, moves: MoveSet, truth: dict[State, int]) -> None:
        """Whether all lengths of solutions are even or odd, which raises every bound."""
        for state in self.sample(list(truth), MOST_STATES):
            parity = self.puzzle.length_parity(self.ours[state], moves)
            agree(parity in (None, truth[state] % 2), "the parity of a length", moves.name, state, truth[state], parity)
            self.tally.add("states", "parity of lengths", int(parity is not None))

    # -- answers ---------------------------------------------------------------------------------------------------

    def answer(self, moves: MoveSet, texts: list[str], truth: dict[State, int]) -> None:
        """An algorithm's answer for a state agrees with its distance."""
        random = self.random
        state = random.choice(self.space.states)
        algorithm = random.choice([*(name for name in ALGORITHMS if name != "plan"), "partitions"])
        if algorithm in WITH_COSTS and random.random() < 0.5:
            moves, truth = self.at_costs(moves, truth)
        request: dict[str, Any] = {
            "puzzle": "random",
            "state": self.space.as_json(state),
            "moves": moves.name,
            "limits": {"expanded": MOST_EXPANDED},
        }
        if algorithm == "partitions":
            settings = {"partitions": True, "learn_after": 0}
            request |= {
                "algorithm": "plan",
                "plan": [{"method": "ida_star", "heuristic": "zero", "settings": settings}],
            }
        else:
            heuristic = random.choice(texts) if texts and algorithm in INFORMED else None
            request |= {"algorithm": algorithm, "heuristic": heuristic}
        try:
            problem = prepare(SolveRequest.model_validate(request), costs=True)
        except InvalidRequest:
            # Of small puzzles there are none of two_phase. For mm and nbs the start must become the goal, and every
            # move must have its inverse.
            undone = {self.puzzle.inverse(move) for move in moves.moves} == set(moves.moves)
            cannot_meet = algorithm in ("mm", "nbs") and not (undone and self.puzzle.all_different)
            agree(algorithm == "two_phase" or cannot_meet, "refused", request)
            return
        result = solve(problem, keep=True)
        self.confirm(state, truth.get(state), result, algorithm, moves)
        agree(algorithm not in EXACT or result.length == truth.get(state), "not shortest", request)
        self.tally.add("answers", f"{algorithm}: {'proven' if result.optimality == 'proven' else result.status}")
        self.certified(problem, result, algorithm)

    def at_costs(self, moves: MoveSet, truth: dict[State, int]) -> tuple[MoveSet, dict[State, int]]:
        """The moves at random costs, and the distances then; as before, if the name of the set would be too long."""
        costs = [self.random.choice((1, 1, 2, 3, 7)) for _ in moves.moves]
        name = " ".join(f"{move}:{cost}" for move, cost in zip(moves.moves, costs, strict=True))
        try:
            found = self.puzzle.move_set(name, costs=True)
        except InvalidRequest as error:
            agree("at most" in str(error), "costs", name, error)
            return moves, truth
        each = dict(zip(found.moves, found.costs or [1] * len(costs), strict=True))
        agree(each == dict(zip(moves.moves, costs, strict=True)), "costs", name, found)
        agree(self.puzzle.move_set(found.name, costs=True) == found, "costs are read as others", found)
        self.tally.add("answers", "moves with costs")
        return found, self.space.distances(moves.moves, costs=costs)

    def certified(self, problem: Problem, result: Result, algorithm: str) -> None:
        """The answer has a certificate that the checker accepts, or a reason why not."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "proof.hcert"
            try:
                written = write_file(problem, result, path)
            except Refused as refused:
                # The method itself proves nothing of a state like that, or what it knew is gone.
                agree(refused.code == "too_deep", "no certificate", algorithm, refused.code, refused)
                self.tally.add("certificates", f"refused: {refused.code}")
                return
            verdict = first_forked(path)
        agree(verdict.proven, "certificate", algorithm, problem.start, result.lower_bound, written, verdict)
        self.tally.add("certificates", f"accepted, {'subtrees' if written.searched else 'states'}: {result.status}")

    def confirm(self, state: State, distance: int | None, result: Result, algorithm: str, moves: MoveSet) -> None:
        """The answer agrees with the true distance, None if the moves do not lead to solved."""
        said = (algorithm, state, distance, result.status, result.length, result.lower_bound, result.optimality)
        if result.status == "solved":
            agree(distance is not None, "solved what has no solution", *said)
            assert distance is not None
            assert result.solution is not None
            agree(self.space.apply_all(state, result.solution) == self.space.solved, "no solution", *said)
            agree(result.length == moves.length(result.solution) >= distance, "length", *said)
            agree((result.optimality == "proven") == (result.length == result.lower_bound), "optimality", *said)
            agree(result.optimality == "feasible" or result.length == distance, "false proven", *said)
        elif result.status == "exhausted":
            agree(distance is None, "exhausted", *said)
        elif algorithm in WITHOUT_STATES:
            # RBFS forgets what it has searched, and costs make many thresholds, so they may also reach the limit where
            # there is a solution; where none is, the path of RBFS may become as long as it has room for.
            agree(result.limit == "expanded" or (algorithm == "rbfs" and result.limit == "memory"), "limit", *said)
            agree(distance is None or algorithm == "rbfs" or moves.costs != (), "no solution", moves, *said)
        elif algorithm == "layered":  # each of its iterations may expand the whole space, once
            most = max(map(result.heuristic.kernel.evaluate, self.ours.values()))
            thresholds = most + (len(self.ours) if distance is None else distance) + 1
            agree(result.limit == "expanded" and len(self.ours) * thresholds >= MOST_EXPANDED, "limit", *said)
        else:
            agree(result.limit == "method" and algorithm in METHODS and distance is not None, "limit", *said)
        agree(result.lower_bound is None or distance is None or result.lower_bound <= distance, "false bound", *said)


#: integers, fractions that doubles have, and others
_DIVISORS = (1, 2, 3, 7, 0.5, 0.25, 1.5, 0.1, 0.3, 0.7, 1.1, "(1 / 3)", "(2 / 3)", 2.3, "(-0.7)")


def _quoted(text: str) -> str:
    """A text as Python writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _every(puzzle: DefinedPuzzle) -> MoveSet:
    return MoveSet("every move", puzzle.moves, "")
