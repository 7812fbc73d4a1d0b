"""Every number of every built-in scene is reached by its dotted path, takes the units of what it measures, and can be
scaled."""

import copy
import dataclasses
import re

import numpy as np
import pytest

import scenes
from geometry.shapes.outline import Outline
from geometry.shapes.outline_table import tabulate_outline
from geometry.shapes.polygon import Polygon
from sim.scene import toml_text
from sim.scene.build import load_scene
from sim.scene.scene_errors import SceneError
from sim.scene.toml_text import (
    PathError,
    apply_override,
    find_components,
    find_unit,
    parse_value,
    read_toml,
    scale_value,
)
from sim.values import dimensions

QUANTITY = re.compile(rf"\s*({dimensions.NUMBER})\s*([^\s\d].*)")
PURE = {"mu", "e", "n", "bulge", "default", "type", "seed", "rest", "damping_ratio", "tolerance"}  # have no unit
NUMBERED = re.compile(r"(edge|vertex|arc|branch)$|_gain$|obstacle_")


def list_numbers(data, path=()):
    """Yields (keys, value) of every number, plain or with a unit."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from list_numbers(value, (*path, key))
        elif not isinstance(value, bool) and (isinstance(value, int | float)
                                              or (isinstance(value, str) and QUANTITY.fullmatch(value))):
            yield (*path, key), value


def spell(data, keys) -> list[str]:
    """The path of a number by indices, and by names and components."""
    by_index, by_name, here = [], [], data
    for key in keys:
        word = str(key)
        if isinstance(here, list):
            names = find_components(by_index)
            word = here[key].get("name", word) if isinstance(here[key], dict) else (*names, *[word] * 99)[key]
        by_index.append(str(key))
        by_name.append(word)
        here = here[key]
    return [".".join(f'"{word}"' if "." in word else word for word in words) for words in (by_index, by_name)]


def read_data(name):
    return read_toml(scenes.path(name).read_text())


@pytest.mark.parametrize("name", scenes.names())
def test_every_number_is_reached_by_its_path(name):
    """By indices and by names, typed as on the command line: it is set where it stands, and nowhere else."""
    data = read_data(name)
    for keys, value in list_numbers(data):
        for path in spell(data, keys):
            same, other = copy.deepcopy(data), copy.deepcopy(data)
            apply_override(same, path, parse_value(value if isinstance(value, str) else repr(value)))
            assert same == data, path
            apply_override(other, path, 12345.0)
            assert [(at, now) for at, now in list_numbers(other) if now != dict(list_numbers(data)).get(at)] == [
                (keys, 12345.0)], path


@pytest.mark.parametrize("name", scenes.names())
def test_all_numbers_are_listed_by_name(name):
    data = read_data(name)
    assert list(toml_text.list_numbers(data)) == [(spell(data, keys)[1], value) for keys, value in list_numbers(data)]


def find_units(path, data, keys) -> list[str]:
    """The units of a number: of a length of an outline, or of a point in its frame, too."""
    unit = find_unit(path)
    last = next(str(key) for key in reversed(keys) if not isinstance(key, int))
    if not unit and (last in PURE or NUMBERED.search(last) or keys[0] in ("friction", "restitution")):
        return []
    dimension = dimensions.find_dimensions(unit or "m")[0]
    return list(dimension.units)


def find_metres(data, keys) -> float:
    """The unit of the outline that a plain length belongs to."""
    here, unit = data, ""
    for key in keys[:-1]:
        here = here[key]
        if isinstance(here, dict):
            own = here.get("unit") or (here.get("outline") or {}).get("unit") if "outline" in here else here.get("unit")
            unit = own or unit
    if not unit and keys[0] in ("gripper", "insertion", "load", "control", "spring") and keys[-2] != "anchor":
        unit = data["workpiece"]["outline"].get("unit", "")
    numerator, denominator = dimensions.LENGTH.units[unit or "m"]
    return numerator / denominator


def write_in(path, value, unit, data, keys) -> str:
    """A number of a scene in another unit."""
    plain = find_unit(path)
    dimension = dimensions.find_dimensions(plain or "m")[0]
    if isinstance(value, str):
        match = QUANTITY.fullmatch(value)
        number = dimensions.convert(dimensions.parse_number(match[1]), match[2], dimension)
    else:
        number = value * (1.0 if plain else find_metres(data, keys))
    numerator, denominator = dimension.units[unit]
    return f"{number * denominator / numerator!r} {unit}"


def flatten(value):
    """Numbers and words of a scene, but for its text."""
    if isinstance(value, Polygon | Outline):
        return tabulate_outline(value).ravel().tolist()
    if dataclasses.is_dataclass(value):
        return [item for field in dataclasses.fields(value) if field.name not in ("text", "sha256")
                for item in flatten(getattr(value, field.name))]
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, list | tuple):
        return [item for member in value for item in flatten(member)]
    return [value]


@pytest.mark.parametrize("name", [name for name in scenes.names() if name != "bracket_from_dxf"])
def test_every_number_takes_its_units(name):
    """All numbers of a scene at once, in the second and in the third unit of what they measure: the same scene."""
    data, plain, counted = read_data(name), load_scene(name), 0
    for number in (1, 2):
        changed = {}
        for keys, value in list_numbers(data):
            path = spell(data, keys)[0]
            units = find_units(path, data, keys)
            if units:
                changed[path] = write_in(path, value, units[number % len(units)], data, keys)
        counted += len(changed)
        before, after = flatten(plain), flatten(load_scene(name, changed))
        assert len(before) == len(after)
        for one, other in zip(before, after, strict=True):
            assert one == (pytest.approx(other, rel=1e-9, abs=1e-12) if isinstance(one, float) else other)
    assert counted >= 8


def test_wrong_units_say_what_is_valid():
    for path in ("obstacle.track.motion.sinusoid.0.amplitude.0", "goal.seated.y.1", "workpiece.outline.vertices.0.0",
                 "run.duration", "obstacle.0.pose.2"):
        scene = "vibratory_track" if "track" in path else "peg_in_hole"
        with pytest.raises(SceneError, match=r"\.toml: .*parsec.*valid") as caught:
            load_scene(scene, {path: "1 parsec"})
        assert path.split(".")[0] in str(caught.value)


def test_names_of_members_that_have_none_in_the_text():
    data = {"load": [{"table": [[0.0, 1.0, 2.0], ["1 s", 3.0, 4.0]]}], "goal": [{"name": "in", "x": [1.0, 2.0]}],
            "obstacle": [{"motion": {"sinusoid": [{"amplitude": [1.0, 2.0], "frequency": 1.0}]}}],
            "insertion": {"mouth": [0.0, 1.0]}}
    apply_override(data, "load.0.table.1.torque", "2 N mm")
    apply_override(data, "goal.in.x.high", "3 mm")
    apply_override(data, "obstacle.0.motion.sinusoid.0.amplitude.theta", 0.5)
    apply_override(data, "insertion.mouth.y", 7.0)
    assert data["load"][0]["table"] == [[0.0, 1.0, 2.0], ["1 s", 3.0, 4.0, "2 N mm"]]
    assert data["goal"][0]["x"] == [1.0, "3 mm"] and data["insertion"]["mouth"] == [0.0, 7.0]
    assert data["obstacle"][0]["motion"]["sinusoid"][0]["amplitude"] == [1.0, 2.0, 0.5]
    for path, unit in (("load.0.table.1.3", "N m"), ("goal.in.x.0", "m"), ("goal.in.theta.low", "rad"),
                       ("insertion.depth", "m"), ("insertion.tip.0", ""), ("gravity.sinusoid.0.amplitude", "rad"),
                       ("obstacle.a.motion.waypoints.3.0", "s"), ("obstacle.a.motion.waypoints.3.3", "rad"),
                       ("control.contact.0.table.1.1", "N"), ("control.position_gain.0", ""), ("gravity.1", "m/s^2")):
        assert find_unit(path) == unit, path


def scaled(path, factor=0.5, **data):
    scale_value(data, path, factor)
    return data


def test_scaling_keeps_units_times_and_shape():
    assert scaled("a.b", a={"b": "3 mm"}) == {"a": {"b": "1.5 mm"}}
    assert scaled("a", 3.0, a=2) == {"a": 6} and type(scaled("a", 3.0, a=2)["a"]) is int
    amplitude = {"obstacle": [{"name": "t", "motion": {"sinusoid": [{"amplitude": ["20 um", 4e-6]}]}}]}
    scale_value(amplitude, "obstacle.t.motion.sinusoid.0.amplitude", 2.0)
    assert amplitude["obstacle"][0]["motion"]["sinusoid"][0]["amplitude"] == ["40.0 um", 8e-6]
    way = {"motion": {"waypoints": [[0.0, 2.0, 4.0, "10 deg"], [1.0, 6.0, 8.0, 0.0]]}}
    assert scaled("gripper.motion.waypoints", gripper=way)["gripper"]["motion"]["waypoints"] == [
        [0.0, 1.0, 2.0, "5.0 deg"], [1.0, 3.0, 4.0, 0.0]]
    outline = {"vertices": [[2, 4.0], ["2 mm", 6]], "bulge": [0.5, 0.0], "fillet": 1, "unit": "mm",
               "holes": [{"regular": {"n": 6, "circumradius": 3.0}}]}
    assert scaled("workpiece.outline", workpiece={"outline": outline})["workpiece"]["outline"] == {
        "vertices": [[1, 2.0], ["1.0 mm", 3]], "bulge": [0.5, 0.0], "fillet": 0.5, "unit": "mm",
        "holes": [{"regular": {"n": 6, "circumradius": 1.5}}]}
    assert scaled("gravity") == {"gravity": [0.0, -4.905]}
    assert scaled("gravity.magnitude")["gravity"]["magnitude"] == 4.905
    assert scaled("friction", friction={"default": 0.2, "a": 1.0}) == {"friction": {"default": 0.1, "a": 0.5}}


@pytest.mark.parametrize("path, words", [
    ("run.choice", "only numbers"), ("run.survey", "only numbers"), ("run.step", "not given in the scene.*duration"),
    ("drag", "several kinds"), ("workpiece.outline", "only numbers"), ("nothing", "not given in the scene"),
])
def test_what_cannot_be_scaled_is_refused(path, words):
    data = {"run": {"choice": "stick", "survey": True, "duration": 1.0}, "drag": {"linear": 1.0, "rotational": 1.0},
            "workpiece": {"mass": 1.0, "rho": 2.0, "outline": {"file": "a.dxf", "tolerance": 0.1}}}
    with pytest.raises(PathError, match=words):
        scale_value(data, path, 2.0)
