"""Long steps of a stiff motion: order, stability, agreement with the power series, and closed forms of springs."""

from __future__ import annotations

import os
import subprocess
import sys
from math import cos, inf, pi, sin
from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial.legendre import legvander

from dynamics.motion import collocation, constrained
from dynamics.motion.collocation import COLLOCATION, Accuracy
from dynamics.motion.constrained import project_velocity
from dynamics.motion.mode import FREE, LETTER_L, LETTER_N, LETTER_R, MODE, ROLLING, SLIDING, SLIDING_TWICE, MotionState
from dynamics.motion.mode_series import MODE_SERIES, fill_mode_series, find_step_length
from dynamics.motion.radau import INTEGRAL, NODES, STAGES, TWICE, compute_radau
from geometry.compiled.kernel import is_disabled
from geometry.compiled.record import allocate_record
from geometry.contact.path import allocate_path, evaluate_acceleration, evaluate_path
from tests.dynamics.motion.test_constrained import corner_on_floor, make_body, make_mode
from tests.geometry.contact.test_contacts import SQUARE, find_edge

ACCURACY = Accuracy(1e-11, 1.0, 1.0)


# ---- coefficients ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stages", [2, 3, 5, 8, 12])
def test_coefficients_integrate_polynomials(stages):
    radau = compute_radau(stages)
    for k in range(stages):
        assert radau.integral @ radau.nodes**k == pytest.approx(radau.nodes ** (k + 1) / (k + 1), rel=1e-14)
        column = legvander(2.0 * radau.nodes - 1.0, k)[:, k]
        assert radau.legendre @ column == pytest.approx(np.eye(stages)[k], abs=1e-14)
        assert np.polyval(radau.powers[k][::-1], 0.3) == pytest.approx(legvander([-0.4], k)[0, k], abs=1e-9)
    assert radau.twice == pytest.approx(radau.integral @ radau.integral, abs=1e-14)
    quadrature = radau.integral[-1]
    for k in range(2 * stages - 1):
        assert quadrature @ radau.nodes**k == pytest.approx(1 / (k + 1), rel=1e-13)
    beyond = quadrature @ radau.nodes ** (2 * stages - 1)
    assert stages > 5 or abs(beyond * 2 * stages - 1) > 1e-6


