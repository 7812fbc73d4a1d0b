"""A slow, obvious twin of a part that does not turn on a track that vibrates: a point that slips, sticks, hops and
lands, each phase in closed form, from event to event."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

G = 9.81
STEP = 5e-6  # s between the places where signs are looked at


class Track(NamedTuple):
    """x = a sin(w t + p), y = -b cos(w t)."""

    a: float
    b: float
    w: float
    p: float

    def place(self, t):
        return self.a * np.sin(self.w * t + self.p), -self.b * np.cos(self.w * t)

    def move(self, t):
        return self.a * self.w * np.cos(self.w * t + self.p), self.b * self.w * np.sin(self.w * t)

    def press(self, t):
        """Acceleration along the track, and normal force per mass on what stays on it."""
        return -self.a * self.w**2 * np.sin(self.w * t + self.p), G + self.b * self.w**2 * np.cos(self.w * t)


def find_first(functions, begin, end):
    """(time, which) of the first of some functions to fall below zero after `begin`; (end, None) where none does."""
    while begin < end:
        t = np.minimum(begin + STEP * np.arange(1, 4001), end)
        below = np.array([function(t) < 0.0 for function in functions])
        if below.any():
            k = int(np.argmax(below.any(axis=0)))
            low = float(t[k - 1]) if k else begin
            found = [(brentq(function, low, float(t[k]), xtol=1e-17) if function(low) > 0.0 else low, which)
                     for which, function in enumerate(functions) if below[which, k]]
            return min(found)
        begin = float(t[-1])
    return end, None


def convey(track: Track, mu: float, duration: float):
    """(x at the end, times of take-off, time that it sticks) of a point that begins at rest on the track; it lands
    without rebound."""
    t, x, v, taken_off, stuck = 0.0, 0.0, 0.0, [], 0.0
    slip = -np.sign(track.move(0.0)[0])
    while t < duration:
        begin, (place, height), up = t, track.place(t), track.move(t)[1]
        if slip == 0.0 and track.press(t)[1] >= 0.0:  # it sticks
            t, which = find_first((lambda s: mu * track.press(s)[1] - np.abs(track.press(s)[0]),
                                   lambda s: track.press(s)[1]), begin, duration)
            x, v, stuck = x + track.place(t)[0] - place, track.move(t)[0], stuck + t - begin
            slip = -np.sign(track.press(t)[0]) if which == 0 else slip
        else:
            def speed(s, v=v, begin=begin, up=up, slip=slip):
                return v - slip * mu * (G * (s - begin) + track.move(s)[1] - up)

            def lead(s, slip=slip, speed=speed):
                return slip * (speed(s) - track.move(s)[0])

            t, which = find_first((lead, lambda s: track.press(s)[1]), begin, duration)
            span = t - begin
            x += v * span - slip * mu * (0.5 * G * span**2 + track.place(t)[1] - height - up * span)
            v = speed(t)
            if which == 0:
                slip = choose(track, mu, t)
        if which == 1 and t < duration:
            taken_off.append(t)
            t, x, v, slip = fly(track, mu, t, x, v, duration)
    return x, taken_off, stuck


def choose(track: Track, mu: float, t: float) -> float:
    """Slip that begins where there is none: 0 where friction can hold."""
    along, normal = track.press(t)
    return 0.0 if abs(along) <= mu * normal else -np.sign(along)


def fly(track: Track, mu: float, begin: float, x: float, v: float, duration: float):
    """(time, x, velocity along, slip) after a hop."""
    height, up = track.place(begin)[1], track.move(begin)[1]

    def gap(s):
        return height + up * (s - begin) - 0.5 * G * (s - begin) ** 2 - track.place(s)[1]

    t, _ = find_first((gap,), begin + 2e-5, duration)
    x += v * (t - begin)
    impulse = track.move(t)[1] - (up - G * (t - begin))
    u = v - track.move(t)[0]
    if abs(u) <= mu * impulse:
        return t, x, track.move(t)[0], choose(track, mu, t)
    return t, x, v - np.sign(u) * mu * impulse, np.sign(u)
