"""Contact formations on the move: which poses are realised, velocities, branch points, ends of edges, collisions."""

import math

import numpy as np
import pytest

from geometry.formation.formations import (
    TYPES,
    FormationContact,
    FormationError,
    contact_of_edge,
    contact_of_vertex,
    edge_on_vertex,
    solve_formation,
)
from geometry.formation.placements import compute_variation, interpolate_motion
from geometry.formation.realised import verify_formation
from geometry.formation.sheets import list_sheets
from geometry.formation.tracking import track_formation
from geometry.shapes.polygon import Polygon
from tests.geometry import formation_cases as cases

DEG = math.pi / 180.0
TRIANGLE = [edge_on_vertex(0.0, 1.0, (0.0, 0.0), 0), edge_on_vertex(120 * DEG, 1.0, (-0.4, 1.0)),
            edge_on_vertex(240 * DEG, 1.0, (-0.6, -0.8))]


def shift_first(t):
    """The first vertex at (1.1 - t, 0.2)."""
    return np.array([[1.1 - t, 0.2, 0.0]]), np.array([[-1.0, 0.0, 0.0]]), np.zeros((1, 3))


def wave(amplitude):
    """A smooth motion of three manipulators from random numbers (3, 3, 2)."""
    def motion(t):
        a, w = amplitude[..., 0], 1.0 + np.abs(amplitude[..., 1])
        return 0.3 * a * np.sin(w * t), 0.3 * a * w * np.cos(w * t), -0.3 * a * w * w * np.sin(w * t)
    return motion


@pytest.mark.parametrize("type_name", TYPES)
def test_velocity_and_acceleration_are_the_derivatives_of_the_pose(type_name, rng):
    checked = 0
    while checked < 12:
        contacts = [FormationContact(**{**vars(contact), "manipulator": k})
                    for k, contact in enumerate(cases.make_formation(type_name, rng))]
        motion = wave(rng.normal(size=(3, 3, 2)))
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


@pytest.mark.parametrize("branch", [0, 1])
def test_both_branches_run_into_the_branch_point(branch):
    start = solve_formation(*TRIANGLE, poses=shift_first(0.0)[0]).poses[branch]
    track = track_formation(TRIANGLE, shift_first, np.linspace(0.0, 0.3, 31), start)
    assert track.reason == "branch" and "branch point at t = 0.159739" in track.detail
    assert abs(1.1 - track.times[-1] - 0.940260976) < 5e-10
    assert abs(track.poses[-1, 2] + 0.024404) < 5e-7
    assert len(track.times) == 17 and (np.diff(np.abs(track.determinants)) < 0).all()
    for t, pose in zip(track.times[:-1], track.poses[:-1], strict=True):
        placed = [contact.placed(shift_first(t)[0]) for contact in TRIANGLE]
        assert np.abs(cases.compute_gaps(placed, pose)).max() < 1e-15


def test_sheets_of_a_cell():
    times = np.linspace(0.0, 0.3, 31)
    sheets = list_sheets(TRIANGLE, shift_first, times)
    assert len(sheets) == 2 and [sheet.reason for sheet in sheets] == ["branch", "branch"]
    np.testing.assert_allclose(sheets[0].poses[-1], sheets[1].poses[-1], atol=1e-9)
    assert np.sign(sheets[0].determinants[0]) == -np.sign(sheets[1].determinants[0])
    # There and back: the sheets end, and two new ones begin.
    there = lambda t: (shift_first(0.3 * math.sin(t))[0], np.array([[-0.3 * math.cos(t), 0, 0]]),  # noqa: E731
                       np.array([[0.3 * math.sin(t), 0, 0]]))
    sheets = list_sheets(TRIANGLE, there, np.linspace(0.0, math.pi, 41))
    assert len(sheets) == 4
    assert sorted(round(float(sheet.times[0]), 6) for sheet in sheets)[:2] == [0.0, 0.0]
    again = math.pi - math.asin((1.1 - 0.940260976) / 0.3)
    assert sum(abs(sheet.times[0] - again) < 1e-7 for sheet in sheets) == 2


