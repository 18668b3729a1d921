"""Definitions read and moves made a second time: what replays the answers.

Nothing here is shared with the library, so that an answer is checked by code that did not find it. A state has two
lists for each orbit, the pieces and their orientations, slot by slot.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Definition", "read"]

#: by orbit: the slot whose piece comes to each slot, and what orientation it gains
Turn = dict[str, tuple[list[int], list[int]]]
#: by orbit: pieces and orientations
State = dict[str, tuple[list[int], list[int]]]
#: by move (an empty name: by every move), orbit and slot: pieces that must not be there before it or after it
Forbidden = dict[str, dict[str, dict[int, set[int]]]]

#: the most ways in which a whole puzzle may be rotated
MOST_ROTATIONS = 240
_COUNTED = re.compile(r"(.+?)(\d*)('?)")
_ROTATION = re.compile(r"[xyz]\d?|[A-Za-z]{1,3}v")


class Definition:
    """A puzzle: its moves by name, and what it is when solved."""

    def __init__(self, orbits: dict[str, tuple[int, int]], solved: State, looks: dict[str, list[int]],
                 moves: dict[str, Turn], derived: dict[str, str], forbidden: Forbidden) -> None:  # fmt: skip
        """:param looks: by orbit and slot, in how many orientations what is there when solved looks different"""
        self.orbits, self.solved, self._looks = orbits, solved, looks
        self._derived, self._forbidden = derived, forbidden
        self.moves: dict[str, Turn] = {name: self._whole(turn) for name, turn in moves.items()}
        self._home: Turn = {name: (list(range(pieces)), [0] * pieces) for name, (pieces, _) in orbits.items()}
        self.turn = cache(self._turn)

    def _whole(self, turn: Turn) -> Turn:
        """With the orbits that it leaves alone."""
        return {name: turn.get(name, (list(range(n)), [0] * n)) for name, (n, _) in self.orbits.items()}

    @property
    def names(self) -> list[str]:
        return [*self.moves, *self._derived]

    @property
    def rotations(self) -> list[str]:
        """Names that rotate the whole puzzle."""
        return [name for name in self.names if _ROTATION.fullmatch(name)]

    def then(self, first: Turn, second: Turn) -> Turn:
        made = {}
        for name, (_, n) in self.orbits.items():
            (a, gained), (b, more) = first[name], second[name]
            made[name] = [a[j] for j in b], [(gained[j] + m) % n for j, m in zip(b, more, strict=True)]
        return made

    def inverse(self, turn: Turn) -> Turn:
        made = {}
        for name, (pieces, n) in self.orbits.items():
            source, gained = turn[name]
            back, lost = [0] * pieces, [0] * pieces
            for i, j in enumerate(source):
                back[j], lost[j] = i, -gained[i] % n
            made[name] = back, lost
        return made

    def apply(self, state: State, turn: Turn) -> State:
        return self.then(state, turn)

    def _turn(self, text: str) -> Turn:
        """Of a move as an answer has it: ``U2'``, ``(g1)2``, ``D-y`` (a move and a rotation back), or a derived one."""
        if text in self.moves:
            return self.moves[text]
        if text in self._derived:
            return self.alg(self._derived[text])
        for at in range(1, len(text) - 1):
            if text[at] in "+-" and {text[:at], text[at + 1 :]} <= set(self.names):
                rotation = self.turn(text[at + 1 :])
                return self.then(self.turn(text[:at]), rotation if text[at] == "+" else self.inverse(rotation))
        clock = re.fullmatch(r"(\w+?)(\d+)([+-])", text)  # UR3+: what cubing.js calls UR_PLUS_, three times
        if clock and f"{clock[1]}_PLUS_" in self.names:
            made = self.turn(f"{clock[1]}_PLUS_")
            return self._repeated(made if clock[3] == "+" else self.inverse(made), int(clock[2]))
        if text.endswith("'") and text[:-1] in self.names:
            return self.inverse(self.turn(text[:-1]))
        if text.startswith("("):
            name, _, rest = text[1:].partition(")")
            found = re.fullmatch(r"(\d*)('?)", rest)
        else:
            found = _COUNTED.fullmatch(text)
            name = found[1] if found else ""
            found = re.fullmatch(r"(\d*)('?)", text[len(name) :])
        if not found or name == text:
            raise ValueError(f"no move {text!r}")
        once = self.inverse(self.turn(name)) if found[2] else self.turn(name)
        return self._repeated(once, int(found[1] or 1))

    def _repeated(self, once: Turn, count: int) -> Turn:
        made = self._home
        for _ in range(count):
            made = self.then(made, once)
        return made

    def alg(self, text: str) -> Turn:
        """Of moves, commutators and conjugates, as derived moves are written."""
        tokens = re.findall(r"[\[\]:,]|[^\s\[\]:,]+", text)
        made, rest = self._alg(tokens)
        if rest:
            raise ValueError(f"cannot read {text!r}")
        return made

    def _alg(self, tokens: list[str]) -> tuple[Turn, list[str]]:
        made = self._home
        while tokens and tokens[0] not in "]:,":
            if tokens[0] == "[":
                a, rest = self._alg(tokens[1:])
                b, after = self._alg(rest[1:])
                made = self.then(made, self.then(self.then(a, b), self.inverse(a)))
                made = self.then(made, self.inverse(b)) if rest[0] == "," else made
                tokens = after[1:]
            else:
                made, tokens = self.then(made, self.turn(tokens[0])), tokens[1:]
        return made, tokens

    def is_solved(self, state: State) -> bool:
        """Whether it looks as when solved, the whole perhaps rotated."""
        shown = self._shown(state)
        found = [self.solved]
        seen = {self._shown(self.solved)}
        for one in found:
            for name in self.rotations:
                after = self.apply(one, self.turn(name))
                if (key := self._shown(after)) not in seen and len(seen) < MOST_ROTATIONS:
                    seen.add(key)
                    found.append(after)
        return shown in seen

    def _shown(self, state: State) -> tuple[Any, ...]:
        looks = {}
        for name, (_, n) in self.orbits.items():
            by_piece = dict(zip(self.solved[name][0], self._looks[name], strict=True))
            pieces, turned = state[name]
            looks[name] = tuple((p, o % (by_piece[p] or n)) for p, o in zip(pieces, turned, strict=True))
        return tuple(looks.items())

    def replays(self, start: Mapping[str, Any], moves: Sequence[str]) -> bool:
        """Whether the moves solve a state that is given as a KPattern."""
        state: State = {name: (own["pieces"], own["orientation"]) for name, own in start.items() if name in self.orbits}
        for move in moves:
            if self.forbids(state, move):
                return False
            state = self.apply(state, self.turn(move))
        return self.is_solved(state)

    def forbids(self, state: State, move: str) -> bool:
        """Whether a move, or a power of one, cannot be made."""
        if not self._forbidden:
            return False
        name = max((own for own in self.moves if re.fullmatch(rf"\(?{re.escape(own)}\)?\d*'?", move)), key=len)
        return any(
            held[orbit][0][slot] in pieces
            for conditions in (self._forbidden.get("", {}), self._forbidden.get(name, {}))
            for orbit, slots in conditions.items()
            for slot, pieces in slots.items()
            for held in (state, self.apply(state, self.turn(move)))
        )

    def kpuzzle(self, name: str) -> dict[str, Any]:
        """As cubing.js reads it."""
        both = ("permutation", "orientationDelta")
        return {
            "name": name,
            "orbits": [{"orbitName": o, "numPieces": p, "numOrientations": n} for o, (p, n) in self.orbits.items()],
            "defaultPattern": {
                o: {"pieces": self.solved[o][0], "orientation": self.solved[o][1], "orientationMod": self._looks[o]}
                for o in self.orbits
            },
            "moves": {m: {o: dict(zip(both, own, strict=True)) for o, own in t.items()} for m, t in self.moves.items()},
            "derivedMoves": self._derived,
        }

    def tws(self) -> str:
        """As twsearch reads it, with derived moves as if they were others."""
        lines = [
            "Name puzzle",
            *(f"Set {name} {pieces} {n}" for name, (pieces, n) in self.orbits.items()),
            "StartState",
        ]
        for name, (pieces, turned) in self.solved.items():
            shown = [t if look != 1 else "?" for t, look in zip(turned, self._looks[name], strict=True)]
            lines += [name, _row(pieces), *([_row(shown)] if self.orbits[name][1] > 1 else [])]
        lines.append("End")
        for move in self.names:
            lines += [f"MoveTransformation {move}", *self._rows(self.turn(move)), "End"]
        return "\n".join(lines) + "\n"

    def scramble(self, start: Mapping[str, Any]) -> str:
        """A state as twsearch reads it."""
        own = {name: (start[name]["pieces"], start[name]["orientation"]) for name in self.orbits}
        return "\n".join(["ScrambleState state", *self._rows(own), "End"]) + "\n"

    def _rows(self, rows: Mapping[str, tuple[list[int], list[int]]]) -> list[str]:
        made = []
        for name, (first, second) in rows.items():
            n = self.orbits[name][1]
            made += [name, _row(first), *([_row([value % n for value in second])] if n > 1 else [])]
        return made


