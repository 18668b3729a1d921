"""What the search for words of one orbit after another may take."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar.search.anytime.pair_cycles import PairSettings
from hstar.search.method import Constants

__all__ = ["OrbitSettings"]

#: words of so many moves are made, and kept by their moves
Moves = Annotated[int, Field(ge=1, le=1_000_000)]
#: elements that are made and compared, each an image of every place
Elements = Annotated[int, Field(ge=1, le=100_000)]


class OrbitSettings(Constants):
    """Candidates: ``words`` and ``commutators`` whose powers are looked at, if they touch at most a ``few`` slots of an
    orbit; the highest ``power``, and the most moves of one, ``longest``; at most ``places`` words times places.
    ``near``: the shortest words that commutators are made of, beside four for each move. ``seeds``: words that make
    commutators; ``repeated``: powers of moves that conjugate one of the two, beside the ``conjugating`` shortest words.

    Cycles of three have at most ``most`` moves; ``cycles`` candidates of each kind are looked at. Where there are none,
    ``rounds`` times commutators are looked at of the ``kept`` words that leave the solved orbits alone, made of powers
    of a ``pool`` of words and of ``pool_conjugates`` of each, or else of ``sifted`` words and cycles that undo what
    these do there. ``conjugates``: of a cycle of an earlier orbit, and of a word of a listed one.

    Orbits of at most ``listed`` permutations are solved by a table of these, which are counted for at most ``counted``
    slots: by ``listing`` words of ``made_of``, of ``looked_at`` that are looked at.

    ``pairs``: of orbits without a table of all triples. ``tries``: words before the others where something is left that
    these do not tell, and each time another choice among pieces that look alike.
    """

    words: Elements = 1_500
    commutators: Elements = 1_500
    power: Annotated[int, Field(ge=1, le=10_000)] = 60
    few: Annotated[int, Field(ge=1, le=1_000)] = 4
    longest: Moves = 600
    places: Annotated[int, Field(ge=1, le=100_000_000)] = 600_000
    near: Elements = 40
    seeds: Annotated[int, Field(ge=1, le=1_000)] = 120
    repeated: Annotated[int, Field(ge=1, le=1_000)] = 120
    conjugating: Annotated[int, Field(ge=1, le=1_000)] = 100
    most: Moves = 12_000
    cycles: Elements = 12
    kept: Annotated[int, Field(ge=1, le=1_000)] = 40
    rounds: Annotated[int, Field(ge=0, le=1_000)] = 6
    pool: Elements = 150
    pool_conjugates: Annotated[int, Field(ge=0, le=1_000)] = 8
    conjugates: Annotated[int, Field(ge=0, le=1_000)] = 20
    sifted: Elements = 160
    listed: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    counted: Annotated[int, Field(ge=1, le=100)] = 24
    listing: Annotated[int, Field(ge=1, le=1_000)] = 12
    looked_at: Elements = 600
    made_of: Elements = 160
    pairs: PairSettings = PairSettings()
    tries: Annotated[int, Field(ge=1, le=10_000)] = 60
