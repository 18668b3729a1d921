"""``python -m bench.definitions``: definitions by others, one random state of each solved within a limit.

    python -m bench.definitions twsearch/samples/main cubing/definitions src/hstar/puzzles/data --results found.jsonl
    python -m bench.definitions ... --twsearch twsearch/build/bin/twsearch --cubing cubing      # these solve it, too

A definition is a KPuzzle (.json) or a file of twsearch (.tws, .def). Each is read and solved in a fresh process, and
each answer is replayed by the code of `bench.definitions.replay`. Results are added to a file, a line each; what is in
it with the same limit and seed is not done again. twsearch and cubing.js have as many CPU seconds as hstar has seconds,
and only states for which hstar has a short solution: they find shortest ones only, but for a few puzzles.
``node bench/definitions/cubing.mjs FOLDER export`` writes the definitions of FOLDER/node_modules/cubing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench import report
from bench.definitions.replay import Definition, read
from bench.lateness import processor_seconds
from bench.published.__main__ import kept

#: a result as it is kept: a line of JSON
Result = dict[str, Any]

#: seconds in which an answer may be late before its process is ended
PATIENCE = 60
#: seconds for reading a definition, before those of the limit
READING = 120
#: the solvers of cubing.js for one puzzle
OWN_SOLVERS = {
    "2x2x2": "experimentalSolve2x2x2", "3x3x3": "experimentalSolve3x3x3IgnoringCenters", "pyraminx": "solvePyraminx",
    "skewb": "solveSkewb", "megaminx": "solveMegaminx",
}  # fmt: skip

_CHILD = """
import json, sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from hstar.errors import InvalidRequest
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.schema import SolveRequest
from hstar.search import Control, prepare, solve

path, seconds, seed, answer = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])

def say(**values):
    answer.write_text(json.dumps(values))

class Watched(Control):
    first = None
    def show_best(self, solution):
        super().show_best(solution)
        if self.first is None:
            self.first = [len(solution), round(time.monotonic() - began, 2), round(time.process_time() - worked, 2)]

with TemporaryDirectory() as folder, looking_in(Folder(Path(folder))):
    text = path.read_text(encoding="utf-8")
    try:
        Folder(Path(folder)).add(read_any_definition(json.loads(text) if path.suffix == ".json" else text, "puzzle"))
        puzzle, control = get_puzzle("puzzle"), Watched()
    except InvalidRequest as refused:
        fault = refused.faults[0]
        say(refused=f"{fault.where}: {fault.message}")
        raise SystemExit
    asked = {"puzzle": "puzzle", "random": seed, "algorithm": "anytime", "limits": {"seconds": seconds}}
    problem = prepare(SolveRequest.model_validate(asked))  # chooses the state, which is no part of the answer
    began, worked = time.monotonic(), time.process_time()
    print(began, flush=True)
    found = solve(problem, control)
    took, ended = time.monotonic() - began, time.process_time()
    say(start=puzzle.format_state(problem.start)["pieces"], solution=found.solution, status=found.status,
        proven=found.optimality == "proven", bound=found.lower_bound, first=control.first, ended=ended,
        seconds=round(took, 2), cpu_seconds=round(ended - worked, 2))