def _row(values: Sequence[Any]) -> str:
    return " ".join(map(str, values))


def read(path: Path) -> Definition:
    """The definition in a file: JSON is a KPuzzle, all else twsearch's format."""
    text = path.read_text(encoding="utf-8")
    return _json(json.loads(text)) if path.suffix == ".json" else _tws(text)


def _json(value: Mapping[str, Any]) -> Definition:
    orbits = {orbit["orbitName"]: (orbit["numPieces"], orbit["numOrientations"]) for orbit in value["orbits"]}
    pattern = {name: value["defaultPattern"][name] for name in orbits}
    solved = {name: (own["pieces"], own["orientation"]) for name, own in pattern.items()}
    looks = {name: own.get("orientationMod") or [0] * len(own["pieces"]) for name, own in pattern.items()}
    moves: dict[str, Turn] = {}
    for kind in (value["moves"], value.get("hstar", {}).get("rotations") or {}):
        for name, move in kind.items():
            moves[name] = {o: (own["permutation"], own["orientationDelta"]) for o, own in move.items() if o in orbits}
    forbidden: Forbidden = {
        move: {o: {int(slot): set(pieces) for slot, pieces in slots.items()} for o, slots in conditions.items()}
        for move, conditions in value.get("hstar", {}).get("forbidden", {}).items()
    }
    if "_SLASH_" in moves and not forbidden:  # cubing.js leaves out that corners, of two wedges each, cannot be cut
        second = {1, 4, 7, 10, 14, 17, 20, 23}
        forbidden = {"_SLASH_": {"WEDGES": dict.fromkeys((0, 6, 12, 18), second)}}
    return Definition(orbits, solved, looks, moves, dict(value.get("derivedMoves", {})), forbidden)


