"""One step of the motion in a fixed mode: Dormand and Prince's method of order 5(4), with projection on the
constraints.

Source of the coefficients: Dormand & Prince, J. Comput. Appl. Math. 6 (1980) 19-26, the pair RK5(4)7M. Seven stages,
the last of which is the first of the next step. After the step the pose is moved back to gap 0 and the velocity to gap'
= 0 by the shortest way in the kinetic metric; both corrections are of the order of the local error, so the order stays
five.
"""

from __future__ import annotations

import numpy as np

from dynamics.motion.constrained import evaluate_mode, project_pose, project_velocity
from dynamics.motion.mode import OK, MotionState
from geometry.compiled.jit import kernel
from geometry.compiled.record import define_record

ORDER = 5

# Butcher tableau, row by row; row 7 holds the weights of order 5.
A21 = 1 / 5
A31, A32 = 3 / 40, 9 / 40
A41, A42, A43 = 44 / 45, -56 / 15, 32 / 9
A51, A52, A53, A54 = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
A61, A62, A63, A64, A65 = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
A71, A73, A74, A75, A76 = 35 / 384, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
C2, C3, C4, C5 = 1 / 5, 3 / 10, 4 / 5, 8 / 9
# Weights of order 5 minus those of order 4.
E1, E3, E4, E5, E6, E7 = 71 / 57600, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40


# State and stages. A state is (7,): x, y, theta, vx, vy, omega, work of friction per mass.
STEP_WORK = define_record(
    ("start", "f8", (7,)),
    ("end", "f8", (7,)),
    ("trial", "f8", (7,)),
    ("stage", "f8", (7, 7)),  # rates: velocity, acceleration, power of friction per mass
    ("force", "f8", (4,)),  # forces of the basis at the last evaluation
)


@kernel
def evaluate_rate(body, mode, time, state, rate, force):
    """rate (7,) of a state (7,) at a time; returns the status of the mode."""
    at = MotionState(time, state[0:3], state[3:6])
    status, power = evaluate_mode(body, mode, at, rate[3:6], force)
    rate[0], rate[1], rate[2] = state[3], state[4], state[5]
    rate[6] = power
    return status


@kernel
def advance(body, mode, time, h, work):
    """From `work.start` at a time (whose rate is `work.stage[0]`) over h to `work.end`; leaves the rate there in
    `work.stage[6]`.

    Returns (status, error of position [m], error of velocity [m/s]): the estimated local errors, angles times rho.
    """
    y, k, z = work.start, work.stage, work.trial
    for i in range(7):
        z[i] = y[i] + h * A21 * k[0, i]
    status = evaluate_rate(body, mode, time + h * C2, z, k[1], work.force)
    for i in range(7):
        z[i] = y[i] + h * (A31 * k[0, i] + A32 * k[1, i])
    status |= evaluate_rate(body, mode, time + h * C3, z, k[2], work.force)
    for i in range(7):
        z[i] = y[i] + h * (A41 * k[0, i] + A42 * k[1, i] + A43 * k[2, i])
    status |= evaluate_rate(body, mode, time + h * C4, z, k[3], work.force)
    for i in range(7):
        z[i] = y[i] + h * (A51 * k[0, i] + A52 * k[1, i] + A53 * k[2, i] + A54 * k[3, i])
    status |= evaluate_rate(body, mode, time + h * C5, z, k[4], work.force)
    for i in range(7):
        z[i] = y[i] + h * (A61 * k[0, i] + A62 * k[1, i] + A63 * k[2, i] + A64 * k[3, i] + A65 * k[4, i])
    status |= evaluate_rate(body, mode, time + h, z, k[5], work.force)
    end = work.end
    for i in range(7):
        end[i] = y[i] + h * (A71 * k[0, i] + A73 * k[2, i] + A74 * k[3, i] + A75 * k[4, i] + A76 * k[5, i])
    project_pose(body, mode, time + h, end[0:3])
    project_velocity(body, mode, MotionState(time + h, end[0:3], end[3:6]))
    status |= evaluate_rate(body, mode, time + h, end, k[6], work.force)
    if status != OK:
        return status, np.inf, np.inf
    position, velocity = 0.0, 0.0
    for i in range(6):
        e = abs(h * (E1 * k[0, i] + E3 * k[2, i] + E4 * k[3, i] + E5 * k[4, i] + E6 * k[5, i] + E7 * k[6, i]))
        if i == 2 or i == 5:
            e *= body.rho
        if i < 3:
            position = max(position, e)
        else:
            velocity = max(velocity, e)
    return OK, position, velocity
