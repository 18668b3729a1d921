"""Aggregate statistics of solves: queries, the rollup that answers them, distributions, growth."""
