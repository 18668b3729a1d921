"""The strict JSON parser: the standard parser's value for every valid text, and all faults of an invalid one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import ProblemError
from service.jsontext import MAX_DEPTH, MAX_DIGITS, pointer, read_json

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXT, below, max_size=4), max_leaves=20
)


def faults_of(body: bytes) -> dict[str, str]:
    with pytest.raises(ProblemError) as caught:
        read_json(body)
    assert caught.value.kind.code == "malformed-json"
    return {fault.where: fault.message for fault in caught.value.faults}


@given(VALUES, st.booleans())
def test_valid_texts_have_the_standard_parsers_value(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_json(text.encode()) == json.loads(text) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        value, refusal = read_json(body), None
    except ProblemError as error:
        value, refusal = None, error
    if refusal is None:
        assert value == json.loads(body)
    else:
        assert refusal.kind.code == "malformed-json"
        assert refusal.faults


def test_every_fault_is_found_at_its_pointer() -> None:
    body = rb'{"a": NaN, "b": [1, {"c/d": -Infinity, "c/d": 1, "e~": "\ud800"}], "f": 1e999, "b2": "x\u0000y"}'
    assert faults_of(body) == {
        "/a": "NaN is not a JSON number",
        "/b/1/c~1d": "the key appears more than once",
        "/b/1/e~0": "half of a surrogate pair is not a character",
        "/f": "the number is too large",
        "/b2": "the character U+0000 is not allowed",
    }


def test_a_key_is_text_too() -> None:
    assert list(faults_of(rb'{"a\u0000": 1}').values()) == ["the character U+0000 is not allowed"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"", "line 1 column 1"),
        (b"{", "line 1 column 2"),
        (b"{'a': 1}", "line 1 column 2"),
        (b'{"a": 1,}', "line 1 column 9"),
        (b'{"a": 1}\n{}', "line 2 column 1"),
        (b'{"a": 01}', "line 1 column 8"),
        (b'"\n"', "line 1 column 2"),
        (b'{"a": "\xff"}', "byte 7"),
        ("\ufeff{}".encode(), "line 1 column 1"),
        ('{"a": 1}'.encode("utf-16"), "byte 0"),
    ],
)
def test_syntax_errors_have_a_place(body: bytes, where: str) -> None:
    assert list(faults_of(body)) == [where]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded(opening: str, closing: str) -> None:
    assert read_json((opening * MAX_DEPTH + "1" + closing * MAX_DEPTH).encode())
    deeper = MAX_DEPTH + 1
    assert "deeper" in "".join(faults_of((opening * deeper + "1" + closing * deeper).encode()).values())
    assert "deeper" in "".join(faults_of((opening * 200_000).encode()).values())


def test_brackets_in_strings_are_no_depth() -> None:
    text = json.dumps(["[{" * 1000, '\\"[[[['])
    assert read_json(text.encode()) == json.loads(text)


def test_integers_are_bounded_in_length() -> None:
    assert read_json(b"9" * MAX_DIGITS) == int("9" * MAX_DIGITS)
    assert "too large" in faults_of(b"[" + b"9" * 100_000 + b"]")["/0"]


def test_faults_are_counted_up_to_a_bound() -> None:
    assert len(faults_of(b"[" + b"NaN," * 5000 + b"1]")) == 100 + 1  # the last says how many more


def test_pointers_are_escaped() -> None:
    assert pointer("/a", "b/c~d") == "/a/b~1c~0d"
    assert pointer("", 3) == "/3"
