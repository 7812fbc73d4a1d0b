"""Random contact formations of every type, and slow, obvious twins of their constraints."""

import math

import numpy as np
from scipy.optimize import fsolve

from geometry.formation.formations import FormationContact, edge_on_vertex, pin, vertex_on_edge

LETTERS = {"3A": "AAA", "3B": "BBB", "2AB": "AAB", "2BA": "BBA", "ARA": "aA", "ARB": "aB", "BRA": "bA", "BRB": "bB"}


def make_contact(letter, rng, scale=1.0):
    """A random contact; small letters roll."""
    points = scale * rng.normal(size=(2, 2))
    angle, offset = rng.uniform(-math.pi, math.pi), scale * rng.uniform(-0.5, 1.5)
    if letter == "A":
        return edge_on_vertex(angle, offset, points[0])
    if letter == "B":
        return vertex_on_edge(points[0], angle, -offset)
    return pin(letter.upper(), points[0], points[1])


def make_formation(type_name, rng, scale=1.0):
    return [make_contact(letter, rng, scale) for letter in LETTERS[type_name]]


def compute_gaps(contacts, pose):
    """The constraints written with matrices, straight from their definitions."""
    x, y, theta = pose
    turn = np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])
    place = np.array([x, y])
    gaps = []
    for contact in contacts:
        b, p, n = (np.array(each) for each in (contact.part_point, contact.manipulator_point, contact.normal))
        if contact.rolling:
            gaps.extend(place + turn @ b - p)
        elif contact.kind == "A":
            gaps.append((turn @ n) @ (p - place - turn @ b))
        else:
            gaps.append(n @ (place + turn @ b - p))
    return np.array(gaps)


def find_poses_by_search(contacts, rng, starts):
    """All poses that a root finder meets from many random starts, sorted by theta."""
    found = []
    for _ in range(starts):
        start = (*(4.0 * rng.normal(size=2)), rng.uniform(-math.pi, math.pi))
        with np.errstate(all="ignore"):
            root, _, flag, _ = fsolve(lambda pose: compute_gaps(contacts, pose), start, full_output=True, xtol=1e-13)
        if flag != 1 or np.abs(compute_gaps(contacts, root)).max() > 1e-9 or not np.isfinite(root).all():
            continue
        root[2] = math.atan2(math.sin(root[2]), math.cos(root[2]))
        if all(measure_distance(root, other) > 1e-6 for other in found):
            found.append(root)
    return sorted(found, key=lambda pose: pose[2])


def find_poses_by_newton(formations, rng, starts, steps=30):
    """For each of many formations of one type, the poses that Newton's method meets from random starts: lists.

    All formations and starts at once; derivatives by the complex step, so that nothing is shared with the kernels.
    """
    letters = ["a" if contact.rolling else contact.kind for contact in formations[0]]
    data = np.array([[(*c.part_point, *c.manipulator_point, *c.normal) for c in contacts] for contacts in formations])
    data = np.repeat(data, starts, axis=0)
    q = np.column_stack([3.0 * rng.normal(size=(len(data), 2)), rng.uniform(-math.pi, math.pi, len(data))])

    def gaps(q):
        c, s, place = np.cos(q[:, 2]), np.sin(q[:, 2]), q[:, :2]
        out = []
        for k, letter in enumerate(letters):
            b, p, n = data[:, k, :2], data[:, k, 2:4], data[:, k, 4:]
            arm = place - p + np.column_stack([c * b[:, 0] - s * b[:, 1], s * b[:, 0] + c * b[:, 1]])
            if letter == "a":
                out.extend(arm.T)
            elif letter == "A":
                out.append(-(c * n[:, 0] - s * n[:, 1]) * arm[:, 0] - (s * n[:, 0] + c * n[:, 1]) * arm[:, 1])
            else:
                out.append((n * arm).sum(axis=1))
        return np.array(out).T

    with np.errstate(all="ignore"):
        for _ in range(steps):
            slope = np.stack([gaps(q + 1e-30j * np.eye(3)[k]).imag / 1e-30 for k in range(3)], axis=2)
            regular = np.abs(np.linalg.det(slope)) > 1e-12
            slope[~regular] = np.eye(3)
            step = np.linalg.solve(slope, gaps(q)[:, :, None])[:, :, 0]
            step[:, 2] = np.clip(step[:, 2], -0.5, 0.5)
            q = np.where(np.isfinite(step), q - step, q)
        good = (np.abs(gaps(q)).max(axis=1) < 1e-10) & regular
    lists = []
    for k in range(len(formations)):
        kept = []
        for pose in q[k * starts : (k + 1) * starts][good[k * starts : (k + 1) * starts]]:
            if all(measure_distance(pose, other) > 1e-6 for other in kept):
                kept.append(pose)
        lists.append(kept)
    return lists


def measure_distance(pose, other):
    turn = math.remainder(pose[2] - other[2], 2.0 * math.pi)
    return max(abs(pose[0] - other[0]), abs(pose[1] - other[1]), abs(turn))


def compute_residual_scale(contacts, pose):
    """What rounding alone does to the constraints at this pose, m: the sizes of all lengths in them."""
    lengths = [abs(v) for contact in contacts for v in (*contact.part_point, *contact.manipulator_point)]
    return sum(lengths) + abs(pose[0]) + abs(pose[1])


def shift_last(contacts, step):
    """The same with the last edge moved outwards."""
    last = contacts[-1]
    point = "part_point" if last.kind == "A" else "manipulator_point"
    moved = np.array(getattr(last, point)) + step * np.array(last.normal)
    return [*contacts[:-1], FormationContact(**{**vars(last), point: moved})]
