"""Lies: for every row of docs/threats.md a certificate that is changed in just that way, and must not be accepted.

A lie takes the sections of a true certificate (`made.small_certificates`) and returns a file with a right digest.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.certificates.container import CASE, Claimed, case_size, cases_of, costs_of, put_together, sealed
from tests.certificates.mutations import UP, end_of

Sections = dict[str, bytes]
TILES, PATTERNS, SUBTREES, BIDIRECTIONAL = (
    "tiles, A*",
    "tiles, patterns",
    "tiles, A*, by subtrees",
    "tiles, bidirectional",
)
COSTS = "tiles, costs"
SUMS = "pyraminx, no solution by sums"


@dataclass(frozen=True)
class Lie:
    """``of``: the true certificate; ``tell``: makes the lie of its sections."""

    of: str
    tell: Callable[[Sections], bytes]


def _file(sections: Sections, **changed: bytes | None) -> bytes:
    parts = (sections | changed).items()
    return put_together([(tag, payload) for tag, payload in parts if payload is not None])


def _set(payload: bytes, at: int, kind: str, value: float) -> bytes:
    new = struct.pack(f"<{kind}", value)
    return payload[:at] + new + payload[at + len(new) :]


def _slots(sections: Sections) -> int:
    return int(struct.unpack_from("<H", sections["PUZL"])[0])


def _entries(sections: Sections) -> int:
    return sum(struct.unpack_from(f"<{_slots(sections)}H", sections["PUZL"], 8))


def _claim(sections: Sections, bound: int, length: int, solution: bytes) -> bytes:
    head = sections["CLAM"][: 1 + 2 * _slots(sections)]
    return head + struct.pack("<II", bound, length) + solution


def _solution(sections: Sections) -> tuple[int, bytes]:
    at = 1 + 2 * _slots(sections)
    (bound,) = struct.unpack_from("<I", sections["CLAM"], at)
    return bound, sections["CLAM"][at + 8 :]


def _bound_raised(s: Sections) -> bytes:
    bound, moves = _solution(s)
    # There and back again is a solution, too, but not a shortest one.
    return _file(s, CLAM=_claim(s, bound + 2, bound + 2, _there_and_back(s) + moves))


def _there_and_back(s: Sections) -> bytes:
    """A move of the start and its inverse: of a board two slides, of pancakes a flip twice."""
    read = Claimed.of(s)
    return next(
        bytes([one, two])
        for one, state in read.after(read.start)
        for two, after in read.after(state)
        if after == read.start
    )


def _solution_of_other_length(s: Sections) -> bytes:
    bound, moves = _solution(s)
    return _file(s, CLAM=_claim(s, bound, bound + 2, _there_and_back(s) + moves))


def _solution_elsewhere(s: Sections) -> bytes:
    bound, moves = _solution(s)
    return _file(s, CLAM=_claim(s, bound, bound, bytes([*moves[:-1], (moves[-1] + 1) % 3])))


def _bound_alone(s: Sections) -> bytes:
    bound, _ = _solution(s)
    head = bytes([2]) + s["CLAM"][1 : 1 + 2 * _slots(s)]
    return _file(s, CLAM=head + struct.pack("<I", bound + 1))


def _unsolvable(s: Sections) -> bytes:
    return _file(s, CLAM=bytes([3]) + s["CLAM"][1 : 1 + 2 * _slots(s)], HEUR=None)


def _leaf_dropped(s: Sections) -> bytes:
    code = s["TREE"]
    leaves = [i for i in range(len(code) - 1) if code[i] != UP and code[i + 1] == UP]
    return _file(s, TREE=code[: leaves[0]] + code[leaves[0] + 2 :])


def _tree_empty(s: Sections) -> bytes:
    return _file(s, TREE=b"")


def _depth_lowered(s: Sections) -> bytes:
    """The first state of the tree below the start is left out, and all below it come up."""
    code = s["TREE"]
    at = next(i for i in range(len(code)) if code[i] != UP and i + 1 < len(code) and code[i + 1] != UP)
    end = end_of(code, at)
    body = code[at + 1 : end]
    return _file(s, TREE=code[:at] + (body[:-1] if body.endswith(bytes([UP])) else body) + code[end:])


def _goal_in_tree(s: Sections) -> bytes:
    bound, moves = _solution(s)
    return _file(s, CLAM=_claim(s, bound, bound, moves), TREE=moves + bytes([UP]) * len(moves) + s["TREE"])


def _below_the_root(s: Sections) -> bytes:
    return _file(s, TREE=bytes([UP]) + s["TREE"])


def _unknown_move(s: Sections) -> bytes:
    return _file(s, TREE=bytes([200]) + s["TREE"])


def _impossible_slide(s: Sections) -> bytes:
    return _file(s, TREE=b"".join(bytes([move]) * 9 for move in range(4)) + s["TREE"])


def _too_deep(s: Sections) -> bytes:
    pair = _there_and_back(s)
    return _file(s, TREE=pair * 200 + s["TREE"])


def _table_entries(s: Sections, change: Callable[[int], int]) -> bytes:
    """The first term's table, which is a sum, with each entry changed."""
    heur = s["HEUR"]
    numbers = struct.unpack_from(f"<{_entries(s)}i", heur, 7)
    changed = struct.pack(f"<{len(numbers)}i", *map(change, numbers))
    return _file(s, HEUR=heur[:7] + changed + heur[7 + len(changed) :])


