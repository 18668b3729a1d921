#!/usr/bin/env python3
"""Check a certificate: ``python checker/check.py FILE`` prints one line, and exits with 0 (proven), 1 (not proven),
2 (no such file, no compiler, wrong use) or 3 (only some subtrees were searched: a spot check, or a share of the work).

It imports nothing of hstar; docs/certificate-format.md is the specification. ``check.c`` has the inner loops.
"""

import argparse
import ctypes
import hashlib
import math
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, reduce
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

SHORTEST, AT_LEAST, UNSOLVABLE, INADMISSIBLE, INCONSISTENT, MODEL, NO_PATH, AT_MOST = range(1, 9)
SUM, MAXIMUM, PATTERNS, UNION, STATED = 0, 1, 2, 2, 3  # kinds of terms, and of features
NOT_A_PERMUTATION, WORD, SHAPE, COUNT = range(4)  # faults of models
#: a kind of claim, and the sections that argue for it
ARGUMENTS = "[12](HEUR)?TREE(BACK)?(ROOT)?|3(TREE|INVR)|[45]EXPR|6MODL|[78]"
NOTE, MATCH, SEARCH, _, BALL = range(5)  # tasks of check.c
MOST_NUMBERS, MOST_PARTS = 1 << 20, 64  # of the entries of all cases; of a heuristic
MOST_BOUND, DEEPEST, UP, FOUND, NEVER = 1 << 20, 253, 255, 0xFFFF, 1 << 40
#: of expressions, by code from 2 on
OPERATIONS = (np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.minimum, np.maximum, np.less,
    np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and, np.logical_or, np.ceil,
    np.floor, np.abs, np.negative, np.logical_not, np.frompyfunc(lambda a, b, c: a if c else b, 3, 1))  # fmt: skip


def must(holds: object, why: str) -> None:
    if not holds:
        raise ValueError(why)


def permutes(rows: Array) -> Array:
    """Whether a row has each number below its length once."""
    return np.asarray((np.sort(rows) == np.arange(rows.shape[-1])).all(axis=-1))


# ---- The file: sections, which are read from the front ---------------------------------------------------------------


class Reader:
    """What is left of the bytes of a file or of a section; little endian."""

    def __init__(self, data: Array) -> None:
        self.data = data

    def take(self, size: int) -> Array:
        must(size <= len(self.data), "the file or one of its sections is too short")
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def numbers(self, kind: str, count: int) -> Array:
        return self.take(count * np.dtype(kind).itemsize).view(kind).astype(float if kind == "<f8" else np.int64)

    def number(self, size: int, least: int, most: int, what: str) -> int:
        value = int.from_bytes(self.take(size).tobytes(), "little")
        must(least <= value <= most, f"{what} is {value}, expected {least} to {most}")
        return value

    def name(self) -> str:
        name = self.take(self.number(1, 0, 255, "a length")).tobytes().decode("utf-8", "replace")
        must(name.isprintable(), "a name cannot be printed")
        return name


@contextmanager
def sections(data: Array) -> Iterator[tuple[bool, str, dict[str, Reader]]]:
    """Whether moves have costs, the tags after that of the claim, one after the other, and what each section has:
    nothing of it may be left."""
    file, tags, found = Reader(data[:-32]), "", {}
    must(file.take(8).tobytes() == b"hstarcrt", "it is no certificate")
    must(hashlib.sha256(data[:-32].data).digest() == data[-32:].tobytes(), "its digest is another: it was changed")
    costs = file.number(4, 2, 3, "the version") == 3
    for _ in range(file.number(4, 0, 10, "the number of sections")):
        tag = file.take(4).tobytes().decode("latin-1")
        file.number(4, 0, 0, "a reserved number")
        found[tag] = Reader(file.take(file.number(8, 0, len(data), "the length of a section")))
        tags += tag
    must(len(file.data) == 0 and re.match("(META)?PUZLCLAM", tags), "it is too long, or has no puzzle or no claim")
    yield costs, tags.partition("PUZLCLAM")[2], found
    must(not any(len(read.data) for tag, read in found.items() if tag != "META"), "a section is too long")


# ---- The puzzle ------------------------------------------------------------------------------------------------------


