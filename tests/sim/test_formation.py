"""Scenes that start in a contact formation, the command `stiction formation`, and its picture."""

import numpy as np
import pytest

import scenes
from geometry.formation_kernels import evaluate_constraints
from geometry.formations import pack_formation
from sim import cli
from sim.formation import list_poses
from sim.formation_picture import draw_formation
from sim.scene import SceneError, load_scene, parse_scene

TEXT = scenes.path("three_fingers").read_text(encoding="utf-8")


def refuse(old, new, text=TEXT):
    assert text.count(old) >= 1
    with pytest.raises(SceneError) as caught:
        parse_scene(text.replace(old, new, 1), source="a.toml")
    return str(caught.value)


def run(*words):
    with pytest.raises(SystemExit) as caught:
        cli.main(list(words))
    return caught.value.code


def test_the_start_pose_satisfies_the_contacts_to_rounding():
    scene = load_scene("three_fingers")
    poses = [obstacle.pose for obstacle in scene.obstacles]
    _, code, rows = pack_formation(scene.formation.contacts, poses)
    gap, jacobian = np.zeros(3), np.zeros((3, 3))
    evaluate_constraints(code, rows, np.array(scene.workpiece.pose), gap, jacobian)
    assert np.abs(gap).max() < 1e-16
    np.testing.assert_allclose(scene.workpiece.pose, (-0.00342403405, -0.00315135323, -0.00876737495), atol=1e-11)
    found, checks = list_poses(scene.formation, scene.workpiece.outline, scene.obstacles)
    assert [check.realised for check in checks] == [False, True] and found.verdict == "generic"


def test_overrides_and_text_keep_the_formation():
    moved = load_scene("three_fingers", overrides={"obstacle.finger 1.pose.y": "-31 mm"})
    assert moved.workpiece.pose != load_scene("three_fingers").workpiece.pose
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
    tip = scene.obstacles[0].vertices[0]
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
    assert "needs edge and obstacle_vertex, or vertex and obstacle_edge; given: edge and obstacle_edge" in refuse(
        'obstacle = "finger 1", obstacle_vertex = 0', 'obstacle = "finger 1", obstacle_edge = 0')
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
    assert run("formation", "three_fingers", "--plot", str(tmp_path / "a.svg")) == 0
    text = capsys.readouterr().out
    assert "Verdict: generic - 2AB: 2 poses" in text and "edge 0 slides on vertex 0 of finger 1" in text
    rows = [line.split() for line in text.splitlines() if line.split()[:1] in (["0"], ["1"])]
    assert [row[6] for row in rows] == ["no", "yes"] and rows[1][7] == "here"
    assert float(rows[1][3]) == pytest.approx(-0.00876737495401, abs=1e-12)
    assert "branch 0: contact 0 is 0.00880144 m beyond" in text
    assert "<svg" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert run("formation", "ladder") == 2
    assert "ladder: the scene has no table [formation]" in capsys.readouterr().err
    assert run("formation", "three_fingers", "--plot", str(tmp_path / "a.bmp")) == 2


def test_the_picture_shows_each_pose_and_its_contacts():
    scene = load_scene("three_fingers")
    found, checks = list_poses(scene.formation, scene.workpiece.outline, scene.obstacles)
    figure = draw_formation(scene, found, checks)
    assert [axes.get_title().split(",")[1] for axes in figure.axes] == [" not realised", " realised"]
    for axes, check in zip(figure.axes, checks, strict=True):
        drawn = np.array([line.get_xydata()[0] for line in axes.lines])
        np.testing.assert_allclose(drawn, check.points, atol=1e-15)
        words = {text.get_text() for text in axes.texts}
        assert {"0: A", "1: B", "2: A", "v0", "v1", "v2", "e0", "e1", "e2"} <= words
