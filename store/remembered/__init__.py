"""Results that every worker may ask for again, such as the counts of a heuristic on an instance under all conventions.

    results = SharedResults(sessions)
    with hstar.remembered.sharing(results): ...   # what is computed within is read from there, and written there

They are computed once for a whole course, and anew where they are gone. The sweeper deletes those of `KEPT_DAYS` ago.
"""

from store.remembered.results import KEPT_DAYS, SharedResults, any_old, delete_old

__all__ = ["KEPT_DAYS", "SharedResults", "any_old", "delete_old"]
