"""The built-in scenes with arcs do what they say is known exactly."""

import math

import numpy as np
import pytest

from sim.log.check_log import check_log
from sim.run.simulation import simulate
from sim.scene.build import load_scene
from tests.sim.motion import get_times
from tests.sim.reference import integrate

G = 9.81


def run(name, duration=None, **overrides):
    """A run that keeps all laws and never overlaps by more than rounding."""
    trajectory = simulate(load_scene(name, overrides=overrides), duration=duration)
    account = trajectory.account
    assert trajectory.status.completed and account.penetration < 1e-15
    assert max(account.balance_residual, account.cone_residual, account.energy_residual) < 1e-9
    assert [verdict for verdict in check_log(trajectory) if not verdict.holds] == []
    return trajectory


def test_a_disc_rolls_down_a_slope():
    trajectory = run("disc_on_slope")
    assert trajectory.mode_at(0) == trajectory.mode_at(-1) == "n"
    travelled = 0.5 * 3.27 * trajectory.time**2
    along = (trajectory.pose - trajectory.pose[0]) @ [math.cos(math.radians(30.0)), -0.5, 0.0]
    np.testing.assert_allclose(along, travelled, rtol=0, atol=1e-12)
    np.testing.assert_allclose(trajectory.pose[:, 2], -travelled / 0.1, rtol=0, atol=1e-11)


@pytest.mark.parametrize("beyond, mode", [(1e-9, "n"), (-1e-9, "r")])
def test_a_disc_rolls_where_friction_is_a_third_of_the_tangent(beyond, mode):
    trajectory = run("disc_on_slope", **{"friction.default": math.tan(math.radians(30.0)) / 3.0 + beyond})
    assert trajectory.mode_at(-1) == mode


def test_a_disc_that_slides_turns_as_friction_does():
    trajectory = run("disc_on_slope", **{"friction.default": 0.19})
    normal = G * math.cos(math.radians(30.0))
    travelled = math.hypot(*(trajectory.pose[-1] - trajectory.pose[0])[:2])
    assert travelled == pytest.approx(0.5 * (G / 2.0 - 0.19 * normal), abs=1e-12)
    assert trajectory.pose[-1, 2] == pytest.approx(-0.5 * 0.19 * normal * 0.1 / (0.5 * 0.1**2), abs=1e-11)


def swing(time, length=0.0025 * 1.5):
    """Angle of the pin in the bush."""
    return integrate(lambda _, y: [y[1], -G * math.sin(y[0]) / length], [-math.atan2(1.5, 2.0), 0.0], time)[0]


def test_a_pin_swings_in_a_bush_as_a_pendulum():
    """Its period by the elliptic integral, and the way there by integration."""
    from scipy.special import ellipk

    period = 4.0 * math.sqrt(0.0025 * 1.5 / G) * ellipk(math.sin(0.5 * math.atan2(1.5, 2.0)) ** 2)
    assert f"{1e3 * period:.2f} ms" in load_scene("pin_in_bush").text
    assert f"{2e3 * math.pi * math.sqrt(0.0025 * 1.5 / G):.2f} ms" in load_scene("pin_in_bush").text
    there = run("pin_in_bush", period)
    assert set(there.mode_at(k) for k in range(len(there.time))) == {"n"}
    np.testing.assert_allclose(there.pose[-1], there.pose[0], rtol=0, atol=1e-10)
    for time in (0.25 * period, 0.03, 0.1):
        angle, pose = swing(time), run("pin_in_bush", time).pose[-1]
        np.testing.assert_allclose(pose[:2], [0.0025 * math.sin(angle), -0.0025 * math.cos(angle)], rtol=0, atol=1e-11)
        assert pose[2] == pytest.approx(-0.25 * (angle - swing(0.0)), abs=1e-9)


def test_a_pin_slides_first_where_friction_is_less():
    assert run("pin_in_bush", 0.01, **{"friction.default": 0.2500001}).mode_at(0) == "n"
    assert run("pin_in_bush", 0.01, **{"friction.default": 0.2499999}).mode_at(0) in ("r", "l")


def test_a_pin_that_is_nearly_as_wide_as_its_bush_rolls_as_well():
    """The play is 10 um in the diameter: r = 12.495 mm, R - r = 5 um."""
    trajectory = run("pin_in_bush", 0.05, **{
        "workpiece.outline.disc": "12.495 mm", "workpiece.pose.x": "-3 um", "workpiece.pose.y": "-4 um"})
    angle = swing(0.05, 5e-6 * 1.5)
    assert trajectory.account.penetration < 1e-15
    np.testing.assert_allclose(trajectory.pose[-1, :2], [5e-6 * math.sin(angle), -5e-6 * math.cos(angle)], rtol=0,
                               atol=1e-12)


def test_a_rounded_peg_strikes_the_chamfer_and_goes_in():
    trajectory = run("rounded_peg")
    strike = get_times(trajectory, "impact")[0]
    assert strike == pytest.approx(math.sqrt(2.0 * (3.0 - math.sqrt(1.0 - 0.51**2)) * 1e-3 / G), abs=1e-12)
    assert f"{strike:.7f} s" in trajectory.scene.text
    assert trajectory.outcome == "seated" and abs(trajectory.pose[-1, 2]) < 1e-12


