"""Parts and obstacles with arcs that roll, rock, slide, leave and rest: against closed forms and quadratures."""

from __future__ import annotations

from math import acos, asin, atan, cos, hypot, pi, sin, sqrt, tan

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ellipk

from sim.log.check_log import check_log
from sim.rows.status import Status
from tests import scene_builders as builders
from tests.sim.motion import get_kinds, get_times, run
from tests.sim.reference import G, integrate

ROUGH = 1e4  # so much friction that nothing slips


def check_round(trajectory, status=Status.COMPLETED):
    """Its account, the energy in each of its rows (heights are exact to rounding only), and its log, law by law."""
    account, steps, part = trajectory.account, trajectory.steps, trajectory.scene.workpiece
    size = 2.0 * part.outline.reach
    assert trajectory.status == status, trajectory.describe()
    assert account.balance_residual < 1e-11 and account.cone_residual < 1e-11, account
    assert account.penetration <= 1e-11 * size and account.gap_residual <= 1e-11 * size, account
    works = [steps[name] for name in ("work_load", "work_friction", "work_impact", "work_obstacles")]
    scale = max(steps["kinetic"].max(), np.abs(works).max(), part.mass * G * size)
    assert np.abs(steps["kinetic"] - account.energy_start - sum(works)).max() <= 1e-11 * scale
    for work in works[1:3]:
        assert (np.diff(work, prepend=0.0) <= 1e-12 * scale).all()
    broken = [verdict for verdict in check_log(trajectory) if not verdict.holds]
    assert not broken, broken


def roll(outline, pose, obstacles, mu, duration, velocity=(0.0, 0.0, 0.0), e=0.0, status=Status.COMPLETED, **top):
    """Trajectory of a part of 1 kg; it has kept all laws."""
    part = {"outline": outline, "mass": 1.0, "pose": [*map(float, pose)], "velocity": [*map(float, velocity)],
            **top.pop("part", {})}
    text = builders.build_scene(part, obstacles, friction={"default": mu}, restitution={"default": e},
                                run={"duration": float(duration), "output_interval": float(duration) / 16}, **top)
    trajectory = run(text)
    check_round(trajectory, status)
    return trajectory


def disc_obstacle(radius, name="disc", **keys):
    return {"name": name, "outline": {"disc": radius}, **keys}


def integrate_swing(energy, end, start=0.0):
    """Time from angle `start` to `end` where angle'^2 = energy(angle) > 0."""
    return quad(lambda s: 1.0 / sqrt(energy(s)), start, end, epsabs=1e-14, epsrel=1e-13, limit=200)[0]


def measure_period(inertia, gain, start):
    """Period of inertia(s) s'^2 / 2 = gain (cos s - cos(start)): with sin(s/2) = sin(start/2) sin(u)."""
    half = sin(0.5 * start)

    def slowness(u):
        s = 2.0 * asin(half * sin(u))
        return sqrt(inertia(s) / gain) / cos(0.5 * s)

    return 4.0 * quad(slowness, 0.0, 0.5 * pi, epsabs=1e-14, epsrel=1e-13)[0]


# ---- discs: as in the comparison with other programs -----------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.6, 0.05, 0.0])
def test_s4_a_disc_on_a_slope(mu):
    """r = 0.25 m, 20 degrees, mu = 0.6, 1 s: it rolls by g sin(a) / 3; with mu < tan(a) / 3 it slips."""
    r, a, t = 0.25, np.radians(20.0), 1.0
    trajectory = run(builders.slope_block({"disc": r, "center": [0.0, r]}, 20.0, mu, t))
    check_round(trajectory)
    rolls = mu >= tan(a) / 3.0
    along = G * sin(a) / 1.5 if rolls else G * (sin(a) - mu * cos(a))
    turn = along / r if rolls else 2.0 * mu * G * cos(a) / r
    x = 0.5 * along * t * t
    assert trajectory.pose[-1] == pytest.approx(
        [x * cos(a) + r * sin(a), -x * sin(a) + r * cos(a), -a - 0.5 * turn * t * t], abs=1e-13)
    assert trajectory.velocity[-1] == pytest.approx([along * cos(a) * t, -along * sin(a) * t, -turn * t], abs=1e-13)
    assert set(trajectory.mode_at(-1)) == {"n" if rolls else "r"}


