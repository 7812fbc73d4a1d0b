"""The motion between rows as polynomials: exact for parabolas, near fine logs of other motions, never across a jump."""

import numpy as np
import pytest

from sim import load_scene, simulate
from sim.log.motion_pieces import FEWEST, build_pieces, find_scale
from sim.log.trajectory import Trajectory
from sim.rows.records import EVENT_DTYPE, EVENT_KINDS, STEP_DTYPE
from sim.rows.status import Status
from tests.sim.synthetic import change, make_record, make_slide, take_rows


def make_rows_of(times, place, events=()):
    """A trajectory whose x follows `place(order, times)`, the value and its derivatives."""
    steps = np.zeros(len(times), STEP_DTYPE)
    steps["time"] = times
    for name, order in (("x", 0), ("vx", 1), ("ax", 2)):
        steps[name] = place(order, np.asarray(times))
    rows = np.zeros(len(events), EVENT_DTYPE)
    rows["kind"] = EVENT_KINDS.index("impact")
    for k, (time, before) in enumerate(events):
        rows["time"][k], rows["vx_before"][k] = time, before
    none = np.zeros(0, take_rows(make_slide(), [0]).contacts.dtype)
    return Trajectory(None, steps, none, rows, none, Status.COMPLETED, None, "", make_record())


def polynomial(*coefficients):
    curve = np.polynomial.Polynomial(coefficients)
    return lambda order, times: curve.deriv(order)(times) if order else curve(times)


def test_a_slide_is_one_piece():
    trajectory = simulate(load_scene("block_on_incline"))
    pieces = trajectory.pieces
    assert len(trajectory) > 50 and len(pieces.begin) == 1
    assert np.abs(pieces.evaluate(trajectory.time) - trajectory.pose).max() < 1e-14
    assert np.count_nonzero(pieces.coefficients[0, :, 3:]) == 0  # the parabola, without powers made of rounding


@pytest.mark.parametrize("degree", range(6))
def test_polynomials_up_to_the_fifth_degree_are_met(rng, degree):
    place = polynomial(*rng.standard_normal(degree + 1))
    trajectory = make_rows_of(np.linspace(0.0, 0.3, 4), place)
    looks = rng.uniform(0.0, 0.3, 50)
    assert np.abs(trajectory.pieces.evaluate(looks)[:, 0] - place(0, looks)).max() < 1e-13


