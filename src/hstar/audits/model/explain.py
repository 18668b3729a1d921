"""Why a model is not the puzzle: reasons of every kind, the shortest explanation first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import get_args

from hstar.audits.model.schema import FirstScramble, Reason, ReasonKind
from hstar.groups.isomorphism import Isomorphism, assignments, with_turns
from hstar.groups.permutations import cycle_type, in_words, moved, order, word
from hstar.groups.turn_system import TurnSystem

MAX_OF_A_KIND = 6
#: the most scrambles that are tried, shortest first
MAX_WORDS = 2500
#: the most turns that are tried as the only wrong one
MAX_SUSPECTS = 3


@dataclass(frozen=True, slots=True)
class Culprit:
    """The only wrong turn: without it the model is ours, with these slots."""

    number: int
    turns: tuple[int, ...]
    slots: dict[int, int]


def explain(
    theirs: TurnSystem, ours: TurnSystem, named: Sequence[int] | None
) -> tuple[list[Reason], FirstScramble | None, Sequence[int] | None]:
    """The reasons, the first scramble with another result, and our turn for each of theirs, if known.

    :param ours: a move set with as many turns
    :param named: our turn for each of theirs, if all their names are ours
    """
    reasons = [*facelets(theirs, ours), *single_turns(theirs, ours)]
    culprit = _culprit(theirs, ours, named)
    known = named
    if culprit is not None:
        reasons += _misplaced(theirs, ours, culprit)
        known = culprit.turns
    else:
        known = known or next(assignments(theirs, ours), None)
    reasons += [*parting(theirs, ours), *commutators(theirs, ours)]
    scramble = None if known is None else first_scramble(theirs, ours, known)
    if scramble is not None:
        reasons.append(Reason(kind="scramble", message=scramble.message, turns=scramble.alg))
    if not reasons:
        text = (
            "no assignment of the turns to those of the puzzle fits, though any two of them look like two of its turns"
        )
        reasons.append(Reason(kind="turns", message=text))
    return in_order(reasons), scramble, known


def in_order(reasons: Iterable[Reason]) -> list[Reason]:
    """The reasons, shortest explanation first, and at most a few of each kind."""
    kinds = get_args(ReasonKind)
    found = sorted(reasons, key=lambda reason: kinds.index(reason.kind))
    counts: Counter[str] = Counter()
    kept = []
    for reason in found:
        counts[reason.kind] += 1
        if counts[reason.kind] <= MAX_OF_A_KIND:
            kept.append(reason)
    return kept


def facelets(theirs: TurnSystem, ours: TurnSystem) -> list[Reason]:
    """The reason that too many or too few slots move."""
    count, expected = len(theirs.moved), len(ours.moved)
    if count == expected:
        return []
    text = f"the turns move {count} different slots; those of the puzzle move {expected} facelets"
    return [Reason(kind="facelets", message=text)]


def single_turns(theirs: TurnSystem, ours: TurnSystem) -> list[Reason]:
    """Turns that have the wrong order, or move too many or too few facelets."""
    allowed = set(ours.types)
    orders = sorted({order(kind) for kind in allowed})
    sizes = sorted({moved(kind) for kind in allowed})
    reasons = []
    for name, kind in zip(theirs.names, theirs.types, strict=True):
        if kind in allowed:
            continue
        if order(kind) not in orders:
            text = f"{name} has order {order(kind)} (repeated so often it moves nothing); {_or(orders)} is right"
            reasons.append(Reason(kind="order", message=text, turns=[name]))
        elif moved(kind) not in sizes:
            text = f"{name} moves {moved(kind)} facelets; {_or(sizes)} is right"
            reasons.append(Reason(kind="cycles", message=text, turns=[name]))
        else:
            text = f"{name} has {in_words(kind)}; {_or(sorted({in_words(k) for k in allowed}))} is right"
            reasons.append(Reason(kind="cycles", message=text, turns=[name]))
    return reasons


def _or(values: Sequence[object]) -> str:
    return " or ".join(map(str, values))


def parting(theirs: TurnSystem, ours: TurnSystem) -> list[Reason]:
    """Facelets of one piece that a turn moves to different pieces."""
    if any(True for _ in _parted(ours)):  # then the pieces of this puzzle cannot be recognised by their turns
        return []
    reasons = []
    for number, together, apart in _parted(theirs):
        text = (
            f"{theirs.names[number]} parts slots {together[0]} and {together[1]}, facelets of one piece (the same "
            f"turns move them): it carries them to {apart[0]} and {apart[1]}, which are of different pieces"
        )
        reasons.append(Reason(kind="pieces", message=text, turns=[theirs.names[number]], slots=[*together, *apart]))
    return reasons


def _parted(system: TurnSystem) -> Iterable[tuple[int, tuple[int, int], tuple[int, int]]]:
    """(turn, two slots of one piece, where the turn moves them) where these belong to different pieces."""
    for number, turn in enumerate(system.turns):
        goes = {source: slot for slot, source in enumerate(turn)}
        for movers, slots in system.pieces.items():
            if number not in movers:
                continue
            first = goes[slots[0]]
            for slot in slots[1:]:
                if system.movers[goes[slot]] != system.movers[first]:
                    yield number, (slots[0], slot), (first, goes[slot])
                    break


def commutators(theirs: TurnSystem, ours: TurnSystem) -> list[Reason]:
    """Pairs of turns whose commutator has another cycle type than all of the puzzle's."""
    count = len(ours.turns)
    allowed = {ours.commutator_types(a, b) for a in range(count) for b in range(a)}
    orders = sorted({order(kind) for kind in allowed})
    wrong = [
        (a, b)
        for a in range(len(theirs.turns))
        for b in range(a + 1, len(theirs.turns))
        if theirs.commutator_types(a, b) not in allowed
    ]
    involved = Counter(number for pair in wrong for number in pair)
    wrong.sort(key=lambda pair: -involved[pair[0]] - involved[pair[1]])
    reasons = []
    for a, b in wrong:
        kind = theirs.commutator_types(a, b)
        names = theirs.names[a], theirs.names[b]
        found = f"order {order(kind)}" if order(kind) not in orders else in_words(kind)
        text = f"the commutator of {names[0]} and {names[1]} has {found}; on the puzzle it has order {_or(orders)}"
        reasons.append(Reason(kind="commutator", message=text, turns=list(names)))
    return reasons


