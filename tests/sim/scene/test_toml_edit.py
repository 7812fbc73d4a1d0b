"""Changes of a scene leave the comments, order and spelling of its text."""

import tomllib

import pytest

import scenes
from sim.scene.build import load_scene, parse_scene
from sim.scene.edit import set_motion
from sim.scene.toml_edit import _is_same, rewrite_toml
from sim.scene.toml_text import apply_override, parse_value

TEXT = """# What it shows.
# A second line.

[workpiece]
name = "box"  # the part
mass = 0.50   # kg, as weighed
outline = {box = [60, 30], unit = "mm"}   # from the drawing
pose = ["0.1 m", "15 mm", "0 deg"]  # on the floor

# The floor is long.
[[obstacle]]
name = "floor"
outline = {vertices = [
    [-1, -0.1],  # lower left
    [3, -0.1], [3, 0], [-1, 0],
]}

[friction]
default = 0.3  # measured
"""
CHANGES = {
    "workpiece.mass": "0.7", "workpiece.pose.x": '"0.2 m"', "workpiece.velocity.vx": "1", "friction.default": "0.2",
    "obstacle.floor.mu": "0.9", "run.duration": '"50 ms"', "gravity.angle": '"-80 deg"', "name": "x",
    "obstacle.floor.motion.velocity": "[0.1, 0]", "obstacle.floor.motion.sinusoid.0.frequency": "3",
    "obstacle.floor.motion.sinusoid.0.amplitude.y": '"1 mm"', "load.0.torque": "0.1",
    "workpiece.outline": "{box = [1, 2]}",
}  # fmt: skip


def test_comments_stay_where_values_change():
    scene = parse_scene(TEXT, overrides={"workpiece.mass": 0.7, "friction.default": "0.2", "run.duration": 0.5})
    changed = TEXT.replace("0.50 ", "0.7 ").replace("default = 0.3", "default = 0.2")
    assert scene.text.startswith(changed) and scene.text.removeprefix(changed).split() == "[run] duration = 0.5".split()
    assert parse_scene(scene.text).workpiece.mass == 0.7


def test_motions_that_are_set_keep_comments():
    scene = set_motion(parse_scene(TEXT), "floor", [[0, 0, 0, 0], [1, 0, 0.1, 0]])
    for comment in ("# as weighed", "# The floor is long.", "# measured", "# lower left"):
        assert comment.removeprefix("# ") in scene.text
    assert parse_scene(scene.text).obstacles[0].motion is not None


@pytest.mark.parametrize("name", scenes.names())
def test_every_change_of_every_scene_keeps_all_other_lines(name):
    text = scenes.path(name).read_text(encoding="utf-8")
    obstacle = load_scene(name).obstacles[0].name
    for path, value in CHANGES.items():
        data = tomllib.loads(text)
        path = path.replace("floor", obstacle)
        apply_override(data, path, parse_value(value))
        changed = rewrite_toml(text, data)
        assert _is_same(tomllib.loads(changed), data), (path, changed)
        lost = [line for line in text.splitlines() if "#" in line and line.split("#", 1)[1] not in changed]
        assert not lost, (path, lost)
        kept = sum(line in changed.splitlines() for line in text.splitlines())
        assert kept >= len(text.splitlines()) - 12, (path, changed)


def test_what_is_the_same_is_not_touched():
    for text in (TEXT, TEXT.replace("\n", "\r\n"), "a = 1\nb = inf\nc = nan\nd = 1979-05-27\n"):
        assert rewrite_toml(text, tomllib.loads(text)) == text
    assert tomllib.loads(rewrite_toml("a = 1 # x\n", {"a": 1.0})) == {"a": 1.0}
    assert isinstance(tomllib.loads(rewrite_toml("a = 1 # x\n", {"a": 1.0}))["a"], float)
    assert rewrite_toml("a = true # x\n", {"a": 1}) == "a = 1 # x\n"
