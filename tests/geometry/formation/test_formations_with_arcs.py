"""Contact formations of round features: all their poses, against a dense scan that shares nothing with the solver."""

import math

import numpy as np
import pytest

from geometry.formation.contacts import FormationContact
from geometry.formation.formations import (
    SOLVED_TYPES,
    TYPES,
    arc_on_arc,
    arc_on_edge,
    edge_on_arc,
    find_type,
    solve_formation,
    solve_placements,
)
from tests.geometry import formation_cases as cases

LETTERS = {**cases.LETTERS, "2AC": "AAC", "ABC": "ABC", "2BC": "BBC", "2CA": "ACC", "2CB": "BCC", "3C": "CCC",
           "ARC": "aC", "BRC": "bC"}


def make_round(letter, rng):
    """A random contact with radii; small letters roll and have none."""
    if letter in "ab":
        return cases.make_contact(letter, rng)
    p, q = rng.normal(size=(2, 2))
    angle, offset, radius = rng.uniform(-math.pi, math.pi), rng.uniform(-0.5, 1.5), rng.uniform(0.0, 0.8)
    if letter == "A":
        return edge_on_arc(angle, offset, q, radius)
    if letter == "B":
        return arc_on_edge(p, radius, angle, -offset)
    small, large = sorted(rng.uniform(0.0, 1.2, 2))
    pairs = [(small, large), (large, small), (0.0, large), (small, -large), (-large, small), (0.0, -large)]
    r, s = pairs[rng.integers(len(pairs))]
    return arc_on_arc(p, r, q, s)


def compute_gaps(contacts, pose):
    """The gaps by the formulas of `geometry/contact/contacts.py`, written again."""
    gaps = []
    for contact in contacts:
        if contact.kind != "C":
            gap = cases.compute_gaps([contact], pose)
            gaps.extend(gap - contact.part_radius - contact.manipulator_radius)
            continue
        c, s, (x, y) = math.cos(pose[2]), math.sin(pose[2]), contact.part_point
        away = np.array([pose[0] + c * x - s * y, pose[1] + s * x + c * y]) - contact.manipulator_point
        span = contact.part_radius + contact.manipulator_radius
        gaps.append(np.hypot(*away) * math.copysign(1.0, span) - span)
    return np.array(gaps)


def measure_scale(contacts, pose):
    return cases.compute_residual_scale(contacts, pose) + sum(
        abs(c.part_radius) + abs(c.manipulator_radius) for c in contacts)


# ---- all poses -------------------------------------------------------------------------------------------------------


def make_curve(contact, theta):
    """Of a contact at each theta (n,): ("line", normal (n, 2), offset (n,)) or ("circle", centre (n, 2), radius)."""
    c, s = np.cos(theta), np.sin(theta)
    (bx, by), P, (nx, ny) = contact.part_point, np.array(contact.manipulator_point), contact.normal
    arm = np.stack([c * bx - s * by, s * bx + c * by], axis=1)
    if contact.kind == "C":
        return "circle", P - arm, abs(contact.part_radius + contact.manipulator_radius)
    if contact.kind == "A":
        normal = np.stack([c * nx - s * ny, s * nx + c * ny], axis=1)
        return "line", normal, ((P - arm) * normal).sum(axis=1) - contact.manipulator_radius
    normal = np.stack([np.full_like(c, nx), np.full_like(c, ny)], axis=1)
    return "line", normal, ((P - arm) * normal).sum(axis=1) + contact.part_radius


def meet(one, other):
    """The places (2, n, 2) where two curves meet at each theta, NaN where they do not; two lines meet once."""
    if one[0] == "circle" and other[0] == "line":
        one, other = other, one
    if one[0] == other[0] == "line":
        det = one[1][:, 0] * other[1][:, 1] - one[1][:, 1] * other[1][:, 0]
        x = (one[2] * other[1][:, 1] - other[2] * one[1][:, 1]) / det
        y = (one[1][:, 0] * other[2] - other[1][:, 0] * one[2]) / det
        x[:-1][det[1:] * det[:-1] <= 0.0] = np.nan  # a pole, where the sign of the gap changes as well
        return np.stack([np.stack([x, y], axis=1), np.full((len(x), 2), np.nan)])
    if one[0] == "line":
        normal, centre, radius = one[1], other[1], other[2]
        along = one[2] - (normal * centre).sum(axis=1)
    else:
        away = other[1] - one[1]
        distance = np.hypot(away[:, 0], away[:, 1])
        normal, centre, radius = away / distance[:, None], one[1], one[2]
        along = 0.5 * (distance + (one[2] ** 2 - other[2] ** 2) / distance)
    half = np.sqrt(np.where(np.abs(along) <= radius, radius**2 - along**2, np.nan))
    foot, side = centre + along[:, None] * normal, np.stack([-normal[:, 1], normal[:, 0]], axis=1)
    return np.stack([foot + half[:, None] * side, foot - half[:, None] * side])


