"""Arithmetic of users: equal to numpy's, and hostile texts are refused at once."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.values.expression import DEEPEST, LONGEST, ExpressionError, evaluate_expression, list_columns

COLUMNS = {"a": np.array([1.0, -2.0, np.nan, np.inf]), "friction.default": np.array([0.0, 0.5, 1.0, 2.0]),
           "obstacle.finger 1.pose.x": np.array([3.0, 4.0, 5.0, 6.0])}
NAMES = {"a": "a", "friction.default": "f", "'obstacle.finger 1.pose.x'": "x"}
OURS = {"f": COLUMNS["friction.default"], "x": COLUMNS["obstacle.finger 1.pose.x"], "a": COLUMNS["a"]}


def combine(children):
    pair = st.tuples(children, children)
    return st.one_of(
        st.tuples(pair, st.sampled_from(["+", "-", "*", "/"])).map(
            lambda one: tuple(f"({one[0][0][k]} {one[1]} {one[0][1][k]})" for k in (0, 1))),
        st.tuples(children, st.sampled_from(["sqrt", "abs", "log10"])).map(
            lambda one: (f"{one[1]}({one[0][0]})", f"np.{one[1]}({one[0][1]})")),
        st.tuples(pair, st.sampled_from(["minimum", "maximum"])).map(
            lambda one: tuple(f"{'np.' * k}{one[1]}({one[0][0][k]}, {one[0][1][k]})" for k in (0, 1))),
        st.tuples(children, st.integers(0, 5)).map(lambda one: tuple(f"(-{text})**{one[1]}" for text in one[0])))


number = st.floats(0.0, 1e6).map(lambda value: (repr(value), f"np.float64({value!r})"))
leaf = st.one_of(number, st.sampled_from(list(NAMES.items())), st.just(("pi", "np.pi")))


@given(st.recursive(leaf, combine, max_leaves=12).filter(lambda pair: len(pair[0]) <= LONGEST))
def test_texts_have_the_values_that_numpy_gives(pair):
    ours, theirs = pair
    with np.errstate(all="ignore"):
        expected = eval(theirs, {"np": np}, OURS)  # the oracle, of texts that are made here
    found = evaluate_expression(ours, COLUMNS.__getitem__)
    assert found.shape in ((), (4,))
    np.testing.assert_array_equal(found, np.broadcast_to(expected, found.shape))


@pytest.mark.parametrize("text", [
    "__import__('os').system('true')", "a.__class__()", "().__class__", "(lambda: a)()", "[a for a in (1, 2)]",
    "a if a else a", "a < 1", "a and a", "a[0]", "a := 3", "f'{a}'", "open('x')", "eval('1')", "sqrt", "sqrt(a, a)",
    "sqrt()", "minimum(a)", "sqrt(*a)", "sqrt(x=a)", "a // 2", "a % 2", "a @ a", "a | a", "~a", "not a", "1j", "True",
    "None", "...", "b'x'", "", "   ", "a +", "9**999999999", "a**-1000", "1" * 400, "(" * 300 + "a",
    "-" * 400 + "a", "a\nb", "a;b", "a\0", "import os", "'no such'", "a.b", "abs(a).real", "maximum.reduce(a, a)",
    "+".join("a" * 300)])
def test_hostile_texts_are_refused_at_once(text):
    began = time.perf_counter()
    with pytest.raises(ExpressionError) as caught:
        evaluate_expression(text, COLUMNS.__getitem__, COLUMNS)
    assert time.perf_counter() - began < 0.5
    assert len(str(caught.value)) < 700


def test_towers_of_powers_end_at_once():
    began = time.perf_counter()
    assert evaluate_expression("9**9**9**9", COLUMNS.__getitem__) == math.inf
    assert np.isinf(evaluate_expression("(a*0 + 9)**64**64", {"a": np.ones(3)}.__getitem__)).all()
    assert time.perf_counter() - began < 0.5


def test_messages_name_the_text_the_piece_and_what_is_valid():
    with pytest.raises(ExpressionError, match=r"'largest_n/2'.*no column 'largest_n'.*mean 'largest_fn'"):
        evaluate_expression("largest_n/2", {"largest_fn": [1.0]}.__getitem__, ["largest_fn"])
    with pytest.raises(ExpressionError, match=r"'a \+ sin\(a\)'.*no function 'sin'; valid: sqrt, abs"):
        evaluate_expression("a + sin(a)", COLUMNS.__getitem__)
    with pytest.raises(ExpressionError, match=r"'a > 1' is not arithmetic; valid are numbers"):
        evaluate_expression("2 * (a > 1)", COLUMNS.__getitem__)
    with pytest.raises(ExpressionError, match=f"{DEEPEST} levels"):
        evaluate_expression("-" * (DEEPEST + 2) + "a", COLUMNS.__getitem__)
    with pytest.raises(ExpressionError, match="holds no numbers"):
        evaluate_expression("a", {"a": ["word"]}.__getitem__)
    with pytest.raises(ExpressionError, match="different lengths"):
        evaluate_expression("a + b", {"a": [1.0], "b": [1.0, 2.0]}.__getitem__)


def test_names_are_listed_once_in_their_order():
    assert list_columns("b + a.c/b - 'd e' * pi") == ["b", "a.c", "d e"]


def test_a_column_called_pi_in_quotes_is_the_column():
    assert evaluate_expression("'pi' + pi", {"pi": np.ones(2)}.__getitem__) == pytest.approx([1 + math.pi] * 2)
