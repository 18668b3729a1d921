"""Answers have certificates that the checker accepts; what is false or incomplete is not accepted.

`tests/hostile` does the same for the answers of random definitions.
"""

from __future__ import annotations

import ast
import io
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hstar
from hstar._kernel import LearnedPartitions
from hstar.certificates import Refused, proofs, tables
from hstar.certificates.cost import UP, nodes_to_search
from hstar.certificates.proofs import Written, write
from hstar.certificates.tables import pattern_terms
from hstar.certificates.terms import terms_of
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search import Problem, Result, SolveRequest, prepare, solve
from hstar.search.methods import ida_star
from tests.certificates.checkers import FIRST, Verdict, first, first_forked, second
from tests.certificates.container import put_together, taken_apart
from tests.certificates.made import refutation_of, with_nodes
from tests.search.test_sharing import Nobody

FAR = {"puzzle": "8-puzzle", "goal": "1 2 3 / 4 5 6 / 7 8 0", "state": "8 6 7 / 2 5 4 / 3 0 1"}
TURNS = {"puzzle": "megaminx", "scramble": {"k": 7, "seed": 1, "moves": "cw"}, "moves": "ccw"}
ANSWERS: dict[str, dict[str, Any]] = {
    "astar": FAR | {"algorithm": "astar", "heuristic": "manhattan"},
    "a plain heuristic": FAR | {"algorithm": "astar", "heuristic": "max(ceil(manhattan * 0.5), misplaced_tiles - 1)"},
    "a heuristic without terms": FAR | {"algorithm": "astar", "heuristic": "manhattan + linear_conflict"},
    "breadth_first": FAR | {"algorithm": "breadth_first"},
    "bidirectional": FAR | {"algorithm": "bidirectional"},
    "ida_star": FAR | {"algorithm": "ida_star", "heuristic": "manhattan"},
    "databases": FAR | {"algorithm": "ida_star", "heuristic": 'pdb("4-4")'},
    "databases of a row": {"puzzle": "tiles:1x7", "alg": "L3", "algorithm": "ida_star", "heuristic": 'pdb("3-3")'},
    "large states": TURNS | {"algorithm": "astar", "heuristic": "ceil(misplaced_facelets / 15)"},
    "a maximum": TURNS | {"algorithm": "astar", "heuristic": "max(max_corner_moves, edge_moves // 5)"},
    "auto": TURNS | {"algorithm": "auto"},
    "solved": {"puzzle": "3x3x3", "alg": "", "algorithm": "astar"},
    "one move": {"puzzle": "3x3x3", "alg": "R", "algorithm": "astar"},
    "a bound": TURNS | {"algorithm": "breadth_first", "limits": {"expanded": 2_000}},
}


def answered(asked: dict[str, Any]) -> tuple[Problem, Result]:
    problem = prepare(SolveRequest.model_validate(asked))
    return problem, solve(problem, keep=True)


def certificate(asked: dict[str, Any]) -> tuple[bytes, Written]:
    destination = io.BytesIO()
    written = write(*answered(asked), destination)
    return destination.getvalue(), written


def checked(data: bytes, folder: Path, *more: str) -> Verdict:
    file = folder / "file.hcert"
    file.write_bytes(data)
    return first(file, *more) if more else first_forked(file)


def changed(data: bytes, **sections: bytes | None) -> bytes:
    """The file with other sections, and its digest right again."""
    parts = {**taken_apart(data), **{tag: payload for tag, payload in sections.items() if payload is not None}}
    order = ("META", "PUZL", "CLAM", "HEUR", "TREE", "BACK", "ROOT", "INVR")
    return put_together([(tag, parts[tag]) for tag in order if tag in parts and sections.get(tag, b"") is not None])


@pytest.mark.parametrize("name", ANSWERS)
def test_the_checker_accepts_it(name: str, tmp_path: Path) -> None:
    data, written = certificate(ANSWERS[name])
    verdict = checked(data, tmp_path)
    assert verdict.proven, verdict.said
    assert len(data) == written.bytes
    assert verdict.memory < 160 << 20


