"""Mutations of certificates: each way in which docs/threats.md says that a proof can lie, made at random.

A mutation takes a file's sections and returns a changed file, or None where it does not apply. Most files have a right
digest, so that what is tested is what lies behind it.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator, Mapping

from tests.certificates.container import Claimed, cases_of, costs_of, put_together, sealed, taken_apart

Sections = dict[str, bytes]
Mutation = Callable[[random.Random, Sections], bytes | None]

UP = 255
HUGE = (0xFFFF, 0x7FFF, 0x8000, 0xFFFF_FFFF, 0x8000_0000, 2**63, 2**64 - 1, 2**40)


def _with(sections: Sections, tag: str, payload: bytes) -> bytes:
    return put_together(list((sections | {tag: payload}).items()))


def _changed(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def _some(draw: random.Random, sections: Sections, *tags: str) -> str | None:
    present = [tag for tag in tags if sections.get(tag)]
    return draw.choice(present) if present else None


def bits_flipped(draw: random.Random, sections: Sections) -> bytes | None:
    """One to eight bits of one section, wherever they are; the digest fits."""
    tag = _some(draw, sections, "PUZL", "CLAM", "HEUR", "TREE", "BACK", "ROOT", "INVR", "EXPR", "MODL")
    if tag is None:
        return None
    payload = bytearray(sections[tag])
    for _ in range(draw.choice((1, 1, 1, 2, 8))):
        payload[draw.randrange(len(payload))] ^= 1 << draw.randrange(8)
    return _with(sections, tag, bytes(payload))


def bits_flipped_below_the_digest(draw: random.Random, sections: Sections) -> bytes | None:
    """One bit anywhere in the file; the digest does not fit any more."""
    data = bytearray(put_together(list(sections.items())))
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def truncated(draw: random.Random, sections: Sections) -> bytes | None:
    """The file ends early; half of them have a digest."""
    data = put_together(list(sections.items()))
    cut = data[: draw.randrange(len(data))]
    return sealed(cut) if draw.random() < 0.5 else cut


def section_truncated(draw: random.Random, sections: Sections) -> bytes | None:
    """A section ends early, or is longer."""
    tag = draw.choice([tag for tag, payload in sections.items() if payload])
    payload = sections[tag]
    if draw.random() < 0.3:
        return _with(sections, tag, payload + draw.randbytes(draw.randrange(1, 9)))
    return _with(sections, tag, payload[: draw.randrange(len(payload))])


def sections_exchanged(draw: random.Random, sections: Sections) -> bytes | None:
    """A section is missing, there twice, in another place, unknown, or something follows the last."""
    parts: list[tuple[str | bytes, bytes]] = list(sections.items())
    at = draw.randrange(len(parts))
    match draw.randrange(6):
        case 0:
            del parts[at]
        case 1:
            parts.insert(at, parts[at])
        case 2:
            other = draw.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
            if at == other:
                return None
        case 3:
            parts[at] = draw.randbytes(4), parts[at][1]
        case 4:
            return put_together(parts) + draw.randbytes(draw.randrange(1, 40))
        case _:
            return put_together(parts, version=draw.choice((0, 1, 3, 2**32 - 1)))
    return put_together(parts)


def lengths_huge(draw: random.Random, sections: Sections) -> bytes | None:
    """A length or a number of things is far too large: of sections, in a section's header, or inside a section."""
    data = bytearray(put_together(list(sections.items()))[:-32])
    huge = draw.choice(HUGE)
    if draw.random() < 0.3:
        starts, at = [12], 16
        for payload in sections.values():
            starts.append(at + 8)
            at += 16 + len(payload)
        begin = draw.choice(starts)
        size = 4 if begin == 12 else 8
    else:
        begin, size = draw.randrange(16, len(data) - 8), draw.choice((2, 4, 8))
    data[begin : begin + size] = (huge % 2 ** (8 * size)).to_bytes(size, "little")
    return sealed(bytes(data))


def state_dropped(draw: random.Random, sections: Sections) -> bytes | None:
    """A state of a tree is missing, with those below it."""
    tag = _some(draw, sections, "TREE", "BACK")
    if tag is None:
        return None
    head = 1 if tag == "BACK" else 0
    code = sections[tag]
    nodes = [i for i in range(head, len(code)) if code[i] != UP]
    if not nodes:
        return None
    begin = draw.choice(nodes)
    return _with(sections, tag, code[:begin] + code[end_of(code, begin) :])


def leaf_dropped(draw: random.Random, sections: Sections) -> bytes | None:
    """One state without others below it is missing."""
    tag = _some(draw, sections, "TREE", "BACK")
    if tag is None:
        return None
    code = sections[tag]
    leaves = [i for i in range(tag == "BACK", len(code) - 1) if code[i] != UP and code[i + 1] == UP]
    if not leaves:
        return None
    at = draw.choice(leaves)
    return _with(sections, tag, code[:at] + code[at + 2 :])


