"""Parts with round corners and round ends: they tip, roll over, come near to sharp ones, and jam as these do."""

from __future__ import annotations

from itertools import pairwise
from math import asin, atan2, cos, hypot, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from dynamics import find_accelerations
from sim import simulate
from sim.instant.instant import contact_problem
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.sim.engine.test_round_parts import ROUGH, check_round, integrate_swing, measure_period, roll
from tests.sim.motion import get_kinds, get_times, run
from tests.sim.reference import G, integrate

# ---- a block with fillets --------------------------------------------------------------------------------------------


class Block:
    """A block 2a wide and 2b high with fillets r that rolls on its lower left one, tilted by s to the left."""

    def __init__(self, a, b, r, rho):
        self.a, self.b, self.r, self.rho = a, b, r, rho
        self.length, self.critical = hypot(a - r, b - r), atan2(a - r, b - r)
        self.outline = {"box": [2.0 * a, 2.0 * b], **({"fillet": r} if r else {})}

    def inertia(self, s):
        """About the contact, per mass."""
        up, side = self.height(s), self.length * sin(self.critical - s)
        return self.rho**2 + up * up + side * side

    def height(self, s):
        return self.r + self.length * cos(self.critical - s)

    def place(self, s):
        """Centre of mass; the block stood with its middle at x = 0 when s was 0."""
        return np.array([-(self.a - self.r) - self.r * s + self.length * sin(self.critical - s), self.height(s)])

    def rate(self, _, y):
        """I s'' + I' s'^2 / 2 = -g height'."""
        side = self.length * sin(self.critical - y[0])
        return [y[1], -(G * side + self.r * side * y[1] ** 2) / self.inertia(y[0])]

    def run(self, s, duration, spin=0.0, **keys):
        way = np.array([-self.height(s), self.length * sin(self.critical - s)])
        return roll(self.outline, (*self.place(s), s), [builders.build_floor()], ROUGH, duration,
                    velocity=(*(spin * way), spin), part={"rho": self.rho}, **keys)


BLOCK = Block(0.3, 0.5, 0.08, 0.3)


@pytest.mark.parametrize("off", [1e-3, -1e-3, 1e-7, -1e-7])
def test_a_round_corner_tips_where_the_centre_passes_its_contact(off):
    """Critical tilt: tan s = (a - r) / (b - r), to whichever side it starts."""
    trajectory = BLOCK.run(BLOCK.critical + off, 0.5)
    y = integrate(BLOCK.rate, [BLOCK.critical + off, 0.0], 0.5)
    assert (trajectory.pose[-1][2] - BLOCK.critical) / off > 1.0
    assert trajectory.pose[-1] == pytest.approx([*BLOCK.place(y[0]), y[0]], abs=1e-12)
    assert trajectory.velocity[-1][2] == pytest.approx(y[1], abs=1e-11)


def test_at_the_critical_tilt_a_block_stands():
    trajectory = BLOCK.run(BLOCK.critical, 0.1)
    assert np.abs(trajectory.pose[-1] - trajectory.pose[0]).max() < 1e-15
    assert trajectory.contacts_at(0)["fn"] == pytest.approx([G], abs=1e-13)


