"""A cache of results that several jobs need, such as the counts of a heuristic on an instance under all conventions.

results = SharedResults(sessions)
with hstar.remembered.sharing(results): ...   # results are read from the cache, or computed and written to it

So they are computed once for a whole course. The sweeper deletes them after `KEPT_DAYS`.
"""

from store.remembered.results import KEPT_DAYS, SharedResults, any_old, delete_old

__all__ = ["KEPT_DAYS", "SharedResults", "any_old", "delete_old"]