def test_s6_a_disc_is_dropped():
    """r = 0.1 m, 1 m high, e = 0.5, mu = 0, 1.2 s: impacts at sqrt(2 h / g) (1, 2, 2.5)."""
    trajectory = run(builders.s6_disc())
    check_round(trajectory)
    fall = sqrt(2.0 / G)
    assert get_times(trajectory, "impact") == pytest.approx(fall * np.array([1.0, 2.0, 2.5]), abs=1e-13)
    left = 1.2 - 2.5 * fall
    assert trajectory.pose[-1] == pytest.approx([0.0, 0.1 + 0.125 * G * fall * left - 0.5 * G * left**2, 0.0],
                                                abs=1e-13)


def test_a_disc_bounces_on_a_disc():
    """Each impact turns the normal velocity round by e, and friction takes what it can of the slip: mu p or a third."""
    big, r, e, mu, duration = 1.0, 0.2, 0.7, 0.1, 1.6
    place, velocity, omega = np.array([0.01, 1.6]), np.zeros(2), 0.0
    trajectory = roll({"disc": r}, (*place, 0.0), [disc_obstacle(big)], mu, duration, e=e)
    fall, times, end = np.array([0.0, -G]), [], 0.0
    while True:
        def gap(t, place=place, velocity=velocity):
            return hypot(*(place + t * velocity + 0.5 * t * t * fall)) - (big + r)
        grid = np.linspace(1e-6, 2.0, 20_000)
        later = next((i for i, t in enumerate(grid) if gap(t) < 0.0), None)
        if later is None:
            break
        t = brentq(gap, grid[later - 1], grid[later], xtol=1e-16)
        if end + t > duration:
            break
        end += t
        times.append(end)
        place, velocity = place + t * velocity + 0.5 * t * t * fall, velocity + t * fall
        n = place / hypot(*place)
        along = np.array([n[1], -n[0]])
        slip = along @ velocity + r * omega
        push = -(1.0 + e) * (n @ velocity)
        rub = -np.sign(slip) * min(mu * push, abs(slip) / 3.0)
        velocity, omega = velocity + push * n + rub * along, omega + 2.0 * rub / r
    assert len(times) >= 3
    assert get_times(trajectory, "impact") == pytest.approx(times, abs=1e-11)
    t = duration - end
    assert trajectory.pose[-1][:2] == pytest.approx(place + t * velocity + 0.5 * t * t * fall, abs=1e-11)
    assert trajectory.velocity[-1] == pytest.approx([*(velocity + t * fall), omega], abs=1e-10)


# ---- a disc on a disc ------------------------------------------------------------------------------------------------

BIG, SMALL, SPEED = 1.0, 0.25, 0.5  # radii, and the speed of the centre at the top


def start_on_top(mu, duration, rolls=True):
    length = BIG + SMALL
    return roll({"disc": SMALL}, (0.0, length, 0.0), [disc_obstacle(BIG)], mu, duration,
                velocity=(SPEED, 0.0, -SPEED / SMALL if rolls else 0.0))


def square_speed(angle, factor):
    """angle'^2 of a ball on a ball; factor 1 where it slides, 3/2 where it rolls."""
    length = BIG + SMALL
    return (SPEED / length) ** 2 + 2.0 * G * (1.0 - cos(angle)) / (factor * length)


def test_without_friction_a_disc_leaves_where_its_height_has_fallen_by_a_third():
    trajectory = start_on_top(0.0, 1.5, rolls=False)
    length = BIG + SMALL
    leave = acos((SPEED**2 / (G * length) + 2.0) / 3.0)
    event = trajectory.events[trajectory.events["kind"] == "separation"][0]
    assert event["time"] == pytest.approx(integrate_swing(lambda s: square_speed(s, 1.0), leave), abs=1e-12)
    assert (event["x"], event["y"]) == pytest.approx((length * sin(leave), length * cos(leave)), abs=1e-12)
    assert get_kinds(trajectory) == ["start", "separation"]


