"""The language of heuristics: Python expressions over features. Only listed constructs are allowed, and Python never
evaluates them.

>>> parse("ceil(misplaced_facelets / 15)", get_puzzle("megaminx"))                # doctest: +SKIP

Numbers, features, ``+ - * /``, ``//`` , unary minus, ``ceil floor abs max min``, comparisons, ``and or not``, and ``a
if condition else b``; `hstar.heuristics.arithmetic` defines each of them. A divisor is a constant other than zero, so
that no state can make a division fail.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hstar.errors import MAX_NAME, FeatureError, InvalidExpression, UnavailableFeature, UnknownFeature, clipped
from hstar.features import Feature, make_feature
from hstar.heuristics.arithmetic import OPERATORS
from hstar.puzzles.base import MoveSet, Puzzle

MAX_LENGTH = 1000
MAX_NODES = 200
MAX_DEPTH = 40
MAX_FEATURES = 16
MAX_CONSTANT = 10**6


@dataclass(frozen=True)
class Node:
    """One operation of an expression: ``op`` is also the kernel's name for it.

    ``operand`` is the number of a ``const`` and the feature's index of a ``feature``.
    """

    op: str
    arguments: tuple[Node, ...] = ()
    operand: float | None = None

    def postfix(self) -> list[tuple[str, float | None]]:
        """The program for a stack machine: arguments first, then the operation."""
        if self.constant:
            return [("const", self.evaluate(()))]
        return [step for a in self.arguments for step in a.postfix()] + [(self.op, self.operand)]

    def evaluate(self, values: Sequence[float]) -> float:
        """The value, given those of the features, in doubles: bit for bit the kernel's."""
        if self.op == "const":
            return self.operand or 0.0
        if self.op == "feature":
            return float(values[int(self.operand or 0)])
        value: float = OPERATORS[self.op].compute(*(a.evaluate(values) for a in self.arguments))
        return value

    def evaluate_exactly(self, values: Sequence[float]) -> Fraction:
        """The value without any rounding, with the constants as they are written: 0.1 is a tenth."""
        if self.op == "const":
            return Fraction(repr(self.operand or 0.0))
        if self.op == "feature":
            return Fraction(values[int(self.operand or 0)])
        return Fraction(OPERATORS[self.op].compute(*(a.evaluate_exactly(values) for a in self.arguments)))

    @cached_property
    def constant(self) -> bool:
        """Whether it contains no feature."""
        return self.op != "feature" and all(a.constant for a in self.arguments)


_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
#: what is not part of the language, as users know it
_NAMES: dict[type[ast.AST], str] = {
    ast.Pow: "**", ast.Mod: "%", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>", ast.Invert: "~",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Attribute: "a dot", ast.Subscript: "an index", ast.Slice: "a slice", ast.Starred: "a star",
    ast.List: "a list", ast.Tuple: "a tuple", ast.Set: "a set", ast.Dict: "a dictionary",
    ast.ListComp: "a comprehension", ast.SetComp: "a comprehension", ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension", ast.Lambda: "lambda", ast.NamedExpr: ":=", ast.JoinedStr: "a text",
    ast.Await: "await", ast.Yield: "yield", ast.YieldFrom: "yield",
}  # fmt: skip
_OPERATORS = {name: operator for operator, name in _BINARY.items()}
_COMPARISONS = {name: operator for operator, name in _COMPARE.items()}
#: associative operations
_GROUPED = ("max", "min", "and", "or")
_FUNCTIONS = {"ceil": (1, 1), "floor": (1, 1), "abs": (1, 1), "max": (2, MAX_NODES), "min": (2, MAX_NODES)}


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed heuristic: its canonical text, its tree, and the features to which the tree refers.

    Texts that differ only in spacing, needless parentheses, the spelling of numbers (``1.50``) or omitted default
    arguments have the same tree, and so the same canonical text, which `parse` reads as that tree.
    """

    text: str
    root: Node
    features: tuple[Feature, ...]

    def evaluate(self, state: bytes) -> float:
        """h(state) in plain Python, at least 0."""
        return max(0.0, self.root.evaluate(self.values(state)))

    def evaluate_exactly(self, state: bytes) -> Fraction:
        """h(state) without any rounding, with the constants as they are written."""
        return max(Fraction(0), self.root.evaluate_exactly(self.values(state)))

    def values(self, state: bytes) -> list[float]:
        """The features' values on a state."""
        return [feature.evaluate(state) for feature in self.features]


def _join(op: str, parts: Sequence[Node]) -> Node:
    """``parts`` joined by an associative operation: max, min, and, or."""
    joined = parts[0]
    for part in parts[1:]:
        joined = Node(op, (joined, part))
    return joined


def _parts(op: str, node: Node) -> list[Node]:
    """The inverse of `_join`."""
    return [part for a in node.arguments for part in _parts(op, a)] if node.op == op else [node]


def canonical_text(root: Node, features: Sequence[Feature]) -> str:
    """The canonical text of a tree: Python's spacing, as few parentheses as possible, and features by their full
    names."""
    return ast.unparse(_syntax(root, features))


