#!/usr/bin/env python3
"""Check a certificate: ``python checker/check.py FILE`` prints one line, and exits with 0 (proven), 1 (not proven),
2 (no such file, wrong use) or 3 (only some subtrees were searched: a spot check, or a share of the work).

It imports nothing of hstar; docs/certificate-format.md is the specification. ``check.c`` has the inner loops.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import math
import mmap
import operator
import os
import random
import secrets
import subprocess
import sys
from collections.abc import Sequence
from functools import reduce
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

TAGS = ("META", "PUZL", "CLAM", "HEUR", "TREE", "BACK", "ROOT", "INVR", "EXPR", "MODL")
SHORTEST, AT_LEAST, UNSOLVABLE, INADMISSIBLE, INCONSISTENT, MODEL, NO_PATH, AT_MOST = range(1, 9)
SUM, MAXIMUM, PATTERNS, UNION, STATED = 0, 1, 2, 2, 3  # kinds of terms: the first three; of features: all but PATTERNS
NOT_A_PERMUTATION, WORD, SHAPE, COUNT = range(4)
KEEP, CLOSED, NOTE, MATCH, SEARCH = range(5)  # tasks of check.c
FOUND, PLACE = 255, np.dtype([("key", "i8"), ("fact", "u1")])  # of its tables
MOST_SLOTS, MOST_VALUES, MOST_MOVES, MOST_BOUND, MOST_WORDS = 512, 1024, 254, 1 << 20, 64
MOST_NUMBERS = 1 << 20  # of the entries of all cases; twice as many with the words of states
DEEPEST, NEVER, MOST_SEARCHED = 253, 1 << 40, 1024
#: by code, from 2 on: how many arguments it has, and what it computes of doubles
OPERATIONS: list[tuple[int, Any]] = [
    *((2, f) for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, min, max)),
    *((2, f) for f in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)),
    (2, lambda a, b: a != 0 and b != 0),
    (2, lambda a, b: a != 0 or b != 0),
    *((1, f) for f in (math.ceil, math.floor, abs, operator.neg, operator.not_)),
    (3, lambda a, b, condition: a if condition != 0 else b),
]


class Refused(Exception):
    """Why a file proves nothing."""


def must(holds: object, why: str) -> None:
    if not holds:
        raise Refused(why)


class Reader:
    """The bytes of a file or of a section, from the first to the last; little endian."""

    def __init__(self, data: Array) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> Array:
        must(size <= len(self.data) - self.at, "the file or one of its sections is too short")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size: int, least: int, most: int, what: str) -> int:
        value = int.from_bytes(self.take(size).tobytes(), "little")
        must(least <= value <= most, f"{what} is {value}, expected {least} to {most}")
        return value

    def numbers(self, kind: str, count: int) -> Array:
        return self.take(count * np.dtype(kind).itemsize).view(kind).astype(np.int64)

    def doubles(self, count: int) -> list[float]:
        return list(self.take(8 * count).view("<f8").tolist())

    def name(self) -> str:
        name = self.take(self.number(1, 0, 255, "the length of a name")).tobytes().decode("utf-8", "replace")
        must(name.isprintable(), "a name cannot be printed")
        return name

    def done(self) -> None:
        must(self.at == len(self.data), "the file or one of its sections is too long")


def sections(data: Array) -> dict[str, Reader]:
    must(len(data) >= 48, "it is too short")
    file, found, rest = Reader(data[:-32]), {}, list(TAGS)
    must(file.take(8).tobytes() == b"hstarcrt", "it is no certificate")
    file.number(4, 2, 2, "the version")
    for _ in range(file.number(4, 0, len(TAGS), "the number of sections")):
        tag = file.take(4).tobytes().decode("latin-1")
        must(tag in rest, "a section is unknown or out of order")
        rest = rest[rest.index(tag) + 1 :]
        file.number(4, 0, 0, "a reserved number")
        found[tag] = Reader(file.take(file.number(8, 0, len(data), "the length of a section")))
    file.done()
    must(
        hashlib.sha256(data[:-32].data).digest() == data[-32:].tobytes(), "it was changed or cut: its digest is another"
    )
    return found


def write(path: Path, found: dict[str, Reader]) -> None:
    body = b"hstarcrt" + np.array([2, len(found)], "<u4").tobytes()
    for tag, section in found.items():
        body += tag.encode() + bytes(4) + len(section.data).to_bytes(8, "little") + section.data.tobytes()
    path.write_bytes(body + hashlib.sha256(body).digest())


class Puzzle:
    """Slots that hold values; an *entry* is a slot with a value, and a state is an entry for each slot. A move permutes
    the entries; on a board there is one permutation for each place of the blank (a *case*)."""

    def __init__(self, read: Reader) -> None:
        self.slots, moves, maps, self.cases = read.numbers("<u2", 4).tolist()
        must(1 <= self.slots <= MOST_SLOTS and moves <= MOST_MOVES, "the puzzle has no slots, or too much of something")
        self.values = read.numbers("<u2", self.slots)
        must((self.values >= 1).all() and (self.values <= MOST_VALUES).all(), "a slot has no values, or too many")
        self.first = np.concatenate(([0], np.cumsum(self.values)))  # by slot: its first entry
        self.entries = int(self.first[-1])
        must(self.cases * self.entries <= MOST_NUMBERS, "the puzzle is too large")
        self.slot_of = np.repeat(np.arange(self.slots), self.values)
        self.value_of = np.arange(self.entries) - self.first[self.slot_of]
        goal = read.numbers("<u2", self.slots)
        self.names = [read.name() for _ in range(moves)]
        tables = [read.numbers("<u2", read.number(2, 1, MOST_VALUES, "a length")) for _ in range(maps)]
        must(all((np.sort(t) == np.arange(len(t))).all() for t in tables), "a map is not one-to-one")
        cases = read.numbers("<u2", self.cases * (4 + 2 * self.slots)).reshape(-1, 4 + 2 * self.slots)
        read.done()
        move, conditioned, slot, value = cases[:, :4].T
        board = bool(conditioned.any())
        self.blank = int(value[0]) if board else -1
        must((move < moves).all() and (slot < self.slots).all(), "a case has no such move or slot")
        must((conditioned == board).all() and (value == max(self.blank, 0)).all(), "conditions differ")
        must(board or not slot.any(), "conditions differ")
        self._make_cases(cases[:, 4 : 4 + self.slots], cases[:, 4 + self.slots :], tables)
        self.hole = np.stack([slot, self.goes[np.arange(self.cases), slot] * board])  # the blank, before and after
        self.case_at = np.full((2, self.slots, moves), -1)  # to make and to undo: by the blank's slot (else 0) and move
        for case, back in product(range(self.cases), (0, 1)):
            must(self.case_at[back, self.hole[back, case], move[case]] == -1, "a move has two cases for one state")
            self.case_at[back, self.hole[back, case], move[case]] = case
        self.goal = self.state(goal)

    def _make_cases(self, goes: Array, used: Array, tables: list[Array]) -> None:
        """By case and slot where it goes, and the map of its values."""
        length = np.array([len(table) for table in tables], int)
        must((np.sort(goes) == np.arange(self.slots)).all(), "a case does not permute its slots")
        must((used < len(tables)).all(), "a case has no such map")
        must((length[used] == self.values).all() and (self.values[goes] == self.values).all(), "a map does not fit")
        flat = np.concatenate([np.zeros(0, int), *tables])
        mapped = flat[(np.cumsum(length) - length)[used][:, self.slot_of] + self.value_of]
        self.goes = goes
        self.effect = np.ascontiguousarray(self.first[goes][:, self.slot_of] + mapped)  # by case and entry
        self.moved = np.maximum.reduceat(self.effect != np.arange(self.entries), self.first[:-1], axis=1)
        must(((mapped == self.blank) == (self.value_of == self.blank)).all(), "a map changes the blank")

    def state(self, values: Array) -> Array:
        must((values < self.values).all(), "a state has a value that its slot cannot hold")
        must(self.blank == -1 or (values == self.blank).sum() == 1, "a state does not have one blank")
        return np.asarray(self.first[:-1] + values)

    def hole_of(self, state: Array) -> int:
        return 0 if self.blank == -1 else int(np.argmax(self.value_of[state] == self.blank))

    def after(self, state: Array, moves: Array) -> Array | None:
        """Where moves lead; None if one of them cannot be made."""
        must((moves < len(self.names)).all(), "there is no such move")
        for move in moves:
            case = self.case_at[0, self.hole_of(state), move]
            if case == -1:
                return None
            state = np.sort(self.effect[case][state])  # in the order of the slots
        return state

    def greatest(self, numbers: Array, case: int) -> Array:
        """By slot: the greatest of the numbers of entries that can be there when the case is made."""
        can = self.blank == -1 or (self.slot_of == self.hole[0, case]) == (self.value_of == self.blank)
        return np.asarray(np.maximum.reduceat(np.where(can, numbers, -NEVER), self.first[:-1]))

    def skipped(self) -> Array:
        """By two cases whether a search need not make the second after the first: together they do nothing, or without
        a blank the same as one case or an earlier pair. What they do is compared by SHA-256."""
        must(self.cases <= MOST_SEARCHED, "the puzzle has too many cases for searches")
        skipped = np.zeros((self.cases, self.cases), bool)
        board = self.blank != -1
        known = {hashlib.sha256(e).digest() for e in (np.arange(self.entries), *self.effect[: 0 if board else None])}
        for a, b in product(range(self.cases), repeat=2):
            both = hashlib.sha256(self.effect[b][self.effect[a]]).digest()
            skipped[a, b] = both in known
            known |= set() if board else {both}
        return skipped


class Terms:
    """The heuristic: the greatest of its terms, each rounded up. Of a state check.c keeps *words*, sums over its
    entries: its key, the sums of terms, and its places in the tables of patterns."""

    def __init__(self, puzzle: Puzzle, start: Array, read: Reader | None) -> None:
        self.puzzle, self.start = puzzle, start
        self.terms: list[tuple[int, int, int, int]] = []  # kind, divisor, the first of its words, the number of them
        self.words, self.tables = [key_of(puzzle)], [np.zeros(0)]
        for _ in range(0 if read is None else read.number(2, 0, MOST_WORDS, "the number of terms")):
            assert read is not None
            kind = read.number(1, SUM, PATTERNS, "the kind of a term")
            divisor = read.number(4, 1, 1 if kind == PATTERNS else 0xFFFFFFFF, "a divisor")
            word = len(self.words)
            if kind == PATTERNS:
                self._read_patterns(read)
            else:
                self._read_table(kind, divisor, read.numbers("<i4", puzzle.entries))
            self.terms.append((kind, divisor, word, len(self.words) - word))
            must(puzzle.cases * puzzle.entries * len(self.words) <= 2 * MOST_NUMBERS, "the heuristic is too large")
            must(len(self.words) <= MOST_WORDS, "the heuristic is too large")
        if read is not None:
            read.done()

    def _read_table(self, kind: int, divisor: int, table: Array) -> None:
        """At most 0 at the goal, and no move lowers it by more than the divisor."""
        join = np.sum if kind == SUM else np.max
        must(join(table[self.puzzle.goal]) <= 0, "a term is above 0 at the goal")
        for case, effect in enumerate(self.puzzle.effect):
            drops = self.puzzle.greatest(table - table[effect], case)
            must(join(drops) <= divisor, "a move can lower a term by too much")
        self.words.append(table * (kind == SUM))
        self.tables.append(table)

    def _read_patterns(self, read: Reader) -> None:
        puzzle, count = self.puzzle, read.number(2, 1, MOST_WORDS, "the number of patterns")
        two = puzzle.blank != -1 and ((puzzle.moved.sum(axis=1) == 2) & (puzzle.hole[0] != puzzle.hole[1])).all()
        must(count == 1 or two, "patterns are added where a move moves several pieces")
        taken = np.zeros(puzzle.entries, int)
        for _ in range(count):
            places = [self._read_piece(read) for _ in range(read.number(2, 1, 16, "the number of pieces"))]
            taken += np.any([place >= 0 for place in places[puzzle.blank != -1 :]], axis=0)
            shape = [int(place.max()) + 1 for place in places]
            table = read.take(read.number(8, math.prod(shape), math.prod(shape), "the size of a table"))
            self._check_pattern(places, table.reshape(shape))
            steps = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
            self.words.append(np.array(steps) @ np.maximum(places, 0))
            self.tables.append(table)
        must(taken.max() <= 1, "patterns that are added share a piece")

    def _read_piece(self, read: Reader) -> Array:
        """By entry the place of a piece, or -1. Each state that can be reached has it once."""
        puzzle, (slot, slots, value, turns) = self.puzzle, read.numbers("<u2", 4).tolist()
        here = (slot <= puzzle.slot_of) & (puzzle.slot_of < slot + slots)
        here &= (value <= puzzle.value_of) & (puzzle.value_of < value + turns)
        must(here.sum() == slots * turns > 0, "a pattern's piece has no such slots or values")
        must((here[puzzle.effect] == here).all(), "a move changes a pattern's piece, or takes it out of its slots")
        must(here[puzzle.goal].sum() == here[self.start].sum() == 1, "a state does not have a pattern's piece once")
        return np.where(here, (puzzle.slot_of - slot) * turns + puzzle.value_of - value, -1)

    def _check_pattern(self, places: list[Array], table: Array) -> None:
        """0 at the goal, and no move lowers it by more than 1; on boards by 0 if it moves none of the pieces."""
        puzzle, board = self.puzzle, self.puzzle.blank != -1
        entries = [np.flatnonzero(place >= 0) for place in places]
        blank = len(entries[0]) == puzzle.slots and (puzzle.value_of[entries[0]] == puzzle.blank).all()
        must(blank or not board, "a pattern's first piece is not the blank")
        must(table[tuple(place[puzzle.goal].max() for place in places)] == 0, "a pattern's table is not 0 at the goal")
        for case, effect in enumerate(puzzle.effect):
            first, *to = [place[effect[own]] for place, own in zip(places, entries, strict=True)]
            moved = np.meshgrid(*(own != np.arange(len(own)) for own in to), indexing="ij", sparse=True)
            cost = reduce(np.logical_or, moved, np.array(not board)).astype(np.uint8)
            for place in [puzzle.hole[0, case]] if board else range(len(first)):
                after = reduce(lambda old, axis: old.take(to[axis], axis), range(len(to)), table[first[place]])
                lower = np.maximum(table[place], cost) - cost
                must((lower <= after).all(), "a move can lower a pattern's table by too much")


def key_of(puzzle: Puzzle) -> Array:
    """By entry a number. A state's key is their sum modulo 2^64: of two states another with certainty if states have at
    most 64 bits, and else, with random numbers, but for a probability of 2^-64."""
    shift = np.cumsum([0, *(int(n - 1).bit_length() for n in puzzle.values)])
    if shift[-1] > 64:
        return np.frombuffer(secrets.token_bytes(8 * puzzle.entries), np.int64)
    return np.asarray(puzzle.value_of.astype("u8") << np.minimum(shift, 63).astype("u8")[puzzle.slot_of]).view(np.int64)


def check_invariant(puzzle: Puzzle, start: Array, read: Reader) -> None:
    """A sum over the slots of table entries, and of half the modulus for each block of slots whose pieces have odd
    parity: no move changes it modulo the modulus, and it differs between start and goal."""
    modulus = read.number(2, 2, 0xFFFF, "the modulus")
    blocks = read.numbers("<u2", 2 * read.number(2, 0, 64, "the number of blocks")).reshape(-1, 2).tolist()
    must(modulus % 2 == 0 or not blocks, "the modulus is odd")
    table = read.numbers("<u2", puzzle.entries)
    differs = int(table[start].sum() - table[puzzle.goal].sum())
    added = np.zeros(puzzle.cases, np.int64)
    for case, effect in enumerate(puzzle.effect):
        change = (table[effect] - table) % modulus
        most = puzzle.greatest(change, case)
        must((most == -puzzle.greatest(-change, case)).all(), "what a move adds to the invariant depends on the state")
        added[case] = most[most > -1].sum()
    for slot, slots in blocks:
        must(slot + slots <= puzzle.slots, "a block has no such slots")
        inside = (puzzle.slot_of >= slot) & (puzzle.slot_of < slot + slots)
        label = np.full(puzzle.entries, -1)
        label[inside] = read.numbers("<u2", int(inside.sum()))
        held = [label[state][slot : slot + slots] for state in (start, puzzle.goal)]
        must((np.sort(held) == np.arange(slots)).all(), "a block does not have each piece once")
        must((label[puzzle.effect] == label).all(), "a move changes a piece of a block, or takes it out")
        differs += modulus // 2 * (odd(held[0]) != odd(held[1]))
        goes = puzzle.slot_of[puzzle.effect[:, puzzle.first[slot : slot + slots]]]  # by case
        added += modulus // 2 * np.array([odd(slots) for slots in goes], dtype=int)
    read.done()
    must((added % modulus == 0).all(), "a move changes the invariant")
    must(differs % modulus != 0, "the invariant does not tell the start from the goal")


def odd(images: Array) -> bool:
    return bool(np.triu(images[:, None] > images[None, :], 1).sum() % 2)


def values_of(puzzle: Puzzle, states: list[Array], read: Reader) -> tuple[list[float], str]:
    """The values of the expression at the states, and what it takes as stated."""
    features, said = [], ""
    for _ in range(read.number(2, 0, 16, "the number of features")):
        kind = read.number(1, SUM, STATED, "the kind of a feature")
        if kind == STATED:
            name, own = read.name(), read.doubles(2)
            said += f", if {name} is {' and then '.join(f'{v:g}' for v in dict.fromkeys(own))} there"
        else:
            table = read.numbers("<u8" if kind == UNION else "<i4", puzzle.entries)
            joined = [int((np.sum, np.max, np.bitwise_or.reduce)[kind](table[state])) for state in states]
            own = [float((n % 2**64).bit_count() if kind == UNION else n) for n in joined]
        features.append(own)
    stacks: list[list[float]] = [[] for _ in states]
    for _ in range(read.number(2, 1, 400, "the number of operations")):
        code = read.number(1, 0, len(OPERATIONS) + 1, "an operation")
        operand = read.doubles(1) * 2 if code == 0 else []
        operand = features[read.number(2, 0, len(features) - 1, "a feature")] if code == 1 else operand
        for at, stack in enumerate(stacks):
            count, compute = OPERATIONS[code - 2] if code >= 2 else (0, lambda value=operand, at=at: value[at])
            must(len(stack) >= count, "the expression lacks an argument")
            own = [stack.pop() for _ in range(count)][::-1]
            must(compute not in (operator.truediv, operator.floordiv) or own[1] != 0, "the expression divides by 0")
            stack.append(float(compute(*own)))
            must(math.isfinite(stack[-1]), "the expression has a value that is no number")
    read.done()
    must(all(len(stack) == 1 for stack in stacks), "the expression leaves no value, or several")
    return [max(0.0, stack[0]) for stack in stacks], said


def check_model(puzzle: Puzzle, claim: Reader, read: Reader) -> str:
    """Turns of a model, new[i] = old[p[i]], that cannot be the puzzle's moves."""
    places = read.number(2, 1, 4096, "the number of places")
    names = [read.name() for _ in range(read.number(2, 1, 64, "the number of turns"))]
    turns = [read.numbers("<u2", places) for _ in names]
    read.done()
    whole = [(np.sort(turn) == np.arange(places)).all() for turn in turns]
    fault = claim.number(1, NOT_A_PERMUTATION, COUNT, "the fault of the model")
    if fault == NOT_A_PERMUTATION:
        turn = claim.number(2, 0, len(turns) - 1, "a turn")
        must(not whole[turn], "the turn is a permutation")
        return f"the turn {names[turn]} of the model is no permutation"
    if fault == COUNT:
        must(len(turns) != len(puzzle.names), "the model has as many turns as the puzzle has moves")
        return f"the model has {len(turns)} turns, and the puzzle {len(puzzle.names)} moves"
    must(puzzle.blank == -1 and puzzle.cases == len(puzzle.names), "moves of this puzzle depend on the state")
    must(all(whole), "a turn is no permutation")
    moves = [np.argsort(effect) for effect in puzzle.effect]
    word = claim.numbers("<u2", claim.number(2, 1, 64, "the length of the word")).tolist()
    used = sorted({letter // 2 for letter in word})
    must(used[-1] < len(turns) and (fault == WORD or len(used) <= 2), "the word has no such turns, or too many")
    ours = claim.numbers("<u2", len(used) * (fault == WORD)).tolist()
    must(all(move < len(moves) for move in ours), "the puzzle has no such moves")
    choices = [[moves[move] for move in ours]] if fault == WORD else permutations(moves, len(used))
    found, orders = order(word, [turns[turn] for turn in used]), {order(word, choice) for choice in choices}
    must(found not in orders, "the orders are the same")
    said = " ".join(names[letter // 2] + "'" * (letter % 2) for letter in word)
    return f"{said} has order {found} in the model, and in the puzzle {orders.pop() if fault == WORD else 'never'}"


def order(word: list[int], turns: Any) -> int:
    """How often a word is made, letter by letter, until nothing has moved. A letter is 2 * turn, or 1 more for its
    inverse; ``turns`` are those that it has."""
    used = sorted({letter // 2 for letter in word})
    letters = [np.argsort(turns[used.index(n // 2)]) if n % 2 else turns[used.index(n // 2)] for n in word]
    once = reduce(lambda before, turn: before[turn], letters)
    now, left, times, lengths = once, np.arange(len(once)), 1, {1}
    while len(left):
        home = now[left] == left
        lengths |= {times} if home.any() else set()
        now, left, times = once[now], left[~home], times + 1
    return math.lcm(*lengths)


def refuted(puzzle: Puzzle, kind: int, claim: Reader, more: Reader | None) -> str:
    """What a claim says that something is wrong. ``more``: the section that it has."""
    if kind == MODEL:
        assert more is not None
        return check_model(puzzle, claim, more)
    start = puzzle.state(claim.numbers("<u2", puzzle.slots))
    end = claim.numbers("<u2", puzzle.slots) if kind == NO_PATH else None  # perhaps no state of the puzzle
    moves = claim.take(claim.number(4, 0, len(claim.data), "the number of moves"))
    last = puzzle.after(start, moves)
    said = " ".join(puzzle.names[move] for move in moves) or "no moves"
    said += f" (from {' '.join(map(str, puzzle.value_of[start]))})"
    if kind == NO_PATH:
        must(last is None or (puzzle.value_of[last] != end).any(), "the moves do lead there")
        return f"{said} cannot be made" if last is None else f"{said} lead elsewhere"
    must(last is not None, "the moves cannot be made")
    assert last is not None
    must(kind == INCONSISTENT or (last == puzzle.goal).all(), "the moves do not lead to the goal")
    if kind == AT_MOST:
        return f"{len(moves)} moves are enough: {said}"
    assert more is not None
    (value, then), stated = values_of(puzzle, [start, last], more)
    if kind == INADMISSIBLE:
        must(value > len(moves), f"h is {value:g}, and {len(moves)} moves solve it")
        return f"h is {value:g} where {len(moves)} moves are enough: {said}{stated}"
    must(len(moves) == 1 and value > 1 + then, f"the move lowers h from {value:g} to {then:g}")
    return f"the move {said} lowers h from {value:g} to {then:g}{stated}"


def core() -> ctypes.CDLL:
    """check.c, which is compiled once."""
    source = Path(__file__).with_name("check.c")
    library = source.with_suffix(f".{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so")
    if not library.exists():
        made = library.with_suffix(f".{os.getpid()}")
        flags = ["-std=c11", "-O2", "-fwrapv", "-shared", "-fPIC"]
        subprocess.run([os.environ.get("CC", "cc"), *flags, "-o", made, source], check=True)
        made.replace(library)
    return ctypes.CDLL(str(library))


class Walks:
    """Calls of check.c for one certificate."""

    def __init__(self, puzzle: Puzzle, start: Array, bound: int, found: dict[str, Reader], places: int) -> None:
        back, self.terms = found.get("BACK"), Terms(puzzle, start, found.get("HEUR"))
        depth = -1 if back is None else back.number(1, 0, DEEPEST, "the depth of the backward tree")
        weight = np.stack(self.terms.words, axis=1)
        self.edges, self.ball = np.zeros(1, PLACE), np.zeros(places, PLACE)
        images = puzzle.effect, puzzle.effect if back is None else np.argsort(puzzle.effect, axis=1)
        cases, slots = np.nonzero(puzzle.moved)
        trees = [reader.data[reader.at :] for reader in (found["TREE"], found["TREE"] if back is None else back)]
        sizes = puzzle.slots, len(puzzle.names), puzzle.cases, puzzle.entries, weight.shape[1], len(self.terms.terms)
        self.numbers = [*sizes, bound, depth, secrets.randbits(62) | 1]
        ends = [np.append(state, puzzle.hole_of(state)) for state in (start, puzzle.goal)]
        arrays: list[Any] = [*puzzle.case_at, *puzzle.hole, *(image.astype(np.int32) for image in images)]
        arrays += [*(weight[image] - weight for image in images), np.searchsorted(cases, range(puzzle.cases + 1))]
        arrays += [slots, puzzle.goes[cases, slots], *ends, weight, np.array(self.terms.terms, int)]
        arrays += [np.array([table.ctypes.data for table in self.terms.tables])]
        arrays += [puzzle.skipped() if "ROOT" in found else np.zeros(0, bool), *trees, *map(len, trees)]
        self.arrays = [x if isinstance(x, int) else np.ascontiguousarray(x) for x in arrays]
        self.core = core()
        self.core.walk.restype = ctypes.c_int64

    def walk(self, task: int, part: int = 0, parts: int = 1, roots: Sequence[Any] = (0, 0)) -> int:
        """The number of states of a tree; -1 if there is no room for them."""
        given = [*self.numbers, parts, part, *self.arrays, self.edges, len(self.edges), 0, self.ball, len(self.ball), 0]
        numbers = np.array([x if isinstance(x, int) else x.ctypes.data for x in (*given, *roots)])
        return int(self.core.walk(task, numbers.ctypes))


def check_set(puzzle: Puzzle, start: Array, bound: int, found: dict[str, Reader], given: Any) -> tuple[bool, str]:
    """Whether all is proven, the subtrees included, and what was looked at."""
    most = max((given.memory << 20) // (18 if "BACK" in found else 9), 4096)  # places of a table
    walks = Walks(puzzle, start, bound, found, most)
    root, states = found.get("ROOT"), 0
    if "BACK" in found:
        states = walks.walk(KEEP)
        must(states > 0, "the backward tree needs more memory than allowed (--memory)")
        walks.walk(CLOSED)
    places, parts, part, left, size = min(len(found["TREE"].data) // 8 + 4096, most), 1, 0, 0, 0
    while part < parts:  # of what the set leads to, by key
        walks.edges = np.zeros(places, PLACE)
        if walks.walk(NOTE, part, parts) < 0:
            places, parts, part, left = min(2 * places, most), 2 * parts if places == most else parts, 0, 0
            continue
        size = walks.walk(MATCH, part, parts)
        fact = walks.edges["fact"]
        left += int(np.count_nonzero(fact) - np.count_nonzero(fact == FOUND))
        must(left == 0 or root, "a move leads out of the set, to a state that may be near the goal")
        part += 1
    if root is None:
        return True, f"{states + size} states"
    must(left == 0 or parts == 1, "the roots need more memory than allowed (--memory)")
    stated = root.numbers("<u8", len(root.data) // 8) if len(root.data) else np.zeros(left, np.int64)
    root.done()
    must(len(stated) == left and (stated >= 0).all(), "there is another number of roots than stated")
    chosen = np.zeros(left, bool)
    chosen[given.roots] = True
    if given.sample:
        chosen[:] = False
        chosen[random.SystemRandom().sample(range(left), min(given.sample, left))] = True
    limits, nodes = np.where(chosen, np.where(stated > 0, np.minimum(stated, given.nodes), given.nodes), 0), 0 * stated
    walks.walk(SEARCH, 0, 1, (limits, nodes))
    must(((nodes == stated) | (stated == 0) | ~chosen).all(), "a root has another number of nodes than stated")
    if given.stated and chosen.all():
        root.data = nodes.astype("<u8").view(np.uint8)
        write(given.stated, found)
    said = f"{states + size} states, {chosen.sum()} of {left} subtrees with {nodes.sum()} nodes"
    if given.sample > 3 and not chosen.all():  # (1 - 3 / n)^n < 0.05
        said += f"; with 95 % confidence fewer than {300 / given.sample:.3g} % of the subtrees hide a shorter solution"
    return bool(chosen.all()), said


def check(path: str, given: Any) -> tuple[bool, str]:
    """Whether all was checked, and what is proven."""
    with Path(path).open("rb") as file:
        data = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    found = sections(data)
    must("PUZL" in found and "CLAM" in found, "it has no puzzle or no claim")
    mark = hashlib.sha256(found["PUZL"].data.data).hexdigest()[:16]
    puzzle, claim = Puzzle(found["PUZL"]), found["CLAM"]
    kind = claim.number(1, SHORTEST, AT_MOST, "the kind of claim")
    set_of = {"TREE"} | found.keys() & {"HEUR", "BACK", "ROOT"}
    needed = {INADMISSIBLE: {"EXPR"}, INCONSISTENT: {"EXPR"}, MODEL: {"MODL"}, SHORTEST: set_of, AT_LEAST: set_of}
    needed[UNSOLVABLE] = {"TREE"} if "TREE" in found else {"INVR"}
    must(found.keys() - {"META", "PUZL", "CLAM"} == needed.get(kind, set()), "its sections do not fit its claim")
    if kind > UNSOLVABLE:
        said = refuted(puzzle, kind, claim, found.get("MODL", found.get("EXPR")))
        claim.done()
        return True, f"puzzle {mark}: {said}"
    start = puzzle.state(claim.numbers("<u2", puzzle.slots))
    bound = NEVER if kind == UNSOLVABLE else claim.number(4, 0, MOST_BOUND, "the bound")
    said = "the goal cannot be reached" if kind == UNSOLVABLE else f"no solution has fewer than {bound} moves"
    if kind == SHORTEST:
        solution = claim.take(claim.number(4, bound, bound, "the length of the solution"))
        last = puzzle.after(start, solution)
        must(last is not None and (last == puzzle.goal).all(), "the solution does not lead to the goal")
        said += ", and these are as many: " + " ".join(puzzle.names[move] for move in solution)
    claim.done()
    said = f"puzzle {mark}, from {' '.join(map(str, puzzle.value_of[start]))}: {said}"
    if "INVR" in found:
        check_invariant(puzzle, start, found["INVR"])
        return True, said
    whole, looked = (True, "") if bound == 0 else check_set(puzzle, start, bound, found, given)
    return whole, f"{said}; {looked}"


def main() -> int:
    asked = argparse.ArgumentParser(description="Check a certificate of hstar.")
    asked.add_argument("file")
    asked.add_argument("--memory", type=int, default=24, metavar="MIB", help="for sets of states; 24 by default")
    asked.add_argument("--roots", type=lambda text: slice(*(int(n or 0) or None for n in text.split(":"))), default=":",
                       metavar="FIRST:LAST", help="search only these subtrees")  # fmt: skip
    asked.add_argument("--sample", type=int, default=0, metavar="N", help="search only N subtrees, chosen at random")
    asked.add_argument("--nodes", type=int, default=NEVER, metavar="N", help="at most so many nodes of a subtree")
    asked.add_argument("--stated", type=Path, metavar="OUT", help="write the file with the nodes of all its subtrees")
    given = asked.parse_args()
    try:
        whole, said = check(given.file, given)
    except Refused as refused:
        print(f"not proven: {refused}")
        return 1
    except (ValueError, IndexError, TypeError, OverflowError, MemoryError) as error:  # of NumPy
        print(f"not proven: its numbers make no sense: {error}")
        return 1
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{given.file}: {error}", file=sys.stderr)
        return 2
    print(f"{'proven' if whole else 'spot check' if given.sample else 'in part'}: {said}")
    return 0 if whole else 3


if __name__ == "__main__":
    sys.exit(main())
