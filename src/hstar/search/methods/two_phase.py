"""Into a subgroup, then home within it, with the first phase longer and longer (Kociemba 1992).

Counted as expanded are the nodes of both phases.
"""

from __future__ import annotations

from dataclasses import dataclass

from hstar import _kernel
from hstar.options import Step
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.phases import Phases, Variant, fitting, phases_of
from hstar.search.budget import Budget
from hstar.search.control import Stopped
from hstar.search.method import Constants, Method
from hstar.search.run import Run

__all__ = ["METHOD"]


class Settings(Constants):
    """``longest``: moves of the first solution. ``first``: end with it. ``untimed``: expansions, without a limit of
    seconds. ``patience``: expansions after which a second phase is given up."""

    longest: int = 250
    first: bool = False
    untimed: int = 3_000_000
    patience: int = 2_000


@dataclass
class _Searching:
    """A search that the next step with the same method continues."""

    kernel: _kernel.PhaseSearch
    variants: list[Variant]
    used: int = 0


def improve(run: Run, step: Step, share: Budget) -> None:
    settings = Settings.model_validate(step.settings)
    puzzle = run.problem.puzzle
    phases = fitting(puzzle, run.problem.moves, share.memory_bytes)
    if phases is None:
        run.lacked_memory = True
        return
    searching = run.kept.get("two_phase") or _begin(run, phases, share, settings.patience)
    if searching is None:
        return
    run.kept["two_phase"] = searching
    begun = searching.used
    while not run.over(share) and (settings.first or share.timed or searching.used - begun < settings.untimed):
        own = (
            share if share.timed or settings.first else share.share(expanded=settings.untimed - searching.used + begun)
        )
        outcome = searching.kernel.run(
            settings.longest if run.solution is None else len(run.solution),
            **{name: limit for name, limit in own.kernel().items() if name != "memory_bytes"},
            control=share.search(),
        )
        run.count(outcome, own)
        searching.used += outcome.expanded
        if outcome.status == "solved":
            path = [puzzle.moves[number] for number in outcome.path]
            run.offer(searching.variants[searching.kernel.variant].read(path))
        if outcome.status != "solved" or settings.first:
            return


def _begin(run: Run, phases: Phases, share: Budget, patience: int) -> _Searching | None:
    try:
        with run.control.watching_builds(share.check):
            return _Searching(*phases.search(run.problem.start, patience))
    except Stopped:
        return None
    except MemoryError:
        run.lacked_memory = True
        return None


def why_no_subgroup(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why there are no two phases with these moves; None if there are."""
    if isinstance(puzzle, PermutationPuzzle) and phases_of(puzzle, moves) is not None:
        return None
    return "no subgroup of these moves is of use for two phases, as there is one of the 3x3x3's"


METHOD = Method(
    name="two_phase",
    summary="into a subgroup, then home within it, shorter and shorter (Kociemba)",
    duplicates="none (tree search), canonical pruning",
    improve=improve,
    improves=True,
    settings=Settings,
    refuses=why_no_subgroup,
)
