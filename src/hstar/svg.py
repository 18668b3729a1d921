"""The part of SVG that pictures need: shapes, text, and a document with a title and a description. All text is
escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from hashlib import blake2b
from xml.etree import ElementTree as ET

NAMESPACE = "http://www.w3.org/2000/svg"
FONT = "Helvetica, Arial, sans-serif"

#: the background of every picture: white and dark facelets are visible on it, on light and dark pages and in print
BACKGROUND = "#f1f1ef"
INK = "#1d1d1b"
MUTED = "#5c5c58"

Point = tuple[float, float]

# XML 1.0 allows no other control characters, no surrogates and neither of the two non-characters of the first plane.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """The text with U+FFFD instead of each character that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)


def number(value: float) -> str:
    """The number with at most two decimals, so that rounding errors of sines are never visible."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def group(parent: ET.Element, **attributes: str | float) -> ET.Element:
    return ET.SubElement(parent, "g", _attributes(attributes))


def polygon(parent: ET.Element, points: Sequence[Point], **attributes: str | float) -> ET.Element:
    listed = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return ET.SubElement(parent, "polygon", {"points": listed, **_attributes(attributes)})


def rectangle(
    parent: ET.Element, x: float, y: float, width: float, height: float, **attributes: str | float
) -> ET.Element:
    place = _attributes({"x": x, "y": y, "width": width, "height": height})
    return ET.SubElement(parent, "rect", place | _attributes(attributes))


def circle(parent: ET.Element, centre: Point, radius: float, **attributes: str | float) -> ET.Element:
    place = _attributes({"cx": centre[0], "cy": centre[1], "r": radius})
    return ET.SubElement(parent, "circle", place | _attributes(attributes))


def label(
    parent: ET.Element, at: Point, content: str, size: float, *, width: float | None = None, **attributes: str | float
) -> ET.Element:
    """Text centred on a point, made smaller if it would be wider than ``width``."""
    content = clean(content)
    if width is not None:
        size = min(size, width / (0.62 * max(len(content), 1)))
    x, y = at
    # Not every renderer knows dominant-baseline; capitals of these fonts are 0.72 em high.
    place = {"x": number(x), "y": number(y + 0.36 * size), "font-size": number(size), "text-anchor": "middle"}
    look: dict[str, str | float] = {"fill": INK, "font_family": FONT, **attributes}
    element = ET.SubElement(parent, "text", place | _attributes(look))
    element.text = content
    return element


def document(
    width: float, height: float, title: str, description: str, background: str | None = BACKGROUND
) -> ET.Element:
    """An empty picture with a title and a description for screen readers."""
    title, description = clean(title), clean(description)
    # Several pictures may be in one page, so the ids in them must be unique.
    key = blake2b(f"{title}\n{description}".encode(), digest_size=5).hexdigest()
    root = ET.Element(
        "svg",
        {
            "xmlns": NAMESPACE,
            "viewBox": f"0 0 {number(width)} {number(height)}",
            "width": number(width),
            "height": number(height),
            "role": "img",
            "aria-labelledby": f"title-{key}",
            "aria-describedby": f"desc-{key}",
        },
    )
    ET.SubElement(root, "title", {"id": f"title-{key}"}).text = title
    ET.SubElement(root, "desc", {"id": f"desc-{key}"}).text = description
    if background is not None:
        rectangle(root, 0, 0, width, height, rx=10, fill=background)
    return root


def serialise(root: ET.Element) -> str:
    """The document as text, one element on each line."""
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True) + "\n"


def readable_on(fill: str) -> str:
    """Ink or white, whichever has the greater contrast on a colour (relative luminance of WCAG 2)."""
    channels = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return "#ffffff" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.06 else INK


def centroid(points: Sequence[Point]) -> Point:
    """The mean of the corners."""
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def direction(degrees: float, distance: float = 1.0) -> Point:
    """A vector on the page; angles grow clockwise, because y points down."""
    return distance * math.cos(math.radians(degrees)), distance * math.sin(math.radians(degrees))


def plus(a: Point, b: Point) -> Point:
    return a[0] + b[0], a[1] + b[1]


def between(a: Point, b: Point, share: float) -> Point:
    """The point at the fraction ``share`` of the way from a to b."""
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _attributes(attributes: dict[str, str | float]) -> dict[str, str]:
    return {
        name.replace("_", "-"): clean(value) if isinstance(value, str) else number(value)
        for name, value in attributes.items()
    }