class Puzzle:
    """Slots that hold values; an *entry* is a slot with a value, and a state is an entry for each slot. A move permutes
    the entries; on a board there is one permutation for each place of the blank (a *case*)."""

    def __init__(self, read: Reader, costs: bool) -> None:
        self.slots, moves, maps, self.cases = read.numbers("<u2", 4).tolist()
        self.values, goal = read.numbers("<u2", 2 * self.slots).reshape(2, -1)  # by slot: how many it can hold
        must(0 < self.slots <= 512 and moves <= 254 and self.values.all(), "it has no slots, no values, or too much")
        self.first = np.append(0, np.cumsum(self.values))  # by slot: its first entry
        self.entries = int(self.first[-1])
        must(self.cases * self.entries <= MOST_NUMBERS and self.values.max() <= 1024, "the puzzle is too large")
        self.slot_of = np.repeat(np.arange(self.slots), self.values)
        self.value_of = np.arange(self.entries) - self.first[self.slot_of]
        self.names = [read.name() for _ in range(moves)]
        tables = [read.numbers("<u2", read.number(2, 1, 1024, "a length")) for _ in range(maps)]
        cases = read.numbers("<u2", self.cases * (4 + 2 * self.slots)).reshape(-1, 4 + 2 * self.slots)
        move, conditioned, self.hole, value = cases[:, :4].T
        self.goes, used = np.hsplit(cases[:, 4:], 2)
        self.board = bool(conditioned.any())
        self.blank = int(value[0]) if self.board else -1
        alike = (cases[:, [1, 3]] == (1, self.blank)).all() if self.board else not cases[:, 1:4].any()
        must(alike, "conditions differ")
        must((cases[:, [0, 2]] < (moves, self.slots)).all() and (used < maps).all(), "a case names what is not there")
        must(all(map(permutes, (*tables, *self.goes))), "a map or a case is not one-to-one")
        sizes, after = np.array([len(table) for table in tables], int), np.concatenate([np.zeros(0, int), *tables])
        must(((sizes[used] == self.values) & (self.values[self.goes] == self.values)).all(), "a map does not fit")
        places = (np.cumsum(sizes) - sizes)[used][:, self.slot_of] + self.value_of
        #: by case: what becomes of an entry
        self.effect = np.ascontiguousarray(self.first[self.goes][:, self.slot_of] + after[places])
        empty = self.value_of == self.blank
        must((empty[self.effect] == empty).all(), "a map changes the blank")
        self.moved = np.maximum.reduceat(self.effect != np.arange(self.entries), self.first[:-1], axis=1)  # and slot
        self.hole_after = self.goes[np.arange(self.cases), self.hole] * self.board
        #: the case, or -1: by the blank's slot, before or after, or 0 without a blank, and by move
        self.makes, self.undoes = found = np.full((2, self.slots, moves), -1)
        found[0, self.hole, move] = found[1, self.hole_after, move] = np.arange(self.cases)
        must((np.count_nonzero(found >= 0, axis=(1, 2)) == self.cases).all(), "a move has two cases for one state")
        #: by move, and by case: what it costs
        self.cost = np.array([read.number(1, 1, 255, "a cost") if costs else 1 for _ in range(moves)], int)
        self.goal, self.costs, self.cost_of = self.state(goal), costs, self.cost[move]

    def state(self, values: Array) -> Array:
        must((values < self.values).all() and (values == self.blank).sum() == self.board, "a state is not possible")
        return np.asarray(self.first[:-1] + values)

    def after(self, state: Array, moves: Array) -> Array | None:
        """Where moves lead; None if one of them cannot be made."""
        must((moves < len(self.names)).all(), "there is no such move")
        for move in moves:
            case = self.makes[np.argmax(self.value_of[state] == self.blank), move]
            if case == -1:
                return None
            state = np.sort(self.effect[case][state])  # in the order of the slots
        return state

    def greatest(self, numbers: Array, case: int) -> Array:
        """By slot: the greatest of the numbers of entries that can be there when the case is made."""
        can = not self.board or (self.slot_of == self.hole[case]) == (self.value_of == self.blank)
        return np.asarray(np.maximum.reduceat(np.where(can, numbers, -NEVER), self.first[:-1]))

    def skipped(self) -> Array:
        """By two cases whether a search need not make the second after the first: together they do nothing, or without
        a blank the same as one case or an earlier pair that costs no more. What they do is compared by SHA-256."""
        must(self.cases <= 1024, "the puzzle has too many cases for searches")
        effect, cost = np.vstack([self.effect, np.arange(self.entries)]), np.append(self.cost_of, 0)  # -1: no case
        least: dict[bytes, int] = {}  # what is known costs
        skipped = np.zeros((self.cases + 1, self.cases + 1), bool)
        for one, two in [(-1, -1), *product([-1], range(self.cases)), *product(range(self.cases), repeat=2)]:
            both, own = hashlib.sha256(effect[two][effect[one]].data).digest(), cost[one] + cost[two]
            skipped[one, two] = least.get(both, NEVER) <= own
            least[both] = min(own if two < 0 or not self.board else NEVER, least.get(both, NEVER))
        return skipped[:-1, :-1]


