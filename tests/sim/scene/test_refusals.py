"""Whatever stands in a scene file: it is a scene, or it is refused in one kind of error with few words that help."""

import json
import math
import random
import tomllib
import warnings

import numpy as np
import pytest

import scenes
from geometry.shapes.polygon import Polygon, PolygonError
from sim.instant.body import build_body
from sim.run.model import build_options
from sim.run.simulation import override_run, simulate
from sim.scene import toml_text
from sim.scene.build import load_scene, parse_scene
from sim.scene.scene_errors import SceneError
from sim.scene.toml_text import dump_toml
from sim.words.quoting import LONGEST_QUOTE, cut, list_words, quote

BOX = """
[workpiece]
outline = {box = [0.1, 0.1]}
mass = 1.0
pose = [0.0, 0.05, 0.0]
[[obstacle]]
name = "floor"
outline = {vertices = [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}
[friction]
default = 0.5
"""
HUGE = [1e308, -1e308, 1e150, 1e16, 10**309, 10**400, math.inf, -math.inf, math.nan, 1e-310, 5e-324, 1e-155]
NUMBERS = ["workpiece.mass", "workpiece.rho", "workpiece.pose.x", "workpiece.pose.theta", "workpiece.velocity.vx",
           "workpiece.velocity.omega", "workpiece.outline.box.width", "workpiece.center_of_mass", "friction.default",
           "restitution.default", "obstacle.floor.pose.y", "obstacle.floor.surface_speed", "gravity.gy",
           "gravity.magnitude", "gravity.angle", "load.0.force.fx", "load.0.torque", "run.duration", "run.step",
           "run.output_interval", "run.tolerance", "run.seed", "run.max_depth", "obstacle.floor.motion.velocity.vx",
           "obstacle.floor.motion.angular_velocity"]  # fmt: skip


def refuse(text, **options):
    """The message with which a text is refused."""
    with pytest.raises(SceneError) as caught:
        parse_scene(text, source="a.toml", **options)
    message = str(caught.value)
    assert message.startswith("a.toml: ") and len(message) < 1500
    return message


@pytest.mark.parametrize("path", NUMBERS)
def test_numbers_beyond_all_bounds_are_refused_by_key_and_value(path):
    for value in HUGE:
        if abs(value) < 1.0 and path.startswith(("run.tolerance", "run.duration")):
            continue
        given = [value, 0.0] if path.endswith("center_of_mass") else value
        message = refuse(BOX, overrides={path: given})
        assert path.split(".")[0] in message, message
        assert any(words in message for words in ("valid", "must be", "should be", "is not a Coulomb law")), message


@pytest.mark.parametrize(("where", "value"), [
    ("workpiece.outline", {"vertices": []}), ("workpiece.outline", {"vertices": [[0, 0]]}),
    ("workpiece.outline", {"vertices": [[0, 0], [1, 0], [10**400, 1]]}),
    ("workpiece.outline", {"vertices": [[0, 0], [1e-155, 0], [0, 1e-155]]}), ("workpiece.outline", {"box": [1e-20, 1]}),
    ("workpiece.outline", {"regular": {"n": 10**400, "circumradius": 1}}),
    ("workpiece.outline", {"vertices": [[0, 0], [0.5, -0.005], [1e-30, 0], [0.5, 0.005]]}),
    ("obstacle.0", {"name": "o", "outline": {"regular": {"n": 12, "circumradius": 1e-15}}, "pose": [40.0, 0, 0]}),
    ("gravity", {"magnitude": 9.81, "angle": 0, "sinusoid": [{"amplitude": 1, "frequency": 1e300}]}),
    ("obstacle.floor.motion", {"sinusoid": [{"amplitude": [1e300, 0], "frequency": 1e9}]}),
    ("obstacle.floor.motion", {"waypoints": [[0, 0, 0, 0], [1e-300, 1, 1, 1]]}),
    ("workpiece.rho", 1e-15), ("workpiece.rho", 1e10), ("workpiece.name", "a" * 5000),
    ("obstacle.floor.pose", [50.0, 1e14, 0]),
])
def test_tables_that_cannot_be_used_are_refused(where, value):
    data = tomllib.loads(BOX)
    toml_text.apply_override(data, where, value)
    if where == "obstacle.floor.pose":
        data["obstacle"][0]["outline"] = {"box": [0.01, 0.01]}
    refuse(dump_toml(data))


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 2000, "[" * 400 + "]" * 400, "1" + "0" * 310,
                                   "{a=" * 500 + "1" + "}" * 500, '"' + "x" * 5000 + '"',
                                   "0x" + "f" * 5000, "1979-05-27", "1e999", "true"])
def test_texts_that_break_readers_are_refused(value):
    refuse(BOX.replace("mass = 1.0", f"mass = {value}"))
    refuse(BOX, overrides={"workpiece.mass": value})


