"""Audits: students' heuristics and puzzle models, compared with the puzzle itself.

`hstar.audits.heuristic`: is a heuristic admissible and consistent? `hstar.audits.values`: the same for a table of
values that a program printed. `hstar.audits.model`: is a program's puzzle model right, a mirror image, or wrong?
"""