@pytest.mark.parametrize("type_name", ["2AB", "2BA"])
def test_tracks_of_quartics_keep_their_sheet(type_name, rng):
    """On the same way with coarse and with fine times the pose is the same, to the last digits."""
    compared = 0
    while compared < 6:
        contacts = [FormationContact(**{**vars(contact), "manipulator": k})
                    for k, contact in enumerate(cases.make_formation(type_name, rng))]
        motion = wave(rng.normal(size=(3, 3, 2)))
        for start in solve_formation(*contacts, poses=motion(0.0)[0]).poses:
            coarse = track_formation(contacts, motion, [0.0, 1.0], start)
            fine = track_formation(contacts, motion, np.linspace(0.0, 1.0, 101), start)
            assert coarse.reason == fine.reason in ("end", "branch", "away")
            if fine.reason == "away":
                continue
            assert coarse.times[-1] == pytest.approx(fine.times[-1], abs=1e-9)
            np.testing.assert_allclose(coarse.poses[-1], fine.poses[-1], atol=1e-4 if fine.reason == "branch" else 1e-9)
            compared += 1


def make_fingers():
    """A square of side 2 between three small boxes, held 2AB: edge 1 and edge 2 on corners, vertex 0 on a face."""
    part, finger = Polygon.box(2.0, 2.0), Polygon.box(0.2, 0.2)
    contacts = [contact_of_edge(part, 1, finger, 0, 0), contact_of_edge(part, 2, finger, 1, 1),
                contact_of_vertex(part, 0, Polygon.box(6.0, 1.0), 2, 2)]
    return part, [finger, finger, Polygon.box(6.0, 1.0)], contacts


def make_poses(turn=10 * DEG):
    """Fingers that hold the square, centred at the origin and turned, with their corners in the middle of its edges."""
    c, s = math.cos(turn), math.sin(turn)
    return np.array([[c + 0.1, s + 0.1, 0.0], [-s - 0.1, c + 0.1, 0.0], [0.0, -s - c - 0.5, 0.0]])


def test_realised_or_not():
    part, manipulators, contacts = make_fingers()
    poses = make_poses()
    found = solve_formation(*contacts, poses=poses)
    assert found.type == "2AB"
    checks = [verify_formation(contacts, pose, part, manipulators, poses) for pose in found.poses]
    (held,) = [k for k, check in enumerate(checks) if check.realised]
    np.testing.assert_allclose(found.poses[held][:3], (0.0, 0.0, 10 * DEG), atol=1e-14)
    np.testing.assert_allclose(checks[held].along[:2], 1.0, atol=1e-14)
    other = 1 - held
    assert not checks[other].realised and checks[other].reason != "realised"
    fixed = (contacts, found.poses[other], part, manipulators, poses)
    assert verify_formation(*fixed, edges=False, overlap=False).realised
    lines = verify_formation(*fixed, edges=True, overlap=False)
    assert lines.realised == all(lines.within_edges)


def test_overlap_alone_is_found():
    part, manipulators, contacts = make_fingers()
    poses = make_poses()
    block = [*manipulators, Polygon.box(0.5, 0.5)]
    with_block = np.vstack([poses, [0.0, 1.15, 0.0]])
    found = solve_formation(*contacts, poses=poses)
    held = next(p for p in found.poses if abs(p.theta - 10 * DEG) < 1e-9)
    check = verify_formation(contacts, held, part, block, with_block)
    assert not check.realised and all(check.within_edges) and check.overlaps[0][0] == 3
    assert "deep in manipulator 3" in check.reason
    assert verify_formation(contacts, held, part, block, with_block, overlap=False).realised


def move(finger, velocity):
    def motion(t):
        poses, rates = make_poses(), np.zeros((3, 3))
        rates[finger] = velocity
        return poses + t * rates, rates, np.zeros((3, 3))
    return motion


def test_a_track_stops_at_the_end_of_an_edge():
    """The first finger goes up along the edge of the square, past its end."""
    part, manipulators, contacts = make_fingers()
    direction = (-math.sin(10 * DEG), math.cos(10 * DEG), 0.0)
    motion = move(0, direction)
    start = (0, 0, 10 * DEG)
    track = track_formation(contacts, motion, np.linspace(0, 3, 7), start, part=part, manipulators=manipulators)
    assert track.reason == "edge" and track.detail == "contact 0 reaches the end of its edge at t = 1 s"
    np.testing.assert_allclose(track.poses, np.tile([0, 0, 10 * DEG], (len(track.times), 1)), atol=1e-12)
    np.testing.assert_allclose(track.velocities, 0.0, atol=1e-12)


