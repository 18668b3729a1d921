"""Words for one orbit after another: their algebra compared with moves made one by one, and which are chosen."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

from hstar.puzzles import get_puzzle, puzzle_from_definition, random_state
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle, parity
from hstar.search.anytime import orbit_by_orbit
from hstar.search.anytime.chains import Chains
from hstar.search.anytime.orbit_by_orbit import OrbitByOrbit, OrbitSettings
from hstar.search.anytime.orbit_by_orbit.candidates import Meeting, powers_of, repeated, seeds_of, short_words
from hstar.search.anytime.orbit_by_orbit.elements import Element, Elements, Images, Part
from hstar.search.anytime.orbit_by_orbit.stages import Cycled, Listed, cycled, listed
from hstar.search.anytime.orbit_by_orbit.words import Finder

Sizes = tuple[int, ...]

#: orbits of so many pieces with so many orientations, permuted at random with a seed: what solves them, L for a table
#: of all permutations and C for cycles of three; and the moves of four solutions. Every choice of a word stands behind
#: them, and all ways to find one are taken.
CHOSEN: dict[tuple[Sizes, int, int], tuple[str, list[int]]] = {
    ((6, 7), 2, 2): ("CC", [282, 141, 184, 283]),
    ((6, 7), 3, 1): ("CC", [954, 436, 571, 671]),
    ((5, 6, 7), 1, 1): ("LLC", [38, 34, 35, 20]),
    ((5, 6, 7), 2, 1): ("LLLC", [70, 75, 84, 55]),
    ((5, 6, 7), 2, 2): ("CCL", [158, 166, 115, 186]),
    ((4, 5, 6), 1, 3): ("LLL", [8, 7, 5, 6]),
    ((4, 5, 6), 2, 3): ("LLLLL", [27, 22, 10, 26]),
    ((4, 5, 6), 3, 0): ("LCC", [77, 162, 84, 72]),
    ((8, 9), 2, 3): ("CC", [155, 189, 186, 192]),
    ((8, 9), 3, 2): ("CC", [1272, 2349, 1262, 2007]),
    ((10, 11), 3, 3): ("CC", [1353, 1570, 1787, 1794]),
}


def permuted(sizes: Sizes, orientations: int, seed: int) -> PermutationPuzzle:
    """Two moves that permute and turn pieces at random."""
    random, rows = Random(seed), dict[str, list[int]]()
    for name in ("a", "b"):
        row = rows[name] = list[int]()
        for pieces in sizes:
            begin, to = len(row), random.sample(range(pieces), pieces)
            for piece, turn in zip(to, [random.randrange(orientations) for _ in range(pieces)], strict=True):
                row += [begin + orientations * piece + (k + turn) % orientations for k in range(orientations)]
    return puzzle_from_definition(read_any_definition({"generators": rows}, "random"))


@pytest.mark.parametrize(("asked", "chosen"), CHOSEN.items(), ids=str)
def test_the_chosen_words_are_those_of_old(asked: tuple[Sizes, int, int], chosen: tuple[str, list[int]]) -> None:
    puzzle = permuted(*asked)
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None))
    assert "".join("L" if isinstance(stage, Listed) else "C" for stage in ways.stages.all) == chosen[0]
    lengths = []
    for seed in range(len(chosen[1])):
        state = random_state(puzzle, seed)
        alg = ways.solve(state)
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved
        lengths.append(len(alg))
    assert lengths == chosen[1]


@pytest.mark.parametrize(
    ("pieces", "alike"),
    [
        ([0, 0, 1, 2, 3, 4], [0] * 6),  # two pieces may be swapped
        ([0, 1, 2, 3, 4, 5], [0, 0, 2, 0, 0, 0]),  # one looks the same after half a turn
        ([0, 1, 2, 2, 3, 3], [0, 0, 2, 2, 1, 1]),
    ],
)
def test_pieces_that_look_alike_or_turned_alike_are_told_apart(pieces: list[int], alike: list[int]) -> None:
    """Beside an orbit whose pieces are all different. Each state is solved, and no other state looks like it."""
    definition = {
        "name": "alike",
        "orbits": [
            {"orbitName": "P", "numPieces": 6, "numOrientations": 4},
            {"orbitName": "Q", "numPieces": 5, "numOrientations": 1},
        ],
        "defaultPattern": {
            "P": {"pieces": pieces, "orientation": [0] * 6, "orientationMod": alike},
            "Q": {"pieces": list(range(5)), "orientation": [0] * 5},
        },
        "moves": {
            "a": {
                "P": {"permutation": [1, 2, 3, 4, 5, 0], "orientationDelta": [1, 0, 0, 0, 0, 0]},
                "Q": {"permutation": [1, 2, 3, 4, 0], "orientationDelta": [0] * 5},
            },
            "b": {
                "P": {"permutation": [1, 0, 2, 3, 4, 5], "orientationDelta": [0, 1, 0, 0, 3, 0]},
                "Q": {"permutation": [1, 2, 0, 3, 4], "orientationDelta": [0] * 5},
            },
        },
    }
    puzzle = puzzle_from_definition(read_any_definition(definition, "alike"))
    assert puzzle.twin is not None
    ways = OrbitByOrbit(puzzle.twin, puzzle.twin.move_set(None))
    states = {random_state(puzzle, seed) for seed in range(40)}
    for state in list(states)[:8]:
        alg = ways.solve_alike(puzzle, state)
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved
    assert len({orbit_by_orbit._shown(puzzle, state).tobytes() for state in states}) == len(states)
    looks = {kind: number or 4 for kind, number in zip(pieces, alike, strict=True)}
    for slot, value in enumerate(puzzle.contents(random_state(puzzle, 0))[:6]):
        shown = orbit_by_orbit._shown(puzzle, random_state(puzzle, 0))[4 * slot : 4 * slot + 4]
        assert len(set(shown.tolist())) == looks[value // 4]


@cache
def group_of(name: str, longest: int = 600) -> Elements:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return OrbitByOrbit(puzzle, puzzle.move_set(None), OrbitSettings(longest=longest)).group


def drawn(group: Elements, seed: int, moves: int = 7) -> Element:
    word = tuple(Random(seed).choices(range(len(group.moves)), k=moves))
    return Element(word, group.do(word))


def does(group: Elements, word: tuple[int, ...]) -> list[int]:
    """Where each place goes, move by move."""
    at = list(range(len(group.home)))
    for move in word:
        at = [int(group.moves[move][place]) for place in at]
    return at


NAMES = ["skewb", "3x3x3"]


def test_what_is_sifted_leaves_the_solved_parts_alone() -> None:
    """Words that touch the corners of a cube, and then cycles of its edges; of no more words than are asked for."""
    puzzle = get_puzzle("3x3x3")
    assert isinstance(puzzle, PermutationPuzzle)
    for most in (160, 20):
        ways = OrbitByOrbit(puzzle, puzzle.move_set(None), OrbitSettings(sifted=most))
        finder = Finder(ways.group)
        stage = finder._cycled(0, finder._candidates(0)[0])
        assert stage is not None
        finder._take(0, stage)
        found = list(finder._sifted(1))
        assert 0 < len(found) <= most
        for element in found:
            assert element.images.tolist() == does(ways.group, element.word)
            assert ways.group.counts(element.images)[0] == 0


@pytest.mark.parametrize("name", NAMES)
def test_elements_are_what_their_words_do(name: str) -> None:
    group = group_of(name)
    a, b = drawn(group, 1), drawn(group, 2)
    made = {
        "a b": group.product(a, b), "a'": group.back(a), "a a a": group.power(a, 3), "": group.power(a, 0),
        "a b a'": group.conjugate(a, b), "a b a' b'": group.commutator(a, b),
    }  # fmt: skip
    words = {"a": a.word, "b": b.word, "a'": group.undone(a.word), "b'": group.undone(b.word)}
    for text, element in made.items():
        assert element.word == sum((words[name] for name in text.split()), ())
        assert element.images.tolist() == does(group, element.word)
    assert does(group, (*a.word, *group.undone(a.word))) == group.home.tolist()


@pytest.mark.parametrize(("name", "most"), [("skewb", 2), ("3x3x3", 1)])
def test_what_an_element_touches_and_which_parities_and_sums_it_has(name: str, most: int) -> None:
    group = group_of(name)
    for seed, moves in product(range(3), (0, 1, 2, 7)):
        images = drawn(group, seed, moves).images
        counts, odd, sums = [], [], []
        for part in group.parts:
            own = [[int(i) for i in row] for row in part.of(images).reshape(part.slots, part.size)]
            here = [list(range(slot * part.size, (slot + 1) * part.size)) for slot in range(part.slots)]
            counts.append(sum(row != home for row, home in zip(own, here, strict=True)))
            odd.append(parity([row[0] // part.size for row in own]))
            sums.append(sum(row[0] % part.size for row in own) % part.size)
        assert group.counts(images).tolist() == counts
        assert group.touched(images).sum() == sum(counts)
        assert group.character(images) == (*odd, *sums)
    every = group.characters()
    for value, word in every.items():
        assert group.character(group.do(word)) == value
    assert {group.character(drawn(group, seed, 9).images) for seed in range(60)} <= every.keys()
    assert every[(0,) * (2 * len(group.parts))] == ()
    lengths = [len(word) for word in every.values()]
    assert lengths == sorted(lengths)
    assert lengths[-1] == most


def test_the_parts_of_the_cube_and_of_a_puzzle_in_which_places_stay() -> None:
    assert group_of("3x3x3").parts in ([Part(0, 8, 3), Part(24, 12, 2)], [Part(0, 12, 2), Part(24, 8, 3)])
    assert group_of("3x3x3").turning == [True, True]
    group = Elements(permuted((2, 3), 1, 1), np.array([[0, 2, 1, 4, 3], [0, 2, 1, 3, 4]]))
    assert group.parts == [Part(0, 2, 1), Part(2, 2, 1)]
    assert group.kept_places.tolist() == [1, 2, 3, 4]
    assert group.turning == [False, False]
    assert Elements(permuted((4,), 1, 1), np.array([[1, 2, 3, 0], [3, 0, 1, 2]])).parts == [Part(0, 2, 2)]
    assert set(group.characters()) == {(odd, other, 0, 0) for odd in (0, 1) for other in (0, 1)}


def test_short_words_are_all_of_the_first_lengths() -> None:
    group = group_of("skewb")
    layer, seen, layers = [group.home], {group.home.tobytes()}, [1]
    while sum(layers) < 600:
        layer = [row[images] for images in layer for row in group.moves]
        layer = list({images.tobytes(): images for images in layer if images.tobytes() not in seen}.values())
        seen |= {images.tobytes() for images in layer}
        layers.append(len(layer))
    group.settings = OrbitSettings(words=sum(layers[:-1]) - 1)
    words = short_words(group)
    assert [sum(len(one.word) == n for one in words) for n in range(1, len(layers) - 1)] == layers[1:-1]
    assert len({one.images.tobytes() for one in words}) == len(words)
    assert all(one.images.tolist() == does(group, one.word) for one in words[::20])
    assert [len(one.word) for one in words] == sorted(len(one.word) for one in words)
    group.settings = OrbitSettings(places=100 * len(group.home))
    assert len(short_words(group)) == 100


def test_repeated_moves_are_their_powers_but_the_first() -> None:
    group = group_of("3x3x3")  # all moves in both directions and twice
    made = [one.word for one in repeated(group)]
    orders = [next(n for n in range(2, 9) if does(group, (move,) * n) == group.home.tolist()) for move in range(18)]
    most = group.settings.repeated // 18 + 1
    assert made == [(move,) * n for move, order in enumerate(orders) for n in range(2, min(order, most) + 1)]
    assert all(one.images.tolist() == does(group, one.word) for one in repeated(group))


def test_seeds_are_the_moves_and_commutators_of_few_slots_first() -> None:
    group = group_of("skewb")
    found = seeds_of(group, short_words(group))
    moves = len(group.moves)
    assert [one.word for one in found[:moves]] == [(move,) for move in range(moves)]
    keys = [(int(group.counts(one.images).sum()), len(one.word)) for one in found[moves:]]
    assert keys == sorted(keys)
    assert keys[0][0] > 0
    assert len({one.images.tobytes() for one in found[moves:]}) == len(keys)
    for one in found[moves::50]:
        assert one.images.tolist() == does(group, one.word)
    singles = {group.commutator(a, b).images.tobytes() for a in found[:moves] for b in found[:moves]}
    assert singles - {group.home.tobytes()} <= {one.images.tobytes() for one in found[moves:]}


@pytest.mark.parametrize(("name", "longest"), [("skewb", 28), ("3x3x3", 40)])
def test_powers_are_those_that_touch_few_slots_the_shortest_first(name: str, longest: int) -> None:
    group = group_of(name, longest)
    elements = [drawn(group, seed, 1 + seed % 3) for seed in range(12)]
    found = powers_of(group, elements)
    wanted = []
    for i, element in enumerate(elements):
        for times in range(1, group.settings.power + 1):
            if times > 1 and len(element.word) * times > longest:
                break
            counts = group.counts(group.power(element, times).images).tolist()
            if not any(counts):
                break
            if times == 1 or 0 in counts or min(counts) <= 4:
                wanted.append((len(element.word) * times, times, i, counts))
    rows = [
        (len(elements[i].word) * times, times, i, counts)
        for (i, times), counts in zip(found.rows.tolist(), found.counts.tolist(), strict=True)
    ]
    assert sorted(rows) == sorted(wanted)
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert powers_of(group, []).of([], None, 0, 99, 5) == []
    for least, most, number in ((1, 9, 4), (3, 3, 2)):
        good = [row for row in rows if least <= row[3][0] <= most and row[3][1] == 0]
        few = sorted(good, key=lambda row: row[3][0])[:number] + good[:number] if least < most else good[: 2 * number]
        chosen = found.of([1], 0, least, most, number)
        assert [one.word for one in chosen] == [elements[i].word * times for _, times, i, _ in few]
    whole = [row for row in rows if 1 <= sum(row[3]) <= 6]
    few = sorted(whole, key=lambda row: sum(row[3]))[:3] + whole[:3]
    assert [one.word for one in found.of([], None, 1, 6, 3)] == [elements[i].word * n for _, n, i, _ in few]


@pytest.mark.parametrize("name", ["skewb", "3x3x3"])
def test_commutators_are_chosen_by_the_slots_that_both_words_touch(name: str) -> None:
    group = group_of(name)
    seeds, by = [drawn(group, seed, 1 + seed % 3) for seed in range(6)], [drawn(group, seed, 2) for seed in (7, 8)]
    meeting = Meeting(group, seeds, by)
    rows = []
    for a, around, b in product(seeds, [Element((), group.home), *by], seeds):
        conjugate = group.conjugate(around, b)
        common = group.touched(a.images) & group.touched(conjugate.images)
        counts = np.add.reduceat(common, group.begins).tolist()
        made = group.commutator(a, conjugate)
        assert len(made.word) == 2 * (len(a.word) + len(b.word) + 2 * len(around.word))
        rows.append((len(made.word), counts, made.word))

    def chosen(part: int, least: int, most: int, number: int, keeping: bool) -> list[tuple[int, ...]]:
        good = [row for row in rows if least <= row[1][part] <= most and not (keeping and row[1][1 - part])]
        return [word for _, _, word in sorted(good, key=lambda row: row[0])[:number]]

    for part, (least, most, number) in product((0, 1), ((0, 1, 9), (2, 4, 3), (1, 1, 12))):
        assert [one.word for one in meeting.of(part, least, most, number)] == chosen(part, least, most, number, False)
        alone = Meeting(group, seeds, by, part)
        assert [one.word for one in alone.of(part, least, most, 5)] == chosen(part, least, most, 5, False)
        fewest = sorted((row for row in rows if row[1][part] >= 2), key=lambda row: (row[1][part], row[0]))[:7]
        assert [one.word for one in alone.fewest(part, 7)] == [row[2] for row in fewest]
    meeting.keep(1)
    assert [one.word for one in meeting.of(0, 1, 4, 9)] == chosen(0, 1, 4, 9, True)


@pytest.mark.parametrize("name", ["lrx:70", "lrx:300"])
def test_slots_that_both_touch_are_counted_up_to_255_in_large_orbits_too(name: str) -> None:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    group = Elements(puzzle, Chains(puzzle, puzzle.move_set(None)).generators.astype(np.int64))
    seeds, by = [drawn(group, seed, 1 + seed % 5) for seed in range(8)], [drawn(group, 9, 3)]
    meeting = Meeting(group, seeds, by)
    found = []
    for a, around, b in product(seeds, [Element((), group.home), *by], seeds):
        common = group.touched(a.images) & group.touched(group.conjugate(around, b).images)
        found.append(min(int(common.sum()), 255))
    assert meeting._common[0].tolist() == found
    assert len(set(found)) > 3
    assert max(found) == min(255, len(group.starts))


def test_a_table_of_permutations_has_all_of_them_and_no_other() -> None:
    group = group_of("skewb")
    part = next(part for part in group.parts if part.slots == 4)
    words = [Element((move,), row) for move, row in enumerate(group.moves)][:2]
    table = listed(part, words)
    assert table is not None
    home = np.arange(part.number)
    seen, layer = {home.tobytes()}, [home]
    while layer:
        layer = [part.of(one.images)[at] for at in layer for one in words]
        layer = list({at.tobytes(): at for at in layer if at.tobytes() not in seen}.values())
        seen |= {at.tobytes() for at in layer}
    assert table.known.keys() == seen
    whole = group.home
    for element in (drawn(group, seed, 5) for seed in range(5)):
        word = tuple(move % 2 for move in element.word)
        shown = np.argsort(group.do(word))
        made = table.solve(shown, whole, None)
        assert made is not None
        for one in made:
            shown = shown[np.argsort(one.images)]
        assert (shown[part.places] == whole[part.places]).all()
    assert listed(part, []) is None


def test_triples_are_as_far_from_a_cycle_as_moves_say() -> None:
    puzzle = permuted((6, 7), 2, 2)
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None))
    group = ways.group
    for stage in ways.stages.all:
        assert isinstance(stage, Cycled)
        part, n = stage.part, stage.part.number
        again = cycled(group, part, stage.base)
        assert isinstance(again, Cycled)
        assert (again.far == stage.far).all()
        cycle: Images = part.of(stage.base.images)
        first = [place for place in range(n) if cycle[place] != place]
        triples = {(a, int(cycle[a]), int(cycle[cycle[a]])) for a in first}
        layer = triples | {triple[::-1] for triple in triples}
        known = dict.fromkeys(layer, 0)
        depth = 0
        while layer:
            depth += 1
            before = {
                tuple(int(row[place]) for place in triple) for triple in layer for row in part.of(group.moves)
            }  # the inverse of a move is a move
            layer = {(a, b, c) for a, b, c in before if (a, b, c) not in known}
            known |= dict.fromkeys(layer, depth)
        far = {
            (i // (n * n), i // n % n, i % n): int(distance) for i, distance in enumerate(stage.far) if distance >= 0
        }
        assert far == known
        for (a, b, c), distance in list(far.items())[::7]:
            made = stage.cycle(a, b, c)
            assert len(made.word) == 2 * distance + len(stage.base.word)
            local = part.of(made.images)
            assert [int(local[place]) for place in (a, b, c)] == [b, c, a]
