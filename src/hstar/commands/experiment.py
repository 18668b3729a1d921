"""``hstar experiment``: the whole report in one line, on this machine's cores or on a server."""

from __future__ import annotations

import os
import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from hstar import schema
from hstar.client import Client
from hstar.commands.options import taking_options
from hstar.commands.remote import Server
from hstar.commands.statuses import Status
from hstar.commands.tables import print_experiment
from hstar.commands.terminal import (
    PUZZLE_HELP,
    ApiKey,
    Goal,
    Json,
    err,
    out,
    print_json,
    read_goal,
    refusing,
    shows_progress,
)
from hstar.databases import watching
from hstar.errors import Fault, HstarError, InvalidRequest
from hstar.experiments import journal, local
from hstar.experiments.design import Design, plan
from hstar.experiments.export import rows_csv, table_csv, write_parquet
from hstar.experiments.forecast import seconds_left, tally
from hstar.experiments.instances import SETS, read_instances
from hstar.experiments.plots import plot
from hstar.experiments.report import report
from hstar.experiments.rows import ExperimentRow, outcomes, row_of, with_true_distances
from hstar.experiments.schema import Axis, ExperimentRequest, Outcomes, PlotFormat, PlotMeasure, PlotSize, Report, Table

SET_NAMES = " or ".join(SETS)

#: the package that makes the file of an option, installed by the extra of the same name
MAKERS = {"parquet": "pyarrow", "plot": "matplotlib"}

#: the endings that the file of an option may have; without one, as /dev/stdout, the option decides
ENDINGS = {
    "csv": (".csv", ".txt"),
    "table": (".csv", ".txt"),
    "parquet": (".parquet", ".pq"),
    "plot": (".svg", ".png", ".pdf"),
}

#: the forecast reads every row: the pause between two is this many times what one takes, and at least half a second
FORECAST_SHARE = 20


@dataclass(frozen=True)
class Outputs:
    """The files that are written besides the text on the terminal."""

    csv: Path | None
    table: Path | None
    parquet: Path | None
    plot: Path | None
    x: Axis
    y: PlotMeasure
    size: PlotSize

    def check(self, *, here: bool) -> None:
        """Check the files before an hour of search, not after it; ``here``: this process makes them."""
        faults = []
        taken: dict[Path, str] = {}
        for option in ("csv", "table", "parquet", "plot"):
            path: Path | None = getattr(self, option)
            if path is None:
                continue
            if path.suffix.lower() not in ("", *ENDINGS[option]) or (option == "plot" and not path.suffix):
                endings = " or ".join(ENDINGS[option])
                faults.append(Fault(f"--{option}", f"expected a name that ends in {endings}, found {path.name!r}"))
            # An existing file is overwritten in place, so a device in a directory of root's, like /dev/stdout, is
            # accepted.
            if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
                faults.append(Fault(f"--{option}", f"cannot write {path}"))
            other = taken.setdefault(path.resolve(), option)
            if other != option:
                faults.append(Fault(f"--{option}", f"{path} is also the file of --{other}"))
            if here and option in MAKERS and find_spec(MAKERS[option]) is None:
                faults.append(Fault(f"--{option}", f'needs {MAKERS[option]}: pip install "hstar[{option}]"'))
        for option, value, known in (
            ("--x", self.x, get_args(Axis)),
            ("--y", self.y, get_args(PlotMeasure)),
            ("--plot-size", self.size, get_args(PlotSize)),
        ):
            if value not in known:
                faults.append(Fault(option, f"expected one of {', '.join(known)}, found {value!r}"))
        if faults:
            raise InvalidRequest("cannot write the output file", faults)

    def options(self) -> list[str]:
        """The options that give the same files, for another command line."""
        given = {"--csv": self.csv, "--table": self.table, "--parquet": self.parquet, "--plot": self.plot}
        options = [text for option, path in given.items() if path is not None for text in (option, str(path))]
        if self.plot or self.table:
            options += ["--x", self.x, "--y", self.y]
        return [*options, "--plot-size", self.size] if self.plot and self.size != "page" else options

    @property
    def plot_format(self) -> PlotFormat:
        ending = "" if self.plot is None else self.plot.suffix.lower().removeprefix(".")
        return cast(PlotFormat, ending) if ending in get_args(PlotFormat) else "svg"

    def write(self, rows: list[ExperimentRow], experiment: Report) -> None:
        if self.csv is not None:
            _write_lines(self.csv, rows_csv(rows))
        if self.table is not None:
            _write_lines(self.table, table_csv(self._table_of(experiment)))
        if self.parquet is not None:
            with _writing(self.parquet), self.parquet.open("wb") as file:
                write_parquet(file, rows)
        if self.plot is not None:
            seed = experiment.request.seed
            _write_bytes(self.plot, plot(rows, x=self.x, y=self.y, format=self.plot_format, seed=seed, size=self.size))

    def fetch(self, client: Client, experiment: Report) -> None:
        """Write the same files, from the server that ran the experiment."""
        assert experiment.id is not None
        if self.csv is not None:
            _write_bytes(self.csv, client.experiment_rows(experiment.id, "csv"))
        if self.table is not None:
            _write_lines(self.table, table_csv(self._table_of(experiment)))
        if self.parquet is not None:
            _write_bytes(self.parquet, client.experiment_rows(experiment.id, "parquet"))
        if self.plot is not None:
            drawn = client.experiment_plot(experiment.id, x=self.x, y=self.y, format=self.plot_format, size=self.size)
            _write_bytes(self.plot, drawn)

    def _table_of(self, experiment: Report) -> Table:
        return (self.x == "true_distance" and experiment.table_by_true_distance) or experiment.table


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidRequest(f"cannot write {path}", [Fault("", error.strerror or str(error))]) from None


