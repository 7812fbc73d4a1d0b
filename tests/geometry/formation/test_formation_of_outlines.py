"""Contact formations of outlines with arcs: cases solved by hand, what is realised, what is refused, tracks.
"""

import math

import numpy as np
import pytest

from geometry.contact.contacts import TYPE_A, TYPE_B, TYPE_C, build_part, compute_contact
from geometry.formation.contacts import FormationContact, FormationError, contact_of_features
from geometry.formation.formations import (
    SOLVED_TYPES,
    TYPES,
    arc_on_arc,
    arc_on_edge,
    edge_on_vertex,
    pin,
    solve_formation,
    vertex_on_edge,
)
from geometry.formation.placements import compute_variation
from geometry.formation.realised import verify_formation
from geometry.formation.sheets import find_realised_parts, list_sheets
from geometry.formation.tracking import track_formation
from geometry.prescribed.motion import Motion
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from tests.geometry import formation_cases as cases
from tests.geometry.contact.test_arcs import BLOB, make_arc_walls
from tests.geometry.formation.test_formations_with_arcs import LETTERS, make_round

DEG = math.pi / 180.0
FLOOR, WALL = Polygon.box(6.0, 2.0), Polygon.box(2.0, 6.0)
CORNER = [(0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)]  # where they stand: the floor is y = 0, the wall x = 0
TOP, SIDE = ("edge", 2), ("edge", 1)  # of the floor, of the wall
FINGER = Polygon.box(0.1, 0.1)
CAPSULE = Outline.capsule(1.0, 0.2)  # edges 0 and 2, arc 1 on the right, arc 3 on the left
RIGHT, LEFT = ("arc", 1), ("arc", 3)


def find_arc(outline, x, y):
    """The name of the arc with its centre there."""
    away = np.where(outline.sign != 0, np.hypot(*(outline.centre - [x, y]).T), np.inf)
    assert away.min() < 1e-12
    return "arc", int(away.argmin())


def find_edge(outline, nx, ny):
    """The name of the edge with this outward normal."""
    along = (outline.end - outline.start) / np.where(outline.length > 0.0, outline.length, 1.0)[:, None]
    off = np.where(outline.sign == 0, np.hypot(along[:, 1] - nx, along[:, 0] + ny), np.inf)
    return "edge", int(off.argmin())


def point_finger(point, direction):
    """The pose of FINGER with its corner 0 at a point, pointing in a direction (rad)."""
    turn = direction - 225.0 * DEG
    return (*(np.array(point) - Pose(0, 0, turn).rotate(FINGER.vertices[0])), turn)


def find_pose(found, expected):
    (held,) = [k for k, pose in enumerate(found.poses) if cases.measure_distance(pose[:3], expected) < 1e-12]
    return held


@pytest.mark.parametrize("type_name", [*TYPES[:4], *SOLVED_TYPES[:6]])
def test_gaps_of_the_poses_by_the_kernels_of_contacts(type_name, rng):
    """Features drawn from outlines with arcs, three of them as manipulators; each gap below 1e-12 of the size."""
    part, walls = build_part(BLOB), make_arc_walls(BLOB, Motion())
    kinds, checked = {"A": TYPE_A, "B": TYPE_B, "C": TYPE_C}, 0
    edges, arcs = np.flatnonzero(BLOB.sign == 0), np.flatnonzero(BLOB.sign)
    for _ in range(60):
        contacts, rows = [], []
        for index, letter in enumerate(LETTERS[type_name]):
            words = {"A": ("edge", "round"), "B": ("round", "edge"), "C": ("round", "round")}[letter]
            while len(contacts) == index:
                picked = [(str(rng.choice(["vertex", "arc"])) if word == "round" else "edge") for word in words]
                named = [(word, int(rng.choice({"edge": edges, "arc": arcs}.get(word, np.arange(len(BLOB))))))
                         for word in picked]
                try:
                    contacts.append(contact_of_features(BLOB, named[0], BLOB, named[1], index))
                except FormationError as error:
                    assert "valid" in str(error)
            rows.append([kinds[letter], *(int(table.edge.arc[k]) if word == "arc" else k for (word, k), table in zip(
                named, (part, walls), strict=True))])
        poses = np.column_stack([2.0 * rng.normal(size=(3, 2)), rng.uniform(-3, 3, 3)])
        for pose in solve_formation(*contacts, poses=poses).poses:
            if np.hypot(pose.x, pose.y) > 20.0:
                continue
            for row, frame in zip(rows, poses, strict=True):
                seen = Pose(*frame).inverse().compose(pose.pose)
                assert abs(compute_contact(part, walls, np.array(row), np.array(seen)).gap) < 1e-12 * BLOB.size
            checked += 1
    assert checked > 20


