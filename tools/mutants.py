"""Changes of the sources that no test notices: `make mutants PACKAGE=src/hstar/grading SAMPLE=100 SEED=1`

Cosmic Ray makes the mutants: a number, an operator, a comparison, a condition, a loop or a decorator is changed, one at
a time. `tools/mutants.toml` has the tests of each package, and the survivors that are accepted, with reasons.

The sources and tests are copied to `build/mutants`, and only the copy is changed. One process imports the libraries
once and is forked for each mutant. The child runs the tests that reach the changed statement (measured by coverage.py,
again after each change of a source), those that killed others before, then the shortest, until one fails. Time limits
are in CPU seconds, so a busy machine kills no mutant. Accepted mutants are not drawn. The score is the killed part;
below 95 % the command fails.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import fcntl
import importlib
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

import coverage
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build" / "mutants"
TABLE = ROOT / "tools" / "mutants.toml"
#: a migrated SQLite file, which the tests of all mutants copy
MIGRATED = COPY / "migrated.db"
WANTED = 0.95

# They change nothing: no state is None by equality alone, and small numbers are one object in CPython.
EQUIVALENT = re.compile(r"core/ReplaceComparisonOperator_(Is_Eq|Eq_Is|IsNot_NotEq|NotEq_IsNot)$")
#: for one test, beyond five times what it took
SPARE_SECONDS = 10
SPARE_BYTES = 6 * 2**30


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one statement. ``lines``: first and last of the statement; ``code``: the changed source."""

    file: str
    line: int
    lines: range
    before: str
    after: str
    code: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}\n  - {self.before}\n  + {self.after}"


@dataclass(slots=True)
class Reached:
    """The tests that reach each line of a file, and how long each test takes, in CPU seconds."""

    tests: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]

    def by(self, mutant: Mutant) -> set[str]:
        """The tests that reach the mutant's statement; all of them if it runs when its module is imported."""
        of_file = self.tests.get(mutant.file, {})
        found = set().union(*(of_file.get(line, set()) for line in mutant.lines))
        if "" in found:
            return set(self.seconds)
        # A fixture of a module may have reached it for the first of the tests that use it.
        return {test for test in self.seconds if test in found or test.partition("::")[0] in found}


# -- mutants ---------------------------------------------------------------------------------------------------------


Place = tuple[int, int]


def places(source: str) -> tuple[list[ast.stmt], list[tuple[Place, Place]]]:
    """The statements of a source, and the begin and end of what is not changed: annotations, options of dataclasses,
    frozen models, caches of functions, which only save time, and whether `zip` is strict, which stops only what another
    fault has made."""
    statements: list[ast.stmt] = []
    kept: list[Any] = []
    caches: list[ast.expr] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            statements.append(node)
        kept += [found for name in ("annotation", "returns") if (found := getattr(node, name, None)) is not None]
        if isinstance(node, ast.ClassDef):
            kept += [call for call in node.decorator_list if isinstance(call, ast.Call)]
        if isinstance(node, ast.FunctionDef):
            caches += [one for one in node.decorator_list if "cache" in ast.unparse(one)]
        if isinstance(node, ast.keyword) and node.arg in ("frozen", "strict"):
            kept.append(node)
    # With the @ before it and the end of its line.
    spots = [((one.lineno, 0), ((one.end_lineno or one.lineno) + 1, 0)) for one in caches]
    return statements, spots + [
        ((one.lineno, one.col_offset), (one.end_lineno or one.lineno, one.end_col_offset or 0)) for one in kept
    ]


def first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def own_lines(statement: ast.stmt) -> range:
    """The lines of a statement; of one with a body only its head."""
    body: list[ast.stmt] = getattr(statement, "body", [])
    last = max(statement.lineno, first_line(body[0]) - 1) if body else statement.end_lineno or statement.lineno
    return range(first_line(statement), last + 1)


