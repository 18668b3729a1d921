"""The search methods by name: one file each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import get_args

from hstar import schema
from hstar.search.method import Method
from hstar.search.methods import (
    anytime,
    ara_star,
    astar,
    auto,
    beam,
    beams,
    bidirectional,
    breadth_first,
    bundles,
    by_shape,
    commuting,
    constructive,
    epea_star,
    greedy,
    ida_star,
    insertions,
    layered,
    mm,
    nbs,
    plan,
    rbfs,
    reduction,
    spins,
    two_phase,
    weights,
    windows,
)

__all__ = ["ALGORITHMS", "METHODS"]

METHODS: Mapping[str, Method] = MappingProxyType({
    module.METHOD.name: module.METHOD
    for module in (
        astar, greedy, ida_star, rbfs, epea_star, ara_star, breadth_first, bidirectional, mm, nbs, constructive, beam,
        two_phase, windows, anytime, plan, layered, auto, beams, bundles, by_shape, commuting, insertions, reduction,
        spins, weights,
    )
})  # fmt: skip
#: those that a user may ask for
ALGORITHMS: Mapping[schema.Algorithm, Method] = MappingProxyType(
    {name: METHODS[name] for name in get_args(schema.Algorithm)}
)
