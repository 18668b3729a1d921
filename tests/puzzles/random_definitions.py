"""Random small puzzles as definitions, and all their states, found by reading the definition alone.

Nothing here uses hstar: it is the witness that hstar's answers are compared with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

#: by orbit the pieces, and by orbit their orientations
Contents = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

#: the powers of a move of higher order have no names
_MOST_NAMED = 12
_TOKEN = re.compile(r"([A-Za-z]+)([0-9]*)('?)")


@dataclass(frozen=True)
class Space:
    """A definition, and the states that its moves reach from solved."""

    definition: dict[str, Any]
    states: Sequence[Contents]

    @classmethod
    def of(cls, definition: dict[str, Any]) -> Space:
        states = _reached(definition, 10**6)
        assert states is not None
        return cls(definition, states)

    @property
    def solved(self) -> Contents:
        return self.states[0]

    def apply(self, state: Contents, token: str) -> Contents:
        """A move as hstar writes it: ``A``, ``A'``, ``A2``, ``A2'``."""
        match = _TOKEN.fullmatch(token)
        assert match is not None
        times = int(match[2] or 1) * (-1 if match[3] else 1)
        for _ in range(times % self.order(match[1])):
            state = _turned(self.definition, state, match[1])
        return state

    def apply_all(self, state: Contents, tokens: Sequence[str]) -> Contents:
        for token in tokens:
            state = self.apply(state, token)
        return state

    def order(self, move: str) -> int:
        return self._orders[move]

    @cached_property
    def _orders(self) -> dict[str, int]:
        return {move: _order(self.definition, move) for move in self.definition["moves"]}

    def distances(self, tokens: Sequence[str]) -> dict[Contents, int]:
        """How many of these moves each state is from solved; states from which they do not lead there are left out."""
        before: dict[Contents, list[Contents]] = {state: [] for state in self.states}
        for state in self.states:
            for token in tokens:
                before[self.apply(state, token)].append(state)
        found, todo = {self.solved: 0}, [self.solved]
        for state in todo:
            for other in before[state]:
                if other not in found:
                    found[other] = found[state] + 1
                    todo.append(other)
        return found

    def as_json(self, state: Contents) -> dict[str, dict[str, list[int]]]:
        """The state as a KPattern."""
        names = [orbit["orbitName"] for orbit in self.definition["orbits"]]
        return {
            name: {"pieces": list(pieces), "orientation": list(turned)}
            for name, (pieces, turned) in zip(names, state, strict=True)
        }


def random_space(random: Random, most: int) -> Space:
    """A random puzzle of at most so many states, often with pieces that look alike."""
    while True:
        definition = _random_definition(random)
        states = _reached(definition, most)
        if states is not None and len(states) > 1:
            return Space(definition, states)


def random_tokens(random: Random, space: Space) -> list[str]:
    """Some moves of a puzzle or their inverses, one of them at least."""
    names = list(space.definition["moves"])
    chosen = random.sample(names, random.randint(1, len(names)))
    return [name + random.choice(_suffixes(space.order(name))) for name in chosen]


def _suffixes(order: int) -> tuple[str, ...]:
    if order == 2:
        return ("",)
    return ("", "", "'") if order > _MOST_NAMED else ("", "", "'", "2")


def _random_definition(random: Random) -> dict[str, Any]:
    orbits, pattern = [], {}
    for name in ("P", "Q", "R")[: random.choice((1, 1, 1, 2, 2, 3))]:
        count, turns = random.randint(1, 6), random.choice((1, 1, 1, 2, 2, 3, 4, 6))
        orbits.append({"orbitName": name, "numPieces": count, "numOrientations": turns})
        kinds = random.randint(1, count)
        pieces = [random.randrange(kinds) for _ in range(count)]
        if kinds == count or len(set(pieces)) == count:  # different pieces have the numbers of their slots
            pieces = list(range(count))
        pattern[name] = {"pieces": pieces, "orientation": [0] * count}
        divisors = [0, *(n for n in range(1, turns + 1) if turns % n == 0)]
        modulus = {piece: random.choice(divisors) for piece in set(pieces)}
        match random.randrange(4):
            case 0:  # each kind its own
                pattern[name]["orientationMod"] = [modulus[piece] for piece in pieces]
            case 1:  # all the same
                pattern[name]["orientationMod"] = [modulus[pieces[0]]] * count
    moves: dict[str, Any] = {}
    for letter in "ABCDE"[: random.randint(1, 5)]:
        moved = random.sample(orbits, random.randint(1, len(orbits)))
        moves[letter] = {orbit["orbitName"]: _random_turn(random, orbit) for orbit in moved}
        if random.randrange(3) == 0 and len(moves) > 1:  # conjugates of other moves make symmetries
            by, of = random.choice(list(moves)), random.choice(list(moves)[:-1])
            moves[letter] = _conjugate(orbits, moves[by], moves[of])
    moves = {name: move for name, move in moves.items() if not _rests(orbits, pattern, move)}
    if not moves:
        return _random_definition(random)
    return {"name": "random", "orbits": orbits, "defaultPattern": pattern, "moves": moves}


def _random_turn(random: Random, orbit: dict[str, Any]) -> dict[str, list[int]]:
    count, turns = orbit["numPieces"], orbit["numOrientations"]
    order = list(range(count))
    match random.randrange(4):
        case 0:
            random.shuffle(order)
        case 1:  # a cycle
            cycle = random.sample(order, random.randint(1, count))
            for here, there in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                order[here] = there
        case 2:  # swaps
            chosen = random.sample(order, count // 2 * 2)
            for a, b in list(zip(chosen[::2], chosen[1::2], strict=True))[: random.randint(1, 3)]:
                order[a], order[b] = b, a
        case _:
            order = order[1:] + order[:1]
    few = random.randrange(2)
    delta = [0 if few and random.randrange(3) else random.randrange(turns) for _ in order]
    return {"permutation": order, "orientationDelta": delta}


def _whole(orbits: Sequence[dict[str, Any]], move: dict[str, Any]) -> dict[str, tuple[list[int], list[int]]]:
    still = {o["orbitName"]: (list(range(o["numPieces"])), [0] * o["numPieces"]) for o in orbits}
    return still | {name: (own["permutation"], own["orientationDelta"]) for name, own in move.items()}


def _conjugate(orbits: Sequence[dict[str, Any]], by: dict[str, Any], of: dict[str, Any]) -> dict[str, Any]:
    """The move that is first ``by``, then ``of``, then ``by`` undone."""
    first, second = _whole(orbits, by), _whole(orbits, of)
    made = {}
    for orbit in orbits:
        name, turns = orbit["orbitName"], orbit["numOrientations"]
        (p, t), (q, u) = first[name], second[name]
        both = [p[q[slot]] for slot in range(len(p))], [t[q[slot]] + u[slot] for slot in range(len(p))]
        back = [p.index(slot) for slot in range(len(p))]
        permutation = [both[0][back[slot]] for slot in range(len(p))]
        delta = [(both[1][back[slot]] - t[back[slot]]) % turns for slot in range(len(p))]
        made[name] = {"permutation": permutation, "orientationDelta": delta}
    return made


def _rests(orbits: Sequence[dict[str, Any]], pattern: dict[str, Any], move: dict[str, Any]) -> bool:
    """Whether a move moves nothing, which a definition may not have: turns count modulo what all pieces of an orbit
    look the same after."""
    for orbit in orbits:
        permutation, delta = _whole(orbits, move)[orbit["orbitName"]]
        moduli = set(pattern[orbit["orbitName"]].get("orientationMod", [0]))
        turns = (moduli.pop() if len(moduli) == 1 else 0) or orbit["numOrientations"]
        if permutation != list(range(len(permutation))) or any(turn % turns for turn in delta):
            return False
    return True


def _moduli(definition: dict[str, Any]) -> list[dict[int, int]]:
    """By orbit and piece: in how many orientations it looks different."""
    found = []
    for orbit in definition["orbits"]:
        own = definition["defaultPattern"][orbit["orbitName"]]
        moduli = own.get("orientationMod") or [0] * len(own["pieces"])
        turns = orbit["numOrientations"]
        found.append({piece: modulus or turns for piece, modulus in zip(own["pieces"], moduli, strict=True)})
    return found


def _turned(definition: dict[str, Any], state: Contents, name: str) -> Contents:
    move, after = definition["moves"][name], []
    for orbit, moduli, (pieces, turned) in zip(definition["orbits"], _moduli(definition), state, strict=True):
        own = move.get(orbit["orbitName"])
        if own is None:
            after.append((pieces, turned))
            continue
        there = tuple(pieces[source] for source in own["permutation"])
        delta = own["orientationDelta"]
        turns = zip(there, own["permutation"], delta, strict=True)
        after.append((there, tuple((turned[source] + more) % moduli[piece] for piece, source, more in turns)))
    return tuple(after)


def _order(definition: dict[str, Any], name: str) -> int:
    """After how many times a move has done nothing, whichever pieces are where."""
    apart = {}
    for orbit in definition["orbits"]:
        count = orbit["numPieces"]
        moduli = {*definition["defaultPattern"][orbit["orbitName"]].get("orientationMod", [0])}
        seen = [moduli.pop() if len(moduli) == 1 else 0] * count
        own = {"pieces": list(range(count)), "orientation": [0] * count, "orientationMod": seen}
        apart[orbit["orbitName"]] = own
    definition = {**definition, "defaultPattern": apart}
    solved = _solved(definition)
    state, times = _turned(definition, solved, name), 1
    while state != solved:
        state, times = _turned(definition, state, name), times + 1
    return times


def _solved(definition: dict[str, Any]) -> Contents:
    own = [definition["defaultPattern"][orbit["orbitName"]] for orbit in definition["orbits"]]
    return tuple((tuple(part["pieces"]), tuple(part["orientation"])) for part in own)


def _reached(definition: dict[str, Any], most: int) -> list[Contents] | None:
    """All states, solved first; None if there are more than ``most``."""
    solved = _solved(definition)
    seen, todo = {solved}, [solved]
    for state in todo:
        for name in definition["moves"]:
            after = _turned(definition, state, name)
            if after not in seen:
                if len(seen) == most:
                    return None
                seen.add(after)
                todo.append(after)
    return todo