def _syntax(node: Node, features: Sequence[Feature]) -> ast.expr:
    """Python's syntax tree of an expression; the inverse of `_Reader.read`."""
    if node.op == "const":
        value = node.operand or 0.0
        return ast.Constant(int(value) if value.is_integer() else value)
    if node.op == "feature":
        return ast.Name(features[int(node.operand or 0)].name)  # a call with its arguments, ready to print
    if node.op == "and":
        tests = [_syntax_of_test(chain, features) for chain in _chains(_parts("and", node))]
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    if node.op in _COMPARISONS:
        return _syntax_of_test([node], features)
    parts = [_syntax(a, features) for a in (_parts(node.op, node) if node.op in _GROUPED else node.arguments)]
    match node.op:
        case "or":
            return ast.BoolOp(ast.Or(), parts)
        case "not":
            return ast.UnaryOp(ast.Not(), parts[0])
        case "neg":
            return ast.UnaryOp(ast.USub(), parts[0])
        case "select":
            return ast.IfExp(body=parts[0], orelse=parts[1], test=parts[2])
    if node.op in _OPERATORS:
        return ast.BinOp(parts[0], _OPERATORS[node.op](), parts[1])
    return ast.Call(ast.Name(node.op), parts, [])


def _chains(tests: Sequence[Node]) -> list[list[Node]]:
    """Group the tests of chains such as ``a < b <= c``; other tests stay alone."""
    chains: list[list[Node]] = []
    for test in tests:
        last = chains[-1][-1] if chains else test
        if chains and {last.op, test.op} <= _COMPARISONS.keys() and last.arguments[1] == test.arguments[0]:
            chains[-1].append(test)
        else:
            chains.append([test])
    return chains


def _syntax_of_test(chain: Sequence[Node], features: Sequence[Feature]) -> ast.expr:
    first = chain[0]
    if first.op not in _COMPARISONS:
        return _syntax(first, features)
    return ast.Compare(
        _syntax(first.arguments[0], features),
        [_COMPARISONS[test.op]() for test in chain],
        [_syntax(test.arguments[1], features) for test in chain],
    )


def parse(text: str, puzzle: Puzzle, moves: MoveSet | None = None) -> Expression:
    """Read ``text`` as a heuristic for ``puzzle``; `InvalidExpression` names the column and what was expected there.

    :param moves: the moves of a ``pdb`` that names none; the puzzle's default moves if None
    """
    if len(text) > MAX_LENGTH:
        raise InvalidExpression(f"the heuristic has {len(text)} characters", MAX_LENGTH + 1, f"at most {MAX_LENGTH}")
    if not text.strip():
        raise InvalidExpression("the heuristic is empty", 1, "an expression such as ceil(misplaced_facelets / 15)")
    lead = len(text) - len(text.lstrip())
    if "\n" in text.strip() or "\r" in text.strip():
        raise InvalidExpression("the heuristic has more than one line", 1, "one expression on one line")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise _syntax_error(text, lead, error) from None
    except (ValueError, MemoryError, RecursionError):
        raise InvalidExpression("the heuristic cannot be parsed", 1, "a less deeply nested expression") from None
    reader = _Reader(puzzle, moves or puzzle.move_set(None), text, lead)
    root = reader.read(tree.body, 0)
    written = canonical_text(root, reader.features)
    if len(written) > MAX_LENGTH:
        raise InvalidExpression(
            f"the heuristic has {len(written)} characters when it is written out as {written[:60]} ...",
            1,
            f"at most {MAX_LENGTH}",
        )
    return Expression(written, root, tuple(reader.features))


def _syntax_error(text: str, lead: int, error: SyntaxError) -> InvalidExpression:
    column = lead + (error.offset or 0)
    if not error.offset or column > len(text.rstrip()):
        return InvalidExpression("the heuristic ends too early", len(text.rstrip()) + 1, "a number, a feature or )")
    return InvalidExpression(
        f"the heuristic does not parse at {text[column - 1 : column + 11]!r}", column, "an operator or operand"
    )


def _written(node: ast.AST) -> str:
    return _NAMES.get(type(node), type(node).__name__)