# ---- by hand ---------------------------------------------------------------------------------------------------------


def test_a_filleted_square_leans_on_floor_and_wall():
    """Its fillets touch like the sharp corners of a smaller square on lines that are a radius farther in."""
    r, theta = 0.25, 20.0 * DEG
    part = Outline.from_vertices([[-1, -1], [1, -1], [1, 1], [-1, 1]]).with_fillets(r)
    turn = Pose(0.0, 0.0, theta)
    pose = (r - turn.rotate((-0.75, 0.75))[0], r - turn.rotate((-0.75, -0.75))[1], theta)
    finger = point_finger(Pose(*pose).transform((1.0, 0.2)), math.pi + theta)
    poses, bodies = [*CORNER, finger], [FLOOR, WALL, FINGER]
    low, left = find_arc(part, -0.75, -0.75), find_arc(part, -0.75, 0.75)
    contacts = [contact_of_features(part, low, FLOOR, TOP, 0), contact_of_features(part, left, WALL, SIDE, 1),
                contact_of_features(part, find_edge(part, 1.0, 0.0), FINGER, ("vertex", 0), 2)]
    found = solve_formation(*contacts, poses=poses)
    assert (found.type, found.verdict, found.method) == ("2BA", "generic", "closed form")
    check = verify_formation(contacts, found.poses[find_pose(found, pose)], part, bodies, poses)
    assert check.realised and check.ends == ("arc", "arc", "edge"), check.reason
    np.testing.assert_allclose(check.points[:2], [(pose[0] + turn.rotate((-0.75, -0.75))[0], 0.0),
                                                  (0.0, pose[1] + turn.rotate((-0.75, 0.75))[1])], atol=1e-15)
    sharp = [vertex_on_edge((-0.75, -0.75), 90 * DEG, r), vertex_on_edge((-0.75, 0.75), 0.0, r),
             edge_on_vertex(0.0, 1.0, tuple(Pose(*finger).transform(FINGER.vertices[0])))]
    for one, other in zip(found.poses, solve_formation(*sharp).poses, strict=True):
        assert cases.measure_distance(one[:3], other[:3]) < 1e-14
    # beyond the end of a fillet: the other arc cannot touch the floor there
    wrong = [contact_of_features(part, find_arc(part, 0.75, 0.75), FLOOR, TOP, 0), *contacts[1:]]
    for each in solve_formation(*wrong, poses=poses).poses:
        check = verify_formation(wrong, each, part, bodies, poses)
        assert not check.realised and ("of its arc" in check.reason or "deep in manipulator" in check.reason)


def test_a_capsule_stands_in_a_corner():
    """Lower end on the floor, upper end on the wall, its side on a fingertip."""
    theta = 110.0 * DEG
    c, s = math.cos(theta), math.sin(theta)
    pose = (0.2 - 0.5 * c, 0.2 + 0.5 * s, theta)
    finger = point_finger(Pose(*pose).transform((0.1, -0.2)), theta + 90.0 * DEG)
    poses, bodies = [*CORNER, finger], [FLOOR, WALL, FINGER]
    contacts = [contact_of_features(CAPSULE, LEFT, FLOOR, TOP, 0), contact_of_features(CAPSULE, RIGHT, WALL, SIDE, 1),
                contact_of_features(CAPSULE, ("edge", 0), FINGER, ("vertex", 0), 2)]
    found = solve_formation(*contacts, poses=poses)
    check = verify_formation(contacts, found.poses[find_pose(found, pose)], CAPSULE, bodies, poses)
    assert found.type == "2BA" and check.realised, check.reason
    assert check.along[2] == pytest.approx(0.6, abs=1e-14)


