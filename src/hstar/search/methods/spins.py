"""Pieces that turn in place are solved last, as a step of plans for puzzles whose chains of words get too long."""

from __future__ import annotations

from hstar.options import Step
from hstar.search.budget import Budget
from hstar.search.method import Method
from hstar.search.methods import constructive
from hstar.search.methods.part import Part
from hstar.search.run import Run

__all__ = ["METHOD"]


def others(run: Run, step: Step, share: Budget) -> Part | None:
    """The solve of all other pieces; None if a chain of words has solved the whole, which wastes fewer moves."""
    settings = constructive.Pieces.model_validate(step.settings)
    found = constructive.pieces(run, share, settings)
    if found is None:
        return None
    chains, state = found
    solved = run.solution is not None and not chains.large
    if solved and (chains.shipped or chains.quick(share.search(), share.seconds_left)).complete:
        return None
    return constructive.all_but_spins(run, chains, state, share, settings.spins)


METHOD = Method(
    name="spins",
    summary="the plan ``anytime`` for all pieces but those that turn in place, and then words for these",
    duplicates="as the searches it is made of",
    part=others,
    settings=constructive.Pieces,
    refuses=constructive.why_no_words,
)
