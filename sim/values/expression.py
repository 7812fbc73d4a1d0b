"""Arithmetic that a user writes over columns of numbers: largest_fn/9.81, hypot of x and y as sqrt(x**2 + y**2).

Python's own parser reads the text; of what it finds only the nodes below are taken, and nothing is ever run. Names
stand for columns alone: a dotted one, such as workpiece.rho or contact.fn, is one name, and a name that Python would
not read as one stands in quotes: 'obstacle.finger 1.pose.x'/2. All arithmetic is that of float64, so that no number can
grow: where a result does not exist it is NaN, where it is too large it is infinite.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from geometry.errors import StictionError
from sim.words.quoting import cut, quote
from sim.words.suggestion import suggest

# What a text may be at most. Reason: each sign costs a pass over the columns. Consequence: longer ones are refused.
LONGEST = 500  # characters
DEEPEST = 60  # levels of brackets and signs
# Powers whose exponents are larger are written wrongly. Reason: sizes of columns lie within 1e-100 and 1e100, and no
# formula of mechanics has such a power. Consequence: x**1000 is refused, not infinite.
LARGEST_POWER = 64.0

_SUMS: dict[type, Callable] = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
                               ast.Pow: np.power}
_SIGNS: dict[type, Callable] = {ast.UAdd: np.positive, ast.USub: np.negative}
FUNCTIONS: dict[str, tuple[Callable, int]] = {  # with how many arguments, or the fewest where there may be more
    "sqrt": (np.sqrt, 1), "abs": (np.abs, 1), "log10": (np.log10, 1), "minimum": (np.minimum, 2),
    "maximum": (np.maximum, 2)}
CONSTANTS = {"pi": math.pi}
VALID = ("valid are numbers, names of columns, + - * / **, parentheses, "
         + ", ".join(f"{name}()" for name in FUNCTIONS) + " and pi")

GetColumn = Callable[[str], Any]  # name -> array; raises LookupError for a name that there is not


class ExpressionError(StictionError, ValueError):
    """Arithmetic that cannot be read; the message names the text, the piece that is wrong, and what is valid."""


def evaluate_expression(text: str, get_column: GetColumn, valid: Iterable[str] = ()) -> np.ndarray:
    """(n,) float64, or of the shape of the columns: the value of the text.

    get_column(name) gives the numbers of a name, and raises LookupError for a name that there is not: `valid` are those
    that there are, for the message; an error of its own that says more goes through as it is. Raises ExpressionError.
    """
    tree = _parse(text)
    columns: dict[str, np.ndarray] = {}
    for name in _list_names(text, tree):
        try:
            columns[name] = np.asarray(get_column(name), dtype=np.float64)
        except LookupError:
            message = f"{quote(text)}: there is no column {quote(name)}{suggest(name, valid)}"
            raise ExpressionError(message) from None
        except (TypeError, ValueError) as error:
            if isinstance(error, StictionError):
                raise
            raise ExpressionError(f"{quote(text)}: the column {quote(name)} holds no numbers") from None
    shapes = {column.shape for column in columns.values()}
    if len(shapes) > 1:
        raise ExpressionError(f"{quote(text)}: its columns have different lengths; take those of one table")
    with np.errstate(all="ignore"):
        value = _evaluate(text, tree, columns)
    return np.broadcast_to(np.asarray(value, dtype=np.float64), shapes.pop()).copy() if shapes else np.asarray(value)


def list_columns(text: str) -> list[str]:
    """The names of columns in a text, each once, in the order in which they stand. Raises ExpressionError."""
    return _list_names(text, _parse(text))


def is_arithmetic(text: str) -> bool:
    """Does a text look like arithmetic, so that it is to be read as such where no column has it for a name?"""
    return any(sign in text for sign in "+*/()'\"") or "-" in text or any(c.isspace() for c in text.strip())


def _parse(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise ExpressionError(f"{quote(text)}: is too long, of {len(text)} characters; valid are up to {LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = getattr(error, "offset", None)
        near = f" at {quote(text.strip()[max(at - 1, 0):])}" if at and at <= len(text.strip()) else ""
        raise ExpressionError(f"{quote(text)}: cannot be read as arithmetic{near}; {VALID}") from None
    _judge(text, tree, 0)
    return tree


def _judge(text: str, node: ast.AST, depth: int) -> None:
    """Refuse all that is not on the white list. Raises ExpressionError."""
    if depth > DEEPEST:
        raise ExpressionError(f"{quote(text)}: brackets and signs go {DEEPEST} levels deep at most")
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        if isinstance(node.op, ast.Pow):
            _judge_power(text, node.right)
        children = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        children = [node.operand]
    elif isinstance(node, ast.Call):
        children = _judge_call(text, node)
    elif _read_number(text, node) is not None or _read_name(node) is not None:
        return
    else:
        raise ExpressionError(f"{quote(text)}: {_quote_piece(text, node)} is not arithmetic; {VALID}")
    for child in children:
        _judge(text, child, depth + 1)


def _judge_power(text: str, exponent: ast.expr) -> None:
    node = exponent
    while isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        node = node.operand
    number = _read_number(text, node)
    if number is not None and number > LARGEST_POWER:
        raise ExpressionError(f"{quote(text)}: the power {_quote_piece(text, exponent)} is too large; valid are powers "
                              f"up to {LARGEST_POWER:g}")


def _judge_call(text: str, node: ast.Call) -> list[ast.expr]:
    name = _read_name(node.func) if isinstance(node.func, ast.Name) else None
    if name not in FUNCTIONS:
        raise ExpressionError(f"{quote(text)}: there is no function {_quote_piece(text, node.func)}; valid: "
                              f"{', '.join(FUNCTIONS)}")
    _, arguments = FUNCTIONS[name]
    if node.keywords or len(node.args) != arguments or any(isinstance(each, ast.Starred) for each in node.args):
        raise ExpressionError(f"{quote(text)}: {name} takes {arguments} value{'s' if arguments > 1 else ''}, "
                              f"not {_quote_piece(text, node)}")
    return list(node.args)


def _read_number(text: str, node: ast.AST) -> float | None:
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or not isinstance(node.value, int | float):
        return None
    try:
        return float(node.value)
    except OverflowError:
        raise ExpressionError(f"{quote(text)}: the number {_quote_piece(text, node)} is too large") from None


def _read_name(node: ast.AST) -> str | None:
    """The name of a column: one word, words with dots between, or what stands in quotes."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(words)]) if isinstance(node, ast.Name) else None