@pytest.mark.parametrize("off", [0.0, 0.15])
def test_a_capsule_between_two_discs(off):
    """Level on two equal discs, a fingertip on its upper side. In the middle the three normals meet in one point, which
    is a branch point; beside it the pose is regular."""
    high = math.sqrt(0.5**2 - 0.3**2)
    disc = Outline.disc(0.3)
    poses = [(-0.8, 0.0, 0.0), (0.8, 0.0, 0.0), point_finger((off, high + 0.2), -90.0 * DEG)]
    contacts = [contact_of_features(CAPSULE, LEFT, disc, ("arc", 0), 0),
                contact_of_features(CAPSULE, RIGHT, disc, ("arc", 0), 1),
                contact_of_features(CAPSULE, ("edge", 2), FINGER, ("vertex", 0), 2)]
    found = solve_formation(*contacts, poses=poses)
    assert (found.type, found.method) == ("2CA", "solved")
    assert found.verdict == ("generic" if off else "branch")
    (held,) = [k for k, pose in enumerate(found.poses)
               if cases.measure_distance(pose[:3], (0.0, high, 0.0)) < (1e-14 if off else 1e-7)]
    assert found.poses[held].multiplicity == (1 if off else 2)
    assert verify_formation(contacts, (0.0, high, 0.0), CAPSULE, [disc, disc, FINGER], poses).realised


def lean(x):
    """A capsule, its left end on the floor and at the wall, leans on a disc of radius 0.3 at (x, 0.3)."""
    disc = Outline.disc(0.3)
    contacts = [contact_of_features(CAPSULE, LEFT, FLOOR, TOP, 0), contact_of_features(CAPSULE, LEFT, WALL, SIDE, 1),
                contact_of_features(CAPSULE, RIGHT, disc, ("arc", 0), 2)]
    return contacts, [FLOOR, WALL, disc], np.array([*CORNER, (x, 0.3, 0.0)])


def test_a_lever_on_a_disc_and_a_floor():
    """The law of cosines: the right centre is 1 from the left one, (0.2, 0.2), and 0.5 from that of the disc."""
    contacts, bodies, poses = lean(1.4)
    found = solve_formation(*contacts, poses=poses)
    assert (found.type, found.method, found.verdict) == ("2BC", "solved", "generic")
    distance, direction = math.hypot(1.2, 0.1), math.atan2(0.1, 1.2)
    half = math.acos((1.0 + distance**2 - 0.25) / (2.0 * distance))
    np.testing.assert_allclose([pose.theta for pose in found.poses], [direction - half, direction + half], atol=1e-14)
    for pose in found.poses:
        np.testing.assert_allclose(pose.pose.transform((-0.5, 0.0)), (0.2, 0.2), atol=1e-15)
    checks = [verify_formation(contacts, pose, CAPSULE, bodies, poses) for pose in found.poses]
    assert [check.realised for check in checks] == [False, True], checks
    assert "deep in manipulator 0" in checks[0].reason and checks[1].ends == ("arc", "arc", "arc")