def _table_doubled(s: Sections) -> bytes:
    return _table_entries(s, lambda entry: 2 * entry)


def _table_lifted(s: Sections) -> bytes:
    return _table_entries(s, lambda entry: entry + 1)


def _table_at_the_limits(s: Sections) -> bytes:
    return _table_entries(s, lambda entry: 2**31 - 1 if entry > 0 else -(2**31))


def _divisor_halved(s: Sections) -> bytes:
    (divisor,) = struct.unpack_from("<I", s["HEUR"], 3)
    assert divisor > 1
    return _file(s, HEUR=_set(s["HEUR"], 3, "I", divisor // 2))


def _divisor_zero(s: Sections) -> bytes:
    return _file(s, HEUR=_set(s["HEUR"], 3, "I", 0))


def _pattern(s: Sections) -> tuple[int, int]:
    """Where the first table of the first term of patterns begins in ``HEUR``, and its size."""
    heur = s["HEUR"]
    at, (terms,) = 2, struct.unpack_from("<H", heur)
    for _ in range(terms):
        kind = heur[at]
        at += 5
        if kind != 2:
            at += 4 * _entries(s)
            continue
        (pieces,) = struct.unpack_from("<H", heur, at + 2)
        begin = at + 4 + 8 * pieces
        (size,) = struct.unpack_from("<Q", heur, begin)
        return begin + 8, size
    raise AssertionError("no patterns")


def _database_raised(s: Sections) -> bytes:
    begin, size = _pattern(s)
    heur = s["HEUR"]
    table = bytes(min(254, entry + 2) if entry else 0 for entry in heur[begin : begin + size])
    return _file(s, HEUR=heur[:begin] + table + heur[begin + size :])


def _database_one_entry(s: Sections) -> bytes:
    begin, size = _pattern(s)
    table = s["HEUR"][begin : begin + size]
    most = max(range(size), key=table.__getitem__)
    return _file(s, HEUR=_set(s["HEUR"], begin + most, "B", table[most] + 2))


def _database_shifted(s: Sections) -> bytes:
    begin, size = _pattern(s)
    heur = s["HEUR"]
    table = heur[begin : begin + size]
    return _file(s, HEUR=heur[:begin] + table[1:] + table[:1] + heur[begin + size :])


def _database_of_other_size(s: Sections) -> bytes:
    begin, size = _pattern(s)
    heur = s["HEUR"]
    return _file(
        s, HEUR=heur[: begin - 8] + struct.pack("<Q", size - 1) + heur[begin : begin + size - 1] + heur[begin + size :]
    )


def _pattern_twice(s: Sections) -> bytes:
    """Patterns are added that share their pieces: the first pattern of the first term is there twice."""
    begin, size = _pattern(s)
    heur = s["HEUR"]
    (pieces,) = struct.unpack_from("<H", heur, 9)
    head = 7  # of the first term: its kind and divisor
    first = heur[head + 2 : head + 2 + 2 + 8 * pieces + 8 + size]
    assert begin == head + 4 + 8 * pieces + 8
    return _file(s, HEUR=struct.pack("<H", 1) + heur[2:head] + struct.pack("<H", 2) + first + first)


def _backward_leaf_dropped(s: Sections) -> bytes:
    code = s["BACK"]
    at = next(i for i in range(1, len(code) - 1) if code[i] != UP and code[i + 1] == UP)
    return _file(s, BACK=code[:at] + code[at + 2 :])


def _backward_deeper(s: Sections) -> bytes:
    return _file(s, BACK=bytes([s["BACK"][0] + 1]) + s["BACK"][1:])


def _roots_forbidden(s: Sections) -> bytes:
    return _file(s, ROOT=None)


def _roots_of_other_sizes(s: Sections) -> bytes:
    return _file(s, ROOT=struct.pack("<4Q", 1, 1, 1, 1))


def _roots_cut(s: Sections) -> bytes:
    return _file(s, ROOT=b"\1\0\0")


def _case(s: Sections, change: Callable[[bytes, int], bytes], number: int = 0) -> bytes:
    puzzle = s["PUZL"]
    return _file(s, PUZL=change(puzzle, list(cases_of(puzzle))[number]))


def _map_not_one_to_one(s: Sections) -> bytes:
    puzzle = s["PUZL"]
    first = next(cases_of(puzzle))
    return _file(s, PUZL=puzzle[: first - 4] + puzzle[first - 2 : first] * 2 + puzzle[first:])


def _touch_twice(s: Sections) -> bytes:
    size = struct.calcsize(CASE)
    return _case(s, lambda p, at: p[: at + size + 2] + p[at + size : at + size + 2] + p[at + size + 4 :])


def _touch_outside(s: Sections) -> bytes:
    return _case(s, lambda p, at: _set(p, at + struct.calcsize(CASE), "H", 60_000))


def _two_cases(s: Sections) -> bytes:
    """The first case is there twice, the second time as nothing."""
    puzzle = s["PUZL"]
    at = next(cases_of(puzzle))
    head = puzzle[:6] + struct.pack("<H", struct.unpack_from("<H", puzzle, 6)[0] + 1) + puzzle[8:]
    slots, after = range(_slots(s)), at + case_size(_slots(s))
    nothing = puzzle[at : at + struct.calcsize(CASE)] + struct.pack(f"<{len(slots)}H", *slots)
    return _file(s, PUZL=head + nothing + puzzle[after - 2 * len(slots) : after])


def _conditions_mixed(s: Sections) -> bytes:
    return _case(s, lambda p, at: _set(p, at + 2, "H", 0), 1)


def _cost(s: Sections, move: int, cost: int, **changed: bytes) -> bytes:
    """A move costs something else."""
    puzzle, costs = s["PUZL"], costs_of(s["PUZL"])
    return _file(s, **{"PUZL": _set(puzzle, len(puzzle) - len(costs) + move, "B", cost)} | changed)


def _solution_cheaper(s: Sections) -> bytes:
    """The last move of the solution costs less, which the bound does not say."""
    last = _solution(s)[1][-1]
    return _cost(s, last, costs_of(s["PUZL"])[last] - 1)


def _solution_dearer(s: Sections) -> bytes:
    """The last move of the solution costs more, and so the bound is higher: another way is cheaper."""
    bound, moves = _solution(s)
    raised = bound + (255 - costs_of(s["PUZL"])[moves[-1]]) * moves.count(moves[-1])
    return _cost(s, moves[-1], 255, CLAM=_claim(s, raised, len(moves), moves))


def _all_cheaper(s: Sections) -> bytes:
    """All moves cost 1, and the bound is what the solution costs then."""
    (_, moves), costs = _solution(s), costs_of(s["PUZL"])
    puzzle = s["PUZL"][: -len(costs)] + bytes([1]) * len(costs)
    return _file(s, PUZL=puzzle, CLAM=_claim(s, len(moves), len(moves), moves))


def _costs_left_out(s: Sections) -> bytes:
    return _file(s, PUZL=s["PUZL"][: -len(costs_of(s["PUZL"]))])


def _bound_counts_moves(s: Sections) -> bytes:
    _, moves = _solution(s)
    return _file(s, CLAM=_claim(s, len(moves), len(moves), moves))


def _bound_lowered(s: Sections) -> bytes:
    bound, moves = _solution(s)
    return _file(s, CLAM=_claim(s, bound - 1, len(moves), moves))


def _dearer_solution(s: Sections) -> bytes:
    """There and back again at the front, at its cost, and the bound is that much higher."""
    bound, moves = _solution(s)
    longer = _there_and_back(s)
    raised = bound + sum(costs_of(s["PUZL"])[move] for move in longer)
    return _file(s, CLAM=_claim(s, raised, len(longer + moves), longer + moves))


def _value_too_large(s: Sections) -> bytes:
    return _file(s, CLAM=_set(s["CLAM"], 1, "H", 60_000))


def _two_blanks(s: Sections) -> bytes:
    claim = s["CLAM"]
    held = [struct.unpack_from("<H", claim, 1 + 2 * slot)[0] for slot in range(_slots(s))]
    other = next(slot for slot, value in enumerate(held) if value != 0)
    return _file(s, CLAM=_set(claim, 1 + 2 * other, "H", 0))


def _goal_moved(s: Sections) -> bytes:
    at = 8 + 2 * _slots(s)
    puzzle = s["PUZL"]
    return _file(s, PUZL=puzzle[:at] + puzzle[at + 2 : at + 4] + puzzle[at : at + 2] + puzzle[at + 4 :])


def _without(tag: str) -> Callable[[Sections], bytes]:
    return lambda s: _file(s, **{tag: None})


def _twice(tag: str) -> Callable[[Sections], bytes]:
    return lambda s: put_together([part for part in s.items() for _ in range(1 + (part[0] == tag))])


def _unknown_section(s: Sections) -> bytes:
    return put_together([*s.items(), ("SURE", b"trust me")])


def _other_order(s: Sections) -> bytes:
    return put_together(list(s.items())[::-1])


def _something_follows(s: Sections) -> bytes:
    return sealed(put_together(list(s.items()))[:-32] + b"more")


def _other_version(s: Sections) -> bytes:
    return put_together(list(s.items()), version=3)


def _more_sections_than_there_are(s: Sections) -> bytes:
    return put_together(list(s.items()), count=2**32 - 1)


def _changed_without_digest(s: Sections) -> bytes:
    data = bytearray(_file(s))
    data[-40] ^= 1
    return bytes(data)


def _cut(s: Sections) -> bytes:
    return _file(s)[:-33]


def _escape_in_a_name(s: Sections) -> bytes:
    puzzle = s["PUZL"]
    at = 8 + 4 * _slots(s)
    return _file(s, PUZL=_set(puzzle, at + 1, "B", 27))


def _invariant(change: Callable[[Sections, bytes], bytes]) -> Callable[[Sections], bytes]:
    return lambda s: _file(s, INVR=change(s, s["INVR"]))


def _modulus_one(s: Sections, invariant: bytes) -> bytes:
    return _set(invariant, 0, "H", 1)


def _modulus_changed(s: Sections, invariant: bytes) -> bytes:
    return _set(invariant, 0, "H", struct.unpack_from("<H", invariant)[0] + 1)


def _start_at_goal(s: Sections) -> bytes:
    n = _slots(s)
    return _file(s, CLAM=s["CLAM"][:1] + s["PUZL"][8 + 2 * n : 8 + 4 * n])


def _expression(s: Sections, operations: Sequence[bytes]) -> bytes:
    """The features as they are, and another program."""
    features = b"\0\0"
    return _file(s, EXPR=features + struct.pack("<H", len(operations)) + b"".join(operations))


def _constant(value: float) -> bytes:
    return b"\0" + struct.pack("<d", value)


def _program(*operations: bytes) -> Callable[[Sections], bytes]:
    return lambda s: _expression(s, operations)


def _equal_is_not_above(s: Sections) -> bytes:
    length = struct.unpack_from("<I", s["CLAM"], 1 + 2 * _slots(s))[0]
    return _expression(s, [_constant(length)])


def _alg_cut(s: Sections) -> bytes:
    at = 1 + 2 * _slots(s)
    (length,) = struct.unpack_from("<I", s["CLAM"], at)
    return _file(s, CLAM=s["CLAM"][:at] + struct.pack("<I", length - 1) + s["CLAM"][at + 4 : -1])


def _right_solution(s: Sections) -> bytes:
    """What is claimed to lead elsewhere leads there: no moves lead from a state to itself."""
    n = _slots(s)
    start = s["CLAM"][1 : 1 + 2 * n]
    return _file(s, CLAM=bytes([7]) + start + start + struct.pack("<I", 0))


def _model_is_right(s: Sections) -> bytes:
    """The same turn, which is right, five times: it has order 1 in both."""
    return _file(s, CLAM=struct.pack("<BB8H", 6, 1, 5, 2, 2, 2, 2, 2, 1, 0)[:-2])


def _turn_is_a_permutation(s: Sections) -> bytes:
    return _file(s, CLAM=struct.pack("<BBH", 6, 0, 1))


def _as_many_turns(s: Sections) -> bytes:
    return _file(s, CLAM=struct.pack("<BB", 6, 3))


WORDS = "a model with two facelets exchanged"
SLOW = "8-puzzle: twice manhattan"

LIES: dict[str, Lie] = {
    "the file was changed": Lie(TILES, _changed_without_digest),
    "the file was cut": Lie(TILES, _cut),
    "something follows the sections": Lie(TILES, _something_follows),
    "a section is missing: the puzzle": Lie(TILES, _without("PUZL")),
    "a section is missing: the claim": Lie(TILES, _without("CLAM")),
    "a section is missing: the set": Lie(TILES, _without("TREE")),
    "a section is missing: the heuristic": Lie(TILES, _without("HEUR")),
    "a section is there twice": Lie(TILES, _twice("TREE")),
    "a section is unknown": Lie(TILES, _unknown_section),
    "sections are in another order": Lie(TILES, _other_order),
    "the version is another": Lie(TILES, _other_version),
    "a count is larger than the file": Lie(TILES, _more_sections_than_there_are),
    "the bound is raised, with a longer solution": Lie(TILES, _bound_raised),
    "the bound is raised, without a solution": Lie(TILES, _bound_alone),
    "the solution has another length than the bound": Lie(TILES, _solution_of_other_length),
    "the solution leads elsewhere": Lie(TILES, _solution_elsewhere),
    "the claim is a stronger one: unsolvable": Lie(TILES, _unsolvable),
    "a state of the set is missing": Lie(TILES, _leaf_dropped),
    "the set is only the start": Lie(TILES, _tree_empty),
    "the depth of states is lowered": Lie("tiles, breadth first", _depth_lowered),
    "the goal is in the set": Lie(TILES, _goal_in_tree),
    "the tree goes up from its root": Lie(TILES, _below_the_root),
    "the tree has an unknown move": Lie(TILES, _unknown_move),
    "the tree has a slide across the border": Lie(TILES, _impossible_slide),
    "the tree is deeper than depths are kept": Lie(TILES, _too_deep),
    "the heuristic is too large: entries doubled": Lie(TILES, _table_doubled),
    "the heuristic is not 0 at the goal": Lie(TILES, _table_lifted),
    "the heuristic overflows": Lie(TILES, _table_at_the_limits),
    "the divisor is too small": Lie("megaminx, A*", _divisor_halved),
    "the divisor is 0": Lie(TILES, _divisor_zero),
    "a database is raised": Lie(PATTERNS, _database_raised),
    "one entry of a database is raised": Lie(PATTERNS, _database_one_entry),
    "the entries of a database are shifted": Lie(PATTERNS, _database_shifted),
    "a database has another size": Lie(PATTERNS, _database_of_other_size),
    "databases that are added share pieces": Lie(PATTERNS, _pattern_twice),
    "a state of the backward set is missing": Lie(BIDIRECTIONAL, _backward_leaf_dropped),
    "the backward set is said to be deeper": Lie(BIDIRECTIONAL, _backward_deeper),
    "a gap is passed over": Lie(SUBTREES, _roots_forbidden),
    "a subtree has other nodes than stated": Lie(SUBTREES, _roots_of_other_sizes),
    "the numbers of nodes are cut": Lie(SUBTREES, _roots_cut),
    "a map is not one-to-one": Lie(TILES, _map_not_one_to_one),
    "a move writes a slot twice": Lie(TILES, _touch_twice),
    "a move writes outside of the state": Lie(TILES, _touch_outside),
    "a move does two things": Lie(TILES, _two_cases),
    "conditions are mixed": Lie(TILES, _conditions_mixed),
    "a move of the solution costs less": Lie(COSTS, _solution_cheaper),
    "a move of the solution costs more, and the bound with it": Lie("pancake, costs", _solution_dearer),
    "all moves cost 1, and the heuristic falls by more": Lie(COSTS, _all_cheaper),
    "a move costs nothing": Lie(COSTS, lambda s: _cost(s, 0, 0)),
    "the costs are left out": Lie(COSTS, _costs_left_out),
    "the bound counts moves, which cost more": Lie(COSTS, _bound_counts_moves),
    "the bound is below what the solution costs": Lie(COSTS, _bound_lowered),
    "the bound is raised, with a dearer solution": Lie(COSTS, _dearer_solution),
    "with costs a state of the set is missing": Lie(COSTS, _leaf_dropped),
    "with costs a database is raised": Lie("tiles, costs, patterns", _database_one_entry),
    "with costs a gap is passed over": Lie("tiles, costs, by subtrees", _roots_forbidden),
    "the start holds what no slot can hold": Lie(TILES, _value_too_large),
    "the start has two blanks": Lie(TILES, _two_blanks),
    "the goal is another": Lie(TILES, _goal_moved),
    "a name sends commands to the terminal": Lie(TILES, _escape_in_a_name),
    "the invariant has no meaning: modulo 1": Lie(SUMS, _invariant(_modulus_one)),
    "the invariant is changed by moves": Lie("8-puzzle: two tiles exchanged", _invariant(_modulus_changed)),
    "the invariant does not differ": Lie(SUMS, _start_at_goal),
    "h is as large as the solution is long, not larger": Lie(SLOW, _equal_is_not_above),
    "h is infinite": Lie(SLOW, _program(_constant(math.inf))),
    "h is not a number": Lie(SLOW, _program(_constant(math.nan))),
    "h divides by 0": Lie(SLOW, _program(_constant(1), _constant(0), b"\5")),
    "the expression lacks an argument": Lie(SLOW, _program(_constant(9), b"\2")),
    "the expression leaves two values": Lie(SLOW, _program(_constant(9), _constant(9))),
    "the expression has an unknown operation": Lie(SLOW, _program(_constant(9), b"\x63")),
    "the expression names a feature that is not there": Lie(SLOW, _program(b"\1\0\0")),
    "the counterexample's moves do not solve it": Lie("megaminx: s2-face-distance", _alg_cut),
    "a right solution is called wrong": Lie("8-puzzle: does not solve", _right_solution),
    "a right model is called wrong, by a word": Lie(WORDS, _model_is_right),
    "a right turn is called no permutation": Lie("a model with a turn that loses facelets", _turn_is_a_permutation),
    "a model is said to lack a turn": Lie(WORDS, _as_many_turns),
}
