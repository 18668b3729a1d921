"""The one ledger of a solve: expansions, generation, seconds and memory, what was counted, and shares of what is left.

>>> budget = Budget(Limits(expanded=1000, memory_mib=64))
>>> near = budget.share(expanded=300)                    # a part that ends after 300 expansions
>>> near.kernel()["max_expanded"]
300
>>> near.count(Counted(expanded=300, generated=700))
>>> near.ended(), budget.ended(), budget.kernel()["max_expanded"]
('method', None, 700)

A share may have shares of its own. All count in the same ledger, so no limit is used twice, and the seconds of all
begin when the caller asked. No other code adds or subtracts a limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil, inf
from typing import Any

from hstar import _kernel
from hstar.schema import LimitName, Limits
from hstar.search.control import Control, Ended, Stopped

__all__ = ["GRACE", "Budget", "Counted"]

#: what a proof may take beyond the limit of seconds, after a search that kept it
GRACE = 0.1
_NODES = ("expanded", "generated")


@dataclass
class Counted:
    """The counters of several searches: sums, and of ``stored``, ``max_open`` and ``peak_bytes`` the largest."""

    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    stored: int = 0
    max_open: int = 0
    peak_bytes: int = 0

    def add(self, one: Ended) -> None:
        self.expanded += one.expanded
        self.generated += one.generated
        # In a beam every path is evaluated, and none is opened again.
        self.evaluated += getattr(one, "evaluated", one.generated)
        self.reopened += getattr(one, "reopened", 0)
        self.stored = max(self.stored, one.stored)
        self.max_open = max(self.max_open, getattr(one, "max_open", 0))
        self.peak_bytes = max(self.peak_bytes, one.peak_bytes)


@dataclass(frozen=True)
class _Ledger:
    """What all shares of a budget have in common."""

    counted: Counted
    control: Control
    clock: Callable[[], float]
    memory_mib: int
    #: limits that a search has stopped before, because its next layer would have exceeded them
    reached: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Cap:
    """The count at which a share ends, and whether that is the caller's limit or a part of it."""

    at: float = inf
    asked: bool = False

    def least(self, other: _Cap) -> _Cap:
        return self if self.at <= other.at else other


