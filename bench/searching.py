"""The rows of A* and IDA*: the kernel on instances of known size, and its peers on the same instances."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bench import korf, peers
from bench.rows import Curve, Figure, Measured, Missing, Scale, row
from hstar.schema import LimitsIn, ScrambleIn, SolveRequest
from hstar.search import Problem, Result, prepare, solve

MEMORY_MIB = 8192


def problem(expanded: int | None = None, seconds: float | None = None, **request: Any) -> Problem:
    """A problem with a limit of expansions or seconds, and enough memory."""
    limits = LimitsIn(expanded=expanded, seconds=seconds, memory_mib=MEMORY_MIB)
    return prepare(SolveRequest(limits=limits, **request))


def korf_board(number: int, expanded: int | None = None) -> Problem:
    """A* with Manhattan distance on one of Korf's boards."""
    board = korf.instances()[number - 1].board
    return problem(expanded, puzzle="15-puzzle", state=list(board), heuristic="manhattan")


def s2_scramble(k: int, seed: int, expanded: int) -> Problem:
    """A Megaminx scrambled by clockwise turns, with S2's heuristic."""
    return problem(
        expanded,
        puzzle="megaminx",
        scramble=ScrambleIn(k=k, seed=seed, moves="cw"),
        moves="ccw",
        heuristic="s2-face-distance",
        tie_breaking="fifo",
    )


def warm(search: Problem, repeats: int) -> list[Result]:
    """``repeats`` searches after a first one that is not counted, because it touches the memory for the first time."""
    solve(search)
    return [solve(search) for _ in range(repeats)]


@row("tiles-astar", "15-puzzle, A* with Manhattan distance, Korf's 84th board")
def tiles_astar(scale: Scale) -> Measured:
    """More than 10 M expansions, in one thread, on a warm arena."""
    search = korf_board(84, scale.pick(None, 20_000))
    results = warm(search, scale.repeats)
    counters = results[0].counters
    return Measured(
        (
            Figure(
                "generated", "M/s", tuple(r.counters.generated / r.seconds / 1e6 for r in results), "higher", aim=20
            ),
            Figure("memory for each state", "bytes", tuple(r.peak_bytes / r.counters.stored for r in results), aim=48),
        ),
        counts={"expanded": counters.expanded, "generated": counters.generated, "stored": counters.stored},
    )


#: heuristics that are more than one table of sums, and how many nanoseconds an expansion of A* may take with each
MORE_THAN_A_TABLE: tuple[tuple[str, float | None], ...] = (
    ("manhattan", None),
    ("manhattan + linear_conflict", 250.0),
    ("walking_distance", 250.0),
    ("manhattan * 0.5", 250.0),
    ('pdb("6-6-3")', 250.0),
)


@row("tiles-heuristics", "15-puzzle, A* with heuristics that are more than one table, 500,000 expansions")
def tiles_heuristics(scale: Scale) -> Measured:
    """On Korf's 84th board, processor time. The first, one table of sums, is what the others are held against."""
    expanded = scale.pick(500_000, 2_000)
    figures, counts = [], {}
    for expression, aim in MORE_THAN_A_TABLE:
        board = korf.instances()[83].board
        search = problem(expanded, puzzle="15-puzzle", state=list(board), heuristic=expression)
        result = solve(search)
        times = []
        for _ in range(scale.repeats):
            began = time.process_time()
            result = solve(search)
            times.append((time.process_time() - began) / result.counters.expanded * 1e9)
        figures.append(Figure(expression, "ns an expansion", tuple(times), aim=aim))
        counts[f"{expression}: generated"] = result.counters.generated
    return Measured(tuple(figures), counts=counts)


@row("tiles-ida", "15-puzzle, IDA* with Manhattan distance, Korf's 100 boards")
def tiles_ida(scale: Scale) -> Measured:
    """All hundred once; every length and count must equal the published one. Ten of them again, for the spread."""

    def run(instance: korf.Instance) -> float:
        began = time.process_time()
        outcome = korf.search(instance.board)
        took = time.process_time() - began
        if (len(outcome.path), outcome.generated) != (instance.length, instance.generated):
            raise ValueError(f"Korf's board {instance.number} is not as published")
        return took

    boards = sorted(korf.instances(), key=lambda instance: instance.generated)
    every = boards[: scale.pick(len(boards), 5)]
    some = boards[scale.pick(40, 3) : scale.pick(50, 5)]
    generated = sum(instance.generated for instance in some)
    rates = tuple(generated / sum(map(run, some)) / 1e6 for _ in range(scale.repeats))
    return Measured(
        (
            Figure("all of them, one thread", "CPU s", (sum(map(run, every)),), aim=240, sample="run of all"),
            Figure("generated", "M/CPU s", rates, "higher", sample="run of ten boards"),
        ),
        counts={"boards": len(every), "generated": sum(instance.generated for instance in every)},
    )


@row("megaminx-astar", "Megaminx, A* with S2's heuristic, 2,000,000 expansions")
def megaminx_astar(scale: Scale) -> Measured:
    """Compared with S2's design, which does the same work in a separate process."""
    search = s2_scramble(30, 1, scale.pick(2_000_000, 2_000))
    results = warm(search, scale.repeats)
    others = [peers.s2_design(search) for _ in range(scale.repeats)]
    counters = results[0].counters
    return Measured(
        (
            Figure(
                "time", "s", tuple(r.seconds for r in results), aim=1.0,
                baselines={"S2's design": tuple(other.seconds for other in others)},
            ),
            Figure(
                "memory", "GB", tuple(r.peak_bytes / 1e9 for r in results), aim=1.5,
                baselines={"S2's design": tuple((other.peak_bytes or 0) / 1e9 for other in others)},
            ),
        ),
        counts={
            "expanded": counters.expanded,
            "generated": counters.generated,
            "stored": counters.stored,
            "expanded by S2's design": others[0].expanded,
            "generated by S2's design": others[0].generated,
        },
    )  # fmt: skip