def test_a_track_stops_at_a_collision():
    part, manipulators, contacts = make_fingers()
    walls = [*manipulators, Polygon.box(1.0, 1.0)]

    def motion(t):
        poses, rates, bends = move(2, (0.0, 0.0, 0.0))(t)
        top = math.cos(10 * DEG) + math.sin(10 * DEG)  # of the highest corner, at x = cos - sin
        block = [math.cos(10 * DEG) - math.sin(10 * DEG), top + 0.5 + 0.3 - t, 0.0]
        return np.vstack([poses, block]), np.vstack([rates, [0, -1, 0]]), np.vstack([bends, [0, 0, 0]])

    track = track_formation(contacts, motion, np.linspace(0, 1, 5), (0, 0, 10 * DEG), part=part, manipulators=walls)
    assert track.reason == "collision" and "the part meets manipulator 3 at t = 0.3" in track.detail
    assert track.times[-1] == pytest.approx(0.3, abs=1e-10)


def move_all(place, turn=10 * DEG):
    """Fingers that hold the square, and a fourth manipulator; `place` gives (offset of the fingers, offset of the
    fourth), each with velocity and acceleration: (3, 2)."""
    def motion(t):
        fingers, fourth = (np.asarray(each, dtype=float) for each in place(t))
        rows = [np.zeros((4, 3)) for _ in range(3)]
        rows[0][:3] = make_poses(turn)
        for row, a, b in zip(rows, fingers, fourth, strict=True):
            row[:3, :2] += a
            row[3, :2] += b
        return tuple(rows)
    return motion


STILL = np.zeros((3, 2))


def track_square(motion, times, fourth):
    part, manipulators, contacts = make_fingers()
    start = solve_formation(*contacts, poses=motion(times[0])[0])
    (held,) = [pose for pose in start.poses if abs(pose.theta - 10 * DEG) < 1e-9]
    return track_formation(contacts, motion, times, held, part=part, manipulators=[*manipulators, fourth])


@pytest.mark.parametrize("speed", [3.0, 100.0, 1e5])
@pytest.mark.parametrize("passes", ["obstacle", "part"])
def test_a_thin_obstacle_is_not_passed_within_one_step(speed, passes):
    """A blade of 2 mm crosses the square, or the square it, between two times; to the last digits of its place."""
    far = 0.43 * speed
    meets = -(1.0 + 0.25 * math.sin(10 * DEG)) / math.cos(10 * DEG) - 0.001 if passes == "obstacle" else (
        (1.0 + 0.25 * math.sin(10 * DEG)) / math.cos(10 * DEG) + 0.001)

    def place(t):
        if passes == "obstacle":
            return STILL, [(speed * t - far, 0.0), (speed, 0.0), (0.0, 0.0)]
        return [(speed * t - far, 0.0), (speed, 0.0), (0.0, 0.0)], STILL

    track = track_square(move_all(place), [0.0, 1.0], Polygon.box(0.002, 0.5))
    expected = (far + meets) / speed if passes == "obstacle" else (far - meets) / speed
    assert track.reason == "collision" and "the part meets manipulator 3" in track.detail
    assert track.times[-1] == pytest.approx(expected, abs=1e-11 * max(far, 1.0) / speed)


@pytest.mark.parametrize("turns", [1, 3, 50])
def test_an_obstacle_that_is_back_at_every_time_is_met(turns):
    """It swings by whole periods between the times: at all of them it is in the same place, at rest."""
    w = 2.0 * math.pi * turns

    def place(t):
        return STILL, [(-3.0 * math.cos(w * t), 0.0), (3.0 * w * math.sin(w * t), 0.0),
                       (3.0 * w * w * math.cos(w * t), 0.0)]

    track = track_square(move_all(place), [0.0, 1.0, 2.0], Polygon.box(0.01, 0.5))
    meets = -(1.0 + 0.25 * math.sin(10 * DEG)) / math.cos(10 * DEG) - 0.005
    assert track.reason == "collision"
    assert track.times[-1] == pytest.approx(math.acos(-meets / 3.0) / w, abs=1e-12)


