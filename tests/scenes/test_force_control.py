"""Force and motion control and impedance control of scenes: decoupled without friction, coupled as Eqs 29 and 30 say
without the projections (Featherstone, Sonck and Khatib), and their section 7 as `force_controlled_rod`."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from dynamics.spaces.projection import build_contact_spaces
from sim import load_scene, simulate
from sim.instant.instant import contact_problem
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.study.control_curves import NoControlError, compute_control_curves
from sim.study.control_study import study_friction
from sim.sweep.sweep import sweep

BODY = """
gravity = [0, -9.81]
[friction]
default = 0
[run]
duration = 0
[workpiece]
mass = 1.3
"""
FLOOR = """
[[obstacle]]
name = "floor"
outline = { box = [20, 1] }
pose = [0, -0.5, 0]
"""
# a triangle on its tip, a box on two corners, a triangle among three fingers
SCENES = {
    1: BODY + "outline = { vertices = [[0, 0], [0.3, 0.2], [-0.1, 0.4]] }\nvelocity = [0.1, 0, 0]\n" + FLOOR,
    2: BODY + "outline = { box = [0.4, 0.2] }\npose = [0, 0.1, 0]\ncenter_of_mass = [0.05, 0.02]\nrho = 0.1\n" + FLOOR,
    3: load_scene("three_fingers", {"friction.default": 0, "run.duration": 0}).text,
}
METRICS = 'force_metric = [3, 1, 0.02]\nmotion_metric = [[2, 0, 0.1], [0, 1, 0], [0.1, 0, 0.05]]\n'


@functools.cache
def start(contacts, force=5.0, speed=0.4, more="", wrench=(0.0, 0.0, 0.0)):
    """(acceleration, normal forces) at the start, in (x, y, rho theta)."""
    scene = parse_scene(SCENES[contacts] + f"""