def _culprit(theirs: TurnSystem, ours: TurnSystem, named: Sequence[int] | None) -> Culprit | None:
    """The turn whose removal makes the model ours, if there is one."""
    numbers = range(len(theirs.turns))
    suspicion: Counter[int] = Counter()
    allowed = {ours.pair(a, b) for a in numbers for b in range(a)}
    types = set(ours.types)
    for a in numbers:
        suspicion[a] += 100 * (theirs.types[a] not in types)
        for b in range(a):
            if theirs.pair(a, b) not in allowed:
                suspicion[a] += 1
                suspicion[b] += 1
    # If only one turn is wrong, it is in every wrong pair, so the turns in most wrong pairs come first.
    for number in sorted(numbers, key=lambda n: -suspicion[n])[:MAX_SUSPECTS]:
        rest = [n for n in numbers if n != number]
        candidates: Iterable[tuple[int, ...]] = assignments(theirs, ours, rest)
        if named is not None:
            candidates = [tuple(named[n] for n in rest), *candidates]
        for chosen in candidates:
            (left,) = set(numbers) - set(chosen)
            found = _without(theirs, ours, number, left, chosen)
            if found is not None:
                turns = list(chosen)
                turns.insert(number, left)
                return Culprit(number, tuple(turns), found.slots)
    return None


def _without(theirs: TurnSystem, ours: TurnSystem, number: int, left: int, chosen: Sequence[int]) -> Isomorphism | None:
    shifted = [image - (image > left) for image in chosen]
    return with_turns(theirs.without(number), ours.without(left), shifted)


def _misplaced(theirs: TurnSystem, ours: TurnSystem, culprit: Culprit) -> list[Reason]:
    """The facelets that the only wrong turn moves to wrong places."""
    turn, right = theirs.turns[culprit.number], ours.turns[culprit.turns[culprit.number]]
    theirs_of = {image: slot for slot, image in culprit.slots.items()}
    wrong = {
        slot: theirs_of[right[image]]
        for slot, image in culprit.slots.items()
        if right[image] in theirs_of and turn[slot] != theirs_of[right[image]]
    }
    if not wrong:
        return []
    name = theirs.names[culprit.number]
    shown = ", ".join(f"p[{slot}] = {turn[slot]} should be {source}" for slot, source in sorted(wrong.items())[:6])
    more = f", and {len(wrong) - 6} more" if len(wrong) > 6 else ""
    text = f"all turns but {name} are right; {name} joins {len(wrong)} facelets wrongly: {shown}{more}"
    return [Reason(kind="turn", message=text, turns=[name], slots=sorted(wrong))]


def first_scramble(theirs: TurnSystem, ours: TurnSystem, known: Sequence[int]) -> FirstScramble | None:
    """The shortest sequence of turns, by their numbers, whose permutation has other cycle lengths than on the puzzle,
    so that it differs in any numbering."""
    tried = 0
    for length in range(1, 6):
        for numbers in product(range(len(theirs.turns)), repeat=length):
            tried += 1
            if tried > MAX_WORDS:
                return None
            found = cycle_type(word([theirs.turns[n] for n in numbers], theirs.size))
            right = cycle_type(word([ours.turns[known[n]] for n in numbers], ours.size))
            if found == right:
                continue
            alg = [theirs.names[n] for n in numbers]
            repeated = order(found), order(right)
            text = f"the scramble {' '.join(alg)} is another one in the model: "
            if repeated[0] != repeated[1]:
                text += f"repeated, it solves the model after {repeated[0]} times and the puzzle after {repeated[1]}"
            else:
                text += f"it moves {moved(found)} facelets ({in_words(found)}) and on the puzzle {moved(right)} "
                text += f"({in_words(right)})"
            return FirstScramble(
                alg=alg,
                ours=[ours.names[known[n]] for n in numbers],
                theirs_order=repeated[0],
                ours_order=repeated[1],
                message=text,
            )
    return None
