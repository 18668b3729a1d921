"""Wider and wider beams: how wide the next one is, by the time that the last one took."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Annotated

from pydantic import Field

from hstar.options import Width
from hstar.search.budget import Budget
from hstar.search.method import Constants, Count

__all__ = ["Widths", "fitting_width", "next_width", "widen"]

#: seconds; a shorter beam cannot be measured
_SHORTEST = 1e-4


class Widths(Constants):
    """``width``: of the first beam; ``wider``: how much wider the next one is; ``widest``: without a limit of seconds.

    ``varied``: the width from which on all ways are tried. ``few``: how many beams there should be time for at the next
    width. ``slower``: a beam takes longer than a narrower one did, for each state. ``wider_least``: a beam that is less
    wider than the one before is not worth its time, nor one of another way that is narrower by more. ``last``: the
    next beams are as wide as there is time for, if that is less than so many times as wide.
    """

    width: Width = 1_000
    wider: Annotated[int, Field(gt=1)] = 4
    widest: Width = 64_000
    varied: Count = 50_000
    few: Count = 3
    slower: Annotated[float, Field(gt=0)] = 1.15
    wider_least: Annotated[float, Field(ge=1)] = 1.5
    last: Annotated[float, Field(ge=1)] = 10


def fitting_width(width: int, took: float, seconds: float) -> float:
    """The width of one beam for which so many seconds suffice, when one of this width took so many."""
    return seconds / max(took, _SHORTEST) * width


def next_width(width: int, fits: float, settings: Widths, ways: int = 1) -> int:
    """Wider, if there is the time for all ways, or at most a few, at ``last`` times the width. Otherwise as wide that
    there is the time for them, or as one can be.

    :param fits: the width of one beam for which the time suffices
    """
    wider = settings.wider * width
    beams = min(ways, settings.few) if wider >= settings.varied else 1
    each = fits / beams
    if each >= settings.last * width:
        return wider
    return int(each if each >= settings.wider_least * width else fits)


def widen(
    share: Budget,
    settings: Widths,
    beam: Callable[[int, int], float | None],
    room: Callable[[], int],
    ways: int = 1,
    widest: float = inf,
) -> None:
    """Beams of all ways, each time wider, while there is time for them; without a limit of seconds up to `widest`.

    :param beam: searches one way, by its number, at a width; gives the seconds that it took, None to end
    :param room: the widest beam that memory allows, after those before
    """
    width, fits = settings.width, inf
    while width <= (widest if share.timed else min(widest, settings.widest)):
        for way in range(ways if width >= settings.varied else 1):
            # What is left is also enough for other ways of beams that are somewhat narrower.
            narrower = int(min(width, fits))
            took = beam(way, narrower)
            if took is None:
                return
            fits = fitting_width(narrower, took, share.seconds_left / settings.slower) if share.timed else inf
            if settings.wider_least * fits < width:
                return
        wider = min(next_width(width, fits, settings, ways), room())
        if fits < settings.wider_least * width or wider <= width:
            return
        width = wider