[control]
rate = 100
velocity_gain = 30
force = {force}
wrench = {list(wrench)}
motion = {{ velocity = [{speed}, {-speed}], angular_velocity = 2 }}
{more}""")
    run = simulate(scene)
    assert run.steps["n_contacts"][0] == contacts == len(run.contacts)
    return run.acceleration[0] * [1.0, 1.0, scene.workpiece.rho], np.array(run.contacts["fn"])


@pytest.mark.parametrize("more", ["", METRICS])
@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_a_commanded_force_changes_no_motion_and_a_commanded_motion_no_force(contacts, more):
    a, fn = start(contacts, more=more)
    other, pressed = start(contacts, force=11.0, more=more)
    np.testing.assert_allclose(other, a, atol=1e-10)
    np.testing.assert_allclose(fn, 5.0, atol=1e-10)
    np.testing.assert_allclose(pressed, 11.0, atol=1e-10)
    moved, same = start(contacts, speed=-0.7, more=more)
    np.testing.assert_allclose(same, fn, atol=1e-10)
    assert contacts == 3 or np.abs(moved - a).max() > 1.0


def get_spaces(contacts):
    """Contact spaces in (x, y, rho theta), mass and radius of gyration."""
    scene = parse_scene(SCENES[contacts])
    return build_contact_spaces(N=contact_problem(scene)[0].N.T), scene.workpiece.mass, scene.workpiece.rho


@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_without_projection_motion_disturbs_forces_by_the_amount_of_equation_30(contacts):
    spaces, mass, _ = get_spaces(contacts)
    (a, fn), (b, other) = (start(contacts, force=40.0, speed=s, more="projection = false") for s in (0.4, 0.3))
    asked = 30.0 * np.array([0.1, -0.1, 0.0])
    np.testing.assert_allclose(spaces.columns @ (other - fn),
                               mass * spaces.omega_m_complement(np.eye(3)) @ asked, atol=1e-9)
    np.testing.assert_allclose(a - b, spaces.omega_m(np.eye(3)) @ asked, atol=1e-9)


@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_without_projection_a_wrench_disturbs_the_motion_by_the_amount_of_equation_29(contacts):
    spaces, mass, rho = get_spaces(contacts)
    wrench = np.array([2.0, -3.0, 0.05])
    f = wrench / [1.0, 1.0, rho]
    for more, passes in (("projection = false", spaces.omega_f_complement(np.eye(3)) @ f / mass), ("", np.zeros(3))):
        (a, fn), (b, other) = (start(contacts, 40.0, 0.4, more, w) for w in (tuple(wrench.tolist()), (0.0, 0.0, 0.0)))
        np.testing.assert_allclose(a - b, passes, atol=1e-10)
        np.testing.assert_allclose(spaces.columns @ (fn - other), -spaces.omega_f(np.eye(3)) @ f, atol=1e-9)


# ---- the rod ---------------------------------------------------------------------------------------------------------

SHORT = {"run.duration": 0.1, "control.rate": 200, "run.output_interval": 0.01, "control.force_gain": 0,
         "control.motion.waypoints": [[0.0, -0.15569106166303864, 0.05815710459583312, 0.19509222913836738],
                                      [0.1, -0.10972160239214168, 0.07575257013602976, 0.25527196217796533]],
         "control.contact.0.table": [[0, 20], [0.05, 40]], "control.contact.1.table": [[0, 10], [0.07, 25]]}


KEPT = {"control.contact.0.table": [[0, 20], [9, 20]], "control.contact.1.table": [[0, 10], [9, 10]]}


def run_rod(overrides=()):
    return simulate(load_scene("force_controlled_rod", {**SHORT, **dict(overrides)}))


def take_samples(run):
    """The rows just after samples, and the normal forces on floor and slope there (n, 2), 0 where they are open."""
    times = run.events["time"][run.events["kind"] == "sample"]
    rows = [int(np.searchsorted(run.time, time, side="right")) - 1 for time in times]
    fn = [dict(zip(c["obstacle"].tolist(), c["fn"].tolist(), strict=True)) for c in map(run.contacts_at, rows)]
    return np.array(rows), np.array([[f.get(0, 0.0), f.get(1, 0.0)] for f in fn])


def test_forces_of_the_rod_follow_their_steps_while_it_moves():
    run = run_rod()
    rows, fn = take_samples(run)
    times = run.time[rows]
    assert len(rows) == 20 and np.abs(run.pose[-1] - run.pose[0])[0] > 0.04
    np.testing.assert_allclose(fn[:, 0], np.where(times < 0.05 - 1e-9, 20.0, 40.0), atol=1e-9)
    np.testing.assert_allclose(fn[:, 1], np.where(times < 0.07 - 1e-9, 10.0, 25.0), atol=1e-9)


def test_the_power_of_the_projected_forces_of_the_rod_is_zero():
    """Figure 5: the power of the whole wrench is not."""
    run = run_rod()
    curves = compute_control_curves(run)
    assert np.abs(curves.power).max() > 1.0 and np.abs(curves.projected).max() < 1e-12
    rows, _ = take_samples(run)
    for contact in curves.contacts:
        np.testing.assert_allclose(contact.measured, contact.real, atol=1e-9)  # the hand's inertia does not disturb
        np.testing.assert_allclose(contact.real[rows], contact.desired[rows], atol=1e-9)


def test_between_samples_the_wrench_is_held_and_forces_drift_as_the_period():
    def find_drift(rate):
        curves = compute_control_curves(run_rod({**KEPT, "control.rate": rate}))
        return max(np.abs(contact.real - contact.desired).max() for contact in curves.contacts)

    assert find_drift(100) / find_drift(200) == pytest.approx(2.0, rel=0.2)


def test_without_projection_the_rods_motion_disturbs_its_forces():
    _, fn = take_samples(run_rod({"control.projection": False}))
    _, right = take_samples(run_rod())
    assert np.abs(fn - right).max() > 0.1


def test_lost_contacts_are_seen_in_the_power_of_the_projected_forces():
    """Figure 6: every impact is a peak."""
    run = run_rod({"control.contact.1.table": [[0, 10], [0.01, -4], [0.03, 10]]})
    curves = compute_control_curves(run)
    assert len(curves.impacts) > 0 and np.abs(curves.projected).max() > 0.05


def test_the_raw_wrist_has_inertia_in_it():
    """Section 7.3: without the projection accelerations of what the hand holds look like forces of contacts."""
    good, bad = (take_samples(run_rod({**KEPT, "control.force_gain": 0.5, "control.wrist": wrist}))[1]
                 for wrist in ("projected", "raw"))
    assert np.abs(good - [20, 10]).max() < 0.2 < np.abs(bad - [20, 10]).max()


def test_friction_couples():
    scene = load_scene("force_controlled_rod", {**SHORT, **KEPT, "control.rate": 1000, "run.duration": 0.04})
    couplings = study_friction(scene, [0.0, 0.2])
    projected, slippery = couplings[:2]
    assert [c.projection for c in couplings] == [True, True, False, False] and all(c.completed for c in couplings)
    assert slippery.motion > 3.0 * projected.motion and slippery.force > 3.0 * projected.force


def test_cells_of_a_sweep_over_gains_friction_and_rho_are_runs_to_the_last_bit():
    scene = load_scene("force_controlled_rod", {**SHORT, "run.duration": 0.03, "run.output_interval": 1})
    table = sweep(scene, mu=[0.0, 0.2], rho=[0.12, 0.15], vary={"control.force_gain": [0.0, 0.4]}, workers=2).table
    assert len(table) == 8 and len(np.unique(table["x"])) > 4
    for cell in table:
        own = {"friction.default": cell["mu"], "workpiece.rho": cell["rho"],
               "control.force_gain": cell["control.force_gain"]}
        run = simulate(load_scene("force_controlled_rod", {**SHORT, "run.duration": 0.03, **own}))
        assert [cell["x"], cell["y"], cell["theta"]] == run.pose[-1].tolist()


# ---- impedance -------------------------------------------------------------------------------------------------------

IMPEDANCE = BODY.replace("duration = 0", "duration = 0.2") + """outline = { box = [0.4, 0.2] }
[control]
law = "impedance"
rate = 2000
stiffness = [50, 80, 2]
damping_ratio = 1
motion = { waypoints = [[0, 0.1, -0.05, 0.2], [1, 0.1, -0.05, 0.2]] }
"""


@pytest.mark.parametrize("more", ["", "inertia = [4, 4, 0.1]\n"])
def test_impedance_moves_as_the_inertia_stiffness_and_damping_that_were_asked_for(more):
    """A critically damped fall to rest, x = d (1 + w t) exp(-w t), to the order of the period."""
    scene = parse_scene(IMPEDANCE + more)
    run = simulate(scene)
    inertia = np.array([4, 4, 0.1]) if more else scene.workpiece.mass * np.array([1, 1, scene.workpiece.rho**2])
    w, t = np.sqrt(np.array([50, 80, 2.0]) / inertia), run.time[-1]
    goal = np.array([0.1, -0.05, 0.2])
    np.testing.assert_allclose(run.pose[-1] - goal, -goal * (1 + w * t) * np.exp(-w * t), atol=2e-3)


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "words"), [
    ("", "rate"),
    ("rate = 0", "rate"),
    ("rate = 100\nlaw = 'impedance'", "impedance needs a stiffness"),
    ("rate = 100\nstiffness = [1, 1, 1]", "stiffness is not of this law"),
    ("rate = 100\nlaw = 'impedance'\nstiffness = [1, 1, 1]\nforce_gain = 1", "force_gain is not of this law"),
    ("rate = 100\nspace = 'named'", "needs one or more"),
    ("rate = 100\nforce_metric = [1, 1, 0]", "positive definite"),
    ("rate = 100\nposition_gain = -1", "zero or positive"),
    ("rate = 100\nhand = { mass = 5 }", "must be smaller"),
    ("rate = 100\nhand = { mass = 1, rho = 3 }", "moment of inertia"),
    ("rate = 100\n[[control.contact]]\nobstacle = 'flor'\nvertex = 0\nobstacle_edge = 2", "there is no obstacle"),
    ("rate = 100\n[[control.contact]]\nobstacle = 'floor'\nvertex = 9\nobstacle_edge = 2", "vertex 9"),
    ("rate = 100\n[[control.contact]]\nobstacle = 'floor'\nvertex = 0\nobstacle_edge = 2\nforce = 1\n"
     "table = [[0, 1], [1, 2]]", "both say"),
])
def test_what_cannot_be_is_refused(table, words):
    with pytest.raises(SceneError, match=words):
        parse_scene(SCENES[2] + f"[control]\n{table}\n")


def test_a_log_without_a_controller_has_no_curves():
    with pytest.raises(NoControlError, match="no controller"):
        compute_control_curves(simulate(parse_scene(SCENES[2].replace("duration = 0", "duration = 0.01"))))