def test_a_block_that_is_swung_passes_its_corner_with_enough_energy():
    """I w^2 / 2 = g (r + L - b) is just enough: the time to the top by quadrature, or the time of the way back."""
    enough = 2.0 * G * (BLOCK.r + BLOCK.length - BLOCK.b) / BLOCK.inertia(0.0)
    spin = sqrt(enough * (1.0 + 1e-3))

    def square(s):
        return (BLOCK.inertia(0.0) * spin**2 - 2.0 * G * (BLOCK.height(s) - BLOCK.b)) / BLOCK.inertia(s)
    top = integrate_swing(square, BLOCK.critical)
    over = BLOCK.run(0.0, top, spin=spin)
    assert over.pose[-1] == pytest.approx([*BLOCK.place(BLOCK.critical), BLOCK.critical], abs=1e-10)
    assert over.velocity[-1][2] == pytest.approx(sqrt(square(BLOCK.critical)), abs=1e-10)
    spin = sqrt(enough * (1.0 - 1e-2))
    turn, (s, _) = integrate(BLOCK.rate, [0.0, spin], 5.0, lambda _, y: y[1])
    assert s < BLOCK.critical and BLOCK.height(s) - BLOCK.b == pytest.approx(0.99 * (BLOCK.r + BLOCK.length - BLOCK.b))
    back = BLOCK.run(0.0, 2.0 * turn + 0.1, spin=spin)
    assert get_times(back, "impact")[0] == pytest.approx(2.0 * turn, abs=1e-10)
    event = back.events[get_kinds(back).index("impact")]
    assert event["omega_before"] == pytest.approx(-spin, abs=1e-9) and event["theta"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("fillet", [0.02, 0.15])
@pytest.mark.parametrize("excess", [-1e-7, 1e-7])
def test_on_a_slope_a_block_with_fillets_tips_over_the_end_of_its_flat(fillet, excess):
    """tan(slope) = (a - r) / b: its foot is narrower by the fillets."""
    a, b = 0.2, 0.5
    slope = np.arctan((a - fillet) / b) + excess
    outline = {"vertices": [[-a, 0.0], [a, 0.0], [a, 2.0 * b], [-a, 2.0 * b]], "fillet": fillet}
    trajectory = run(builders.slope_block(outline, np.degrees(slope), 5.0, 0.5))
    check_round(trajectory)
    if excess < 0.0:
        assert np.ptp(trajectory.pose, axis=0).max() == 0.0
        return
    arm, rho = hypot(a - fillet, b), trajectory.scene.workpiece.rho
    turn = G * arm * sin(excess) / (rho**2 + arm**2)
    assert trajectory.acceleration[0][2] == pytest.approx(-turn, abs=1e-13)
    assert trajectory.pose[-1][2] < trajectory.pose[0][2] - 0.5 * turn * 0.5**2


def test_small_fillets_come_near_to_the_sharp_block_as_their_radius():
    sharp = Block(0.5, 0.5, 0.0, 0.4).run(0.3, 0.25).pose[-1]
    radii = (1e-2, 1e-3, 1e-4, 1e-5)
    errors = [abs(Block(0.5, 0.5, r, 0.4).run(0.3, 0.25).pose[-1][2] - sharp[2]) for r in radii]
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert ratios[0] == pytest.approx(10.0, rel=0.05)
    assert ratios[1] == pytest.approx(10.0, rel=0.005) and ratios[2] == pytest.approx(10.0, rel=0.0005)


# ---- an ellipse of arcs ----------------------------------------------------------------------------------------------

WIDE, HIGH = 0.3, 0.2  # semi-axes, m


def build_ellipse(folder, tolerance, velocity, theta, duration, mu=ROUGH):
    """Scene of an ellipse from a drawing, lying on the floor, tilted by theta."""
    (folder / "ellipse.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="800mm" height="800mm" viewBox="0 0 800 800">'
        f'<ellipse cx="400" cy="400" rx="{1000 * WIDE}" ry="{1000 * HIGH}"/></svg>')

    def build(x, y):
        part = {"outline": {"file": "ellipse.svg", "tolerance": tolerance}, "mass": 1.0, "pose": [x, y, theta],
                "velocity": velocity}
        text = builders.build_scene(part, [builders.build_floor()], friction={"default": mu},
                                    run={"duration": duration, "output_interval": duration / 16})
        return parse_scene(text, source=str(folder / "scene.toml"))
    far = build(0.0, 5.0).workpiece
    return build(-far.pose.x, 5.0 - far.pose.y + find_support(far.outline, theta)[1])


def find_support(outline, theta):
    """(right of the centre, below it) [m] of the lowest point of a convex outline turned by theta."""
    f = outline.features
    down, right = np.array([-sin(theta), -cos(theta)]), np.array([cos(theta), -sin(theta)])
    lowest = f.centre + f.radius[:, None] * down
    # on its own arc where the arc turns through that direction
    from_start, to_end = f.start - f.centre, f.end - f.centre
    turns = (from_start[:, 0] * down[1] - from_start[:, 1] * down[0] >= 0.0) & (
        down[0] * to_end[:, 1] - down[1] * to_end[:, 0] >= 0.0) & (from_start @ down > 0.0)
    (rows,) = np.nonzero(turns)
    return lowest[rows[0]] @ right, lowest[rows[0]] @ down


@pytest.mark.parametrize("tolerance", ["30 um", "3 um", "0.1 um"])
def test_an_ellipse_of_arcs_rolls_as_its_arcs_say(tmp_path, tolerance):
    """One turn, arc by arc in quadrature: I s'^2 / 2 + g h is kept, where I and h are those of the arc on the floor."""
    spin = 10.0
    scene = build_ellipse(tmp_path, tolerance, [-spin * HIGH, 0.0, spin], 0.0, 1.0)
    outline, rho = scene.workpiece.outline, scene.workpiece.rho
    assert (outline.sign == 1).all() and np.abs(outline.turn).max() < 1e-12  # arcs alone, joined smoothly
    first = rho**2 + find_support(outline, 0.0)[1] ** 2, find_support(outline, 0.0)[1]

    def slowness(s):
        side, up = find_support(outline, s)
        return sqrt((rho**2 + side**2 + up**2) / (first[0] * spin**2 - 2.0 * G * (up - first[1])))
    starts = np.sort([(-0.5 * pi - atan2(y, x)) % (2.0 * pi) for x, y in outline.features.start - outline.centre])
    bounds = [0.0, *starts, 2.0 * pi]
    time = sum(quad(slowness, a, b, epsabs=1e-15, epsrel=1e-13)[0] for a, b in pairwise(bounds) if b - a > 1e-12)
    trajectory = simulate(scene, time)
    check_round(trajectory)
    assert trajectory.pose[-1][2] == pytest.approx(2.0 * pi, abs=1e-10)
    assert trajectory.pose[-1][0] - trajectory.pose[0][0] == pytest.approx(-outline.length.sum(), abs=1e-10)
    assert trajectory.velocity[-1] == pytest.approx([-spin * first[1], 0.0, spin], abs=1e-9)
    assert get_kinds(trajectory) == ["start"] + ["edge end"] * len(outline)  # each joint once
    assert np.abs(trajectory.contacts["slip"]).max() < 1e-12 and set("".join(
        trajectory.mode_at(i) for i in range(len(trajectory)))) == {"n"}


def measure_ellipse_period(start):
    """Period of an ellipse with axes WIDE and HIGH that rocks on its flat side, released at the angle start.

    Its centre is h = sqrt(WIDE^2 sin^2 s + HIGH^2 cos^2 s) high, the contact dh/ds beside it.
    """
    bend = WIDE**2 - HIGH**2

    def height(s):
        return hypot(WIDE * sin(s), HIGH * cos(s))

    def slowness(u):  # the square root at the end goes
        s = asin(sin(start) * sin(u))
        inertia = 0.25 * (WIDE**2 + HIGH**2) + height(s) ** 2 + (bend * sin(s) * cos(s) / height(s)) ** 2
        return sqrt(inertia * (height(start) + height(s)) / (2.0 * G * bend)) / cos(s)
    return 4.0 * quad(slowness, 0.0, 0.5 * pi, epsabs=1e-14, epsrel=1e-13)[0]


@pytest.mark.parametrize("start", [0.3, 1.2])
@pytest.mark.parametrize("tolerance", ["300 um", "30 um", "3 um"])
def test_an_ellipse_of_arcs_rocks_like_an_ellipse(tmp_path, tolerance, start):
    """...but for the deviation of the arcs over the height that it falls: both its ends may be off by as much."""
    period = measure_ellipse_period(start)
    scene = build_ellipse(tmp_path, tolerance, [0.0, 0.0, 0.0], start, period)
    deviation = scene.workpiece.drawing.deviation
    assert 0.0 < deviation < 1e-6 * float(tolerance.split()[0])
    trajectory = simulate(scene)
    check_round(trajectory)
    assert set(get_kinds(trajectory)) == {"start", "edge end"} and set(trajectory.mode_at(-1)) == {"n"}
    late = trajectory.velocity[-1][2] / trajectory.acceleration[0][2]  # s, after the end of its own period
    fall = hypot(WIDE * sin(start), HIGH * cos(start)) - HIGH
    assert abs(late) / period < 2.0 * deviation / fall


# ---- a disc whose centre of mass is beside its middle ----------------------------------------------------------------

OFF, WHEEL, WHEEL_RHO = 0.08, 0.2, 0.12


def start_wheel(turned, spin, mu, duration, rolls):
    """Its centre of mass turned from the lowest place, counter-clockwise."""
    way = np.array([OFF * cos(turned) - (WHEEL if rolls else OFF * cos(turned)), OFF * sin(turned)])
    return roll({"disc": WHEEL}, (0.0, WHEEL, turned), [builders.build_floor()], mu, duration,
                velocity=(*(spin * way), spin), part={"rho": WHEEL_RHO, "center_of_mass": [0.0, -OFF]})


@pytest.mark.parametrize("start", [0.2, 2.0, 3.0])
@pytest.mark.parametrize("rolls", [True, False])
def test_an_eccentric_disc_rocks(start, rolls):
    def inertia(s):
        sideways = (OFF * cos(s) - WHEEL) ** 2 if rolls else 0.0
        return WHEEL_RHO**2 + sideways + (OFF * sin(s)) ** 2
    period = measure_period(inertia, G * OFF, start)
    trajectory = start_wheel(start, 0.0, ROUGH if rolls else 0.0, period, rolls)
    assert trajectory.pose[-1] == pytest.approx(trajectory.pose[0], abs=1e-11)
    assert np.abs(trajectory.velocity[-1]).max() < 1e-9


@pytest.mark.parametrize("spin", [-19.0, -25.0])
def test_an_eccentric_disc_that_turns_fast_hops(spin):
    """Without friction its centre of mass goes up and down by d cos(s): it leaves where that is faster than a fall."""
    def square(s):
        inertia = WHEEL_RHO**2 + (OFF * sin(s)) ** 2
        return (WHEEL_RHO**2 * spin**2 - 2.0 * G * OFF * (1.0 - cos(s))) / inertia

    def force(s):
        """g + y'', y = WHEEL - d cos(s): I s'' = -d sin(s)(g + d cos(s) s'^2)."""
        inertia = WHEEL_RHO**2 + (OFF * sin(s)) ** 2
        turn = -OFF * sin(s) * (G + OFF * cos(s) * square(s)) / inertia
        return G + OFF * (cos(s) * square(s) + sin(s) * turn)
    leave = brentq(force, 0.5, pi, xtol=1e-16)
    trajectory = start_wheel(0.0, spin, 0.0, 0.25, False)
    away = trajectory.events[trajectory.events["kind"] == "separation"][0]
    assert away["time"] == pytest.approx(integrate_swing(square, leave), abs=1e-11)
    assert away["theta"] == pytest.approx(-leave, abs=1e-10)
    assert away["omega_before"] == pytest.approx(-sqrt(square(leave)), abs=1e-10)
    # in flight it turns evenly: the lowest point of the disc meets the floor again
    omega, speed = away["omega_before"], OFF * sin(away["theta"]) * away["omega_before"]
    assert away["vy_before"] == pytest.approx(speed, abs=1e-10)

    def gap(t):
        return away["y"] + speed * t - 0.5 * G * t * t + OFF * cos(away["theta"] + omega * t) - WHEEL
    grid = np.linspace(1e-3, 1.0, 4000)
    later = next(t for t in grid if gap(t) < 0.0)
    hit = trajectory.events[trajectory.events["kind"] == "impact"]
    time = away["time"] + brentq(gap, later - (grid[1] - grid[0]), later, xtol=1e-16)
    assert time > 0.25 if not len(hit) else hit[0]["time"] == pytest.approx(time, abs=1e-10)


# ---- round ends that slide -------------------------------------------------------------------------------------------

LONG, END, TILT, RHO = 0.5, 0.1, np.radians(60.0), 0.2  # half length between the centres, radius
ARM = np.array([LONG * cos(TILT), LONG * sin(TILT) + END])  # from the contact to the centre of mass


def build_end(sharp, slip, omega, mu, duration=0.3, **top):
    """A capsule on its lower end, or a sharp rod with the same contact, the same N and T and, as its bias is
    omega^2 n.(centre of mass - centre of the arc), a spin that gives the same bias."""
    spin = omega * sqrt((ARM[1] - END) / ARM[1]) if sharp else omega
    velocity = [slip - spin * ARM[1], spin * ARM[0], spin]
    half, lean = hypot(*ARM), atan2(ARM[1], ARM[0])
    if sharp:
        outline = {"vertices": [[-half, 0.0], [0.0, -0.01], [half, 0.0], [0.0, 0.01]]}
    else:
        outline = {"capsule": {"length": 2.0 * LONG, "radius": END}}
    part = {"outline": outline, "mass": 1.0, "rho": RHO, "pose": [0.0, float(ARM[1]), lean if sharp else float(TILT)],
            "velocity": velocity}
    return parse_scene(builders.build_scene(part, [builders.build_floor()], friction={"default": mu},
                                            run={"duration": duration, "output_interval": 0.01}, **top))


@pytest.mark.parametrize(("slip", "omega", "mu", "kind"), [
    (-1.0, 0.0, 2.0, "none"), (-1.0, 1.0, 2.0, "none"), (-1.0, 8.0, 2.0, "several"), (1.0, 0.0, 2.0, "one"),
    (1.0, 8.0, 2.0, "one"), (-1.0, 0.0, 0.5, "one"), (-1.0, -3.0, 0.76, "one"), (-1.0, -3.0, 0.78, "none"),
    (0.0, 0.0, 2.0, "one"),
])  # fmt: skip
def test_a_round_end_has_the_accelerations_of_a_sharp_one_with_its_rows(slip, omega, mu, kind):
    """Painleve: none or several where mu |n_q v_q| > rho^2 + n_q^2, mu > 0.769 here."""
    sets = []
    for sharp in (False, True):
        problem, _ = contact_problem(build_end(sharp, slip, omega, mu))
        n, t = np.array([0.0, 1.0, -ARM[0] / RHO]), np.array([1.0, 0.0, ARM[1] / RHO])
        assert problem.N == pytest.approx(n[None], abs=1e-15) and problem.T == pytest.approx(t[None], abs=1e-15)
        assert problem.b == pytest.approx([omega**2 * LONG * sin(TILT)], abs=1e-13)
        found = find_accelerations(problem)
        assert found.kind == kind
        sets.append([(piece.mode, *map(tuple, piece.vertices)) for piece in found.pieces])
    for one, other in zip(*map(sorted, sets), strict=True):
        assert one[0] == other[0] and np.array(one[1:]) == pytest.approx(np.array(other[1:]), abs=1e-12)
    critical = (RHO**2 + ARM[0] ** 2) / (ARM[0] * ARM[1])
    assert 0.76 < critical < 0.78


@pytest.mark.parametrize("law", ["newton", "poisson", "stronge"])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_round_end_jams_as_a_sharp_one(law, e):
    """Routh: the slip ends by an impulse that keeps the moment of momentum about the contact; the same for both."""
    ends = [simulate(build_end(sharp, -1.0, 0.0, 2.0, restitution={"default": e}, impact={"default": law}))
            for sharp in (False, True)]
    for end in ends:
        check_round(end)
        assert get_kinds(end)[:2] == ["start", "impact without collision"] and end.events["set_kind"][0] == "none"
        vx, vy, omega = end.velocity[0]
        moment = ARM[0] * vy - ARM[1] * vx + RHO**2 * omega
        assert moment == pytest.approx(ARM[1], abs=1e-13)  # before: vx = -1
        assert vx + omega * ARM[1] == pytest.approx(0.0, abs=1e-13)  # the end does not slip
        if e == 0.0:
            assert omega == pytest.approx(ARM[1] / (ARM @ ARM + RHO**2), abs=1e-13)
    one, other = (end.impulses_at(1) for end in ends)
    assert (one["fn"][0], one["ft"][0]) == pytest.approx((other["fn"][0], other["ft"][0]), abs=1e-12)
    assert ends[0].velocity[0] == pytest.approx(ends[1].velocity[0], abs=1e-12)


def test_after_the_jam_a_round_end_rolls_on():
    """I s'^2 / 2 + g h is kept, with I about the contact of the arc: the angle by quadrature."""
    trajectory = simulate(build_end(False, -1.0, 0.0, 2.0, 0.2))

    def inertia(s):
        return RHO**2 + LONG**2 + END**2 + 2.0 * LONG * END * sin(s)
    omega = ARM[1] / (ARM @ ARM + RHO**2)

    def square(s):
        return (inertia(TILT) * omega**2 - 2.0 * G * LONG * (sin(s) - sin(TILT))) / inertia(s)
    rows = [i for i in range(1, 12) if trajectory.mode_at(i) == "n" and trajectory.velocity[i][2] > 0.1]
    assert len(rows) > 3
    for i in rows:
        time = integrate_swing(square, float(trajectory.pose[i][2]), TILT)
        assert time == pytest.approx(trajectory.time[i], abs=1e-11)
        assert trajectory.velocity[i][2] == pytest.approx(sqrt(square(trajectory.pose[i][2])), abs=1e-11)
