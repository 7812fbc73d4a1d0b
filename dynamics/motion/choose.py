"""Which member of a set to follow, when there are several.

A rule compares members by their contact letters (`s` separating, `n` rolling, `r` and `l` sliding):

* `continue`: the mode that held before, if it is still a solution; else the member that keeps most contacts, then the
one
  that rolls at most of them;
* `stick`: the member that rolls at most contacts, then keeps most;
* `separate`: the member that opens most contacts, then rolls at fewest;
* `stop`: as `continue` where there is one member; where there are several, none is chosen and the run ends;
* `random`: any of the isolated members and extreme points, with equal chances;
* `branch`: every member in turn; who follows the branches gives the engine the member to take.

Ties go to the smallest acceleration, then to the first. All rules are deterministic; `random` given its seed.
"""

from __future__ import annotations

import numpy as np

from dynamics.codes import RULES
from dynamics.motion.mode import LETTER_N, LETTER_S
from geometry.compiled.jit import jit, kernel

CONTINUE, STICK, SEPARATE, STOP, RANDOM, BRANCH = range(len(RULES))

UNKNOWN_LETTER = -1


# The minimal standard generator of Park & Miller (Comm. ACM 31, 1988): x' = 48271 x mod 2^31 - 1, without overflow.
MULTIPLIER, MODULUS = 48271, 2147483647


def seed_random(seed: int) -> int:
    """State of the generator for a seed >= 0; the first numbers of neighbouring seeds do not resemble each other."""
    state = seed % (MODULUS - 1) + 1
    for _ in range(16):
        state = state * MULTIPLIER % MODULUS
    return state


@jit
def draw_index(random, count):
    """A number in 0 ... count - 1; random (1,) int64 is the state of the generator."""
    random[0] = random[0] * MULTIPLIER % MODULUS
    return random[0] * count // MODULUS


@kernel
def choose_member(members, letters, previous, rule):
    """Index of the member to follow.

    members (m, 3): accelerations (or velocities after an impact); letters (m, k) int64; previous (k,) int64: letters
    before, UNKNOWN_LETTER for a new contact; rule: index into RULES.
    """
    best, best_key, best_size = 0, -np.inf, np.inf
    k = letters.shape[1]
    for m in range(members.shape[0]):
        closed, rolling, same = 0, 0, 1
        for i in range(k):
            closed += letters[m, i] != LETTER_S
            rolling += letters[m, i] == LETTER_N
            if previous[i] != UNKNOWN_LETTER and previous[i] != letters[m, i]:
                same = 0
        if rule == STICK:
            key = float(rolling * (k + 1) + closed)
        elif rule == SEPARATE:
            key = -float(closed * (k + 1) + rolling)
        else:
            key = float((same * (k + 1) + closed) * (k + 1) + rolling)
        size = abs(members[m, 0]) + abs(members[m, 1]) + abs(members[m, 2])
        if key > best_key or (key == best_key and size < best_size):
            best, best_key, best_size = m, key, size
    return best