"""


def hstar(path: Path, seconds: float, seed: int) -> Result:
    """Read and solved in a fresh process, with the processor time that it took after its limit."""
    with TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-c", _CHILD, str(path), str(seconds), str(seed), str(answer)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            began = child.stdout.readline()
            before = None
            try:
                child.wait(max(0.0, float(began) + seconds - time.monotonic()) if began else READING)
            except subprocess.TimeoutExpired:
                before = processor_seconds(child.pid)
                try:
                    child.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    child.kill()
        if not answer.exists():
            return {"error": f"ended with status {child.returncode} and no answer"}
        said: Result = json.loads(answer.read_text())
    ended = said.pop("ended", 0.0)
    said["worked_after"] = 0.0 if before is None else round(max(0.0, ended - before), 3)
    return said


def twsearch(program: Path, definition: Definition, start: Any, seconds: float) -> Result:
    """Of twsearch in C++, one thread, without files of tables."""
    with TemporaryDirectory() as folder:
        puzzle, scramble = Path(folder) / "puzzle.tws", Path(folder) / "state.scr"
        puzzle.write_text(definition.tws())
        scramble.write_text(definition.scramble(start))
        options = ["-M", "1024", "-t", "1", "--nowrite", "--cachedir", folder, "-c", "1"]
        said = _within(seconds, [str(program.resolve()), *options, str(puzzle), str(scramble)], None)
    lines = said.pop("said").splitlines()
    ends = [number for number, line in enumerate(lines) if line.startswith("Found ") and "solution" in line]
    return {**said, "solution": lines[ends[0] - 1].split() if ends else None}


def cubing(folder: Path, path: Path, definition: Definition, start: Any, seconds: float) -> Result:
    """Of cubing.js: its solver of this puzzle, or its twsearch in WebAssembly."""
    whole = set(definition.rotations)
    solver = OWN_SOLVERS.get(path.stem) if folder.resolve() in path.resolve().parents else None
    asked = {
        "kpuzzle": definition.kpuzzle(path.stem), "pattern": start, "solver": solver,
        "moves": [move for move in definition.names if move not in whole],
    }  # fmt: skip
    program = Path(__file__).with_name("cubing.mjs")
    said = _within(seconds, ["node", str(program), str(folder.resolve())], json.dumps(asked))
    lines = said.pop("said").splitlines()
    return {**said, "solution": lines[-1].split() if said["status"] == 0 and lines else None}


def _within(seconds: float, command: Sequence[str], given: str | None) -> Result:
    """What a program says within so many CPU seconds."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))

    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, preexec_fn=limited, timeout=6 * seconds
        )
        said, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired:
        said, status = "", -1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "said": said, "status": status, "seconds": round(time.monotonic() - began, 2), "cpu_seconds": round(cpu, 2)
    }  # fmt: skip


def replayed(definition: Definition, start: Any, found: Result) -> Result:
    """The result with its number of moves.

    :raises AssertionError: it is no solution
    """
    solution = found.pop("solution", None)
    if solution is None:
        return {**found, "length": None}
    try:
        solves = definition.replays(start, solution)
    except ValueError as error:  # cubing.js' solver of the Pyraminx has names of its own for moves
        return {**found, "length": None, "error": str(error)}
    if not solves:
        raise AssertionError(f"no solution: {' '.join(solution)[:300]}")
    return {**found, "length": len(solution)}


def run(paths: Sequence[Path], options: argparse.Namespace) -> list[Result]:
    """The results of these definitions; those that the file has with the same settings are taken from it."""
    head = {"limit": options.seconds, "seed": options.seed}
    peers: dict[str, Callable[[Path, Definition, Any], Result]] = {}
    if options.twsearch:
        peers["twsearch"] = lambda _, own, start: twsearch(options.twsearch, own, start, options.seconds)
    if options.cubing:
        peers["cubing.js"] = lambda path, own, start: cubing(options.cubing, path, own, start, options.seconds)
    known = {one["file"]: one for one in kept(options.results) if {key: one.get(key) for key in head} == head}
    machine = report.here({}, os.getloadavg()[0])
    results = []
    for path in paths:
        file = f"{path.parent.name}/{path.name}"
        before = known.get(file)
        one = before or {"file": file, **head, "commit": machine.commit, "machine": machine.machine}
        if "hstar" not in one:
            found = hstar(path, options.seconds, options.seed)
            one = one | {"start": found.pop("start", None), "hstar": found}
        definition = None if one["start"] is None else read(path)
        if definition is not None and before is None:
            one["pieces"] = sum(pieces for pieces, _ in definition.orbits.values())
            one["hstar"] = replayed(definition, one["start"], one["hstar"])
        length = one["hstar"].get("length")
        for name, solver in peers.items():
            if name not in one and definition is not None and length is not None and length <= options.longest:
                one = one | {name: replayed(definition, one["start"], solver(path, definition, one["start"]))}
        if one is not before:
            with options.results.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(one, separators=(",", ":")) + "\n")
            print(" | ".join(_cells(one)), file=sys.stderr, flush=True)
        results.append(one)
    return results