@pytest.mark.parametrize("mu", [0.05, 0.2, 0.5, 1.0, 5.0, 100.0])
def test_a_disc_on_a_disc_rolls_then_slips_then_leaves(mu):
    """Rolling demands sin(s) g / 3 of friction; from where that is mu N on, an ordinary differential equation."""
    length = BIG + SMALL
    def normal(angle, square):
        return G * cos(angle) - length * square
    slip = brentq(lambda s: G * sin(s) / 3.0 - mu * normal(s, square_speed(s, 1.5)), 0.0, 1.5, xtol=1e-16)
    slip_time = integrate_swing(lambda s: square_speed(s, 1.5), slip)

    def rate(_, y):
        angle, speed = y
        return [speed, (G * sin(angle) - mu * normal(angle, speed**2)) / length]

    after, y = integrate(rate, [slip, sqrt(square_speed(slip, 1.5))], 2.0, lambda _, y: normal(y[0], y[1] ** 2))
    trajectory = start_on_top(mu, 1.5)
    assert get_kinds(trajectory) == ["start", "slip", "separation"]
    slips, leaves = trajectory.events[1], trajectory.events[2]
    assert slips["time"] == pytest.approx(slip_time, abs=1e-11)
    assert np.arctan2(slips["x"], slips["y"]) == pytest.approx(slip, abs=1e-11)
    assert leaves["time"] == pytest.approx(slip_time + after, abs=1e-10)
    assert np.arctan2(leaves["x"], leaves["y"]) == pytest.approx(y[0], abs=1e-10)
    # the more friction, the nearer to the angle where a disc that always rolls would leave: cos = 4/7 from rest
    free = acos((SPEED**2 / (G * length) + 4.0 / 3.0) / (7.0 / 3.0))
    assert 0.0 < free - slip < 0.5 / mu and 0.0 < abs(free - y[0]) < 0.5 / mu


# ---- half a disc -----------------------------------------------------------------------------------------------------

HALF = 0.5
DEEP = 4.0 * HALF / (3.0 * pi)  # of the centre of mass below the flat
HALF_RHO = sqrt(0.5 * HALF**2 - DEEP**2)
HALF_DISC = {"vertices": [[-HALF, 0.0], [HALF, 0.0]], "bulge": [1.0, 0.0]}


@pytest.mark.parametrize("start", [1e-3, 0.4, 1.2, 1.5])
@pytest.mark.parametrize("rolls", [True, False])
def test_half_a_disc_rocks(start, rolls):
    """Without slip the middle of the flat moves along, without friction the centre of mass goes up and down only."""
    def inertia(s):
        sideways = (DEEP * cos(s) - HALF) ** 2 if rolls else 0.0
        return HALF_RHO**2 + sideways + (DEEP * sin(s)) ** 2
    period = measure_period(inertia, G * DEEP, start)
    trajectory = roll(HALF_DISC, (0.0, HALF, start), [builders.build_floor()], ROUGH if rolls else 0.0, period)
    assert trajectory.pose[0] == pytest.approx([DEEP * sin(start), HALF - DEEP * cos(start), start], abs=1e-15)
    assert trajectory.pose[-1] == pytest.approx(trajectory.pose[0], abs=1e-11)
    assert trajectory.velocity[-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-10)
    assert set(get_kinds(trajectory)) <= {"start", "slip"} and ("slip" not in get_kinds(trajectory) or not rolls)
    half = roll(HALF_DISC, (0.0, HALF, start), [builders.build_floor()], ROUGH if rolls else 0.0, 0.5 * period)
    x = HALF * 2.0 * start - DEEP * sin(start) if rolls else DEEP * sin(start)
    assert half.pose[-1] == pytest.approx([x, HALF - DEEP * cos(start), -start], abs=1e-11)


