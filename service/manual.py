"""The manual, ``/manual``: the pages of ``docs/`` by role, with a search; no scripts, and nothing from the network.

The pages are the Markdown files themselves, made into HTML when they are first asked for, so there is nothing to build
and nothing that can be old. ``docs/index.md`` is the start, and its links are the contents, in their order. The
reference of Python is made from the docstrings, that of the API is ``/docs``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from textwrap import dedent

from apiflask import APIBlueprint
from flask import Response, render_template, request, send_file
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

import hstar
from service.errors import ProblemError
from service.site import page_style, without_scripts

bp = APIBlueprint("manual", __name__, enable_openapi=False, url_prefix="/manual")

#: in a checkout, and in a wheel beside this package
DOCS = Path(__file__).resolve().parents[1] / "docs"
START, PYTHON = "index", "reference-python"
#: references in which people look something up, shown a section a page
LONG = ("cli", PYTHON)
_LINK = re.compile(r"\]\(([\w-]+)\.md[#)]")
_WORD = re.compile(r"[\w@.+/-]+")
MOST_HITS, EXCERPT, MOST_QUERY = 25, 220, 200


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with the text below it, down to the next heading."""

    page: str
    anchor: str
    title: str
    text: str


@dataclass(slots=True)
class Page:
    """A page: its HTML, its parts for the search, and what is wrong with it."""

    name: str
    title: str = ""
    #: the page of which this is a section
    parent: str | None = None
    html: str = ""
    parts: list[Part] = field(default_factory=list)
    headings: list[tuple[str, str]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    #: places that links lead to: a page and an anchor, each perhaps empty
    leads: list[tuple[str, str]] = field(default_factory=list)


@bp.get("")
def start() -> Response:
    """The start."""
    return _show(START)


@bp.get("/<name>")
def page(name: str) -> Response:
    """One page."""
    return _show(name)


@bp.get("/pictures/<path:name>")
def picture(name: str) -> Response:
    """A picture of a page."""
    if name not in _pictures():
        raise ProblemError("not-found", f"there is no picture {name!r:.100}")
    return send_file(DOCS / "pictures" / name, conditional=True)


@bp.get("/find")
def search() -> Response:
    """The parts in which all words of ``q`` occur."""
    words = request.args.get("q", "")[:MOST_QUERY]
    return _framed("manual_search.html", words=words, found=find(words))


def find(words: str) -> list[tuple[str, Part, Markup]]:
    """The title of the page, the part and an excerpt, best first: of the parts that have all words, in any case."""
    wanted = [word.lower() for word in _WORD.findall(words)]
    if not wanted:
        return []
    found = []
    for one in pages().values():
        for part in one.parts:
            title, text = part.title.lower(), part.text.lower()
            if all(word in title or word in text for word in wanted):
                score = sum(20 * (word in title) + min(5, text.count(word)) for word in wanted)
                found.append((-score, one.title, part))
    found.sort(key=lambda hit: hit[0])
    return [(title, part, _excerpt(part.text, wanted)) for _, title, part in found[:MOST_HITS]]


def _excerpt(text: str, wanted: Sequence[str]) -> Markup:
    places = [at for word in wanted if (at := text.lower().find(word)) >= 0]
    first = max(0, min(places, default=0) - EXCERPT // 3)
    shown = ("… " if first else "") + text[first : first + EXCERPT] + (" …" if first + EXCERPT < len(text) else "")
    parts = re.split(f"({'|'.join(map(re.escape, sorted(wanted, key=len, reverse=True)))})", shown, flags=re.IGNORECASE)
    marked = [Markup("<mark>{}</mark>" if number % 2 else "{}").format(part) for number, part in enumerate(parts)]
    return Markup("").join(marked)


@cache
def pages() -> dict[str, Page]:
    """All pages by name, in the order of the contents."""
    names = [START, *dict.fromkeys(_LINK.findall((DOCS / f"{START}.md").read_text(encoding="utf-8")))]
    texts = {name: (DOCS / f"{name}.md").read_text(encoding="utf-8") for name in names} | {PYTHON: python_reference()}
    found: dict[str, Page] = {}
    for name, text in texts.items():
        for one in _sheets(name, text) if name in LONG else [read(name, text)]:
            found[one.name] = one
    return found


def _sheets(name: str, text: str) -> list[Page]:
    """A page of references as a page for each of its sections, after one with links to them."""
    head, *sections = re.split(r"(?m)^## ", text)
    taken: set[str] = set()
    titles = [section.partition("\n")[0] for section in sections]
    names = [f"{name}-{slug(title, taken)}" for title in titles]
    links = "\n".join(f"- [{title}]({sheet}.md)" for title, sheet in zip(titles, names, strict=True))
    found = [read(name, f"{head}\n\n{links}\n")]
    for sheet, section in zip(names, sections, strict=True):
        found.append(read(sheet, re.sub(r"(?m)^###", "##", f"# {section}")))
        found[-1].parent = name
    return found


def warnings() -> list[str]:
    """What is wrong: links that lead nowhere, pages that are not in the contents."""
    known = pages()
    wrong = []
    for one in known.values():
        for name, anchor in one.leads:
            target = known.get(name or one.name)
            if target is None:
                wrong.append(f"{one.name}: there is no page {name}")
            elif anchor and anchor not in target.anchors:
                wrong.append(f"{one.name}: {target.name} has no heading #{anchor}")
    return wrong + [
        f"{path.stem} is not in the contents" for path in sorted(DOCS.glob("*.md")) if path.stem not in known
    ]


def read(name: str, text: str) -> Page:
    """A page from its Markdown."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    found = Page(name)
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            words = _plain(tokens[number + 1])
            anchor = slug(words, found.anchors)
            token.attrSet("id", anchor)
            if token.tag == "h1":
                found.title = words
            elif token.tag == "h2":
                found.headings.append((anchor, words))
            found.parts.append(Part(name, anchor, words, ""))
        elif token.type == "inline":
            token.children = list(_inline(token.children or (), found))
            if tokens[number - 1].type != "heading_open":
                _add(found, _plain(token))
        elif token.type == "fence":
            _add(found, token.content)
    found.html = parser.renderer.render(tokens, parser.options, {})
    return found


def _add(page: Page, text: str) -> None:
    if page.parts:
        last = page.parts[-1]
        page.parts[-1] = Part(last.page, last.anchor, last.title, f"{last.text} {' '.join(text.split())}".strip())


def _inline(children: Sequence[Token], page: Page) -> Iterator[Token]:
    """The parts of a line, with links as they are in the manual: those out of it become text."""
    dropped = False
    for token in children:
        if token.type == "link_open":
            target = str(token.attrGet("href") or "")
            inside = re.fullmatch(r"(?:([\w-]+)\.md)?(?:#([\w-]*))?", target)
            if inside is not None and target:
                page.leads.append((inside[1] or "", inside[2] or ""))
                to = "" if inside[1] is None else f"/manual/{inside[1]}"
                token.attrSet("href", to + (f"#{inside[2]}" if inside[2] else ""))
            elif not target.startswith(("https://", "http://", "/")):
                dropped = True
                continue
        elif token.type == "link_close" and dropped:
            dropped = False
            continue
        elif token.type == "image":
            source = str(token.attrGet("src") or "")
            if source.removeprefix("pictures/") not in _pictures():
                yield from token.children or ()
                continue
            token.attrSet("src", f"/manual/{source}")
        yield token


def _plain(token: Token) -> str:
    return "".join(" " if one.type == "softbreak" else one.content for one in token.children or ())


def slug(words: str, taken: set[str]) -> str:
    """The anchor of a heading, as GitHub makes it; noted in ``taken``."""
    base = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
    found, number = base, 0
    while found in taken:
        number += 1
        found = f"{base}-{number}"
    taken.add(found)
    return found


def python_reference() -> str:
    """The reference of ``import hstar`` from its docstrings, as Markdown."""
    lines = [
        "# Python reference",
        "",
        "What `import hstar` has, from its docstrings. [A tutorial](python.md) shows how it is used.",
    ]
    for name in sorted(hstar.__all__, key=str.lower):
        thing = getattr(hstar, name)
        lines += ["", f"## hstar.{name}", ""]
        lines += _described(name, thing)
        if inspect.isclass(thing):
            for member, value in inspect.getmembers(thing):
                if not member.startswith("_") and member in vars(thing) and inspect.getdoc(value):
                    lines += ["", f"### {name}.{member}", "", *_described(member, value)]
    return "\n".join(lines)


def _described(name: str, thing: object) -> Iterator[str]:
    try:
        signature = f"{name}{inspect.signature(thing)}"  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = ""
    text = dedent(inspect.getdoc(thing) or "")
    yield "```text"
    yield from [*([signature, ""] if signature else []), *text.replace("```", "'''").splitlines()]
    yield "```"


@cache
def _pictures() -> frozenset[str]:
    root = DOCS / "pictures"
    return frozenset(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def _framed(template: str, **shown: object) -> Response:
    text = render_template(template, style=page_style()[0], contents=pages().values(), **shown)
    return without_scripts(text, images="'self' data:", forms="'self'")


def _show(name: str) -> Response:
    found = pages().get(name)
    if found is None:
        raise ProblemError("not-found", f"the manual has no page {name!r:.100}")
    return _framed("manual.html", page=found, body=Markup(found.html))
