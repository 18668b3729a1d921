"""One counting convention for a whole submission.

There are over a hundred documented conventions, so an invented count near the truth often fits one of them. But a
program has only one: it detects duplicates in one place, breaks ties in one way, and counts the same nodes in every
line. So hstar finds the convention that explains most counts of a submission, and notes a count that fits only another
one. Such a count costs nothing, because undocumented ways to break ties may give any count within the range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hstar.grading.schema import Counting
from hstar.heuristics import Heuristic
from hstar.puzzles import MoveSet, State
from hstar.verification import conventions
from hstar.verification.schema import ClaimJudged, Convention

__all__ = ["Common", "Counts", "common"]

What = Literal["expanded", "generated"]


@dataclass(frozen=True, slots=True)
class Counts:
    """The claims of one line, and the search that they were compared with."""

    claims: Sequence[ClaimJudged]
    state: State
    moves: MoveSet
    heuristic: Heuristic

    def fitting(self, claim: ClaimJudged) -> list[Convention]:
        """Every documented convention that gives a claimed count; none if it is not a count, or was judged
        differently."""
        if claim.judgement not in ("true", "convention") or not claim.conventions:
            return []
        what: What = "expanded" if claim.claim == "expanded" else "generated"
        found = conventions.counts(self.heuristic.puzzle, self.moves, self.heuristic, self.state, what)
        return claim.conventions if found is None else found.matching(int(claim.claimed))


@dataclass(frozen=True, slots=True)
class Common:
    """The convention that explains most counts of expanded and generated nodes, and how many it explains."""

    by_what: Mapping[str, Convention]
    explained: int
    of: int

    def explains(self, counts: Counts, claim: ClaimJudged) -> bool:
        """Whether the common convention gives the claimed count."""
        return self.by_what.get(claim.claim) in counts.fitting(claim)

    def in_words(self, what: str = "expanded") -> str:
        """The convention as part of a sentence."""
        return conventions.in_words(self.by_what.get(what) or next(iter(self.by_what.values())))

    def shown(self) -> Counting:
        """The answer's object."""
        return Counting(convention=self.in_words(), explained=self.explained, of=self.of)


def common(lines: Iterable[Counts]) -> Common | None:
    """The convention that explains most counts of a submission; None if no count fits any."""
    found = [(claim.claim, fitting) for line in lines for claim in line.claims if (fitting := line.fitting(claim))]
    if not found:
        return None
    ways: dict[tuple[str, str, str], dict[str, Counter[str]]] = {}
    for what, fitting in found:
        for convention in fitting:
            way = convention.duplicates, convention.ties, convention.goal_test
            ways.setdefault(way, {}).setdefault(what, Counter())[convention.counting] += 1
    # The first of equally good ones, because those nearest to the service's own come first.
    best = max(ways, key=lambda way: sum(max(counted.values()) for counted in ways[way].values()))
    by_what: dict[str, Convention] = {}
    explained = 0
    for claim, counted in ways[best].items():
        ((counting, number),) = counted.most_common(1)
        explained += number
        given = dict(zip(("duplicates", "ties", "goal_test"), best, strict=True))
        by_what[claim] = Convention.model_validate({**given, "counting": counting})
    return Common(by_what, explained, len(found))