class Budget:
    """What a solve, or a part of it, may still use.

    :param began: the time of the clock at which the caller asked; now if None
    :param clock: by default that of the control, which stands still while the solve is paused
    """

    def __init__(
        self,
        limits: Limits,
        control: Control | None = None,
        began: float | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        control = control or Control()
        clock = clock or control.now
        self._ledger = _Ledger(Counted(), control, clock, limits.memory_mib)
        self._began = clock() if began is None else began
        self._from = dict.fromkeys(_NODES, 0)
        self._caps = {name: _asked(getattr(limits, name)) for name in _NODES}
        self._seconds = _asked(None if limits.seconds is None else self._began + limits.seconds)

    # -- shares ----------------------------------------------------------------------------------------------------

    def share(
        self,
        *,
        until: float = 1.0,
        nodes: float = 1.0,
        seconds: float | None = None,
        expanded: int | None = None,
        together: bool = False,
        beyond: bool = False,
    ) -> Budget:
        """A part of this budget.

        :param until: the part of its seconds after which the share ends, counted from its beginning
        :param nodes: the part of its nodes at which the share ends
        :param seconds: the most seconds from now
        :param expanded: the most expansions from now
        :param together: ``expanded`` counts from the beginning of this budget
        :param beyond: no limit on nodes
        """
        made = Budget.__new__(Budget)
        made._ledger, made._began, made._from = self._ledger, self._began, self._from
        at = self._seconds
        if until < 1 and at.at < inf:
            at = replace(at, at=self._began + until * (at.at - self._began))
        if seconds is not None:
            at = at.least(_Cap(self._ledger.clock() + seconds))
        made._seconds = at
        made._caps = {name: _Cap() if beyond else self._part(name, nodes) for name in _NODES}
        if expanded is not None:
            first = self._from["expanded"] if together else self.counted.expanded
            made._caps["expanded"] = made._caps["expanded"].least(_Cap(first + expanded))
        return made

    def begun(self) -> Budget:
        """The same share, whose parts count from now on."""
        made = self.share()
        made._began = self._ledger.clock()
        made._from = {name: getattr(self.counted, name) for name in _NODES}
        return made

    def _part(self, name: str, part: float) -> _Cap:
        cap, first = self._caps[name], self._from[name]
        return cap if part == 1 or cap.at == inf else replace(cap, at=first + ceil(part * (cap.at - first)))

    # -- what is used and left -------------------------------------------------------------------------------------

    @property
    def counted(self) -> Counted:
        """The counters of the whole solve so far."""
        return self._ledger.counted

    @property
    def control(self) -> Control:
        return self._ledger.control

    @property
    def seconds(self) -> float:
        """The seconds since this budget, or the one that it is a share of, began."""
        return self._ledger.clock() - self._began

    @property
    def seconds_left(self) -> float:
        """0 or more; infinite without a limit."""
        return max(0.0, self._seconds.at - self._ledger.clock())

    @property
    def patience(self) -> float:
        """The seconds that a proof of what was found may still take."""
        return max(0.0, self._seconds.at + GRACE - self._ledger.clock())

    @property
    def timed(self) -> bool:
        """Whether there is a limit of seconds."""
        return self._seconds.asked

    @property
    def memory_bytes(self) -> int:
        return self._ledger.memory_mib * 2**20

    def left(self, name: str) -> int | None:
        """The nodes that may still be ``expanded`` or ``generated``; None without a limit."""
        cap = self._caps[name].at
        return None if cap == inf else max(0, int(cap) - getattr(self.counted, name))

    def limits(self) -> dict[str, Any]:
        """What is left but for memory, as the kernel's searches take it."""
        return {
            "max_expanded": self.left("expanded"),
            "max_generated": self.left("generated"),
            "seconds": None if self._seconds.at == inf else self.seconds_left,
        }

    def kernel(self, held: int = 0) -> dict[str, Any]:
        """What is left, with the memory.

        :param held: bytes of memory that something else holds during the search
        """
        return {**self.limits(), "memory_bytes": max(1, self.memory_bytes - held)}

    def search(self, bound_from: Callable[[float], int] | None = None) -> _kernel.Control:
        """A control for one call of the kernel, which ends it when it is cancelled or out of time."""
        return self.control.search(bound_from, self.seconds_left)

    def count(self, outcome: Ended) -> None:
        """Count a search that has ended."""
        self.counted.add(outcome)
        self.control.count(outcome)

    def reach(self, name: LimitName) -> None:
        """Note that a search ended at this limit of the caller, although a few nodes are left of it."""
        if name in _NODES and self._caps[name].asked:
            self._ledger.reached.add(name)

    def ended(self) -> LimitName | None:
        """The limit that is reached; ``method`` if it is the share's own, which the caller did not ask for."""
        if self.seconds_left == 0:
            return "seconds" if self._seconds.asked else "method"
        for name in _NODES:
            if self.left(name) == 0 or (name in self._ledger.reached and self._caps[name].at < inf):
                limit: LimitName = "expanded" if name == "expanded" else "generated"
                return limit if self._caps[name].asked else "method"
        return None

    def over(self) -> bool:
        """Whether a search within this share must end: it was cancelled, or a limit is reached."""
        return self.control.cancelled or self.ended() is not None

    def check(self) -> None:
        """For long work in Python and for builders of tables.

        :raises Stopped: cancelled, or out of time
        """
        self.control.check()
        if self.seconds_left == 0:
            raise Stopped

    def check_late(self) -> None:
        """As `check`, a little later: a proof of what a search has found may end just after the limit.

        :raises Stopped: cancelled, or out of time
        """
        self.control.check()
        if self.patience == 0:
            raise Stopped


def _asked(at: float | None) -> _Cap:
    return _Cap() if at is None else _Cap(at, asked=True)