def test_the_error_falls_with_the_sixth_power():
    def wave(order, times):
        return np.sin(times + order * np.pi / 2.0)

    looks, errors = np.linspace(0.0, 1.0, 801), []
    for n in (4, 8, 16):
        trajectory = make_rows_of(np.linspace(0.0, 1.0, n + 1), wave)
        errors.append(np.abs(trajectory.pieces.evaluate(looks)[:, 0] - wave(0, looks)).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(6.0, abs=0.3)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(6.0, abs=0.3)


def test_velocities_jump_at_events_only():
    """Down with 1 m/s, up with 0.5 m/s: the velocity before the event is the one that arrives."""
    times = np.linspace(0.0, 2.0, 21)
    trajectory = make_rows_of(times, lambda order, t: (np.where(t < 1.0, 1.0 - t, 0.5 * (t - 1.0)),
                                                       np.where(t < 1.0, -1.0, 0.5), 0.0 * t)[order], [(1.0, -1.0)])
    pieces = trajectory.pieces
    assert pieces.begin.tolist() == [0.0, 1.0]
    assert np.abs(pieces.evaluate([0.97, 1.0, 1.03])[:, 0] - [0.03, 0.0, 0.015]).max() < 1e-14


def test_velocities_jump_between_rows_too():
    """The last bounces before an accumulation have no rows: the parabola is kept, and does not swing to meet velocities
    of the other side of a jump."""
    h, bounce = 1e-3, 0.7e-3
    times = np.array([0.0, h])
    place = (np.array([0.0, bounce - 0.5 * (h - bounce)]), np.array([1.0, 0.3]), np.zeros(2))
    trajectory = make_rows_of(times, lambda order, t: place[order], [(bounce, 1.0), (h, -0.5)])
    u = np.linspace(0.0, h, 101)
    drop = place[0][1] - h  # what the line leaves
    assert np.abs(trajectory.pieces.evaluate(u)[:, 0] - u).max() <= abs(drop) * (1.0 + 1e-12)
    assert np.abs(trajectory.pieces.evaluate(u)[:, 0] - u - drop * (u / h) ** 3).max() < 1e-15


@pytest.mark.parametrize("phase", np.linspace(0.0, np.pi, 12, endpoint=False))
def test_vibrations_of_four_rows_a_period_are_nearer_than_parabolas(phase):
    """As of a feeder of 50 Hz with a row every 5 ms: places, velocities and accelerations all count."""
    times = np.arange(5) * np.pi / 2.0
    trajectory = make_rows_of(times, lambda order, t: np.sin(t + phase + order * np.pi / 2.0))
    looks = np.linspace(0.0, 2.0 * np.pi, 801)
    assert np.abs(trajectory.pieces.evaluate(looks)[:, 0] - np.sin(looks + phase)).max() < 5e-4


@pytest.mark.parametrize("ends", [False, True])  # in an event, which hides the acceleration that arrives
@pytest.mark.parametrize("decays", [0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0, 30.0, 1000.0])
def test_strokes_against_dampers_do_not_overshoot(decays, ends):
    """However stiff the damper is, and never farther off than the parabola was."""
    times = np.array([0.0, decays])

    def place(order, t):
        return -np.exp(-t) * (-1.0) ** order

    trajectory = make_rows_of(times, place, [(decays, float(np.exp(-decays)))] if ends else [])
    looks = np.linspace(0.0, decays, 801)
    truth, found = -np.exp(-looks), trajectory.pieces.evaluate(looks)[:, 0]
    parabola = -1.0 + looks + (1.0 - np.exp(-decays) - decays) * (looks / decays) ** 2
    assert np.abs(found - truth).max() < np.abs(parabola - truth).max()
    if decays <= 3.0:
        assert found.max() <= -np.exp(-decays) + 1e-12


def test_rows_that_are_not_numbers_count_for_nothing():
    """A jammed part has no acceleration; where a tree splits, none arrives."""
    place = polynomial(1.0, 2.0)
    trajectory = make_rows_of([0.0, 0.1, 0.2], place)
    for lost in (("ax",), ("ax", "vx")):
        rows = change(trajectory, **{name: np.where([True, True, name == "vx"], trajectory.steps[name], np.nan)
                                     if name == "vx" else np.full(3, np.nan) for name in lost})
        assert np.abs(build_pieces(rows).evaluate([0.05, 0.15])[:, 0] - [1.1, 1.3]).max() < 1e-14
    rows = change(trajectory, ax=[0.0, 0.0, np.nan], vx=[2.0, 2.0, np.nan])
    assert np.abs(build_pieces(rows).evaluate([0.15])[0, 0] - 1.3) < 1e-14


def test_a_decay_that_rows_do_not_resolve_does_not_overshoot():
    tau = 1e-4

    def decay(order, times):
        return (tau * -np.expm1(-times / tau), np.exp(-times / tau), -np.exp(-times / tau) / tau)[order]

    trajectory = make_rows_of([0.0, 0.01, 0.02], decay)
    looks = np.linspace(0.0, 0.02, 400)
    off = np.abs(trajectory.pieces.evaluate(looks)[:, 0] - decay(0, looks)).max()
    assert off < 0.2 * 0.01  # of v h; with the acceleration it would be ten times that


def test_one_row_and_two_at_one_instant():
    assert np.array_equal(build_pieces(take_rows(make_slide(), [0])).evaluate([0.0, 5.0]),
                          np.repeat(make_slide().pose[:1], 2, axis=0))
    place = polynomial(0.0, 1.0)
    trajectory = make_rows_of([0.0, 0.1, 0.1, 0.2], place)
    assert np.abs(trajectory.pieces.evaluate([0.05, 0.1, 0.15])[:, 0] - [0.05, 0.1, 0.15]).max() < 1e-15


def test_few_rows_are_not_joined_and_many_are():
    place = polynomial(0.0, 1.0, 3.0)
    assert len(make_rows_of(np.linspace(0.0, 1.0, FEWEST), place).pieces.begin) == FEWEST - 1
    assert len(make_rows_of(np.linspace(0.0, 1.0, FEWEST + 1), place).pieces.begin) == 1
    assert len(make_rows_of(np.linspace(0.0, 1.0, 1000), place).pieces.begin) == 1


@pytest.mark.parametrize(("scene", "most"), [("rocking_block", 1e-8), ("pin_in_bush", 1e-8), ("peg_in_hole", 1e-8),
                                             ("cam_follower", 1e-8), ("compliant_peg", 1e-4)])
def test_a_coarse_log_agrees_with_a_fine_one(scene, most):
    """Of motions that are no parabolas; most: relative to the size of the part and its distance from the origin."""
    scene = load_scene(scene)
    interval = scene.run.output_interval or scene.run.duration / 100
    duration = min(scene.run.duration, 150 * interval)
    coarse = simulate(scene, duration, output_interval=4.0 * interval)
    fine = simulate(scene, duration, output_interval=interval)
    off = np.abs(coarse.pieces.evaluate(fine.time) - fine.pose) / find_scale(fine)
    assert off.max() < most
