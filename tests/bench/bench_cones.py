"""What contact modes, wrench cones and the difference "only this mode" cost, and how modes grow with the contacts."""

from __future__ import annotations

import time

import numpy as np

from dynamics.cones.contact_set import place_contacts
from dynamics.cones.modes import enumerate_modes
from dynamics.cones.wrench import exclusive_cones, wrench_cone


def make_round(k: int, closed: bool = True):
    """k contacts around a part, forces that all turn it the same way: 4 k + 2 modes."""
    angles = np.linspace(0.1, 0.1 + 2.0 * np.pi, k, endpoint=False)
    normals = np.column_stack([np.cos(angles), np.sin(angles)])
    return place_contacts(np.column_stack([normals[:, 1], -normals[:, 0]]), normals, 0.4, closed=closed)


def make_near(k: int):
    """k places anywhere, none touched: k (k - 1) + 2 ways to approach some of them."""
    rng = np.random.default_rng(7)
    return place_contacts(rng.normal(size=(k, 2)), rng.normal(size=(k, 2)), 0.4, closed=False)


def measure(call, seconds: float = 0.2) -> float:
    """Seconds of processor time for one call, the fastest of several."""
    best, spent = np.inf, 0.0
    while spent < seconds:
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
        spent += time.process_time() - began
    return best


def run():
    """Yield (name, value, unit) for `make bench`."""
    for name, make in (("touched", make_round), ("near", make_near)):
        for k in (2, 4, 8, 16):
            contacts = make(k)
            yield f"modes of {k} places, {name}", len(enumerate_modes(contacts)), "1"
            yield f"modes of {k} places, {name}: time", 1e3 * measure(lambda c=contacts: enumerate_modes(c)), "ms"
    for k in (2, 4, 8):
        contacts = make_round(k)
        modes = enumerate_modes(contacts)
        time_of_all = measure(lambda c=contacts, m=modes: [wrench_cone(c, mode) for mode in m])
        yield f"wrench cones of {k} contacts", len(modes) / time_of_all, "1/s"
    contacts = make_round(3)
    yield "only one mode of 3 contacts, of 14", 1e3 * measure(lambda: exclusive_cones(contacts, "nnn")), "ms"