@pytest.mark.parametrize("turns", [1, 2, 7, 50])
def test_an_obstacle_that_seems_to_rest_is_met(turns):
    """It comes and goes like sin^4: at all times, and for 2 and 50 half way between them as well, position, velocity
    and acceleration are those of a body at rest."""
    w = math.pi * turns

    def place(t):
        s, ds, dds = math.sin(w * t) ** 2, w * math.sin(2.0 * w * t), 2.0 * w * w * math.cos(2.0 * w * t)
        return STILL, [(-3.0 + 6.0 * s * s, 0.0), (12.0 * s * ds, 0.0), (12.0 * (ds * ds + s * dds), 0.0)]

    track = track_square(move_all(place), [0.0, 1.0, 2.0], Polygon.box(0.01, 0.5))
    meets = -(1.0 + 0.25 * math.sin(10 * DEG)) / math.cos(10 * DEG) - 0.005
    assert track.reason == "collision"
    assert track.times[-1] == pytest.approx(math.asin(((meets + 3.0) / 6.0) ** 0.25) / w, abs=1e-12)


@pytest.mark.parametrize("gap", [1e-9, -1e-9])
@pytest.mark.parametrize("flies", ["along a line", "on an arc"])
def test_what_passes_close_by_is_told_from_what_touches(gap, flies):
    """A small box passes over the highest corner of the square, 1e-9 m above it or too low."""
    corner = np.array([math.cos(10 * DEG) - math.sin(10 * DEG), math.cos(10 * DEG) + math.sin(10 * DEG)])
    lowest = corner + np.array([0.0, 0.05 + gap])

    def place(t):
        x, bend = 40.0 * (t - 0.3), 7.0 if flies == "on an arc" else 0.0
        return STILL, [lowest + np.array([x, bend * x * x]), (40.0, 80.0 * bend * x), (0.0, 3200.0 * bend)]

    track = track_square(move_all(place), [0.0, 1.0], Polygon.box(0.1, 0.1))
    assert track.reason == ("end" if gap > 0 else "collision"), track.detail
    if gap < 0:
        assert abs(track.times[-1] - 0.3) < 0.06 / 40.0


@pytest.mark.parametrize("swings", [0.5, -0.5, 1, 10, -41])
def test_the_end_of_an_edge_is_not_passed_and_entered_again_within_one_step(swings):
    """The first finger swings along the edge of the square, beyond its end 1 m away, and is back at the next time."""
    part, manipulators, contacts = make_fingers()
    along, w = np.array([-math.sin(10 * DEG), math.cos(10 * DEG), 0.0]), 2.0 * math.pi * swings

    def motion(t):
        rows = [make_poses(), np.zeros((3, 3)), np.zeros((3, 3))]
        for row, factor in zip(rows, (math.sin(w * t), w * math.cos(w * t), -w * w * math.sin(w * t)), strict=True):
            row[0] += 1.2 * factor * along
        return tuple(rows)

    track = track_formation(contacts, motion, [0.0, 1.0], (0, 0, 10 * DEG), part=part, manipulators=manipulators)
    assert track.reason == "edge" and "contact 0 reaches the end of its edge" in track.detail
    assert track.times[-1] == pytest.approx(math.asin(1.0 / 1.2) / abs(w), abs=1e-11 / abs(w))


def test_a_branch_point_is_not_passed_within_one_step():
    """The first vertex goes beyond the branch point and is back at every time."""
    def swing(t, w=6.0 * math.pi, size=0.1):
        rows = np.zeros((3, 1, 3))
        rows[:, 0, 0] = 1.0 + size * math.cos(w * t), -size * w * math.sin(w * t), -size * w * w * math.cos(w * t)
        rows[0, 0, 1] = 0.2
        return tuple(rows)

    for start in solve_formation(*TRIANGLE, poses=swing(0.0)[0]).poses:
        track = track_formation(TRIANGLE, swing, [0.0, 1.0, 2.0], start)
        assert track.reason == "branch"
        assert track.times[-1] == pytest.approx(math.acos((0.940260976 - 1.0) / 0.1) / (6.0 * math.pi), abs=1e-9)


