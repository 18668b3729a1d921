"""NBS: near-optimal bidirectional search (Chen, Holte, Zilles & Sturtevant 2017)."""

from __future__ import annotations

from hstar.search.meeting import method

METHOD = method("nbs", "from start and goal by pairs of nodes: at most twice the fewest expansions, if h is consistent")
