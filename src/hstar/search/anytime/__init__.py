"""An answer for any valid state: a solution soon, then shorter ones, and a proven lower bound.

`search` is the algorithm ``anytime`` of `hstar.search`; `parts` has what it is made of as algorithms of their own.
`chains` solves permutation puzzles with words that keep solved pieces, `tiles` solves sliding tiles, `windows` makes
parts of a solution shortest, `best` keeps the best solution.
"""

from hstar.search.anytime.algorithm import search
from hstar.search.anytime.best import Found
from hstar.search.anytime.parts import (
    beam,
    constructive,
    two_phase,
    why_no_beam,
    why_no_solution,
    why_no_subgroup,
    windows,
)

__all__ = [
    "Found",
    "beam",
    "constructive",
    "search",
    "two_phase",
    "why_no_beam",
    "why_no_solution",
    "why_no_subgroup",
    "windows",
]
