"""The shipped plan ``auto``: see `hstar.search.plans`."""

from __future__ import annotations

from hstar.search import plans
from hstar.search.method import Method

METHOD = Method(
    name="auto",
    summary="the strongest searches that prove their solutions, and anytime if the limits do not suffice",
    duplicates="as the searches it is made of",
    forbidden=True,
    plan=plans.auto,
    options=("threads",),
    optimal=True,
    costs=True,
    layers=True,
    improves=True,
    shortens=True,
    shared=True,
)
