"""MM: from both ends, each at most half the way (Holte, Felner, Sharon, Sturtevant & Chen 2017)."""

from __future__ import annotations

from hstar.search.meeting import method

METHOD = method("mm", "from start and goal by max(f, 2 g): neither goes farther than half the way")
