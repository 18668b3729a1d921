"""Stored scrambles, and the definitions of puzzles that owners add."""
