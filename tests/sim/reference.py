"""Slow, obvious and very accurate twins of some motions: reduced equations, solved by scipy to the last digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81


def integrate(rate: Callable, start, end: float, event: Callable | None = None):
    """State at `end`, or (time, state) at the first falling zero of `event(t, y)`."""

    def stop(t, y):
        return event(t, y)

    stop.terminal, stop.direction = True, -1.0
    events = stop if event is not None else None
    solution = solve_ivp(rate, (0.0, end), start, method="DOP853", rtol=1e-13, atol=1e-15, events=events)
    assert solution.success
    if event is None:
        return solution.y[:, -1]
    assert solution.t_events[0].size == 1, "the event did not happen"
    # the root is polished with a step from the last state before it
    time, state = solution.t_events[0][0], solution.y_events[0][0]
    k = len(solution.t) - 2
    for _ in range(3):
        y = solve_ivp(rate, (solution.t[k], time), solution.y[:, k], method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
        slope = (event(time + 1e-6, y + 1e-6 * np.array(rate(time, y))) - event(time, y)) / 1e-6
        time -= event(time, y) / slope
        state = y
    return time, state


class Pivot:
    """A body that turns about a fixed corner: its centre at distance r, angle b clockwise from the vertical."""

    def __init__(self, rho: float, r: float, g: float = G):
        self.factor, self.r = g * r / (rho * rho + r * r), r

    def rate(self, _, y):
        return [y[1], self.factor * math.sin(y[0])]

    def place(self, y) -> np.ndarray:
        """Centre relative to the pivot."""
        return self.r * np.array([math.sin(y[0]), math.cos(y[0])])


class Ladder:
    """A bar from the wall x = 0 to the floor y = 0; the centre lies h above the middle of the line between the tips.

    y = (th, th'): inclination of that line. The top slides down, the foot away from the wall.
    """

    def __init__(self, rho: float, length: float, h: float = 0.0, mu: float = 0.0, g: float = G):
        self.rho, self.length, self.h, self.mu, self.g = rho, length, h, mu, g

    def place(self, th: float) -> np.ndarray:
        """Centre of mass in the world while both tips touch."""
        c, s, l = math.cos(th), math.sin(th), 0.5 * self.length
        return np.array([l * c + self.h * s, l * s + self.h * c])

    def place_rate(self, th: float) -> np.ndarray:
        """d place / d th."""
        c, s, l = math.cos(th), math.sin(th), 0.5 * self.length
        return np.array([-l * s + self.h * c, l * c - self.h * s])

    def solve(self, y) -> np.ndarray:
        """(th'', wall force, floor force) per mass."""
        th, omega = y
        centre, first = self.place(th), self.place_rate(th)
        second = -centre
        top = np.array([0.0, self.length * math.sin(th)]) - centre
        foot = np.array([self.length * math.cos(th), 0.0]) - centre
        wall, floor = np.array([1.0, self.mu]), np.array([-self.mu, 1.0])

        def cross(a, b):
            return a[0] * b[1] - a[1] * b[0]

        matrix = np.array([
            [first[0], -wall[0], -floor[0]],
            [first[1], -wall[1], -floor[1]],
            [-self.rho**2, -cross(top, wall), -cross(foot, floor)],
        ])  # fmt: skip
        right = np.array([-second[0] * omega**2, -self.g - second[1] * omega**2, 0.0])
        return np.linalg.solve(matrix, right)

    def rate(self, _, y):
        return [y[1], self.solve(y)[0]]

    def wall_force(self, _, y):
        return self.solve(y)[1]

    def fall_rate(self, _, y):
        """Without the wall and without friction: only the foot touches; y = (th, th'), x moves evenly."""
        th, omega = y
        first, second = self.place_rate(th)[1], -self.place(th)[1]
        return [omega, -first * (self.g + second * omega**2) / (self.rho**2 + first**2)]
