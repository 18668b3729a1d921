"""One way of counting for a whole submission.

Over a hundred conventions are documented, so a made-up count that is near the truth will fit one of them. A program has
one: it looks for duplicates in one place, breaks ties in one way and counts the same nodes in every line. So the
convention is sought that explains most counts of a submission, and a count that fits only another one is told apart. It
costs nothing by itself, because ties that nobody has documented may fall anywhere within the range.
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
    """The claims of one line, and what they were judged by."""

    claims: Sequence[ClaimJudged]
    state: State
    moves: MoveSet
    heuristic: Heuristic

    def fitting(self, claim: ClaimJudged) -> list[Convention]:
        """Every documented convention that gives a claimed count; none if it is no count, or was judged otherwise."""
        if claim.judgement not in ("true", "convention") or not claim.conventions:
            return []
        what: What = "expanded" if claim.claim == "expanded" else "generated"
        found = conventions.counts(self.heuristic.puzzle, self.moves, self.heuristic, self.state, what)
        return claim.conventions if found is None else found.matching(int(claim.claimed))


@dataclass(frozen=True, slots=True)
class Common:
    """The convention that explains most counts, for nodes expanded and nodes generated, and how many it explains."""

    by_what: Mapping[str, Convention]
    explained: int
    of: int

    def explains(self, counts: Counts, claim: ClaimJudged) -> bool:
        """Whether the common convention gives the claimed count."""
        return self.by_what.get(claim.claim) in counts.fitting(claim)

    def in_words(self, what: str = "expanded") -> str:
        """The convention in a sentence's part."""
        return conventions.in_words([self.by_what.get(what) or next(iter(self.by_what.values()))])

    def shown(self) -> Counting:
        """For people."""
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
    # Of equally good ones the first: those nearest to the service's own come first.
    best = max(ways, key=lambda way: sum(counted.most_common(1)[0][1] for counted in ways[way].values()))
    by_what: dict[str, Convention] = {}
    explained = 0
    for claim, counted in ways[best].items():
        ((counting, number),) = counted.most_common(1)
        explained += number
        given = dict(zip(("duplicates", "ties", "goal_test"), best, strict=True))
        by_what[claim] = Convention.model_validate({**given, "counting": counting})
    return Common(by_what, explained, len(found))