@pytest.mark.parametrize("path", ["workpiece.²", "obstacle.².mu", "obstacle.99999999999.mu", "x" * 5000, "a.b.c.d.e"])
def test_paths_that_lead_nowhere_are_refused(path):
    refuse(BOX, overrides={path: 1})


def test_a_name_that_is_no_text_is_refused():
    refuse(BOX.replace('"floor"', "5"), overrides={"obstacle.floor.mu": 1})


def test_settings_of_a_call_are_those_of_a_scene():
    scene = parse_scene(BOX)
    for changes in ({"duration": 1e308}, {"duration": math.nan}, {"duration": "x"}, {"duration": 10**400},
                    {"step": -1.0}, {"choice": "x"}, {"seed": 2**40}, {"survey": 1}, {"steps": 3}, {"step": "1 mm"},
                    {"output_interval": [1]}, {"tolerance": 1.0}):
        with pytest.raises(SceneError, match=rf"^simulate: run.{next(iter(changes))}"):
            override_run(scene, None, changes)
    run = override_run(scene, "20 ms", {"output_interval": np.float64(0.01), "seed": np.int64(3), "step": None})
    assert (run.duration, run.output_interval, run.seed, run.step) == (0.02, 0.01, 3, None)


def test_quotes_are_short_and_can_be_seen():
    assert len(quote("a" * 5000)) <= LONGEST_QUOTE and len(cut("b" * 5000)) <= LONGEST_QUOTE
    assert "thousands of digits" in quote(10**5000) and len(list_words(map(str, range(1000)))) < 200
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    assert "lists in lists" in quote(nested)
    assert cut("a\nb\x1b[31m\u202e") == r"a\nb\x1b[31m\u202e" and cut("Führung 漢") == "Führung 漢"


def test_what_users_of_other_programs_write_is_explained():
    assert "one coefficient for each pair" in refuse(BOX, overrides={"friction.kinetic": 0.3})
    assert "one coefficient for each pair" in refuse(BOX, overrides={"friction.default": {"static": 1, "kinetic": 0.5}})
    assert "one part moves" in refuse(BOX.replace("[workpiece]", "[[workpiece]]"))


def test_outlines_of_the_library_have_the_same_limits():
    for size in (1e-155, 1e16, 1e150):
        with pytest.raises(PolygonError, match=r"too (small|large)"):
            Polygon.box(size, size)


def test_masses_that_are_left_run_with_finite_forces():
    for mass in (1e-15, 1e15):
        trajectory = simulate(parse_scene(BOX, overrides={"workpiece.mass": mass}), duration=0.01)
        assert trajectory.status.completed and np.isfinite(trajectory.contacts["fn"]).all()


def mutate(rng: random.Random, data) -> None:
    """Put something strange at some place of a parsed scene."""
    places = []

    def walk(here):
        for key, value in here.items() if isinstance(here, dict) else enumerate(here):
            places.append((here, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(data)
    here, key = rng.choice(places)
    odd = [*HUGE, 0, 0.0, -1, True, "", " ", "x", "1e400 m", "nan m", "10 mm", "20 deg", "a\0b", "../x", "é漢😀", [],
           {}, [[]], [1.0, 2.0], {"x": 1}, [{}], [[[[1.0]]]], 10 ** rng.uniform(-20, 20), 2**63]
    if rng.random() < 0.15:
        del here[key]
    elif rng.random() < 0.3 and type(here[key]) is float:
        here[key] = float(here[key]) * 10 ** rng.uniform(-30, 30)
    else:
        here[key] = rng.choice(odd)


def test_random_damage_is_refused_or_runs():
    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    rng = random.Random(seed)
    bases = [json.loads(json.dumps(tomllib.loads(scenes.path(name).read_text("utf-8")))) for name in scenes.names()]
    for _ in range(250):
        data = json.loads(json.dumps(rng.choice(bases)))
        for _ in range(rng.choice((1, 1, 2, 3))):
            mutate(rng, data)
            if not data:
                break
        text = bytearray(dump_toml(data).encode())
        if rng.random() < 0.2:
            text[rng.randrange(len(text))] = rng.randrange(256)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                scene = parse_scene(text.decode("utf-8", "replace"), source="a.toml")
                build_options(scene, build_body(scene))
            except SceneError as error:
                assert 0 < len(str(error)) < 4000, error


def test_a_file_that_is_no_scene_is_refused(tmp_path):
    for content in (b"\xff\xfe", b"a = " + b"9" * 5000, b"a = " + b"[" * 2000, b"", b"\x00"):
        path = tmp_path / "a.toml"
        path.write_bytes(content)
        with pytest.raises(SceneError, match=r"a\.toml"):
            load_scene(path)