def test_a_track_does_not_change_over_to_the_other_sheet():
    """The first vertex comes to the branch point and goes back like t^2, theta like the root of that: the pose that is
    nearest to where the part was going lies on the other sheet, with det J as large, on the other side of 0."""
    def touch(t):
        rows = np.zeros((3, 1, 3))
        rows[:, 0, 0] = 0.940260976 - 1e-9 + t * t, 2.0 * t, 2.0
        rows[0, 0, 1] = 0.2
        return tuple(rows)

    before, after = (solve_formation(*TRIANGLE, poses=touch(t)[0]).poses for t in (-0.01, 0.04))
    for start, other in zip(before, after[::-1], strict=True):
        velocity, acceleration, _ = compute_variation(TRIANGLE, start[:3], touch(-0.01))
        expected = start.theta + 0.05 * velocity[2] + 0.00125 * acceleration[2]
        assert abs(expected - other.theta) < 0.1 * abs(expected - start.theta)  # the trap is one
        track = track_formation(TRIANGLE, touch, [-0.01, 0.04], start)
        assert track.reason == "branch" and track.times[-1] == pytest.approx(-3e-5, abs=2e-5)
        assert (np.sign(track.determinants[:-1]) == np.sign(start.determinant)).all()
    sheets = list_sheets(TRIANGLE, touch, [-0.01, 0.04])
    assert [sheet.reason for sheet in sheets] == ["branch", "branch", "start", "start"]
    assert [sheet.begin.reason for sheet in sheets] == ["start", "start", "branch", "branch"]


def test_a_track_stops_at_breaks():
    part, manipulators, contacts = make_fingers()
    times = np.linspace(0, 0.2, 5)
    arguments = {"part": part, "manipulators": manipulators}
    track = track_formation(contacts, move(0, (-0.1, 0, 0)), times, (0, 0, 10 * DEG), breaks=[0.07], **arguments)
    assert track.reason == "break" and track.times[-1] == 0.07 and "velocity" in track.detail

    def jumping(t):
        poses, rates, bends = move(0, (-0.1, 0, 0))(t)
        poses[0, 0] -= 0.05 * (t > 0.11)
        return poses, rates, bends

    track = track_formation(contacts, jumping, times, (0, 0, 10 * DEG), **arguments)
    assert track.reason == "break" and abs(track.times[-1] - 0.11) < 1e-12 and "jumps after" in track.detail


def test_a_motion_through_poses():
    times = np.array([0.0, 0.3, 0.5, 1.0])
    poses = np.arange(24.0).reshape(4, 2, 3) ** 2 / 100
    motion = interpolate_motion(times, poses)
    for t, pose in zip(times, poses, strict=True):
        np.testing.assert_allclose(motion(t)[0], pose, atol=1e-14)
    for t in (0.1, 0.3, 0.45, 0.9):
        h = 1e-5
        np.testing.assert_allclose(motion(t)[1], (motion(t + h)[0] - motion(t - h)[0]) / (2 * h), atol=1e-6)
        np.testing.assert_allclose(motion(t)[2], (motion(t + h)[1] - motion(t - h)[1]) / (2 * h), atol=1e-2)
    x = np.linspace(1.1, 1.0, 11)
    line = np.stack([x, np.full(11, 0.2), np.zeros(11)], axis=1)[:, None, :]
    start = solve_formation(*TRIANGLE, poses=line[0]).poses[0]
    track = track_formation(TRIANGLE, line, np.linspace(0, 1, 11), start)
    direct = solve_formation(*TRIANGLE, poses=line[-1]).poses[0]
    assert track.reason == "end"
    np.testing.assert_allclose(track.poses[-1], direct[:3], atol=1e-14)


def test_wrong_tracks_are_refused():
    start = solve_formation(*TRIANGLE, poses=shift_first(0.0)[0]).poses[0]
    with pytest.raises(FormationError, match="times: must be two or more numbers"):
        track_formation(TRIANGLE, shift_first, [0.0, 0.0], start)
    with pytest.raises(FormationError, match=r"is no pose of the formation at t = "):
        track_formation(TRIANGLE, shift_first, [0.0, 1.0], (0, 0, 0))
    part, manipulators, contacts = make_fingers()
    found = solve_formation(*contacts, poses=make_poses())
    other = next(p for p in found.poses if abs(p.theta - 10 * DEG) > 1e-3)
    with pytest.raises(FormationError, match="the start is not realised"):
        track_formation(contacts, move(0, (0, 0, 0)), [0.0, 1.0], other, part=part, manipulators=manipulators)
