# ruff: noqa: E501 (texts of sources are as long as they are)
"""Faults that are put into copies of the sources, to show that the comparisons of this folder find them.

Each fault is a small change of one file; the first take back mends of what was once wrong. A process of its own imports
the changed copy from `build/faults` and draws definitions until something disagrees, and then compares whole puzzles. The
table says what found each; the exit status is 1 if nothing found one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path

__all__ = ["FAULTS", "Fault", "main"]

ROOT = Path(__file__).resolve().parent.parent.parent
COPIES = ROOT / "build" / "faults"
#: a definition that takes so long is not compared to its end
SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Fault:
    """Some texts of one file that are replaced, each of which is there once."""

    name: str
    file: str
    changes: Sequence[tuple[str, str]]

    @property
    def native(self) -> bool:
        return self.file.startswith("native/")

    def apply(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text()
        for old, new in self.changes:
            if text.count(old) != 1:
                raise ValueError(f"{self.file} has {text.count(old)} times {old!r}")
            text = text.replace(old, new)
        path.write_text(text)


FAULTS = (
    # The mends of false proofs and of other faults, taken back.
    Fault("`//` by a fraction is taken as exact", "src/hstar/heuristics/bounds.py", [
        ("nearest = a.error == 0 or (a.nearest and divisor.denominator == 1)", "nearest = True"),
    ]),
    Fault("moves are equal if they do the same to the solved state", "src/hstar/features/databases.py", [
        ("reached[power.tobytes()] = min(cost, reached.get(power.tobytes(), HIGH))",
         "reached[_seen(puzzle, power)] = min(cost, reached.get(_seen(puzzle, power), HIGH))"),
        ("reached.get(image.tobytes(), HIGH)", "reached.get(_seen(puzzle, image), HIGH)"),
        ("@lru_cache(maxsize=64)\ndef _words(", '''def _seen(puzzle: PermutationPuzzle, image: np.ndarray) -> bytes:
    look = [
        puzzle.home[slot] + turned % puzzle.distinct_orientations[slot]
        for orbit in puzzle.orbits for slot in orbit.slots for turned in range(orbit.orientations)
    ]
    after = np.zeros(len(look), dtype=np.int64)
    after[image] = look
    return after.tobytes()


@lru_cache(maxsize=64)
def _words('''),
    ]),
    Fault("two of three images of a subgroup are looked up", "src/hstar/databases/cosets.py", [
        ("chosen.setdefault(self.subgroup.looked_up(self.puzzle, symmetry),",
         "chosen.setdefault(frozenset(images[self.moves.moves.index(move)] for move in self.subgroup.moves),"),
        ("any(images[number] in left for _, images in self.views)",
         "any(number in {images[one] for one in left} for _, images in self.views)"),
    ]),
    Fault("some of very many symmetries are taken as a group", "src/hstar/puzzles/symmetry.py", [
        ("            return False\n    return True\n\n\ndef _keeps_looks", "            return True\n    return True\n\n\ndef _keeps_looks"),
    ]),
    # Python.
    Fault("quotes in names of moves are not escaped", "src/hstar/features/registry.py", [
        ("return json.dumps(text, ensure_ascii=False)", "return f'\"{text}\"'"),
    ]),
    Fault("a count follows a name that ends with a digit", "src/hstar/puzzles/notation.py", [
        ("(name[-1].isdigit() or name + digits in self.names)", "(name + digits in self.names)"),
    ]),
    Fault("twsearch: orientations by slot instead of by piece", "src/hstar/puzzles/formats/tws.py", [
        ("[gained[source] for source in numbers]", "gained"),
    ]),
    Fault("GAP: cycles the other way round", "src/hstar/puzzles/formats/gap.py", [
        ("source[after - 1] = before - 1", "source[before - 1] = after - 1"),
    ]),
    Fault("points: pieces that look the same when turned are told apart", "src/hstar/puzzles/formats/generators.py", [
        ("if any(period < turns for period in periods):", "if all(period < turns for period in periods):"),
    ]),
    Fault("every arrangement can be reached", "src/hstar/puzzles/permutation.py", [
        ('return self.permutation_of(state) in self.group(MoveSet("every move", self.moves, ""))', "return True"),
    ]),
    Fault("the drop of a maximum is that of its first part", "src/hstar/heuristics/bounds.py", [
        ("low, high, max(a.drop, b.drop), max(a.rise, b.rise)", "low, high, a.drop, max(a.rise, b.rise)"),
    ]),
    Fault("rounding to integers does not raise a drop", "src/hstar/heuristics/bounds.py", [
        ("Fraction(ceil(a.drop + 2 * slack))", "a.drop + 2 * slack"),
    ]),
    Fault("an audit goes from the goal by the moves, not back along them", "src/hstar/audits/heuristic.py", [
        ("[puzzle.moves.index(puzzle.inverse(move)) for move in moves.moves]", "[puzzle.moves.index(move) for move in moves.moves]"),
    ]),
    Fault("databases for a set of moves are bounds for powers of them", "src/hstar/features/databases.py", [
        ("<= moves.cost(move) for move in moves.moves)", "<= 2 * moves.cost(move) for move in moves.moves)"),
    ]),
    Fault("symmetries need not keep what moves cost", "src/hstar/puzzles/symmetry.py", [
        ("if to == cost:", "if set(to) == set(cost):"),
    ]),
    Fault("inverse states are looked up where the moves have no inverses", "src/hstar/puzzles/symmetry.py", [
        ("if to == undoing and puzzle.all_different:", "if puzzle.all_different:"),
    ]),
    Fault("a bound is rounded up where rounding errors made it no integer", "src/hstar/search/problem.py", [
        ("value - 1e-6", "value + 1e-6"),
    ]),
    Fault("an invariant adds up orientations that cannot be seen", "src/hstar/puzzles/invariants.py", [
        ("if all(puzzle.distinct_orientations[slot] == n for slot in here) and n > 1:", "if n > 1:"),
    ]),
    # The kernel.
    Fault("a move that permutes two orbits oddly changes the parity of lengths", "native/core/puzzle/length_parity.cpp", [
        ("std::popcount(own & chosen) % 2 == 1", "(own & chosen) != 0"),
    ]),
    Fault("learned partitions are rounded up by one too many", "native/core/deepening/partition_walk.hpp", [
        ("(cost + CostPartitions::kScale - 1) / CostPartitions::kScale", "(cost + CostPartitions::kScale) / CostPartitions::kScale"),
    ]),
    Fault("a move's costs are shared out twice to its first touch", "native/core/heuristic/cost_partition.cpp", [
        ("left -= whole[i];", "if (i != first_[move]) left -= whole[i];"),
    ]),
    Fault("an exchange of pairs keeps the old surplus", "native/core/heuristic/piece_pairs.hpp", [
        ("    matching.pairs -= matching.surplus[a];\n    matching.surplus[a] = matching.surplus[b] = now;",
         "    if (now > matching.surplus[a]) matching.pairs -= matching.surplus[a];\n    matching.surplus[a] = matching.surplus[b] = now;"),
    ]),
    Fault("distances modulo 3 are followed upwards", "native/core/coset/coset_heuristic.cpp", [
        ("return Database::kUnreachable;\n  for (unsigned moves = 0;; ++moves) {", "return Database::kUnreachable;\n  for (unsigned moves = 1;; ++moves) {"),
    ]),
    Fault("the symmetry onto a class is that from it", "native/core/coset/coset_space.cpp", [
        ("member = {classes_, inverse[s]};", "member = {classes_, static_cast<std::uint16_t>(s)};"),
    ]),
    Fault("the bound of all views is raised where they differ", "native/core/deepening/coset_search.cpp", [
        ("{heuristic_.meeting() && least == most && most > 0}", "{heuristic_.meeting() && least + 1 >= most && most > 0}"),
    ]),
    Fault("moves that leave the inverse in its coset are left out too soon", "native/core/deepening/coset_search.cpp", [
        ("distances[views_ + other] > left} << other", "distances[views_ + other] >= left} << other"),
    ]),
    Fault("the least distance in a word is one too large", "native/core/coset/coset_space.cpp", [
        ("std::min(distance, Residues::kMostLeast)}", "std::min(distance + 1, Residues::kMostLeast)}"),
    ]),
    Fault("the last layer of a pattern is one farther", "native/core/pattern/pattern_database.cpp", [
        ("const auto next = static_cast<std::uint8_t>(d + 1);", "const auto next = static_cast<std::uint8_t>(frontier > entries / 3 ? d + 2 : d + 1);"),
    ]),
    Fault("a symmetry does not turn pieces", "native/core/puzzle/symmetry.cpp", [
        ("(place % n + turned_[piece]) % n]", "place % n]"),
    ]),
    Fault("moves commute that do not", "native/core/puzzle/move_automaton.cpp", [
        ("effects.commuting(move)[earlier] || (move >= last && earlier < last)", "effects.commuting(move)[earlier] || move == earlier + 1 || (move >= last && earlier < last)"),
    ]),
    Fault("layered search leaves out what is at its threshold", "native/core/layers/layered_search.hpp", [
        ("if (f > threshold_) {", "if (f >= threshold_) {"),
    ]),
    Fault("A* does not keep a shorter way to a state that it has seen", "native/core/search/astar_search.hpp", [
        ("} else if (g < nodes_[place.node].g()) {", "} else if (g + 1000 < nodes_[place.node].g()) {"),
    ]),
    Fault("`//` is the floor of a quotient that was rounded", "native/core/heuristic/program.cpp", [
        ("const double whole = std::floor(quotient);", "return std::floor(a / b);\n  const double whole = std::floor(quotient);"),
    ]),
)  # fmt: skip

#: what the process of one fault runs; the import hook of the editable package would find the unchanged one
_RUN = """
import sys
sys.meta_path = [one for one in sys.meta_path if type(one).__module__ != "_editable_skbc_hstar"]
sys.path[:0] = [sys.argv[1] + "/src", sys.argv[1]]
import hstar
assert hstar.__file__.startswith(sys.argv[1]), hstar.__file__
try:
    from tests.hostile import campaign, faults, truth