def _write_bytes(path: Path, data: bytes) -> None:
    with _writing(path):
        path.write_bytes(data)


def _write_lines(path: Path, lines: Iterator[str]) -> None:
    with _writing(path), path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


@taking_options(several=True)
def experiment(
    puzzle: Annotated[str | None, typer.Argument(help=PUZZLE_HELP)] = None,
    k: Annotated[str | None, typer.Option("--k", help="numbers of scramble moves, such as 3-14 or 3,5,8-10")] = None,
    trials: Annotated[int | None, typer.Option(help="scrambles for each k (default 5)")] = None,
    instances: Annotated[
        str | None,
        typer.Option(help=f"instead of --k: a file of states or algs (.csv, .json, a state a line), or {SET_NAMES}"),
    ] = None,
    random: Annotated[int | None, typer.Option(help="instead of --k: so many uniformly random states")] = None,
    seed: Annotated[int | None, typer.Option(help="of scrambles and random states (default 0)")] = None,
    scramble_moves: Annotated[str | None, typer.Option(help="move set to scramble with")] = None,
    moves: Annotated[str | None, typer.Option(help="move set to solve with")] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="search algorithm; may be repeated")] = None,
    goal: Goal = None,
    true_distance: Annotated[bool, typer.Option("--true-distance", help="also search for h* of each start")] = False,
    csv: Annotated[Path | None, typer.Option(help="write a line for each search")] = None,
    table: Annotated[Path | None, typer.Option(help="write the table, with every statistic, as CSV")] = None,
    parquet: Annotated[Path | None, typer.Option(help="write a row for each search as Parquet")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw the plot: FILE.svg, FILE.png or FILE.pdf")] = None,
    x: Annotated[str, typer.Option(help="of the plot and --table: k or true_distance")] = "k",
    y: Annotated[
        str, typer.Option(help="of the plot: expanded, expanded_last_layer, generated, seconds or peak_bytes")
    ] = "expanded",
    plot_size: Annotated[str, typer.Option(help="of the plot: page, or slide (16 to 9, large letters)")] = "page",
    as_json: Json = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="processes (default: as cores and memory allow)")] = None,
    journal_file: Annotated[
        Path | None,
        typer.Option("--journal", help="write the rows to this journal as they finish; it is kept at the end"),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="continue an interrupted experiment from its journal")] = None,
    server: Server = None,
    api_key: ApiKey = None,
    *,
    options: dict[str, Any],
    limits: dict[str, Any],
) -> None:
    """Search many instances; print the table, write CSV and plot.

    They are scrambles for every k and trial, or random states, or those of a file. The same seed gives the same
    instances on every machine, with any number of processes. Ctrl-C keeps finished searches.

    Example: hstar experiment 8-puzzle --k 4-10 --heuristic manhattan --heuristic misplaced-tiles --plot plot.svg
    """
    given: dict[str, Any] = {
        "puzzle": puzzle, "goal": read_goal(goal), "scramble_moves": scramble_moves, "moves": moves, "trials": trials,
        "seed": seed, "random": random, "algorithms": algorithm, "true_distance": true_distance or None, **options,
    }  # fmt: skip
    with refusing():
        outputs = Outputs(csv, table, parquet, plot, x, y, plot_size)  # type: ignore[arg-type]  # check() looks at the last three
        outputs.check(here=server is None)
        given["instances"] = None if instances is None else list(read_instances(instances))
        request = _read_request(given, limits, k, resume)
        if server is not None:
            _refuse_together("--server", {"--resume": resume, "--journal": journal_file, "--jobs": jobs})
            assert request is not None
            answer, hint = _on_server(request, server, api_key, outputs)
        else:
            _refuse_together("--resume", {"--journal": journal_file} if resume else {})
            answer, hint = _here(request, resume, journal_file, jobs, outputs)
    if as_json:
        print_json(answer)
    else:
        print_experiment(out, answer)
    if hint is not None:  # last, so that it is not scrolled away
        err.print(escape(hint), soft_wrap=True)
    raise typer.Exit(0 if hint is None else Status.INTERRUPTED)


