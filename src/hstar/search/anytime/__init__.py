"""Any valid state gets an answer: a solution soon, then shorter ones, and a proven lower bound.

The algorithm ``anytime`` of `hstar.search` is `search`. `chains` solves permutation puzzles by words that keep what has
been solved, `tiles` sliding tiles; `windows` makes parts of a solution shortest; `best` keeps the best so far.
"""

from hstar.search.anytime.algorithm import constructs, search
from hstar.search.anytime.best import Found

__all__ = ["Found", "constructs", "search"]
