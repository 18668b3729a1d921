"""Pictures of states as PNG and PDF, drawn by Matplotlib from their SVG.

>>> data = picture_file(draw(get_puzzle("megaminx"), state), "png")               # doctest: +SKIP

It reads only the shapes that `hstar.svg` writes. The same picture gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from hstar.drawing import METADATA, FileFormat, matplotlib_settings
from hstar.svg import NAMESPACE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["picture_file"]

#: SVG has 96 units an inch, Matplotlib 72 points; a PNG has two pixels a unit
UNITS, POINTS, DPI = 96, 72 / 96, 192
_TRANSFORM = re.compile(r"translate\(([-0-9.]+) ([-0-9.]+)\) scale\(([-0-9.]+)\)")

Place = tuple[float, float, float]


def picture_file(svg: str, format: FileFormat) -> bytes:
    """The bytes of a file with the picture; without a background if the SVG has none.

    :param svg: what `hstar.pictures` draws
    :raises PlotsNotInstalled: PNG and PDF need ``hstar[plot]``
    """
    if format == "svg":
        return svg.encode()
    target = BytesIO()
    with matplotlib_settings():
        from matplotlib.figure import Figure

        root = ET.fromstring(svg)
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        figure = Figure(figsize=(width / UNITS, height / UNITS))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        axes.set_axis_off()
        _paint(axes, root, (0.0, 0.0, 1.0), {})
        figure.savefig(target, format=format, dpi=DPI, transparent=True, metadata=METADATA[format])
    return target.getvalue()


def _paint(axes: Axes, element: ET.Element, at: Place, style: Mapping[str, str]) -> None:
    """Draw an element and the elements in it.

    :param at: its origin and its scale
    :param style: the attributes of the groups around it
    """
    from matplotlib.patches import Circle, FancyBboxPatch, Polygon

    style = {**style, **element.attrib}
    x0, y0, scale = at
    if "transform" in element.attrib:
        moved = _TRANSFORM.fullmatch(element.attrib["transform"])
        assert moved is not None, "pictures have no other transforms"
        dx, dy, by = map(float, moved.groups())
        x0, y0, scale = x0 + scale * dx, y0 + scale * dy, scale * by

    def number(name: str) -> float:
        return float(style.get(name, 0))

    stroked = style.get("stroke", "none") != "none"
    look: dict[str, Any] = {
        "facecolor": style.get("fill", "black"),
        "edgecolor": style["stroke"] if stroked else "none",
        "linewidth": float(style.get("stroke-width", 1)) * scale * POINTS if stroked else 0,
        "joinstyle": style.get("stroke-linejoin", "miter"),
    }
    match element.tag.removeprefix(f"{{{NAMESPACE}}}"):
        case "polygon":
            corners = [pair.split(",") for pair in style["points"].split()]
            axes.add_patch(Polygon([(x0 + scale * float(x), y0 + scale * float(y)) for x, y in corners], **look))
        case "rect":
            # A rounded box is a smaller box with a round margin (Matplotlib's ``pad``) around it.
            r = scale * number("rx")
            corner = x0 + scale * number("x") + r, y0 + scale * number("y") + r
            inside = scale * number("width") - 2 * r, scale * number("height") - 2 * r
            axes.add_patch(FancyBboxPatch(corner, *inside, boxstyle=f"round,pad={r},rounding_size={r}", **look))
        case "circle":
            centre = x0 + scale * number("cx"), y0 + scale * number("cy")
            axes.add_patch(Circle(centre, scale * number("r"), **look))
        case "text":
            axes.text(
                x0 + scale * number("x"), y0 + scale * number("y"), element.text or "", color=style["fill"],
                fontsize=number("font-size") * scale * POINTS, ha="center", va="baseline",
                fontweight=style.get("font-weight", "normal"),
            )  # fmt: skip
    for child in element:
        _paint(axes, child, (x0, y0, scale), _inherited(style))


def _inherited(style: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in style.items() if name in ("fill", "stroke", "stroke-width", "stroke-linejoin")
    }
