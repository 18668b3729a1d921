"""An answer for any valid state: a solution soon, then shorter ones, and a proven lower bound.

`search` is the algorithm ``anytime`` of `hstar.search`. `chains` solves permutation puzzles with words that keep solved
pieces, `tiles` solves sliding tiles, `windows` makes parts of a solution shortest, `best` keeps the best solution.
"""

from hstar.search.anytime.algorithm import search
from hstar.search.anytime.best import Found

__all__ = ["Found", "search"]
