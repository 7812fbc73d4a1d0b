"""Rest poses among obstacles, against closed forms: grooves, nests, posts, trays."""

import math

import numpy as np
import pytest

from geometry.errors import InputError
from geometry.rest.pocket_poses import list_pocket_poses
from geometry.shapes.outline import Outline
from geometry.shapes.union.overlap import measure_overlap


def make_groove(opening, arm=1.0, deep=0.3):
    """A groove of this opening angle, rad, its bottom at the origin, on a block with slanted tops, where nothing rests.
    """
    x, y = arm * math.sin(0.5 * opening), arm * math.cos(0.5 * opening)
    return Outline.from_vertices([[-x, -deep], [x, -deep], [x, y], [0.0, 0.0], [-x, y]])


def make_box(width, height):
    return Outline.from_vertices([[-width / 2, -height / 2], [width / 2, -height / 2], [width / 2, height / 2],
                                  [-width / 2, height / 2]])


def find_poses(part, *obstacles):
    """The poses, none of which overlaps."""
    poses, _ = list_pocket_poses(part, obstacles)
    for pose in poses:
        placed = part.rotated(pose.theta).translated(pose.x, pose.height)
        assert all(measure_overlap(placed, obstacle)[0] < 1e-11 for obstacle in obstacles)
    return poses


def test_a_square_in_a_right_groove():
    """Its corner in the bottom; between two of those V = s cos(theta) while both lower corners slide on the walls."""
    s = 0.2
    poses = find_poses(make_box(s, s), make_groove(0.5 * math.pi))
    assert [pose.theta for pose in poses] == pytest.approx([math.radians(a) for a in (-135, -45, 45, 135)], abs=1e-14)
    for pose in poses:
        assert (pose.x, pose.height) == pytest.approx((0.0, s / math.sqrt(2.0)), abs=1e-14)
        assert [name[0] for name in pose.contacts] == ["edge", "edge"] and pose.slides == (pose.x, pose.x)
        for way in (pose.left, pose.right):
            assert way.angle == pytest.approx(0.25 * math.pi, abs=1e-12)
            assert way.lift == pytest.approx(s * (1.0 - 1.0 / math.sqrt(2.0)), abs=1e-14)
        assert pose.share == pytest.approx(0.25, abs=1e-12) and pose.pocket == 0


def test_an_equilateral_triangle_in_a_right_groove():
    """An edge flush on one wall: six poses. With an edge of length a on both walls at its ends, turned by b from level,
    V = a cos(b) / 2 + a cos(b) / (2 sqrt(3)): a maximum at b = 0. Corner in the bottom: V = c cos(t), the other way."""
    c = 0.2  # circumradius
    points = [[c * math.cos(a), c * math.sin(a)] for a in 0.5 * math.pi + 2.0 * math.pi / 3.0 * np.arange(3)]
    poses = find_poses(Outline.from_vertices(points), make_groove(0.5 * math.pi))
    expected = [math.radians(a) for a in (-165, -75, -45, 45, 75, 165)]
    assert [pose.theta for pose in poses] == pytest.approx(expected, abs=1e-13)
    low = c * math.cos(math.radians(15.0))
    for pose in poses:
        # the centre hangs over the bottom corner, turned by 15 deg; at 0 it would stand over it
        assert pose.height == pytest.approx(low * 1.0, abs=1e-13)
        assert abs(pose.x) == pytest.approx(c * math.sin(math.radians(15.0)), abs=1e-13)
        near, far = sorted((pose.left, pose.right))
        assert (near.angle, near.lift) == pytest.approx((math.radians(15.0), c - low), abs=1e-12)
        side = c * math.sqrt(3.0)
        top = 0.5 * side + 0.5 * c  # the edge level, its middle over the bottom at half its length
        assert (far.angle, far.lift) == pytest.approx((math.radians(45.0), top - low), abs=1e-12)
        assert pose.share == pytest.approx(1.0 / 6.0, abs=1e-12)


def test_a_disc_in_a_groove_is_at_rest_in_every_orientation():
    r, opening = 0.1, math.radians(70.0)
    pose, = find_poses(Outline.disc(r), make_groove(opening))
    assert pose.span == pytest.approx(2.0 * math.pi) and pose.share == 1.0
    assert (pose.x, pose.height) == pytest.approx((0.0, r / math.sin(0.5 * opening)), abs=1e-12)
    assert pose.left.angle == pose.right.angle == math.inf


def test_a_disc_that_is_weighted_hangs():
    r, e = 0.1, 0.03
    pose, = find_poses(Outline.disc(r, center=(0.0, e)), make_groove(0.5 * math.pi))
    assert (pose.theta, pose.x, pose.height) == pytest.approx((0.0, 0.0, r * math.sqrt(2.0) - e), abs=1e-12)
    assert (pose.left.angle, pose.left.lift) == pytest.approx((math.pi, 2.0 * e), abs=1e-12)
    assert pose.share == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("lean", [0.0, 12.0])
