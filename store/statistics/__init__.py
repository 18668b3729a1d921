"""Aggregate statistics of solves: queries, and the rollup that answers them; `hstar.experiments` computes."""
