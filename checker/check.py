#!/usr/bin/env python3
"""Check a certificate: ``python checker/check.py FILE`` prints one line, and exits with 0 (proven), 1 (not proven),
2 (no such file, wrong use) or 3 (only some subtrees were searched: a spot check, or a share of the work).

It imports nothing of hstar; docs/certificates.md is the specification. This file reads the certificate and checks what
takes no time. ``check.c`` beside it checks tables, sets of states and subtrees.
"""

from __future__ import annotations

import argparse
import hashlib
import mmap
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from refutations import AT_MOST, INADMISSIBLE, INCONSISTENT, MODEL, refuted

Array = np.ndarray[Any, np.dtype[Any]]

TAGS = ("META", "PUZL", "CLAM", "HEUR", "TREE", "BACK", "ROOT", "INVR", "EXPR", "MODL")
SHORTEST, AT_LEAST, UNSOLVABLE = 1, 2, 3
SUM, MAXIMUM, PATTERNS = 0, 1, 2
MOST_SLOTS, MOST_VALUES, MOST_MOVES, MOST_TERMS, MOST_PIECES, MOST_BOUND = 512, 1024, 254, 64, 16, 1 << 20
MOST_ENTRIES = 1 << 20  # of all cases together
BLOCK = 1 << 16  # arrangements that are looked at together
DEEPEST = 254
NEVER = 1 << 40


class Refused(Exception):
    """Why a file proves nothing."""


def must(holds: object, why: str) -> None:
    if not holds:
        raise Refused(why)