def _list_names(text: str, node: ast.AST) -> list[str]:
    """Names of columns; the tree has been judged."""
    if isinstance(node, ast.Call):
        children: list[ast.AST] = list(node.args)
    else:
        name = _read_name(node)
        if name is not None:
            return [] if _is_constant(node) else [name]
        children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return list(dict.fromkeys(name for child in children for name in _list_names(text, child)))


def _evaluate(text: str, node: ast.AST, columns: dict[str, np.ndarray]) -> Any:
    if isinstance(node, ast.BinOp):
        return _SUMS[type(node.op)](_evaluate(text, node.left, columns), _evaluate(text, node.right, columns))
    if isinstance(node, ast.UnaryOp):
        return _SIGNS[type(node.op)](_evaluate(text, node.operand, columns))
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)  # judged
        return FUNCTIONS[node.func.id][0](*(_evaluate(text, each, columns) for each in node.args))
    number = _read_number(text, node)
    if number is not None:
        return np.float64(number)
    name = _read_name(node)
    assert name is not None  # judged
    return np.float64(CONSTANTS[name]) if _is_constant(node) else columns[name]


def _is_constant(node: ast.AST) -> bool:
    """Is it pi? In quotes it is a column."""
    return isinstance(node, ast.Name) and node.id in CONSTANTS


def _quote_piece(text: str, node: ast.AST) -> str:
    return cut(repr(ast.get_source_segment(text.strip(), node) or text))
