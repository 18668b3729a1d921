"""The part of check.py for claims that something is wrong: kinds 4 to 8 of docs/certificates.md."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from check import Array, Puzzle, Reader

INADMISSIBLE, INCONSISTENT, MODEL, NO_PATH, AT_MOST = 4, 5, 6, 7, 8
NOT_A_PERMUTATION, WORD, SHAPE, COUNT = 0, 1, 2, 3
SUM, MAXIMUM, UNION, STATED = 0, 1, 2, 3
CONSTANT, FEATURE, DIVISIONS = 0, 1, (5, 6)
MOST_FEATURES, MOST_OPERATIONS, MOST_TURNS, MOST_PLACES, MOST_LETTERS = 16, 400, 64, 4096, 64

Must = Callable[[object, str], None]
#: by code, from 2 on: the number of arguments, and what it computes of doubles
OPERATIONS: dict[int, tuple[int, Callable[..., Any]]] = dict(
    enumerate(
        [
            *(
                (2, f)
                for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, min, max)
            ),
            *((2, f) for f in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)),
            (2, lambda a, b: a != 0 and b != 0),
            (2, lambda a, b: a != 0 or b != 0),
            *((1, f) for f in (math.ceil, math.floor, abs, operator.neg, lambda a: a == 0)),
            (3, lambda a, b, condition: a if condition != 0 else b),
        ],
        start=2,
    )
)


def refuted(puzzle: Puzzle, kind: int, claim: Reader, more: Reader | None, must: Must) -> str:
    """What a claim of these kinds says, if it is true. ``more``: the section ``EXPR`` or ``MODL``."""
    if kind == MODEL:
        assert more is not None
        return _model(puzzle, claim, more, must)
    state = puzzle.state(claim.numbers("<u2", puzzle.slots))
    end = claim.numbers("<u2", puzzle.slots) if kind == NO_PATH else None  # perhaps no state of the puzzle
    alg = claim.text(claim.number(4, 0, claim.end, "the length of the moves"))
    claim.done("CLAM")
    path: list[Array | None] = [state]
    for move in alg:
        must(move < len(puzzle.names), "there is no such move")
        path.append(None if path[-1] is None or not puzzle.can(path[-1], move) else puzzle.after(path[-1], move))
    last = path[-1]
    said = " ".join(puzzle.names[move] for move in alg) or "no moves"
    said += f" (from {' '.join(map(str, puzzle.value_of[state]))})"
    if kind == NO_PATH:
        assert end is not None
        must(last is None or (puzzle.value_of[last] != end).any(), "the moves do lead there")
        return f"{said} cannot be made" if last is None else f"{said} lead elsewhere"
    must(last is not None, "the moves cannot be made")
    assert last is not None
    if kind != INCONSISTENT:
        must((last == puzzle.goal).all(), "the moves do not lead to the goal")
    if kind == AT_MOST:
        return f"{len(alg)} moves are enough: {said}"
    assert more is not None
    must(kind == INADMISSIBLE or len(alg) == 1, "it is not one move")
    (value, after), stated = _values(puzzle, [state, last if kind == INCONSISTENT else state], more, must)
    if kind == INADMISSIBLE:
        must(value > len(alg), f"h is {value:g}, and {len(alg)} moves solve it")
        return f"h is {value:g} where {len(alg)} moves are enough: {said}{stated}"
    must(value > 1 + after, f"the move lowers h from {value:g} to {after:g}")
    return f"the move {said} lowers h from {value:g} to {after:g}{stated}"


def _values(puzzle: Puzzle, states: Sequence[Array], read: Reader, must: Must) -> tuple[list[float], str]:
    """The values of the expression at the states, and what it takes as stated."""
    features: list[list[float]] = []
    stated = ""
    for _ in range(read.number(2, 0, MOST_FEATURES, "the number of features")):
        kind = read.number(1, SUM, STATED, "the kind of a feature")
        if kind == STATED:
            name = read.text(read.number(1, 0, 255, "the length of a name")).decode("utf-8", "replace")
            must(name.isprintable(), "a name has control characters")
            features.append(np.frombuffer(read.text(16), "<f8").tolist())
            stated += f", if {name} is {' and then '.join(f'{v:g}' for v in dict.fromkeys(features[-1]))} there"
        else:
            table = read.numbers("<u8" if kind == UNION else "<i4", puzzle.entries)
            join = (np.sum, np.max, np.bitwise_or.reduce)[kind]
            numbers = [int(join(table[state])) for state in states]
            features.append([float((n % 2**64).bit_count() if kind == UNION else n) for n in numbers])
    stacks: list[list[float]] = [[] for _ in states]
    for _ in range(read.number(2, 1, MOST_OPERATIONS, "the number of operations")):
        code = read.number(1, 0, 22, "an operation")
        constant = float(np.frombuffer(read.text(8), "<f8")[0]) if code == CONSTANT else 0.0
        number = read.number(2, 0, len(features) - 1, "a feature") if code == FEATURE else 0
        for at, stack in enumerate(stacks):
            if code in (CONSTANT, FEATURE):
                stack.append(constant if code == CONSTANT else features[number][at])
            else:
                count, compute = OPERATIONS[code]
                must(len(stack) >= count, "the expression lacks an argument")
                given = stack[-count:]
                must(code not in DIVISIONS or given[1] != 0, "the expression divides by 0")
                del stack[-count:]
                stack.append(float(compute(*given)))
            must(math.isfinite(stack[-1]), "the expression has a value that is no number")
    read.done("EXPR")
    must(all(len(stack) == 1 for stack in stacks), "the expression leaves no value, or several")
    return [max(0.0, stack[0]) for stack in stacks], stated


def _model(puzzle: Puzzle, claim: Reader, read: Reader, must: Must) -> str:
    """Turns of a model, new[i] = old[p[i]], that cannot be the puzzle's moves."""
    places = read.number(2, 1, MOST_PLACES, "the number of slots of the model")
    count = read.number(2, 1, MOST_TURNS, "the number of turns")
    names = [read.text(read.number(1, 0, 255, "the length of a name")).decode("utf-8", "replace") for _ in range(count)]
    must(all(name.isprintable() for name in names), "a name has control characters")
    turns = [read.numbers("<u2", places) for _ in range(count)]
    read.done("MODL")
    moves = len(puzzle.names)
    fault = claim.number(1, NOT_A_PERMUTATION, COUNT, "the fault of the model")
    if fault == NOT_A_PERMUTATION:
        number = claim.number(2, 0, count - 1, "a turn")
        claim.done("CLAM")
        must((np.sort(turns[number]) != np.arange(places)).any(), "the turn is a permutation")
        return f"the turn {names[number]} of the model is no permutation"
    if fault == COUNT:
        claim.done("CLAM")
        must(count != moves, "the model has as many turns as the puzzle has moves")
        return f"the model has {count} turns, and the puzzle {moves} moves"
    must(puzzle.blank == -1 and puzzle.cases == moves, "moves of this puzzle depend on the state")
    must(all((np.sort(turn) == np.arange(places)).all() for turn in turns), "a turn is no permutation")
    own = [np.argsort(effect) for effect in puzzle.effect]
    if fault == WORD:
        ours = claim.numbers("<u2", count)
        word = claim.numbers("<u2", claim.number(2, 1, MOST_LETTERS, "the length of the word")).tolist()
        must((ours < moves).all() and max(word) < count, "the word has no such turns")
        orders = _order([turns[n] for n in word]), _order([own[ours[n]] for n in word])
        said = " ".join(names[n] for n in word)
        result = f"{said} has order {orders[0]} in the model, and the same moves have order {orders[1]} in the puzzle"
    else:
        chosen = claim.numbers("<u2", claim.number(1, 1, 2, "the number of variables")).tolist()
        letters = claim.numbers("<u2", claim.number(2, 1, MOST_LETTERS, "the length of the word")).tolist()
        must(max(chosen) < count and len(set(chosen)) == len(chosen), "there are no such turns")
        must(max(letters) < 2 * len(chosen), "the word has no such turns")
        found = _order([_turned(turns[chosen[n // 2]], n) for n in letters])
        allowed = {_order([_turned(some[n // 2], n) for n in letters]) for some in permutations(own, len(chosen))}
        orders = found, found if found in allowed else 0
        said = " ".join(names[chosen[n // 2]] + "'" * (n % 2) for n in letters)
        result = f"{said} has order {found} in the model, which no moves of the puzzle have in their place"
    claim.done("CLAM")
    must(orders[0] != orders[1], "the orders are the same")
    return result


def _turned(turn: Array, letter: int) -> Array:
    return np.argsort(turn) if letter % 2 else turn


def _order(turns: Sequence[Array]) -> int:
    """How often turns are repeated, one after the other, until nothing has moved."""
    word = np.arange(len(turns[0]))
    for turn in turns:
        word = word[turn]
    left, order = set(word.tolist()), 1
    while left:
        at, length = next(iter(left)), 0
        while at in left:
            left.remove(at)
            at, length = int(word[at]), length + 1
        order = math.lcm(order, length)
    return order
