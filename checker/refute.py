"""What shows that something is wrong: an invariant that no move changes, a heuristic's value, turns of a model."""

from __future__ import annotations

import math
from functools import reduce
from itertools import permutations
from typing import Any

import numpy as np
from check import Array, Puzzle, Reader, must

SUM, MAXIMUM, UNION, STATED = range(4)  # kinds of features
NOT_A_PERMUTATION, WORD, SHAPE, COUNT = range(4)  # faults of models
#: of expressions, by code from 2 on
OPERATIONS = (
    np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.minimum, np.maximum, np.less, np.less_equal,
    np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and, np.logical_or, np.ceil, np.floor, np.abs,
    np.negative, np.logical_not, np.frompyfunc(lambda a, b, condition: a if condition else b, 3, 1),
)  # fmt: skip


def invariant(puzzle: Puzzle, start: Array, read: Reader) -> None:
    """A sum over the slots of table entries, and of half the modulus if labels in blocks of slots have odd parity: no
    move changes it modulo the modulus, and it differs between start and goal."""
    modulus = read.number(2, 2, 0xFFFF, "the modulus")
    blocks = read.numbers("<u2", 2 * read.number(2, 0, 64, "the number of blocks")).reshape(-1, 2)
    must(modulus % 2 == 0 or not len(blocks), "the modulus is odd")
    table = read.numbers("<u2", puzzle.entries)
    differs, added = int(table[start].sum() - table[puzzle.goal].sum()), np.zeros(puzzle.cases, int)
    for case, effect in enumerate(puzzle.effect):
        change = (table[effect] - table) % modulus
        most = puzzle.greatest(change, case)
        must((most == -puzzle.greatest(-change, case)).all(), "what a move adds to the invariant depends on the state")
        added[case] = most[most > -1].sum()
    for slot, slots in blocks:
        must(slot + slots <= puzzle.slots, "a block has no such slots")
        own, label = slice(puzzle.first[slot], puzzle.first[slot + slots]), np.full(puzzle.entries, -1)
        label[own] = read.numbers("<u2", len(label[own]))
        held = [label[state][slot : slot + slots] for state in (start, puzzle.goal)]
        must((np.sort(held) == np.arange(slots)).all(), "a block does not have each piece once")
        must((label[puzzle.effect] == label).all(), "a move changes a piece of a block, or takes it out")
        differs += modulus // 2 * (odd(held[0]) - odd(held[1]))
        added += modulus // 2 * np.array([odd(goes[slot : slot + slots]) for goes in puzzle.goes], int)
    read.done()
    must((added % modulus == 0).all(), "a move changes the invariant")
    must(differs % modulus != 0, "the invariant does not tell the start from the goal")


def odd(images: Array) -> int:
    return int(np.triu(images[:, None] > images[None, :], 1).sum() % 2)


def heuristic(step: bool, puzzle: Puzzle, ends: tuple[Array, Array], made: str, length: int, read: Reader) -> str:
    """An expression is above the number of moves between two states, the second the goal; or a step lowers it by more
    than 1."""
    (value, then), stated = values_of(puzzle, ends, read)
    if step:
        must(length == 1 and value > 1 + then, f"the moves lower h from {value:g} to {then:g}")
        return f"the move {made} lowers h from {value:g} to {then:g}{stated}"
    must(value > length, f"h is {value:g}, and {length} moves solve it")
    return f"h is {value:g} where {length} moves are enough: {made}{stated}"