# ---- The heuristic: no move brings it nearer to 0 by more than it costs ----------------------------------------------


def terms(puzzle: Puzzle, start: Array, read: Reader) -> list[tuple[Any, ...]]:
    """The heuristic is the greatest of its terms, each rounded up. A term is a sum of parts, at most 0 at the goal, and
    no move lowers it by more than its divisor times what the move costs. A part is a table whose sum over a state
    check.c keeps, and, as there, a pattern of which that is an index, a table whose largest entry counts, and the
    divisor."""
    parts: list[tuple[Any, ...]] = []
    for _ in range(read.number(2, 0, MOST_PARTS, "the number of terms")):
        kind = read.number(1, SUM, PATTERNS, "the kind of a term")
        divisor = read.number(4, 1, 1 if kind == PATTERNS else 0xFFFFFFFF, "a divisor")
        if kind == PATTERNS:
            parts += patterns(puzzle, start, read)
        else:
            join, table = np.sum if kind == SUM else np.max, read.numbers("<i4", puzzle.entries)
            must(join(table[puzzle.goal]) <= 0, "a term is above 0 at the goal")
            drops = [join(puzzle.greatest(table - table[effect], case)) for case, effect in enumerate(puzzle.effect)]
            must((np.array(drops) <= divisor * puzzle.cost_of).all(), "a move can lower a term by too much")
            parts.append((table * (kind == SUM), None, table if kind == MAXIMUM else None, divisor))
        must(len(parts) < MOST_PARTS, "the heuristic is too large")
    return parts


def patterns(puzzle: Puzzle, start: Array, read: Reader) -> Iterator[tuple[Any, ...]]:
    count, taken = read.number(2, 1, MOST_PARTS, "the number of patterns"), np.zeros(puzzle.entries, int)
    slides = puzzle.board and ((puzzle.moved.sum(axis=1) == 2) & (puzzle.hole != puzzle.hole_after)).all()
    must(count == 1 or slides, "patterns are added where a move moves several pieces")
    for left in reversed(range(count)):
        places = [piece(puzzle, start, read) for _ in range(read.number(2, 1, 16, "the number of pieces"))]
        taken += np.any([place >= 0 for place in places[puzzle.board :]], axis=0)
        shape = [int(place.max()) + 1 for place in places]
        table = read.take(read.number(8, math.prod(shape), math.prod(shape), "the size of a table")).reshape(shape)
        check_pattern(puzzle, places, table)
        yield np.array(table.strides) @ np.maximum(places, 0), table, None, int(left == 0)
    must(taken.max() <= 1, "patterns that are added share a piece")


def piece(puzzle: Puzzle, start: Array, read: Reader) -> Array:
    """By entry the place of a pattern's piece, or -1. Each state that can be reached has it once."""
    slot, slots, value, turns = read.numbers("<u2", 4).tolist()
    here = (slot <= puzzle.slot_of) & (puzzle.slot_of < slot + slots)
    here &= (value <= puzzle.value_of) & (puzzle.value_of < value + turns)
    must(here.sum() == slots * turns > 0, "a pattern's piece has no such slots or values")
    must((here[puzzle.effect] == here).all(), "a move changes a pattern's piece, or takes it out of its slots")
    must(here[puzzle.goal].sum() == here[start].sum() == 1, "a state does not have a pattern's piece once")
    return np.where(here, (puzzle.slot_of - slot) * turns + puzzle.value_of - value, -1)


