"""What acts on a part that is held, written once more from the text of its scene, in the plainest way; and its motion
where it touches nothing, by an integrator of its own (Dormand & Prince, order 8)."""

from __future__ import annotations

import math
import tomllib

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh

from sim.log.trajectory import Trajectory
from tests.scene_builders import G

TOLERANCE = 1e-12
FREE = 1e-13  # squares of frequencies below this share of the largest are rounding
AFTER = 1e-13  # of the duration, how far past a switch an integration goes on
LOAD_LIMIT = 1e-9  # of the largest force on a part: its springs may be much longer than what they push
FLIGHT_LIMIT = 1e-7  # of lengths relative to the size of the scene, and of angles
MOST_CALLS = 10_000  # of the forces; a run that needs more is not integrated


class TooLong(RuntimeError):
    """An integration was broken off."""


def turn(angle: float) -> np.ndarray:
    """(3, 3): rotates the first two of three."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


class Way:
    """Pose (3,) of a frame over time, and its rate, with the times at which the rate jumps."""

    def __init__(self, motion: dict, start: np.ndarray):
        self.motion, self.start, self.breaks = motion, np.array(start, float), []
        rows = motion.get("waypoints")
        self.course = None if rows is None else Table(np.array(rows), motion.get("interpolation", "smooth"))
        if self.course is not None:
            self.breaks = self.course.breaks

    def find(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        pose, rate = (self.start.copy(), np.zeros(3)) if self.course is None else self.course.find(time)
        steady = np.array([*self.motion.get("velocity", (0.0, 0.0)), self.motion.get("angular_velocity", 0.0)])
        pose, rate = pose + steady * time, rate + steady
        for wave in self.motion.get("sinusoid", []):
            w, phase, size = 2.0 * math.pi * wave["frequency"], wave.get("phase", 0.0), np.array(wave["amplitude"])
            pose, rate = pose + size * math.sin(w * time + phase), rate + size * w * math.cos(w * time + phase)
        return pose, rate


class Table:
    """Values between rows [t, a, b, c]: those of the first row before it, those of the last row after it."""

    def __init__(self, rows: np.ndarray, kind: str):
        self.times, self.values, self.kind = rows[:, 0], rows[:, 1:], kind
        self.breaks = self.times.tolist()
        if kind == "smooth":
            self.spline = CubicSpline(self.times, self.values, bc_type="clamped")

    def find(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        times, values = self.times, self.values
        if time < times[0] or time >= times[-1]:
            return values[0 if time < times[0] else -1].copy(), np.zeros(3)
        k = int(np.searchsorted(times, time, side="right")) - 1
        if self.kind == "step":
            return values[k].copy(), np.zeros(3)
        if self.kind == "smooth":
            return self.spline(time), self.spline(time, 1)
        slope = (values[k + 1] - values[k]) / (times[k + 1] - times[k])
        return values[k] + slope * (time - times[k]), slope


class Loads:
    """Everything on the part but its contacts; the gripper acts while `holds`."""

    def __init__(self, text: str):
        data = tomllib.loads(text)
        part = data["workpiece"]
        self.mass, self.rho = part["mass"], part["rho"]
        self.state = np.array([*part["pose"], *part["velocity"]], float)  # the origin is the centre of mass
        self.weight = self.mass * np.array([*data["gravity"], 0.0])
        self.duration = data["run"]["duration"]
        bodies = {body["name"]: Way(body.get("motion", {}), body["pose"]) for body in data["obstacle"]}
        self.springs = [self.read_spring(spring, bodies) for spring in data.get("spring", [])]
        self.drag, self.loads = data.get("drag", {}), data.get("load", [])
        self.tables = [Table(np.array(load["table"]), load["interpolation"]) if "table" in load else None
                       for load in self.loads]
        self.gripper, self.holds, self.let_go, self.limit = data.get("gripper"), False, math.inf, math.inf
        self.breaks = [time for table in self.tables if table is not None for time in table.breaks]
        self.breaks += [load["ramp"][key] for load in self.loads if "ramp" in load for key in ("start", "end")]
        if self.gripper is not None:
            self.read_gripper(self.gripper)

    def place(self, point, state) -> tuple[np.ndarray, np.ndarray]:
        """A point of the part, and its velocity."""
        x, y = (turn(state[2]) @ [*point, 0.0])[:2]
        return state[:2] + np.array([x, y]), state[3:5] + state[5] * np.array([-y, x])

    def read_spring(self, spring: dict, bodies: dict[str, Way]) -> dict:
        way = bodies.get(spring.get("obstacle"), Way({}, np.zeros(3)))
        one = {"point": spring["point"], "way": way, "anchor": spring["anchor"], "k": spring["stiffness"],
               "d": spring.get("damping", 0.0), "pull_only": spring["pull_only"], "rest": 0.0}
        one["rest"] = spring.get("rest_length", self.stretch(one, 0.0, self.state)[0])
        return one

    def read_gripper(self, gripper: dict) -> None:
        self.holds, self.center = True, gripper["center"]
        here = [*self.place(self.center, self.state)[0], self.state[2]]
        self.way = Way(gripper.get("motion", {}), gripper.get("pose", here))
        self.breaks += self.way.breaks
        self.k, self.d, self.turned = np.array(gripper["stiffness"]), np.zeros((3, 3)), gripper["axes"] == "gripper"
        if "damping" in gripper:
            self.d = np.diag(gripper["damping"])
        if "damping_ratio" in gripper:
            frame = turn(self.way.find(0.0)[0][2]) if self.turned else np.eye(3)
            x, y = (turn(self.state[2]) @ [*self.center, 0.0])[:2]
            to_mass = np.array([[1.0, 0.0, y], [0.0, 1.0, -x], [0.0, 0.0, 1.0]])  # velocity of the centre of mass
            inertia = to_mass.T @ np.diag([1.0, 1.0, self.rho**2]) @ to_mass * self.mass
            inertia = frame.T @ inertia @ frame
            squares, modes = eigh(self.k, inertia)
            rates = np.sqrt(np.where(squares > FREE * squares.max(), squares, 0.0))
            self.d = 2.0 * gripper["damping_ratio"] * inertia @ modes @ np.diag(rates) @ modes.T @ inertia
        release = gripper.get("release", {})
        self.let_go, self.limit = release.get("time", math.inf), release.get("force", math.inf)

    def stretch(self, spring: dict, time: float, state: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray]:
        """(length, tension, direction towards the anchor, point of the part from the centre of mass)."""
        pose, rate = spring["way"].find(time)
        x, y = (turn(pose[2]) @ [*spring["anchor"], 0.0])[:2]
        own, velocity = self.place(spring["point"], state)
        reach, pace = pose[:2] + np.array([x, y]) - own, rate[:2] + rate[2] * np.array([-y, x]) - velocity
        length = math.hypot(*reach)
        direction = reach / length if length > 0.0 else np.zeros(2)  # then a force only if it has a rest length
        tension = spring["k"] * (length - spring["rest"]) + spring["d"] * float(pace @ direction)
        return length, tension, direction, own - state[:2]

    def grip(self, time: float, state: np.ndarray) -> np.ndarray:
        """The wrench of the gripper about its centre, in the world."""
        pose, rate = self.way.find(time)
        own, velocity = self.place(self.center, state)
        frame = turn(pose[2]) if self.turned else np.eye(3)
        lag, pace = pose - [*own, state[2]], rate - [*velocity, state[5]]
        return frame @ (self.k @ frame.T @ lag + self.d @ frame.T @ pace + self.gripper.get("preload", np.zeros(3)))

    def push(self, number: int, time: float, angle: float) -> np.ndarray:
        """Force and torque of a load at its point, in the world."""
        load, table = self.loads[number], self.tables[number]
        value = np.array([*load["force"], load["torque"]])
        for wave in load.get("sinusoid", []):
            value += np.array(wave["amplitude"]) * math.sin(2.0 * math.pi * wave["frequency"] * time + wave["phase"])
        if "ramp" in load:
            ramp = load["ramp"]
            share = min(max((time - ramp["start"]) / (ramp["end"] - ramp["start"]), 0.0), 1.0)
            value += share * np.array([*ramp["force"], ramp["torque"]])
        if table is not None:
            value += table.find(time)[0]
        return turn(angle) @ value if load["axes"] == "part" else value

    def evaluate(self, time: float, state: np.ndarray) -> np.ndarray:
        """(Fx, Fy, torque about the centre of mass): N, N, N m."""
        total = np.array([self.drag.get("linear", 0.0)] * 2 + [self.drag.get("rotational", 0.0)])
        total *= -state[3:]
        total += self.weight

        def add(force, torque, arm):
            total[:] += [*force, torque + arm[0] * force[1] - arm[1] * force[0]]

        for spring in self.springs:
            _, tension, direction, arm = self.stretch(spring, time, state)
            if tension > 0.0 or not spring["pull_only"]:
                add(tension * direction, 0.0, arm)
        for number, load in enumerate(self.loads):
            wrench = self.push(number, time, state[2])
            add(wrench[:2], wrench[2], self.place(load["at"], state)[0] - state[:2])
        if self.holds:
            wrench = self.grip(time, state)
            add(wrench[:2], wrench[2], self.place(self.center, state)[0] - state[:2])
        return total


    def find_scale(self, time: float, state: np.ndarray) -> float:
        """N: weight, and stiffness times size, to which rounding of poses makes the forces of springs unsure."""
        stiff = sum(one["k"] for one in self.springs)
        stiff += float(np.abs(np.diag(self.k)[:2]).sum()) if self.gripper else 0.0
        return float(np.abs(self.evaluate(time, state)[:2]).max()) + self.mass * G + 1e-3 * stiff * self.rho


def is_off(loads: Loads, time: float, state: np.ndarray) -> bool:
    """Has the gripper let go, by time or by force?"""
    if loads.gripper is None:
        return False
    return time >= loads.let_go or math.hypot(*loads.grip(time, state)[:2]) >= loads.limit


def list_switches(loads: Loads) -> list:
    """Functions of time and state at whose zeros a spring goes slack or comes taut, or the gripper lets go."""
    found = [lambda time, state, one=one: loads.stretch(one, time, state)[1]
             for one in loads.springs if one["pull_only"]]
    if loads.holds and loads.limit < math.inf:
        found.append(lambda time, state: loads.limit - math.hypot(*loads.grip(time, state)[:2]))
    for switch in found:
        switch.terminal = True
    return found


def integrate(loads: Loads, times: np.ndarray) -> np.ndarray:
    """States (n, 6) at rising times, from one break to the next. Raises TooLong."""
    calls, before = 0, 0.0

    def rate(time, state):
        nonlocal calls
        calls += 1
        if calls > MOST_CALLS:
            raise TooLong
        wrench = loads.evaluate(min(time, before), state)
        return np.array([*state[3:], *(wrench / loads.mass / (1.0, 1.0, loads.rho**2))])

    rows, state, time = np.zeros((len(times), 6)), loads.state, 0.0
    ends = sorted({end for end in (*loads.breaks, loads.let_go, loads.duration) if 0.0 < end <= loads.duration})
    scale = np.array([loads.rho, loads.rho, 1.0] * 2) * np.repeat((1.0, 1.0 / loads.duration), 3)
    while time < loads.duration:
        loads.holds = loads.holds and not is_off(loads, time, state)
        end = next(end for end in ends if end > time)
        before = float(np.nextafter(end, 0.0))
        found = solve_ivp(rate, (time, end), state, "DOP853", events=list_switches(loads) or None, dense_output=True,
                          rtol=TOLERANCE, atol=TOLERANCE * scale)
        stopped = found.status == 1
        reached = float(found.t[-1]) if stopped else end
        inside = (times >= time) & (times < reached)
        if inside.any():
            rows[inside] = found.sol(times[inside]).T
        state, time = found.y[:, -1], reached
        if stopped:  # a little on, where the switch is behind it
            step = AFTER * loads.duration
            loads.holds = loads.holds and not (loads.limit < math.inf and len(found.t_events[-1]))
            state, time = state + step * rate(time, state), time + step
            rows[(times >= reached) & (times <= time)] = state
    rows[times >= time] = state
    return rows


def find_wrong_loads(loads: Loads, trajectory: Trajectory) -> str:
    """Is the load of each row what the scene says, at the pose and the velocity of the row?"""
    events = trajectory.events
    switched = events["time"][np.isin(events["kind"], ("release", "slack", "taut"))]
    released = events["time"][events["kind"] == "release"]
    jumps = np.array([*loads.breaks, loads.let_go, *switched])
    held, worst = loads.gripper is not None, 0.0
    for row in trajectory.steps:
        time = float(row["time"])
        if np.any(np.abs(jumps - time) <= 1e-9 * loads.duration):
            continue
        loads.holds = held and not np.any(released < time)
        state = np.array([row[name] for name in ("x", "y", "theta", "vx", "vy", "omega")])
        said = np.array([row[f"load_{name}"] for name in ("fx", "fy", "torque")])
        off = np.abs(said - loads.evaluate(time, state)) / (1.0, 1.0, loads.rho)
        worst = max(worst, float(off.max()) / loads.find_scale(time, state))
    return f"loads are off by {worst:.2g}" if not worst <= LOAD_LIMIT else ""


def find_wrong_flight(text: str, size: float, trajectory: Trajectory) -> str:
    """Of a run that touches nothing: is it the motion that these loads make?"""
    try:
        states = integrate(Loads(text), trajectory.time)
    except TooLong:
        return ""
    off = np.abs(trajectory.pose - states[:, :3]) / (size, size, 1.0)
    worst = off.max(axis=1)
    if worst.max() <= FLIGHT_LIMIT:
        return ""
    first = trajectory.time[int(np.argmax(worst > FLIGHT_LIMIT))]
    return f"off by {worst.max():.2g} of the size from its integration, from t = {first:.6g} s"


def find_wrong_held(text: str, size: float, trajectory: Trajectory) -> str:
    """What is wrong with a run that has ended."""
    wrong = find_wrong_loads(Loads(text), trajectory)
    if not wrong and len(trajectory.contacts) == 0 and len(trajectory.impulses) == 0:
        wrong = find_wrong_flight(text, size, trajectory)
    return wrong
