"""Definitions of puzzles by others, a random state of each solved by hstar and by their own programs."""
