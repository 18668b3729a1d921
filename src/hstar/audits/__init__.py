"""Audits: what students' heuristics and models claim, held against the puzzle itself.

`hstar.audits.heuristic`: is a heuristic admissible and consistent? `hstar.audits.values`: the same of a table of values
that a program printed. `hstar.audits.model`: is a program's puzzle ours, its mirror image, or wrong?
"""
