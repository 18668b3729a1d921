"""Aggregate statistics of solves: questions, the rollup that answers them, distributions, growth."""
