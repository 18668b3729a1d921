"""Into a subgroup, then home within it, with the first phase longer and longer (Kociemba 1992).

Counted as expanded are the nodes of both phases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.databases.cosets import CosetDatabases
from hstar.options import Step
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import subgroup_of
from hstar.search.anytime.phases import ENTRIES, Phases, Variant, fitting
from hstar.search.budget import Budget
from hstar.search.control import Stopped
from hstar.search.method import Constants, Count, Method, Share
from hstar.search.run import Run

__all__ = ["METHOD"]


class Settings(Constants):
    """``longest``: moves of the first solution. ``first``: end with it. ``untimed``: expansions, without a limit of
    seconds. ``patience``: expansions after which a second phase is given up. ``entries``: the most of the distances
    over two coordinates of a phase.

    After the first solution all cosets are looked up, if their table is there or can be built in the part ``building``
    of the seconds left; without a limit of seconds if ``worth`` expansions are left and it takes ``build_seconds`` of a
    processor."""

    longest: Count = 250
    first: bool = False
    untimed: Count = 3_000_000
    patience: Count = 2_000
    entries: Annotated[int, Field(ge=1, le=10**9)] = ENTRIES
    building: Share = 0.3
    worth: Count = 1_000_000
    build_seconds: Annotated[float, Field(ge=0)] = 20


@dataclass
class _Searching:
    """A search that the next step with the same method continues; whether it has asked for all cosets."""

    kernel: _kernel.PhaseSearch
    variants: list[Variant]
    asked: bool = False


def improve(run: Run, step: Step, share: Budget) -> None:
    settings = Settings.model_validate(step.settings)
    puzzle = run.problem.puzzle
    phases = fitting(puzzle, run.problem.moves, share.memory_bytes, settings.entries)
    if phases is None:
        run.lacked_memory = True
        return
    used = 0
    while not run.over(share) and (settings.first or share.timed or used < settings.untimed):
        searching = _searching(run, phases, share, settings, settings.untimed - used)
        if searching is None:
            return
        own = share if share.timed or settings.first else share.share(expanded=settings.untimed - used)
        outcome = searching.kernel.run(
            settings.longest if settings.first or run.useful is None else run.useful + 1,
            **own.limits(),
            control=share.search(),
        )
        run.count(outcome, own)
        used += outcome.expanded
        if outcome.status == "solved":
            path = [puzzle.moves[number] for number in outcome.path]
            run.offer(searching.variants[searching.kernel.variant].read(path))
        if outcome.status != "solved" or settings.first:
            return


def _searching(run: Run, phases: Phases, share: Budget, settings: Settings, untimed: int) -> _Searching | None:
    """The search that goes on: with the tables of pairs until there is a solution, then with all cosets if they fit."""
    key = f"two_phase {settings.entries}"
    kept: _Searching | None = run.kept.get(key) or _begin(run, phases, share, settings.patience)
    if kept is not None and run.solution is not None and not kept.asked and _worth(phases, share, settings, untimed):
        kept.asked = True
        if run.open(phases.all_cosets, share):
            kept = _begin(run, phases, share, settings.patience, phases.all_cosets)
    run.kept[key] = kept
    return kept


def _worth(phases: Phases, share: Budget, settings: Settings, untimed: int) -> bool:
    cosets = phases.all_cosets
    if settings.first or phases.table_bytes + cosets.build_bytes > share.memory_bytes:
        return False
    if share.timed:
        return cosets.build_seconds <= settings.building * share.seconds_left
    left = share.left("expanded")
    expansions = untimed if left is None else min(untimed, left)
    return expansions >= settings.worth and cosets.own[0].processor_seconds <= settings.build_seconds


def _begin(
    run: Run, phases: Phases, share: Budget, patience: int, cosets: CosetDatabases | None = None
) -> _Searching | None:
    try:
        with run.control.watching_builds(share.check):
            kernel = None if cosets is None else cosets.kernel
            search = phases.search(run.problem.start, patience, kernel, 1 if cosets is None else run.threads)
            return _Searching(*search, cosets is not None)
    except Stopped:
        return None
    except MemoryError:
        run.lacked_memory = True
        return None


def why_no_subgroup(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why there are no two phases with these moves; None if there are."""
    if isinstance(puzzle, PermutationPuzzle) and subgroup_of(puzzle, moves) is not None:
        return None
    return "no subgroup of these moves is of use for two phases, as there is one of the 3x3x3's"


METHOD = Method(
    name="two_phase",
    summary="into a subgroup, then home within it, shorter and shorter (Kociemba)",
    duplicates="none (tree search), canonical pruning",
    improve=improve,
    improves=True,
    options=("threads",),
    settings=Settings,
    refuses=why_no_subgroup,
)
