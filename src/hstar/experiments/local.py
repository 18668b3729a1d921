"""Run an experiment on this machine's cores, in processes that each search one row at a time.

The rows do not depend on the number of processes. Each process is bounded by the experiment's memory limit. If one is
killed nevertheless (for example because the system is out of memory), the rows that were being searched are searched
once more, each alone. Only a row that kills its process again is ``failed``.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType
from typing import TYPE_CHECKING

from hstar import search
from hstar.errors import HstarError
from hstar.experiments.design import Design, PlannedRow, plan
from hstar.experiments.rows import ExperimentRow, row_of
from hstar.experiments.schema import ExperimentRequest
from hstar.memory import total_bytes

if TYPE_CHECKING:
    from collections.abc import Container

#: the fraction of the machine's memory that the searches may take together
MEMORY_SHARE = 0.8

#: rows sent in advance for each process, so that none waits for this one
AHEAD = 4


class ProcessesUnavailable(HstarError):
    """The operating system, or this installation of hstar, does not allow processes to start."""

    code = "processes-unavailable"


def default_jobs(design: Design) -> int:
    """The number of cores, or fewer if the memory limits do not fit into this machine together."""
    fitting = int(total_bytes() * MEMORY_SHARE) // (design.problem.limits.memory_mib * 2**20)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, fitting))


def run(
    design: Design,
    *,
    jobs: int | None = None,
    done: Container[int] = frozenset(),
    stop: threading.Event | None = None,
) -> Generator[ExperimentRow]:
    """Search the rows whose index is not in ``done``, and yield each when it ends.

    When ``stop`` is set, running searches are cancelled within a fraction of a second, and only rows that ended by
    themselves are yielded. Processes are started with "spawn", so a script must call this below
    ``if __name__ == "__main__"``. Where a heuristic is a function of the user, there are none.
    """
    stop = stop or threading.Event()
    rows = (row for row in design.rows() if row.index not in done)
    if any(heuristic.here_only for heuristic in design.heuristics):
        yield from _run_here(design, rows, stop)
        return
    pool = _Pool(design, jobs or default_jobs(design), stop)
    try:
        yield from pool.run(rows)
    finally:
        pool.close()


def _run_here(design: Design, rows: Iterator[PlannedRow], stop: threading.Event) -> Iterator[ExperimentRow]:
    """One row after another in this process, which alone knows the functions of its user."""
    with ThreadPoolExecutor(1) as pool:
        for row in rows:
            control = search.Control()
            running = pool.submit(_searched, design, row, control)
            try:
                while not wait([running], timeout=0.05).done:
                    if stop.is_set():
                        control.cancel()
            except BaseException:
                control.cancel()
                raise
            found = running.result()
            if stop.is_set() and found.status == "cancelled":
                return
            yield found
            if stop.is_set():
                return


class _Pool:
    """The processes, and the rows that they search.

    They are cancelled by closing a pipe that all of them read. Unlike an event of `multiprocessing`, this never waits
    for a process that was killed.
    """

    def __init__(self, design: Design, jobs: int, stop: threading.Event) -> None:
        self._design = design
        self._jobs = jobs
        self._stop = stop
        self._spawn = get_context("spawn")
        self._reader, self._writer = self._spawn.Pipe(duplex=False)
        self._executor: ProcessPoolExecutor | None = None

    def run(self, rows: Iterator[PlannedRow]) -> Iterator[ExperimentRow]:
        under_way: dict[Future[ExperimentRow], PlannedRow] = {}
        while not self._stop.is_set():
            suspects: list[PlannedRow] = []
            for row in islice(rows, AHEAD * self._jobs - len(under_way)):
                try:
                    under_way[self._submit(row, self._jobs)] = row
                except BrokenProcessPool:
                    suspects.append(row)
                    break
            if not under_way and not suspects:
                return
            for future in wait(under_way, timeout=0.2, return_when=FIRST_COMPLETED).done:
                row = under_way.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    suspects.append(row)
            if suspects:
                suspects += under_way.values()
                under_way.clear()
                yield from self._one_by_one(suspects)
        yield from self._cancel(under_way)

    def _submit(self, row: PlannedRow, processes: int) -> Future[ExperimentRow]:
        # Any of these calls may start a process.
        with _interrupts_held_back(), _caller_not_imported():
            if self._executor is None:
                self._executor = ProcessPoolExecutor(
                    processes,
                    mp_context=self._spawn,
                    initializer=_start_process,
                    initargs=(self._design.request, self._reader),
                )
                try:
                    self._executor.submit(os.getpid).result()
                except BrokenProcessPool:
                    # No row is the reason: the next process would not start either.
                    raise ProcessesUnavailable("no process for the searches can be started on this machine") from None
            return self._executor.submit(_search, row)

    def _one_by_one(self, suspects: list[PlannedRow]) -> Iterator[ExperimentRow]:
        self._close_executor()
        for row in suspects:
            if self._stop.is_set():
                break
            try:
                future = self._submit(row, 1)
                while not wait([future], timeout=0.2).done:
                    if self._stop.is_set():
                        self._writer.close()
                found = future.result()
            except BrokenProcessPool:
                found = row_of(self._design, row, error="the process that searched it died, twice")
                self._close_executor()
            if found.status != "cancelled":
                yield found
        self._close_executor()

    def _cancel(self, under_way: dict[Future[ExperimentRow], PlannedRow]) -> Iterator[ExperimentRow]:
        """Cancel running searches, and yield those that ended by themselves."""
        self._writer.close()
        for future in under_way:
            future.cancel()
        for future in wait(under_way).done:
            if future.cancelled() or future.exception() is not None:
                continue
            found = future.result()
            if found.status != "cancelled":
                yield found

    def _close_executor(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def close(self) -> None:
        self._writer.close()
        self._close_executor()
        self._reader.close()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Delay Ctrl-C to the end of the block. Processes that are started in it ignore Ctrl-C, also while they import."""
    resource_tracker.ensure_running()  # starting it later would undo this when the first process needs it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _caller_not_imported() -> Iterator[None]:
    """Processes that are started in the block do not import the running program.

    A script without a main guard would otherwise run again in each of them.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


# -- in the processes -----------------------------------------------------------------------------------------------


class _Process:
    """The state of a process: the experiment and the current search."""

    design: Design
    control: search.Control | None = None


def _start_process(request: ExperimentRequest, cancel: Connection) -> None:
    # Ctrl-C reaches every process of the terminal; only the parent acts on it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Process.design = plan(request)
    # Exit at once: otherwise threads would keep the kernel's objects alive after the kernel is unloaded.
    atexit.register(os._exit, 0)
    threading.Thread(target=_cancel_when_told, args=(cancel,), daemon=True).start()
    threading.Thread(target=_leave_with_the_parent, daemon=True).start()


def _cancel_when_told(cancel: Connection) -> None:
    with suppress(EOFError):
        cancel.recv()  # nothing is ever sent
    pause = threading.Event()
    while True:
        control = _Process.control
        if control is not None:
            control.cancel()
        pause.wait(0.05)


def _leave_with_the_parent() -> None:
    """Exit when the parent ends. A parent that was killed cannot end its processes, and they would wait for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _search(row: PlannedRow) -> ExperimentRow:
    _Process.control = search.Control()
    try:
        return _searched(_Process.design, row, _Process.control)
    finally:
        _Process.control = None


def _searched(design: Design, row: PlannedRow, control: search.Control) -> ExperimentRow:
    try:
        problem = search.prepare(design.solve_request(row), costs=True)
        result = search.solve(problem, control)
    except (HstarError, MemoryError) as error:
        return row_of(design, row, error=str(error) or type(error).__name__)
    return row_of(design, row, search.answer(problem, result))