#: puzzle, name of the instance, the instance; and the number of expansions for each peer
PYTHON_CASES: tuple[tuple[str, Callable[[int], Problem]], ...] = (
    ("15-puzzle, Manhattan", lambda expanded: korf_board(84, expanded)),
    ("Megaminx, S2's heuristic", lambda expanded: s2_scramble(30, 1, expanded)),
)
PYTHON_PEERS: tuple[tuple[str, Callable[[Problem], peers.Run], int], ...] = (
    ("plain Python", peers.plain_python, 20_000),
    ("astar (PyPI)", peers.library_astar, 5_000),
    ("simpleai (PyPI)", peers.library_simpleai, 500),
)


@row("python", "A* in Python, on the same nodes")
def python(scale: Scale) -> Measured:
    """Each peer and the kernel stop after the same number of expansions; the kernel repeats its search many times."""
    figures: list[Figure] = []
    counts: dict[str, int] = {}
    notes: list[str] = []
    for title, make in PYTHON_CASES:
        for name, peer, expansions in PYTHON_PEERS:
            search = make(scale.pick(expansions, 50))
            try:
                runs = [peer(search) for _ in range(scale.repeats)]
            except Missing as missing:
                notes.append(str(missing))
                continue
            results = warm(search, max(scale.repeats, scale.pick(25, 1)))
            figures.append(
                Figure(
                    f"{title}: expanded", "thousand/s",
                    tuple(r.counters.expanded / r.seconds / 1e3 for r in results), "higher",
                    baselines={name: tuple(run.expanded / run.seconds / 1e3 for run in runs)},
                    ratio_aim=100 if name == "plain Python" else None,
                )
            )  # fmt: skip
            counts |= {f"{title}: expanded by {name}": runs[0].expanded}
            if name == "plain Python" and runs[0].generated != results[0].counters.generated:
                raise ValueError(f"{title}: the kernel and the reference generate different nodes")
    return Measured(tuple(figures), counts=counts, notes=tuple(dict.fromkeys(notes)))


@row("growth-nodes", "15-puzzle, A*: the rate as the search grows")
def growth_nodes(scale: Scale) -> Measured:
    """Nodes a second by the number of nodes, on Korf's 84th board, with rising limits."""
    curves, counts = [], dict[str, int]()
    for name, peer, largest in (("hstar", None, 10_000_000), *((n, p, 20 * m) for n, p, m in PYTHON_PEERS)):
        points = []
        for expanded in (10 ** (e // 2) * (3 if e % 2 else 1) for e in range(4, 15)):
            if expanded > scale.pick(largest, 100):
                break
            search = korf_board(84, expanded)
            if peer is None:
                results = warm(search, 3)
                seconds = sorted(r.seconds for r in results)[1]
                counts[f"generated at {expanded}"] = results[0].counters.generated
            else:
                try:
                    seconds = peer(search).seconds
                except Missing:
                    break
            points.append((expanded, expanded / seconds))
            if seconds > 5:
                break
        curves.append(
            Curve("15-puzzle, A* with Manhattan distance", "nodes expanded", "expanded a second", name, tuple(points))
        )
    return Measured(curves=tuple(c for c in curves if c.points), counts=counts)


@row("growth-k", "Megaminx, S2's heuristic: time and memory as the scramble grows")
def growth_k(scale: Scale) -> Measured:
    """Medians over five scrambles for each k, at most 2,000,000 expansions each, as in report S2."""
    trials, limit = scale.pick(5, 1), scale.pick(2_000_000, 1_000)
    solve(s2_scramble(30, 1, limit))  # warms the arena
    times: dict[str, list[tuple[float, float]]] = {"hstar": [], "S2's design": [], "plain Python": []}
    memory: dict[str, list[tuple[float, float]]] = {"hstar": [], "S2's design": []}
    counts = {}
    for k in range(3, scale.pick(15, 5)):
        searches = [s2_scramble(k, seed, limit) for seed in range(1, trials + 1)]
        results = [solve(search) for search in searches]
        counts[f"expanded, k = {k}"] = sum(r.counters.expanded for r in results)
        times["hstar"].append((k, _middle(r.seconds for r in results)))
        memory["hstar"].append((k, _middle(r.peak_bytes for r in results)))
        others = [peers.s2_design(search) for search in searches]
        times["S2's design"].append((k, _middle(run.seconds for run in others)))
        memory["S2's design"].append((k, _middle(run.peak_bytes or 0 for run in others)))
        if max(r.counters.expanded for r in results) <= 20_000:
            times["plain Python"].append((k, _middle(peers.plain_python(search).seconds for search in searches)))
    return Measured(
        curves=(
            *(
                Curve("Megaminx, S2's heuristic: time", "k", "seconds", name, tuple(points))
                for name, points in times.items()
            ),
            *(
                Curve("Megaminx, S2's heuristic: memory", "k", "bytes", name, tuple(points))
                for name, points in memory.items()
            ),
        ),
        counts=counts,
    )


def _middle(values: Any) -> float:
    found = sorted(values)
    return float(found[len(found) // 2])
