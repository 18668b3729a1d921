"""hstar: optimal solutions, lower bounds and honest counters for permutation puzzles and sliding tiles.

The library below this door knows no web service, queue or database.
"""

__version__ = "0.1.0"
