"""The search by layers: compared with a plain one in Python and with published counts, short of memory, and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from math import ceil, inf
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bench.korf import instances
from hstar import _kernel
from hstar.features.functions import named
from hstar.heuristics import Heuristic, forget, get_heuristic
from hstar.options import Scratch, Tuning
from hstar.puzzles import MoveSet, Puzzle, get_puzzle, puzzle_names
from hstar.search import Budget, SolveRequest, prepare, solve
from hstar.search.perft import count_states, perft
from hstar.search.run import Search
from tests.conftest import SEED, TEST_ALL
from tests.search.test_algorithms_agree import BOARDS, CASES, instance
from tests.servers import wait_until

COUNTS = ("expanded", "generated", "evaluated", "reopened", "stored", "max_open", "expanded_last_layer")
CHEAPEST = sorted(instances(), key=lambda one: one.generated)[: 100 if TEST_ALL else 12]
#: an 8-puzzle as far from solved as any, the blank in the centre: 30 moves
FARTHEST = [5, 6, 7, 4, 0, 8, 3, 2, 1]


def whole(f: float) -> float:
    return max(f, ceil(f - 1e-6)) if f < inf else f


def plain(puzzle: Puzzle, start: bytes, moves: MoveSet, h: Heuristic) -> tuple[int | None, dict[str, int]]:
    """Breadth-first iterative-deepening A* over sets of states: length and counts. It keeps all layers."""
    count = dict.fromkeys(COUNTS, 0)
    if start == puzzle.solved:
        return 0, count
    inverses = {puzzle.inverse(move) for move in moves.moves} <= set(moves.moves)
    # Of boards of 16 cells the kernel knows the moves that lead back, and does not evaluate them.
    knows_back = inverses and moves.name == "slide" and len(start) <= 16
    threshold = whole(h(start))
    count["evaluated"] = 1
    while True:
        layers, above, before = [{start}], inf, count["expanded"]
        while layers[-1]:
            count["stored"] = max(count["stored"], sum(map(len, layers)))
            count["max_open"] = max(count["max_open"], len(layers[-1]))
            found, after = False, set()
            for state in layers[-1]:
                count["expanded"] += 1
                for _, child in puzzle.successors(state, moves.moves):
                    count["generated"] += 1
                    if knows_back and len(layers) > 1 and child in layers[-2]:
                        continue
                    count["evaluated"] += 1
                    found |= child == puzzle.solved
                    if (f := len(layers) + h(child)) > threshold:
                        above = min(above, f)
                    else:
                        after.add(child)
            if found:
                count["expanded_last_layer"] = count["expanded"] - before
                return len(layers), count
            layers.append(after.difference(*layers))
        if above == inf:
            return None, count
        threshold = whole(above)


def layered(puzzle: Puzzle, start: bytes, moves: MoveSet, h: Heuristic, **options: Any) -> _kernel.Outcome:
    numbers = [puzzle.moves.index(move) for move in moves.moves]
    given: dict[str, Any] = {"memory_bytes": 2**26, "control": _kernel.Control()} | options
    return _kernel.layered(puzzle.kernel, start, numbers, h.kernel, **given)


#: values that are no whole numbers, and boards with records of more and of fewer words
MORE = [("8-puzzle", "manhattan / 4"), ("8-puzzle", "manhattan / 3"), ("tiles:5x5", "zero"), ("tiles:2x13", "zero")]


@pytest.mark.parametrize(("name", "text"), [*CASES, *MORE])
def test_it_counts_as_a_plain_search_does(name: str, text: str, tmp_path: Path) -> None:
    puzzle = get_puzzle(name)
    random = Random(f"{SEED}|layered|{name}|{text}")
    h = get_heuristic(text, puzzle)
    for number in range(40 if TEST_ALL else 8):
        moves, start = instance(puzzle, random)
        near = _kernel.breadth_first(
            puzzle.kernel, start, [puzzle.moves.index(move) for move in moves.moves], max_generated=20_000,
            memory_bytes=2**26, control=_kernel.Control(),
        )  # fmt: skip
        if near.status == "limit_reached":  # too far for the plain one
            continue
        length, counts = plain(puzzle, start, moves, h)
        disk = {} if number % 2 else {"directory": str(tmp_path), "disk_bytes": 2**30, "checkpoint_seconds": 0}
        found = layered(puzzle, start, moves, h, threads=1 + number % 3, **disk)
        assert {field: getattr(found, field) for field in COUNTS} == counts, (start, moves.name)
        if length is None:
            assert found.status == "exhausted"
            continue
        assert (found.status, len(found.path)) == ("solved", length)
        assert puzzle.apply_alg(start, [puzzle.moves[m] for m in found.path]) == puzzle.solved


def farthest(**options: Any) -> _kernel.Outcome:
    puzzle = get_puzzle("8-puzzle")
    return layered(puzzle, bytes(FARTHEST), puzzle.move_set(None), get_heuristic("zero", puzzle), **options)


@pytest.mark.parametrize("on_disk", [False, True])
def test_short_of_memory_it_searches_again_or_writes(tmp_path: Path, on_disk: bool) -> None:
    whole = farthest(directory=str(tmp_path / "whole"), disk_bytes=2**28)  # with room for all layers
    disk = {"directory": str(tmp_path / "short"), "disk_bytes": 2**28} if on_disk else {}
    short = farthest(memory_bytes=1_200_000, **disk)
    assert (short.status, len(short.path)) == (whole.status, len(whole.path)) == ("solved", 30)
    assert short.peak_bytes <= 1_200_000
    # It did drop layers, and so searched again; with files it had no need to.
    assert (short.expanded == whole.expanded) == on_disk
    if on_disk:
        assert [path.name for path in (tmp_path / "short").iterdir()] == ["lock"]


def test_layers_take_little_more_than_their_states() -> None:
    """Eight bytes a board; the rest is lists, successors, and chunks that are not full."""
    puzzle = get_puzzle("15-puzzle")
    board = next(one.board for one in instances() if one.number == 44)
    found = layered(puzzle, board, puzzle.move_set(None), get_heuristic("manhattan", puzzle), memory_bytes=2**28)
    assert found.status == "solved"
    assert 8 < found.peak_bytes / found.stored < 10


def test_without_room_it_ends_at_the_limit_of_memory(tmp_path: Path) -> None:
    assert farthest(memory_bytes=400_000).limit == "memory"
    assert farthest(memory_bytes=400_000, directory=str(tmp_path), disk_bytes=1000).limit == "memory"


def test_a_board_of_25_cells_takes_16_bytes() -> None:
    """With the successors and what is not full 34 bytes for a state that is held, in 8 MiB."""
    puzzle = get_puzzle("tiles:5x5")
    board = bytes(Random(1).sample(range(25), 25))
    found = layered(puzzle, board, puzzle.move_set(None), get_heuristic("manhattan", puzzle), memory_bytes=2**23)
    assert found.limit == "memory"
    assert found.stored > 2**23 / 40


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limit", [0, 1, 777, 12_345, 12_346])
def test_limits_are_kept_exactly(limit: int, threads: int) -> None:
    assert farthest(max_expanded=limit, threads=threads).expanded == limit
    generated = farthest(max_generated=limit, threads=threads).generated
    assert limit <= generated <= limit + 3


# -- counts of whole spaces -------------------------------------------------------------------------------------------

#: states that the moves reach, and the greatest distance: published
SPACES: dict[tuple[str, str | None], tuple[int, int]] = {
    ("8-puzzle", None): (181_440, 30),
    ("pancake:10", None): (3_628_800, 11),
    ("tiles:3x4", None): (239_500_800, 53),
}
if TEST_ALL:  # and three others each time, with docs/published-tables.md
    SPACES |= {
        ("2x2x2", "all"): (3_674_160, 11),
        ("2x2x2", "single"): (3_674_160, 14),
        ("skewb", "all"): (3_149_280, 11),
        ("tiles:2x6", None): (239_500_800, 80),
        ("pancake:11", None): (39_916_800, 13),
        ("pyraminx", None): (75_582_720, 15),
    }
#: Pyraminx without its tips (Jaap Scherphuis), each of which is right, or one turn of two from it
PYRAMINX = [1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32]
TIPS = [1, 8, 24, 32, 16]
#: 15-puzzle with the blank in a corner (OEIS A089473)
PREFIX = [1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808, 15544, 30821, 60842, 119000, 231844, 447342]
PREFIX += [859744, 1637383, 3098270, 5802411, 10783780, 19826318, 36142146, 65135623]


#: puzzles whose states have numbers, with moves that can be undone and others
NUMBERED = [
    ("tiles:2x3", None),
    ("tiles:2x4", None),
    ("pancake:7", None),
    ("lrx:7", None),
    ("lrx:6", "L X"),
    ("topspin:7", "all"),
]


@pytest.mark.parametrize(("name", "moves"), NUMBERED)
@pytest.mark.parametrize("threads", [1, 2])
def test_states_with_numbers_are_counted_as_in_numpy(name: str, moves: str | None, threads: int) -> None:
    puzzle = get_puzzle(name)
    move_set = puzzle.move_set(moves)
    assert count_states(puzzle, move_set, threads=threads) == list(perft(puzzle, move_set, 1000))


def test_two_bits_a_state_are_the_memory() -> None:
    """1,264 bytes for 5,040 stacks, and the rows of the numbering, which are of no account for larger ones."""
    puzzle = get_puzzle("pancake:10")
    numbers = [puzzle.moves.index(move) for move in puzzle.move_set(None).moves]
    found = _kernel.count_layers(
        puzzle.kernel, puzzle.solved, numbers, depth=None, memory_bytes=2**21, control=_kernel.Control()
    )
    assert (found.status, found.stored) == ("exhausted", 3_628_800)
    assert found.stored / 4 < found.peak_bytes < found.stored / 3


@pytest.mark.parametrize(("name", "moves"), SPACES)
def test_whole_spaces_have_the_published_size(name: str, moves: str | None) -> None:
    puzzle = get_puzzle(name)
    counts = count_states(puzzle, puzzle.move_set(moves), memory_mib=4096 if TEST_ALL else 256, threads=2)
    assert (sum(counts), len(counts) - 1) == SPACES[name, moves]


def test_the_first_layers_of_the_15_puzzle_are_the_published_ones() -> None:
    puzzle = get_puzzle("15-puzzle")
    expected = PREFIX if TEST_ALL else PREFIX[:21]
    assert count_states(puzzle, puzzle.move_set(None), len(expected) - 1, threads=2) == expected


def test_the_pyraminx_counts_as_its_parts() -> None:
    puzzle = get_puzzle("pyraminx")
    depth = 15 if TEST_ALL else 6
    counts = count_states(puzzle, puzzle.move_set(None), depth, threads=2)
    assert counts == np.convolve(PYRAMINX, TIPS)[: depth + 1].tolist()


# -- after a crash ----------------------------------------------------------------------------------------------------

COUNT = """
import sys
from hstar import _kernel
from hstar.puzzles import get_puzzle
puzzle = get_puzzle(sys.argv[2])
moves = puzzle.move_set(None).moves
print("began", flush=True)
found = _kernel.count_layers(
    puzzle.kernel, puzzle.solved, [puzzle.moves.index(move) for move in moves],
    depth=int(sys.argv[3]) if sys.argv[3:] else None, memory_bytes=2**24,
    directory=sys.argv[1], disk_bytes=2**30, key="k", checkpoint_seconds=0, control=_kernel.Control(),
)
print(found.status, found.expanded, found.generated, found.stored, found.layers)
"""


def counting(directory: Path, *what: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", COUNT, str(directory), *what], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("what", [("tiles:2x5", "99"), ("pancake:11",)])
def test_killed_twice_it_goes_on(tmp_path: Path, what: tuple[str, ...]) -> None:
    with counting(tmp_path / "whole", *what) as whole:
        expected = whole.communicate()[0]
    where, seen = tmp_path / "killed", 0
    for kills in range(2):
        with counting(where, *what) as running:

            def later(seen: int = seen) -> bool:
                return (found := stamp(where)) is not None and found > seen

            wait_until(later, "a checkpoint", pause=0.01)
            os.kill(running.pid, signal.SIGKILL)
        seen = stamp(where) or 0
        assert seen > 0, kills
    with counting(where, *what) as last:
        assert last.communicate()[0] == expected
    assert "exhausted" in expected
    assert [path.name for path in where.iterdir()] == ["lock"]


def stamp(directory: Path) -> int | None:
    try:
        return (directory / "checkpoint").stat().st_mtime_ns
    except FileNotFoundError:
        return None


def test_files_of_another_search_are_not_used(tmp_path: Path) -> None:
    disk: dict[str, Any] = {"directory": str(tmp_path), "disk_bytes": 2**28, "checkpoint_seconds": 0}
    stopped = farthest(max_expanded=100_000, key="one", **disk)
    assert (stopped.limit, stopped.expanded) == ("expanded", 100_000)
    with pytest.raises(ValueError, match="has a checkpoint of another search"):
        farthest(key="another", **disk)
    disk["checkpoint_seconds"] = 60
    assert len(farthest(key="one", **disk).path) == 30  # goes on beyond the old limit


def test_checkpoints_of_another_format_are_not_used(tmp_path: Path) -> None:
    """Of 0.3.0, whose records of some boards had the last cell too, and so are other states now."""
    disk: dict[str, Any] = {"directory": str(tmp_path), "disk_bytes": 2**28, "checkpoint_seconds": 0}
    farthest(max_expanded=100_000, **disk)
    data = bytearray((tmp_path / "checkpoint").read_bytes()[8:])
    data[0] -= 1
    digest = 0xCBF29CE484222325  # FNV-1a
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    (tmp_path / "checkpoint").write_bytes(digest.to_bytes(8, "little") + data)
    with pytest.raises(ValueError, match="has a checkpoint of another search"):
        farthest(**disk)


@pytest.mark.parametrize("fault", ["cut", "flipped", "gone"])
def test_damaged_files_are_noticed(tmp_path: Path, fault: str) -> None:
    disk: dict[str, Any] = {"directory": str(tmp_path), "disk_bytes": 2**28, "checkpoint_seconds": 0}
    farthest(max_expanded=100_000, **disk)
    checkpoint = tmp_path / "checkpoint"
    data = checkpoint.read_bytes()
    if fault == "cut":
        checkpoint.write_bytes(data[:-5])
    elif fault == "flipped":
        checkpoint.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
    else:
        for path in tmp_path.glob("layer-*"):
            path.unlink()
        with pytest.raises(ValueError, match="is missing or too short"):
            farthest(**disk)
        return
    again = farthest(**disk | {"checkpoint_seconds": 60})  # from the beginning
    whole = farthest(directory=str(tmp_path / "whole"), disk_bytes=2**28)
    assert (len(again.path), again.expanded) == (30, whole.expanded)


def test_a_directory_is_of_one_search_at_a_time(tmp_path: Path) -> None:
    import fcntl

    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="is in use by another search"):
            farthest(directory=str(tmp_path), disk_bytes=2**28)


MADE: list[Search] = []


def key_of(puzzle: str, heuristic: str, moves: str | None = None) -> str:
    """The key of the files of a search; each time the heuristic is made anew, as in another process."""
    request = {"puzzle": puzzle, "random": 1, "moves": moves, "algorithm": "layered", "heuristic": heuristic}
    problem = prepare(SolveRequest.model_validate(request))
    asked = Search(problem, problem.heuristic, Tuning(), Budget(problem.limits), scratch=Scratch("unused", 1))
    MADE.append(asked)  # so that no object takes its place in memory
    forget()
    return str(asked.files["key"])


def test_another_process_goes_on_with_the_same_question() -> None:
    for puzzle, heuristic in (
        ("8-puzzle", "manhattan + linear_conflict"), ("8-puzzle", "walking_distance"), ("8-puzzle", 'pdb("4-4")'),
        ("pancake:6", "gaps"), ("2x2x2", "misplaced_pieces"), ("2x2x2", 'pdb("CORNERS:2")'),
    ):  # fmt: skip
        assert key_of(puzzle, heuristic) == key_of(puzzle, heuristic)
    different = [
        ("8-puzzle", "manhattan", None),
        ("8-puzzle", "manhattan // 2", None),
        ("15-puzzle", "manhattan", None),
    ]
    assert len({key_of(*question) for question in [*different, ("8-puzzle", "manhattan", "U R D")]}) == 4


def test_nothing_goes_on_with_a_function_which_may_have_changed() -> None:
    text = named(lambda state: 0, lambda _puzzle, state: state, "changed")
    assert key_of("8-puzzle", text) != key_of("8-puzzle", text)


# -- as an algorithm --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("one", CHEAPEST, ids=lambda one: str(one.number))
def test_korfs_lengths_are_proven(one: Any, tmp_path: Path) -> None:
    request = {"puzzle": "15-puzzle", "state": list(one.board), "algorithm": "layered", "heuristic": "manhattan"}
    result = solve(prepare(SolveRequest.model_validate(request)), threads=2)
    assert (result.length, result.optimality, result.lower_bound) == (one.length, "proven", one.length)


@pytest.mark.parametrize("name", [*puzzle_names(), *BOARDS])
def test_every_puzzle_has_records(name: str) -> None:
    puzzle = get_puzzle(name)
    request = {"puzzle": name, "scramble": {"k": 2, "seed": SEED % 2**60}, "algorithm": "layered"}
    result = solve(prepare(SolveRequest.model_validate(request)))
    assert result.optimality == "proven"
    assert result.solution is not None
    assert puzzle.name == name