class _Reader:
    """Walks Python's syntax tree and accepts only the constructs of the language."""

    def __init__(self, puzzle: Puzzle, moves: MoveSet, text: str, lead: int) -> None:
        self.puzzle = puzzle
        self.moves = moves
        self.text = text
        self.lead = lead
        self.features: list[Feature] = []
        self._index: dict[str, int] = {}
        self._nodes = 0

    def column(self, node: ast.expr) -> int:
        """The column of ``node`` counting characters from 1 (Python counts UTF-8 bytes from 0)."""
        before = self.text.strip().encode()[: node.col_offset]
        return self.lead + len(before.decode(errors="ignore")) + 1

    def error(self, node: ast.expr, message: str, expected: str) -> InvalidExpression:
        return InvalidExpression(message, self.column(node), expected)

    def read(self, node: ast.expr, depth: int) -> Node:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self.error(node, "the heuristic is too large", f"at most {MAX_NODES} operations and operands")
        if depth > MAX_DEPTH:
            raise self.error(node, "the heuristic is nested too deeply", f"at most {MAX_DEPTH} levels")
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name() | ast.Call():
                return self._named(node, depth)
            case ast.UnaryOp(op=ast.USub()):
                return Node("neg", (self.read(node.operand, depth + 1),))
            case ast.UnaryOp(op=ast.UAdd()):
                return self.read(node.operand, depth + 1)
            case ast.UnaryOp(op=ast.Not()):
                return Node("not", (self.read(node.operand, depth + 1),))
            case ast.BinOp():
                return self._binary(node, depth)
            case ast.BoolOp():
                return self._fold("and" if isinstance(node.op, ast.And) else "or", node.values, depth)
            case ast.Compare():
                return self._compare(node, depth)
            case ast.IfExp():
                return Node("select", tuple(self.read(n, depth + 1) for n in (node.body, node.orelse, node.test)))
        raise self.error(
            node,
            f"{_written(node.op if isinstance(node, ast.UnaryOp) else node)} is not part of the language",
            "a number, a feature, + - * / //, ceil floor abs max min, a comparison, or `a if condition else b`",
        )

    def _constant(self, node: ast.Constant) -> Node:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(node, f"{value!r:.40} is not a number", "a number, or a feature's name")
        if not abs(value) <= MAX_CONSTANT:
            raise self.error(node, f"{value!r:.40} is too large", f"a number up to {MAX_CONSTANT}")
        return Node("const", operand=float(value))

    def _binary(self, node: ast.BinOp, depth: int) -> Node:
        op = _BINARY.get(type(node.op))
        if op is None:
            raise self.error(node, f"the operator {_written(node.op)} is not part of the language", "+ - * / or //")
        left, right = self.read(node.left, depth + 1), self.read(node.right, depth + 1)
        if op in ("div", "floordiv") and not (right.constant and right.evaluate(()) != 0):
            found = "0" if right.constant else "a feature"
            raise self.error(
                node.right, f"division by {found}", "a constant other than zero, so that no state can make it fail"
            )
        return Node(op, (left, right))

    def _compare(self, node: ast.Compare, depth: int) -> Node:
        operands = [self.read(n, depth + 1) for n in (node.left, *node.comparators)]
        tests = []
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            name = _COMPARE.get(type(op))
            if name is None:
                raise self.error(
                    node, f"the comparison {_written(op)} is not part of the language", "< <= > >= == or !="
                )
            tests.append(Node(name, (left, right)))
        return _join("and", tests)

    def _fold(self, op: str, nodes: Sequence[ast.expr], depth: int) -> Node:
        return _join(op, [part for n in nodes for part in _parts(op, self.read(n, depth + 1))])

    def _named(self, node: ast.Name | ast.Call, depth: int) -> Node:
        if isinstance(node, ast.Name):
            if node.id in _FUNCTIONS:
                raise self.error(node, f"{node.id} is a function", f"{node.id}(...)")
            return self._feature(node, node.id, ())
        if not isinstance(node.func, ast.Name):
            raise self.error(node, "only functions and features can be called", "ceil floor abs max min or a feature")
        name = node.func.id
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.error(node, f"{name} takes its arguments by position", f"{name}(a, b)")
        if name not in _FUNCTIONS:
            return self._feature(node, name, tuple(self._argument(a) for a in node.args))
        least, most = _FUNCTIONS[name]
        if not least <= len(node.args) <= most:
            wanted = "1 argument" if most == 1 else f"{least} arguments or more"
            raise self.error(node, f"{name} has {len(node.args)} arguments", wanted)
        if most == 1:
            return Node(name, (self.read(node.args[0], depth + 1),))
        return self._fold(name, node.args, depth)

    def _argument(self, node: ast.expr) -> float | str:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, str) and len(str(node.value)) <= 100:
            return node.value  # type: ignore[return-value]  # the type is checked on the line above
        raise self.error(node, "the arguments of a feature are constants", "a number or a text in quotes")

    def _feature(self, node: ast.Name | ast.Call, name: str, arguments: tuple[float | str, ...]) -> Node:
        try:
            feature = make_feature(self.puzzle, name, arguments, self.moves)
        except UnknownFeature as error:
            known = ", ".join(error.known)
            message = f"{self.puzzle.name} has no feature {clipped(name, MAX_NAME)!r}{error.hint}"
            raise self.error(node, message, f"one of {known}") from None
        except UnavailableFeature as error:
            raise self.error(node, f"{name} is not available for {self.puzzle.name}", str(error)) from None
        except FeatureError as error:
            raise self.error(node, f"wrong arguments for {name}", str(error)) from None
        if feature.name not in self._index:
            if len(self.features) == MAX_FEATURES:
                raise self.error(node, "the heuristic has too many features", f"at most {MAX_FEATURES}")
            self._index[feature.name] = len(self.features)
            self.features.append(feature)
        return Node("feature", operand=self._index[feature.name])
