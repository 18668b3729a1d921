"""Tests of significance: known values, a plain enumeration, and what they do where there is no difference."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import atan, comb, cos, log, pi, sin, sqrt
from random import Random
from typing import NamedTuple

import pytest

from hstar.experiments.schema import Significance
from hstar.experiments.significance import significance


class Pair(NamedTuple):
    first: float
    second: float
    first_exact: bool = True
    second_exact: bool = True


def decided(pair: Pair) -> int:
    """1: the first is smaller, -1: the second is, 0: equal or not known."""
    if pair.first_exact and (pair.first < pair.second):
        return 1
    return -1 if pair.second_exact and pair.second < pair.first else 0


def judged(pairs: list[Pair]) -> dict[str, Significance]:
    said = [decided(pair) for pair in pairs]
    found = significance(pairs, said.count(1), said.count(-1))
    assert found is not None
    return {test.name: test for test in found}


def test_the_sign_test_is_the_binomial_by_hand() -> None:
    """Nine of ten: 2 * (1 + 10) / 1024."""
    pairs = [Pair(1, 2)] * 9 + [Pair(3, 2)] + [Pair(5, 5)] * 4 + [Pair(9, 9, False, False)]
    found = judged(pairs)["sign"]
    assert (found.pairs, found.effect) == (10, 0.9)
    assert found.p == pytest.approx(22 / 1024)
    assert found.low == pytest.approx(0.5550, abs=5e-5)  # Clopper and Pearson's, of tables
    assert found.high == pytest.approx(0.9975, abs=5e-5)
    assert "9 of 10 decided pairs (90%" in found.sentence
    assert "p = 0.021, so chance alone would seldom do this" in found.sentence


def test_a_limit_decides_a_pair_if_its_bound_is_above_the_other() -> None:
    pairs = [Pair(10, 50, second_exact=False)] * 6 + [Pair(70, 50, second_exact=False)]
    found = judged(pairs)
    assert (found["sign"].pairs, found["sign"].effect) == (6, 1.0)
    assert found["sign"].p == pytest.approx(2 / 2**6)
    assert "signed_rank" not in found
    assert found["censored"].pairs == 7


def plain_signed_rank(logs: list[float]) -> tuple[float, float]:
    """p by all 2^n signs, and the rank-biserial correlation."""
    order = sorted(range(len(logs)), key=lambda i: abs(logs[i]))
    rank = {i: number for number, i in enumerate(order, start=1)}
    total = sum(rank.values())
    seen = abs(sum(rank[i] * (1 if logs[i] > 0 else -1) for i in rank))
    extreme = sum(
        abs(sum(number * sign for number, sign in enumerate(signs, start=1))) >= seen
        for signs in product((1, -1), repeat=len(logs))
    )
    return extreme / 2 ** len(logs), sum(rank[i] * (1 if logs[i] > 0 else -1) for i in rank) / total


@pytest.mark.parametrize("seed", range(5))
def test_the_signed_rank_test_is_that_of_all_signs(seed: int) -> None:
    random = Random(seed)
    pairs = [Pair(random.uniform(1, 90), random.uniform(1, 100)) for _ in range(10)]
    found = judged(pairs)["signed_rank"]
    p, effect = plain_signed_rank([log(pair.first / pair.second) for pair in pairs])
    assert found.pairs == 10
    assert found.p == pytest.approx(p)
    assert found.effect == pytest.approx(effect)


def plain_censored(pairs: list[Pair]) -> float:
    """t of Akritas' test: Kaplan and Meier's estimate by its definition, then the paired t."""
    pooled = [(pair.first, pair.first_exact) for pair in pairs] + [(pair.second, pair.second_exact) for pair in pairs]

    def survival(t: float, strictly: bool) -> float:
        left = 1.0
        for at in sorted({value for value, exact in pooled if exact and (value < t if strictly else value <= t)}):
            risk = sum(value >= at for value, _ in pooled)
            left *= 1 - sum(value == at and exact for value, exact in pooled) / risk
        return left

    def score(value: float, exact: bool) -> float:
        after = survival(value, strictly=False)
        return 1 - (survival(value, strictly=True) + after) / 2 if exact else 1 - after / 2

    differences = [score(p.first, p.first_exact) - score(p.second, p.second_exact) for p in pairs]
    mean = sum(differences) / len(differences)
    spread = sqrt(sum((one - mean) ** 2 for one in differences) / (len(differences) - 1))
    return mean / (spread / sqrt(len(differences)))


@pytest.mark.parametrize("seed", range(5))
def test_the_censored_test_is_that_of_its_definition(seed: int) -> None:
    random = Random(seed)
    limit, pairs = 60, []
    for _ in range(14):
        a, b = random.randint(1, 80), random.randint(10, 100)
        pairs.append(Pair(min(a, limit), min(b, limit), a <= limit, b <= limit))
    found = judged(pairs)["censored"]
    t = plain_censored(pairs)
    assert (found.effect > 0) == (t > 0)
    # Student's p with 13 degrees of freedom, by a series (Abramowitz and Stegun 26.7.3).
    angle, n = abs(t) / sqrt(13), 13
    theta = atan(angle)
    term = cos(theta)
    total = term
    for k in range(2, n - 2, 2):
        term *= k / (k + 1) * cos(theta) ** 2
        total += term
    inside = 2 / pi * (theta + sin(theta) * total)
    assert found.p == pytest.approx(1 - inside)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.effect < found.high


def test_too_few_pairs_have_no_test() -> None:
    assert judged([Pair(1, 2)] * 5) == {}
    assert judged([]) == {}
    assert set(judged([Pair(1, 2)] * 6)) == {"sign", "signed_rank"}
    assert judged([Pair(9, 9, False, False)] * 20) == {}


def test_where_there_is_no_difference_few_are_found() -> None:
    """One pair in twenty may look clear; more than 24 of 300 samples are one case in a hundred."""
    random, clear = Random(7), Counter[str]()
    for _ in range(300):
        pairs = []
        for _ in range(15):
            hard = random.lognormvariate(3, 1)
            a, b = hard * random.lognormvariate(0, 0.7), hard * random.lognormvariate(0, 0.7)
            pairs.append(Pair(min(a, 40), min(b, 40), a <= 40, b <= 40))
        clear.update(name for name, test in judged(pairs).items() if test.p < 0.05)
    assert set(clear) == {"sign", "signed_rank", "censored"}
    assert max(clear.values()) <= 24
    assert sum(comb(300, k) * 0.05**k * 0.95 ** (300 - k) for k in range(25)) > 0.98