def test_nodes_are_those_of_the_textbook():
    """Radau IIA of order 5: Hairer & Wanner, table IV.5.6."""
    root = np.sqrt(6.0)
    assert compute_radau(3).nodes == pytest.approx([(4 - root) / 10, (4 + root) / 10, 1.0], rel=1e-16)
    assert compute_radau(3).integral[0] == pytest.approx(
        [(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225], rel=1e-15)


def get_growth(z: float) -> float:
    """Spectral radius of one step of q'' = -omega^2 q, z = h omega."""
    inner = -z * z * np.linalg.solve(np.eye(STAGES) + z * z * TWICE, np.stack([np.ones(STAGES), NODES], axis=1))
    end = np.array([[1, 1], [0, 1]]) + np.stack([TWICE[-1] @ inner, INTEGRAL[-1] @ inner])
    return max(abs(np.linalg.eigvals(end)))


def test_no_oscillation_grows_and_a_stiff_one_dies_in_one_step():
    assert max(get_growth(z) for z in np.geomspace(1e-3, 1e9, 400)) <= 1.0 + 1e-13
    assert get_growth(1e4) < 1e-3


# ---- steps of modes --------------------------------------------------------------------------------------------------


def collocate(body, mode, at, h, accuracy=ACCURACY):
    """(path, error) of a step; the error is infinite where there is none."""
    work, path = allocate_record(COLLOCATION), allocate_path()
    if not collocation.collocate(body, mode, at, h, accuracy, work):
        return path, inf
    error = collocation.measure_error(h, accuracy, work)
    collocation.fill_collocation_path(body, at, h, work, path)
    return path, error


def place(path, tau):
    pose, velocity = np.zeros(3), np.zeros(3)
    evaluate_path(path, tau, pose, velocity)
    return pose, velocity


def begin(name):
    """(body, mode, MotionState) of a square that slides, rolls, or slides down with two corners on walls."""
    body = make_body(mu=0.2)
    pose, contact = corner_on_floor(body, 0.5)
    velocity = np.array([1.0, 0.0, 0.3])
    if name == "two":
        wall = find_edge(body.walls.edge, 1.0, 0.0)
        pose[0] += -3.0 - (pose[0] + min_x(pose))
        left = int(np.argmin(place_square(pose)[:, 0]))
        mode = make_mode(body, [contact, (1, left, wall)], [LETTER_R, LETTER_R], pose)
        mode.kind, mode.second = SLIDING_TWICE, 1
        velocity = np.array([0.5, 0.0, 0.0])
    else:
        mode = make_mode(body, [contact], [LETTER_N if name == "rolling" else LETTER_R], pose)
        mode.kind = ROLLING if name == "rolling" else SLIDING
    at = MotionState(0.0, pose, velocity)
    project_velocity(body, mode, at)
    if name == "two":
        set_letters(body, mode, at)
    return body, mode, at


def place_square(pose):
    c, s = cos(pose[2]), sin(pose[2])
    return SQUARE @ np.array([[c, s], [-s, c]])


def min_x(pose):
    return place_square(pose)[:, 0].min()


def set_letters(body, mode, at):
    for k in range(2):
        slip = constrained.compute_frame(body, mode.triple[k], at).slip
        mode.letter[k] = LETTER_R if slip > 0.0 else LETTER_L


@pytest.mark.parametrize("name", ["sliding", "rolling", "two"])
def test_agrees_with_the_power_series(name):
    """Wherever the step is as accurate as was asked for, the path is that of the series, to a few tolerances."""
    body, mode, at = begin(name)
    series, path = allocate_record(MODE_SERIES), allocate_path()
    fill_mode_series(body, mode, at, 20, path, series)
    reach, h, steps = find_step_length(path, 1e-15, 1.0, 1.0, body.rho), 0.2, []
    for _ in range(20):
        other, error = collocate(body, mode, at, h)
        if error <= 1.0 and h <= reach:
            steps.append(h)
            for tau in np.linspace(0.0, h, 9):
                (pose, velocity), (a, b) = place(path, tau), place(other, tau)
                assert np.abs(pose - a).max() < 1e-12 and np.abs(velocity - b).max() < 1e-11, (tau, error)
        h *= 0.8
    assert len(steps) > 5 and max(steps) > 0.01, (steps, reach)


@pytest.mark.parametrize("name", ["sliding", "two"])
def test_order_between_the_nodes(name):
    """The pose is off by the power s + 2 of the length between the nodes, and by much less at the end."""
    body, mode, at = begin(name)
    series, path, lengths, errors = allocate_record(MODE_SERIES), allocate_path(), (0.1, 0.05), []
    fill_mode_series(body, mode, at, 20, path, series)
    for h in lengths:
        other, error = collocate(body, mode, at, h, Accuracy(1e-13, 1.0, 1.0))
        assert error < inf
        errors.append(max(np.abs(place(path, tau)[0] - place(other, tau)[0]).max() for tau in np.linspace(0, h, 33)))
        assert np.abs(place(path, h)[0] - place(other, h)[0]).max() < 0.05 * errors[-1] + 1e-14
    assert np.log2(errors[0] / errors[1]) == pytest.approx(STAGES + 2, abs=0.7), errors


def step_naively(evaluate, t, q, v, h, radau):
    """One step of the method, by iterating its equations as they stand; (q, v) at the end, accelerations."""
    a = np.zeros((len(radau.nodes), len(q)))
    for _ in range(200):
        velocities, poses = v + h * radau.integral @ a, q + h * np.outer(radau.nodes, v) + h * h * radau.twice @ a
        a = np.array([evaluate(t + c * h, p, w) for c, p, w in zip(radau.nodes, poses, velocities, strict=True)])
    return poses[-1], velocities[-1], a


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_order_at_the_end_is_2s_minus_1(stages):
    """A pendulum with drag, driven; the reference is a run of more stages."""

    def evaluate(t, q, v):
        return np.array([-np.sin(q[0]) - 0.1 * v[0] ** 3 + 0.3 * cos(t)])

    def run(radau, steps):
        q, v = np.array([1.0]), np.array([0.5])
        for k in range(steps):
            q, v, _ = step_naively(evaluate, k / steps, q, v, 1.0 / steps, radau)
        return np.array([q[0], v[0]])

    exact = run(compute_radau(10), 2)
    errors = [np.abs(run(compute_radau(stages), steps) - exact).max() for steps in (2, 4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2 * stages - 1, abs=0.6), errors


@pytest.mark.parametrize("name", ["sliding", "rolling", "two"])
def test_agrees_with_the_naive_twin(name):
    body, mode, at = begin(name)
    unit, trial, force = np.array([1.0, 1.0, body.rho]), np.zeros(3), np.zeros(4)

    def evaluate(t, q, v):
        constrained.evaluate_mode(body, mode, MotionState(t, q / unit, v / unit), trial, force)
        return trial * unit

    radau, h = compute_radau(STAGES), 0.05
    q, v, a = step_naively(evaluate, 0.0, at.pose * unit, at.velocity * unit, h, radau)
    path, error = collocate(body, mode, at, h, Accuracy(1e-13, 1.0, 1.0))
    pose, velocity = place(path, h)
    assert error < inf
    assert np.abs(pose * unit - q).max() < 1e-14 and np.abs(velocity * unit - v).max() < 1e-13
    for node, acceleration in zip(radau.nodes, a, strict=True):
        assert np.array(evaluate_acceleration(path, node * h)) * unit == pytest.approx(acceleration, abs=1e-11)


def test_refuses_what_is_no_smooth_motion():
    """A step over many turns of a fast body has no decay, or no solution."""
    body, mode, at = begin("rolling")
    at.velocity[:] *= 30.0
    assert collocate(body, mode, at, 1.0)[1] > 1.0


@pytest.mark.parametrize("n", [1, 2, 5, 24])
def test_factors_solve(n):
    rng = np.random.default_rng(n)
    matrix, right, pivot = rng.normal(size=(n, n)), rng.normal(size=n), np.zeros(n, np.int64)
    matrix[0, 0] = 0.0 if n > 1 else 1.0
    expected = np.linalg.solve(matrix, right)
    assert collocation.factorise(matrix, pivot)
    collocation.solve_factorised(matrix, pivot, right)
    assert right == pytest.approx(expected, rel=1e-10)
    assert not collocation.factorise(np.zeros((n, n)), pivot)


# ---- springs: 1e6 N/m on 50 g, as loads will be ----------------------------------------------------------------------
# Kernels as plain Python alone take a load that depends on the pose: it is put into `evaluate_mode`.

plain = pytest.mark.skipif(not is_disabled(), reason="the load is put in where kernels are plain Python")

SQUARED, WAVE, DRIFT = 2e7, 2.0 * pi, np.array([0.0, -0.01, 0.0])  # 1/s^2; rad/s; m/s
SIZE, SPEED = 0.05, 0.7  # m, m/s
AMPLITUDE = np.array([0.1, 0.02j, 0.005 - 0.01j])  # of the frame, m


class Held:
    """A part on springs and dampers whose frame moves as DRIFT t + Re(AMPLITUDE exp(i WAVE t)), under gravity."""

    def __init__(self, monkeypatch, damping: float):
        coupling = np.array([[1.0, 0.2, 0.0], [0.2, 1.0, 0.1], [0.0, 0.1, 0.5]])
        self.stiffness, self.damping = SQUARED * coupling, 2.0 * damping * np.sqrt(SQUARED) * coupling
        self.weight = np.array([0.0, -9.81, 0.0])
        self.body = make_body()
        self.unit = np.array([1.0, 1.0, self.body.rho])
        evaluate = constrained.evaluate_mode

        def evaluate_held(body, mode, at, acceleration, force):
            constrained.get_load(body, at)  # which the load here takes the place of
            frame, rate = self.get_frame(at.time)
            body.w[:] = self.weight + self.stiffness @ (frame - self.unit * at.pose)
            body.w[:] += self.damping @ (rate - self.unit * at.velocity)
            return evaluate(body, mode, at, acceleration, force)

        monkeypatch.setattr(collocation, "evaluate_mode", evaluate_held)
        self.evaluate = evaluate_held

    @staticmethod
    def get_frame(t):
        turn = AMPLITUDE * np.exp(1j * WAVE * t)
        return turn.real + DRIFT * t, (1j * WAVE * turn).real + DRIFT

    def compute_slow(self, t):
        """The motion without swinging: that of the frame by the transfer of springs and dampers."""
        held = self.stiffness + 1j * WAVE * self.damping
        turn = np.linalg.solve(held - WAVE * WAVE * np.eye(3), held @ AMPLITUDE) * np.exp(1j * WAVE * t)
        sag = np.linalg.solve(self.stiffness, self.weight)
        return turn.real + sag + DRIFT * t, (1j * WAVE * turn).real + DRIFT


def make_free():
    mode = allocate_record(MODE)
    mode.kind = FREE
    return mode


@plain
@pytest.mark.parametrize("damping", [0.0, 0.05, 3.0, 100.0])
def test_a_stiff_spring_that_is_at_rest_on_a_moving_frame_does_not_limit_the_step(monkeypatch, damping):
    """450 steps a second would be its own; the slow motion is followed to the tolerance, its forces to 1e-8."""
    held, mode, accuracy = Held(monkeypatch, damping), make_free(), Accuracy(1e-11, SIZE, SPEED)
    (q, v), t, h, lengths, defect = held.compute_slow(0.0), 0.0, 1e-3, [], 0.0
    q, v, trial, force = q / held.unit, v / held.unit, np.zeros(3), np.zeros(4)
    while t < 1.0:
        h = min(h, 1.0 - t)
        path, error = collocate(held.body, mode, MotionState(t, q, v), h, accuracy)
        if error <= 1.0:
            for tau in np.linspace(0.0, h, 12):
                pose, velocity = place(path, tau)
                slow, rate = held.compute_slow(t + tau)
                assert np.abs(pose * held.unit - slow).max() < 1e-11 * SIZE
                assert np.abs(velocity * held.unit - rate).max() < 1e-11 * SPEED
                held.evaluate(held.body, mode, MotionState(t + tau, pose, velocity), trial, force)
                defect = max(defect, np.abs(trial - evaluate_acceleration(path, tau)).max())
            q, v = place(path, h)
            t += h
            lengths.append(h)
        h *= collocation.scale_step(error) if error < inf else 0.25
    assert defect < 1e-7 and len(lengths) < 45 and max(lengths) > 0.03, (defect, len(lengths), max(lengths))


@plain
@pytest.mark.parametrize("above", [True, False])
def test_what_swings_above_the_tolerance_is_refused_and_below_dies_in_a_few_steps(monkeypatch, above):
    held, mode, accuracy = Held(monkeypatch, 0.0), make_free(), Accuracy(1e-11, SIZE, SPEED)
    q, v = held.compute_slow(0.0)
    # the velocity is what shows first: it is omega times the amplitude
    v = v + np.array([10.0 if above else 0.01, 0.0, 0.0]) * accuracy.tolerance * SPEED
    q, v, t = q / held.unit, v / held.unit, 0.0
    for h in (0.005, 0.01, 0.02):
        path, error = collocate(held.body, mode, MotionState(t, q, v), h, accuracy)
        assert (error > 1.0) == above, error
        if above:
            return
        (q, v), t = place(path, h), t + h
    slow, rate = held.compute_slow(t)
    assert np.abs(q * held.unit - slow).max() < 1e-15 and np.abs(v * held.unit - rate).max() < 1e-13


@plain
@pytest.mark.parametrize("damping", [0.0, 0.1, 1.5])
def test_what_swings_is_followed_by_steps_of_its_period(monkeypatch, damping):
    """An oscillation from a push, by steps short enough for it, against its closed form."""
    held, mode, omega = Held(monkeypatch, 0.0), make_free(), 100.0
    held.stiffness, held.damping = omega**2 * np.eye(3), 2.0 * damping * omega * np.eye(3)
    held.weight = np.zeros(3)
    monkeypatch.setattr(held, "get_frame", lambda t: (np.zeros(3), np.zeros(3)))
    roots = np.roots([1.0, 2.0 * damping * omega, omega**2])
    amplitude = np.array([1.0, -1.0]) * SPEED / (roots[0] - roots[1])
    q, v, t, h, steps = np.zeros(3), np.array([SPEED, 0.0, 0.0]), 0.0, 1e-4, 0
    while t < 0.05:
        path, error = collocate(held.body, mode, MotionState(t, q, v), h, Accuracy(1e-11, SIZE, SPEED))
        if error <= 1.0:
            for tau in np.linspace(0.0, h, 5):
                exact = (amplitude * np.exp(roots * (t + tau))).sum().real
                assert abs(place(path, tau)[0][0] - exact) < 1e-11 * SIZE
            (q, v), t, steps = place(path, h), t + h, steps + 1
        h *= collocation.scale_step(error)
    assert steps > 20


@plain
def test_a_part_far_from_the_origin_is_held_as_well(monkeypatch):
    """At 1 km a pose is known to 1e-13 m, and a stiff spring makes accelerations of that."""
    held, mode, far = Held(monkeypatch, 0.3), make_free(), np.array([1e3, 0.0, 0.0])
    frame = held.get_frame
    monkeypatch.setattr(held, "get_frame", lambda t: (frame(t)[0] + far, frame(t)[1]))
    q, v = held.compute_slow(0.0)
    at = MotionState(0.0, (q + far) / held.unit, v / held.unit)
    path, error = collocate(held.body, mode, at, 0.02, Accuracy(1e-9, SIZE, SPEED))
    assert error <= 1.0
    assert np.abs(place(path, 0.02)[0] * held.unit - far - held.compute_slow(0.02)[0]).max() < 1e-12


# ---- compiled and plain ----------------------------------------------------------------------------------------------


def write_bits() -> list[str]:
    return [collocate(*begin(name), 0.05)[0].c.tobytes().hex() for name in ("sliding", "rolling", "two")]


@pytest.mark.skipif(is_disabled(), reason="all of it is plain Python")
def test_plain_python_has_the_same_bits_and_holds_springs():
    """The tests of springs in a process without compilation, and the bits of three steps."""
    root = Path(__file__).parents[3]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    code = "from tests.dynamics.motion.test_collocation import write_bits; print(*write_bits())"
    result = subprocess.run([sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True,
                            timeout=120)
    assert result.stdout.split() == write_bits(), result.stderr
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "held or swings or spring"]
    result = subprocess.run(tests, cwd=root, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
