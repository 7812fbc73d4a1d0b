"""Reports of users of other programs as tests: rest, thresholds of sticking, tipping and rolling, leaning rods."""

import math

import numpy as np
import pytest

from dynamics import find_accelerations
from sim.instant.instant import contact_problem
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from tests import scene_builders as builders
from tests.sim.motion import check_laws, get_kinds, mirror_scene, run, scale_scene, turn_part_frame, turn_scene

G = builders.G


def check_rest(trajectory):
    """Nothing moved, and that cost next to nothing."""
    check_laws(trajectory)
    assert abs(trajectory.pose - trajectory.pose[0]).max() <= 1e-12 * max(1.0, abs(trajectory.pose[0]).max())
    assert abs(trajectory.velocity).max() == 0.0 and get_kinds(trajectory) == ["start", "rest"]
    assert trajectory.account.n_steps <= 2 and len(trajectory) <= 3


def turned_ways():
    """Names and functions that give the same scene in another position, size or notation."""
    return {
        "as it is": lambda text: text,
        "turned": lambda text: turn_scene(text, 2.1),
        "mirrored": mirror_scene,
        "mm": lambda text: scale_scene(text, 1e-3),
        "km": lambda text: scale_scene(text, 1e3),
        "part drawn askew": lambda text: turn_part_frame(text, 0.7),
    }


WAYS = turned_ways()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("degrees, mu", [(20.0, 0.4), (1.0, 0.02), (0.0, 0.0)])
def test_a01_no_creep(degrees, mu, way):
    trajectory = run(WAYS[way](builders.a01(degrees, mu)))
    check_rest(trajectory)
    contacts = trajectory.contacts_at(-1)
    np.testing.assert_allclose(contacts["ft"].sum(), -(-1 if way == "mirrored" else 1) * G * math.sin(
        math.radians(degrees)), rtol=1e-9, atol=1e-12)  # fmt: skip
    np.testing.assert_allclose(contacts["fn"].sum(), G * math.cos(math.radians(degrees)), rtol=1e-9)


def test_a01_rows_only_at_output_ticks():
    trajectory = run(builders.a01(20.0, 0.4), 60.0, output_interval=1.0)
    assert len(trajectory) <= 62 and trajectory.account.n_steps <= 2 and np.ptp(trajectory.pose, axis=0).max() == 0.0


@pytest.mark.parametrize("force", [4.9, 4.905, -4.9, 0.0, 4.904999])
def test_a03_holds_up_to_the_cone(force):
    trajectory = run(builders.a03(force))
    check_rest(trajectory)
    assert abs(trajectory.contacts_at(-1)["ft"].sum() + force) < 1e-9


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a03_slides_beyond_the_cone(sign):
    trajectory = run(builders.a03(sign * 4.91))
    check_laws(trajectory)
    assert abs(trajectory.acceleration[:, 0] * sign - 0.005).max() < 1e-12
    assert abs((trajectory.pose[-1, 0] - trajectory.pose[0, 0]) * sign - 0.25) < 1e-9
    contacts = trajectory.contacts_at(0)
    rear, front = contacts["fn"][np.argsort(sign * contacts["px"])]
    assert abs(rear - 2.4525) < 1e-9 and abs(front - 7.3575) < 1e-9