def values_of(puzzle: Puzzle, states: tuple[Array, Array], read: Reader) -> tuple[Array, str]:
    """The values of the expression at two states, and what it takes as stated."""
    features, said, stack = [], "", []
    for _ in range(read.number(2, 0, 16, "the number of features")):
        kind = read.number(1, SUM, STATED, "the kind of a feature")
        if kind == STATED:
            name, own = read.name(), read.numbers("<f8", 2)
            said += f", if {name} is {' and then '.join(f'{value:g}' for value in dict.fromkeys(own))} there"
        else:
            table = read.numbers("<u8" if kind == UNION else "<i4", puzzle.entries)
            join = (np.sum, np.max, lambda held: (int(np.bitwise_or.reduce(held)) % 2**64).bit_count())[kind]
            own = np.array([float(join(table[state])) for state in states])
        features.append(own)
    for _ in range(read.number(2, 1, 400, "the number of operations")):
        code = read.number(1, 0, len(OPERATIONS) + 1, "an operation")
        if code == 0:
            stack.append(np.repeat(read.numbers("<f8", 1), 2))
        elif code == 1:
            stack.append(features[read.number(2, 0, len(features) - 1, "a feature")])
        else:
            compute = OPERATIONS[code - 2]
            must(len(stack) >= compute.nin, "the expression lacks an argument")
            with np.errstate(all="ignore"):
                stack[-compute.nin :] = [np.asarray(compute(*stack[-compute.nin :]), float)]
        must(np.isfinite(stack[-1]).all(), "the expression has a value that is no number")
    read.done()
    must(len(stack) == 1, "the expression leaves several values")
    return np.maximum(stack[0], 0), said


def model(puzzle: Puzzle, claim: Reader, read: Reader) -> str:
    """Turns of a model, new[i] = old[p[i]], that cannot be the puzzle's moves."""
    places = read.number(2, 1, 4096, "the number of places")
    names = [read.name() for _ in range(read.number(2, 1, 64, "the number of turns"))]
    turns = read.numbers("<u2", places * len(names)).reshape(-1, places)
    read.done()
    whole = (np.sort(turns) == np.arange(places)).all(axis=1)
    fault = claim.number(1, NOT_A_PERMUTATION, COUNT, "the fault of the model")
    if fault == NOT_A_PERMUTATION:
        turn = claim.number(2, 0, len(turns) - 1, "a turn")
        claim.done()
        must(not whole[turn], "the turn is a permutation")
        return f"the turn {names[turn]} of the model is no permutation"
    if fault == COUNT:
        claim.done()
        must(len(turns) != len(puzzle.names), "the model has as many turns as the puzzle has moves")
        return f"the model has {len(turns)} turns, and the puzzle {len(puzzle.names)} moves"
    must(puzzle.blank == -1 and puzzle.cases == len(puzzle.names), "moves of this puzzle depend on the state")
    must(whole.all(), "a turn is no permutation")
    moves = np.argsort(puzzle.effect, axis=1)
    word = claim.numbers("<u2", claim.number(2, 1, 64, "the length of the word"))
    used = np.unique(word // 2)
    must(used[-1] < len(turns) and (fault == WORD or len(used) <= 2), "the word has no such turns, or too many")
    ours = claim.numbers("<u2", len(used) * (fault == WORD))
    claim.done()
    must((ours < len(moves)).all(), "the puzzle has no such moves")
    letters = 2 * np.searchsorted(used, word // 2) + word % 2
    choices: Any = [moves[ours]] if fault == WORD else permutations(moves, len(used))
    found, orders = order(letters, turns[used]), {order(letters, choice) for choice in choices}
    must(found not in orders, "the orders are the same")
    said = " ".join(names[letter // 2] + "'" * (letter % 2) for letter in word)
    return f"{said} has order {found} in the model, and in the puzzle {orders.pop() if fault == WORD else 'never'}"


def order(word: Array, turns: Any) -> int:
    """How often a word is made, letter by letter, until nothing has moved. A letter is 2 * turn, or 1 more for its
    inverse."""
    once = reduce(
        lambda before, turn: before[turn], [np.argsort(turns[n // 2]) if n % 2 else turns[n // 2] for n in word]
    )
    now, left, times, found = once, np.arange(len(once)), 1, 1
    while len(left):
        home = now[left] == left
        found = math.lcm(found, times if home.any() else 1)
        now, left, times = once[now], left[~home], times + 1
    return found