def mutants(file: str, draw: random.Random) -> list[Callable[[], Mutant | None]]:
    """One mutant for each place of the file that can be changed, chosen by ``draw``; made when it is called."""
    source = (ROOT / file).read_text()
    statements, kept = places(source)
    lines = source.splitlines()
    options: dict[tuple[Place, Place], list[tuple[str, int]]] = defaultdict(list)
    tree = get_ast(source)
    for name in sorted(operator_names()):
        operator = get_operator(name)
        if operator.arguments() or EQUIVALENT.search(name):
            continue
        spots = [spot for node in ast_nodes(tree) for spot in operator().mutation_positions(node)]
        for occurrence, (start, end) in enumerate(spots):
            marks_keywords = lines[start[0] - 1].startswith("*,", start[1])  # of a function's arguments
            if not marks_keywords and not any(begin <= start and end <= after for begin, after in kept):
                options[start, end].append((name, occurrence))

    def make(line: int, name: str, occurrence: int) -> Mutant | None:
        try:
            code = mutate_code(source, get_operator(name)(), occurrence)
        except AttributeError:  # Cosmic Ray replaces bare names of exceptions only, not those of modules
            return None
        if code is None or code == source:
            return None
        old, new = source.splitlines(), code.splitlines()
        if len(old) == len(new):
            line = next(number for number, pair in enumerate(zip(old, new, strict=True), 1) if pair[0] != pair[1])
        inside = [one for one in statements if first_line(one) <= line <= (one.end_lineno or one.lineno)]
        lines = own_lines(max(inside, key=first_line))
        after = new[line - 1].strip() if len(old) == len(new) else ""  # a decorator is left out
        return Mutant(file, line, lines, old[line - 1].strip(), after, code)

    chosen = ((start[0], *draw.choice(found)) for (start, _), found in sorted(options.items()))
    return [lambda choice=choice: make(*choice) for choice in chosen]  # type: ignore[misc]


def sample(package: str, size: int | None, seed: int, reasons: Reasons) -> list[Mutant]:
    """Mutants of a package that are not accepted, the same ones for the same sources, table and seed."""
    draw = random.Random(seed)
    path = ROOT / package
    files = [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))
    every = [one for file in files for one in mutants(str(file.relative_to(ROOT)), draw)]
    draw.shuffle(every)
    made = (one() for one in every)
    wanted = (mutant for mutant in made if mutant is not None and not reasons.accept(mutant))
    return list(islice(wanted, size))


# -- the copy --------------------------------------------------------------------------------------------------------


def copy_sources() -> None:
    """Copy what the tests need; what has not changed keeps its bytecode."""
    COPY.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        target = COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            shutil.copy2(ROOT / name, target)
    for folder in {name.partition("/")[0] for name in names if "/" in name}:  # tables that are shipped no more, too
        for path in (COPY / folder).rglob("*"):
            if path.is_file() and path.suffix != ".pyc" and str(path.relative_to(COPY)) not in names:
                path.unlink()


def use_copy() -> None:
    """Import from the copy, whatever is installed; the kernel is where it was built."""
    os.chdir(COPY)
    sys.path[:] = [str(COPY), *(one for one in sys.path if one not in ("", str(ROOT)))]
    for finder in sys.meta_path:
        if hasattr(finder, "known_source_files"):
            moved = {name: path.replace(str(ROOT), str(COPY)) for name, path in finder.known_source_files.items()}
            finder.known_source_files = moved