def g_lowered(draw: random.Random, sections: Sections) -> bytes | None:
    """A state of a tree is left out, and those below it come up by one."""
    tag = _some(draw, sections, "TREE", "BACK")
    if tag is None:
        return None
    code = sections[tag]
    inner = [i for i in range(tag == "BACK", len(code) - 2) if code[i] != UP and code[i + 1] != UP]
    if not inner:
        return None
    at = draw.choice(inner)
    end = end_of(code, at)
    return _with(sections, tag, code[:at] + code[at + 1 : end - 1] + code[end:])


def tree_changed(draw: random.Random, sections: Sections) -> bytes | None:
    """A move of a tree is another one, or the depth of the backward tree is."""
    tag = _some(draw, sections, "TREE", "BACK")
    if tag is None:
        return None
    code = bytearray(sections[tag])
    at = 0 if tag == "BACK" and draw.random() < 0.3 else draw.randrange(len(code))
    code[at] = draw.choice((UP, draw.randrange(256), (code[at] + 1) % 256, (code[at] - 1) % 256))
    return _with(sections, tag, bytes(code))


def end_of(code: bytes, begin: int) -> int:
    """The end of the subtree that begins there, with its way up."""
    depth, at = 0, begin
    while at < len(code):
        depth += -1 if code[at] == UP else 1
        at += 1
        if depth == 0:
            break
    return at


def bound_changed(draw: random.Random, sections: Sections) -> bytes | None:
    """The bound is higher or lower; with a solution of that length, as far as one can be made up."""
    claim, slots = sections["CLAM"], struct.unpack_from("<H", sections["PUZL"])[0]
    if claim[0] not in (1, 2):
        return None
    at = 1 + 2 * slots
    (bound,) = struct.unpack_from("<I", claim, at)
    by = draw.choice((1, 1, 2, -1, 3, 100, 254, 255, 256, 2**31, 2**32 - 1))
    new = (bound + by) % 2**32
    changed = _changed(claim, at, struct.pack("<I", new))
    if claim[0] == 1 and 0 <= new - bound < 300 and draw.random() < 0.8:
        more = bytes(draw.randrange(4) for _ in range(new - bound))
        changed = changed[: at + 4] + struct.pack("<I", new) + changed[at + 8 :] + more
    return _with(sections, "CLAM", changed)


def claim_exchanged(draw: random.Random, sections: Sections) -> bytes | None:
    """The claim is of another kind."""
    return _with(sections, "CLAM", bytes([draw.randrange(12)]) + sections["CLAM"][1:])


def start_changed(draw: random.Random, sections: Sections) -> bytes | None:
    """Two slots of the start are exchanged, or one holds something else; or so with the goal."""
    slots = struct.unpack_from("<H", sections["PUZL"])[0]
    tag, at = draw.choice((("CLAM", 1), ("PUZL", 8 + 2 * slots)))
    if sections["CLAM"][0] == 6:
        tag, at = "PUZL", 8 + 2 * slots
    payload = sections[tag]
    one, other = at + 2 * draw.randrange(slots), at + 2 * draw.randrange(slots)
    if draw.random() < 0.3:
        return _with(sections, tag, _changed(payload, one, struct.pack("<H", draw.randrange(slots + 2))))
    held = payload[one : one + 2], payload[other : other + 2]
    if held[0] == held[1]:
        return None
    return _with(sections, tag, _changed(_changed(payload, one, held[1]), other, held[0]))


def moves_swapped(draw: random.Random, sections: Sections) -> bytes | None:
    """Two moves of the claimed path, or what two moves of the puzzle do, are exchanged."""
    if draw.random() < 0.5:
        cases = list(cases_of(sections["PUZL"]))
        one, other = draw.choice(cases), draw.choice(cases)
        puzzle = sections["PUZL"]
        if puzzle[one : one + 2] == puzzle[other : other + 2]:
            return None
        first, second = puzzle[one : one + 2], puzzle[other : other + 2]
        return _with(sections, "PUZL", _changed(_changed(puzzle, one, second), other, first))
    claim, slots = sections["CLAM"], struct.unpack_from("<H", sections["PUZL"])[0]
    begin = 1 + 2 * slots + {1: 8, 4: 4, 5: 4, 8: 4}.get(claim[0], len(claim))
    if len(claim) - begin < 1:
        return None
    one, other = draw.randrange(begin, len(claim)), draw.randrange(begin, len(claim))
    if draw.random() < 0.3:
        return _with(sections, "CLAM", _changed(claim, one, bytes([draw.randrange(256)])))
    new = _changed(_changed(claim, one, claim[other : other + 1]), other, claim[one : one + 1])
    return None if new == claim else _with(sections, "CLAM", new)


def move_removed(draw: random.Random, sections: Sections) -> bytes | None:
    """A move of the puzzle moves nothing, or other slots."""
    puzzle = sections["PUZL"]
    (slots,) = struct.unpack_from("<H", puzzle)
    begin = draw.choice(list(cases_of(puzzle))) + 8
    goes = list(range(slots)) if draw.random() < 0.5 else draw.sample(range(slots), slots)
    return _with(sections, "PUZL", _changed(puzzle, begin, struct.pack(f"<{slots}H", *goes)))