HEAD = ("definition", "pieces", "first answer: moves, s / CPU s", "at the end: moves", "bound", "s / CPU s",
        "CPU s after the limit", "twsearch: moves, CPU s", "cubing.js: moves, CPU s")  # fmt: skip


def _cells(one: Result) -> tuple[str, ...]:
    found = one["hstar"]
    if one["start"] is None:
        return (one["file"], "", found.get("refused") or found.get("error") or "no answer", *[""] * 6)
    first = found["first"] or [found["length"], found["seconds"], found["cpu_seconds"]]
    peers = []
    for name in ("twsearch", "cubing.js"):
        own = one.get(name)
        peers.append(
            "" if own is None else f"{own['length']}, {own['cpu_seconds']}" if own["length"] is not None else "-"
        )
    return (
        one["file"], str(one["pieces"]), f"{first[0]}, {first[1]} / {first[2]}",
        f"{found['length']}{' (shortest)' if found['proven'] else ''}", str(found["bound"]),
        f"{found['seconds']} / {found['cpu_seconds']}", str(found["worked_after"]), *peers,
    )  # fmt: skip


def table(results: Iterable[Result]) -> str:
    """The rows as a table of Markdown."""
    lines = [HEAD, ("---", *["---:"] * (len(HEAD) - 1)), *map(_cells, results)]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def totals(results: Sequence[Result]) -> str:
    """What all of them come to, a line each."""
    answered = [one for one in results if one["hstar"].get("length") is not None]
    others = [one for one in results if one not in answered]
    lines = [f"{len(answered)} of {len(results)} definitions answered"]
    lines += [f"not {one['file']}: {_cells(one)[2]}" for one in others]
    if answered:
        firsts = [one["hstar"]["first"] or [0, 0, 0] for one in answered]
        lines.append(f"first answer after {median(f[2] for f in firsts)} CPU s, at most {max(f[2] for f in firsts)}")
        lines.append(f"moves at the end: median {median(one['hstar']['length'] for one in answered)}, "
                     f"{sum(one['hstar']['proven'] for one in answered)} proven shortest")  # fmt: skip
        late = [one["hstar"]["seconds"] - one["limit"] for one in answered]
        worked = max(one["hstar"]["worked_after"] for one in answered)
        lines.append(f"after the limit: at most {max(0.0, *late):.2f} s, {worked} CPU s")
    for name in ("twsearch", "cubing.js"):
        asked = [one for one in answered if name in one]
        found = [one for one in asked if one[name]["length"] is not None]
        if asked:
            ours, theirs = (sum(one[who]["length"] for one in found) for who in ("hstar", name))
            also = sum(one["hstar"]["proven"] for one in found)
            lines.append(f"{name}: {len(found)} of {len(asked)} within the limit, {theirs} moves together, "
                         f"hstar {ours}; {also} of these proven by hstar")  # fmt: skip
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.definitions", description=(__doc__ or "").partition("\n\n")[0]
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a definition, or a folder of them")
    parser.add_argument("--seconds", type=float, default=10, help="for each state (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the random states (0)")
    parser.add_argument("--results", type=Path, default=Path("definitions.jsonl"), help="file of results, a line each")
    parser.add_argument("--twsearch", type=Path, help="twsearch's program, to solve the same states")
    parser.add_argument("--cubing", type=Path, help="folder with node_modules/cubing, to solve the same states")
    parser.add_argument(
        "--longest", type=int, default=60, help="others get states that hstar solves in so many moves (60)"
    )
    options = parser.parse_args(arguments)
    paths = [
        file
        for path in options.paths
        for file in (sorted(path.iterdir()) if path.is_dir() else [path])
        if file.suffix in (".json", ".tws", ".def")
    ]
    results = run(paths, options)
    print(f"{table(results)}\n\n{totals(results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
