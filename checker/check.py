#!/usr/bin/env python3
"""Check a certificate: ``python checker/check.py FILE`` prints one line, and exits with 0 (proven), 1 (not proven),
2 (no such file, no compiler, wrong use) or 3 (only some subtrees were searched: a spot check, or a share of the work).

It imports nothing of hstar; docs/certificate-format.md is the specification. ``check.c`` has the inner loops.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import math
import os
import secrets
import subprocess
import sys
import tempfile
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

TAGS = ("META", "PUZL", "CLAM", "HEUR", "TREE", "BACK", "ROOT", "INVR", "EXPR", "MODL")
SHORTEST, AT_LEAST, UNSOLVABLE, INADMISSIBLE, INCONSISTENT, MODEL, NO_PATH, AT_MOST = range(1, 9)
SUM, MAXIMUM, PATTERNS = range(3)  # kinds of terms
NOTE, MATCH, SEARCH = range(3)  # tasks of check.c
FOUND, PLACE = 255, np.dtype([("key", "i8"), ("fact", "u1")])  # of its tables
MOST_NUMBERS, MOST_PARTS = 1 << 20, 64  # of the entries of all cases; of a heuristic
MOST_BOUND, DEEPEST, NEVER = 1 << 20, 253, 1 << 40


class Refused(Exception):
    """Why a file proves nothing."""


def must(holds: object, why: str) -> None:
    if not holds:
        raise Refused(why)


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

    def done(self) -> None:
        must(len(self.data) == 0, "the file or one of its sections is too long")


def sections(data: Array) -> dict[str, Reader]:
    must(len(data) >= 48, "it is too short")
    file, found, rest = Reader(data[:-32]), {}, list(TAGS)
    must(file.take(8).tobytes() == b"hstarcrt", "it is no certificate")
    must(
        hashlib.sha256(data[:-32].data).digest() == data[-32:].tobytes(), "its digest is another: it was changed or cut"
    )
    file.number(4, 2, 2, "the version")
    for _ in range(file.number(4, 0, len(TAGS), "the number of sections")):
        tag = file.take(4).tobytes().decode("latin-1")
        must(tag in rest, "a section is unknown or out of order")
        rest = rest[rest.index(tag) + 1 :]
        file.number(4, 0, 0, "a reserved number")
        found[tag] = Reader(file.take(file.number(8, 0, len(data), "the length of a section")))
    file.done()
    return found


class Puzzle:
    """Slots that hold values; an *entry* is a slot with a value, and a state is an entry for each slot. A move permutes
    the entries; on a board there is one permutation for each place of the blank (a *case*)."""

    def __init__(self, read: Reader) -> None:
        self.slots, moves, maps, self.cases = read.numbers("<u2", 4).tolist()
        must(1 <= self.slots <= 512 and moves <= 254, "the puzzle has no slots, or too much of something")
        self.values = read.numbers("<u2", self.slots)
        must((self.values >= 1).all() and (self.values <= 1024).all(), "a slot has no values, or too many")
        self.first = np.append(0, np.cumsum(self.values))  # by slot: its first entry
        self.entries = int(self.first[-1])
        must(self.cases * self.entries <= MOST_NUMBERS, "the puzzle is too large")
        self.slot_of = np.repeat(np.arange(self.slots), self.values)
        self.value_of = np.arange(self.entries) - self.first[self.slot_of]
        goal = read.numbers("<u2", self.slots)
        self.names = [read.name() for _ in range(moves)]
        tables = [read.numbers("<u2", read.number(2, 1, 1024, "a length")) for _ in range(maps)]
        must(all((np.sort(t) == np.arange(len(t))).all() for t in tables), "a map is not one-to-one")
        cases = read.numbers("<u2", self.cases * (4 + 2 * self.slots)).reshape(-1, 4 + 2 * self.slots)
        read.done()
        (self.move, conditioned, self.hole, value), self.goes = cases[:, :4].T, cases[:, 4 : 4 + self.slots]
        self.board = bool(conditioned.any())
        self.blank = int(value[0]) if self.board else -1
        must((self.move < moves).all() and (self.hole < self.slots).all(), "a case has no such move or slot")
        alike = (conditioned == self.board).all() and (value == max(self.blank, 0)).all()
        must(alike and (self.board or not self.hole.any()), "conditions differ")
        must((np.sort(self.goes) == np.arange(self.slots)).all(), "a case does not permute its slots")
        must((cases[:, 4 + self.slots :] < maps).all(), "a case has no such map")
        self.effect = np.zeros((self.cases, self.entries), int)  # by case: what becomes of an entry
        for case, at in np.ndindex(self.goes.shape):
            table, to = tables[cases[case, 4 + self.slots + at]], self.goes[case, at]
            must(len(table) == self.values[at] == self.values[to], "a map does not fit")
            self.effect[case, self.first[at] : self.first[at + 1]] = self.first[to] + table
        empty = self.value_of == self.blank
        must((empty[self.effect] == empty).all(), "a map changes the blank")
        self.moved = np.maximum.reduceat(self.effect != np.arange(self.entries), self.first[:-1], axis=1)
        self.hole_after = self.goes[np.arange(self.cases), self.hole] * self.board
        self.makes, self.undoes = self.by_place(self.hole), self.by_place(self.hole_after)
        self.goal = self.state(goal)

    def by_place(self, hole: Array) -> Array:
        """By the blank's slot, 0 without a blank, and by move: the case, or -1."""
        found = np.full((self.slots, len(self.names)), -1)
        found[hole, self.move] = np.arange(self.cases)
        must((found >= 0).sum() == self.cases, "a move has two cases for one state")
        return found

    def state(self, values: Array) -> Array:
        must((values < self.values).all(), "a state has a value that its slot cannot hold")
        must(not self.board or (values == self.blank).sum() == 1, "a state does not have one blank")
        return np.asarray(self.first[:-1] + values)

    def hole_of(self, state: Array) -> int:
        return int(np.argmax(self.value_of[state] == self.blank))

    def after(self, state: Array, moves: Array) -> Array | None:
        """Where moves lead; None if one of them cannot be made."""
        must((moves < len(self.names)).all(), "there is no such move")
        for move in moves:
            case = self.makes[self.hole_of(state), move]
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
        a blank the same as one case or an earlier pair. What they do is compared by SHA-256."""
        must(self.cases <= 1024, "the puzzle has too many cases for searches")
        single = [] if self.board else self.effect
        known = {hashlib.sha256(effect).digest() for effect in (np.arange(self.entries), *single)}
        skipped = np.zeros((self.cases, self.cases), bool)
        for pair in np.ndindex(skipped.shape):
            both = hashlib.sha256(self.effect[pair[1]][self.effect[pair[0]]]).digest()
            skipped[pair] = both in known
            known |= set() if self.board else {both}
        return skipped


class Terms:
    """The heuristic: the greatest of its terms, each rounded up. A term is a sum of parts: of what a table of entries
    says of a state, or of what a pattern says where that is an index."""

    def __init__(self, puzzle: Puzzle, start: Array, read: Reader) -> None:
        self.puzzle, self.start = puzzle, start
        #: a table whose sum is a word; and as in check.c: a pattern, a table whose largest entry counts, divisor, last
        self.parts: list[tuple[Array, Array | None, Array | None, int, bool]] = []
        for _ in range(read.number(2, 0, MOST_PARTS, "the number of terms")):
            kind = read.number(1, SUM, PATTERNS, "the kind of a term")
            divisor = read.number(4, 1, 1 if kind == PATTERNS else 0xFFFFFFFF, "a divisor")
            if kind == PATTERNS:
                self.read_patterns(read)
            else:
                self.read_table(kind, divisor, read.numbers("<i4", puzzle.entries))
            must(len(self.parts) < MOST_PARTS, "the heuristic is too large")
        read.done()

    def read_table(self, kind: int, divisor: int, table: Array) -> None:
        """At most 0 at the goal, and no move lowers it by more than the divisor."""
        join = np.sum if kind == SUM else np.max
        must(join(table[self.puzzle.goal]) <= 0, "a term is above 0 at the goal")
        for case, effect in enumerate(self.puzzle.effect):
            drops = self.puzzle.greatest(table - table[effect], case)
            must(join(drops) <= divisor, "a move can lower a term by too much")
        self.parts.append((table, None, table if kind == MAXIMUM else None, divisor, True))

    def read_patterns(self, read: Reader) -> None:
        puzzle, count = self.puzzle, read.number(2, 1, MOST_PARTS, "the number of patterns")
        slides = puzzle.board and ((puzzle.moved.sum(axis=1) == 2) & (puzzle.hole != puzzle.hole_after)).all()
        must(count == 1 or slides, "patterns are added where a move moves several pieces")
        taken = np.zeros(puzzle.entries, int)
        for last in range(1 - count, 1):
            places = [self.read_piece(read) for _ in range(read.number(2, 1, 16, "the number of pieces"))]
            taken += np.any([place >= 0 for place in places[puzzle.board :]], axis=0)
            shape = [int(place.max()) + 1 for place in places]
            table = read.take(read.number(8, math.prod(shape), math.prod(shape), "the size of a table"))
            self.check_pattern(places, table.reshape(shape))
            steps = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
            self.parts.append((np.array(steps) @ np.maximum(places, 0), table, None, 1, last == 0))
        must(taken.max() <= 1, "patterns that are added share a piece")

    def read_piece(self, read: Reader) -> Array:
        """By entry the place of a piece, or -1. Each state that can be reached has it once."""
        puzzle, (slot, slots, value, turns) = self.puzzle, read.numbers("<u2", 4).tolist()
        here = (slot <= puzzle.slot_of) & (puzzle.slot_of < slot + slots)
        here &= (value <= puzzle.value_of) & (puzzle.value_of < value + turns)
        must(here.sum() == slots * turns > 0, "a pattern's piece has no such slots or values")
        must((here[puzzle.effect] == here).all(), "a move changes a pattern's piece, or takes it out of its slots")
        must(here[puzzle.goal].sum() == here[self.start].sum() == 1, "a state does not have a pattern's piece once")
        return np.where(here, (puzzle.slot_of - slot) * turns + puzzle.value_of - value, -1)

    def check_pattern(self, places: list[Array], table: Array) -> None:
        """0 at the goal, and no move lowers it by more than 1; on boards by 0 if it moves none of the pieces."""
        puzzle, board = self.puzzle, self.puzzle.board
        entries = [np.flatnonzero(place >= 0) for place in places]
        blank = len(entries[0]) == puzzle.slots and (puzzle.value_of[entries[0]] == puzzle.blank).all()
        must(blank or not board, "a pattern's first piece is not the blank")
        must(table[tuple(place[puzzle.goal].max() for place in places)] == 0, "a pattern's table is not 0 at the goal")
        for case, effect in enumerate(puzzle.effect):
            first, *to = [place[effect[own]] for place, own in zip(places, entries, strict=True)]
            moved = np.meshgrid(*(own != np.arange(len(own)) for own in to), indexing="ij", sparse=True)
            cost = reduce(np.logical_or, moved, np.array(not board)).astype(np.uint8)
            for place in [puzzle.hole[case]] if board else range(len(first)):
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


class Walks:
    """Calls of check.c for the trees of a certificate: that round the start, and perhaps one round the goal."""

    def __init__(self, puzzle: Puzzle, start: Array, bound: int, found: dict[str, Reader], memory: int) -> None:
        back = found.get("BACK")
        near = -1 if back is None else back.number(1, 0, DEEPEST, "the depth of the backward tree")
        parts = Terms(puzzle, start, found.get("HEUR", Reader(np.zeros(2, np.uint8)))).parts
        h = [[x.ctypes.data if isinstance(x, np.ndarray) else x or 0 for x in part[1:]] for part in parts]
        roots = [np.append(state, puzzle.hole_of(state)) for state in (start, puzzle.goal)]
        self.given = [puzzle.slots, len(puzzle.names), puzzle.cases, puzzle.entries, secrets.randbits(62) | 1, near]
        self.given += [len(parts), np.stack([key_of(puzzle), *(part[0] for part in parts)], axis=1), roots[1]]
        self.given += [np.array(h, np.int64), puzzle.skipped() if "ROOT" in found else 0]
        cases, slots = np.nonzero(puzzle.moved)
        touched, goes = np.searchsorted(cases, range(puzzle.cases + 1)), puzzle.goes[cases, slots]
        make = [puzzle.hole_after, touched, slots, goes, puzzle.effect.astype(np.int32), puzzle.makes]
        undo = [puzzle.hole, touched, goes, slots, np.argsort(puzzle.effect, axis=1).astype(np.int32), puzzle.undoes]
        self.trees = [[0, bound, DEEPEST, *make, roots[0], found["TREE"].data]]
        self.trees += [[1, near + 1, near, *undo, roots[1], back.data]] if back is not None else []
        self.most = max((memory << 20) // (PLACE.itemsize * len(self.trees)), 4096)  # places of a table
        self.ball, self.edges = np.zeros(1 if back is None else self.most, PLACE), np.zeros(1, PLACE)
        self.parts, self.core = parts, core()  # the parts are kept, since check.c has their addresses

    def walk(self, task: int, back: bool, *more: Any, share: int = 0, shares: int = 1) -> int:
        """The number of states of a tree; -1 if there is no room for them."""
        tables = [self.ball, len(self.ball), 0, self.edges, len(self.edges), 0]
        given = [share, shares, *self.given, *self.trees[back], len(self.trees[back][-1]), *tables, *(more or (0, 0))]
        kept = [np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in given]
        numbers = np.array([x.ctypes.data if isinstance(x, np.ndarray) else x for x in kept])
        return int(self.core.walk(task, numbers.ctypes))

    def outside(self, back: bool) -> tuple[int, int]:
        """The number of states of a tree, and of others that their moves lead to and that nothing shows to be far."""
        shares, share, left, states = 1, 0, 0, 0
        while share < shares:  # of what the set leads to, by key
            self.edges = np.zeros(min(len(self.trees[back][-1]) * self.given[1] + 4096, self.most), PLACE)
            if self.walk(NOTE, back, share=share, shares=shares) < 0:
                share, shares, left = 0, 2 * shares, 0
                continue
            states = self.walk(MATCH, back, share=share, shares=shares)
            left += int(np.count_nonzero(self.edges["fact"]) - np.count_nonzero(self.edges["fact"] == FOUND))
            share += 1
        must(left == 0 or shares == 1, "what is outside of the set needs more memory than allowed (--memory)")
        return states, left


def core() -> ctypes.CDLL:
    """check.c, which is compiled once, and kept beside it if that can be."""
    source, compiler = Path(__file__).with_name("check.c"), os.environ.get("CC", "cc")
    kept = source.with_suffix(f".{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so")
    if kept.exists():
        return ctypes.CDLL(str(kept))
    folder = source.parent if os.access(source.parent, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch, kept.name)
        try:
            subprocess.run([compiler, "-std=c11", "-O2", "-fwrapv", "-shared", "-fPIC", "-o", made, source], check=True)
        except FileNotFoundError:
            raise OSError(f"check.c looks at states, and there is no C compiler {compiler} (set CC)") from None
        return ctypes.CDLL(str(made.replace(kept) if folder else made))


def check_set(puzzle: Puzzle, start: Array, bound: int, found: dict[str, Reader], given: Any) -> tuple[bool, str]:
    """Whether all is proven, the subtrees included, and what was looked at."""
    walks, root, near = Walks(puzzle, start, bound, found, given.memory), found.get("ROOT"), 0
    if "BACK" in found:
        near, left = walks.outside(True)
        must(left == 0, "the backward tree lacks a state")
    states, left = walks.outside(False)
    if root is None:
        must(left == 0, "a move leads out of the set, to a state that may be near the goal")
        return True, f"{states + near} states"
    stated = root.numbers("<u8", len(root.data) // 8) if len(root.data) else np.zeros(left, np.int64)
    root.done()
    must(len(stated) == left and (stated >= 0).all(), "there is another number of roots than stated")
    chosen, nodes = np.zeros(left, bool), np.zeros(left, np.int64)
    drawn = secrets.SystemRandom().sample(range(left), min(given.sample, left))
    chosen[drawn if given.sample else given.roots] = True
    walks.walk(SEARCH, False, np.where(chosen, np.where(stated > 0, stated, NEVER), 0), nodes)
    must(((nodes == stated) | (stated == 0) | ~chosen).all(), "a root has another number of nodes than stated")
    if given.nodes:
        nodes.astype("<u8").tofile(given.nodes)
    said = f"{states + near} states, {chosen.sum()} of {left} subtrees with {nodes.sum()} nodes"
    if given.sample > 3 and not chosen.all():  # (1 - 3 / n)^n < 0.05
        said += f"; with 95 % confidence fewer than {300 / given.sample:.3g} % of the subtrees hide a shorter solution"
    return bool(chosen.all()), said


def check(path: str, given: Any) -> tuple[bool, str]:
    """Whether all was checked, and what is proven."""
    import refute  # which imports this module

    found = sections(np.memmap(path, np.uint8, "r"))
    must("PUZL" in found and "CLAM" in found, "it has no puzzle or no claim")
    mark = hashlib.sha256(found["PUZL"].data.data).hexdigest()[:16]
    puzzle, claim = Puzzle(found["PUZL"]), found["CLAM"]
    kind = claim.number(1, SHORTEST, AT_MOST, "the kind of claim")
    set_of = {"TREE"} | found.keys() & {"HEUR", "BACK", "ROOT"}
    needed = {SHORTEST: set_of, AT_LEAST: set_of, UNSOLVABLE: {"TREE"} if "TREE" in found else {"INVR"}}
    needed |= {INADMISSIBLE: {"EXPR"}, INCONSISTENT: {"EXPR"}, MODEL: {"MODL"}}
    must(found.keys() - {"META", "PUZL", "CLAM"} == needed.get(kind, set()), "its sections do not fit its claim")
    if kind == MODEL:
        return True, f"puzzle {mark}: {refute.model(puzzle, claim, found['MODL'])}"
    start = puzzle.state(claim.numbers("<u2", puzzle.slots))
    end = claim.numbers("<u2", puzzle.slots) if kind == NO_PATH else None  # perhaps no state of the puzzle
    bound = claim.number(4, 0, MOST_BOUND, "the bound") if kind in (SHORTEST, AT_LEAST) else NEVER
    length = 0 if kind in (AT_LEAST, UNSOLVABLE) else claim.number(4, 0, len(claim.data), "the number of moves")
    moves = claim.take(length)
    claim.done()
    last, about = puzzle.after(start, moves), f"puzzle {mark}, from {' '.join(map(str, puzzle.value_of[start]))}: "
    made = " ".join(puzzle.names[move] for move in moves) or "no moves"
    if kind == NO_PATH:
        must(last is None or (puzzle.value_of[last] != end).any(), "the moves do lead there")
        return True, f"{about}{made} {'cannot be made' if last is None else 'leads elsewhere'}"
    if last is None:
        raise Refused("the moves cannot be made")
    solved = (last == puzzle.goal).all()
    must(solved or kind not in (SHORTEST, INADMISSIBLE, AT_MOST), "the moves do not lead to the goal")
    if kind == AT_MOST:
        return True, f"{about}{length} moves are enough: {made}"
    if kind in (INADMISSIBLE, INCONSISTENT):
        return True, about + refute.heuristic(kind == INCONSISTENT, puzzle, (start, last), made, length, found["EXPR"])
    said = about + ("the goal cannot be reached" if kind == UNSOLVABLE else f"no solution has fewer than {bound} moves")
    if kind == SHORTEST:
        must(length == bound, "the solution has another length than the bound")
        said += f", and these are as many: {made}"
    if "INVR" in found:
        refute.invariant(puzzle, start, found["INVR"])
    if "INVR" in found or bound == 0:
        return True, said
    whole, looked = check_set(puzzle, start, bound, found, given)
    return whole, f"{said}; {looked}"


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
        print(f"{given.file}: {error}", file=sys.stderr)
        return 2
    except (Refused, ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:  # the others of NumPy
        print(f"not proven: {error}")
        return 1
    print(f"{'proven' if whole else 'spot check' if given.sample else 'in part'}: {said}")
    return 0 if whole else 3


if __name__ == "__main__":
    sys.modules["check"] = sys.modules[__name__]  # for refute.py
    sys.exit(main())
