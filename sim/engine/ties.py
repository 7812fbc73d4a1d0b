"""The edge between two modes, where the search for accelerations finds the mode once more that has just ended.

Its rounding cannot tell the modes there: the gap or slip acceleration of the next one is as small as that. What ended
the mode can: the force that was lost, the grip that was lost, the slip that came to an end.
"""

from __future__ import annotations

from dynamics.motion.constrained import choose_basis, evaluate_mode
from dynamics.motion.mode import (
    CARRIED,
    LETTER_L,
    LETTER_N,
    LETTER_R,
    ROLLING,
    STATIC,
    compute_frame,
    find_in_mode,
    get_mu,
)
from geometry.compiled.jit import kernel
from sim.engine import events
from sim.tolerances import GRIP


@kernel
def keep_grip(body, options, state, desk, at, target):
    """Where a contact whose slip has come to an end is said to slip on as before, let it roll if friction can hold it:
    True if the mode has become that. desk: DESK; target: the acceleration of the mode at the
    MotionState.

    So it is where the slip has begun with an acceleration as small as rounding, and is on its way back at once.
    """
    mode = state.mode
    index = find_in_mode(mode, state.cause)
    if state.cause_kind != events.STICK or index < 0 or mode.letter[index] == LETTER_N:
        return False
    letter = mode.letter[index]
    a, force = desk.trial, desk.force
    mode.letter[index] = LETTER_N
    if choose_basis(body, mode, at, target, a, force) >= 0.0 and mode.kind == ROLLING and mode.first == index:
        evaluate_mode(body, mode, at, a, force)
        mu = get_mu(body, mode.triple[index])
        if mu > 0.0 and force[0] > 0.0 and mu * force[0] - abs(force[1]) >= -GRIP * options.scales.force:
            return True
    mode.letter[index] = letter
    choose_basis(body, mode, at, target, a, force)
    return False


@kernel
def lose_contact(body, state, desk, at, target):
    """Where the mode that has just ended was found once more, try what ended it: True if the motion goes on that way.
    Arguments as for `keep_grip`.

    At the very edge of a mode the search for accelerations cannot tell it from the next one, since the gap or slip
    acceleration of the next is within its rounding, though the forces already are not legal. So the contact whose force
    was lost opens, or the one whose grip was lost slips, if its acceleration then has the right sign.
    """
    mode, cause = state.mode, state.cause
    if state.cause_kind != events.SEPARATION and state.cause_kind != events.SLIP:
        return False
    a, force, index = desk.trial, desk.force, find_in_mode(mode, cause)
    if index < 0 or mode.corner[index, 2] >= 0:
        return False
    evaluate_mode(body, mode, at, a, force)
    if state.cause_kind == events.SEPARATION:
        _move_last(mode, index)
    else:
        mode.letter[index] = LETTER_L if force[1] > 0.0 else LETTER_R
    if choose_basis(body, mode, at, target, a, force) >= 0.0 and mode.kind != STATIC and mode.kind != CARRIED:
        evaluate_mode(body, mode, at, a, force)
        nx, ny, nq, vq, b, d, _, _, _ = compute_frame(body, cause, at)
        if state.cause_kind == events.SEPARATION:
            right = nx * a[0] + ny * a[1] + nq * body.rho * a[2] + b >= 0.0
        else:
            slip = ny * a[0] - nx * a[1] + vq * body.rho * a[2] + d
            right = slip >= 0.0 if mode.letter[index] == LETTER_R else slip <= 0.0
        if right and force[0] >= 0.0 and force[2] >= 0.0:
            return True
    if state.cause_kind == events.SEPARATION:
        mode.n += 1
        _move_last(mode, index)
        mode.n += 1
    else:
        mode.letter[index] = LETTER_N
    choose_basis(body, mode, at, target, a, force)
    return False


@kernel
def _move_last(mode, index):
    """Exchange a contact with the last one of the mode, and leave that out."""
    last = mode.n - 1
    for c in range(3):
        mode.triple[index, c], mode.triple[last, c] = mode.triple[last, c], mode.triple[index, c]
        mode.corner[index, c], mode.corner[last, c] = mode.corner[last, c], mode.corner[index, c]
    mode.letter[index], mode.letter[last] = mode.letter[last], mode.letter[index]
    mode.n = last
