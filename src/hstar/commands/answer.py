"""The answer of ``hstar solve`` as text: the solution, how good it is, why, and what to try next."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

from rich.markup import escape
from rich.table import Table

from hstar import schema
from hstar.commands.terminal import out
from hstar.databases import Databases
from hstar.heuristics.analysis import Verdicts
from hstar.options import MAX_WIDTH, OPTIONS, flag_of
from hstar.puzzles import get_puzzle, puzzle_names
from hstar.search import ALGORITHMS, shortest_if_admissible

#: f-layers that are printed
LAST_LAYERS = 12

#: fields of a solve that only the service sets
SERVICE_FIELDS = {
    *(
        "id",
        "kind",
        "owner",
        "about",
        "tags",
        "priority",
        "progress",
        "error",
        "attempt",
        "cancel_requested",
        "certificate",
    ),
    *("created_at", "started_at", "finished_at"),
}


def _written(answer: schema.Solve, alg: Sequence[str]) -> str:
    """As the puzzle's own notation writes it; in names of one's own, and of a server's puzzles, move by move."""
    if answer.start.labels is not None or answer.puzzle not in puzzle_names():
        return " ".join(alg)
    return get_puzzle(answer.puzzle).format_alg(alg)


def print_answer(
    answer: schema.Solve,
    *,
    given_goal: bool,
    verdicts: Verdicts,
    unbuilt: Sequence[Databases] = (),
    given: Collection[str] = (),
) -> None:
    """Print it on standard output; for the last two see `next_thing_to_try`.

    :param given_goal: whether the user gave the goal; if not, it is shown
    :param verdicts: what is known about the heuristic of the search
    """
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    ending = ("outcome", answer.outcome) if answer.outcome else ("status", answer.status)
    table.add_row(ending[0], ending[1] + (f" ({answer.limit})" if answer.limit else ""))
    if answer.goal is not None and not given_goal:
        columns = str(answer.start.state["rows"]).partition("/")[0].split()
        table.add_row("goal", board(answer.goal, len(columns)) + "   (--goal chooses another)")
    if answer.start.scramble:
        s = answer.start.scramble
        table.add_row(
            "scramble", escape(f"{_written(answer, answer.start.alg or [])}   (k = {s.k}, seed = {s.seed}, {s.moves})")
        )
    if answer.solution is not None:
        table.add_row("solution", escape(_written(answer, answer.solution)) or "(already solved)")
        table.add_row("length", f"{answer.length} ({answer.optimality})")
    if answer.lower_bound is not None:
        table.add_row("lower bound", str(answer.lower_bound))
    width = f" (width {answer.width})" if answer.width else ""
    table.add_row("algorithm", (answer.method or answer.algorithm) + width)
    heuristic = answer.heuristic
    table.add_row("heuristic", escape(heuristic.expression) + (f"   ({heuristic.name})" if heuristic.name else ""))
    table.add_row("admissible", f"for {answer.moves}: {heuristic.admissible}, " + escape(heuristic.reason))
    if answer.counters:
        for name, value in answer.counters.model_dump().items():
            if value is not None:
                table.add_row(name, f"{value:,.4g}" if isinstance(value, float) else f"{value:,}")
    if answer.layers:
        left_out = len(answer.layers) - LAST_LAYERS
        shown = [f"{f:g}: {expanded:,}" for f, expanded in answer.layers[max(0, left_out) :]]
        table.add_row("f-layers", (f"({left_out:,} smaller)   " if left_out > 0 else "") + "   ".join(shown))
    table.add_row("seconds", f"{answer.seconds:.3f}")
    mib = (answer.peak_bytes or 0) / 2**20
    table.add_row("peak memory", f"{mib:,.1f} MiB" if mib >= 100 else f"{mib:.3g} MiB")
    out.print(table)
    advice = next_thing_to_try(answer, verdicts, unbuilt, given)
    if advice is not None:
        out.print(f"\n{escape(advice)}", soft_wrap=True)


