"""Random small puzzles as definitions in all formats, and all their states, found by reading the definition alone.

Nothing here uses hstar: it is the witness that hstar's answers are compared with. A state is what each slot holds: of a
definition of pieces the piece's number times the orbit's orientations plus its orientation, of generators on points the
label that each point shows.

>>> space = random_space(Random(1), 200)
>>> space.apply_all(space.solved, ["A", "A'"]) == space.solved                                  # doctest: +SKIP
True
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from math import lcm
from random import Random
from typing import Any

State = tuple[int, ...]
#: by slot: the slot whose content comes there, and what that becomes
Action = tuple[tuple[int, Sequence[int]], ...]

#: the powers of a move of higher order have no names
MOST_NAMED = 12
FORMATS = ("kpuzzle", "tws", "generators", "gap")
_AMOUNT = re.compile(r"([0-9]*)('?)")
_ENCLOSED = re.compile(r"\(([^()]+)\)([0-9]*)('?)")
#: names that end in digits, begin like others, or look like parts of a language
_HOSTILE = (
    "A2", "A22", "g1", "g12", "2", "2A", "x", "Uv", "y2", "-", "+", "-1", "0x1", "1e3", "//", "a/b", "*", "**", "U!",
    "if", "and", "lambda", "max", "pdb", "all-", "Ä", "R_", "r.u", "<", "==", "{", "}", "&", "%s", "$A", "@", "~", '"',
    "\\", "\\n", '"A', "`", "^", "|", "?", "_", "End", "Set", "Move", "v",
)  # fmt: skip
_HOSTILE_GAP = ("A2", "A22", "g1", "g12", "g3", "Name", "Set", "ip_", "x", "y2", "Uv", "r.u", "_", "Group", "M")
_HOSTILE_ORBITS = ("solved", "max", "MOVES", "P2", "p_1", "abs", "ceil", "pdb", "Q__", "misplaced", "cosets", "all")


@dataclass(frozen=True)
class Space:
    """A puzzle as a definition has it, and the states that its moves reach from solved.

    :param given: the definition: a text or a JSON value
    :param orbits: name, pieces and orientations of each; none for generators on points
    :param moduli: by orbit and piece, in how many orientations it looks different
    :param actions: by move
    :param places: by move what it does if all contents are told apart, for its order: by slot (slot, turns, modulo)
    """

    given: object
    form: str
    orbits: tuple[tuple[str, int, int], ...]
    moduli: tuple[Mapping[int, int], ...]
    solved: State
    actions: Mapping[str, Action]
    places: Mapping[str, tuple[tuple[int, int, int], ...]]
    most: int = 10**6

    @cached_property
    def states(self) -> Sequence[State]:
        """All states, solved first; too many is an error."""
        seen, todo = {self.solved}, [self.solved]
        for state in todo:
            for action in self.actions.values():
                after = _after(state, action)
                if after not in seen:
                    if len(seen) == self.most:
                        raise OverflowError
                    seen.add(after)
                    todo.append(after)
        return todo

    def read(self, token: str) -> tuple[str, int]:
        """The move in a token such as ``A``, ``A2'`` or ``(g1)2``, and how often it is made."""
        match = _ENCLOSED.fullmatch(token)
        if match is not None and match[1] in self.actions:
            return match[1], int(match[2] or 1) * (-1 if match[3] else 1)
        for name in sorted(self.actions, key=len, reverse=True):
            amount = _AMOUNT.fullmatch(token, len(name)) if token.startswith(name) else None
            if amount is not None and not (amount[1] and name[-1].isdigit()):
                return name, int(amount[1] or 1) * (-1 if amount[2] else 1)
        raise ValueError(f"{token!r} is not a move")

    def action(self, token: str) -> Action:
        if token not in self._read:
            name, count = self.read(token)
            identity: Action = tuple((slot, range(10**6)) for slot in range(len(self.solved)))
            self._read[token] = identity
            for _ in range(count % self.order(name)):
                self._read[token] = _then(self._read[token], self.actions[name])
        return self._read[token]

    @cached_property
    def _read(self) -> dict[str, Action]:
        return {}

    def apply(self, state: State, token: str) -> State:
        return _after(state, self.action(token))

    def apply_all(self, state: State, tokens: Iterable[str]) -> State:
        for token in tokens:
            state = self.apply(state, token)
        return state

    def order(self, name: str) -> int:
        """After how many times a move has done nothing, whatever is where."""
        return self._orders[name]

    def order_seen(self, name: str) -> int:
        """After how many times a move has changed no state that the puzzle reaches. As pieces, it may be none then."""
        states, order = list(self.states), self.order(name)
        for times in range(1, order):
            states = [self.apply(state, name) for state in states]
            if states == list(self.states):
                return times
        return order

    @cached_property
    def _orders(self) -> dict[str, int]:
        return {name: _order(places) for name, places in self.places.items()}

    def distances(
        self, tokens: Sequence[str], kept: Sequence[str] | None = None, costs: Sequence[int] | None = None
    ) -> dict[State, int]:
        """How many of these moves each state is from solved, or what they cost; states from which they do not lead
        there are left out.

        :param kept: of these orbits alone: a state is what their slots hold
        """
        actions = [self.action(token) for token in tokens]
        states, solved = self.states, self.solved
        if kept is not None:
            slots = self.slots(kept)
            number = {slot: i for i, slot in enumerate(slots)}
            actions = [tuple((number[action[slot][0]], action[slot][1]) for slot in slots) for action in actions]
            states = list(dict.fromkeys(tuple(state[slot] for slot in slots) for state in states))
            solved = tuple(solved[slot] for slot in slots)
        before: dict[State, list[tuple[State, int]]] = {state: [] for state in states}
        for state in states:
            for action, cost in zip(actions, costs or [1] * len(actions), strict=True):
                before[_after(state, action)].append((state, cost))
        found, todo = {solved: 0}, [(0, solved)]
        while todo:
            distance, state = heappop(todo)
            if distance > found[state]:
                continue
            for other, cost in before[state]:
                if other not in found or distance + cost < found[other]:
                    found[other] = distance + cost
                    heappush(todo, (distance + cost, other))
        return found

    def slots(self, orbits: Sequence[str]) -> list[int]:
        """The slots of these orbits."""
        found, first = list[int](), 0
        for name, pieces, _ in self.orbits:
            found += range(first, first + pieces) if name in orbits else ()
            first += pieces
        return found

    def as_json(self, state: State) -> dict[str, Any]:
        """The state as hstar reads it: a KPattern, or the label at each point."""
        if not self.orbits:
            return {"points": list(state)}
        found, first = {}, 0
        for name, pieces, turns in self.orbits:
            own = state[first : first + pieces]
            found[name] = {"pieces": [v // turns for v in own], "orientation": [v % turns for v in own]}
            first += pieces
        return {"pieces": found}

    def written(self, name: str, suffix: str) -> str:
        """A move with a count or a prime, in parentheses where it would be read as another."""
        digits = suffix.rstrip("'")
        return (
            f"({name}){suffix}" if digits and (name[-1].isdigit() or name + digits in self.actions) else name + suffix
        )

    def one_step(self, state: State) -> Iterable[State]:
        """What one step of a repair leads to: a piece turned, or two of an orbit swapped."""
        first = 0
        for (_, pieces, turns), moduli in zip(self.orbits, self.moduli, strict=True):
            for slot in range(first, first + pieces):
                piece, orientation = divmod(state[slot], turns)
                for turned in range(1, moduli[piece]):
                    after = list(state)
                    after[slot] = piece * turns + (orientation + turned) % moduli[piece]
                    yield tuple(after)
                for other in range(first, slot):
                    after = list(state)
                    after[slot], after[other] = after[other], after[slot]
                    yield tuple(after)
            first += pieces

    def rearranged(self, random: Random) -> State:
        """The pieces at random places, in random orientations, whether or not moves lead there."""
        found: list[int] = []
        for (_, pieces, turns), moduli in zip(self.orbits, self.moduli, strict=True):
            own = [value // turns for value in self.solved[len(found) : len(found) + pieces]]
            random.shuffle(own)
            found += [piece * turns + random.randrange(moduli[piece]) for piece in own]
        return tuple(found)


def space_of(definition: dict[str, Any]) -> Space:
    """The space of a KPuzzle."""
    return _of_pieces(definition, definition, "kpuzzle")


def random_space(random: Random, most: int, form: str | None = None) -> Space:
    """A random puzzle of two to so many states in one of the formats, often with pieces that look alike."""
    while True:
        chosen = form or random.choice(FORMATS)
        space = (
            _random_pieces(random, chosen, most)
            if chosen in ("kpuzzle", "tws")
            else _random_points(random, chosen, most)
        )
        try:
            if space is not None and len(space.states) > 1:
                return space
        except OverflowError:
            pass


def random_tokens(random: Random, space: Space) -> list[str]:
    """Some moves of a puzzle or their inverses, one of them at least, as a set of moves may be named."""
    names = list(space.actions)
    chosen = random.sample(names, random.randint(1, len(names)))
    return [
        space.written(name, random.choice(_suffixes(name, space.order(name), space.order_seen(name))))
        for name in chosen
    ]


def _suffixes(name: str, order: int, seen: int) -> tuple[str, ...]:
    if min(order, seen) <= 2 or name[-1] == "'":
        return ("",)
    return ("", "", "'") if order > MOST_NAMED else ("", "", "'", "2")


# -- definitions of pieces ---------------------------------------------------------------------------------------------


def _random_pieces(random: Random, form: str, most: int) -> Space | None:
    orbits, pattern = [], {}
    names = list(("P", "Q", "R") if random.randrange(4) else random.sample(_HOSTILE_ORBITS, 3))
    for name in names[: random.choice((1, 1, 1, 2, 2, 3))]:
        count, turns = random.randint(1, 6), random.choice((1, 1, 1, 2, 2, 3, 4, 6))
        orbits.append({"orbitName": name, "numPieces": count, "numOrientations": turns})
        kinds = random.randint(1, count)
        pieces = [random.randrange(kinds) for _ in range(count)]
        if random.randrange(3) == 0 or len(set(pieces)) == count:  # different pieces have the numbers of their slots
            pieces = list(range(count))
        if form == "tws":  # which numbers identical pieces from 0 in their order
            pieces = [sorted(set(pieces)).index(piece) for piece in pieces]
        pattern[name] = {"pieces": pieces, "orientation": [0] * count}
        divisors = [0, 1] if form == "tws" else [0, *(n for n in range(1, turns + 1) if turns % n == 0)]
        modulus = {piece: random.choice(divisors) for piece in set(pieces)}
        match random.randrange(4):
            case 0:  # each kind its own
                pattern[name]["orientationMod"] = [modulus[piece] for piece in pieces]
            case 1:  # all the same
                pattern[name]["orientationMod"] = [modulus[pieces[0]]] * count
    moves: dict[str, Any] = {}
    for name in _names(random, _HOSTILE if form == "kpuzzle" else tuple(n for n in _HOSTILE if "#" not in n)):
        moved = random.sample(orbits, random.randint(1, len(orbits)))
        moves[name] = {orbit["orbitName"]: _random_turn(random, orbit) for orbit in moved}
        if random.randrange(3) == 0 and len(moves) > 1:  # conjugates of other moves make symmetries
            by, of = random.choice(list(moves)), random.choice(list(moves)[:-1])
            moves[name] = _conjugate(orbits, moves[by], moves[of])
        elif random.randrange(8) == 0 and len(moves) > 1:  # another name of an equal move
            moves[name] = random.choice(list(moves.values()))
    moves = {name: move for name, move in moves.items() if not _rests(orbits, pattern, move)}
    if not moves:
        return None
    definition = {"name": "random", "orbits": orbits, "defaultPattern": pattern, "moves": moves}
    given: object = definition
    if form == "tws":
        given = _as_tws(random, definition)
    elif random.randrange(2):
        given = json.dumps(definition)
    return _of_pieces(given, definition, form, most)


def _names(random: Random, hostile: Sequence[str]) -> list[str]:
    count = random.randint(1, 5)
    if random.randrange(3):
        return list("ABCDE"[:count])
    return random.sample(("A", "B", "U", "g", *hostile), count)


def _of_pieces(given: object, definition: dict[str, Any], form: str, most: int = 10**6) -> Space:
    orbits = [(o["orbitName"], o["numPieces"], o["numOrientations"]) for o in definition["orbits"]]
    pattern, moduli = definition["defaultPattern"], []
    shown = []  # turns count modulo what all pieces of an orbit look the same after
    for name, pieces, turns in orbits:
        own = pattern[name].get("orientationMod") or [0] * pieces
        moduli.append({piece: modulus or turns for piece, modulus in zip(pattern[name]["pieces"], own, strict=True)})
        shown.append(lcm(*moduli[-1].values()))
    solved = tuple(piece * turns for name, _, turns in orbits for piece in pattern[name]["pieces"])
    actions, places = {}, {}
    for move, parts in definition["moves"].items():
        action: list[tuple[int, Sequence[int]]] = []
        place: list[tuple[int, int, int]] = []
        for (name, pieces, turns), own, modulus in zip(orbits, moduli, shown, strict=True):
            first = len(action)
            part = parts.get(name, {"permutation": range(pieces), "orientationDelta": [0] * pieces})
            for source, more in zip(part["permutation"], part["orientationDelta"], strict=True):
                table = [0] * (turns * (1 + max(own)))
                for piece, distinct in own.items():
                    for turned in range(distinct):
                        table[piece * turns + turned] = piece * turns + (turned + more) % distinct
                action.append((first + source, tuple(table)))
                place.append((first + source, more, modulus))
        actions[move], places[move] = tuple(action), tuple(place)
    return Space(given, form, tuple(orbits), tuple(moduli), solved, actions, places, most)


def _as_tws(random: Random, definition: dict[str, Any]) -> str:
    lines = ["Name random", "# a comment"]
    lines += [f"Set {o['orbitName']} {o['numPieces']} {o['numOrientations']}" for o in definition["orbits"]]
    first = random.randrange(2)
    lines.append("Solved" if first else "StartState")
    for name, own in definition["defaultPattern"].items():
        turns = next(o["numOrientations"] for o in definition["orbits"] if o["orbitName"] == name)
        moduli = own.get("orientationMod", [0] * len(own["pieces"]))
        lines += [name, " ".join(str(piece + first) for piece in own["pieces"])]
        lines.append(" ".join("?" if modulus == 1 and turns > 1 else "0" for modulus in moduli))
    lines.append("End")
    for move, parts in definition["moves"].items():
        transformation = random.randrange(2) == 0
        lines.append(f"Move{'Transformation' if transformation else ''} {move}")
        for name, own in parts.items():
            source, delta = own["permutation"], own["orientationDelta"]
            gained = dict(zip(source, delta, strict=True))
            lines += [name, " ".join(str(s if transformation else s + 1) for s in source)]
            lines.append(" ".join(str(delta[i] if transformation else gained[i]) for i in range(len(source))))
        lines.append("End")
    return "\n".join(lines) + "\n"


def _random_turn(random: Random, orbit: dict[str, Any]) -> dict[str, list[int]]:
    count, turns = orbit["numPieces"], orbit["numOrientations"]
    few = random.randrange(2)
    delta = [0 if few and random.randrange(3) else random.randrange(turns) for _ in range(count)]
    return {"permutation": _random_order(random, count), "orientationDelta": delta}


def _random_order(random: Random, count: int) -> list[int]:
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
    return order


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
        moduli = pattern[orbit["orbitName"]].get("orientationMod", [0])
        turns = lcm(*(modulus or orbit["numOrientations"] for modulus in moduli))
        if permutation != list(range(len(permutation))) or any(turn % turns for turn in delta):
            return False
    return True


# -- generators on points ----------------------------------------------------------------------------------------------


def _random_points(random: Random, form: str, most: int) -> Space | None:
    """Points of their own, or in blocks that moves carry as one and turn within, as the facelets of pieces."""
    blocks, size = random.randint(1, 6), random.choice((1, 1, 2, 3))
    count = blocks * size + random.choice((0, 0, 1))
    rows: dict[str, list[int]] = {}
    for name in _names(random, _HOSTILE_GAP if form == "gap" else _HOSTILE):
        order = list(range(count))
        if random.randrange(3) == 0:
            order = _random_order(random, count)
        else:
            there = _random_order(random, blocks)
            for block in range(blocks):
                turned = random.randrange(size)
                for i in range(size):
                    order[block * size + i] = there[block] * size + (i + turned) % size
        if order != list(range(count)):
            rows[name] = order
    for name in list(rows):  # the inverse and the square of a move, under the names that they have anyway
        back = [rows[name].index(i) for i in range(count)]
        if form == "generators" and random.randrange(6) == 0 and back != rows[name]:
            rows[name + "'"] = back
    if not rows:
        return None
    if form == "gap":  # which has no points after the last that a move moves
        count = 1 + max(i for row in rows.values() for i in range(len(row)) if row[i] != i)
        rows = {name: row[:count] for name, row in rows.items()}
    labels = list(range(count))
    if random.randrange(2):
        kinds = random.randint(1, count)
        seen = [random.randrange(kinds) for _ in range(count)]
        labels = [seen.index(kind) for kind in seen]  # as GAP's reader names them: by the first
    given: object
    if form == "gap":
        given = "\n".join(f"{name}:={_cycles(row)};" for name, row in rows.items())
        alike = [[i + 1 for i in range(count) if labels[i] == k] for k in sorted(set(labels))]
        if len(alike) < count:
            given += f"\nip:=[{','.join(map(str, alike))}];"
        given += "\n"
    else:
        given = (
            {"generators": rows, "central_state": labels} if len(set(labels)) < count or random.randrange(2) else rows
        )
        if random.randrange(3) == 0:
            given = {"actions": list(rows.values()), "action_names": list(rows), "central_state": labels}
        given = given if random.randrange(2) else json.dumps(given)
    same = range(count)
    actions = {name: tuple((source, same) for source in row) for name, row in rows.items()}
    places = {name: tuple((source, 0, 1) for source in row) for name, row in rows.items()}
    return Space(given, form, (), (), tuple(labels), actions, places, most)


def _cycles(row: Sequence[int]) -> str:
    """A permutation in GAP's notation: each point's content goes to the next one of its cycle."""
    text, seen = "", set[int]()
    goes = {source: there for there, source in enumerate(row)}
    for begin in range(len(row)):
        cycle = [begin]
        while goes[cycle[-1]] != begin:
            cycle.append(goes[cycle[-1]])
        if len(cycle) > 1 and begin not in seen:
            text += "(" + ",".join(str(point + 1) for point in cycle) + ")"
        seen.update(cycle)
    return text


# -- moves -------------------------------------------------------------------------------------------------------------


def _after(state: State, action: Action) -> State:
    return tuple([table[state[source]] for source, table in action])


def _then(first: Action, second: Action) -> Action:
    """First one, then the other. What never occurs in a slot may become anything."""
    found: list[tuple[int, Sequence[int]]] = []
    for source, table in second:
        before, own = first[source]
        found.append((before, table if isinstance(own, range) else _through(own, table)))
    return tuple(found)


def _through(first: Sequence[int], second: Sequence[int]) -> Sequence[int]:
    return first if isinstance(second, range) else tuple(second[value] for value in first)


def _order(places: tuple[tuple[int, int, int], ...]) -> int:
    at = [(slot, 0) for slot in range(len(places))]
    begin, times = list(at), 0
    while True:
        at = [(at[source][0], (at[source][1] + more) % modulus) for source, more, modulus in places]
        times += 1
        if at == begin:
            return times
