"""Pictures of states as SVG.

>>> svg = draw(get_puzzle("megaminx"), state)                                     # doctest: +SKIP

The same state gives the same text on every machine. A picture has a title and a description in words. Every facelet has
attributes with what it shows (``data-face``, ``data-facelet``, ``data-colour``; ``data-cell`` and ``data-tile`` on
boards).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hstar.errors import Fault, InvalidRequest
from hstar.puzzles import Puzzle, State
from hstar.puzzles.painter import Labels, Painter, Style
from hstar.svg import BACKGROUND, MUTED, document, group, label, number, serialise

__all__ = ["Labels", "can_draw", "draw", "draw_path", "state_at"]

_CAPTION = 26.0
#: the pictures of a path are drawn at this scale, or smaller if they would be wider than this
_SCALE = 0.62
_WIDEST = 330.0
MAX_STEPS = 400


def can_draw(puzzle: Puzzle) -> bool:
    """Whether this puzzle can be drawn."""
    return puzzle.painter is not None


def draw(
    puzzle: Puzzle,
    state: State,
    *,
    title: str | None = None,
    caption: str | None = None,
    labels: Labels = "faces",
    names: Mapping[str, str] | None = None,
    transparent: bool = False,
) -> str:
    """The picture of one state.

    :param title: what a screen reader announces; the puzzle's title if left out
    :param caption: a line of text below the picture
    :param labels: the text in the picture: names of the faces, the colour or the number of each facelet, or none
    :param names: other names for our faces (see `hstar.labels.Labelling.names`)
    :param transparent: draw no background
    :raises InvalidRequest: there are no pictures of this puzzle
    """
    painter, style = _painter(puzzle), Style(labels, names)
    height = painter.height + (_CAPTION if caption else 0)
    background = None if transparent else BACKGROUND
    root = document(painter.width, height, title or puzzle.title, painter.describe(state, style), background)
    painter.paint(root, state, style)
    if caption:
        label(root, (painter.width / 2, painter.height + 5), caption, 14, width=painter.width - 24, fill=MUTED)
    return serialise(root)


def draw_path(
    puzzle: Puzzle,
    start: State,
    alg: Sequence[str],
    *,
    title: str | None = None,
    transparent: bool = False,
) -> str:
    """Every state from ``start`` on along ``alg``, in rows, each with its number and the move that led to it.

    :raises InvalidRequest: there are no pictures of this puzzle, or the alg has more than `MAX_STEPS` moves
    :raises InvalidAlg: a move of the alg cannot be made
    """
    if len(alg) > MAX_STEPS:
        text = f"expected at most {MAX_STEPS} moves, found {len(alg)}"
        raise InvalidRequest("the path is too long for a picture", [Fault("/alg", text)])
    painter = _painter(puzzle)
    style = Style(painter.small_labels)
    states = [start]
    for move in alg:
        states.append(puzzle.apply_alg(states[-1], [move]))
    scale = min(_SCALE, _WIDEST / painter.width)
    width, height = scale * painter.width, scale * painter.height + _CAPTION
    columns = max(1, min(len(states), int(1000 // width)))
    rows = -(-len(states) // columns)
    described = "\n".join(f"{step}: {painter.describe(state, style)}" for step, state in enumerate(states))
    title = title or f"{puzzle.title}, {len(alg)} moves"
    background = None if transparent else BACKGROUND
    root = document(columns * width, rows * height + 10, title, described, background)
    for step, state in enumerate(states):
        row, column = divmod(step, columns)
        x, y = column * width, row * height
        place = f"translate({number(x)} {number(y + _CAPTION)}) scale({scale:.4f})"
        painter.paint(group(root, data_step=step, transform=place), state, style)
        text = f"{step}. {alg[step - 1]}" if step else "start"
        label(root, (x + width / 2, y + _CAPTION / 2 + 5), text, 14, width=width)
    return serialise(root)


def state_at(puzzle: Puzzle, start: State, solution: Sequence[str], step: int) -> State:
    """The state after the first ``step`` moves of a solution.

    :raises InvalidRequest: there is no such step
    :raises InvalidAlg: a move of the solution cannot be made
    """
    if not 0 <= step <= len(solution):
        raise InvalidRequest("there is no such step", [Fault("/step", f"expected 0 to {len(solution)}, found {step}")])
    return puzzle.apply_alg(start, solution[:step])


def _painter(puzzle: Puzzle) -> Painter:
    if puzzle.painter is None:
        raise InvalidRequest(
            f"there are no pictures of {puzzle.name}", [Fault("/puzzle", "this puzzle cannot be drawn")]
        )
    return puzzle.painter