def check_pattern(puzzle: Puzzle, places: list[Array], table: Array) -> None:
    """0 at the goal, and no move lowers it by more than it costs; on boards by 0 if it moves none of the pieces."""
    entries = [np.flatnonzero(place >= 0) for place in places]
    blank = len(entries[0]) == puzzle.slots and (puzzle.value_of[entries[0]] == puzzle.blank).all()
    must(blank or not puzzle.board, "a pattern's first piece is not the blank")
    must(table[tuple(place[puzzle.goal].max() for place in places)] == 0, "a pattern's table is not 0 at the goal")
    for case, effect in enumerate(puzzle.effect):
        first, *to = [place[effect[own]] for place, own in zip(places, entries, strict=True)]
        cost = reduce(np.logical_or.outer, [own != np.arange(len(own)) for own in to], np.array(not puzzle.board))
        cost = cost * np.uint8(puzzle.cost_of[case])
        for place in [puzzle.hole[case]] if puzzle.board else range(len(first)):
            lower, after = np.maximum(table[place], cost) - cost, table[first[place]][np.ix_(*to)]
            must((lower <= after).all(), "a move can lower a pattern's table by too much")


# ---- The set of states: trees of moves, which check.c walks through --------------------------------------------------


@cache
def core() -> Any:
    """The function of check.c, compiled."""
    with tempfile.TemporaryDirectory() as scratch:
        made, source = Path(scratch, "check.so"), Path(__file__).with_name("check.c")
        options = ("-std=c11", "-O2", "-fwrapv", "-shared", "-fPIC")
        subprocess.run([os.environ.get("CC", "cc"), *options, "-o", made, source], check=True)
        kind = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
        return kind(("walk", ctypes.CDLL(str(made))))