def board(tiles: list[int], columns: int) -> str:
    """A board as text, its rows separated by slashes."""
    return " / ".join(" ".join(map(str, tiles[at : at + columns])) for at in range(0, len(tiles), columns))


def next_thing_to_try(
    answer: schema.Solve, verdicts: Verdicts, unbuilt: Sequence[Databases] = (), given: Collection[str] = ()
) -> str | None:
    """What could prove more than this answer, as options and commands that are accepted; None if it is proven.

    :param unbuilt: databases for which there was no time
    :param given: the names of the options that the user gave
    """
    if answer.outcome == "exhausted":
        others = len(get_puzzle(answer.puzzle, answer.goal).move_sets) > 1
        more = f" Try another move set: `hstar puzzles {answer.puzzle}`." if others else ""
        return f"No {answer.moves} moves lead to the goal.{more}"
    if answer.outcome == "limit_reached":
        ways = [*_builds(answer, unbuilt), *_more_of(answer), *_another(answer, given)]
        return f"{_why_it_ended(answer)} Try {', or '.join(ways)}."
    if answer.optimality != "feasible":
        return None
    bound = f"The shortest solution has {answer.lower_bound} to {answer.length} moves."
    if verdicts.counterexample is not None:
        bound += f" The heuristic is not admissible: {verdicts.reason}."
    elif answer.weight > 1 and not ALGORITHMS[answer.algorithm].improves:
        return f"{bound} Try --weight 1 to prove which."
    elif shortest_if_admissible(answer):
        bound += " It is this one if the heuristic is admissible, which is not known."
    set_limits = [f"a larger {flag_of(f'limit_{name}')}" for name, value in answer.limits if value is not None]
    ways = [*_builds(answer, unbuilt), *(_another(answer, given) or set_limits)]
    return f"{bound} Try {', or '.join(ways)} to prove which."


def _why_it_ended(answer: schema.Solve) -> str:
    match answer.limit:
        case "method":
            return f"{answer.algorithm} found no solution."
        case "width":
            return "No state was left in the beam."
    return f"The limit on {answer.limit} ended the search."


def _more_of(answer: schema.Solve) -> list[str]:
    """More of what the search ran out of, if that can be asked for."""
    if answer.limit == "width":
        can = "width" in ALGORITHMS[answer.algorithm].options and (answer.width or 0) < MAX_WIDTH
        return [f"a --width above {answer.width}"] if can else []
    if answer.limit == "method":
        return []
    return [f"a larger {flag_of('limit_memory_mib' if answer.limit == 'memory' else f'limit_{answer.limit}')}"]


def _another(answer: schema.Solve, given: Collection[str]) -> list[str]:
    """The strongest algorithm, without the options that it does not use; if it was that, and found nothing, another."""
    name = "auto"
    if answer.algorithm == "auto":
        if answer.limit not in ("method", "width"):
            return []
        name = "ida_star"
    used = ALGORITHMS[name].options  # type: ignore[index]
    left = [option.flag for option in OPTIONS.values() if option.name in given and option.name not in used]
    return [f"--algorithm {name}" + (f" without {' and '.join(left)}" if left else "")]


def _builds(answer: schema.Solve, unbuilt: Sequence[Databases]) -> list[str]:
    """The commands that build the tables for which there was no time."""
    commands = []
    for databases in unbuilt if answer.limit in ("seconds", None) else ():
        puzzle = databases.puzzle
        words = ["hstar", "database", "build", puzzle.name, databases.name, "--moves", databases.moves.name]
        goal = puzzle.goal_board()
        if goal is not None and goal != get_puzzle(puzzle.name).goal_board():
            words += ["--goal", " ".join(map(str, goal))]
        commands.append(f"`{shlex.join(words)}` first")
    return list(dict.fromkeys(commands))
