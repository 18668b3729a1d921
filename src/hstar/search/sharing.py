"""One IDA* on many workers: large iterations are split into subtrees, which are jobs of a queue.

Whoever takes a subtree searches it to the iteration's bound, and answers with a solution or with the least f above the
bound. So the iterations are those of a search alone, and so is the sum of their nodes, but for the iteration that finds
a solution: the others stop then. A subtree whose worker is lost is searched again, and counted once. Which solution is
found depends on who was first; with an admissible heuristic each is shortest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

from hstar import _kernel
from hstar.search.run import Search
from hstar.search.subtrees import Queue, Shared, Subtree, SubtreeTask

__all__ = ["PartSearch", "search"]

#: seconds between two looks at the subtrees of others
LOOK = 0.1
#: an iteration is split for its size into so many subtrees at most
MOST_SUBTREES = 4096

PartSearch = Callable[["_kernel.Part"], _kernel.Outcome]


def search(
    asked: Search, queue: Queue, part: PartSearch, share_after: int, subtrees: int, subtree_expanded: int
) -> Shared:
    """All iterations until one has a solution.

    :param part: searches or splits a part in this process, within what is left of the limits
    :param share_after: after an iteration of so many expansions the next one is shared
    :param subtrees: of an iteration that is shared, at least
    :param subtree_expanded: more subtrees, so that each has so many expansions, about
    """
    counted, control = asked.budget.counted, asked.budget.control
    first = part(([], -1, 0))
    if first.status != "exhausted":
        return Shared(first.status, limit=first.limit)
    bound, last, expected = first.f_bound, 0, 0
    layers: list[tuple[float, int]] = []
    roots: Sequence[Sequence[int]] = ()
    enough = inf if asked.known is None else asked.problem.moves.length(asked.known)
    while bound < enough:
        control.raise_bound(asked.bound_from(bound, deep=False))
        before = counted.expanded
        wave = _Wave(asked, queue, bound, part)
        # Not by seconds, so that an attempt that follows a loss splits it in the same way.
        pieces = max(subtrees, min(expected // subtree_expanded, MOST_SUBTREES))
        ended = wave.share(pieces) if last >= share_after else wave.own([])
        previous, last = last, counted.expanded - before
        expected = last * last // previous if previous else last  # if it grows as it did
        layers += [(bound, last)] if last else []
        if ended is not None:
            ended.expanded_last_layer = last if ended.status == "solved" else 0
            ended.layers, ended.roots = layers, roots
            return ended
        bound, roots = wave.next, wave.roots
    return Shared("exhausted", f_bound=min(bound, enough), layers=layers, roots=roots)


@dataclass
class _Wave:
    """One iteration. ``next``: the least f above the bound so far. ``roots``: of its subtrees, if it is shared."""

    asked: Search
    queue: Queue
    bound: float
    part: PartSearch
    next: float = field(default=inf, init=False)
    roots: Sequence[Sequence[int]] = field(default=(), init=False)

    # All of these return None where there was no solution, and the search goes on.

    def share(self, pieces: int) -> Shared | None:
        """Split the iteration, and let others search its subtrees beside this process."""
        outcome = self._part([], pieces)
        if (ended := self._ended(outcome)) is not None:
            return ended
        self.roots = outcome.roots
        heuristic = self.asked.heuristic.expression.text
        tasks = [SubtreeTask(heuristic=heuristic, root=root, bound=self.bound) for root in outcome.roots]
        left = dict(zip(self.queue.submit(tasks), outcome.roots, strict=True))
        try:
            return self._collect(left)
        finally:
            self.queue.cancel(list(left))

    def _collect(self, left: dict[str, list[int]]) -> Shared | None:
        budget = self.asked.budget
        while left:
            if budget.over():
                limit = budget.ended()
                return Shared("cancelled" if limit is None else "limit_reached", limit=limit, f_bound=self.bound)
            mine = None
            for job, seen in self.queue.look(list(left)).items():
                if seen.answer is not None:
                    del left[job]
                    if (found := self._add(seen.answer)) is not None:
                        return found
                elif mine is None and (seen.state == "ended" or (seen.state == "queued" and self.queue.take(job))):
                    mine = job  # also what was lost with its workers for good
            if mine is not None:
                if (found := self.own(left.pop(mine))) is not None:
                    return found
            elif left:
                budget.control.wait(LOOK)
        return None

    def own(self, root: list[int]) -> Shared | None:
        """Search a subtree in this process."""
        return self._ended(self._part(root))

    def _add(self, answer: Subtree) -> Shared | None:
        self.asked.budget.count(answer)
        if answer.solution is not None:
            return Shared("solved", answer.solution, f_bound=self.bound)
        self.next = min(self.next, inf if answer.next is None else answer.next)
        return None

    def _part(self, root: list[int], pieces: int = 0) -> _kernel.Outcome:
        outcome = self.part((root, self.bound, pieces))
        self.asked.budget.count(outcome)
        return outcome

    def _ended(self, outcome: _kernel.Outcome) -> Shared | None:
        if outcome.status == "solved":
            return Shared("solved", outcome.path, f_bound=self.bound)
        if outcome.status != "exhausted":
            return Shared(outcome.status, limit=outcome.limit, f_bound=self.bound)
        self.next = min(self.next, outcome.f_bound)
        return None