def test_a_square_sits_in_a_bowl():
    """Two corners in a concave arc of radius 1 (type C), a fingertip on the upper side tells the angle."""
    bowl = Outline.from_vertices([[-2, -2], [2, -2], [2, 0], [1, 0], [-1, 0], [-2, 0]], [0, 0, 0, -1, 0, 0])
    part, theta = Polygon.box(1.0, 1.0), 12.0 * DEG
    centre = Pose(0.0, 0.0, theta).transform((0.0, 0.5 - math.sqrt(0.75)))
    pose = (*centre, theta)
    poses = [(0.0, 0.0, 0.0), point_finger(Pose(*pose).transform((0.3, 0.5)), theta - 90.0 * DEG)]
    contacts = [contact_of_features(part, ("vertex", 0), bowl, ("arc", 3), 0),
                contact_of_features(part, ("vertex", 1), bowl, ("arc", 3), 0),
                contact_of_features(part, ("edge", 2), FINGER, ("vertex", 0), 1)]
    found = solve_formation(*contacts, poses=poses)
    assert found.type == "2CA"
    held = found.poses[find_pose(found, pose)]
    check = verify_formation(contacts, held, part, [bowl, FINGER], poses, overlap=False)
    assert check.realised, check.reason
    np.testing.assert_allclose(np.hypot(*check.points[:2].T), 1.0, atol=1e-15)
    far = [k for k, each in enumerate(found.poses) if not verify_formation(
        contacts, each, part, [bowl, FINGER], poses, overlap=False).realised]
    assert far  # the other half of the circle is not there


# ---- what has no poses of its own, and what is refused ---------------------------------------------------------------


def test_a_disc_turns_about_its_centre():
    disc = arc_on_edge((0.0, 0.0), 0.2, 90 * DEG, 0.0), arc_on_edge((0.0, 0.0), 0.2, 0.0, 0.0)
    found = solve_formation(*disc, arc_on_edge((0.0, 0.0), 0.2, 225 * DEG, -math.sqrt(0.08) - 0.2))
    assert found.verdict == "infinite" and "turns freely" in found.reason
    for x, verdict in ((0.7, "infinite"), (0.71, "none")):
        found = solve_formation(*disc, arc_on_arc((0.0, 0.0), 0.2, (x, 0.2), 0.3))
        assert found.verdict == verdict and not found.is_generic, found
        three = [arc_on_arc((0.0, 0.0), 0.2, place, 0.3) for place in ((0.5, 0.0), (0.0, 0.5), (0.2 - x, 0.0))]
        assert solve_formation(*three).verdict == ("infinite" if x == 0.7 else "none")


def test_one_contact_twice_fixes_nothing():
    twice = arc_on_arc((0.3, 0.1), 0.2, (1.0, 0.4), 0.3)
    assert solve_formation(twice, twice, edge_on_vertex(0.4, 0.2, (0.0, 0.0))).verdict == "infinite"
    apart = arc_on_arc((0.3, 0.1), 0.2, (1.0, 0.4), 0.4)
    found = solve_formation(twice, apart, edge_on_vertex(0.4, 0.2, (0.0, 0.0)))
    assert found.verdict == "none" and not found.is_generic


def test_parallel_edges_and_an_arc():
    """Two parallel edges on fingertips leave two angles; the circle then cuts their line in two places."""
    edges = [edge_on_vertex(90 * DEG, 0.5, (0.0, 0.0)), edge_on_vertex(-90 * DEG, 0.5, (2.0, -1.2))]
    found = solve_formation(*edges, arc_on_arc((0.8, 0.0), 0.2, (1.5, 1.0), 1.7))
    assert (found.type, found.verdict, len(found)) == ("2AC", "generic", 4)
    assert max(pose.residual for pose in found.poses) < 1e-15
    angles = sorted({round(pose.theta, 12) for pose in found.poses})
    assert len(angles) == 2
    assert solve_formation(*edges, arc_on_arc((0.8, 0.0), 0.2, (1.5, 90.0), 0.9)).verdict == "none"


