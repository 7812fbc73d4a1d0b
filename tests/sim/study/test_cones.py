"""`stiction cone`: what it prints and draws, contacts of scenes, pictures of the gallery."""

import matplotlib.image
import numpy as np
import pytest
from matplotlib.figure import Figure

from dynamics.cones.contact_set import place_contacts
from dynamics.cones.polyhedral import cone_from_faces
from dynamics.cones.wrench import Region, exclusive_cones, wrench_cone, wrench_cones
from sim.cli import main
from sim.scene.build import load_scene, parse_scene
from sim.show.plots import cone_gallery
from sim.show.plots.draw_cone import (
    Plane,
    choose_plane,
    choose_window,
    compute_clipped_section,
    draw_generators,
    draw_scenery,
)
from sim.study.scene_contacts import find_contact_set, find_contact_spaces, find_load
from tests.scene_builders import box_outline, build_floor, build_scene, slope_block, standing_box


def run(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    out = capsys.readouterr()
    return ended.value.code, out.out, out.err


def test_all_modes_of_a_scene(capsys):
    code, out, _ = run(capsys, "cone", "ladder")
    contacts, _ = find_contact_set(load_scene("ladder"))
    assert code == 0 and "10 modes" in out
    for mode, cone in zip(wrench_cones(contacts).modes, wrench_cones(contacts).cones, strict=True):
        assert f"\n{mode} " in out and f"{cone.share:.4%}" in out
    assert "load is consistent with rr." in out  # mu = 0.2 is too little to hold it


def test_one_mode_in_both_forms(capsys):
    code, out, _ = run(capsys, "cone", "ladder", "--mode", "nn")
    assert code == 0 and out.count("\nray ") == 4 and out.count("<= 0") == 4 and " < 0" not in out
    assert "is outside, " in out
    code, out, _ = run(capsys, "cone", "ladder", "--mode", "rr")
    assert out.count("< 0") >= 1 and "is inside, " in out and "consistent with rr." in out
    code, out, _ = run(capsys, "cone", "ladder", "--mode", "lr")
    assert code == 0 and "No motion has mode lr" in out and "Feasible modes: ss sr" in out


def test_only_and_shared(capsys, tmp_path):
    """A peg between two walls, above the bottom: what pushes it in can jam it."""
    code, out, _ = run(capsys, "cone", str(write_peg(tmp_path)), "--near", "30 mm", "--mode", "lraa", "--only")
    assert code == 0 and "Every wrench of lraa is consistent with another mode, too:\n  nnss" in out
    code, out, _ = run(capsys, "cone", "ladder", "--mode", "rr", "--only")
    assert "11.6721% of all wrenches are consistent with rr and with no other mode: 1 convex cone" in out


def write_peg(folder):
    """A hexagon between two walls that touch it at slightly different heights, 2 cm above the ground."""
    part = {"vertices": [[-0.5, -1], [0.5, -1], [1, -0.2], [0.5, 1], [-0.5, 1], [-1, 0.2]]}
    walls = [{"name": "left", "outline": box_outline(-2, -1.02, -1, 2)},
             {"name": "right", "outline": box_outline(1, -1.02, 2, 2)},
             {"name": "bottom", "outline": box_outline(-1, -2, 1, -1.02)}]
    path = folder / "peg.toml"
    path.write_text(build_scene({"outline": part, "mass": 1.0, "center_of_mass": [0.0, 0.0], "rho": 1.0}, walls,
                                friction={"default": 0.5}))
    return path


@pytest.mark.parametrize(("mode", "message"), [("zz", "zz"), ("nnn", "3 letters for 2 contacts"), ("x*", "x")])
def test_a_mode_that_cannot_be_is_refused_before_anything_is_printed(capsys, mode, message):
    code, out, err = run(capsys, "cone", "ladder", "--mode", mode)
    assert (code, out) == (2, "") and err.startswith("Error: ") and message in err


def test_without_contacts_and_with_a_cone_that_dips(capsys):
    code, out, _ = run(capsys, "cone", "bouncing_block")
    assert code == 0 and "\nfree " in out and "is consistent with free." in out
    code, out, _ = run(capsys, "cone", "painleve_rod", "--mode", "n", "--only")
    assert code == 0 and "The scene starts in motion" in out
    assert "1 convex cone, and 1 part of boundaries" in out and out.count("only n: dimension") == 1
    code, out, _ = run(capsys, "cone", "painleve_rod", "--only")
    assert "\nn " in out and "\nr " in out and "\nl " not in out  # l is nowhere the only answer


def test_near_places_come_after_closed_ones(tmp_path):
    scene = load_scene(write_peg(tmp_path))
    contacts, places = find_contact_set(scene, 0.03)
    assert [p["obstacle"] for p in places] == ["right", "left", "bottom", "bottom"]
    assert list(contacts.closed) == [True, True, False, False]
    np.testing.assert_allclose([p["gap"] for p in places], [0, 0, 0.02, 0.02], atol=1e-15)
    np.testing.assert_allclose(contacts.points[2:], [(-0.5, -1.0), (0.5, -1.0)], atol=1e-15)
    np.testing.assert_allclose(contacts.normals[2:], [(0, 1), (0, 1)], atol=1e-15)
    assert len(find_contact_set(scene, 0.019)[0]) == 2
    np.testing.assert_allclose(find_load(scene), [0.0, -9.81, 0.0])
    assert find_contact_spaces(scene).rank == 2 and find_contact_spaces(scene, "nn").rank == 3


def test_near_places_of_arcs():
    """A disc over a floor (B), a beam over a disc (A), a disc over another, behind which a third is not seen, and one
    in a bowl (C)."""
    disc = {"outline": {"disc": 0.1}, "mass": 1.0, "pose": [0.0, 0.41, 0.0]}
    beam = {"outline": {"box": [1.0, 0.2]}, "mass": 1.0, "pose": [0.02, 0.41, 0.0]}
    low = {"outline": {"disc": 0.1}, "mass": 1.0, "pose": [0.12, -0.1, 0.0]}
    floor = {"name": "floor", "outline": {"vertices": [[-2, -1], [2, -1], [2, 0.3], [-2, 0.3]]}}
    post = {"name": "post", "outline": {"disc": 0.3}}
    behind = {"name": "behind", "outline": {"disc": 0.1}, "pose": [0.0, -0.5, 0.0]}
    bowl = {"name": "bowl", "outline": {"vertices": [[-0.5, -0.5], [0.5, -0.5], [0.5, 0], [0.3, 0], [-0.3, 0],
                                                     [-0.5, 0]], "bulge": [0, 0, 0, -1, 0, 0]}}
    away = float(np.hypot(0.12, 0.1))
    for part, obstacles, kind, gap, point, normal in (
        (disc, [floor], "B", 0.01, (0.0, 0.31), (0.0, 1.0)),
        (beam, [post], "A", 0.01, (0.0, 0.31), (0.0, 1.0)),
        (disc, [post, behind], "C", 0.01, (0.0, 0.31), (0.0, 1.0)),
        (low, [bowl], "C", 0.2 - away, np.array([0.12, -0.1]) * (1.0 + 0.1 / away), np.array([-0.12, 0.1]) / away),
    ):
        _, found = find_contact_set(parse_scene(build_scene(part, obstacles, friction={"default": 0.3})), near=0.09)
        assert [contact["type"] for contact in found] == [kind] and found[0]["gap"] == pytest.approx(gap)
        np.testing.assert_allclose(found[0]["point"], point, atol=1e-12)
        np.testing.assert_allclose(found[0]["normal"], normal, atol=1e-12)


def test_near_vertices_of_obstacles_and_blocked_sight():
    """Type A: a pin under a level box. A plate in between hides it."""
    pin = {"name": "pin", "outline": {"vertices": [[0, 0], [-0.1, -1], [0.1, -1]]}}
    box = {"outline": standing_box(1.0, 1.0), "mass": 1.0, "pose": [0.2, 0.05, 0.0]}
    contacts, places = find_contact_set(parse_scene(build_scene(box, [pin], friction={"default": 0.3})), 0.1)
    assert [(p["type"], p["obstacle"]) for p in places] == [("A", "pin")]
    np.testing.assert_allclose(contacts.points, [(-0.2, -0.5)], atol=1e-15)
    np.testing.assert_allclose(contacts.normals, [(0, 1)], atol=1e-15)
    plate = {"name": "plate", "outline": box_outline(-0.2, 0.01, 0.2, 0.02)}
    _, places = find_contact_set(parse_scene(build_scene(box, [pin, plate], friction={"default": 0.3})), 0.1)
    assert {p["obstacle"] for p in places} == {"plate"}


@pytest.mark.parametrize("words, message", [
    (["--mode", "n"], "mode 'n' has 1 letters for 2 contacts"),
    (["--mode", "nq"], "'q' is no letter"),
    (["--mode", "na"], "contact 1 cannot be 'a', it is touched"),
    (["--near", "5 parsec"], "must be a length"),
    (["--near", "-1"], "near is -1.0"),
    (["--plot", "a.gif"], "valid: .png, .svg, .pdf"),
])
def test_mistakes(capsys, words, message):
    code, _, err = run(capsys, "cone", "ladder", *words)
    assert code == 2 and message in err


def test_a_corner_on_a_corner_is_refused(capsys, tmp_path):
    path = tmp_path / "corner.toml"
    part = {"outline": {"vertices": [[0, 0], [1, 2], [-1, 2]]}, "mass": 1.0}
    path.write_text(build_scene(part, [{"name": "tip", "outline": {"vertices": [[0, 0], [-1, -1], [1, -1]]}}],
                                friction={"default": 0.3}))
    code, _, err = run(capsys, "cone", str(path))
    assert code == 2 and "is a corner on a corner" in err


def test_pictures_are_written(capsys, tmp_path):
    for name, words in {"one.png": ["--mode", "nn"], "all.svg": [], "only.pdf": ["--mode", "rr", "--only"],
                        "none.png": ["--mode", "lr"]}.items():  # fmt: skip
        code, out, _ = run(capsys, "cone", "ladder", *words, "--plot", str(tmp_path / "new" / name))
        path = tmp_path / "new" / name
        assert code == 0 and f"Drawn: {path}" in out and path.stat().st_size > 5000
    image = matplotlib.image.imread(tmp_path / "new" / "one.png")
    assert image.shape == (460, 960, 4) and len(np.unique(image.reshape(-1, 4), axis=0)) > 50


def test_a_section_holds_what_the_cone_holds(rng):
    """Points of the window: inside the polygon exactly if the wrench there is in the closure."""
    for plane in (Plane(1, -1.0), Plane(2, 1.0), Plane(0, -1.0)):
        for _ in range(8):
            cone = cone_from_faces(rng.normal(size=(rng.integers(0, 5), 3)))
            section = compute_clipped_section(cone, plane, np.array([-2.0, -1.0]), np.array([1.0, 3.0]))
            for p in rng.uniform((-2, -1), (1, 3), size=(20, 2)):
                w = np.insert(p, plane.axis, plane.sign)
                assert is_in_polygon(section, p) == cone.contains(w)
                np.testing.assert_allclose(plane.place(3.0 * w), p)


def is_in_polygon(polygon, point):
    if len(polygon) == 0:
        return False
    edge = np.roll(polygon, -1, axis=0) - polygon
    offset = point - polygon
    side = edge[:, 0] * offset[:, 1] - edge[:, 1] * offset[:, 0]
    return bool((side >= -1e-12).all() or (side <= 1e-12).all())


def test_cones_of_lower_dimension_have_a_section_too():
    flat = cone_from_faces(equations=[(0, 0, 1.0)])
    section = compute_clipped_section(flat, Plane(1, -1.0), np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    assert len(section) >= 2 and np.abs(section[:, 1]).max() < 1e-8 and np.ptp(section[:, 0]) > 1.9


def test_the_plane_that_most_rays_meet():
    contacts, _ = find_contact_set(parse_scene(slope_block(standing_box(1.0, 1.0), 0.0, 0.3)))
    region = Region(("nn",), (wrench_cone(contacts, "nn"),))
    assert choose_plane(region, np.zeros(3)) == Plane(1, -1.0)
    sideways, _ = find_contact_set(parse_scene(slope_block(standing_box(1.0, 1.0), 89.0, 0.3)))
    assert choose_plane(Region(("nn",), (wrench_cone(sideways, "nn"),)), np.zeros(3)) == Plane(0, -1.0)


def test_pure_moments_are_arcs_and_forces_lines():
    from matplotlib.patches import Arc

    scenery, contacts = cone_gallery.build_figure_4()[3][2:]
    axes = Figure().add_axes((0, 0, 1, 1))
    draw_scenery(axes, scenery, contacts)
    draw_generators(axes, scenery, contacts, wrench_cone(contacts, "nns"))
    assert sum(isinstance(patch, Arc) for patch in axes.patches) == 2
    before = len(axes.lines)
    draw_generators(axes, scenery, contacts, wrench_cone(contacts, "lra"))
    assert len(axes.lines) == before + 3 and sum(isinstance(patch, Arc) for patch in axes.patches) == 2


def test_the_gallery_can_be_drawn_again(tmp_path):
    for path in cone_gallery.draw_gallery(tmp_path):
        assert 10_000 < path.stat().st_size < 150_000
        kept = cone_gallery.FOLDER / path.name
        assert kept.stat().st_size < 150_000
    start, end = cone_gallery.find_finger_places(cone_gallery.build_figure_4()[1][3])
    assert abs(start) < 1e-9 and end == 1.0


def test_only_needs_no_picture_of_its_own():
    floor = [build_floor()]
    part = {"outline": standing_box(1.0, 1.0), "mass": 1.0}
    contacts, _ = find_contact_set(parse_scene(build_scene(part, floor, friction={"default": 0.3})))
    only = exclusive_cones(contacts, "nn")
    assert sum(cone.share for cone in only.cones) == pytest.approx(wrench_cone(contacts, "nn").share)
    assert len(place_contacts([], [], 0.0)) == 0


def test_the_load_of_the_scene_is_in_the_picture():
    scene = load_scene("pawl_fixture")
    contacts, _ = find_contact_set(scene, approach=["fixel 1"])
    region, load = wrench_cones(contacts), find_load(scene)
    plane = choose_plane(region, load)
    low, high = choose_window(region, plane, load)
    assert (low < plane.place(load)).all() and (plane.place(load) < high).all()
    assert region.find_claims(load) == ["rra"]


def test_approach_takes_the_nearest_place_of_an_obstacle(capsys):
    scene = load_scene("pawl_fixture")
    contacts, places = find_contact_set(scene, approach=["fixel 1"])
    assert [p["obstacle"] for p in places] == ["fixel 2", "fixel 3", "fixel 1"]
    assert [p["gap"] > 0.0 for p in places] == [False, False, True]
    assert places[2]["gap"] == pytest.approx(14e-3 * 2 / np.sqrt(5), abs=1e-15)
    np.testing.assert_allclose(contacts.normals[2], (-2 / np.sqrt(5), -1 / np.sqrt(5)), atol=1e-12)
    # what is touched already is not added again
    assert len(find_contact_set(scene, approach=["fixel 2", "fixel 1"])[0]) == 3
    code, _, err = run(capsys, "cone", "pawl_fixture", "--approach", "fixel 4")
    assert code == 2 and "there is no obstacle 'fixel 4' to approach; there are: fixel 1, fixel 2, fixel 3" in err
    code, out, _ = run(capsys, "cone", "pawl_fixture", "--approach", "fixel 1", "--mode", "rra", "--only")
    assert code == 0 and "consistent with rra and with no other mode: 1 convex cone" in out