@pytest.mark.parametrize("fillet", ["0 mm", "0.49 mm"])
def test_a_peg_that_is_not_round_enough_strikes_with_its_flat_face(fillet):
    trajectory = run("rounded_peg", **{"workpiece.outline.fillet": fillet})
    assert get_times(trajectory, "impact")[0] == pytest.approx(math.sqrt(2.0 * 2e-3 / G), abs=1e-12)
    assert trajectory.outcome.startswith("at rest") and trajectory.pose[-1, 1] > 0.0


def turn_cams(rate):
    return {"obstacle.left cam.motion.angular_velocity": -rate, "obstacle.right cam.motion.angular_velocity": rate}


@pytest.mark.parametrize("mu", [0.0, 0.2, 1.0])
def test_a_plate_follows_two_cams(mu):
    trajectory = run("cam_follower", **{"friction.default": mu})
    lower = 0.04 - 0.008 * np.cos(2.0 * math.pi * 5.0 * trajectory.time)
    np.testing.assert_allclose(trajectory.pose[:, 1], lower + 0.01, rtol=0, atol=1e-14)
    assert not trajectory.pose[:, [0, 2]].any()
    assert len(trajectory.mode_at(-1)) == 2 and "n" not in trajectory.mode_at(-1)


def test_a_plate_lets_go_where_cams_turn_too_fast():
    """When e w^2 cos(w t) is -g."""
    rate = 12.0 * math.pi
    trajectory = run("cam_follower", 0.1, **turn_cams(rate))
    assert get_times(trajectory, "separation")[0] == pytest.approx(math.acos(-G / (0.008 * rate**2)) / rate, abs=1e-11)
    limit = math.sqrt(G / 0.008)
    assert not len(get_times(run("cam_follower", **turn_cams(limit * 0.999)), "separation"))
    assert len(get_times(run("cam_follower", **turn_cams(limit * 1.01)), "separation"))


def compute_bracket():
    """(area, centroid, rho) of the bracket [mm]: two rectangles, six rounded corners, two round holes and a slot."""
    total = np.zeros(5)  # integrals of 1, x, y, x^2, y^2

    def add(sign, area, x, y, xx, yy):
        """A piece with its second moments about its own centre."""
        total[:] += sign * np.array([area, area * x, area * y, xx + area * x * x, yy + area * y * y])

    def add_box(sign, x, y, width, height):
        add(sign, width * height, x, y, width**3 * height / 12.0, width * height**3 / 12.0)

    for x, y, width, height in ((40, 12, 80, 24), (12, 62, 24, 76)):
        add_box(1.0, x, y, width, height)
    for sign, r, x, y, dx, dy in ((-1, 10, 0, 0, 1, 1), (-1, 6, 80, 0, -1, 1), (-1, 6, 80, 24, -1, -1),
                                  (1, 12, 24, 24, 1, 1), (-1, 6, 24, 100, -1, -1), (-1, 6, 0, 100, 1, -1)):
        # a square at the corner, and in it a quarter of a disc about the far one of its corners
        add_box(sign, x + dx * r / 2.0, y + dy * r / 2.0, r, r)
        area, off = math.pi * r * r / 4.0, r - 4.0 * r / (3.0 * math.pi)
        own = math.pi * r**4 / 16.0 - area * (r - off) ** 2
        add(-sign, area, x + dx * off, y + dy * off, own, own)
    for x, y in ((12, 84), (12, 52)):
        add(-1.0, 25.0 * math.pi, x, y, 625.0 * math.pi / 4.0, 625.0 * math.pi / 4.0)
    add_box(-1.0, 52, 12, 20, 10)
    area, off = 12.5 * math.pi, 20.0 / (3.0 * math.pi)
    for side in (-1.0, 1.0):  # half discs
        add(-1.0, area, 52 + side * (10.0 + off), 12, 625.0 * math.pi / 8.0 - area * off**2, 625.0 * math.pi / 8.0)
    centroid = total[1:3] / total[0]
    return total[0], centroid, math.sqrt(total[3:].sum() / total[0] - centroid @ centroid)


def test_a_bracket_from_a_drawing_tips_where_its_centroid_passes_the_end_of_its_flat():
    area, centroid, rho = compute_bracket()
    trajectory = run("bracket_from_dxf")
    part = trajectory.scene.workpiece
    assert part.outline.area == pytest.approx(1e-6 * area, rel=1e-13)
    np.testing.assert_allclose(part.origin, -1e-3 * centroid, rtol=1e-13)
    assert part.rho == pytest.approx(1e-3 * rho, rel=1e-13)
    assert part.drawing.file == "bracket.dxf" and part.drawing.deviation == 0.0 and part.outline.n_loops == 4
    tip = math.degrees(math.atan2(centroid[0] - 10.0, centroid[1])) / 20.0
    assert trajectory.events[1]["kind"] == "separation"
    assert trajectory.events[1]["time"] == pytest.approx(tip, abs=1e-12) and f"{tip:.7f} s" in trajectory.scene.text
    assert trajectory.outcome == "on its back"
    assert trajectory.pose[-1, 2] == pytest.approx(math.pi / 2.0, abs=1e-14)
    assert trajectory.pose[-1, 1] == pytest.approx(1e-3 * centroid[0], abs=1e-14)