def test_refusals_by_name():
    plate = Outline.from_vertices([[-1, -1], [1, -1], [1, 1], [-1, 1]], [0, -0.3, 0, 0.3])
    disc = Outline.disc(0.3)
    cases_ = [
        ((CAPSULE, ("edge", 1), FLOOR, ("vertex", 0)), "edge 1 of the part: feature 1 is an arc; valid: 0, 2"),
        ((CAPSULE, ("arc", 0), FLOOR, TOP), "arc 0 of the part: feature 0 is an edge; valid: 1, 3"),
        ((FINGER, ("arc", 0), FLOOR, TOP), "valid: none, it has no arc"),
        ((CAPSULE, ("arc", 4), FLOOR, TOP), "arc 4 of the part: valid: 0 to 3"),
        ((disc, ("vertex", 0), FLOOR, TOP), "vertex 0 of the part: a circle has no vertex; valid: arc 0"),
        ((plate, ("arc", 1), FLOOR, TOP), "an edge cannot touch a concave arc"),
        ((plate, ("arc", 1), plate, ("arc", 1)), "two concave arcs cannot touch"),
        ((plate, ("arc", 1), plate, ("arc", 3)), "one of equal radius"),
        ((FINGER, ("vertex", 0), FINGER, ("vertex", 0)), "a vertex on a vertex has no normal of its own"),
        ((FINGER, ("edge", 0), FINGER, ("edge", 0)), "an edge on an edge is two contacts"),
        ((CAPSULE, RIGHT, FLOOR, TOP, 0.1), "a contact of an arc cannot roll in a formation"),
        ((CAPSULE, ("edge", 0), disc, ("arc", 0), 0.1), "a contact of an arc cannot roll in a formation"),
    ]
    for (part, own, other, named, *at), words in cases_:
        with pytest.raises(FormationError, match=words):
            contact_of_features(part, own, other, named, 0, *at)
    with pytest.raises(FormationError, match="kind 'A' has an edge on one side"):
        FormationContact("A", (0, 0), (0, 0), (1, 0), part_radius=0.1)
    with pytest.raises(FormationError, match="part_radius = nan m: must be a finite number"):
        arc_on_edge((0, 0), math.nan, 0.0, 0.0)
    with pytest.raises(FormationError, match=r"contacts AR, BR are no contact formation: .*BRC"):
        solve_formation(pin("A", (0, 0), (1, 1)), pin("B", (0, 0), (1, 1)))


# ---- on the move -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type_name", [*TYPES, *SOLVED_TYPES])
def test_velocity_and_acceleration_are_the_derivatives_of_the_pose(type_name, rng):
    checked = 0
    while checked < 6:
        contacts = [FormationContact(**{**vars(make_round(letter, rng)), "manipulator": k})
                    for k, letter in enumerate(LETTERS[type_name])]
        a, w = rng.normal(size=(3, 3)), 1.0 + np.abs(rng.normal(size=(3, 3)))
        motion = lambda t, a=a, w=w: (0.3 * a * np.sin(w * t), 0.3 * a * w * np.cos(w * t),  # noqa: E731
                                      -0.3 * a * w * w * np.sin(w * t))
        t, h = 0.4, 2e-4
        sets = [solve_formation(*contacts, poses=motion(t + k * h)[0]) for k in (-2, -1, 0, 1, 2)]
        if len({len(each) for each in sets}) > 1:
            continue
        for k in range(len(sets[0])):
            q = np.array([each.poses[k][:3] for each in sets])
            if abs(sets[2].poses[k].determinant) < 0.3 or np.ptp(q[:, 2]) > 1.0:
                continue
            velocity, acceleration, determinant = compute_variation(contacts, q[2], motion(t))
            assert abs(determinant) == pytest.approx(abs(sets[2].poses[k].determinant), rel=1e-9)
            scale = 1.0 + np.abs(acceleration).max() ** 2
            np.testing.assert_allclose(velocity, (q[0] - 8 * q[1] + 8 * q[3] - q[4]) / (12 * h), atol=1e-9 * scale)
            np.testing.assert_allclose(
                acceleration, (-q[0] + 16 * q[1] - 30 * q[2] + 16 * q[3] - q[4]) / (12 * h * h), atol=3e-6 * scale)
            checked += 1


def move_disc(speed):
    """The motion of `lean`, whose disc starts at x = 1.4 and goes along the floor; speed(t) -> x, x', x''."""
    def motion(t):
        rows = np.zeros((3, 3, 3))
        rows[0] = lean(1.4)[2]
        rows[0, 2, 0], rows[1, 2, 0], rows[2, 2, 0] = speed(t)
        return tuple(rows)
    return motion