def cost_changed(draw: random.Random, sections: Sections) -> bytes | None:
    """A move costs something else; half of the time the bound is what the claimed solution then costs."""
    puzzle, claim = sections["PUZL"], sections["CLAM"]
    costs = costs_of(puzzle)
    if not costs:
        return None
    at = draw.randrange(len(costs))
    cost = max(0, min(255, costs[at] + draw.choice((-9, -2, -1, -1, 1, 2, 255))))
    changed = _with(sections, "PUZL", _changed(puzzle, len(puzzle) - len(costs) + at, bytes([cost])))
    if claim[0] != 1 or draw.random() < 0.5:
        return changed
    again = taken_apart(changed)
    begin = 1 + 2 * struct.unpack_from("<H", puzzle)[0]
    return _with(again, "CLAM", _changed(claim, begin, struct.pack("<I", Claimed.of(again).length)))


def table_altered(draw: random.Random, sections: Sections) -> bytes | None:
    """Entries of the heuristic, of its databases, of an invariant, of an expression or of a model are others."""
    tag = _some(draw, sections, "HEUR", "INVR", "EXPR", "MODL")
    if tag is None:
        return None
    payload = bytearray(sections[tag])
    for _ in range(draw.choice((1, 1, 4, 64))):
        at = draw.randrange(len(payload))
        payload[at] = (payload[at] + draw.choice((1, 1, 2, -1, 16))) % 256
    return _with(sections, tag, bytes(payload))


def table_raised(draw: random.Random, sections: Sections) -> bytes | None:
    """Every entry of a stretch of the heuristic is higher: a database that says more."""
    payload = sections.get("HEUR")
    if not payload or len(payload) < 12:
        return None
    begin = draw.randrange(2, len(payload))
    end = min(len(payload), begin + draw.choice((4, 64, 1024, 2**20)))
    return _with(sections, "HEUR", payload[:begin] + bytes(min(255, b + 1) for b in payload[begin:end]) + payload[end:])


def divisor_lowered(draw: random.Random, sections: Sections) -> bytes | None:
    """The first term of the heuristic has another divisor, or another kind."""
    payload = sections.get("HEUR")
    if not payload or len(payload) < 7:
        return None
    kind, divisor = struct.unpack_from("<BI", payload, 2)
    if draw.random() < 0.3:
        return _with(sections, "HEUR", _changed(payload, 2, bytes([(kind + draw.randrange(1, 4)) % 4])))
    new = draw.choice((max(divisor - 1, 0), divisor // 2, 0, 1, divisor + 1))
    return None if new == divisor else _with(sections, "HEUR", _changed(payload, 3, struct.pack("<I", new)))


def roots_changed(draw: random.Random, sections: Sections) -> bytes | None:
    """The nodes of a root are others, or a root is left out or added; or there are no roots."""
    payload = sections.get("ROOT")
    if not payload:
        return None
    count = len(payload) // 8
    at = 8 * draw.randrange(count)
    match draw.randrange(4):
        case 0:
            return _with(sections, "ROOT", payload[:at] + payload[at + 8 :])
        case 1:
            return _with(sections, "ROOT", payload[:at] + payload[at : at + 8] + payload[at:])
        case 2:
            return put_together([(tag, part) for tag, part in sections.items() if tag != "ROOT"])
    (nodes,) = struct.unpack_from("<Q", payload, at)
    new = draw.choice((nodes + 1, max(nodes - 1, 0), 2**64 - 1, 0, 2**63))
    return None if new == nodes else _with(sections, "ROOT", _changed(payload, at, struct.pack("<Q", new)))


def told_otherwise(draw: random.Random, sections: Sections) -> bytes | None:
    """What is written for people says something else; moves have other names."""
    if draw.random() < 0.5 and "META" in sections:
        told = json.loads(sections["META"]) | {"puzzle": "3x3x3", "notes": "proven by authority"}
        return _with(sections, "META", json.dumps(told).encode())
    return _with(sections, "META", draw.choice((b"", b"{", b"\xff\xfe", b"[" * 50_000, b'{"puzzle": "\\u001b[2J"}')))


MUTATIONS: tuple[Mutation, ...] = (
    bits_flipped, bits_flipped_below_the_digest, truncated, section_truncated, sections_exchanged, lengths_huge,
    state_dropped, leaf_dropped, g_lowered, tree_changed, bound_changed, claim_exchanged, start_changed, moves_swapped,
    move_removed, cost_changed, table_altered, table_raised, divisor_lowered, roots_changed, told_otherwise,
)  # fmt: skip


def mutants(certificates: Mapping[str, bytes], count: int, draw: random.Random) -> Iterator[tuple[str, str, bytes]]:
    """So many mutants: names of certificate and mutation, and the file. All mutations in turn, each of a
    certificate that it can change."""
    for number in range(count):
        mutation = MUTATIONS[number % len(MUTATIONS)]
        for name in draw.sample(list(certificates), len(certificates)):
            mutant = mutation(draw, taken_apart(certificates[name]))
            if mutant is not None and mutant != certificates[name]:
                yield name, mutation.__name__, mutant
                break
        else:
            raise AssertionError(f"no certificate can be changed by {mutation.__name__}")