def put_on_slope(tilt, slope, mu, duration, spin=0.0):
    """Half a disc with its flat at an angle, on a slope down to the right through the origin."""
    place = HALF * np.array([sin(slope), cos(slope)])
    return roll(HALF_DISC, (*place, tilt), [builders.build_floor("slope", -slope)], mu, duration,
                velocity=(0.0, 0.0, spin))


@pytest.mark.parametrize("degrees", [5.0, 15.0, 24.0])
def test_half_a_disc_rests_on_a_slope_where_its_centre_is_above_the_contact(degrees):
    slope = np.radians(degrees)
    tilt = -asin(HALF * sin(slope) / DEEP)
    mu = 1.01 * tan(slope)
    rest = put_on_slope(tilt, slope, mu, 5.0)
    assert np.abs(rest.pose[-1] - rest.pose[0]).max() < 1e-13
    assert set(rest.mode_at(0)) == {"n"} and rest.contacts_at(0)["fn"][0] == pytest.approx(G * cos(slope), abs=1e-12)
    assert abs(rest.contacts_at(0)["ft"][0]) == pytest.approx(G * sin(slope), abs=1e-12)
    # a little less friction: it slides, at first without turning
    slides = put_on_slope(tilt, slope, 0.99 * tan(slope), 1e-3)
    assert set(slides.mode_at(0)) == {"r"}


