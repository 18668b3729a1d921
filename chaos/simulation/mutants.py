"""Changes of the rules, one at a time, to see whether the specification notices each.

>>> changed = {mutant.name: mutant for mutant in all_mutants()}
>>> changed["LOSE_AND_QUEUE without losses"].is_noticed(range(500))
True

Every condition of every rule is left out. Every change of a column is left out and replaced by every other, and every
target and source by every other state. Every condition is always true, never true, or the opposite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unittest.mock import patch

from chaos.simulation.histories import run
from store.jobs import rules
from store.jobs.rules import Change, Given, Row, Rule
from store.jobs.states import State

__all__ = ["EQUIVALENT", "HISTORIES", "Mutant", "all_mutants"]

#: histories after which a mutant counts as a survivor; most are noticed in the first hundred
HISTORIES = 3_000
#: the survivors, with the reason why each changes nothing
EQUIVALENT = {
    "START without cancel_requested": "a queued job has no such flag",
    "CANCEL_QUEUED cancel_requested = ONE_MORE": "1 is true",
    "CANCEL_QUEUED cancel_requested = LEASE": "a time is true",
    "GIVE_UP without CANCEL_REQUESTED": "HAND_BACK, which is tried first, takes all others",
    "LOSE_FOR_GOOD without NO_CANCEL_REQUESTED": "LOSE_CANCELLED, which is tried first, takes all others",
    "LOSE_AND_QUEUE without NO_CANCEL_REQUESTED": "LOSE_CANCELLED, which is tried first, takes all others",
    "LOSE_AND_QUEUE without MAY_BE_LOST_AGAIN": "LOSE_FOR_GOOD, which is tried first, takes all others",
    "MAY_BE_LOST_AGAIN always": "LOSE_FOR_GOOD, which is tried first, takes all others",
    "END[cancelled] without SAME_ATTEMPT": "after a cancel there is no other attempt",
    **{
        f"END[{state}] {change}": "it was null before"
        for state, column in (("cancelled", "error"), ("done", "error"), ("failed", "answer"))
        for change in (f"without {column}", f"{column} = NULL")
    },
}


@dataclass(frozen=True)
class Mutant:
    """A change of the rules. ``inside``: in this block it is in force."""

    name: str
    inside: Callable[[], AbstractContextManager[Any]]

    def is_noticed(self, seeds: Sequence[int], step: int = 100) -> bool:
        """Whether a history of these seeds ends in a violation."""
        with self.inside():
            for start in range(0, len(seeds), step):
                try:
                    if run(seeds[start : start + step]).violations:
                        return True
                except Exception:  # what is changed may not even run
                    return True
        return False


def is_noticed(name: str, seeds: Sequence[int]) -> bool:
    """Whether the change of this name is noticed; for other processes, because a mutant cannot be sent to one."""
    return next(mutant for mutant in all_mutants() if mutant.name == name).is_noticed(seeds)


def _all_rules() -> Iterator[tuple[str, Rule, Callable[[Rule], AbstractContextManager[Any]]]]:
    for name, found in vars(rules).items():
        if isinstance(found, Rule):
            yield name, found, partial(patch.object, rules, name)
    for state, found in sorted(rules.END.items()):
        yield f"END[{state}]", found, partial(_put_end, state)


def _put_end(state: State, changed: Rule) -> AbstractContextManager[Any]:
    return patch.dict(rules.END, {state: changed})


def _with(rule: Rule, **changed: object) -> Rule:
    """A rule that is changed in a way that `Rule` itself would refuse or mend."""
    made = copy(rule)
    for name, value in changed.items():
        object.__setattr__(made, name, value)
    return made


def _changes_of(rule: Rule) -> Iterator[tuple[str, Rule]]:
    for left_out in rule.conditions:
        rest = tuple(one for one in rule.conditions if one is not left_out)
        yield f"without {left_out.name}", _with(rule, conditions=rest)
    for column, change in rule.changes.items():
        others = {name: one for name, one in rule.changes.items() if name != column}
        yield f"without {column}", _with(rule, changes=others)
        for other in Change:
            if other is not change:
                yield f"{column} = {other.name}", _with(rule, changes={**rule.changes, column: other})
    for state in State:
        if state is not rule.target:
            yield f"to {state}", _with(rule, target=state)
        if state is not rule.transition.source:
            yield f"from {state}", _with(rule, transition=replace(rule.transition, source=state))


def _opposite(holds: Callable[[Row, Given], bool], row: Row, given: Given) -> bool:
    return not holds(row, given)


def _constant(value: bool, _row: Row, _given: Given) -> bool:
    return value


def all_mutants() -> Iterator[Mutant]:
    """Every change of a rule, and of a condition."""
    for name, rule, put in _all_rules():
        for what, changed in _changes_of(rule):
            yield Mutant(f"{name} {what}", partial(put, changed))
    for condition, holds in rules._HOLDS.items():
        changes = {
            "always": partial(_constant, True),
            "never": partial(_constant, False),
            "not": partial(_opposite, holds),
        }
        for what, other in changes.items():
            yield Mutant(f"{condition.name} {what}", partial(patch.dict, rules._HOLDS, {condition: other}))
