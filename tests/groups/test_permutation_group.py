"""Schreier-Sims, compared with known orders and with a plain closure of the generators."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import factorial, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hstar.errors import InvalidRequest
from hstar.groups import PermutationGroup, block_systems, group_order, orbits
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle

Permutations = list[list[int]]

#: the faces of the 3x3x3 on its 48 facelets, from 1 (the example of GAP's manual)
CUBE = [
    [(1, 3, 8, 6), (2, 5, 7, 4), (9, 33, 25, 17), (10, 34, 26, 18), (11, 35, 27, 19)],
    [(9, 11, 16, 14), (10, 13, 15, 12), (1, 17, 41, 40), (4, 20, 44, 37), (6, 22, 46, 35)],
    [(17, 19, 24, 22), (18, 21, 23, 20), (6, 25, 43, 16), (7, 28, 42, 13), (8, 30, 41, 11)],
    [(25, 27, 32, 30), (26, 29, 31, 28), (3, 38, 43, 19), (5, 36, 45, 21), (8, 33, 48, 24)],
    [(33, 35, 40, 38), (34, 37, 39, 36), (3, 9, 46, 32), (2, 12, 47, 29), (1, 14, 48, 27)],
    [(41, 43, 48, 46), (42, 45, 47, 44), (14, 22, 30, 38), (15, 23, 31, 39), (16, 24, 32, 40)],
]
#: Conway and Sloane, Sphere Packings, Lattices and Groups, chapter 10, on the projective line over 11 and over 23
M11 = [[(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)], [(3, 7, 11, 8), (4, 10, 5, 6)]]
M12 = [*M11, [(1, 12), (2, 11), (3, 6), (4, 8), (5, 9), (7, 10)]]
M24 = [
    [tuple(range(1, 24))],
    [(3, 17, 10, 7, 9), (4, 13, 14, 19, 5), (8, 18, 11, 12, 23), (15, 20, 22, 21, 16)],
    [(1, 24), (2, 23), (3, 12), (4, 16), (5, 18), (6, 10), (7, 20), (8, 14), (9, 21), (11, 17), (13, 22), (15, 19)],
]


def images(degree: int, cycles: Sequence[tuple[int, ...]]) -> list[int]:
    made = list(range(degree))
    for cycle in cycles:
        for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            made[a - 1] = b - 1
    return made


def generators(degree: int, listed: Sequence[Sequence[tuple[int, ...]]]) -> Permutations:
    return [images(degree, cycles) for cycles in listed]


def symmetric(n: int) -> Permutations:
    return [[*range(1, n), 0], [1, 0, *range(2, n)]]


def restricted(listed: Permutations, points: Sequence[int]) -> Permutations:
    """The action of permutations on points that they carry onto one another."""
    number = {point: i for i, point in enumerate(points)}
    return [[number[each[point]] for point in points] for each in listed]


def closure(listed: Permutations) -> set[tuple[int, ...]]:
    found = {tuple(range(len(listed[0])))}
    waiting = list(found)
    while waiting:
        element = waiting.pop()
        for by in listed:
            after = tuple(by[image] for image in element)
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


@pytest.mark.parametrize(
    ("degree", "listed", "order"),
    [
        (48, CUBE, 43252003274489856000),
        (11, M11, 7920),
        (12, M12, 95040),
        (24, M24, 244823040),
    ],
)
def test_the_order_is_the_published_one(degree: int, listed: Sequence[Sequence[tuple[int, ...]]], order: int) -> None:
    group = PermutationGroup(generators(degree, listed))
    assert group.order == order
    assert group.proven


@pytest.mark.parametrize("n", [1, 2, 3, 20, 100])
def test_the_symmetric_group_has_n_factorial_elements(n: int) -> None:
    assert group_order(symmetric(n) if n > 1 else [[0]]) == factorial(n)


def test_five_hundred_points_are_no_obstacle() -> None:
    assert group_order([[*range(1, 500), 0], [1, 2, 0, *range(3, 500)]]) == factorial(500)


def test_the_2x2x2_has_the_corners_of_the_3x3x3() -> None:
    corners = sorted({point - 1 for face in CUBE for cycle in (face[0], face[2], face[4]) for point in cycle})
    cube = generators(48, CUBE)
    assert len(corners) == 24
    assert group_order(restricted(cube, corners)) == 3674160 * 24


def test_smaller_puzzles_are_parts_of_larger_ones() -> None:
    megaminx = get_puzzle("megaminx")
    assert isinstance(megaminx, PermutationPuzzle)
    turns = megaminx.group(megaminx.move_set("single")).generators.tolist()
    assert group_order(restricted(turns, range(60))) == factorial(20) // 2 * 3**19  # the kilominx
    # The second and the third layer of a corner together turn the axials and edges as the pyraminx does.
    master = get_puzzle("master_pyraminx")
    assert isinstance(master, PermutationPuzzle)
    turns = master.group(master.move_set("cw12")).generators.tolist()
    by_name = dict(zip(master.move_set("cw12").moves, turns, strict=True))
    layers = [("2U", "2D'"), ("2L", "2BR'"), ("2R", "2BL'"), ("2B", "2F'")]
    both = [[by_name[third][image] for image in by_name[second]] for second, third in layers]
    first = sum(orbit.pieces * orbit.orientations for orbit in master.orbits[:1])
    assert group_order(restricted(both, range(first, first + 24))) == 933120


@pytest.mark.parametrize(("name", "moves"), [("megaminx", "cw"), ("megaminx", "all"), ("master_pyraminx", "layers32")])
def test_the_order_is_the_number_of_states_that_the_puzzle_gives(name: str, moves: str) -> None:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    group = puzzle.group(puzzle.move_set(moves))
    assert group.order == puzzle.state_count
    assert group.proven


small = st.integers(1, 6).flatmap(lambda n: st.lists(st.permutations(range(n)), min_size=1, max_size=3))


@given(small)
@settings(max_examples=150, deadline=None)
def test_order_membership_and_numbering_agree_with_the_closure(listed: Permutations) -> None:
    group = PermutationGroup(listed)
    everything = closure(listed)
    assert group.order == len(everything)
    assert group.proven
    # Every element has one number, in the lexicographic order of the lists of images.
    digits = product(*(range(size) for size in group.orbit_sizes))
    assert [tuple(group.at(choices)) for choices in digits] == sorted(everything)
    for element in list(everything)[:20]:
        assert list(element) in group
    for stranger in ([*range(1, group.degree), 0], [1, 0, *range(2, group.degree)]):
        if len(stranger) == group.degree:
            assert (stranger in group) == (tuple(stranger) in everything)


@given(small)
@settings(max_examples=60, deadline=None)
def test_orbits_and_blocks_agree_with_the_closure(listed: Permutations) -> None:
    everything = closure(listed)
    expected = {tuple(sorted({element[point] for element in everything})) for point in range(len(listed[0]))}
    assert {tuple(orbit) for orbit in orbits(listed)} == expected
    for system in block_systems(listed):
        blocks = {frozenset(block) for block in system}
        assert sum(map(len, blocks)) in {len(orbit) for orbit in expected}
        for element in everything:
            assert {frozenset(element[point] for point in block) for block in blocks} == blocks


def test_the_facelets_of_a_corner_are_a_block() -> None:
    megaminx = get_puzzle("megaminx")
    assert isinstance(megaminx, PermutationPuzzle)
    systems = block_systems(megaminx.group(megaminx.move_set("single")).generators.tolist())
    assert systems == [
        [list(range(first, first + 3)) for first in range(0, 60, 3)],
        [list(range(first, first + 2)) for first in range(60, 120, 2)],
    ]


def test_invalid_permutations_are_refused_with_their_number() -> None:
    with pytest.raises(InvalidRequest) as caught:
        group_order([[0, 1, 2], [0, 0, 1], [0, 1], [0, 1, 3]])
    assert [fault.where for fault in caught.value.faults] == ["/1", "/2", "/3"]
    with pytest.raises(InvalidRequest):
        group_order([list(range(3000))])


def test_the_group_of_nothing_is_trivial() -> None:
    group = PermutationGroup([], degree=5)
    assert (group.order, prod(group.orbit_sizes), [0, 1, 2, 3, 4] in group) == (1, 1, True)
    assert [1, 0, 2, 3, 4] not in group
    assert [0, 1] not in group
