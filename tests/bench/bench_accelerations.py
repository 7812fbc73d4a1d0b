"""What one acceleration set costs inside compiled code, and how the cost grows with the number of contacts."""

from __future__ import annotations

import time

import numpy as np


def make_floor(k: int, slip: int = 0):
    """k contacts of one flat floor under a resting (or sliding) part."""
    from dynamics.search.problem import Problem

    x = np.linspace(-1.0, 1.0, k) if k > 1 else np.zeros(1)
    N = np.column_stack([np.zeros(k), np.ones(k), -x])
    T = np.column_stack([np.ones(k), np.zeros(k), np.ones(k)])
    return Problem(
        np.array([0.1, -1.0, 0.05]), N, np.zeros(k), T, np.zeros(k), np.full(k, slip), np.full(k, 0.5), np.full(k, -1)
    )


def make_generic(k: int, seed: int = 1):
    """k planes around the origin, all of them faces, velocities and biases at random."""
    from dynamics.search.problem import Problem

    rng = np.random.default_rng(seed)
    N = rng.normal(size=(k, 3))
    N /= np.hypot(N[:, 0], N[:, 1])[:, None]
    T = np.column_stack([N[:, 1], -N[:, 0], rng.normal(size=k)])
    b = np.linalg.norm(N, axis=1)
    return Problem(
        2.0 * rng.normal(size=3), N, b, T, rng.normal(size=k), rng.integers(-1, 2, size=k), np.full(k, 0.5),
        np.full(k, -1),
    )


def measure(problem, seconds: float = 0.1) -> float:
    """Seconds for one search (the one `find_accelerations` takes) from compiled code: the fastest of several rounds."""
    from dynamics.search.members import allocate_set_buffer
    from dynamics.tolerances import DEFAULT_TOLERANCES

    repeat = _compile_loop(len(problem.b))
    buffer = allocate_set_buffer(len(problem.b))
    repeat(problem, DEFAULT_TOLERANCES, buffer, 1)
    start = time.perf_counter()
    first = 1 if len(problem.b) > 16 else 1000  # the way from Python takes as long as many searches
    repeat(problem, DEFAULT_TOLERANCES, buffer, first)
    once = (time.perf_counter() - start) / first
    count = max(1, int(seconds / 5 / max(once, 1e-7)))
    best = once
    for _ in range(5 if once < seconds else 1):
        start = time.perf_counter()
        repeat(problem, DEFAULT_TOLERANCES, buffer, count)
        best = min(best, (time.perf_counter() - start) / count)
    return best


_LOOPS = {}


def _compile_loop(k: int):
    import numba

    from dynamics.search import members
    from dynamics.search.problem import CROWD

    search = members.find_members_of_crowd if k > CROWD else members.find_members
    if search not in _LOOPS:

        @numba.njit
        def repeat(problem, tolerances, buffer, count):
            total = 0
            for _ in range(count):
                total += search(problem, tolerances, buffer)
            return total

        _LOOPS[search] = repeat
    return _LOOPS[search]


def fit_exponent(sizes, times) -> float:
    """Slope of log(time) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def run():
    """Yield (name, value, unit) for `make bench`."""
    for k in (1, 2, 4, 8):
        yield f"acceleration set, {k} contacts on a floor, at rest", 1e6 * measure(make_floor(k)), "us"
        yield f"acceleration set, {k} contacts on a floor, sliding", 1e6 * measure(make_floor(k, 1)), "us"
    for k in (1, 2, 3, 4, 8):
        yield f"acceleration set, {k} contacts, generic", 1e6 * measure(make_generic(k)), "us"
    yield from measure_growth("generic", make_generic)
    yield from measure_growth("on a floor", make_floor)


def measure_growth(name, make, sizes=(16, 64, 256, 1024, 4096)):
    """Yield what sets of many contacts cost, and the exponent of their growth where the search for many finds them."""
    times = [measure(make(k)) for k in sizes]
    for k, t in zip(sizes, times, strict=True):
        yield f"acceleration set, {k} contacts, {name}", 1e6 * t, "us"
    yield f"growth exponent, 64 to 4096 contacts, {name}", fit_exponent(sizes[1:], times[1:]), ""