def test_a_contact_slides_to_the_end_of_its_arc():
    """The disc comes nearer and lifts the capsule, until it touches where arc and side of the capsule meet."""
    contacts, bodies, _ = lean(1.4)
    motion = move_disc(lambda t: (1.4 - t, -1.0, 0.0))
    start = solve_formation(*contacts, poses=motion(0.0)[0]).poses[1]
    track = track_formation(contacts, motion, [0.0, 0.5], start, part=CAPSULE, manipulators=bodies)
    assert track.reason == "edge" and "contact 2 reaches the end of its arc" in track.detail
    assert track.times[-1] == pytest.approx(1.2 - math.sqrt(1.25 - 0.01), abs=1e-11)
    back = track_formation(contacts, motion, [0.0, -0.4], start, part=CAPSULE, manipulators=bodies)
    assert back.reason == "branch" and back.times[-1] == pytest.approx(1.2 - math.sqrt(1.5**2 - 0.01), abs=1e-9)


def test_the_end_of_an_arc_is_not_passed_and_entered_again_within_one_step():
    contacts, bodies, _ = lean(1.4)
    w = 4.0 * math.pi
    motion = move_disc(lambda t: (1.4 - 0.1 * math.sin(w * t), -0.1 * w * math.cos(w * t),
                                  0.1 * w * w * math.sin(w * t)))
    start = solve_formation(*contacts, poses=motion(0.0)[0]).poses[1]
    track = track_formation(contacts, motion, [0.0, 1.0], start, part=CAPSULE, manipulators=bodies)
    assert track.reason == "edge"
    assert track.times[-1] == pytest.approx(math.asin((1.2 - math.sqrt(1.24)) / 0.1) / w, abs=2e-11)


@pytest.mark.parametrize("gap", [1e-3, 1e-9, -1e-9, -1e-3])
def test_a_disc_that_flies_past_an_arc(gap):
    """A small disc passes the right end of the capsule, between two looks at it."""
    contacts, bodies, poses = lean(1.4)
    start = solve_formation(*contacts, poses=poses).poses[1]
    middle = start.pose.transform((0.5, 0.0))
    out, across = Pose(0, 0, start.theta).rotate([(1.0, 0.0), (0.0, 1.0)])

    def motion(t):
        rows = np.zeros((3, 4, 3))
        rows[0, :3] = poses
        rows[0, 3, :2] = middle + (0.25 + gap) * out + 40.0 * (t - 0.3) * across
        rows[1, 3, :2] = 40.0 * across
        return tuple(rows)

    track = track_formation(contacts, motion, [0.0, 1.0], start, part=CAPSULE,
                            manipulators=[*bodies, Outline.disc(0.05)])
    assert track.reason == ("end" if gap > 0.0 else "collision"), track.detail
    if gap < 0.0:
        deep = math.sqrt(0.25**2 - (0.25 + gap) ** 2) / 40.0
        assert track.end.number == 3 and track.times[-1] == pytest.approx(0.3 - deep, abs=1e-9)


def test_sheets_of_round_on_round():
    """Both poses of the lever, until the disc is out of reach: there the sheets meet, where the centres are in line."""
    contacts, bodies, _ = lean(1.4)
    motion = move_disc(lambda t: (1.4 + t, 1.0, 0.0))
    sheets = list_sheets(contacts, motion, np.linspace(0.0, 0.5, 11))
    assert [sheet.reason for sheet in sheets] == ["branch", "branch"]
    assert sheets[0].times[-1] == pytest.approx(math.sqrt(1.5**2 - 0.01) - 1.2, abs=1e-9)
    parts = find_realised_parts(sheets[1], contacts, motion, CAPSULE, bodies)
    assert [part.end.reason for part in parts] == ["branch"]
    assert not find_realised_parts(sheets[0], contacts, motion, CAPSULE, bodies)  # below the floor
