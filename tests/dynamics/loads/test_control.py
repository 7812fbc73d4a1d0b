"""The projections and the laws of a controller, against `dynamics.spaces.projection` and by what they must do."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.loads import control as c
from dynamics.motion.closed import CLOSED
from dynamics.spaces.projection import build_contact_spaces, combine_commands, solve_contact
from geometry.compiled.kernel import get_function
from geometry.compiled.record import allocate_record, allocate_table

MASS = 1.7


def make_metric(rng):
    root = rng.normal(size=(3, 3))
    return root @ root.T + 0.3 * np.eye(3)


def make_controller(A=None, B=None, projects=True):
    control = allocate_table(c.CONTROL, 1)[0]
    for name, matrix in (("force", A), ("motion", None if B is None else np.linalg.inv(B)), ("object", None)):
        root = np.linalg.cholesky(np.eye(3) if matrix is None else matrix)
        control[f"{name}_root"], control[f"{name}_back"] = root, np.linalg.inv(root)
    control.sense_back, control.projects = np.eye(3), projects
    return control


def make_contacts(N, b=None):
    closed = allocate_record(CLOSED)
    closed.n = len(N)
    closed.normal[: len(N)] = N
    closed.b[: len(N)] = 0.0 if b is None else b
    return closed


CASES = [(contacts, seed) for contacts in (1, 2, 3, 5) for seed in range(4)]


def draw(contacts, seed):
    rng = np.random.default_rng([contacts, seed])
    return rng, rng.normal(size=(contacts, 3)), rng.normal(size=contacts) * (contacts <= 3)


@pytest.mark.parametrize(("contacts", "seed"), CASES)
def test_projections_are_those_of_equations_12_and_14(contacts, seed):
    rng, N, b = draw(contacts, seed)
    A, B, sample = make_metric(rng), make_metric(rng), allocate_record(c.SAMPLE)
    spaces, control, closed = build_contact_spaces(N=N.T), make_controller(A, B), make_contacts(N, b)
    get_function(c.fill_bias)(control, closed, sample)
    np.testing.assert_allclose(sample.omega_m, spaces.omega_m(B), atol=1e-10)
    np.testing.assert_allclose(N @ sample.bias, -b, atol=1e-9)
    rank = get_function(c.span_contacts)(closed, control.force_back, sample)
    get_function(c.fill_projection)(control.force_root, control.force_back, sample, rank, sample.omega_f)
    assert rank == spaces.rank
    np.testing.assert_allclose(sample.omega_f, spaces.omega_f(A), atol=1e-10)


def test_contacts_that_are_the_same_count_once():
    sample, closed = allocate_record(c.SAMPLE), make_contacts([[0, 1, 0.2], [0, 1, 0.2], [0, 1, -0.3]])
    assert get_function(c.span_contacts)(closed, np.eye(3), sample) == 2


@pytest.mark.parametrize(("contacts", "seed"), CASES)
def test_amounts_are_the_least_ones(contacts, seed):
    _, N, _ = draw(contacts, seed)
    amounts = np.arange(1.0, contacts + 1.0)
    sample, closed = allocate_record(c.SAMPLE), make_contacts(N)
    sample.measured[:] = -N.T @ amounts
    get_function(c.fill_amounts)(make_controller(), closed, sample)
    np.testing.assert_allclose(closed.e[:contacts], np.linalg.pinv(N.T) @ N.T @ amounts, atol=1e-9)


def command(control, closed, motion, push, other):
    """F of force and motion control for an a_m and an f_m."""
    sample, result = allocate_record(c.SAMPLE), np.zeros(3)
    get_function(c.fill_bias)(control, closed, sample)
    sample.motion[:], sample.push[:], sample.other[:] = motion, push, other
    get_function(c.combine)(control, closed, sample, MASS, result)
    return result


def respond(N, b, F, other):
    """Acceleration and force on the environment of a part that is kept on contacts without friction."""
    w, rank = F / MASS + other, np.linalg.matrix_rank(N)
    fn = np.linalg.lstsq(N @ N.T, -(N @ w + b), rcond=1e-10)[0]
    assert rank == min(3, len(N))
    return w + N.T @ fn, -MASS * N.T @ fn


@pytest.mark.parametrize(("contacts", "seed"), CASES)
def test_projected_commands_are_decoupled(contacts, seed):
    """Eqs 31 and 32: without friction a force that is commanded changes no motion, and a motion no force."""
    rng, N, b = draw(contacts, seed)
    control, closed = make_controller(make_metric(rng), make_metric(rng)), make_contacts(N, b)
    other, motion, push = rng.normal(size=(3, 3))
    still, silent = respond(N, b, command(control, closed, 0 * motion, 0 * push, other), other)
    np.testing.assert_allclose(silent, 0.0, atol=1e-9)
    a, f = respond(N, b, command(control, closed, 0 * motion, push, other), other)
    np.testing.assert_allclose(a, still, atol=1e-9)
    moved, f = respond(N, b, command(control, closed, motion, push, other), other)
    a, alone = respond(N, b, command(control, closed, motion, 0 * push, other), other)
    np.testing.assert_allclose(moved, a, atol=1e-9)
    np.testing.assert_allclose(alone, 0.0, atol=1e-9)
    spaces = build_contact_spaces(N=N.T)
    A = np.array(control.force_root) @ np.array(control.force_root).T
    np.testing.assert_allclose(f, spaces.omega_f(A) @ push, atol=1e-8)


@pytest.mark.parametrize(("contacts", "seed"), CASES)
def test_without_projection_both_disturb_each_other_as_equations_29_and_30_say(contacts, seed):
    rng, N, b = draw(contacts, seed)
    control, closed = make_controller(projects=False), make_contacts(N, b)
    other, motion, push = rng.normal(size=(3, 3))
    a, f = respond(N, b, command(control, closed, motion, push, other), other)
    spaces, inertia = build_contact_spaces(N=N.T), MASS * np.eye(3)
    told = solve_contact(spaces, inertia, combine_commands(inertia, motion, push))
    bias = respond(N, b, command(control, closed, 0 * motion, 0 * push, other), other)[0]
    np.testing.assert_allclose(a - bias, told.relative_acceleration, atol=1e-9)
    np.testing.assert_allclose(f, told.contact_force, atol=1e-9)
    by_force = spaces.omega_f_complement(inertia) @ push / MASS
    by_motion = MASS * spaces.omega_m_complement(np.linalg.inv(inertia)) @ motion
    np.testing.assert_allclose(a - bias, spaces.omega_m(np.linalg.inv(inertia)) @ motion + by_force, atol=1e-9)
    np.testing.assert_allclose(f, spaces.omega_f(inertia) @ push + by_motion, atol=1e-9)
    assert np.abs(by_motion).max() > 0.05
