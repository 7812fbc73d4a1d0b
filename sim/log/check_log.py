"""Is a log sound? The laws are checked again from its rows alone; nothing of the solver is used.

For every step: m a = load + sum of contact forces, m rho^2 alpha = load torque + sum of their moments; fn >= 0 and
|ft| <= mu fn; friction against slip; gap 0; kinetic energy as the velocity says. For every impact: m times the jump of
the velocity is the sum of impulses, and kinetic energy grows by no more than the work of obstacles that move. Over the
run: energy balances with the work, and the account that the run left is that of the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.log.check_overlap import find_deepest
from sim.log.check_touching import find_closing
from sim.log.trajectory import Trajectory
from sim.rows.account import WORKS
from sim.rows.records import CONTACT_LETTERS
from sim.rows.status import Status
from sim.tolerances import LOG_CLOSING_LIMIT, LOG_GAP_LIMIT, LOG_LAW_LIMIT, LOG_LIFT

LOOKS = 257  # times at which the speed of obstacles that move is taken


class Verdict(NamedTuple):
    """One check: what must hold, the largest violation, the limit for it (both relative), and whether it holds."""

    law: str
    residual: float
    limit: float

    @property
    def holds(self) -> bool:
        return bool(self.residual <= self.limit)  # False for NaN


def check_log(trajectory: Trajectory) -> list[Verdict]:
    """All checks of a log, in the order in which they make sense: without finite rows nothing else is asked."""
    tables = (trajectory.steps, trajectory.contacts, trajectory.event_rows, trajectory.impulses)
    if trajectory.status is Status.JAMMED and len(trajectory):
        trajectory = leave_out_jam(trajectory)
        tables = (trajectory.steps, trajectory.contacts, trajectory.event_rows, trajectory.impulses)
    broken = sum(int(np.sum(~np.isfinite(table[name]))) for table in tables for name in table.dtype.names or ()
                 if table.dtype[name].kind == "f")
    verdicts = [Verdict("all numbers are finite (number of others)", float(broken), 0.0)]
    if broken or len(trajectory) == 0:
        return verdicts
    backwards = max(find_largest(-np.diff(trajectory.time)), find_largest(-np.diff(trajectory.event_rows["time"])))
    verdicts.append(Verdict("time never goes back (s)", backwards, 0.0))
    verdicts += check_balance(trajectory)
    verdicts += check_contact_laws(trajectory)
    verdicts += check_impacts(trajectory)
    verdicts += check_energy(trajectory)
    return verdicts


def check_account(trajectory: Trajectory) -> list[Verdict]:
    """Is the account that of the rows? Its energies and works are those of the last row, its events are all there.
    Nothing is asked where it is missing, which is no violation, and has to be said in other words."""
    account, steps, events = trajectory.account, trajectory.steps, trajectory.event_rows
    if account is None:
        return []
    n_impacts = int(np.count_nonzero(events["n_impulses"]))  # no NumPy integer: a damaged account may hold any number
    counts = abs(account.n_events - len(events)) + abs(account.n_impacts - n_impacts)
    verdicts = [Verdict("the account has the events of the log (number of others)", float(counts), 0.0)]
    if len(steps) == 0:
        return verdicts
    works = {name: float(getattr(account, name)) for name in WORKS}
    start = float(steps["kinetic"][0] - sum(steps[name][0] for name in WORKS))
    pairs = [(account.energy_start, start), (account.energy_end, float(steps["kinetic"][-1]))]
    if any(works.values()):  # a log that no run wrote may say nothing of them
        pairs += [(work, float(steps[name][-1])) for name, work in works.items()]
    scale = max(find_largest(np.abs(steps[name])) for name in ("kinetic", *WORKS))
    wrong = max(abs(said - found) for said, found in pairs)
    return [*verdicts, Verdict("the account has the energies of the rows", divide(wrong, scale), LOG_LAW_LIMIT)]


def leave_out_jam(trajectory: Trajectory) -> Trajectory:
    """The run without the forces of its last row: there they have no bound."""
    contacts = trajectory.contacts.copy()
    first = trajectory.steps["first_contact"][-1]
    contacts["fn"][first:], contacts["ft"][first:] = 0.0, 0.0
    return Trajectory(None, trajectory.steps, contacts, trajectory.event_rows, trajectory.impulses, trajectory.status,
                      trajectory.account, trajectory.message, trajectory.record)  # fmt: skip


def find_largest(values: np.ndarray) -> float:
    """Largest value, at least 0; 0 of nothing."""
    return max(0.0, float(np.max(values))) if len(values) else 0.0


def compute_wrench(rows: np.ndarray, owner: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """(n, 3): sum of force and moment about the centre of mass of the contact rows of each of n owners."""
    fx = rows["fn"] * rows["nx"] + rows["ft"] * rows["ny"]
    fy = rows["fn"] * rows["ny"] - rows["ft"] * rows["nx"]
    arm = np.column_stack((rows["px"], rows["py"])) - centre[owner]
    wrench = np.zeros((len(centre), 3))
    np.add.at(wrench, owner, np.column_stack((fx, fy, arm[:, 0] * fy - arm[:, 1] * fx)))
    return wrench


def find_owners(counts: np.ndarray, firsts: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """(owners, rows): for each contact row that belongs to a step or event, the index of that step or event."""
    owners = np.repeat(np.arange(len(counts)), counts)
    offsets = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = firsts[owners] + offsets
    if np.any((rows < 0) | (rows >= n_rows)):
        raise ValueError("a step or event names contact rows that are not there")
    return owners, rows


def check_balance(trajectory: Trajectory) -> list[Verdict]:
    """m a = load + contact forces, and the same for moments, divided by rho to be comparable."""
    steps, part = trajectory.steps, trajectory.record.workpiece
    owners, rows = find_owners(steps["n_contacts"], steps["first_contact"], len(trajectory.contacts))
    wrench = compute_wrench(trajectory.contacts[rows], owners, trajectory.pose[:, :2])
    load = np.column_stack((steps["load_fx"], steps["load_fy"], steps["load_torque"]))
    arm = np.array([1.0, 1.0, part.rho])
    inertia = part.mass * np.array([1.0, 1.0, part.rho**2])
    residual = np.abs(inertia * trajectory.acceleration - load - wrench) / arm
    forces = trajectory.contacts["fn"] + np.abs(trajectory.contacts["ft"])
    scale = max(find_largest(np.abs(load / arm).ravel()), find_largest(forces))
    # A step without any acceleration set (no solution) carries no acceleration to check.
    residual = residual[steps["set_kind"] > 0]
    largest = find_largest(residual.ravel())
    return [Verdict("mass times acceleration is the sum of forces", divide(largest, scale), LOG_LAW_LIMIT)]


def divide(value: float, scale: float) -> float:
    """value / scale, 0 where there is nothing to compare."""
    return value / scale if scale > 0.0 else float(value > 0.0)


def check_contact_laws(trajectory: Trajectory) -> list[Verdict]:
    """Unilateral contact and Coulomb's law in every contact row of every step."""
    rows, record = trajectory.contacts, trajectory.record
    mu = np.array([body.mu for body in record.obstacles] or [0.0])[rows["obstacle"]]
    scale = find_largest(np.abs(rows["fn"]))
    size = float(np.ptp(record.workpiece.outline.bounds, axis=0).max())
    cone = find_largest((np.abs(rows["ft"]) - mu * rows["fn"]) / (1.0 + mu))
    right, left = (rows["letter"] == CONTACT_LETTERS.index(letter) for letter in "rl")
    wrong = np.concatenate((rows["ft"][right], -rows["ft"][left]))
    return [
        Verdict("contacts push and do not pull", divide(find_largest(-rows["fn"]), scale), LOG_LAW_LIMIT),
        Verdict("friction stays in its cone", divide(cone, scale), LOG_LAW_LIMIT),
        Verdict("friction acts against slip", divide(find_largest(wrong), scale), LOG_LAW_LIMIT),
        Verdict("contacts that touch and are left out do not close", find_closing(trajectory), LOG_CLOSING_LIMIT),
        Verdict("closed contacts are closed", divide(find_largest(np.abs(rows["gap"])), size), LOG_GAP_LIMIT),
        Verdict("no body is inside another", divide(find_deepest(trajectory), size), LOG_GAP_LIMIT),
    ]