def _tws(text: str) -> Definition:
    orbits: dict[str, tuple[int, int]] = {}
    moves: dict[str, Turn] = {}
    derived: dict[str, str] = {}
    solved: State = {}
    looks: dict[str, list[int]] = {}
    kinds: dict[str, dict[int, int]] = {}
    illegal: list[list[str]] = []
    lines = iter([tokens for line in text.splitlines() if (tokens := line.partition("#")[0].split())])

    def block() -> dict[str, list[list[str]]]:
        rows: dict[str, list[list[str]]] = {}
        own: list[list[str]] = []
        for tokens in lines:
            if tokens[0] == "End":
                break
            if tokens[0] in orbits:
                own = rows[tokens[0]] = []
            else:
                own.append(tokens)
        return rows

    for tokens in lines:
        if tokens[0] == "Set":
            orbits[tokens[1]] = int(tokens[2]), int(tokens[3])
        elif tokens[0] in ("Solved", "StartState"):
            for name, rows in block().items():
                numbers = [int(piece) - (tokens[0] == "Solved") for piece in rows[0]]
                # Pieces that all differ have the numbers of their slots.
                alike = len(set(numbers)) < len(numbers)
                kinds[name] = {piece: rank for rank, piece in enumerate(sorted(set(numbers)) if alike else numbers)}
                pieces = [kinds[name][number] for number in numbers]
                turned = rows[1] if len(rows) > 1 else ["0"] * len(pieces)
                solved[name] = pieces, [0 if t == "?" else int(t) for t in turned]
                looks[name] = [1 if t == "?" else 0 for t in turned]
        elif tokens[0] in ("Move", "MoveTransformation"):
            first = 0 if tokens[0] == "MoveTransformation" else 1
            move: Turn = {}
            for name, rows in block().items():
                source = [int(value) - first for value in rows[0]]
                gained = [int(value) for value in rows[1]] if len(rows) > 1 else [0] * len(source)
                move[name] = source, gained if not first else [gained[j] for j in source]
            moves[tokens[1]] = move
        elif tokens[0] == "Illegal":
            illegal.append(tokens[1:])
        elif tokens[0] in ("MoveAlias", "MoveSequence"):
            derived[tokens[1]] = " ".join(tokens[2:])
    for name, (count, _) in orbits.items():
        solved.setdefault(name, (list(range(count)), [0] * count))
        looks.setdefault(name, [0] * count)
    conditions: dict[str, dict[int, set[int]]] = {}
    for name, slot, *given in illegal:
        known = kinds.get(name) or {piece: piece for piece in range(orbits[name][0])}
        named = {known[int(number) - 1] for number in given if int(number) - 1 in known}
        conditions.setdefault(name, {}).setdefault(int(slot) - 1, set()).update(named)
    return Definition(orbits, solved, looks, moves, derived, {"": conditions} if conditions else {})