@pytest.mark.parametrize("degrees", [20.0, 24.5])
def test_half_a_disc_rocks_about_its_rest_on_a_slope(degrees):
    """Up to sin(a) = h / R = 0.4244, 25.1 degrees; energy: the middle of the flat goes down the slope by R (turned)."""
    slope = np.radians(degrees)
    rest = -asin(HALF * sin(slope) / DEEP)
    start = rest - 0.05 * (rest + 0.5 * pi)

    def rate(_, y):
        """Inertia about the contact: I(tilt) tilt'' + I'(tilt) tilt'^2 / 2 = -V'(tilt)."""
        turned = y[0] + slope
        inertia = HALF_RHO**2 + DEEP**2 + HALF**2 - 2.0 * DEEP * HALF * cos(turned)
        push = G * (DEEP * sin(y[0]) + HALF * sin(slope)) + DEEP * HALF * sin(turned) * y[1] ** 2
        return [y[1], -push / inertia]

    time, (other, _) = integrate(rate, [start, 0.0], 5.0, lambda _, y: y[1])
    there = G * (HALF * other * sin(slope) - DEEP * cos(other))
    assert there == pytest.approx(G * (HALF * start * sin(slope) - DEEP * cos(start)), abs=1e-12)
    trajectory = put_on_slope(start, slope, ROUGH, time)
    assert get_kinds(trajectory) == ["start"]
    assert trajectory.pose[-1][2] == pytest.approx(other, abs=1e-10)
    assert trajectory.velocity[-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_on_a_steeper_slope_half_a_disc_rolls_over():
    """26 degrees: wherever it starts, it rolls on until its corner is on the slope."""
    slope = np.radians(26.0)
    start = -slope + 0.3

    def square(tilt):
        fall = G * (DEEP * (cos(tilt) - cos(start)) - HALF * (tilt - start) * sin(slope))
        turned = tilt + slope
        return 2.0 * fall / (HALF_RHO**2 + (DEEP * cos(turned) - HALF) ** 2 + (DEEP * sin(turned)) ** 2)
    # start - tilt = u^2: without the square root of the start
    time = quad(lambda u: 2.0 * u / sqrt(square(start - u * u)), 0.0, sqrt(start + slope + 0.5 * pi), epsabs=1e-13,
                epsrel=1e-13)[0]
    trajectory = put_on_slope(start, slope, ROUGH, time + 0.1)
    end = trajectory.events[get_kinds(trajectory).index("edge end")]
    assert end["time"] == pytest.approx(time, abs=1e-10)
    assert end["theta"] == pytest.approx(-slope - 0.5 * pi, abs=1e-12)


# ---- a ring on a peg -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [1e-3, 0.5, 1.5])
@pytest.mark.parametrize("mu", [ROUGH, 0.0])
def test_a_ring_swings_on_a_peg(start, mu):
    """Its hole (concave, of the part) on the peg (convex): a pendulum of length (a - p)(1 + rho^2 / a^2) that rolls."""
    hole, rim, peg = 0.3, 0.5, 0.1
    arm = hole - peg
    rho2 = 0.5 * (hole**2 + rim**2)
    length = arm * (1.0 + (rho2 / hole**2 if mu else 0.0))
    period = 4.0 * sqrt(length / G) * ellipk(sin(0.5 * start) ** 2)
    ring = {"disc": rim, "holes": [{"disc": hole}]}
    pose = (arm * sin(start), -arm * cos(start), 0.0)
    trajectory = roll(ring, pose, [disc_obstacle(peg, "peg")], mu, period)
    assert trajectory.scene.workpiece.rho == pytest.approx(sqrt(rho2), rel=1e-14)
    assert trajectory.pose[-1] == pytest.approx(pose, abs=1e-11)
    assert np.abs(trajectory.velocity[-1]).max() < 1e-10
    half = roll(ring, pose, [disc_obstacle(peg, "peg")], mu, 0.5 * period)
    assert half.pose[-1] == pytest.approx([-pose[0], pose[1], -2.0 * start * arm / hole if mu else 0.0], abs=1e-11)
    assert set(get_kinds(half)) <= {"start", "slip"}


def test_a_ring_that_spins_on_its_peg_hangs_at_the_angle_of_friction():
    """Put there spinning it stays at tan(s) = mu until its spin has gone: then it swings back."""
    hole, rim, peg, mu, spin = 0.3, 0.5, 0.1, 0.4, -20.0
    arm, rho2 = hole - peg, 0.5 * (hole**2 + rim**2)
    s = atan(mu)
    # clockwise: the top of the hole goes to the right over the peg, which pushes the ring to the left
    pose = (-arm * sin(s), -arm * cos(s), 0.0)
    slows = mu * G * cos(s) * hole / rho2
    time = -spin / slows
    trajectory = roll({"disc": rim, "holes": [{"disc": hole}]}, pose, [disc_obstacle(peg, "peg")], mu, time + 0.1,
                      velocity=(0.0, 0.0, spin))
    stick = get_times(trajectory, "stick")[0]
    event = trajectory.events[get_kinds(trajectory).index("stick")]
    assert stick == pytest.approx(time, abs=1e-11)
    assert (event["x"], event["y"], event["theta"]) == pytest.approx((*pose[:2], 0.5 * spin * time), abs=1e-10)
    assert trajectory.pose[-1][0] > pose[0]


# ---- at rest ---------------------------------------------------------------------------------------------------------


def check_rest(trajectory, forces):
    """Nothing moves, to the last bit, and each obstacle pushes with its force [N]."""
    assert np.ptp(trajectory.pose, axis=0).max() == 0.0
    rows = trajectory.contacts_at(0)
    names = [trajectory.scene.obstacles[i].name for i in rows["obstacle"]]
    for name, force in forces.items():
        pushes = [row["fn"] for row, owner in zip(rows, names, strict=True) if owner == name]
        assert sum(pushes) == pytest.approx(force, abs=1e-12), name
    assert len(forces) == len(set(names))


def build_plate(name, angle):
    """A slab whose upper face goes through the origin, turned by an angle."""
    return {"name": name, "outline": builders.box_outline(-4.0, -1.0, 4.0, 0.0), "pose": [0.0, 0.0, angle]}


@pytest.mark.parametrize(("left", "right"), [(0.7, 0.7), (0.3, 1.2), (1.0, 0.2)])
@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_a_disc_rests_in_a_notch(left, right, mu):
    """Walls that rise at the angles left and right: forces m g sin(other) / sin(left + right), none by friction."""
    r = 0.2
    # on both offset lines: n.c = r
    normals = np.array([[sin(left), cos(left)], [-sin(right), cos(right)]])
    centre = np.linalg.solve(normals, [r, r])
    trajectory = roll({"disc": r}, (*centre, 0.0), [build_plate("left", -left), build_plate("right", right)], mu, 1.0)
    whole = sin(left + right)
    if mu == 0.0:
        check_rest(trajectory, {"left": G * sin(right) / whole, "right": G * sin(left) / whole})
    else:  # friction may hold a part of it: the moments alone are known
        assert np.ptp(trajectory.pose, axis=0).max() == 0.0
        assert trajectory.contacts_at(0)["ft"].sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("radii", "distance"), [((0.5, 0.5), 1.1), ((0.5, 0.3), 1.0)])