def check_impacts(trajectory: Trajectory) -> list[Verdict]:
    """Momentum and energy at every event."""
    events, part = trajectory.event_rows, trajectory.record.workpiece
    if len(events) == 0:
        return []
    before, after = (np.column_stack([events[f"{name}_{when}"] for name in ("vx", "vy", "omega")])
                     for when in ("before", "after"))
    owners, rows = find_owners(events["n_impulses"], events["first_impulse"], len(trajectory.impulses))
    centre = np.column_stack((events["x"], events["y"]))
    impulse = compute_wrench(trajectory.impulses[rows], owners, centre)
    arm = np.array([1.0, 1.0, part.rho])
    inertia = part.mass * np.array([1.0, 1.0, part.rho**2])
    has_impulses = events["n_impulses"] > 0
    residual = (np.abs(inertia * (after - before) - impulse) / arm)[has_impulses]
    momentum = find_largest((np.abs(inertia * np.maximum(np.abs(before), np.abs(after))) / arm).ravel())
    growth = 0.5 * np.sum(inertia * (after**2 - before**2), axis=1)
    np.subtract.at(growth, owners, compute_obstacle_work(trajectory, rows, events["time"][owners]))
    energy = find_largest(0.5 * np.sum(inertia * np.maximum(before**2, after**2), axis=1))
    largest = find_largest(residual.ravel())
    return [
        Verdict("impulses change the momentum by their sum", divide(largest, momentum), LOG_LAW_LIMIT),
        Verdict("no impact adds energy", divide(find_largest(growth[has_impulses]), energy), LOG_LAW_LIMIT),
    ]