# -- the request ------------------------------------------------------------------------------------------------------


def _read_request(
    given: dict[str, Any], limits: dict[str, Any], k: str | None, resume: Path | None
) -> ExperimentRequest | None:
    """The experiment that the options describe; None if the journal has it."""
    fields = {name: value for name, value in given.items() if value not in (None, [])}
    if resume is not None and not (fields or limits or k):
        return None
    examples = {"PUZZLE": "megaminx", "--k": "--k 3-14"}
    of_instances = [value for value in (k, given["instances"], given["random"]) if value is not None]
    missing = [name for name, value in (("PUZZLE", given["puzzle"]), ("--k", of_instances or None)) if value is None]
    if missing:
        message = "missing " + " and ".join("PUZZLE" if name == "PUZZLE" else f"option {name}" for name in missing)
        raise InvalidRequest(message, [Fault("", f"such as {' '.join(examples[name] for name in missing)}")])
    if limits:
        fields["limits"] = schema.LimitsIn(**limits)
    return ExperimentRequest(**{"k": k, **fields})


def _refuse_together(option: str, others: dict[str, object]) -> None:
    faults = [Fault(name, f"cannot be used with {option}") for name, value in others.items() if value is not None]
    if faults:
        raise InvalidRequest("these options cannot be combined", faults)


# -- on this machine --------------------------------------------------------------------------------------------------


def _here(
    request: ExperimentRequest | None,
    resume: Path | None,
    journal_file: Path | None,
    jobs: int | None,
    outputs: Outputs,
) -> tuple[Report, str | None]:
    """Run it and write the files; returns what to print if not all searches were done."""
    with _journal(request, resume, journal_file) as book:
        complete = _search(book, jobs or local.default_jobs(book.design))
        hint = _how_to_go_on(book, outputs)
        try:
            answer = _answer(book, outputs)
        except HstarError:
            err.print(escape(hint), soft_wrap=True)
            raise
    if not complete:
        return answer, hint
    if book.path == _own_name(book.design):
        book.path.unlink()
    return answer, None


def _how_to_go_on(book: journal.Journal, outputs: Outputs) -> str:
    again = shlex.join(["hstar", "experiment", "--resume", str(book.path), *outputs.options()])
    return f"{len(book.rows):,} of {len(book.design):,} searches are done, and kept. To go on:\n  {again}"


def _own_name(design: Design) -> Path:
    """The name of a journal without --journal; it is removed when it is no longer needed."""
    return Path(f"hstar-{design.fingerprint[:12]}.jsonl")


@contextmanager
def _journal(
    request: ExperimentRequest | None, resume: Path | None, journal_file: Path | None
) -> Iterator[journal.Journal]:
    if request is None:
        assert resume is not None
        with journal.resume(resume) as book:
            yield book
        return
    design = plan(request)
    path = resume or journal_file or _own_name(design)
    if resume is None and (journal_file is not None or not path.exists()):
        with journal.create(path, design) as book:
            yield book
        return
    with journal.resume(path) as book:
        if book.design.fingerprint != design.fingerprint:
            raise InvalidRequest(
                f"{path} is the journal of another experiment", [Fault("--resume", "the options differ")]
            )
        err.print(
            f"continuing {escape(str(path))}, which has {len(book.rows):,} of {len(design):,} searches",
            soft_wrap=True,
        )
        yield book