class Reader:
    """A part of the file, from its start on; little endian, never past its end."""

    def __init__(self, data: mmap.mmap, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def take(self, size: int) -> int:
        """Where the next ``size`` bytes are."""
        must(size <= self.end - self.at, "the file or one of its sections is too short")
        self.at += size
        return self.at - size

    def text(self, size: int) -> bytes:
        return self.data[(at := self.take(size)) : at + size]

    def number(self, size: int, least: int, most: int, what: str) -> int:
        value = int.from_bytes(self.text(size), "little")
        must(least <= value <= most, f"{what} is {value}, expected {least} to {most}")
        return value

    def numbers(self, kind: str, count: int) -> Array:
        at = self.take(count * np.dtype(kind).itemsize)
        return np.frombuffer(self.data, kind, count, at).astype(np.int64)

    def done(self, what: str) -> None:
        must(self.at == self.end, f"{what} is too long")


def sections(data: mmap.mmap) -> dict[str, Reader]:
    must(len(data) >= 48, "it is too short")
    file = Reader(data, 0, len(data) - 32)
    must(file.text(8) == b"hstarcrt", "it is no certificate")
    file.number(4, 1, 1, "the version")
    found: dict[str, Reader] = {}
    for _ in range(file.number(4, 0, len(TAGS), "the number of sections")):
        tag = file.text(4).decode("latin-1")
        must(
            tag in TAGS and all(TAGS.index(t) < TAGS.index(tag) for t in found), "a section is unknown or out of order"
        )
        file.number(4, 0, 0, "a reserved number")
        size = file.number(8, 0, len(data), "the length of a section")
        found[tag] = Reader(data, (at := file.take(size)), at + size)
    file.done("the file")
    digest = hashlib.sha256()
    for at in range(0, len(data) - 32, 1 << 20):
        digest.update(data[at : min(at + (1 << 20), len(data) - 32)])
    must(digest.digest() == data[-32:], "it was changed or cut short: its digest is another")
    return found


class Puzzle:
    """Slots that hold values; an *entry* is a slot with a value. A move permutes the entries; on a board there is one
    permutation for each place of the blank (a *case*)."""

    def __init__(self, read: Reader) -> None:
        self.slots = read.number(2, 1, MOST_SLOTS, "the number of slots")
        moves = read.number(2, 0, MOST_MOVES, "the number of moves")
        maps = read.number(2, 0, 0xFFFF, "the number of maps")
        self.cases = read.number(2, 0, 0xFFFF, "the number of cases")
        self.values = read.numbers("<u2", self.slots)
        must((self.values >= 1).all() and (self.values <= MOST_VALUES).all(), "a slot has no values, or too many")
        self.first = np.concatenate(([0], np.cumsum(self.values)))  # by slot: its first entry
        self.entries = int(self.first[-1])
        must(self.cases * self.entries <= MOST_ENTRIES, "the puzzle is too large")
        self.slot_of = np.repeat(np.arange(self.slots), self.values)
        self.value_of = np.arange(self.entries) - self.first[self.slot_of]
        goal = read.numbers("<u2", self.slots)
        self.names = [read.text(read.number(1, 0, 255, "a length")).decode("utf-8", "replace") for _ in range(moves)]
        must(all(name.isprintable() for name in self.names), "a move's name cannot be printed")
        tables = [read.numbers("<u2", read.number(2, 1, MOST_VALUES, "a length")) for _ in range(maps)]
        must(all((np.sort(t) == np.arange(len(t))).all() for t in tables), "a map is not one-to-one")
        self.blank = -1
        self.case_at = np.full(
            (2, self.slots, moves), -1
        )  # forward and backward, by the blank's slot (else 0) and move
        self.hole = np.zeros((2, self.cases), np.int64)  # before and after each case
        self.effect = np.tile(np.arange(self.entries), (self.cases, 1))  # by case and entry: what becomes of it
        for case in range(self.cases):
            self._read_case(read, case, tables)
        read.done("PUZL")
        self.goal = self.state(goal)

    def _read_case(self, read: Reader, case: int, tables: list[Array]) -> None:
        move = read.number(2, 0, len(self.names) - 1, "a move")
        conditioned = read.number(1, 0, 1, "a condition")
        slot = read.number(2, 0, self.slots - 1, "a slot")
        value = read.number(2, 0, int(self.values[slot]) - 1, "a value")
        if case == 0 and conditioned:
            self.blank = value
        must(value == self.blank if conditioned else self.blank == -1 and slot == value == 0, "conditions differ")
        touches = read.numbers("<u2", 3 * read.number(2, 0, self.slots, "a number of touches")).reshape(-1, 3)
        dst, src, used = touches.T
        must((touches[:, :2] < self.slots).all() and (used < len(tables)).all(), "a touch has no such slot or map")
        must(len(set(dst)) == len(dst) and set(dst) == set(src), "a case does not permute its slots")
        self.hole[:, case] = slot
        for to, at, number in touches.tolist():
            table = tables[number]
            must(len(table) == self.values[at] == self.values[to], "a map does not fit its slots")
            must(self.blank == -1 or (self.blank < len(table) and table[self.blank] == self.blank), "the blank changes")
            self.effect[case, self.first[at] : self.first[at + 1]] = self.first[to] + table
            if conditioned and at == slot:
                self.hole[1, case] = to
        for direction in (0, 1):
            place = (direction, int(self.hole[direction, case]), move)
            must(self.case_at[place] == -1, "a move has two cases for one state")
            self.case_at[place] = case

    def state(self, values: Array) -> Array:
        """The entries of a state."""
        must((values < self.values).all(), "a state has a value that its slot cannot hold")
        must(self.blank == -1 or (values == self.blank).sum() == 1, "a state does not have one blank")
        entries: Array = self.first[:-1] + values
        return entries

    def after(self, state: Array, move: int) -> Array:
        hole = 0 if self.blank == -1 else int(np.flatnonzero(self.value_of[state] == self.blank)[0])
        must(
            move < len(self.names) and self.case_at[0, hole, move] != -1, "the solution has a move that cannot be made"
        )
        return np.sort(self.effect[self.case_at[0, hole, move]][state])  # in the order of the slots

    def touches(self, case: int) -> tuple[Array, Array]:
        """The slots that a case reads, and those that it writes, in the same order."""
        src = np.unique(self.slot_of[self.effect[case] != np.arange(self.entries)])
        return src, self.slot_of[self.effect[case][self.first[src]]]

    def can(self, state: Array, move: int) -> bool:
        """Whether the move can be made."""
        hole = 0 if self.blank == -1 else int(np.flatnonzero(self.value_of[state] == self.blank)[0])
        return bool(self.case_at[0, hole, move] != -1)

    def possible(self, case: int) -> Array:
        """By entry: whether it can be there when the case is made."""
        if self.blank == -1:
            return np.ones(self.entries, bool)
        can: Array = (self.slot_of == self.hole[0, case]) == (self.value_of == self.blank)
        return can

    def greatest(self, numbers: Array, case: int) -> Array:
        """By slot: the greatest of the numbers of entries that can be there when the case is made."""
        return np.maximum.reduceat(np.where(self.possible(case), numbers, -(1 << 40)), self.first[:-1])

    def pairs(self, searched: bool) -> tuple[Array, Array]:
        """By case the one that leads back (-1: none), and (for searches) which need not follow it: the two have the
        effect of none, of one, or of an earlier pair. Effects are compared by their SHA-256."""
        undone, skipped = np.full(self.cases, -1), np.zeros((self.cases, self.cases), bool)
        nothing = np.arange(self.entries)
        seen = {} if self.blank != -1 else {hashlib.sha256(e.tobytes()).digest() for e in (nothing, *self.effect)}
        known: set[bytes] = set(seen)
        for a in range(self.cases):
            for b in range(self.cases):
                if self.blank != -1 and (self.hole[:, a] != self.hole[::-1, b]).any():
                    continue
                both = self.effect[b][self.effect[a]]
                if (back := bool((both == nothing).all())) and undone[a] == -1:
                    undone[a] = b
                if not searched:
                    continue
                digest = hashlib.sha256(both.tobytes()).digest()
                skipped[a, b] = back or (self.blank == -1 and digest in known)
                known.add(digest)
        return undone, skipped


class Terms:
    """The heuristic: the greatest of its terms, each rounded up. What check.c needs of it is appended to ``blob``."""

    def __init__(self, puzzle: Puzzle, read: Reader | None) -> None:
        self.puzzle, self.sums, self.blob = puzzle, [], []  # type: tuple[Puzzle, list[Array], list[Array]]
        self.count = 0 if read is None else read.number(2, 0, MOST_TERMS, "the number of terms")
        for _ in range(self.count if read is not None else 0):
            assert read is not None
            kind = read.number(1, SUM, PATTERNS, "the kind of a term")
            divisor = read.number(4, 1, 0xFFFFFFFF, "a divisor")
            self.blob.append(np.array([kind, divisor, 1 + len(self.sums)]))
            if kind == PATTERNS:
                must(divisor == 1, "patterns have a divisor")
                self._patterns(read)
                continue
            table = read.numbers("<i4", puzzle.entries)
            self._check_steps(kind, divisor, table)
            (self.sums if kind == SUM else self.blob).append(table)
        if read is not None:
            read.done("HEUR")

    def _check_steps(self, kind: int, divisor: int, table: Array) -> None:
        """0 at the goal, and no move lowers it by more than the divisor."""
        at_goal = table[self.puzzle.goal]
        must((at_goal.sum() if kind == SUM else at_goal.max()) <= 0, "a term is above 0 at the goal")
        for case in range(self.puzzle.cases):
            drops = self.puzzle.greatest(table - table[self.puzzle.effect[case]], case)
            must((drops.sum() if kind == SUM else drops.max()) <= divisor, "a move can lower a term by too much")

    def _patterns(self, read: Reader) -> None:
        puzzle = self.puzzle
        patterns = read.number(2, 1, 64, "the number of patterns")
        swaps = (puzzle.hole[0] != puzzle.hole[1]).all() and all(
            len(src) == 2 for src, _ in map(puzzle.touches, range(puzzle.cases))
        )
        must(patterns == 1 or swaps, "patterns are added where a move moves several pieces")
        self.blob.append(np.array([patterns]))
        taken: set[int] = set()
        for _ in range(patterns):
            pieces = read.numbers("<u2", 4 * read.number(2, 1, MOST_PIECES, "the number of pieces")).reshape(-1, 4)
            entries = read.number(8, 1, read.end - read.at, "the size of a table")
            held = {int(v) for _, _, first, turns in pieces for v in range(first, first + turns)} - {puzzle.blank}
            must(patterns == 1 or not taken & held, "patterns that are added share a piece")
            taken |= held
            self._check_pieces(pieces, entries)
            at = read.take(entries)
            self._check_table(pieces, np.frombuffer(read.data, np.uint8, entries, at))
            self.blob += [np.array([len(pieces)]), pieces.ravel(), np.array([at, entries])]

    def _check_pieces(self, pieces: Array, entries: int) -> None:
        """Each piece is in its slots exactly once, whatever the moves do; and the table has the size that follows."""
        puzzle, size = self.puzzle, 1
        earlier: list[tuple[int, int, int, int]] = []
        must(puzzle.blank == -1 or [0, puzzle.slots, puzzle.blank, 1] in pieces.tolist(), "a pattern lacks the blank")
        for slot, slots, value, turns in pieces.tolist():
            must(slot + slots <= puzzle.slots and turns >= 1, "a pattern's piece has no such slots")
            alike = [(v, t) for s, n, v, t in earlier if (s, n) == (slot, slots)]
            must(all(value + turns <= v or v + t <= value for v, t in alike), "a pattern has a piece twice")
            size *= max(slots - len(alike), 0) * turns
            must(size <= entries, "a pattern's table has another size")
            inside = (puzzle.slot_of >= slot) & (puzzle.slot_of < slot + slots)
            held = inside & (puzzle.value_of >= value) & (puzzle.value_of < value + turns)
            must((held[puzzle.effect] == held).all(), "a move changes a pattern's piece, or takes it out of its slots")
            must(held[puzzle.goal].sum() == 1, "a pattern's piece is not once at the goal")
            earlier.append((slot, slots, value, turns))
        must(size == entries, "a pattern's table has another size")

    def _check_table(self, pieces: Array, table: Array) -> None:
        """0 at the goal, and no move lowers it by more than 1; on boards by 0 if it moves none of the pieces."""
        puzzle = self.puzzle
        image = [np.arange(puzzle.entries), *puzzle.effect]
        homes = [puzzle.goal[slot : slot + slots] for slot, slots, _, _ in pieces]
        here = [
            home[(puzzle.value_of[home] >= value) & (puzzle.value_of[home] < value + turns)]
            for home, (_, _, value, turns) in zip(homes, pieces, strict=True)
        ]
        must(
            table[self._ranks(pieces, np.array(here).reshape(-1, 1))][0] == 0, "a pattern's table is not 0 at the goal"
        )
        for at in range(0, len(table), BLOCK):
            ranks = np.arange(at, min(at + BLOCK, len(table)))
            placed = self._placed(pieces, ranks)  # by piece and rank: the entry
            for case in range(puzzle.cases):
                can = np.ones(len(ranks), bool) if puzzle.blank == -1 else puzzle.possible(case)[placed].all(axis=0)
                before = placed[:, can]
                after = image[1 + case][before]
                moved = ((before != after) & (puzzle.value_of[before] != puzzle.blank)).any(axis=0) | (
                    puzzle.blank == -1
                )
                falls = table[ranks[can]].astype(int) - table[self._ranks(pieces, after)]
                must((falls <= moved).all(), "a move can lower a pattern's table by more than it costs")

    def _ranks(self, pieces: Array, placed: Array) -> Array:
        """The numbers of arrangements: of each piece its slot among those that earlier ones of the same slots left,
        then its turn."""
        ranks = np.zeros(placed.shape[1], np.int64)
        slots = self.puzzle.slot_of[placed]
        for i, (slot, count, value, turns) in enumerate(pieces.tolist()):
            alike = [j for j in range(i) if pieces[j, :2].tolist() == [slot, count]]
            place = slots[i] - slot - sum((slots[j] < slots[i]).astype(int) for j in alike)
            ranks = (ranks * (count - len(alike)) + place) * turns + self.puzzle.value_of[placed[i]] - value
        return ranks

    def _placed(self, pieces: Array, ranks: Array) -> Array:
        """The arrangements of these numbers: by piece and number, the entry."""
        places, turned, slots = [], [], []  # type: tuple[list[Array], list[Array], list[Array]]
        alike = [[j for j in range(i) if (pieces[j, :2] == pieces[i, :2]).all()] for i in range(len(pieces))]
        for i in reversed(range(len(pieces))):
            ranks, turn = np.divmod(ranks, pieces[i, 3])
            ranks, place = np.divmod(ranks, pieces[i, 1] - len(alike[i]))
            places.insert(0, place)
            turned.insert(0, turn)
        for i, place in enumerate(places):
            slot = place + pieces[i, 0]
            for other in np.sort(np.array([slots[j] for j in alike[i]]).reshape(len(alike[i]), len(place)), axis=0):
                slot = slot + (slot >= other)  # past the earlier ones, from the lowest on
            slots.append(slot)
        entries: Array = self.puzzle.first[np.array(slots)] + pieces[:, 2:3] + np.array(turned)
        return entries


def keys(puzzle: Puzzle) -> tuple[Array, bool]:
    """By entry a number; a state's key is their sum, modulo 2^64. True if different states have different keys."""
    bits = np.array([int(n - 1).bit_length() for n in puzzle.values.tolist()])
    if bits.sum() > 64:
        return np.frombuffer(secrets.token_bytes(8 * puzzle.entries), "<i8"), False
    shift = np.minimum(np.concatenate(([0], np.cumsum(bits)))[:-1], 63)  # of a slot with one value: anything
    return (puzzle.value_of.astype(np.uint64) << shift[puzzle.slot_of].astype(np.uint64)).view(np.int64), True


def check_invariant(puzzle: Puzzle, start: Array, read: Reader) -> None:
    """A sum over the slots of table entries, and of half the modulus for each block of slots whose pieces have odd
    parity: no move changes it modulo the modulus, and it differs between start and goal."""
    modulus = read.number(2, 2, 0xFFFF, "the modulus")
    blocks = read.numbers("<u2", 2 * read.number(2, 0, 64, "the number of blocks")).reshape(-1, 2).tolist()
    must(modulus % 2 == 0 or not blocks, "the modulus is odd")
    table = read.numbers("<u2", puzzle.entries)
    differs = int(table[start].sum() - table[puzzle.goal].sum())
    added = np.zeros(puzzle.cases, np.int64)
    for case in range(puzzle.cases):
        change = (table[puzzle.effect[case]] - table) % modulus
        most = puzzle.greatest(change, case)
        must((most == -puzzle.greatest(-change, case)).all(), "what a move adds to the invariant depends on the state")
        added[case] = most[most > -1].sum()
    for slot, slots in blocks:
        must(slot + slots <= puzzle.slots, "a block has no such slots")
        inside = (puzzle.slot_of >= slot) & (puzzle.slot_of < slot + slots)
        label = np.full(puzzle.entries, -1)
        label[inside] = read.numbers("<u2", int(inside.sum()))
        odd = []
        for state in (start, puzzle.goal):
            held = label[state][slot : slot + slots]
            must((np.sort(held) == np.arange(slots)).all(), "a block does not have each piece once")
            odd.append(odd_permutation(held))
        differs += modulus // 2 * (odd[0] != odd[1])
        must((label[puzzle.effect] == label).all(), "a move changes a piece of a block, or takes it out")
        for case in range(puzzle.cases):
            goes = puzzle.slot_of[puzzle.effect[case][puzzle.first[slot : slot + slots]]] - slot
            added[case] += modulus // 2 * odd_permutation(goes)
    read.done("INVR")
    must((added % modulus == 0).all(), "a move changes the invariant")
    must(differs % modulus != 0, "the invariant does not tell the start from the goal")


def odd_permutation(images: Array) -> bool:
    return bool(np.triu(images[:, None] > images[None, :], 1).sum() % 2)


def compiled() -> int:
    """A descriptor of the program of check.c, which is compiled once."""
    source = Path(__file__).with_name("check.c")
    folder = source.with_name("build")
    with tempfile.TemporaryDirectory() as scratch:
        if not os.access(folder if folder.exists() else source.parent, os.W_OK):
            folder = Path(scratch)
        program = folder / f"check-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}"
        if not program.exists():
            folder.mkdir(exist_ok=True)
            made = program.with_suffix(f".{os.getpid()}")
            subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", "-o", str(made), str(source)], check=True)
            made.replace(program)
        return os.open(program, os.O_RDONLY)


def go_on(file: int, parts: list[Any], said: str) -> NoReturn:
    """Become the program of check.c, which reads the parts and the certificate, an open file."""
    descriptors = [compiled(), os.memfd_create("parts", 0), file]
    with os.fdopen(os.dup(descriptors[1]), "wb") as blob:
        for numbers in parts:
            blob.write(np.asarray(numbers).astype("<i8").tobytes())
    for descriptor in descriptors:
        os.set_inheritable(descriptor, True)
    sys.stdout.flush()
    os.execv(f"/proc/self/fd/{descriptors[0]}", ["check", *map(str, descriptors[1:]), said])


def check(path: str, memory_mib: int, *work: int) -> str:
    """What is proven. Does not return if check.c has to go on. ``work``: see `main`."""
    file = os.open(path, os.O_RDONLY)
    data = mmap.mmap(file, 0, access=mmap.ACCESS_READ)
    found = sections(data)
    must("PUZL" in found and "CLAM" in found, "it has no puzzle or no claim")
    mark = hashlib.sha256(data[found["PUZL"].at : found["PUZL"].end]).hexdigest()[:16]
    puzzle, claim = Puzzle(found["PUZL"]), found["CLAM"]
    kind = claim.number(1, SHORTEST, AT_MOST, "the kind of claim")
    if kind > UNSOLVABLE:
        needed = {INADMISSIBLE: {"EXPR"}, INCONSISTENT: {"EXPR"}, MODEL: {"MODL"}}.get(kind, set())
        must(found.keys() - {"META"} == {"PUZL", "CLAM"} | needed, "its sections do not fit its claim")
        return f"puzzle {mark}: " + refuted(puzzle, kind, claim, found.get("MODL", found.get("EXPR")), must)
    start = puzzle.state(claim.numbers("<u2", puzzle.slots))
    bound = NEVER if kind == UNSOLVABLE else claim.number(4, 0, MOST_BOUND, "the bound")
    said = "the goal cannot be reached" if kind == UNSOLVABLE else f"no solution has fewer than {bound} moves"
    if kind == SHORTEST:
        solution = claim.text(claim.number(4, bound, bound, "the length of the solution"))
        state = start
        for move in solution:
            state = puzzle.after(state, move)
        must((state == puzzle.goal).all(), "the solution does not lead to the goal")
        said += ", and these are as many: " + " ".join(puzzle.names[move] for move in solution)
    claim.done("CLAM")
    said = f"puzzle {mark}, from {' '.join(map(str, puzzle.value_of[start]))}: {said}"
    unused = {"HEUR", "BACK", "ROOT"} if kind == UNSOLVABLE else {"INVR"}
    must(("TREE" in found) != ("INVR" in found) and not unused & set(found), "its sections do not fit its claim")
    if "INVR" in found:
        check_invariant(puzzle, start, found["INVR"])
        return said
    if bound == 0:
        return said
    terms = Terms(puzzle, found.get("HEUR"))
    key, exact = keys(puzzle)
    weight = np.stack([key, *terms.sums], axis=1)
    if not exact:
        said += "; states told apart by 64 random bits"
    tree, back, root = found["TREE"], found.get("BACK"), found.get("ROOT")
    depth = 0 if back is None else back.number(1, 0, DEEPEST, "the depth of the backward tree")
    stated = 0 if root is None else (root.end - root.at) // 8
    must(root is None or root.end - root.at == 8 * stated, "section ROOT has another length")
    head = [memory_mib << 20, *work, puzzle.slots, len(puzzle.names), puzzle.cases, puzzle.entries]
    head += [
        weight.shape[1],
        terms.count,
        bound,
        back is not None,
        depth,
        root is not None,
        stated,
        tree.at,
        tree.end - tree.at,
    ]
    head += [0, 0] if back is None else [back.at, back.end - back.at]
    undone, skipped = puzzle.pairs(root is not None)
    parts: list[Any] = [[*head, 0 if root is None else root.at], puzzle.first, puzzle.case_at, undone, skipped, weight]
    for state in (start, puzzle.goal):
        parts += [state, 0 if puzzle.blank == -1 else np.flatnonzero(puzzle.value_of[state] == puzzle.blank)]
    for case in range(puzzle.cases):
        src, dst = puzzle.touches(case)
        parts += [puzzle.hole[:, case], len(src), src, dst, puzzle.effect[case], np.argsort(puzzle.effect[case])]
    go_on(file, [np.ravel(numbers) for numbers in parts + terms.blob], said)


def main() -> int:
    asked = argparse.ArgumentParser(description="Check a certificate of hstar.")
    asked.add_argument("file")
    asked.add_argument("--memory", type=int, default=60, help="MiB for sets of states; 60 by default")
    asked.add_argument("--roots", default="0:", metavar="FIRST:LAST", help="search only these subtrees")
    asked.add_argument("--sample", type=int, default=0, metavar="N", help="search only N subtrees, chosen at random")
    asked.add_argument("--nodes", type=int, default=NEVER, metavar="N", help="search no more nodes than these")
    given = asked.parse_args()
    first, _, last = given.roots.partition(":")
    work = int(first or 0), int(last or NEVER), given.sample, given.nodes
    try:
        print("proven: " + check(given.file, given.memory, *work))
    except Refused as refused:
        print(f"not proven: {refused}")
        return 1
    except (ValueError, IndexError, OverflowError, MemoryError) as error:  # of NumPy
        print(f"not proven: its numbers make no sense: {error}")
        return 1
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{given.file}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
