"""The checks of a log accept an honest one and name the law that a changed one breaks."""

import numpy as np
import pytest

from sim import load_scene, simulate
from sim.log.check_log import check_log
from sim.log.trajectory import Trajectory
from sim.rows.records import CONTACT_DTYPE
from tests.sim.synthetic import make_slide

BOUNCE_SPEED = 2.0


def rebuild(trajectory, **tables):
    """The same trajectory with some of its tables replaced."""
    kept = {name: tables.get(name, np.array(getattr(trajectory, name)))
            for name in ("steps", "contacts", "events", "impulses")}
    return Trajectory(None, *kept.values(), trajectory.status, trajectory.account, record=trajectory.record)


def make_bounce():
    """The slide, with an event added at its end: a flat impact with restitution 0.5 through two equal impulses."""
    slide = make_slide()
    events, impulses = np.array(slide.events), np.zeros(2, CONTACT_DTYPE)
    events["vy_before"], events["vy_after"] = -BOUNCE_SPEED, 0.5 * BOUNCE_SPEED
    events["n_impulses"] = 2
    impulses["px"], impulses["py"], impulses["ny"] = events["x"] + np.array([-0.05, 0.05]), 0.0, 1.0
    impulses["fn"] = 0.75 * BOUNCE_SPEED
    return rebuild(slide, events=events, impulses=impulses)


def find_broken(trajectory):
    return {verdict.law for verdict in check_log(trajectory) if not verdict.holds}


def test_honest_log_holds():
    for trajectory in (make_slide(), make_slide(scale=1e-6), make_slide(scale=1e6), make_bounce()):
        assert find_broken(trajectory) == set()
        assert len(check_log(trajectory)) == 14


@pytest.mark.parametrize("field, change, law", [
    ("ax", 1e-5, "mass times acceleration is the sum of forces"),
    ("alpha", 1e-3, "mass times acceleration is the sum of forces"),
    ("load_torque", 1e-4, "mass times acceleration is the sum of forces"),
    ("kinetic", 1e-5, "energy balances with the work"),
    ("vy", 1e-3, "kinetic energy is that of the velocity"),
    ("work_impact", 1e-4, "friction and impacts take energy, they give none"),
    ("time", -1.0, "time never goes back (s)"),
    ("x", np.nan, "all numbers are finite (number of others)"),
])
def test_changed_step_is_noticed(field, change, law):
    slide = make_slide()
    steps = np.array(slide.steps)
    steps[field][7] += change
    assert law in find_broken(rebuild(slide, steps=steps))


@pytest.mark.parametrize("fields, law", [
    ({"fn": -1e-3}, "contacts push and do not pull"),
    ({"ft": -0.31 * 9.81}, "friction stays in its cone"),
    ({"ft": +0.1}, "friction acts against slip"),
    ({"gap": -1e-8}, "closed contacts are closed"),
    ({"gap": +1e-8}, "closed contacts are closed"),
    ({"px": 1e-3}, "mass times acceleration is the sum of forces"),
])
def test_changed_contact_is_noticed(fields, law):
    slide = make_slide()
    contacts = np.array(slide.contacts)
    for name, value in fields.items():
        contacts[name][9] = contacts[name][9] + value if name == "px" else value
    assert law in find_broken(rebuild(slide, contacts=contacts))


@pytest.mark.parametrize("law", ["impulses change the momentum by their sum", "no impact adds energy"])
def test_changed_impact_is_noticed(law):
    bounce = make_bounce()
    events, impulses = np.array(bounce.events), np.array(bounce.impulses)
    if law == "no impact adds energy":
        events["vy_after"] = 1.1 * BOUNCE_SPEED
        impulses["fn"] = 0.5 * 2.1 * BOUNCE_SPEED
    else:
        impulses["fn"] *= 1.001
    assert find_broken(rebuild(bounce, events=events, impulses=impulses)) == {law}


def test_rows_that_are_not_there_are_refused():
    slide = make_slide()
    with pytest.raises(ValueError, match="not there"):
        check_log(rebuild(slide, contacts=np.array(slide.contacts[:5])))


@pytest.mark.parametrize("side", [0, 1], ids=["one corner", "both"])
def test_a_touching_contact_that_is_left_out_and_closes_is_found(side):
    """The box slides on, but its rows say that one corner, or both, no longer hold, and that it turns or falls."""
    slide = make_slide()
    steps, contacts = np.array(slide.steps), np.array(slide.contacts)
    late = steps["time"] > 0.1
    steps["ay"][late], steps["alpha"][late] = -9.81, (0.0 if side else 50.0)
    steps["n_contacts"][late] = 0 if side else 1
    found = find_broken(rebuild(slide, steps=steps, contacts=contacts))
    assert "contacts that touch and are left out do not close" in found


def test_a_touching_contact_that_opens_or_stays_may_be_left_out():
    """A box that hovers, touching, with as much lift as weight holds nothing; and one that is lifted opens."""
    for lift in (0.0, 1.0):
        slide = make_slide()
        steps = np.array(slide.steps)
        steps["ay"], steps["n_contacts"] = lift, 0
        assert "contacts that touch and are left out do not close" not in find_broken(rebuild(slide, steps=steps))


def test_rows_that_all_stand_where_nothing_moves_hold():
    """A carried part, one row a cycle, each where the track stands still."""
    scene = load_scene("vibratory_track", {"friction.default": 3.0, "run.output_interval": 0.02})
    assert find_broken(simulate(scene)) == set()


def test_a_body_inside_another_is_seen_though_no_row_of_contacts_tells():
    """A box whose rows of contacts are closed, as the engine that is told a wrong pose would write them."""
    slide = make_slide()
    steps = np.array(slide.steps)
    steps["y"][len(steps) // 2] -= 1e-4
    assert "no body is inside another" in find_broken(rebuild(slide, steps=steps))