# part, held at, moves at (degrees), the limit, and what happens there: (index of the acceleration, its size)
THRESHOLDS = [
    ("a", 18.4, 18.5, math.degrees(math.atan(1.0 / 3.0)), "alpha", 0.0528315),
    ("b", 26.5, 27.0, math.degrees(math.atan(0.5)), "slide", 0.0832598),
    ("c", 29.9, 30.1, 30.0, "alpha", 0.241718),
    ("d", 2.80, 2.83, 2.8125, "alpha", 0.0399720),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part, below, above, limit, what, value", THRESHOLDS)
def test_a05_thresholds(part, below, above, limit, what, value, way):
    change = WAYS[way]
    check_rest(run(change(builders.a05(part, below))))
    check_rest(run(change(builders.a05(part, limit - 1e-6))))
    assert get_kinds(run(change(builders.a05(part, limit + 1e-6)))) != ["start", "rest"]
    trajectory = run(change(builders.a05(part, above)))
    check_laws(trajectory)
    ax, ay, alpha = trajectory.acceleration[0]
    factor = {"mm": 1e3, "km": 1e-3}.get(way, 1.0)
    if what == "alpha":
        assert abs(abs(alpha) / factor - value) < 6e-7 * max(1.0, value)
        assert math.copysign(1.0, alpha) == (1.0 if way == "mirrored" else -1.0)
        assert trajectory.mode_at(0) == "n"
    else:
        assert abs(math.hypot(ax, ay) - value) < 5e-8 and abs(alpha) < 1e-9 * factor
        travel = trajectory.pose[-1] - trajectory.pose[0]
        assert abs(math.hypot(*travel[:2]) * factor - 0.0416299) < 5e-8 and abs(travel[2]) < 1e-9


def test_a05e_rests_exactly_where_the_slope_is_in_the_cone():
    wrong = []
    for mu in np.linspace(0.1, 1.0, 10):
        for degrees in np.arange(2.0, 41.0, 2.0):
            text = builders.a05("b", degrees, float(mu), 0.01)
            rests = get_kinds(run(text)) == ["start", "rest"]
            if rests != (math.tan(math.radians(degrees)) <= mu):
                wrong.append((mu, degrees, rests))
    assert not wrong


@pytest.mark.parametrize("mu, degrees", [(8.0, 0.0), (1e3, 0.0), (1e12, 0.0), (8.0, 30.0), (1e12, 30.0)])
@pytest.mark.parametrize("way", WAYS)
def test_a07_huge_friction_rests(mu, degrees, way):
    trajectory = run(WAYS[way](builders.a07(mu, degrees)))
    check_rest(trajectory)
    assert trajectory.account.penetration <= 1e-12 * max(1.0, abs(trajectory.pose).max())
    if degrees:
        assert np.allclose(np.sort(trajectory.contacts_at(-1)["fn"]), [1.795355, 6.700355], rtol=0, atol=1e-6)


@pytest.mark.parametrize("mu", [math.inf, math.nan, -0.1])
def test_a07_invalid_friction_is_refused(mu):
    with pytest.raises(SceneError, match=r"friction\.default"):
        parse_scene(builders.a07(mu))


A09_ACCELERATIONS = {  # (ax, ay, alpha), N
    "i": [],
    "ii": [((-2.549548, -8.535226, -34.140905), 1.274774)],
    "iii": [((0.0, -9.81, 0.0), 0.0), ((4.287035, -7.666483, 31.687898), 2.143517)],
}


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5])
@pytest.mark.parametrize("variant", A09_ACCELERATIONS)
def test_a09_all_accelerations(variant, angle, mirrored):
    text = builders.a09(variant)
    scene = parse_scene(turn_scene(mirror_scene(text) if mirrored else text, angle))
    found = find_accelerations(contact_problem(scene)[0])
    expected = A09_ACCELERATIONS[variant]
    assert found.kind == ("none", "one", "several")[len(expected)]
    vertices = np.array([vertex for piece in found.pieces for vertex in piece.vertices]).reshape(-1, 3)
    c, s = math.cos(angle), math.sin(angle)
    side = -1.0 if mirrored else 1.0
    vertices = vertices / [1.0, 1.0, scene.workpiece.rho]
    vertices = np.column_stack((side * (c * vertices[:, 0] + s * vertices[:, 1]),
                                c * vertices[:, 1] - s * vertices[:, 0], side * vertices[:, 2]))  # fmt: skip
    assert len(vertices) == len(expected)
    vertices = vertices[np.argsort(vertices[:, 2])]
    for vertex, (value, normal_force) in zip(vertices, sorted(expected, key=lambda item: item[0][2]), strict=True):
        np.testing.assert_allclose(vertex, value, rtol=0, atol=2e-6)
        assert abs(vertex[1] + G - normal_force) < 1e-6


def test_a09_runs_say_what_there_is():
    none = run(builders.a09("i"), choice="stop")
    assert none.status.name == "NO_SOLUTION" and none.events["set_kind"][-1] == "none"
    assert abs(none.events["x"][-1] - 0.25) < 1e-12 and none.events["vx_after"][-1] == -1.0
    assert len(none) == 1 and none.steps["set_kind"][0] == 0 and len(none.contacts) == 0 and none.account.n_events == 1
    np.testing.assert_array_equal(none.pose[0, :2], [none.events["x"][0], none.events["y"][0]])
    assert not none.acceleration.any() and any("no motion is possible" in line for line in none.describe())
    one = run(builders.a09("ii"))
    check_laws(one)
    assert one.steps["set_kind"][0] == 1 and abs(one.contacts_at(0)["fn"][0] - 1.274774) < 1e-6
    two = {choice: run(builders.a09("iii"), choice=choice) for choice in ("continue", "stick", "separate", "stop")}
    for choice, letters in (("continue", "l"), ("stick", "l"), ("separate", "")):
        check_laws(two[choice])
        assert two[choice].steps["set_kind"][0] == 2 and two[choice].mode_at(0) == letters, choice
        assert two[choice].events["alternatives"][0] == 2
    assert two["stop"].status.name == "NOT_UNIQUE" and len(two["stop"]) == 1
    assert two["continue"].account.time_not_unique > 0.0


def test_a12_balanced_on_a_corner():
    from scipy.integrate import quad

    l, tilt, end = 0.1 / math.sqrt(2.0), 1e-6, 0.1
    rate = G * l / (2.0 * 0.1**2 / 3.0)  # tilt'' = rate sin tilt
    # substitution tilt = 1e-6 cosh(u) removes the root at the start
    time, _ = quad(
        lambda u: tilt * math.sinh(u) / math.sqrt(4.0 * rate * math.sin(tilt * (math.cosh(u) + 1.0) / 2.0)
                                                  * math.sin(tilt * (math.cosh(u) - 1.0) / 2.0)),
        1e-9, math.acosh(end / tilt), epsabs=1e-13, epsrel=1e-13, limit=200)  # fmt: skip
    time += 1e-9 / math.sqrt(rate)
    assert abs(time - 1.19663232) < 1e-8
    left, right = run(builders.a12(tilt), time), run(builders.a12(-tilt), time)
    for trajectory in (left, right):
        check_laws(trajectory)
        assert trajectory.mode_at(-1) == "n" and abs(trajectory.contacts_at(-1)["px"][0]) < 1e-12
    assert abs(left.pose[-1, 2] - end) < 1e-6  # the start is magnified 100 000 times
    np.testing.assert_allclose(right.pose[-1], left.pose[-1] * [-1, 1, -1], rtol=0, atol=1e-12)
    check_rest(run(builders.a12(0.0), 10.0))
