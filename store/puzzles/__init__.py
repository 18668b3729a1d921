"""What is stored of puzzles: scrambles."""
