"""Coefficients of Radau's collocation of type IIA: nodes on (0, 1], the last one at 1, and integrals up to them.

They are computed once, in decimal numbers of more digits than a double has, so that they are the same on every machine.
Source: Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.5, and IV.8 for the integrator RADAU5.

What a polynomial of degree < STAGES is, is told by its values at the nodes, or by its coefficients in Legendre's
polynomials on [0, 1], which show how well it stands for a smooth function: they fall off at the rate at which their
number pays.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import legroots

# Nodes of a step. For 2 s of a stiff part on a frame that waves at 2 Hz, at a tolerance of 1e-11, 5 to 10 of them take
# 1714, 419, 162, 83, 51 and 37 steps; a step with 8 costs five times as much as a power series of degree 16, one with
# 10 ten times, for the equations grow with the third power.
STAGES = 8

_DIGITS = 60


class Radau(NamedTuple):
    """Nodes and matrices of a number s of stages."""

    nodes: np.ndarray  # (s,) in rising order, the last is 1
    integral: np.ndarray  # (s, s) from 0 up to node i, of the polynomial with values at the nodes j
    twice: np.ndarray  # (s, s) its square: the integral of what has the integrals as its values at the nodes
    legendre: np.ndarray  # (s, s) coefficient k of Legendre's polynomials, from values at the nodes j
    powers: np.ndarray  # (s, s) coefficient m of tau^m in Legendre's polynomial k on [0, 1]


def compute_radau(stages: int) -> Radau:
    """Coefficients of Radau IIA, each right to half a unit in the last place."""
    guesses = 0.5 + 0.5 * np.sort(legroots([0.0] * (stages - 1) + [-1.0, 1.0]))
    with localcontext() as context:
        context.prec = _DIGITS
        nodes = [_find_node(Decimal(float(guess)), stages) for guess in guesses[:-1]] + [Decimal(1)]
        values = [_evaluate_legendre(node, stages) for node in nodes]
        # of quadrature, exact up to degree 2 s - 2, so that it also takes the product of two polynomials apart
        weights = [node / (stages * value[stages - 1]) ** 2 for node, value in zip(nodes, values, strict=True)]
        legendre = [[(2 * k + 1) * weights[j] * values[j][k] for j in range(stages)] for k in range(stages)]
        integral = [[sum(_integrate(value, node, k) * legendre[k][j] for k in range(stages))
                     for j in range(stages)] for node, value in zip(nodes, values, strict=True)]
        twice = [[sum(integral[i][k] * integral[k][j] for k in range(stages)) for j in range(stages)]
                 for i in range(stages)]
    powers = np.zeros((stages, stages))
    powers[0, 0] = 1.0
    for k in range(1, stages):  # integers, so without an error: k P_k = (2 k - 1) (2 tau - 1) P_(k-1) - (k - 1) P_(k-2)
        before = powers[k - 2] if k > 1 else np.zeros(stages)
        powers[k] = ((2 * k - 1) * (2.0 * np.roll(powers[k - 1], 1) - powers[k - 1]) - (k - 1) * before) / k
    return Radau(np.array(nodes, float), np.array(integral, float), np.array(twice, float), np.array(legendre, float),
                 powers)


def _evaluate_legendre(tau: Decimal, last: int) -> list[Decimal]:
    """Legendre's polynomials 0..last on [0, 1] at tau."""
    x, values = 2 * tau - 1, [Decimal(1), 2 * tau - 1]
    for k in range(2, last + 1):
        values.append(((2 * k - 1) * x * values[-1] - (k - 1) * values[-2]) / k)
    return values


def _find_node(guess: Decimal, stages: int) -> Decimal:
    """The root of P_s - P_(s-1) near a guess, by steps of Newton's method, each of which doubles the digits."""
    node = guess
    for _ in range(4):
        values = _evaluate_legendre(node, stages)
        slope = [k * (values[k - 1] - (2 * node - 1) * values[k]) / (2 * node * (1 - node))
                 for k in (stages - 1, stages)]
        node -= (values[stages] - values[stages - 1]) / (slope[1] - slope[0])
    return node


def _integrate(values: list[Decimal], node: Decimal, k: int) -> Decimal:
    """Integral of Legendre's polynomial k from 0 to a node, at which the polynomials have these values."""
    return node if k == 0 else (values[k + 1] - values[k - 1]) / (2 * (2 * k + 1))


NODES, INTEGRAL, TWICE, LEGENDRE, POWERS = compute_radau(STAGES)
