"""Trajectories made by hand, for tests of logs and pictures: no engine, simple formulas."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from geometry.shapes.polygon import Polygon
from sim.log.bodies import BodyRecord, SceneRecord
from sim.log.sink import H5Sink
from sim.log.trajectory import Trajectory
from sim.rows.account import Account
from sim.rows.records import CONTACT_DTYPE, CONTACT_LETTERS, EVENT_DTYPE, EVENT_KINDS, STEP_DTYPE
from sim.rows.status import Status

GRAVITY = 9.81
BOX = np.array([[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]])
FLOOR = np.array([[-50.0, -1.0], [50.0, -1.0], [50.0, 0.0], [-50.0, 0.0]])
POST = np.array([[0.3, 0.0], [0.34, 0.0], [0.34, 0.12], [0.3, 0.12]])


def make_record(part=BOX, obstacles=((FLOOR, 0.3), (POST, 0.8)), text="# a box\n", name="box_slides"):
    bodies = tuple(BodyRecord(f"obstacle {i}", Polygon(outline), mu=mu, e=0.1)
                   for i, (outline, mu) in enumerate(obstacles))
    part = BodyRecord("box", Polygon(part), mass=1.0, rho=0.04)
    return SceneRecord(name, "A box slides and stops.", text, "", part, bodies)


def make_rows(first_step, n, rng, contacts_a_step=2):
    """Random rows of the four tables, with links that fit rows `first_step` and after; one event every 10 steps."""
    steps = np.zeros(n, STEP_DTYPE)
    fill_random(steps, rng)
    index = np.arange(first_step, first_step + n)
    steps["time"] = index * 1e-3
    steps["x"] = index
    steps["set_kind"] = index % 4
    steps["first_contact"] = index * contacts_a_step
    steps["n_contacts"] = contacts_a_step
    contacts = np.zeros(n * contacts_a_step, CONTACT_DTYPE)
    fill_random(contacts, rng)
    contacts["px"] = np.arange(first_step * contacts_a_step, (first_step + n) * contacts_a_step)
    contacts["letter"] %= len(CONTACT_LETTERS)
    event_index = index[index % 10 == 0] // 10
    events = np.zeros(len(event_index), EVENT_DTYPE)
    fill_random(events, rng)
    events["time"] = event_index * 1e-2
    events["first_impulse"] = event_index
    events["n_impulses"] = 1
    impulses = np.zeros(len(event_index), CONTACT_DTYPE)
    fill_random(impulses, rng)
    impulses["px"] = event_index
    return steps, contacts, events, impulses


def fill_random(table, rng):
    for name in table.dtype.names:
        if table.dtype[name].kind == "f":
            table[name] = rng.standard_normal(len(table))
        else:
            table[name] = rng.integers(0, 5, len(table))


def make_contact(obstacle, point, normal, fn, ft, slip, letter, type_=1):
    row = np.zeros(1, CONTACT_DTYPE)
    row["obstacle"], row["type"], row["letter"] = obstacle, type_, CONTACT_LETTERS.index(letter)
    row["px"], row["py"] = point
    row["nx"], row["ny"] = normal
    row["fn"], row["ft"], row["slip"] = fn, ft, slip
    return row


def make_slide(scale=1.0, v0=1.0, mu=0.3, rate=250.0, not_unique=(0.1, 0.16)):
    """A box of side 0.1 (times `scale`) slides over a floor from `v0` until friction stops it; then it rests.

    The centre travels v0^2 / (2 mu g) along x; time and speed scale with sqrt(scale).
    """
    root = np.sqrt(scale)
    stop = v0 / (mu * GRAVITY)
    count = round(1.2 * stop * rate) + 1
    times = np.append(np.arange(count) / rate, stop)
    times.sort()
    steps = np.zeros(len(times), STEP_DTYPE)
    moving = times < stop
    clipped = np.minimum(times, stop)
    steps["time"] = times * root
    steps["x"] = scale * (v0 * clipped - 0.5 * mu * GRAVITY * clipped**2)
    steps["y"] = 0.05 * scale
    steps["vx"] = np.where(moving, v0 - mu * GRAVITY * clipped, 0.0) * root
    steps["ax"] = np.where(moving, -mu * GRAVITY, 0.0)
    steps["load_fy"] = -GRAVITY
    steps["kinetic"] = 0.5 * steps["vx"] ** 2
    steps["work_friction"] = steps["kinetic"] - steps["kinetic"][0]
    steps["set_kind"] = np.where((times >= not_unique[0]) & (times < not_unique[1]), 2, 1)
    steps["first_contact"] = 2 * np.arange(len(times))
    steps["n_contacts"] = 2
    contacts = []
    for row in steps:
        sliding = row["vx"] > 0.0
        for side in (-0.05, 0.05):
            fn = GRAVITY * (0.5 + (3.0 if sliding else 0.0) * side)
            ft, letter = (-mu * fn, "r") if sliding else (0.0, "n")
            contacts.append(make_contact(0, (row["x"] + side * scale, 0.0), (0.0, 1.0), fn, ft, row["vx"], letter))
    events = np.zeros(1, EVENT_DTYPE)
    events["time"], events["x"], events["y"], events["obstacle"] = stop * root, steps["x"][-1], 0.05 * scale, 0
    part, floor, post = BOX * scale, FLOOR * scale, POST * scale
    record = make_record(part, ((floor, mu), (post, 0.8)))
    account = Account(penetration=1e-16, energy_start=float(steps["kinetic"][0]), n_steps=40, n_events=1)
    return Trajectory(None, steps, np.concatenate(contacts), events, np.zeros(0, CONTACT_DTYPE), Status.COMPLETED,
                      account, record=record)  # fmt: skip


def make_bounce(height=0.4, e=0.6, bounces=4, rate=200.0):
    """A box falls flat from `height` and bounces with restitution e; two impulses an impact."""
    times, heights, speeds, impacts = [], [], [], []
    start, speed, level = 0.0, 0.0, height
    for _ in range(bounces):
        land = (speed + np.sqrt(speed**2 + 2.0 * GRAVITY * level)) / GRAVITY
        local = np.append(np.arange(0.0, land, 1.0 / rate), land)
        times.append(start + local)
        heights.append(level + speed * local - 0.5 * GRAVITY * local**2)
        speeds.append(speed - GRAVITY * local)
        start, speed, level = start + land, -e * speeds[-1][-1], 0.0
        impacts.append((start, speeds[-1][-1], speed))
    steps = np.zeros(sum(map(len, times)), STEP_DTYPE)
    steps["time"], steps["vy"], steps["ay"] = np.concatenate(times), np.concatenate(speeds), -GRAVITY
    steps["y"] = np.concatenate(heights) + 0.05
    steps["kinetic"], steps["set_kind"] = 0.5 * steps["vy"] ** 2, 1
    events, impulses = np.zeros(bounces, EVENT_DTYPE), []
    for event, (time, before, after) in zip(events, impacts, strict=True):
        event["time"], event["kind"], event["y"] = time, EVENT_KINDS.index("impact"), 0.05
        event["vy_before"], event["vy_after"] = before, after
        event["first_impulse"], event["n_impulses"] = len(impulses), 2
        half = 0.5 * (after - before)
        impulses += [make_contact(0, (x, 0.0), (0.0, 1.0), half, 0.0, 0.0, "n") for x in (-0.05, 0.05)]
    record = make_record(name="bouncing_block", obstacles=((FLOOR, 0.3),))
    return Trajectory(None, steps, np.zeros(0, CONTACT_DTYPE), events, np.concatenate(impulses), Status.COMPLETED,
                      Account(n_impacts=bounces), record=record)  # fmt: skip


def make_tip(duration=1.0, rate=200.0):
    """A tall box on a slope of 25 degrees tips about its lower corner with constant angular acceleration."""
    slope, half = np.radians(-25.0), np.array([0.05, 0.15])
    along, up = np.array([np.cos(slope), np.sin(slope)]), np.array([-np.sin(slope), np.cos(slope)])
    times = np.arange(int(duration * rate) + 1) / rate
    angle = -0.5 * 2.0 * times**2
    steps = np.zeros(len(times), STEP_DTYPE)
    steps["time"], steps["theta"] = times, slope + angle
    for row, turned in zip(steps, slope + angle, strict=True):
        c, s = np.cos(turned), np.sin(turned)
        row["x"], row["y"] = -c * half[0] - s * half[1], -s * half[0] + c * half[1]
    steps["set_kind"], steps["n_contacts"], steps["first_contact"] = 1, 1, np.arange(len(times))
    contacts = [make_contact(0, (0.0, 0.0), up, 8.0, -3.5, 0.0, "n") for _ in times]
    wedge = np.array([-0.8 * along, -0.8 * along - 0.5 * up, 0.8 * along - 0.5 * up, 0.8 * along])
    part = np.array([-half, [half[0], -half[1]], half, [-half[0], half[1]]])
    record = make_record(part, ((wedge, 0.6),), name="block_tips")
    return Trajectory(None, steps, np.concatenate(contacts), np.zeros(0, EVENT_DTYPE), np.zeros(0, CONTACT_DTYPE),
                      Status.COMPLETED, Account(n_steps=40), record=record)  # fmt: skip


def change(trajectory, status=Status.COMPLETED, **fields):
    """A copy with other values in the step table."""
    steps = trajectory.steps.copy()
    for name, value in fields.items():
        steps[name] = value
    return Trajectory(None, steps, trajectory.contacts, trajectory.events, trajectory.impulses, status,
                      trajectory.account, record=trajectory.record)  # fmt: skip


def take_rows(trajectory, rows):
    """The same run with fewer rows in its log."""
    return Trajectory(None, trajectory.steps[rows], trajectory.contacts, trajectory.events, trajectory.impulses,
                      trajectory.status, trajectory.account, record=trajectory.record)  # fmt: skip


def make_figure(size=(8.0, 5.0)):
    figure = Figure(figsize=size, dpi=50)
    FigureCanvasAgg(figure)
    return figure


def write_log(path, n=30, status=Status.COMPLETED, account=None, message="", record=None, seed=0):
    rows = make_rows(0, n, np.random.default_rng(seed))
    with H5Sink(path, record or make_record()) as sink:
        sink.write(*rows)
        sink.close(status, account or Account(penetration=1e-15, n_steps=7), message)
    return rows


def check_rows(trajectory, seed):
    """Every row is one that the writer made, links included."""
    n = len(trajectory)
    assert np.array_equal(trajectory.steps["x"], np.arange(n)), f"seed {seed}"
    assert np.array_equal(trajectory.contacts["px"], np.arange(2 * n)), f"seed {seed}"
    assert np.array_equal(trajectory.events["first_impulse"], np.arange(len(trajectory.events))), f"seed {seed}"
    assert len(trajectory.events) == (n + 9) // 10, f"seed {seed}"
    assert np.count_nonzero(trajectory.steps["vx"]) == n, f"seed {seed}: rows of zeros"
