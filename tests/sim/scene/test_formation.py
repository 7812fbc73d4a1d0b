"""Scenes that start in a contact formation, the command `stiction formation`, and its picture."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from geometry.formation.formations import pack_formation
from geometry.formation.kernels import evaluate_constraints
from sim.cli import command_line
from sim.scene.build import load_scene, parse_scene
from sim.scene.formation_start import list_poses, survey_formation
from sim.scene.scene_errors import SceneError
from sim.show.plots.formation_picture import COLOURS, draw_formation
from sim.study.formation_sheets import choose_motion, find_sheets, parse_motion

HELD = str(Path(__file__).with_name("held_triangle.toml"))  # three fingers that stand still
TEXT = Path(HELD).read_text(encoding="utf-8")


def refuse(old, new, text=TEXT):
    assert text.count(old) >= 1
    with pytest.raises(SceneError) as caught:
        parse_scene(text.replace(old, new, 1), source="a.toml")
    return str(caught.value)


def run(*words):
    with pytest.raises(SystemExit) as caught:
        command_line.main(list(words))
    return caught.value.code


def test_the_start_pose_satisfies_the_contacts_to_rounding():
    scene = load_scene(HELD)
    poses = [obstacle.pose for obstacle in scene.obstacles]
    _, code, rows = pack_formation(scene.formation.contacts, poses)
    gap, jacobian = np.zeros(3), np.zeros((3, 3))
    evaluate_constraints(code, rows, np.array(scene.workpiece.pose), gap, jacobian)
    assert np.abs(gap).max() < 1e-16
    np.testing.assert_allclose(scene.workpiece.pose, (-0.00342403405, -0.00315135323, -0.00876737495), atol=1e-11)
    found, checks = list_poses(scene.formation, scene.workpiece.outline, scene.obstacles)
    assert [check.realised for check in checks] == [False, True] and found.verdict == "generic"


def test_overrides_and_text_keep_the_formation():
    moved = load_scene(HELD, overrides={"obstacle.finger 1.pose.y": "-31 mm"})
    assert moved.workpiece.pose != load_scene(HELD).workpiece.pose
    again = parse_scene(moved.text, source=moved.source)
    assert again == moved and again.formation.contacts == moved.formation.contacts


def test_a_rolling_contact_starts_where_it_is_held():
    """ARB: the point 60 mm along edge 0 is held on the tip of finger 1."""
    text = TEXT.replace('type = "2AB"', 'type = "ARB"').replace(
        'obstacle_vertex = 0 },\n    { vertex', 'obstacle_vertex = 0, at = "60 mm" },\n    { vertex', 1)
    head, tail = text.split("    { edge = 2")
    text = head + tail.split("\n", 1)[1]
    scene = parse_scene(text)
    vertices = scene.workpiece.pose.transform(scene.workpiece.outline.vertices)
    tip = scene.obstacles[0].shape.vertices[0]
    along = (vertices[1] - vertices[0]) / np.hypot(*(vertices[1] - vertices[0]))
    np.testing.assert_allclose(vertices[0] + 0.06 * along, tip, atol=1e-16)
    assert scene.formation.type == "ARB"


def test_wrong_formations_are_refused_by_key():
    assert refuse('"finger 1", obstacle_vertex', '"finger 1 ", obstacle_vertex') == (
        "a.toml: formation.contact.0.obstacle = 'finger 1 ': there is no obstacle of this name; did you mean "
        "'finger 1'? (valid: finger 1, finger 2, finger 3)")
    assert "formation.contact.0 (finger 1): vertex 7 of the obstacle: valid: 0 to 4" in refuse(
        'obstacle = "finger 1", obstacle_vertex = 0', 'obstacle = "finger 1", obstacle_vertex = 7')
    assert "formation.type = '2BA': the contacts are those of type 2AB" in refuse('type = "2AB"', 'type = "2BA"')
    assert "formation.type = '4A': valid: '3A', '3B'" in refuse('type = "2AB"', 'type = "4A"')
    message = refuse('obstacle = "finger 1", obstacle_vertex = 0', 'obstacle = "finger 1", obstacle_edge = 0')
    assert message.endswith("needs one of these pairs: edge and obstacle_vertex, edge and obstacle_arc, vertex and "
                            "obstacle_edge, vertex and obstacle_arc, arc and obstacle_edge, arc and obstacle_vertex, "
                            "arc and obstacle_arc; given: edge and obstacle_edge")
    assert "workpiece.pose and formation both say where the part starts; keep one" in refuse(
        "mass = 0.2\n", "mass = 0.2\npose = [0, 0, 0]\n")
    assert "formation.contact.0.at = '5 kg': must be a length" in refuse(
        'obstacle = "finger 1", obstacle_vertex = 0', 'at = "5 kg", obstacle = "finger 1", obstacle_vertex = 0')
    assert "formation.contact: contacts A, B are no contact formation" in refuse(
        '    { edge = 2, obstacle = "finger 3", obstacle_vertex = 0 },\n', "")
    assert "formation.branch = 2: valid: 0 to 1" in refuse('type = "2AB"', 'type = "2AB"\nbranch = 2')
    message = refuse('type = "2AB"', 'type = "2AB"\nbranch = 0')
    assert "formation.branch = 0: this pose is not realised" in message and "branch 1: x = -0.0034240" in message
    assert "beyond the end of its edge" in message and "'finger 1'" in message


def test_none_and_infinitely_many_are_refused_with_the_reason():
    assert "no start pose follows from it: 2AB: out of reach" in refuse('["62 mm", ', '["62 m", ')
    message = refuse('edge = 2, obstacle = "finger 3"', 'edge = 0, obstacle = "finger 1"')
    assert "no start pose follows from it: 2AB: two contacts are one and the same constraint" in message


def test_the_command_lists_and_draws(tmp_path, capsys):
    assert run("formation", HELD, "--plot", str(tmp_path / "a.svg")) == 0
    text = capsys.readouterr().out
    assert "Verdict: generic - 2AB: 2 poses" in text and "edge 0 slides on vertex 0 of finger 1" in text
    rows = [line.split() for line in text.splitlines() if line.split()[:1] in (["0"], ["1"])]
    assert [row[6] for row in rows] == ["no", "yes"] and rows[1][7] == "here"
    assert float(rows[1][3]) == pytest.approx(-0.00876737495401, abs=1e-12)
    assert "branch 0: contact 0 is 0.00880144 m beyond" in text
    assert "<svg" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert run("formation", "ladder") == 2
    assert "ladder: the scene has no table [formation]" in capsys.readouterr().err
    assert run("formation", HELD, "--plot", str(tmp_path / "a.bmp")) == 2


def test_arcs_are_features_of_a_formation(tmp_path, capsys):
    """A capsule at a wall, on a floor and on a roller: two arcs on edges, and round on round."""
    lever = Path(__file__).with_name("lever_on_roller.toml")
    scene = load_scene(str(lever))
    direction, distance = math.atan2(0.01, 0.12), math.hypot(0.01, 0.12)
    theta = direction + math.acos((0.1**2 + distance**2 - 0.05**2) / (0.2 * distance))  # the law of cosines
    assert scene.workpiece.pose.theta == pytest.approx(theta, abs=1e-14)
    again = parse_scene(scene.text, source=scene.source)
    assert again.formation == scene.formation and again.workpiece.pose == scene.workpiece.pose
    assert run("formation", str(lever), "--plot", str(tmp_path / "a.svg")) == 0
    text = capsys.readouterr().out
    assert "contact 0 (type B): arc 3 slides on edge 2 of floor" in text
    assert "contact 2 (type C): arc 1 slides on arc 0 of roller" in text
    assert "Verdict: generic - 2BC: 2 poses" in text and "solved, all roots of a polynomial" in text
    words = {each.get_text() for axes in draw_formation(survey_formation(lambda: scene)).axes for each in axes.texts}
    assert {"a0", "a1", "a3", "e0", "e2", "v0", "2: C"} <= words and "a2" not in words
    given = lever.read_text(encoding="utf-8")
    for old, new, said in (
            ("{ arc = 1, ", "{ arc = 0, ", "(roller): arc 0 of the part: feature 0 is an edge; valid: 1, 3"),
            ("obstacle_arc = 0", "obstacle_arc = 1", "(roller): arc 1 of the obstacle: valid: 0 to 0"),
            ("{ arc = 1, ", "{ arc = 1, at = 0.01, ", "a contact of an arc cannot roll in a formation"),
            ('"2BC"', '"3B"', "the contacts are those of type 2BC")):
        assert said in refuse(old, new, given)


def write_scene(path, *changes):
    text = TEXT
    for old, new in changes:
        assert text.count(old) >= 1
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_command_tells_why_no_pose_is_usable(tmp_path, capsys):
    """All poses, the verdict and the reason, for each kind of formation without a start; exit code 1."""
    path = tmp_path / "held.toml"
    write_scene(path, ('["62 mm", ', '["62 m", '))
    assert run("formation", str(path)) == 1
    text = capsys.readouterr().out
    assert "Verdict: none - 2AB: out of reach" in text and "No start: formation: no start pose follows" in text
    write_scene(path, ('edge = 2, obstacle = "finger 3"', 'edge = 0, obstacle = "finger 1"'))
    assert run("formation", str(path), "--plot", str(tmp_path / "a.svg")) == 1
    text = capsys.readouterr().out
    assert "Verdict: infinite - 2AB: two contacts are one and the same constraint" in text
    assert "held: contact formation 2AB" in text and (tmp_path / "a.svg").exists()
    write_scene(path, ('pose = ["5 mm", "-30 mm", 0]', 'pose = ["5 mm", "10 mm", 0]'))
    assert run("formation", str(path)) == 1
    text = capsys.readouterr().out
    assert "Verdict: generic - 2AB: 2 poses" in text and "No start: formation: none of its poses is realised" in text
    assert text.count("beyond the end of its edge") >= 2 and "branch 0: " in text and "branch 1: " in text
    for branch, reason in ((0, "this pose is not realised"), (7, "valid: 0 to 1")):
        write_scene(path, ('type = "2AB"', f'type = "2AB"\nbranch = {branch}'))
        assert run("formation", str(path)) == 1
        assert f"No start: formation.branch = {branch}: {reason}" in capsys.readouterr().out
    write_scene(path, ('type = "2AB"', 'type = "2BA"'))  # wrong for another reason
    assert run("formation", str(path)) == 2


def test_a_branch_point_is_told_and_can_be_used(tmp_path, capsys):
    """The place of finger 1 at which two poses meet, found by bisection on what the library says."""
    def count(y):
        return len(survey_formation(lambda: load_scene(
            HELD, overrides={"obstacle.finger 1.pose.y": y})).found)

    low, high = -0.0655, -0.05  # four poses, two
    assert (count(low), count(high)) == (4, 2)
    while (middle := 0.5 * (low + high)) not in (low, high):
        low, high = (middle, high) if count(middle) == 4 else (low, middle)
        if count(middle) == 3:
            break
    assert run("formation", HELD, "--set", f"obstacle.finger 1.pose.y={middle!r}") == 0
    text = capsys.readouterr().out
    assert "Verdict: branch - 2AB: pose 1 is a branch point, where poses meet" in text
    assert middle == pytest.approx(-0.0576578178, abs=1e-9)


def list_three_fingers():
    return survey_formation(lambda: load_scene(HELD))


def test_sheets_of_a_scene_meet_at_branch_points_and_are_realised_in_part():
    listing = list_three_fingers()
    motion = choose_motion(listing)
    assert (motion.key, motion.present) == ("obstacle.finger 1.pose.y", -0.03)
    sheets = find_sheets(listing, motion)
    assert sorted(sheet.branch for sheet in sheets if sheet.branch is not None) == [0, 1]
    low, high = [sheet for sheet in sheets if sheet.branch is None]
    assert low.track.end.reason == high.track.end.reason == "branch" and low.realised == high.realised == []
    np.testing.assert_allclose(low.track.poses[-1], high.track.poses[-1], atol=1e-7)
    # Close to the branch point the rows are close together: theta goes like a root.
    assert np.abs(np.diff(low.track.poses[:, 2])).max() < 0.07
    (held,) = [sheet for sheet in sheets if sheet.branch == 1]
    (part,) = held.realised
    assert (part.end.reason, part.end.number) == ("edge", 1) and part.times[0] == motion.values[0]
    for value, realised in ((part.times[-1] - 1e-9, True), (part.times[-1] + 1e-9, False)):
        moved = survey_formation(lambda v=value: load_scene(HELD, overrides={motion.key: v}))
        assert any(check.realised for check in moved.checks) is realised
    for track in (sheet.track for sheet in sheets):
        assert (np.diff(track.times) >= 0.0).all()
        for value, pose in zip(track.times[1:-1:7], track.poses[1:-1:7], strict=True):
            moved = survey_formation(lambda v=value: load_scene(HELD, overrides={motion.key: v}))
            theta = [each.theta for each in moved.found.poses]
            assert np.abs(np.remainder(theta - pose[2] + np.pi, 2.0 * np.pi) - np.pi).min() < 1e-9


def test_the_motion_is_chosen_on_the_command_line(tmp_path, capsys):
    assert run("formation", HELD, "--move", "obstacle.finger 3.pose.theta=-20:-170 deg:16") == 0
    text = capsys.readouterr().out
    assert "Sheets of the cell, obstacle.finger 3.pose.theta from -2.96706 to -0.349066 rad" in text
    # The finger turns about its tip, which holds the part: the pose stays, while neither of the two sides of the tip,
    # 90 degrees apart, is in the way.
    found = re.search(r"realised from (\S+) rad \(the part meets 'finger 3'\) to (\S+) rad \(the part meets "
                      r"'finger 3'\)", text)
    edge = math.atan2(-90.0, -45.0) + list_three_fingers().start.theta
    assert float(found[2]) == pytest.approx(edge + math.radians(45.0), abs=1e-8)
    assert float(found[1]) == pytest.approx(edge - math.radians(45.0), abs=1e-8)
    listing = list_three_fingers()
    motion = parse_motion("obstacle.finger 2.pose.x=40:80 mm:3", listing)
    np.testing.assert_allclose(motion.values, [0.04, 0.06, 0.062, 0.08], atol=1e-17)
    assert run("formation", HELD, "--move", "obstacle.finger 9.pose.x=0:1:3") == 2
    assert "there is no obstacle 'finger 9'; did you mean" in capsys.readouterr().err
    for wrong, said in (("obstacle.finger 1.pose.z=0:1:3", "a pose has no 'z' (valid: x, y, theta)"),
                        ("obstacle.finger 1.pose.x=0:1", "write KEY=A:B:N, for example"),
                        ("friction.default=0:1:3", "write KEY=A:B:N, for example"),
                        ("obstacle.finger 1.pose.x=0:1:1", "n must be a whole number from 2"),
                        ("obstacle.finger 1.pose.x=0:1 deg:3", "must be a length")):
        with pytest.raises(SceneError) as caught:
            parse_motion(wrong, listing)
        assert said in str(caught.value) and wrong in str(caught.value)


def test_the_picture_shows_the_sheets():
    listing = list_three_fingers()
    motion = parse_motion("obstacle.finger 1.pose.y=-65:5 mm:15", listing)
    sheets = find_sheets(listing, motion)
    figure = draw_formation(listing, motion, sheets)
    panels = figure.axes[-3:] if figure.axes[-1].get_title().startswith("y") else figure.axes[:3]
    assert [axes.get_title() for axes in panels] == [r"$\theta$ (°)", "x (mm)", "y (mm)"]
    for axes in panels:
        lines = [line for line in axes.lines if len(line.get_xdata()) > 2]
        dashed = [line for line in lines if line.get_linestyle() == "--"]
        full = [line for line in lines if line.get_linestyle() == "-"]
        assert (len(dashed), len(full)) == (4, 1)
        assert full[0].get_color() == COLOURS[1] and len({line.get_color() for line in dashed}) == 4
        points = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
        np.testing.assert_allclose(points, -57.6578178, atol=1e-6)
    np.testing.assert_allclose(full[0].get_xdata()[-1], 2.37886121, atol=1e-6)


def test_the_picture_shows_each_pose_and_its_contacts():
    listing = list_three_fingers()
    figure = draw_formation(listing)
    assert [axes.get_title().split(",")[1] for axes in figure.axes] == [" not realised", " realised"]
    for axes, check in zip(figure.axes, listing.checks, strict=True):
        drawn = np.array([line.get_xydata()[0] for line in axes.lines])
        np.testing.assert_allclose(drawn, 1e3 * check.points, rtol=0.0, atol=1e-12)  # mm
        words = {text.get_text() for text in axes.texts}
        assert {"0: A", "1: B", "2: A", "v0", "v1", "v2", "e0", "e1", "e2"} <= words
