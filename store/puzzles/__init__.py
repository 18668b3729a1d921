"""What is stored of puzzles: scrambles, and the definitions that owners add."""
