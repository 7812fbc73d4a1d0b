"""Runs a case of `tests/soak_scenes.py` and says what is wrong with the run. Nothing of the solver is used for that but
the rows of its log."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from sim.log.check_log import check_log
from sim.log.trajectory import Trajectory
from sim.rows.records import EVENT_KINDS
from sim.rows.status import Status
from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests.soak_scenes import TRACK_FREQUENCY, Case
from tests.soak_twin import find_wrong_held

CPU_LIMIT = 5.0  # s of processor time that a run may take
CPU_END = 30.0  # s after which it is broken off
GROWTH_LIMIT = 1e-8  # of the total energy, relative to its scale
POSE_LIMIT = 1e-7  # of lengths relative to the size of the scene, and of angles
SPEED_LIMIT = 1e-9  # relative
FEED_LIMIT = 1e-6  # relative to the amplitude of the track
LAST_IMPACT = 5  # up to which two runs are compared: each impact amplifies rounding
FIRST_CYCLE = 5  # from which a feeder has to feed alike
IMPACT = ("impact", EVENT_KINDS.index("impact") if "impact" in EVENT_KINDS else -1)  # as a log may call it


class Judgement(NamedTuple):
    """What came of a case: what is wrong, each a few words; left out, if nothing can be said."""

    faults: list[str]
    left_out: bool = False
    n_bridges: int = 0
    cpu: float = 0.0  # s, of the run alone


class TooSlow(RuntimeError):
    """A run was broken off because it took too much processor time."""


def judge(case: Case | None) -> Judgement:
    """Run the case, and its twin if it has one; a twin that does not complete says nothing of the case."""
    if case is None:
        return Judgement([], left_out=True)
    still = None
    if case.twin:
        still, _ = run(case.twin)
        if still.status is not Status.COMPLETED:
            return Judgement([], left_out=True)
    trajectory, cpu = run(case.text)
    account = trajectory.account
    return Judgement(find_faults(case, trajectory, cpu, still), n_bridges=account.n_bridges if account else 0, cpu=cpu)


def run(text: str) -> tuple[Trajectory, float]:
    """(trajectory, s of processor time). Ctrl-C, which a run itself survives, is raised."""
    scene = parse_scene(text)
    began = time.process_time()

    def look(reached: float) -> None:
        if time.process_time() - began > CPU_END:
            raise TooSlow(f"over {CPU_END:g} s of processor time at t = {reached:g} of {scene.run.duration:g} s")

    trajectory = simulate(scene, progress=look)
    if trajectory.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return trajectory, time.process_time() - began


def find_faults(case: Case, trajectory: Trajectory, cpu: float, still: Trajectory | None = None) -> list[str]:
    """All that is wrong with a run, and with its end where that is known; [] if nothing is."""
    faults = []
    if trajectory.status is not Status.COMPLETED:
        faults.append(f"{trajectory.status.name} at t = {trajectory.time[-1]:g} s")
    faults += [f"check: {verdict.law}: {verdict.residual:.2g} > {verdict.limit:.2g}"
               for verdict in check_log(trajectory) if not verdict.holds]
    if not case.driven:
        growth = measure_growth(trajectory, case.gravity)
        if not growth <= GROWTH_LIMIT:
            faults.append(f"energy grows by {growth:.2g} of its scale")
    if cpu > CPU_LIMIT:
        faults.append(f"{cpu:.1f} s of processor time, {len(trajectory.events)} events")
    if trajectory.status is Status.COMPLETED:
        wrong = compare_with_twin(case, trajectory, still) if still is not None else FIND_WRONG_END[case.kind](
            case, trajectory)
        faults += [wrong] if wrong else []
    return faults


def measure_growth(trajectory: Trajectory, gravity) -> float:
    """The largest growth of kinetic and potential energy between two rows, relative to how much the total changes, or
    to the weight times the size of the part."""
    part = trajectory.record.workpiece
    kinetic = 0.5 * part.mass * np.sum(np.array([1.0, 1.0, part.rho**2]) * trajectory.velocity**2, axis=1)
    total = kinetic - part.mass * (trajectory.pose[:, :2] - trajectory.pose[0, :2]) @ np.asarray(gravity)
    scale = max(np.ptp(total), part.mass * math.hypot(*gravity) * float(np.ptp(part.outline.bounds, axis=0).max()))
    return float(np.max(total - np.minimum.accumulate(total))) / scale


# ------------------------------------------------------------------------------------------------------ how runs end


def turn_back(case: Case, vectors: np.ndarray) -> np.ndarray:
    """(n, 2) vectors of the scene in the frame in which it is not turned."""
    c, s = math.cos(case.turn), math.sin(case.turn)
    return vectors @ np.array([[c, -s], [s, c]])


def list_impacts(trajectory: Trajectory) -> np.ndarray:
    """Times of all impacts; a log may call kinds of events by their numbers or by words."""
    return trajectory.events["time"][[kind in IMPACT for kind in trajectory.events["kind"].tolist()]]


def find_ticks(trajectory: Trajectory, interval: float) -> dict[int, int]:
    """{number of an output time: its row}; events have rows of their own."""
    numbers = trajectory.time / interval
    return {round(number): row for row, number in enumerate(numbers) if abs(number - round(number)) < 1e-9}


def compare_with_twin(case: Case, trajectory: Trajectory, still: Trajectory) -> str:
    """Poses at the same output times, up to the fifth impact, in the frame of the run at rest."""
    impacts, interval = list_impacts(still), still.scene.run.output_interval
    end = impacts[LAST_IMPACT - 1] if len(impacts) >= LAST_IMPACT else math.inf
    there, here = find_ticks(still, interval), find_ticks(trajectory, interval)
    shared = [number for number, row in there.items() if number in here and still.time[row] < end]
    if not shared or (end == math.inf and set(there) != set(here)):
        return "the runs have different output times"
    rows, twins = [here[number] for number in shared], [there[number] for number in shared]
    away = turn_back(case, trajectory.pose[rows, :2] - trajectory.time[rows, None] * np.array(case.drift))
    off = np.column_stack(((away - still.pose[twins, :2]) / case.size,
                           trajectory.pose[rows, 2] - case.turn - still.pose[twins, 2]))
    worst = np.abs(off).max(axis=1)
    if worst.max() <= POSE_LIMIT:
        return ""
    first = still.time[twins[int(np.argmax(worst > POSE_LIMIT))]]
    return f"off by {worst.max():.2g} of the size, from t = {first:.6g} s"


def find_no_end(case: Case, trajectory: Trajectory) -> str:
    """Where nothing is known of it."""
    return ""


def find_wrong_fall(case: Case, trajectory: Trajectory) -> str:
    """Free fall, and no turn."""
    t, fall = trajectory.time[:, None], 0.5 * np.array(case.gravity)
    path = trajectory.pose[0, :2] + trajectory.velocity[0, :2] * t + fall * t**2
    off = max(float(np.abs(trajectory.pose[:, :2] - path).max()) / case.size,
              float(np.abs(trajectory.pose[:, 2] - trajectory.pose[0, 2]).max()))
    return f"off free fall by {off:.2g} of the size" if not off <= POSE_LIMIT else ""


def find_wrong_slide(case: Case, trajectory: Trajectory) -> str:
    """No impact, and one velocity, before the centre is at the knee."""
    early = list_impacts(trajectory)
    early = early[early < case.until]
    if len(early):
        return f"impact at {early[0]:.6g} s, the knee is reached at {case.until:.6g} s"
    before = trajectory.time < case.until * (1.0 - 1e-9)
    start = trajectory.velocity[0]
    off = np.abs((trajectory.velocity[before] - start) * [1.0, 1.0, case.size]).max(axis=1) / math.hypot(*start[:2])
    slow = trajectory.time[before][off > SPEED_LIMIT]
    return f"the velocity changes by {off.max():.2g} from {slow[0]:.6g} s on" if len(slow) else ""


def find_wrong_feed(case: Case, trajectory: Trajectory) -> str:
    """The same feed in each cycle after the first ones; it stays on the track."""
    ticks = find_ticks(trajectory, 1.0 / TRACK_FREQUENCY)
    n = round(trajectory.scene.run.duration * TRACK_FREQUENCY)
    if not all(number in ticks for number in range(n + 1)):
        return "cycles without a row at their end"
    places = turn_back(case, trajectory.pose[[ticks[number] for number in range(n + 1)], :2])
    spread = np.ptp(np.diff(places, axis=0)[FIRST_CYCLE:], axis=0) / case.size
    if not spread.max() <= FEED_LIMIT:
        return f"feeds of {n} cycles differ by {spread.max():.2g} of the amplitude"
    return ""


def find_wrong_hold(case: Case, trajectory: Trajectory) -> str:
    """The loads of all rows, and the motion where it touches nothing, as they follow from the scene."""
    return find_wrong_held(case.text, case.size, trajectory)


FIND_WRONG_END = {
    "drop": find_no_end,
    "moving": find_no_end,
    "turned": find_no_end,
    "wall": find_wrong_fall,
    "knee": find_wrong_slide,
    "groove": find_no_end,
    "feeder": find_wrong_feed,
    "round": find_no_end,
    "rolling": find_no_end,
    "held": find_wrong_hold,
    "rocking": find_no_end,
}