def test_a_rod_between_two_walls_balances_by_the_three_force_theorem(lean):
    """With its lower corners on both walls a rod balances where the normals there meet over its centre of mass: at a
    maximum of V, which bounds the basins of the poses in which it lies flush on a wall."""
    w, h = 0.4, 0.02
    a, b = math.radians(45.0 + lean), math.radians(45.0 - lean)  # of the walls to the level: they are square
    groove = make_groove(0.5 * math.pi).rotated(math.radians(-lean))
    poses = find_poses(make_box(w, h), groove)

    def compute_height(theta):
        # ends p = l (-cos a, sin a), q = m (cos b, sin b), q - p = w (cos theta, sin theta), walls square to each other
        m = w * (math.cos(theta) * math.sin(a) + math.sin(theta) * math.cos(a))
        k = w * (math.cos(theta) * math.sin(b) - math.sin(theta) * math.cos(b))
        return 0.5 * (m * math.sin(b) + k * math.sin(a)) + 0.5 * h * math.cos(theta)

    assert len(poses) == 4 and all(len(pose.contacts) == 2 for pose in poses)
    thetas = np.linspace(-b, a, 200001)[1:-1]
    heights = np.array([compute_height(theta) for theta in thetas])
    right = min(poses, key=lambda pose: abs(pose.theta - b))  # flush on the right wall, its end on the left one
    assert right.height == pytest.approx(compute_height(b), abs=1e-12)
    top = b - right.right.angle
    assert top == pytest.approx(thetas[heights.argmax()], abs=2e-5)
    assert right.right.lift == pytest.approx(compute_height(top) - compute_height(b), abs=1e-12)
    # by forces: the normals at both ends, drawn from there, meet over the centre of mass
    k = w * (math.cos(top) * math.sin(b) - math.sin(top) * math.cos(b))
    m = w * (math.cos(top) * math.sin(a) + math.sin(top) * math.cos(a))
    p, q = k * np.array([-math.cos(a), math.sin(a)]), m * np.array([math.cos(b), math.sin(b)])
    meeting = p + q  # the walls are square: the bottom, both ends and the meeting point are a rectangle
    centre = 0.5 * (p + q) + 0.5 * h * np.array([-math.sin(top), math.cos(top)])
    assert meeting[0] == pytest.approx(centre[0], abs=1e-12)


def test_an_l_in_a_nest_that_fits_it_cannot_turn():
    points = np.array([[0.0, 0.0], [0.4, 0.0], [0.4, 0.1], [0.1, 0.1], [0.1, 0.4], [0.0, 0.4]])
    part = Outline.from_vertices(points)
    x, y = part.centroid
    nest = Outline.from_vertices([[-0.1, -0.1], [0.5, -0.1], [0.5, 0.1], [0.4, 0.1], [0.4, 0.0], [0.0, 0.0], [0.0, 0.4],
                                  [-0.1, 0.4]])
    poses = find_poses(part.translated(-x, -y), nest)
    fits = [pose for pose in poses if math.hypot(pose.x - x, pose.height - y) < 1e-9]
    assert len(fits) == 1
    pose = fits[0]
    assert pose.theta == pytest.approx(0.0, abs=1e-15) and pose.slides == (pose.x, pose.x)
    assert pose.closed == (True, True) and pose.contacts[0] == ("edge", 0, "edge", 4)
    assert {name[1] for name in pose.contacts} == {0, 1, 5}
    assert pose.left.angle == pose.right.angle == math.inf and pose.share == 0.0


def test_a_plank_on_two_posts_slides_until_it_tips():
    posts = [Outline.from_vertices([[x - 0.02, -0.2], [x + 0.02, -0.2], [x, 0.0]]) for x in (-0.1, 0.2)]
    poses = find_poses(make_box(0.7, 0.02), *posts)
    plank = [pose for pose in poses if pose.slides[1] - pose.slides[0] > 0.2]
    assert len(plank) == 2
    for pose in plank:
        assert pose.height == pytest.approx(0.01, abs=1e-14) and pose.closed == (False, False)
        assert pose.slides == pytest.approx((-0.1, 0.2), abs=1e-12)
        assert pose.left is None and pose.right is None and pose.share == 0.0


def test_a_part_in_a_tray_slides_between_its_walls():
    tray = Outline.from_vertices([[-0.5, -0.1], [0.5, -0.1], [0.5, 0.4], [0.45, 0.4], [0.4, 0.0], [-0.4, 0.0],
                                  [-0.45, 0.4], [-0.5, 0.4]])
    part = make_box(0.4, 0.2)
    inside = [pose for pose in find_poses(part, tray) if pose.height < 0.3]
    assert len(inside) == 4 and len({pose.pocket for pose in inside}) == 1
    flat = next(pose for pose in inside if pose.theta == 0.0)
    assert flat.slides == pytest.approx((-0.2, 0.2), abs=1e-12) and flat.closed == (True, True)
    assert flat.contacts == (("edge", 0, "edge", 4),)
    assert flat.left.angle == pytest.approx(math.atan2(2.0, 1.0), abs=1e-12)
    assert flat.left.lift == pytest.approx(math.hypot(0.2, 0.1) - 0.1, abs=1e-13)
    assert sum(pose.share for pose in inside) == pytest.approx(1.0, abs=1e-12)


def test_a_corner_on_a_corner_holds_nothing():
    """A block over the peak of a roof, whatever its orientation, has no rest pose."""
    roof = Outline.from_vertices([[-1.0, 0.0], [1.0, 0.0], [0.2, 0.5]])
    assert find_poses(make_box(0.3, 0.2), roof) == ()


def test_arcs_of_one_radius_are_refused():
    bush = make_box(0.5, 0.5).with_holes(Outline.disc(0.1))
    with pytest.raises(InputError, match="touch all along"):
        list_pocket_poses(Outline.disc(0.1), [bush])
    pin, = (pose for pose in find_poses(Outline.disc(0.09), bush) if pose.height < 0.2)
    assert (pin.x, pin.height) == pytest.approx((0.0, -0.01), abs=1e-13)
    assert pin.contacts == (("arc", 0, "arc", 4),)
