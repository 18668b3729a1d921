"""On this machine's cores: the same rows for any number of processes, whatever happens to them."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from multiprocessing import resource_tracker

import psutil
import pytest

from hstar.experiments import local
from hstar.experiments.design import plan
from hstar.experiments.local import default_jobs, run
from hstar.experiments.rows import ExperimentRow
from hstar.schema import LimitsIn
from tests.experiments.builders import request, searched, span, without_times


def children() -> list[psutil.Process]:
    """The processes that search, without those that have ended."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):  # it ended in the meantime
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


def test_the_same_rows_with_one_process_two_and_none() -> None:
    design = plan(
        request(k=span(3, 6), trials=3, heuristics=["s2-face-distance", "zero"], limits=LimitsIn(expanded=500))
    )
    here = without_times(searched(design))
    assert {row.outcome for row in here} == {"solved", "limit_reached"}
    assert without_times(run(design, jobs=1)) == here
    assert without_times(run(design, jobs=2)) == here
    assert not children()


def test_ctrl_c_is_not_for_a_process_that_starts() -> None:
    """It goes to all processes of a terminal; a process that is still importing would end with a traceback."""
    resource_tracker._resource_tracker._stop()  # type: ignore[attr-defined]  # as in a process that has just begun
    done = threading.Event()
    interrupted: set[int] = set()

    def interrupt() -> None:
        while not done.wait(0.001):
            for child in children():
                if child.pid not in interrupted:
                    os.kill(child.pid, signal.SIGINT)
                    interrupted.add(child.pid)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        assert len(list(run(plan(request()), jobs=2))) == 6
    finally:
        done.set()
        thread.join()
    assert interrupted


def test_finished_rows_are_not_searched_again() -> None:
    design = plan(request())
    rows = list(run(design, jobs=1, done={0, 2, 3}))
    assert sorted(row.index for row in rows) == [1, 4, 5]


def test_a_process_that_is_killed_loses_nothing() -> None:
    design = plan(request(k=[9], trials=30, heuristics=["s1-misplaced-facelets"]))
    rows: list[ExperimentRow] = []
    for row in run(design, jobs=2):
        # By the second time, the rows that were running at the first one have been searched again, one by one.
        if len(rows) in (3, 20):
            os.kill(children()[0].pid, signal.SIGKILL)
        rows.append(row)
    assert without_times(rows) == without_times(searched(design))
    assert not children()


def test_stopping_ends_running_searches_and_keeps_only_whole_rows() -> None:
    """The searches at k = 30 would take minutes and all memory; they are cancelled, and not returned as answers."""
    stop = threading.Event()
    limits = LimitsIn(memory_mib=2048)
    design = plan(request(k=[3, 30], trials=2, heuristics=["zero"], limits=limits))
    rows = []
    for row in run(design, jobs=2, stop=stop):
        rows.append(row)
        if len(rows) == 2:
            stop.set()
    assert sorted((row.index, row.outcome) for row in rows) == [(0, "solved"), (1, "solved")]
    assert not children()


def test_leaving_early_leaves_no_process() -> None:
    design = plan(request(k=[3, 30], trials=2, heuristics=["zero"], limits=LimitsIn(memory_mib=2048)))
    rows = run(design, jobs=2)
    assert next(rows).k == 3
    assert children()
    rows.close()
    assert not children()


def test_processes_that_do_not_come_up_are_an_error_and_not_failed_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a broken hstar on the path of the processes, they end before their first row."""
    monkeypatch.setattr(local, "_start_process", os._exit)
    with pytest.raises(local.ProcessesUnavailable):
        list(run(plan(request()), jobs=2))
    assert not children()


def test_memory_bounds_the_number_of_processes() -> None:
    small = plan(request(limits=LimitsIn(memory_mib=1)))
    large = plan(request(limits=LimitsIn(memory_mib=2**20)))
    assert default_jobs(small) == len(os.sched_getaffinity(0))
    assert default_jobs(large) == 1, "a tebibyte each leaves room for one"