except ImportError as error:
    sys.exit(f"{error}; the copy lacks something")
print(faults.search(int(sys.argv[2])))
"""
#: how it ends if the copy is not complete: then nothing was compared
LACKS = "the copy lacks something"


def search(seed: int) -> str:
    """What finds that the imported sources have a fault; empty if nothing does."""
    from tests.hostile.campaign import run
    from tests.hostile.truth import PUZZLES, Report, truth_of

    def among(first: int, end: int) -> str:
        for number in range(first, end):
            if run(seed, number, 1)[1]:
                return f"definition {number + 1:,}"
        return ""

    def whole(quick: bool) -> str:
        for case in PUZZLES:
            report = Report()
            try:
                if case.quick == quick:
                    truth_of(case, report)
            except Exception as error:
                return f"{case.name}: {type(error).__name__}"
            wrong = [bound for (_, bound), row in report.rows.items() if row.over or row.unequal]
            if wrong:
                return f"{case.name}: {wrong[0]}"
        return ""

    return among(0, 60) or whole(True) or whole(False) or among(60, 1500)


def _copy(to: Path) -> None:
    shutil.rmtree(to, ignore_errors=True)
    kernel = PathFinder.find_spec("_kernel", [str(Path(path) / "hstar") for path in sys.path])
    assert kernel is not None
    assert kernel.origin is not None
    ignored = shutil.ignore_patterns("__pycache__")
    for part in ("src", "tests", "checker"):
        shutil.copytree(ROOT / part, to / part, ignore=ignored)
    shutil.copy(kernel.origin, to / "src" / "hstar")


def _build(fault: Fault | None) -> Path:
    """The kernel with this fault. All are built in one folder, so that little is compiled anew."""
    sources, made = COPIES / "native", COPIES / "kernel"
    if fault is None:
        shutil.rmtree(sources, ignore_errors=True)
        shutil.copytree(ROOT / "native", sources)
    else:
        fault.apply(COPIES)
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    options = [
        "-DHSTAR_PYTHON=ON",
        "-DHSTAR_TESTS=OFF",
        f"-Dnanobind_DIR={nanobind}",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    commands: list[list[str]] = [
        ["cmake", "-S", str(sources), "-B", str(made), "-G", "Ninja", "--log-level=WARNING", *options],
        ["cmake", "--build", str(made), "--target", "_kernel"],
    ]
    for command in commands:
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    (built,) = made.glob("_kernel*.so")
    if fault is not None:
        shutil.copy(ROOT / fault.file, COPIES / fault.file)
    return built


def found_by(fault: Fault, seed: int) -> str:
    """What finds a fault; it is said as soon as it is known."""
    answer = _found_by(fault, seed)
    print(f"{fault.name}: {answer or 'nothing'}", file=sys.stderr, flush=True)
    return answer


def _found_by(fault: Fault, seed: int) -> str:
    """Run a process with a copy that has the fault."""
    root = COPIES / "".join(c if c.isalnum() else "-" for c in fault.name)
    try:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", _RUN, str(root), str(seed)]
            environment = os.environ | {"HSTAR_DATABASES": folder}
            ended = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "a search that does not end"
    finally:
        shutil.rmtree(root, ignore_errors=True)
    if ended.returncode < 0:
        return f"a process that ended by signal {-ended.returncode}"
    if LACKS in ended.stderr:
        raise RuntimeError(ended.stderr)
    return ended.stdout.strip() if ended.returncode == 0 else f"an error: {ended.stderr.strip().splitlines()[-1]:.200}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="faults whose names have one of these texts, with ; between them")
    asked = parser.parse_args()
    chosen = [fault for fault in FAULTS if any(text in fault.name for text in asked.only.split(";"))]
    COPIES.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(asked.jobs) as pool:
        answers = {}
        if any(fault.native for fault in chosen):
            print("building the kernel, and then once for each fault in it", file=sys.stderr, flush=True)
            _build(None)
        for fault in sorted(chosen, key=lambda one: one.native):
            root = COPIES / "".join(c if c.isalnum() else "-" for c in fault.name)
            _copy(root)
            if fault.native:
                shutil.copy(_build(fault), root / "src" / "hstar")
            else:
                fault.apply(root)
            answers[fault.name] = pool.submit(found_by, fault, asked.seed)
        print("| fault | in | found by |\n|---|---|---|")
        missed = 0
        for fault in chosen:
            answer = answers[fault.name].result()
            missed += not answer
            print(f"| {fault.name} | `{fault.file}` | {answer or '**nothing**'} |", flush=True)
    print(f"\n{len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