def table(most: int, memory: int) -> tuple[Array, Array, int, int]:
    """For so many keys of states, or as many as there is memory for."""
    places = min(2 * most, (memory << 20) // 10) + 4096
    return np.zeros(places, np.uint64), np.zeros(places, np.uint16), places, 0


def walk(task: int, given: Any, edges: Any = (0, 0, 0, 0), share: int = 0, shares: int = 1, nodes: Any = 0) -> bool:
    """A walk of check.c through a tree; it reads arrays by their addresses. False if it has no room for its notes."""
    kept = [np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in (*edges, share, shares, nodes, *given)]
    numbers = np.array([x.ctypes.data if isinstance(x, np.ndarray) else x or 0 for x in kept], np.int64)
    why = core()(task, numbers.ctypes.data, len(numbers))
    must(why in (None, b"no room"), (why or b"").decode())
    return why is None


def outside(given: Any, most: int, memory: int, share: int = 0, shares: int = 1) -> tuple[int, Any]:
    """How many states, of a share of all, the tree's lead to, and nothing shows that they are in it or far; these."""
    edges = table(most, memory)
    if walk(NOTE, given, edges, share, shares):
        walk(MATCH, given, edges, share, shares)
        return int(np.count_nonzero(edges[1]) - np.count_nonzero(edges[1] == FOUND)), edges
    left = [outside(given, most, memory, share + more, 2 * shares)[0] for more in (0, shares)]
    must(left == [0, 0], "what is outside of the set needs more memory than allowed (--memory)")
    return 0, edges


def search(puzzle: Puzzle, start: Array, bound: int, found: dict[str, Reader], given: Any) -> tuple[bool, str]:
    """Whether all is proven, the subtrees included, and what was looked at."""
    root, back = found.get("ROOT"), found.get("BACK", Reader(np.zeros(1 + puzzle.costs, np.uint8)))
    near = back.number(1 + puzzle.costs, 0, DEEPEST * 255**puzzle.costs, "the depth of the backward tree")
    parts = terms(puzzle, start, found.get("HEUR", Reader(np.zeros(2, np.uint8))))
    trees, roots = [reader.take(len(reader.data)) for reader in (found["TREE"], back)], found.keys() & {"TREE", "BACK"}
    states = sum(np.count_nonzero(part != UP) for tree in trees for part in np.array_split(tree, 64)) + len(roots)
    key = np.frombuffer(secrets.token_bytes(8 * puzzle.entries), np.int64)[:, None]  # by entry; of a state their sum
    words, ball = np.hstack([key, *(part[0][:, None] for part in parts)]), table(len(trees[1]), given.memory)
    both, blank = ((puzzle.goal, key), (start, words)), puzzle.value_of == puzzle.blank
    rows = [np.hstack([np.argmax(blank[state]), state, own[state].sum(axis=0)]) for state, own in both]
    moved = np.sort(np.where(np.pad(puzzle.moved, ((0, 0), (0, 1))), np.arange(puzzle.slots + 1), puzzle.slots))
    shared = (*ball, puzzle.slots, len(puzzle.names), puzzle.cases, puzzle.entries, puzzle.slot_of, moved)
    undo = (puzzle.hole, np.argsort(puzzle.effect), puzzle.undoes, trees[1], len(trees[1]), near + 1, near)
    backward = (*shared, *undo, rows[0], puzzle.cost, key, 0, 0, -1, 0)
    must(outside(backward, len(trees[1]) * len(puzzle.names), given.memory)[0] == 0, "the backward tree lacks a state")
    must(walk(BALL, backward), "the backward tree needs more memory than allowed (--memory)")
    make = (puzzle.hole_after, puzzle.effect, puzzle.makes, trees[0], len(trees[0]), bound, NEVER)
    h, skipped = [x for part in parts for x in part[1:]], puzzle.skipped() if root else 0
    forward = (*shared, *make, rows[1], puzzle.cost, words, key[puzzle.goal].sum(), skipped, near, len(parts), *h)
    left, edges = outside(forward, len(trees[0]) * len(puzzle.names), given.memory)
    if root is None:
        must(left == 0, "a move leads out of the set, to a state that may be near the goal")
        return True, f"; {states} states"
    stated = root.numbers("<u8", len(root.data) // 8) if len(root.data) else np.zeros(left, np.int64)
    must(len(stated) == left and (stated >= 0).all(), "there is another number of roots than stated")
    nodes = np.zeros(left, np.int64)
    drawn = secrets.SystemRandom().sample(range(left), min(given.sample, left))
    nodes[drawn if given.sample else given.roots] = 1
    chosen = nodes > 0
    walk(SEARCH, forward, edges, 0, 1, nodes)
    must(((nodes == stated) | (stated == 0) | ~chosen).all(), "a root has another number of nodes than stated")
    if given.nodes:
        nodes.astype("<u8").tofile(given.nodes)
    said = f"; {states} states, {chosen.sum()} of {left} subtrees with {nodes.sum()} nodes"
    if given.sample > 3 and not chosen.all():  # (1 - 3 / n)^n < 0.05
        said += f"; with 95 % confidence fewer than {300 / given.sample:.3g} % of the subtrees hide a shorter solution"
    return bool(chosen.all()), said


# ---- Refutations: what shows that something is wrong -----------------------------------------------------------------


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
        own, label = slice(puzzle.first[slot], puzzle.first[slot + slots]), np.full(puzzle.entries, -1)
        label[own] = read.numbers("<u2", len(label[own]))
        held = label[np.stack([start, puzzle.goal])][:, slot : slot + slots]
        must(permutes(held).all(), "a block does not have each piece once")
        must((label[puzzle.effect] == label).all(), "a move changes a piece of a block, or takes it out")
        differs += modulus // 2 * (odd(held[0]) - odd(held[1]))
        added += modulus // 2 * np.array([odd(goes[slot : slot + slots]) for goes in puzzle.goes], int)
    must((added % modulus == 0).all(), "a move changes the invariant")
    must(differs % modulus != 0, "the invariant does not tell the start from the goal")


def odd(images: Array) -> int:
    return int(np.triu(images[:, None] > images[None, :], 1).sum() % 2)


def heuristic(puzzle: Puzzle, states: Any, kind: int, cost: int, made: str, read: Reader) -> str:
    """The value of an expression at the first of two states is above the cost of moves to the second, the goal; or a
    step lowers it by more than it costs. Some of what it is computed from may be as stated."""
    features, stated, stack = [], "", []
    for _ in range(read.number(2, 0, 16, "the number of features")):
        own_kind = read.number(1, SUM, STATED, "the kind of a feature")
        if own_kind == STATED:
            name, own = read.name(), read.numbers("<f8", 2)
            stated += f", if {name} is {' and then '.join(f'{value:g}' for value in dict.fromkeys(own))} there"
        else:
            held = read.numbers("<u8" if own_kind == UNION else "<i4", puzzle.entries)[states]
            joined = (np.sum, np.max, np.bitwise_or.reduce)[own_kind](held, axis=1)
            own = np.array([(int(x) % 2**64).bit_count() for x in joined] if own_kind == UNION else joined, float)
        features.append(own)
    for _ in range(read.number(2, 1, 400, "the number of operations")):
        code = read.number(1, 0, len(OPERATIONS) + 1, "an operation")
        if code == 0:
            stack.append(np.repeat(read.numbers("<f8", 1), 2))
        elif code == 1:
            stack.append(features[read.number(2, 0, len(features) - 1, "a feature")])
        else:
            compute = OPERATIONS[code - 2]
            with np.errstate(all="ignore"):
                stack[-compute.nin :] = [np.asarray(compute(*stack[-compute.nin :]), float)]
        must(np.isfinite(stack[-1]).all(), "the expression has a value that is no number")
    must(len(stack) == 1, "the expression leaves several values")
    value, then = np.maximum(stack[0], 0)
    must(value > cost + (then if kind == INCONSISTENT else 0), f"h is {value:g}, and {then:g} after {made}")
    said = f"lowers h from {value:g} to {then:g}", f"solves in {made} what h says is {value:g} away"
    return f" {said[kind == INADMISSIBLE]}{stated}"


def model(puzzle: Puzzle, claim: Reader, read: Reader) -> str:
    """Turns of a model, new[i] = old[p[i]], that cannot be the puzzle's moves."""
    places = read.number(2, 1, 4096, "the number of places")
    names = [read.name() for _ in range(read.number(2, 1, 64, "the number of turns"))]
    turns = read.numbers("<u2", places * len(names)).reshape(-1, places)
    fault = claim.number(1, NOT_A_PERMUTATION, COUNT, "the fault of the model")
    if fault == NOT_A_PERMUTATION:
        turn = claim.number(2, 0, len(turns) - 1, "a turn")
        must(not permutes(turns[turn]), "the turn is a permutation")
        return f"the turn {names[turn]} of the model is no permutation"
    if fault == COUNT:
        must(len(turns) != len(puzzle.names), "the model has as many turns as the puzzle has moves")
        return f"the model has {len(turns)} turns, and the puzzle {len(puzzle.names)} moves"
    word = claim.numbers("<u2", claim.number(2, 1, 64, "the length of the word"))
    used = np.unique(word // 2)
    must(not puzzle.board and puzzle.cases == len(puzzle.names), "moves of this puzzle depend on the state")
    must(permutes(turns).all(), "a turn is no permutation")
    must(used[-1] < len(turns) and (fault == WORD or len(used) <= 2), "the word has no such turns, or too many")
    moves, letters = np.argsort(puzzle.effect, axis=1), 2 * np.searchsorted(used, word // 2) + word % 2
    choices: Any = [moves[claim.numbers("<u2", len(used))]] if fault == WORD else permutations(moves, len(used))
    found, orders = order(letters, turns[used]), {order(letters, choice) for choice in choices}
    must(found not in orders, "the orders are the same")
    said = " ".join(names[letter // 2] + "'" * (letter % 2) for letter in word)
    return f"{said} has order {found} in the model, and in the puzzle {orders.pop() if fault == WORD else 'never'}"


def order(word: Array, turns: Any) -> int:
    """How often a word is made, letter by letter, until nothing has moved. A letter is 2 * turn, or 1 more for its
    inverse."""
    home = np.arange(len(turns[0]))
    once = reduce(lambda at, n: at[np.argsort(turns[n // 2]) if n % 2 else turns[n // 2]], word, home)
    now, lengths = once, np.ones(len(home), int)  # of the cycles: a place that is home stays there
    while (away := now != home).any():
        now, lengths = np.where(away, once[now], now), lengths + away
    return math.lcm(*set(lengths.tolist()))


# ---- The claim -------------------------------------------------------------------------------------------------------


def check(path: str, given: Any) -> tuple[bool, str]:
    """Whether all was checked, and what is proven."""
    with sections(np.memmap(path, np.uint8, "r")) as (costs, tags, found):
        mark = hashlib.sha256(found["PUZL"].data.data).hexdigest()[:16]
        puzzle, claim = Puzzle(found["PUZL"], costs), found["CLAM"]
        kind = claim.number(1, SHORTEST, AT_MOST, "the kind of claim")
        must(re.fullmatch(ARGUMENTS, f"{kind}{tags}"), "its sections do not fit its claim")
        if kind == MODEL:
            return True, f"puzzle {mark}: {model(puzzle, claim, found['MODL'])}"
        start, end = puzzle.state(claim.numbers("<u2", puzzle.slots)), puzzle.value_of[puzzle.goal]
        end = claim.numbers("<u2", puzzle.slots) if kind == NO_PATH else end  # perhaps no state of the puzzle
        bound = claim.number(4, 0, MOST_BOUND, "the bound") if kind in (SHORTEST, AT_LEAST) else NEVER
        least, most = (1, 1) if kind == INCONSISTENT else (0, len(claim.data))
        moves = claim.take(0 if kind in (AT_LEAST, UNSOLVABLE) else claim.number(4, least, most, "the number of moves"))
        last, about = puzzle.after(start, moves), f"puzzle {mark}, from {' '.join(map(str, puzzle.value_of[start]))}: "
        there = last is not None and (puzzle.value_of[last] == end).all()
        made = " ".join(puzzle.names[move] + f":{puzzle.cost[move]}" * costs for move in moves) or "no moves"
        if kind == NO_PATH:
            must(not there, "the moves do lead there")
            return True, f"{about}{made} {'cannot be made' if last is None else 'leads elsewhere'}"
        must(last is not None, "the moves cannot be made")
        must(there or kind in (AT_LEAST, UNSOLVABLE, INCONSISTENT), "the moves do not lead to the goal")
        cost = int(puzzle.cost[moves].sum())
        many = f"moves that cost {cost}" if costs else f"{cost} moves"
        if kind == AT_MOST:
            return True, f"{about}{many} are enough: {made}"
        if kind in (INADMISSIBLE, INCONSISTENT):
            return True, about + made + heuristic(puzzle, [start, last], kind, cost, many, found["EXPR"])
        must(kind != SHORTEST or cost == bound, f"the bound is {bound}, and the solution has {many}")
        none = "no solution " + (f"costs less than {bound}" if costs else f"has fewer than {bound} moves")
        about += "the goal cannot be reached" if kind == UNSOLVABLE else none
        about += f", and these {'cost as much' if costs else 'are as many'}: {made}" if kind == SHORTEST else ""
        if "INVR" in found:
            invariant(puzzle, start, found["INVR"])
        for tag in found.keys() - {"PUZL", "CLAM"} if bound == 0 else ():  # nothing is to be shown
            del found[tag]
        whole, looked = search(puzzle, start, bound, found, given) if "TREE" in found else (True, "")
        return whole, about + looked


def main() -> int:
    asked = argparse.ArgumentParser(description="Check a certificate of hstar.")
    asked.add_argument("file")
    asked.add_argument("--memory", type=int, default=24, metavar="MIB", help="for sets of states; 24 by default")
    asked.add_argument("--roots", type=lambda text: slice(*(int(n or 0) or None for n in text.split(":"))), default=":",
                       metavar="FIRST:LAST", help="search only these subtrees")  # fmt: skip
    asked.add_argument("--sample", type=int, default=0, metavar="N", help="search only N subtrees, chosen at random")
    asked.add_argument("--nodes", metavar="OUT", help="write a file with the nodes of each subtree, as ROOT has them")
    given = asked.parse_args()
    try:
        whole, said = check(given.file, given)
    except (OSError, subprocess.CalledProcessError) as error:
        asked.exit(2, f"cannot check {given.file}: {error}\n")
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:  # of `must`, or NumPy
        print(f"not proven: {error}")
        return 1
    print(f"{'proven' if whole else 'spot check' if given.sample else 'in part'}: {said}")
    return 0 if whole else 3


if __name__ == "__main__":
    sys.exit(main())