def _search(book: journal.Journal, jobs: int) -> bool:
    """Run the missing searches; returns whether all ended."""
    stop = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        with _progress() as (progress, task):
            done = {row.index for row in book.rows}
            pending = {row.index: row_of(book.design, row) for row in book.design.rows() if row.index not in done}
            progress.update(task, total=len(book.design), completed=len(done))
            if pending:
                _load_tables(book.design, stop, lambda text: progress.update(task, left=text))
            limit, forecast_at = book.design.problem.limits.seconds, 0.0
            for row in local.run(book.design, jobs=jobs, done=done, stop=stop):
                book.append(row)
                del pending[row.index]
                progress.update(task, advance=1)
                begun = time.monotonic()
                if begun > forecast_at:
                    left = seconds_left(tally([*book.rows, *pending.values()]), jobs, limit)
                    progress.update(task, left=_left(outcomes(book.rows), left))
                    ended = time.monotonic()
                    forecast_at = ended + max(1.0, FORECAST_SHARE * (ended - begun))
            progress.update(task, left=_left(outcomes(book.rows), None))
    finally:
        signal.signal(signal.SIGINT, before)
    return not pending


def _load_tables(design: Design, stop: threading.Event, show: Callable[[str], None]) -> None:
    """Build the databases that heuristics look up, on all cores and with a bar, before the processes open them.

    Not for `auto`, which builds its own only for instances that are too hard without them.
    """

    def watch(what: str, done: int, total: int) -> None:
        if stop.is_set():
            raise _Stopped
        show(f"building {what}" + (f", {done / total:.0%}" if total else ""))

    # If there is not enough memory for it, each search reports that itself.
    with suppress(_Stopped, MemoryError), watching(watch):
        for configuration, heuristic in zip(design.configurations, design.heuristics, strict=True):
            if configuration.algorithm != "auto":
                heuristic.load()
    show("")


class _Stopped(Exception):
    """Ctrl-C was pressed while tables were built."""


def _answer(book: journal.Journal, outputs: Outputs) -> Report:
    ended = {row.index: row for row in book.rows}
    every = [ended.get(planned.index) or row_of(book.design, planned) for planned in book.design.rows()]
    answer = report(book.design.request, every)
    outputs.write([row for row in with_true_distances(every) if row.index in ended], answer)
    return answer


@contextmanager
def _progress() -> Iterator[tuple[Progress, TaskID]]:
    """A bar on a terminal; nothing if standard error goes to a file."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=err, disable=not shows_progress()) as progress:
        yield progress, progress.add_task("", total=None, left="")


def _left(counted: Outcomes, seconds: float | None) -> str:
    parts = [f"{counted.solved:,} solved"]
    parts += [f"{counted.limit_reached:,} at a limit"] if counted.limit_reached else []
    parts += [f"{counted.failed:,} failed"] if counted.failed else []
    if seconds is not None:
        minutes, rest = divmod(round(seconds), 60)
        parts.append(f"about {minutes} min {rest} s left" if minutes else f"about {rest} s left")
    return ", ".join(parts)


# -- on a server ------------------------------------------------------------------------------------------------------


def _on_server(
    request: ExperimentRequest, server: str, api_key: str | None, outputs: Outputs
) -> tuple[Report, str | None]:
    """Submit it, follow it, fetch the files. Ctrl-C leaves it running there."""
    hint = None
    with Client(server, api_key) as client:
        now = submitted = client.submit_experiment(request)
        assert submitted.id is not None
        try:
            with _progress() as (progress, task):
                for now in client.follow_experiment(submitted.id):
                    left = _left(now.outcomes, now.seconds_left)
                    progress.update(task, total=now.rows, completed=now.outcomes.n, left=left)
        except KeyboardInterrupt:
            where = f"{server}/v1/experiments/{submitted.id}"
            hint = f"the experiment continues at {where}; the same command follows it, DELETE cancels it"
        answer = client.experiment_report(now)
        outputs.fetch(client, answer)
    if hint is None and now.status != "done":
        hint = f"the experiment is {now.status}"
    return answer, hint