def scan(contacts, n=20000):
    """Angles near which a dense scan sees a pose: where the gap of the last contact changes its sign along a branch of
    the places at which the others meet, or from branch to branch at the end of both."""
    theta = np.linspace(-math.pi, math.pi, n + 1)
    with np.errstate(all="ignore"):
        if contacts[0].rolling:
            c, s, (x, y) = np.cos(theta), np.sin(theta), contacts[0].part_point
            place = contacts[0].manipulator_point - np.stack([c * x - s * y, s * x + c * y], axis=1)
            places = np.stack([place, np.full_like(place, np.nan)])
        else:
            places = meet(make_curve(contacts[0], theta), make_curve(contacts[1], theta))
        last = make_curve(contacts[-1], theta)
        if last[0] == "line":
            gap = (places * last[1]).sum(axis=-1) - last[2]
        else:
            gap = np.hypot(*np.moveaxis(places - last[1], -1, 0)) - last[2]
        change = gap[:, 1:] * gap[:, :-1] < 0
    seen = [theta[k] + 0.5 * (theta[1] - theta[0]) for _, k in np.argwhere(change)]
    there = np.isfinite(gap).all(axis=0)
    ends = np.flatnonzero(there & ~(np.roll(there, 1) & np.roll(there, -1)))
    return seen + [theta[k] for k in ends if gap[0, k] * gap[1, k] < 0]


@pytest.mark.parametrize("type_name", [*TYPES, *SOLVED_TYPES])
def test_all_poses_against_a_dense_scan(type_name, rng):
    """No pose that the scan sees is missing, none is invented, and the gaps of each are zero to rounding."""
    total = met = 0
    for _ in range(150):
        contacts = [make_round(letter, rng) for letter in LETTERS[type_name]]
        assert find_type(contacts) == type_name
        found = solve_formation(*contacts)
        assert found.verdict in ("generic", "none") and found.is_generic
        assert found.method == ("solved" if type_name in SOLVED_TYPES else "closed form")
        assert len(found) in (0, 2, 4, 6)
        for pose in found.poses:
            scale = measure_scale(contacts, pose)
            assert np.abs(compute_gaps(contacts, pose[:3])).max() < 2e-15 * scale and pose.residual < 2e-15 * scale
        seen = scan(contacts)
        step = 2.0 * math.pi / 20000
        for theta in seen:
            away = [abs(math.remainder(theta - pose.theta, 2.0 * math.pi)) for pose in found.poses]
            assert away and min(away) < 2.0 * step, (contacts, theta)
        total += len(found)
        met += sum(any(abs(math.remainder(theta - pose.theta, 2.0 * math.pi)) < 2.0 * step for theta in seen)
                   for pose in found.poses)
    assert met > 0.97 * total > 60, (met, total)


@pytest.mark.parametrize("type_name", SOLVED_TYPES)
def test_order_size_and_place_change_nothing(type_name, rng):
    for _ in range(30):
        contacts = [make_round(letter, rng) for letter in LETTERS[type_name]]
        plain = np.array([pose[:3] for pose in solve_formation(*contacts).poses]).reshape(-1, 3)
        again = np.array([pose[:3] for pose in solve_formation(*contacts[::-1]).poses]).reshape(-1, 3)
        np.testing.assert_allclose(again, plain, atol=1e-8)
        for scale in (1e-6, 1e4):
            scaled = [FormationContact(c.kind, scale * np.array(c.part_point), scale * np.array(c.manipulator_point),
                                       c.normal, c.rolling, part_radius=scale * c.part_radius,
                                       manipulator_radius=scale * c.manipulator_radius) for c in contacts]
            again = np.array([pose[:3] for pose in solve_formation(*scaled).poses]).reshape(-1, 3)
            np.testing.assert_allclose(again / [scale, scale, 1.0], plain, atol=1e-8)


@pytest.mark.parametrize("type_name", SOLVED_TYPES)
def test_many_placements_are_those_of_one_by_one(type_name, rng):
    contacts = [FormationContact(**{**vars(make_round(letter, rng)), "manipulator": k})
                for k, letter in enumerate(LETTERS[type_name])]
    placements = rng.normal(size=(40, 3, 3))
    count, poses, _ = solve_placements(contacts, placements)
    assert poses.shape == (40, 6, 3)
    for placed, n, row in zip(placements, count, poses, strict=True):
        found = solve_formation(*contacts, poses=placed)
        assert len(found) == n
        for pose, other in zip(found.poses, row, strict=False):
            assert cases.measure_distance(pose, other) < 1e-9 * (1.0 + np.hypot(pose.x, pose.y))


@pytest.mark.parametrize("type_name", TYPES)
def test_a_radius_that_vanishes_leaves_the_vertex(type_name, rng):
    for _ in range(20):
        contacts = [make_round(letter, rng) for letter in LETTERS[type_name]]
        sharp = [FormationContact(**{**vars(c), "part_radius": 0.0, "manipulator_radius": 0.0}) for c in contacts]
        small = [FormationContact(**{**vars(c), "part_radius": 1e-13 * bool(c.part_radius),
                                     "manipulator_radius": 1e-13 * bool(c.manipulator_radius)}) for c in contacts]
        exact, near = solve_formation(*sharp), solve_formation(*small)
        assert len(exact) == len(near)
        for pose, other in zip(exact.poses, near.poses, strict=True):
            if abs(pose.determinant) > 1e-2:
                assert cases.measure_distance(pose, other) < 1e-9