@pytest.mark.parametrize("name", ["astar", "breadth_first", "bidirectional", "ida_star", "large states"])
def test_a_higher_bound_is_not_accepted(name: str, tmp_path: Path) -> None:
    """The claim that the fewest moves are one more than they are."""
    data, _ = certificate(ANSWERS[name])
    parts = taken_apart(data)
    (slots,) = struct.unpack("<H", parts["PUZL"][:2])
    start, rest = parts["CLAM"][1 : 1 + 2 * slots], parts["CLAM"][1 + 2 * slots :]
    (bound,) = struct.unpack("<I", rest[:4])
    for raised, status in ((bound, 0), (bound + 1, 1)):
        claim = b"\x02" + start + struct.pack("<I", raised)
        assert checked(changed(data, CLAM=claim), tmp_path).status == status


@pytest.mark.parametrize("name", ["astar", "breadth_first", "bidirectional"])
def test_each_state_is_needed(name: str, tmp_path: Path) -> None:
    """Without the last state of its tree, the set is not closed: some successor of another state is missing."""
    data, _ = certificate(ANSWERS[name])
    tree = taken_apart(data)["TREE"]
    last = max(at for at, byte in enumerate(tree) if byte != 255)
    verdict = checked(changed(data, TREE=tree[:last]), tmp_path)
    assert verdict.status == 1
    assert "out of the set" in verdict.said


def test_a_backward_tree_has_to_have_all_states(tmp_path: Path) -> None:
    data, _ = certificate(ANSWERS["bidirectional"])
    back = taken_apart(data)["BACK"]
    last = max(at for at, byte in enumerate(back) if byte != 255)
    assert "lacks a state" in checked(changed(data, BACK=back[:last]), tmp_path).said
    assert "too deep" in checked(changed(data, BACK=bytes([back[0] - 1]) + back[1:]), tmp_path).said


@pytest.mark.parametrize("entry", [4, 40, 400])
def test_a_heuristic_has_to_be_admissible(entry: int, tmp_path: Path) -> None:
    data, _ = certificate(ANSWERS["large states"])
    terms = bytearray(taken_apart(data)["HEUR"])
    at = 2 + 5 + 4 * entry
    terms[at : at + 4] = struct.pack("<i", 1_000)
    assert "a term" in checked(changed(data, HEUR=bytes(terms)), tmp_path).said


def test_subtrees_can_be_searched_alone(tmp_path: Path) -> None:
    """All of them prove; some of them are a share, or a spot check, which says so."""
    asked = {
        "puzzle": "15-puzzle", "algorithm": "ida_star", "heuristic": "manhattan",
        "scramble": {"k": 60, "seed": 1},
    }  # fmt: skip
    data, _ = certificate(asked)
    data = changed(data, BACK=None, TREE=b"", ROOT=b"")
    whole = checked(data, tmp_path)
    assert whole.proven, whole.said
    share = checked(data, tmp_path, "--roots", "0:1")
    assert (share.status, share.said.split(":")[0]) == (3, "in part")
    drawn = checked(data, tmp_path, "--sample", "1")
    assert (drawn.status, drawn.said.split(":")[0]) == (3, "spot check")


