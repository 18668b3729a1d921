"""Makes the chains of words shipped with hstar: ``python -m tools.words [PUZZLE MOVES]...``; takes minutes for each."""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time
from zlib import compress

from hstar import _kernel
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import chains_of

SHIPPED = [("megaminx", "single"), ("megaminx", "all")]
WORDS = Path(__file__).parent.parent / "src" / "hstar" / "search" / "anytime" / "words"


def main(wanted: list[str]) -> None:
    pairs = list(zip(wanted[::2], wanted[1::2], strict=True)) or SHIPPED
    for name, moves in pairs:
        puzzle = get_puzzle(name)
        assert isinstance(puzzle, PermutationPuzzle)
        chains = chains_of(puzzle, puzzle.move_set(moves))
        began = process_time()
        text = chains.thorough(_kernel.Control()).text()
        packed = compress(text, 9)
        (WORDS / f"{name}-{moves}.zlib").write_bytes(packed)
        seconds = process_time() - began
        print(f"{name} {moves}: {len(text)} bytes, {len(packed)} packed, {seconds:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