def run_in_child(work: Callable[[], int], seconds: float) -> int:
    """The exit status of ``work`` in a forked process with its own processes, output and temporary files."""
    with tempfile.TemporaryDirectory(prefix="hstar-mutants-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)  # PostgreSQL may run as another user
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setsid()
                os.environ |= {"TMPDIR": home, "HSTAR_TEST_ALL": "0", "PYTHONPATH": str(COPY)}
                tempfile.tempdir = None
                output = os.open(COPY / "output.txt", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
                os.dup2(output, 1)
                os.dup2(output, 2)
                limit = int(process_time() + seconds)
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
                # Not RLIMIT_AS: the kernel reserves addresses that it does not use.
                resource.setrlimit(resource.RLIMIT_DATA, (SPARE_BYTES, SPARE_BYTES))
                use_copy()
                status = work()
            finally:
                sys.stdout.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, 9)
        return status


# -- tests -----------------------------------------------------------------------------------------------------------

OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short", "--timeout=600"]


class Watch:
    """A pytest plugin that measures which lines each test reaches, and how long it takes."""

    def __init__(self, package: str) -> None:
        self.coverage = coverage.Coverage(data_file=None, include=[str(COPY / package), f"{COPY / package}/**"])
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid.partition("::")[0])
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        began = process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = process_time() - began

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[Any, Any, Any]:
        made = yield
        if fixturedef.argname == "sqlite_template":
            shutil.copy2(made, MIGRATED)
        return made

    def found(self) -> dict[str, Any]:
        data = self.coverage.get_data()
        tests = {
            str(Path(file).relative_to(COPY)): {
                line: sorted(found) for line, found in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        libraries = sorted(
            name
            for name, module in sys.modules.items()
            if "site-packages" in (getattr(module, "__file__", None) or "") and not name.startswith("hstar.")
        )
        return {"tests": tests, "seconds": self.seconds, "libraries": libraries}


class Chosen:
    """A pytest plugin that runs these tests, in this order, and writes down which of them failed.

    Migrating an empty SQLite file takes longer than most tests, so they copy the one of the first run: no package that
    is changed has migrations.
    """

    def __init__(self, order: Sequence[str], seconds: dict[str, float]) -> None:
        self.place = {test: place for place, test in enumerate(order)}
        self.seconds = seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """A loop without an end is ended by a signal."""
        signal.setitimer(signal.ITIMER_PROF, SPARE_SECONDS + 5 * self.seconds[item.nodeid])
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.place), key=lambda one: self.place[one.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Path | None:
        if fixturedef.argname != "sqlite_template":
            return None
        fixturedef.cached_result = MIGRATED, fixturedef.cache_key(request), None
        return MIGRATED

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            (COPY / "killer.txt").write_text(report.nodeid)


def measure(package: str, tests: Sequence[str]) -> Reached:
    """Run all tests of a package once for the same sources and tests, and import the libraries that they use.

    :raises SystemExit: a test fails
    """
    state = sha256("\n".join(tests).encode())
    for path in sorted(COPY.rglob("*.py")):
        state.update(path.read_bytes())
    kept = COPY / f"reached-{package.replace('/', '-')}-{state.hexdigest()[:16]}.json"

    def work() -> int:
        sys.dont_write_bytecode = False
        watch = Watch(package)
        watch.coverage.start()
        status = int(pytest.main([*OPTIONS, *tests], plugins=[watch]))
        watch.coverage.stop()
        if status == 0:
            kept.write_text(json.dumps(watch.found()))
        return status

    if not kept.exists() and run_in_child(work, 7200) != 0:
        sys.exit(f"the tests of {package} fail without any change:\n{(COPY / 'output.txt').read_text()[-4000:]}")
    found = json.loads(kept.read_text())
    for name in found["libraries"]:
        with contextlib.suppress(Exception):  # some can only be imported by their package
            importlib.import_module(name)
    by_line = {file: {int(line): set(names) for line, names in lines.items()} for file, lines in found["tests"].items()}
    return Reached(by_line, found["seconds"])


def killed(mutant: Mutant, reached: Reached, killers: Counter[str]) -> bool:
    """Whether a test fails with the mutant."""

    # Those on PostgreSQL later, because each child would start a server.
    def order(test: str) -> tuple[int, bool, float, str]:
        return -killers[test], "postgresql" in test, reached.seconds[test], test

    tests = sorted(reached.by(mutant), key=order)
    if not tests:
        return False
    target, verdict = COPY / mutant.file, COPY / "killer.txt"
    source = target.read_bytes()
    verdict.unlink(missing_ok=True)

    def work() -> int:
        sys.dont_write_bytecode = True
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        return int(pytest.main([*OPTIONS, *files], plugins=[Chosen(tests, reached.seconds)]))

    try:
        for old in target.parent.glob(f"__pycache__/{target.stem}.*.pyc"):
            old.unlink()
        target.write_text(mutant.code)
        status = run_in_child(work, 60 + 5 * sum(reached.seconds[test] for test in tests))
    finally:
        target.write_bytes(source)
    if verdict.exists():
        killers[verdict.read_text()] += 1
    return status != 0


# -- the report ------------------------------------------------------------------------------------------------------


class Reasons:
    """Which mutants may survive: the table has their lines, or their statement sets a constant that is chosen."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.chosen: dict[str, set[str]] = {file: set(names) for file, names in table.get("chosen", {}).items()}
        self.accepted: list[dict[str, str]] = table.get("accepted", [])

    def accept(self, mutant: Mutant) -> bool:
        changed = mutant.file, mutant.before, mutant.after
        if any((one["file"], one["before"], one["after"]) == changed for one in self.accepted):
            return True
        names = constants(mutant.code.splitlines()[mutant.lines[0] - 1])
        return not self.chosen.get(mutant.file, set[str]()).isdisjoint(names)

    def stale(self) -> Iterator[str]:
        """What the sources no longer have."""
        for file, names in self.chosen.items():
            there = {name for line in (ROOT / file).read_text().splitlines() for name in constants(line)}
            yield from (f"{file} no longer sets {name}" for name in sorted(names - there))
        for one in self.accepted:
            if one["before"] not in {line.strip() for line in (ROOT / one["file"]).read_text().splitlines()}:
                yield f"{one['file']} no longer has the line {one['before']}"


def constants(line: str) -> list[str]:
    """The names that a statement sets which begins with this line."""
    match = re.match(r"\s*([A-Za-z_, ]+?)(: .+?)? = ", line)
    return match[1].split(", ") if match else []


def report(package: str, found: Collection[tuple[Mutant, bool]]) -> float:
    """Print the score and the survivors of a package; returns the score."""
    survivors = sorted((mutant for mutant, dead in found if not dead), key=lambda mutant: (mutant.file, mutant.line))
    dead = len(found) - len(survivors)
    print(f"\n{package}: {dead} of {len(found)} mutants killed: {dead / max(len(found), 1):.1%}")
    for mutant in survivors:
        print(mutant)
    return dead / max(len(found), 1)


def main() -> None:
    table = tomllib.loads(TABLE.read_text())
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="*", default=sorted(table["tests"]))
    parser.add_argument("--sample", type=int, default=100, help="mutants of each package; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    reasons = Reasons(table)
    for one in reasons.stale():
        print(f"{TABLE.name}: {one}")
    COPY.mkdir(parents=True, exist_ok=True)
    lock = (COPY / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("another run uses the copy of the sources")
    copy_sources()
    scores = []
    for package in given.packages:
        whole = next((name for name in table["tests"] if package.startswith(name)), None)
        if whole is None:
            sys.exit(f"{TABLE.name} has no tests of {package}; it has {', '.join(sorted(table['tests']))}")
        reached, killers = measure(whole, table["tests"][whole]), Counter[str]()  # once, for all its modules
        found = []
        for mutant in sample(package, given.sample or None, given.seed, reasons):
            found.append((mutant, killed(mutant, reached, killers)))
            print("." if found[-1][1] else f"\n{mutant}\n", end="", flush=True)
        scores.append(report(package, found))
    sys.exit(min(scores) < WANTED)


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