@pytest.mark.parametrize(
    "asked",
    [
        FAR | {"heuristic": "manhattan"},
        FAR | {"heuristic": 'pdb("3-3-2")'},
        TURNS | {"heuristic": "zero", "scramble": {"k": 5, "seed": 1, "moves": "cw"}},
    ],
    ids=("terms", "databases", "turns"),
)
def test_what_workers_searched_is_what_a_checker_searches(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tree has the states above the subtrees that were jobs, and no others."""
    shared = ida_star.Settings(share_after=10)
    monkeypatch.setattr(ida_star, "_settings", lambda asked: shared)
    monkeypatch.setattr(proofs, "FEW_OF_BALLS", 20)
    monkeypatch.setattr(proofs, "MOST_OF_BALLS", 20)
    problem = prepare(SolveRequest.model_validate(asked | {"algorithm": "ida_star", "workers": 2}))
    result = solve(problem, queue=Nobody(), keep=True)
    file = tmp_path / "proof.hcert"
    written = proofs.write_file(problem, result, file)
    assert result.optimality == "proven"
    assert len(result.roots) >= 32
    assert f"the {len(result.roots)} that workers searched" in written.by
    words, word = set[tuple[int, ...]]([()]), list[int]()
    for byte in taken_apart(file.read_bytes())["TREE"]:
        if byte == UP:
            word.pop()
        else:
            word.append(problem.move_numbers[byte])
            assert tuple(word) not in words
            words.add(tuple(word))
    assert word == []
    assert words == {tuple(root[:length]) for root in result.roots for length in range(len(root))}
    for verdict in (first(file), second(file)):
        assert verdict.proven, verdict.said
    assert "subtrees with" in first(file).said


@pytest.fixture
def with_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files have databases, and subtrees to search with them, also where that is not needed."""
    monkeypatch.setattr(proofs, "MOST_AGAIN", 10)
    monkeypatch.setattr(proofs, "MOST_OF_BALLS", 50)
    monkeypatch.setattr(tables, "FEW_ENTRIES", tables.MOST_ENTRIES)


@pytest.mark.usefixtures("with_databases")
def test_databases_are_checked_entry_by_entry(tmp_path: Path) -> None:
    data, written = certificate(ANSWERS["databases"])
    assert written.searched
    with_them = checked(data, tmp_path)
    assert with_them.proven, with_them.said
    terms = bytearray(taken_apart(data)["HEUR"])
    table = 2 + 7 + 2 + 8 * 5 + 8
    most = max(value for value in terms[table : table + 59_049] if value < 255)
    for value, raised in ((most, most + 2), (0, 1)):
        changed_terms = bytearray(terms)
        changed_terms[terms.index(value, table)] = raised
        verdict = checked(changed(data, HEUR=bytes(changed_terms)), tmp_path)
        assert verdict.status == 1
        assert "a pattern's table" in verdict.said
    (count,) = struct.unpack("<H", terms[:2])
    without = struct.pack("<H", count - 1) + terms[table + 2 * 59_049 + 2 + 8 * 5 + 8 :]
    assert nodes(checked(changed(data, HEUR=bytes(without)), tmp_path)) > nodes(with_them)


@pytest.mark.usefixtures("with_databases")
def test_databases_of_pieces_are_checked(tmp_path: Path) -> None:
    asked = {"puzzle": "pyraminx", "scramble": {"k": 6, "seed": 1}, "algorithm": "ida_star", "heuristic": "zero"}
    data, _ = certificate(asked)
    assert checked(data, tmp_path).proven
    assert second(tmp_path / "file.hcert").proven
    terms = bytearray(taken_apart(data)["HEUR"])
    terms[terms.index(1, 1_000)] = 3
    verdict = checked(changed(data, HEUR=bytes(terms)), tmp_path)
    assert "a pattern's table" in verdict.said


@pytest.mark.usefixtures("with_databases")
def test_numbers_of_nodes_can_be_stated(tmp_path: Path) -> None:
    """Both checkers count the same nodes of each subtree, and refuse other numbers."""
    data, _ = certificate(ANSWERS["databases"] | {"heuristic": "manhattan"})
    stated = tmp_path / "stated.hcert"
    stated.write_bytes(with_nodes(data))
    roots = taken_apart(stated.read_bytes())["ROOT"]
    assert roots
    assert first_forked(stated).proven
    assert second(stated).proven
    one_more = struct.pack("<Q", int.from_bytes(roots[:8], "little") + 1)
    stated.write_bytes(changed(stated.read_bytes(), ROOT=one_more + roots[8:]))
    assert "another number of nodes" in first_forked(stated).said
    assert not second(stated).proven


def nodes(verdict: Verdict) -> int:
    assert verdict.proven, verdict.said
    return int(verdict.said.split(" subtrees with ")[1].split()[0])


def test_several_walks_need_less_memory(tmp_path: Path) -> None:
    data, written = certificate(ANSWERS["breadth_first"])
    assert written.states > 100_000
    assert checked(data, tmp_path, "--memory", "1").proven


def test_refused_with_a_reason() -> None:
    problem, result = answered(FAR | {"algorithm": "greedy", "heuristic": "manhattan"})
    assert result.optimality == "feasible"
    destination = io.BytesIO()
    written = write(problem, result, destination)  # its lower bound
    assert written.claim == f"no solution has fewer than {result.lower_bound} moves"
    with pytest.raises(Refused, match="at most 10 are allowed"):
        write(problem, result, io.BytesIO(), most_bytes=10)


@pytest.mark.parametrize(
    ("text", "count", "whole"),
    [
        ("manhattan", 1, True),
        ("max(manhattan, misplaced_tiles)", 2, True),
        ("manhattan // 2 + misplaced_tiles // 2", 1, True),
        ("0 if solved else manhattan", 2, True),
        ("min(manhattan, linear_conflict)", 1, True),
        ("manhattan + linear_conflict", 0, False),
        ("misplaced_cells", 0, False),
    ],
)
def test_terms_of_expressions(text: str, count: int, whole: bool) -> None:
    puzzle = get_puzzle("8-puzzle")
    terms, found = terms_of(get_heuristic(text, puzzle).expression, puzzle, puzzle.move_set(None))
    assert (len(terms), found) == (count, whole)


def test_the_library_writes_one(tmp_path: Path) -> None:
    path = tmp_path / "proof.hcert"
    found = hstar.solve("8-puzzle", k=20, seed=1, heuristic="manhattan", certificate=path)
    assert isinstance(found.certificate, Written)
    assert first_forked(path).proven


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A copy of the checker that nobody may write into, with nothing compiled; and a proof."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "checker")
        folder.mkdir()
        for name in ("check.py", "check.c"):
            shutil.copy(FIRST.with_name(name), folder)
        (folder / "proof.hcert").write_bytes(certificate(ANSWERS["astar"])[0])
        Path(scratch).chmod(0o755)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def checked_in(folder: Path, file: str = "proof.hcert", **environment: str) -> subprocess.CompletedProcess[str]:
    mere = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    return subprocess.run(
        [*mere, sys.executable, "-B", "check.py", file], cwd=folder, env=os.environ | environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def test_the_checker_writes_nothing_beside_itself(elsewhere: Path) -> None:
    found = checked_in(elsewhere)
    assert found.stdout.startswith("proven: "), found
    assert sorted(path.name for path in elsewhere.iterdir()) == ["check.c", "check.py", "proof.hcert"]


def test_without_a_compiler_it_says_so(elsewhere: Path) -> None:
    found = checked_in(elsewhere, CC="no-such-compiler")
    assert (found.returncode, found.stdout) == (2, "")
    assert "'no-such-compiler'" in found.stderr
    elsewhere.chmod(0o755)
    (elsewhere / "unsolvable.hcert").write_bytes(refutation_of("8-puzzle: two tiles exchanged"))
    assert checked_in(elsewhere, "unsolvable.hcert", CC="no-such-compiler").stdout.startswith("proven: ")


def test_learned_partitions_are_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the kernel looks up for the start, as tables; with them a checker searches fewer nodes."""
    monkeypatch.setattr(proofs, "_informed", lambda *_: None)
    monkeypatch.setattr(proofs, "MOST_OF_BALLS", 50)
    scramble = {"k": 16, "seed": 1, "moves": "cw"}
    problem, result = answered({"puzzle": "megaminx", "scramble": scramble, "moves": "ccw", "algorithm": "auto"})
    assert result.optimality == "proven"
    numbers = {}
    for many in (10**12, 0):
        monkeypatch.setattr(proofs, "MANY", many)
        destination = io.BytesIO()
        written = write(problem, result, destination)
        assert "sums and maxima" in written.by
        numbers[many] = nodes(checked(destination.getvalue(), tmp_path))
    assert numbers[0] < numbers[10**12]
    puzzle = problem.puzzle
    assert isinstance(puzzle, PermutationPuzzle)
    learned = LearnedPartitions(puzzle.kernel, problem.start, problem.move_numbers, result.lower_bound or 0)
    costs = np.array(learned.costs).reshape(-1, len(puzzle.values), max(puzzle.values))
    sums = costs[:, np.arange(len(puzzle.values)), list(puzzle.contents(problem.start))].sum(axis=1)
    assert 0 < -(-sums.max() // learned.scale) <= learned.values([problem.start])[0]


def test_a_search_gives_what_it_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Partitions are not learned again for the file, and nothing is kept unless that is asked for."""
    monkeypatch.setattr(proofs, "_learned", None)
    monkeypatch.setattr(proofs, "MANY", 0)
    plan = [{"method": "ida_star", "heuristic": "zero", "settings": {"partitions": True, "learn_after": 0}}]
    problem, result = answered(TURNS | {"algorithm": "plan", "plan": plan})
    assert result.kept is not None
    assert result.kept.learned
    destination = io.BytesIO()
    written = write(problem, result, destination)
    assert "sums and maxima" in written.by
    assert checked(destination.getvalue(), tmp_path).proven
    assert solve(problem).kept is None


@pytest.mark.parametrize(
    "asked",
    [
        {"puzzle": "15-puzzle", "scramble": {"k": 60, "seed": 1}, "heuristic": "manhattan"},
        {"puzzle": "skewb", "random": 1},
        {"puzzle": "pyraminx", "random": 1},
    ],
    ids=lambda asked: asked["puzzle"],
)
def test_what_a_check_costs_is_said(asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate is right to a factor, and a check that nobody will wait for is called that."""
    monkeypatch.setattr(proofs, "_informed", lambda *_: None)
    monkeypatch.setattr(proofs, "MOST_OF_BALLS", 50)
    monkeypatch.setattr(proofs, "MANY_GENERATED", 10**12)
    problem, result = answered(asked | {"algorithm": "ida_star"})
    destination = io.BytesIO()
    assert write(problem, result, destination).by.endswith("; a checker has to search subtrees")
    counted = nodes(checked(destination.getvalue(), tmp_path))
    monkeypatch.setattr(proofs, "MANY_GENERATED", 0)
    said = write(problem, result, io.BytesIO()).by
    about = int(said.split("subtrees of some ")[1].split()[0].replace(",", ""))
    assert counted / 5 < about < counted * 5
    assert said.endswith(" nodes")
    monkeypatch.setattr(proofs, "HOPELESS", 1)
    assert write(problem, result, io.BytesIO()).by.endswith("weeks or years: let it check a sample of them, or shares")


def test_an_estimate_of_all_sequences_of_moves() -> None:
    """Without bounds it is the number of sequences without needless pairs: of a 3x3x3 18, 243, 3,240, and so on."""
    cube = get_puzzle("3x3x3")
    estimate = nodes_to_search(cube, cube.move_set(None), cube.solved, memoryview(b""), 7, -1, [])
    assert estimate == pytest.approx(18 + 243 + 3_240 + 43_239 + 577_368 + 7_706_988, rel=0.5)


def test_auto_gives_the_states_of_its_search(tmp_path: Path) -> None:
    problem, result = answered({"puzzle": "pyraminx", "random": 1, "algorithm": "auto"})
    assert result.method == "bidirectional"
    destination = io.BytesIO()
    assert write(problem, result, destination).by == proofs.KEPT
    assert checked(destination.getvalue(), tmp_path).proven


def test_the_checker_has_at_most_500_lines() -> None:
    """Lines of code: without blank lines, comments and the texts that describe functions."""
    source = FIRST.read_text()
    described = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    texts = {
        line
        for node in described
        if ast.get_docstring(node)
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    python = [
        line for at, line in enumerate(source.splitlines(), 1) if at not in texts and not line.lstrip().startswith("#")
    ]
    c = [line for line in FIRST.with_suffix(".c").read_text().splitlines() if not line.lstrip().startswith("//")]
    assert sum(bool(line.strip()) for line in python + c) <= 500


@pytest.mark.parametrize(
    ("heuristic", "expanded", "sizes"),
    [
        ('pdb("blocks:6")', 10**9, "4-4-4-4-4-4"),  # larger ones are larger than files
        ('pdb("blocks:6")', 10**6, "3-3-3-3-3-3-3-3"),
        ('pdb("blocks:3")', 10**9, "3-3-3-3-3-3-3-3"),
        ('pdb("blocks:3")', 1, "2-2-2-2-2-2-2-2-2-2-2-2"),  # the smallest that hstar adds
    ],
)
def test_databases_of_smaller_blocks_stand_for_what_is_large_for_the_search(
    heuristic: str, expanded: int, sizes: str
) -> None:
    board = get_puzzle("tiles:5x5")
    h = get_heuristic(heuristic, board)
    (term,) = pattern_terms(h.expression, board.move_set(None), expanded)
    assert term.sizes == sizes
    assert sum(pattern.entries for pattern in term.patterns) == sum(25 ** (1 + int(size)) for size in sizes.split("-"))
