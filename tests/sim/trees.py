"""Trees of motions made by hand, for tests of logs and pictures: no engine."""

import numpy as np

from sim.log.trajectory import Trajectory
from sim.log.tree import Branch, Tree
from sim.rows.account import Account
from sim.rows.branch_table import NO_PARENT
from sim.rows.records import CONTACT_DTYPE, EVENT_DTYPE, STEP_DTYPE
from sim.rows.status import Status
from tests.sim.synthetic import make_record, make_rows

TABLES = ("steps", "contacts", "events", "impulses")


def make_branch(number, parent=NO_PARENT, depth=0, first=0, n=20, status=Status.COMPLETED, children=(), record=None,
                message="", merged_into=NO_PARENT, taken="acceleration nl", sample=False):
    """A branch with random rows `first` to `first + n` of `make_rows`, numbered within it from 0 as the engine does."""
    steps, contacts, events, impulses = make_rows(first, n, np.random.default_rng(number))
    steps["first_contact"] -= 2 * first
    events["first_impulse"] -= -(-first // 10)
    rows = Trajectory(None, steps, contacts, events, impulses, status, Account(n_steps=7 + number, penetration=1e-16),
                      message, record or make_record())
    member = None if parent == NO_PARENT else (1.0 + number, -2.5, 1.0 / 3.0)
    return Branch(number, parent, depth, first * 1e-3, taken if number else "", sample, member, rows, merged_into,
                  list(children))


def make_tree(record=None):
    """0 splits into 1, 2, 3; 1 splits into 4 and 5; 3 merges into 2, 5 is beyond the limit."""
    split = {"status": Status.SPLIT, "record": record}
    branches = [
        make_branch(0, first=0, n=20, children=(1, 2, 3), **split),
        make_branch(1, 0, 1, first=20, n=15, children=(4, 5), **split),
        make_branch(2, 0, 1, first=20, n=40, record=record, message="größe 日本", taken="velocity sn"),
        make_branch(3, 0, 1, first=20, n=11, status=Status.MERGED, merged_into=2, message="branch 2", record=record),
        make_branch(4, 1, 2, first=35, n=25, status=Status.NO_SOLUTION, record=record, sample=True),
        Branch(5, 1, 2, 0.035, "acceleration free", False, (0.0, -9.81, 0.0)),
    ]
    return Tree(None, branches)


def make_path(points, start, rate, record, status=Status.COMPLETED, set_kinds=(1,)):
    """Free rows of a part that moves evenly through `points` (x, y, theta), one a 1/rate second from `start` on."""
    points = np.array(points, dtype=float)
    steps = np.zeros(len(points), STEP_DTYPE)
    steps["time"] = start + np.arange(len(points)) / rate
    for column, name in enumerate(("x", "y", "theta")):
        steps[name] = points[:, column]
        speed = np.diff(points[:, column]) * rate
        steps[("vx", "vy", "omega")[column]] = np.append(speed, speed[-1:])
    steps["set_kind"] = np.resize(set_kinds, len(points))
    empty = np.zeros(0, CONTACT_DTYPE)
    return Trajectory(None, steps, empty, np.zeros(0, EVENT_DTYPE), empty, status, Account(), record=record)


def make_fork(record=None, leaves=3, rate=50.0):
    """A box moves 0.1 s to the right, then into as many directions as there are leaves, each one row longer."""
    record = record or make_record()
    angles = np.linspace(0.0, np.pi, leaves)
    trunk = make_path([(0.1 * k / 5, 0.05, 0.0) for k in range(6)], 0.0, rate, record, Status.SPLIT)
    branches = [Branch(0, NO_PARENT, 0, 0.0, "", False, None, trunk, children=list(range(1, leaves + 1)))]
    for number, angle in enumerate(angles, start=1):
        way = [(0.1 + 0.03 * k * np.cos(angle), 0.05 + 0.03 * k * np.sin(angle), 0.1 * k * (number - 2))
               for k in range(8 + number)]
        rows = make_path(way, 0.1, rate, record, set_kinds=(2, 2, 1, 1, 1, 1, 1, 1))
        branches.append(Branch(number, 0, 1, 0.1, f"acceleration {'nrl'[number % 3]}s", False, (1.0, 2.0, 3.0), rows))
    return Tree(None, branches)
