"""Tables that do not describe the solid: every fault is reported, with the wrong faces or pairs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidRequest
from hstar.labels import Labelling
from hstar.puzzles.megaminx import COLOURS, FACES, NEIGHBOURS

LETTERS = dict(zip(FACES, "abcdefghijkl", strict=True))


def table() -> dict[str, Any]:
    return {LETTERS[f]: [LETTERS[n] for n in around] for f, around in NEIGHBOURS.items()}


def faults(value: object, puzzle: str = "megaminx", **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as caught:
        Labelling.from_neighbours(value, puzzle, **options)  # type: ignore[arg-type]
    assert caught.value.faults
    return [(fault.where, fault.message) for fault in caught.value.faults]


def test_a_pair_that_only_one_side_lists_is_named() -> None:
    wrong = table()
    a = LETTERS["U"]
    b, far = LETTERS["F"], LETTERS["D"]
    wrong[a][0] = far
    assert faults(wrong) == [
        (f"/neighbours/{a}", f"{a} lists {far} as a neighbour, but {far} does not list {a}"),
        (f"/neighbours/{b}", f"{b} lists {a} as a neighbour, but {a} does not list {b}"),
    ]


def test_names_and_counts_are_checked_all_at_once() -> None:
    wrong = table()
    wrong["a"] = ["b", "b", "a", "nobody", "l"]
    wrong["b"] = wrong["b"][:4]
    wrong["c"] = "abdef"
    wrong["d"] = [1, None, ["a"], "a", "b"]
    wrong["e e"] = wrong.pop("e")
    found = faults(wrong)
    text = "\n".join(f"{where}: {message}" for where, message in found)
    assert "/neighbours/a/2: a lists itself as a neighbour" in text
    assert "/neighbours/a/3: a lists 'nobody', which is no face of the table" in text
    assert "/neighbours/a: a lists b 2 times" in text
    assert "/neighbours/b: b has 4 neighbours; there must be five" in text
    assert "/neighbours/c: expected a list of five names" in text
    assert "/neighbours/d/0: d lists 1, which is no face" in text
    assert "/neighbours/d/2: d lists ['a'], which is no face" in text
    assert "/neighbours/e e: a name cannot have white space" in text


def test_a_misspelt_name_is_guessed() -> None:
    wrong = {COLOURS[f]: [COLOURS[n] for n in around] for f, around in NEIGHBOURS.items()}
    wrong["white"][wrong["white"].index("purple")] = "purpel"
    assert any("did you mean 'purple'?" in message for _, message in faults(wrong))


@pytest.mark.parametrize("count", [0, 1, 11, 13, 3000])
def test_the_number_of_faces_is_checked(count: int) -> None:
    many = {f"n{i}": [f"n{(i + d) % max(count, 1)}" for d in range(1, 6)] for i in range(count)}
    assert ("/neighbours", f"there are {count} faces; there must be twelve") in faults(many)


@given(st.sampled_from(list("abcdefghijkl")), st.integers(0, 4), st.integers(1, 4))
def test_a_swap_within_one_list_names_that_list(face: str, i: int, step: int) -> None:
    wrong = table()
    around = wrong[face]
    j = (i + step) % 5
    around[i], around[j] = around[j], around[i]
    found = faults(wrong)
    assert (f"/neighbours/{face}", f"every contradiction involves {face}: the order of its list is wrong") in found
    pairs = [message.split(" disagree")[0].split(" and ") for _, message in found if " disagree" in message]
    assert pairs
    assert all(face in pair for pair in pairs)


@given(st.sets(st.sampled_from(list("abcdefghijkl")), min_size=1, max_size=5))
def test_faces_that_are_listed_backwards_are_recognised_as_mirrored(backwards: set[str]) -> None:
    wrong = table()
    for face in backwards:
        wrong[face] = wrong[face][::-1]
    found = faults(wrong)
    assert {where for where, _ in found} == {f"/neighbours/{face}" for face in backwards}
    assert all("mirror image" in message and "counter-clockwise" in message for _, message in found)


def test_a_mirror_image_is_recognised_by_the_names_of_the_faces() -> None:
    for names in ({f: f for f in FACES}, COLOURS):
        mirrored = {names[f]: [names[n] for n in reversed(around)] for f, around in NEIGHBOURS.items()}
        ((where, message),) = faults(mirrored)
        assert where == "/neighbours"
        assert "listed counter-clockwise" in message
        # As mere names they are valid: a dodecahedron looks like its mirror image.
        assert len(Labelling.from_neighbours(mirrored, anchors={}).faces) == 12


def test_a_mirror_image_is_recognised_by_anchors() -> None:
    right = {"a": "white", "b": "green", "c": "purple"}  # U, F and L, clockwise around their corner
    assert Labelling.from_neighbours(table(), anchors=right).faces["d"] == "R"
    mirrored = {face: around[::-1] for face, around in table().items()}
    with pytest.raises(InvalidRequest, match="mirror image"):
        Labelling.from_neighbours(mirrored, anchors=right)
    with pytest.raises(InvalidRequest, match="mirror image"):
        Labelling.from_neighbours(table(), anchors={"a": "white", "b": "purple", "c": "green"})


def test_anchors_that_contradict_the_table_are_named() -> None:
    touching, opposite = LETTERS["F"], LETTERS["D"]
    assert faults(table(), anchors={"a": "U", touching: "D"}) == [
        ("/anchors/a", f"a and {touching} touch, but U and D are opposite")
    ]
    assert faults(table(), anchors={"a": "U", opposite: "F", touching: "L"}) == [
        ("/anchors/a", f"a and {opposite} are opposite, but U and F touch"),
        (f"/anchors/{opposite}", f"{opposite} and {touching} are two apart, but F and L touch"),
    ]
    found = dict(faults(table(), anchors={"z": "U", "a": "mauve", "b": "F", "c": "green"}))
    assert found["/anchors/z"] == "no such face in the table"
    assert "neither a face nor a colour" in found["/anchors/a"]
    assert found["/anchors/c"] == "green is given to two faces"
    assert faults(table(), anchors=["a"]) == [("/anchors", "expected a face or a colour by name")]


def test_triangles_too() -> None:
    tetrahedron = {"a": list("bcd"), "b": list("acd"), "c": list("abd"), "d": list("acb")}
    backwards = (
        "is listed in the opposite sense to the other faces (a mirror image): counter-clockwise, if they are clockwise"
    )
    assert faults(tetrahedron, "master_pyraminx") == [("/neighbours/b", f"b {backwards}")]
    assert ("/neighbours", "there are 12 faces; there must be four") in faults(table(), "master_pyraminx")


names = st.sampled_from(list("abcdefghijklm")) | st.text(max_size=3)
random_tables = st.dictionaries(names, st.lists(names, max_size=6), max_size=14)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=5),
    max_leaves=20,
)


@st.composite
def damaged_tables(draw: st.DrawFn) -> dict[str, Any]:
    """A right table with some entries, lists and keys replaced or moved."""
    wrong = table()
    for _ in range(draw(st.integers(1, 6))):
        face = draw(st.sampled_from(list("abcdefghijkl")))
        if face not in wrong:
            continue
        kind = draw(st.integers(0, 4))
        if kind == 0:
            wrong[face] = draw(st.permutations(list(wrong[face])))
        elif kind == 1 and wrong[face]:
            wrong[face] = [*wrong[face][1:], draw(names)]
        elif kind == 2:
            wrong[face] = draw(json_values)
            break
        elif kind == 3:
            wrong[draw(names)] = wrong.pop(face)
        else:
            other = draw(st.sampled_from(list("abcdefghijkl")))
            if other in wrong:
                wrong[face], wrong[other] = wrong[other], wrong[face]
    return wrong


@given(random_tables | json_values | damaged_tables(), st.none() | json_values)
def test_no_table_raises_anything_but_our_error(value: Any, anchors: Any) -> None:
    found: list[str] = []
    labelling = None
    try:
        labelling = Labelling.from_neighbours(value, anchors=anchors)
    except InvalidRequest as error:
        found = [fault.message for fault in error.faults]
    assert bool(found) != (labelling is not None)
    if labelling is not None:
        assert set(labelling.faces) == set(value)
