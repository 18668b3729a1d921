"""The shipped plan ``anytime``: see `hstar.search.plans`."""

from __future__ import annotations

from hstar.search import plans
from hstar.search.method import Method

METHOD = Method(
    name="anytime",
    summary="a solution soon, then shorter ones and a higher bound, until they meet or a limit is reached",
    duplicates="as the searches it is made of",
    forbidden=True,
    plan=plans.anytime,
    options=("threads",),
    improves=True,
    shortens=True,
)
