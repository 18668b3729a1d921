"""The answer of ``hstar solve`` as text: the solution, how good it is, why, and what to try next."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from hstar import schema
from hstar.commands.terminal import out
from hstar.heuristics.analysis import Verdicts

#: fields of a solve that only the service sets
SERVICE_FIELDS = {
    *("id", "owner", "tags", "priority", "progress", "error", "attempt", "cancel_requested"),
    *("created_at", "started_at", "finished_at"),
}


def print_answer(answer: schema.Solve, *, given_goal: bool, verdicts: Verdicts) -> None:
    """Print it on standard output.

    :param given_goal: whether the user gave the goal; if not, it is shown
    :param verdicts: what is known about the heuristic of the search
    """
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("status", answer.status + (f" ({answer.limit})" if answer.limit else ""))
    if answer.goal is not None and not given_goal:
        columns = str(answer.start.state["rows"]).partition("/")[0].split()
        table.add_row("goal", board(answer.goal, len(columns)) + "   (--goal chooses another)")
    if answer.start.scramble:
        s = answer.start.scramble
        table.add_row(
            "scramble", escape(f"{' '.join(answer.start.alg or [])}   (k = {s.k}, seed = {s.seed}, {s.moves})")
        )
    if answer.solution is not None:
        table.add_row("solution", escape(" ".join(answer.solution)) or "(already solved)")
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
    table.add_row("seconds", f"{answer.seconds:.3f}")
    mib = (answer.peak_bytes or 0) / 2**20
    table.add_row("peak memory", f"{mib:,.1f} MiB" if mib >= 100 else f"{mib:.3g} MiB")
    out.print(table)
    advice = next_thing_to_try(answer, verdicts)
    if advice is not None:
        out.print(f"\n{escape(advice)}", soft_wrap=True)


def board(tiles: list[int], columns: int) -> str:
    """A board as text, its rows separated by slashes."""
    return " / ".join(" ".join(map(str, tiles[at : at + columns])) for at in range(0, len(tiles), columns))


def next_thing_to_try(answer: schema.Solve, verdicts: Verdicts) -> str | None:
    """What could prove more than this answer; None if it is proven."""
    if answer.status == "exhausted":
        return f"No {answer.moves} moves lead to the goal. Try another move set: `hstar puzzles {answer.puzzle}`."
    if answer.status == "limit_reached":
        better = "" if answer.algorithm == "auto" else ", or --algorithm auto"
        if answer.limit == "width":
            return f"No state was left in the beam. Try a --width above {answer.width}{better}."
        option = "--limit-memory-mib" if answer.limit == "memory" else f"--limit-{answer.limit}"
        return f"The limit on {answer.limit} ended the search. Try a larger {option}{better}."
    if answer.optimality != "feasible":
        return None
    bound = f"The shortest solution has {answer.lower_bound} to {answer.length} moves."
    if answer.weight > 1:
        return f"{bound} Try --weight 1 to prove which."
    if verdicts.counterexample is not None:
        return f"{bound} The heuristic is not admissible: {verdicts.reason}. Try --algorithm auto to prove which."
    better = "larger limits" if answer.algorithm == "auto" else "--algorithm auto"
    return f"{bound} Try {better} to prove which."
