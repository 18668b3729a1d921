"""Reading states from the colours of their faces, and states given in several formats at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hstar.errors import Fault, InvalidState
from hstar.puzzles.base import State


@dataclass(frozen=True, slots=True)
class Meant:
    """The convention by which facelets show pieces of the puzzle, and the faults that the state has by it."""

    text: str
    faults: Sequence[Fault]


def in_convention(title: str, faults: Sequence[Fault], meant: Meant | None) -> tuple[str, list[Fault]]:
    """The message and the faults of facelets that are not a state by our convention, where another may be meant."""
    if meant is None:
        return f"this is not a state of {title}", list(faults)
    if meant.faults:
        text = f"{meant.text}; then these faults are left"
        return f"this is not a state of {title}", [Fault("", text), *meant.faults]
    return f"this is a state of {title} by another convention", [Fault("", meant.text), *faults]


def take_rotate(value: object) -> tuple[object, bool]:
    """A state without its member ``rotate``, and the value of that: whether the whole puzzle may be rotated.

    :raises InvalidState: ``rotate`` is neither true nor false
    """
    if not isinstance(value, Mapping) or "rotate" not in value:
        return value, False
    if not isinstance(value["rotate"], bool):
        raise InvalidState("cannot read the state", [Fault("/rotate", "expected true or false")])
    return {key: part for key, part in value.items() if key != "rotate"}, value["rotate"]


def read_formats(value: object, title: str, readers: Mapping[str, Callable[[object], State]]) -> State | None:
    """The state that ``value`` gives in one or more named formats, or None if it names none of them.

    :param readers: the function that reads each format, by its name
    :raises InvalidState: a format cannot be read, formats disagree, or there are members besides them
    """
    if isinstance(value, str) and "facelets" in readers:
        value = {"facelets": value}
    if not isinstance(value, Mapping):
        expected = " or ".join(f'{{"{name}": ...}}' for name in readers)
        raise InvalidState(f"a {title} state is an object", [Fault("/", f"expected {expected}")])
    given = [name for name in readers if name in value]
    if not given:
        return None
    if len(given) < len(value):
        extra = ", ".join(sorted(str(key)[:40] for key in value if key not in given))
        raise InvalidState("the state has unknown members", [Fault("/", f"unexpected: {extra:.200}")])
    states = {name: readers[name](value[name]) for name in given}
    if len(set(states.values())) > 1:
        raise InvalidState(f"{' and '.join(given)} describe different states; send one of them")
    return states[given[0]]


def faces_by_name(colours: Mapping[str, str]) -> dict[str, str]:
    """The face by its own name and by its colour; grey may be written gray.

    :param colours: the colour of each face
    """
    by_colour = {colour: face for face, colour in colours.items()}
    spelled = {"gray": by_colour["grey"]} if "grey" in by_colour else {}
    return by_colour | spelled | {face: face for face in colours}


def read_faces(
    value: object, colours: Mapping[str, str], count: int, order: str
) -> tuple[dict[str, list[str]], list[Fault]]:
    """Lists of colours by face, each colour as the name of the face that has it when solved; and all faults.

    :param value: lists by face, or a text with a word for each facelet, face after face
    :param colours: the colour of each face; names of faces and of colours are both accepted
    :param count: facelets of each face
    :param order: the order of the facelets of a face, for the message
    """
    faults: list[Fault] = []
    faces: dict[str, list[str]] = {}
    if isinstance(value, str):
        words, all_ = value.split(), count * len(colours)
        if len(words) != all_:
            expected = f"expected {all_} names of faces or colours with spaces between them: {count} of each face"
            return faces, [Fault("/", f"{expected}, of {', '.join(colours)} in turn; found {len(words)}")]
        value = {face: words[i * count : (i + 1) * count] for i, face in enumerate(colours)}
    if not isinstance(value, Mapping):
        return faces, [Fault("/", f"expected an object with one list of {count} colours a face")]
    face_of = faces_by_name(colours)
    refused = set()
    for key, shown in value.items():
        face = face_of.get(key) if isinstance(key, str) else None
        if face is None:
            faults.append(Fault(f"/{key!s:.40}", f"no such face; faces are {', '.join(colours)}"))
        elif face in faces or face in refused:
            faults.append(Fault(f"/{key}", f"face {face} is given twice, by name and by colour"))
        elif not isinstance(shown, list) or len(shown) != count:
            refused.add(face)
            faults.append(Fault(f"/{key}", f"expected a list of {count} colours: {order}"))
        else:
            found = [face_of.get(name) if isinstance(name, str) else None for name in shown]
            faults += [
                Fault(f"/{key}/{i}", f"{shown[i]!r:.40} is neither a face nor a colour")
                for i, colour in enumerate(found)
                if colour is None
            ]
            faces[face] = [str(colour) for colour in found]
    faults += [
        Fault(f"/{face}", "this face is missing") for face in colours if face not in faces and face not in refused
    ]
    return faces, faults