def test_a_disc_rests_on_two_discs(radii, distance):
    """The forces go along the lines of the centres: a triangle of forces."""
    r, (first, second) = 0.2, radii
    a, b = first + r, second + r
    x = (a * a - b * b + distance**2) / (2.0 * distance)
    y = sqrt(a * a - x * x)
    obstacles = [disc_obstacle(first, "first"), disc_obstacle(second, "second", pose=[distance, 0.0, 0.0])]
    forces = np.linalg.solve(np.array([[x / a, (x - distance) / b], [y / a, y / b]]), [0.0, G])
    for mu in (0.0, 0.5):
        trajectory = roll({"disc": r}, (x, y, 0.0), obstacles, mu, 1.0)
        assert np.ptp(trajectory.pose, axis=0).max() == 0.0
        if mu == 0.0:
            check_rest(trajectory, dict(zip(("first", "second"), forces, strict=True)))


def test_a_disc_is_pressed_into_a_corner():
    walls = [build_plate("floor", 0.0), {"name": "wall", "outline": builders.box_outline(0.5, 0.0, 1.0, 2.0)}]
    trajectory = roll({"disc": 0.2}, (0.3, 0.2, 0.0), walls, 0.0, 1.0, load=[{"force": [7.0, -3.0]}])
    check_rest(trajectory, {"floor": G + 3.0, "wall": 7.0})
    turned = roll({"disc": 0.2}, (0.3, 0.2, 0.0), walls, 0.3, 1.0, load=[{"force": [7.0, -3.0], "torque": 0.1}])
    assert np.ptp(turned.pose, axis=0).max() == 0.0  # friction holds it against a small torque
    assert 0.2 * turned.contacts_at(0)["ft"].sum() == pytest.approx(-0.1, abs=1e-12)


def test_a_capsule_falls_flat():
    """Both ends of its side strike at once; without restitution it lies, half of its weight on each end."""
    trajectory = roll({"capsule": {"length": 1.0, "radius": 0.2}}, (0.0, 0.7, 0.0), [builders.build_floor()], 0.3, 1.0)
    assert get_times(trajectory, "impact") == pytest.approx([sqrt(2.0 * 0.5 / G)], abs=1e-14)
    assert trajectory.pose[-1] == pytest.approx([0.0, 0.2, 0.0], abs=1e-15)
    assert trajectory.contacts_at(-1)["fn"] == pytest.approx([0.5 * G, 0.5 * G], abs=1e-12)
    assert sorted(trajectory.contacts_at(-1)["px"]) == pytest.approx([-0.5, 0.5], abs=1e-15)


def test_a_capsule_rests_across_two_discs():
    """...at distances 1 and 3 from its middle, with three quarters and one quarter of its weight on them."""
    discs = [disc_obstacle(0.5, "near", pose=[-0.1, -0.5, 0.0]), disc_obstacle(0.1, "far", pose=[0.3, -0.1, 0.0])]
    trajectory = roll({"capsule": {"length": 1.0, "radius": 0.2}}, (0.0, 0.2, 0.0), discs, 0.3, 1.0)
    check_rest(trajectory, {"near": 0.75 * G, "far": 0.25 * G})
