"""Pieces that turn in place are solved last, as a step of plans for puzzles whose chains of words get too long."""

from __future__ import annotations

from hstar import _kernel
from hstar.search.anytime.spins import spins, spins_of
from hstar.search.budget import Budget
from hstar.search.control import Stopped
from hstar.search.method import Method
from hstar.search.methods import constructive
from hstar.search.run import Part, Run

__all__ = ["METHOD"]


def others(run: Run, share: Budget) -> Part | None:
    """The solve of all other pieces; each of its solutions is offered with moves that turn the rest."""
    found = constructive.pieces(run, share)
    if found is None:
        return None
    chains, state = found
    if not spins(chains.puzzle, chains.moves):
        return None
    try:
        with run.control.watching_builds(share.check):
            last = spins_of(chains)
    except (Stopped, _kernel.Stopped):
        return None

    def told(alg: tuple[str, ...]) -> None:
        if (whole := last.solve(state, alg)) is not None:
            run.offer(whole)

    return Part.of(run, last.first, last.first.state_in(chains.puzzle, state), share, told)


METHOD = Method(
    name="spins",
    summary="the plan ``anytime`` for all pieces but those that turn in place, and then words for these",
    duplicates="as the searches it is made of",
    part=others,
    improves=True,
)