def compute_obstacle_work(trajectory: Trajectory, rows: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(k,) J: the work of obstacles that move, by rows of the impulse table at times (k,)."""
    contacts = trajectory.impulses[rows]
    points = np.column_stack((contacts["px"], contacts["py"]))
    normals = np.column_stack((contacts["nx"], contacts["ny"]))
    tangents = np.column_stack((contacts["ny"], -contacts["nx"]))
    velocity = np.zeros_like(points)
    for index, body in enumerate(trajectory.record.obstacles):
        own = contacts["obstacle"] == index
        velocity[own] = body.surface_speed * tangents[own]
        if body.motion is not None:
            pose, rate, _ = body.motion.evaluate_frame(times[own])
            arm = points[own] - pose[:, :2]
            velocity[own] += rate[:, :2] + rate[:, 2:] * np.column_stack((-arm[:, 1], arm[:, 0]))
    impulses = contacts["fn"][:, None] * normals + contacts["ft"][:, None] * tangents
    return np.sum(impulses * velocity, axis=1)


def find_lift_energy(trajectory: Trajectory) -> float:
    """Work [J] of the load along the way by which the end of low bounces may move the part: energies that small are
    rounding."""
    record, steps = trajectory.record, trajectory.steps
    extent = max(np.abs(trajectory.pose[:, :2]).max(), *(np.abs(body.outline.bounds).max()
                                                         for body in (record.workpiece, *record.obstacles)))
    load = max(find_largest(np.abs(steps["load_fx"])), find_largest(np.abs(steps["load_fy"])))
    return LOG_LIFT * float(extent) * load


def find_carried_energy(trajectory: Trajectory) -> float:
    """Largest kinetic energy that the part has where obstacles that move take it along. The rows may all stand where
    they have no speed, and hold the rounding of what happened between them."""
    record, times = trajectory.record, np.linspace(trajectory.time[0], trajectory.time[-1], LOOKS)
    speed = max([0.0, *(float(np.abs(body.motion.evaluate_frame(times)[1][:, :2]).max())
                        for body in record.obstacles if body.motion is not None)])
    return 0.5 * record.workpiece.mass * speed**2


def check_energy(trajectory: Trajectory) -> list[Verdict]:
    """The kinetic energy is that of the velocity, and changes by the work of load, friction and impacts."""
    steps, part = trajectory.steps, trajectory.record.workpiece
    inertia = part.mass * np.array([1.0, 1.0, part.rho**2])
    kinetic = 0.5 * np.sum(inertia * trajectory.velocity**2, axis=1)
    work = [steps[name] - steps[name][0] for name in ("work_load", "work_friction", "work_impact", "work_obstacles")]
    rounding = find_lift_energy(trajectory)
    balance = np.maximum(np.abs(steps["kinetic"] - steps["kinetic"][0] - sum(work)) - rounding, 0.0)
    scale = max(find_largest(kinetic), *(find_largest(np.abs(term)) for term in work), find_carried_energy(trajectory))
    gained = max(0.0, find_largest(np.diff(work[1])) - rounding, find_largest(np.diff(work[2])) - rounding)
    wrong = find_largest(np.abs(kinetic - steps["kinetic"]))
    return [
        Verdict("kinetic energy is that of the velocity", divide(wrong, scale), LOG_LAW_LIMIT),
        Verdict("energy balances with the work", divide(find_largest(balance), scale), LOG_LAW_LIMIT),
        Verdict("friction and impacts take energy, they give none", divide(gained, scale), LOG_LAW_LIMIT),
    ]
