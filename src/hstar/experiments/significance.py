"""Whether a difference between two ways to search could be chance: tests of pairs, with searches that hit a limit.

A pair is two searches of one instance. Without a true difference, each could as well be the other one; that is what all
tests here suppose, beside independent instances. They are two-sided, and use scipy.

- The *sign test* counts who has the smaller value. A search that hit a limit counts where its lower bound decides the
  pair; this is the log-rank test with a stratum for each pair, computed exactly.
- The *signed-rank test* (Wilcoxon 1945) also weighs by how much, in ratios, and only where both were solved.
- The *censored test* (Akritas 1992) takes all pairs where some search hit a limit: each value is replaced by where it
  stands in the distribution of all values (Kaplan and Meier), and these are compared by a paired t-test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hstar.experiments.schema import Significance

__all__ = ["significance"]

#: below so many pairs no test can tell anything: five that all agree have p = 0.0625
FEWEST = 6
Values = NDArray[np.float64]


class _Pair(Protocol):
    """Two values, each exact or a lower bound."""

    @property
    def first(self) -> float: ...
    @property
    def second(self) -> float: ...
    @property
    def first_exact(self) -> bool: ...
    @property
    def second_exact(self) -> bool: ...


def significance(pairs: Sequence[_Pair], wins: int, losses: int) -> list[Significance] | None:
    """The tests that these pairs allow; None without scipy.

    :param wins: pairs of which the first value is known to be smaller
    :param losses: those of which the second is
    """
    try:
        from scipy import stats  # half a second, and most processes compare nothing
    except ImportError:
        return None
    found = [_sign(stats, wins, losses)] if wins + losses >= FEWEST else []
    solved = [pair for pair in pairs if pair.first_exact and pair.second_exact and pair.first > 0 and pair.second > 0]
    logs = np.log([pair.first for pair in solved]) - np.log([pair.second for pair in solved])
    logs = logs[logs != 0]
    if len(logs) >= FEWEST:
        found.append(_signed_rank(stats, logs))
    if len(pairs) >= FEWEST and not all(pair.first_exact and pair.second_exact for pair in pairs):
        found += _censored(stats, pairs)
    return found


def _sign(stats: Any, wins: int, losses: int) -> Significance:
    tested = stats.binomtest(wins, wins + losses)
    interval = tested.proportion_ci()
    part = wins / (wins + losses)
    return Significance(
        name="sign",
        pairs=wins + losses,
        p=float(tested.pvalue),
        effect=part,
        low=float(interval.low),
        high=float(interval.high),
        sentence=f"Sign test: the first has the smaller value on {wins} of {wins + losses} decided pairs"
        f" ({part:.0%}, 95 % interval {interval.low:.0%} to {interval.high:.0%}); {_said(tested.pvalue)}.",
    )


def _signed_rank(stats: Any, logs: Values) -> Significance:
    tested = stats.wilcoxon(logs)
    ranks = stats.rankdata(np.abs(logs))
    effect = float((ranks[logs > 0].sum() - ranks[logs < 0].sum()) / ranks.sum())
    return Significance(
        name="signed_rank",
        pairs=len(logs),
        p=float(tested.pvalue),
        effect=effect,
        sentence=f"Signed-rank test of the ratios of {len(logs)} unequal pairs that were both solved: rank-biserial"
        f" correlation {effect:+.2f} (-1: the first is always smaller); {_said(tested.pvalue)}.",
    )


def _censored(stats: Any, pairs: Sequence[_Pair]) -> list[Significance]:
    values = np.array([[pair.first, pair.second] for pair in pairs], dtype=np.float64)
    exact = np.array([[pair.first_exact, pair.second_exact] for pair in pairs])
    if not exact.any():
        return []
    scores = _scores(stats, values, exact)
    if len({first - second for first, second in scores.tolist()}) == 1:
        return []  # a t-test needs some spread
    tested = stats.ttest_rel(scores[:, 0], scores[:, 1])
    interval = tested.confidence_interval()
    effect = float((scores[:, 0] - scores[:, 1]).mean())
    return [
        Significance(
            name="censored",
            pairs=len(pairs),
            p=float(tested.pvalue),
            effect=effect,
            low=float(interval.low),
            high=float(interval.high),
            sentence=f"Censored test of all {len(pairs)} pairs, with limits as lower bounds: the first stands"
            f" {abs(effect):.0%} {'lower' if effect <= 0 else 'higher'} among all values on average (95 % interval"
            f" {interval.low:+.0%} to {interval.high:+.0%}); {_said(tested.pvalue)}.",
        )
    ]


def _scores(stats: Any, values: Values, exact: NDArray[np.bool_]) -> Values:
    """For each value the part of all values that is below it, as Kaplan and Meier estimate it; half of equals count.

    Of a lower bound it is the mean over the values that may be behind it.
    """
    survival = stats.ecdf(stats.CensoredData(uncensored=values[exact], right=values[~exact])).sf
    after = survival.evaluate(values)
    before = survival.evaluate(np.nextafter(values, -np.inf))
    scores: Values = np.where(exact, 1 - (before + after) / 2, 1 - after / 2)
    return scores


def _said(p: float) -> str:
    number = f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"
    if p < 0.05:
        return f"{number}, so chance alone would seldom do this"
    return f"{number}, so this may be chance"
