"""Long lists of numbers in a TOML text: read sooner, to the same data and the same messages."""

import tomllib
from dataclasses import replace

import numpy as np
import pytest

from sim.scene import toml_numbers
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.scene.toml_text import TomlError, read_toml
from tests import scene_builders

PAIRS = ", ".join(f"[{0.001 * k!r}, {-1 - k}, {k}e-3, -0.0]" for k in range(200))
LIST = f"[{PAIRS}]"


def load_counting(seen):
    def load(text):
        seen.append(text)
        return tomllib.loads(text)
    return load


@pytest.mark.parametrize("text", [
    f"a = {LIST}\nb = 1\n",
    f"[t]\na = {LIST}\n[[u]]\nb = {{c = {LIST}, d = {LIST}}}\n",
    f"a = [\n{PAIRS},\n]\n\n[[e]]\nb = 1\n".replace("], [", "],\r\n ["),
    f"a = [1, {PAIRS} , ]\n[e]\n",
])
def test_lists_of_numbers_do_not_pass_through_the_slow_reader(text):
    seen = []
    assert repr(toml_numbers.read(text, load_counting(seen))) == repr(tomllib.loads(text))
    assert len(seen) == 1 and len(seen[0]) < 200


@pytest.mark.parametrize("text", [
    f"# {LIST}\na = 1\n",
    f"a = '{LIST}'\n",
    f"a = '''\n{LIST}\n'''\nb = {LIST}\n",
    f"a = {LIST} # {LIST}\n",
    f"a = [+1, 1_000, {PAIRS}]\n",
    f"a = [inf, {PAIRS}]\n",
    f"a = [# here\n{PAIRS}]\n",
    f'a = {LIST}\nb = "numbers that stand here: 0"\n',
])
def test_everything_else_is_read_as_toml_reads_it(text):
    assert repr(read_toml(text)) == repr(tomllib.loads(text))


@pytest.mark.parametrize("text", [
    f"a = {LIST}\nb = 1 2\n", f"a = [01, {PAIRS}]\n", f"a = [1.,{PAIRS}]\n", f"a = {LIST} 1\n", f"a = {LIST}\na = 1\n",
    f"a = [{PAIRS},,]\n", f"a = {LIST[:-1]}\n", f"{LIST}\n",
])
def test_the_message_speaks_of_the_text_as_it_is(text):
    with pytest.raises(tomllib.TOMLDecodeError) as plain:
        tomllib.loads(text)
    with pytest.raises(TomlError) as ours:
        read_toml(text)
    assert str(plain.value) in str(ours.value)


@pytest.mark.parametrize("key", ["friction.default", "obstacle.ridge.outline.vertices", "obstacle.ridge.name",
                                 "workpiece.mass"])
def test_a_change_leaves_long_lists_as_they_are_spelled(key):
    text = build_ridge().replace("vertices = [[-50.0, -400.0],", "# of the mill\nvertices = [  [-5e1, -400.0],\n")
    value = {"obstacle.ridge.outline.vertices": [[-50, -400], [50, -400], [0, -100]],
             "obstacle.ridge.name": "hill"}.get(key, 0.25)
    scene = parse_scene(text, overrides={key: value})
    assert "# of the mill" in scene.text and parse_scene(scene.text) == replace(scene, text=scene.text)
    assert ("[  [-5e1, -400.0],\n" in scene.text) == (not key.endswith("vertices"))


def build_ridge(change=None, unit="mm"):
    """S1 on a floor of many vertices."""
    x = np.linspace(50.0, -50.0, 3000)
    vertices = [[-50.0, -400.0], [50.0, -400.0], *np.column_stack([x, np.cos(x) - 141.0]).tolist()]
    if change is not None:
        vertices[change[0]] = change[1]
    rows = ", ".join(str(vertex).replace("'", '"') for vertex in vertices)
    table = f'name = "ridge"\n[obstacle.outline]\nunit = "{unit}"\nvertices = [{rows}]\n'
    return f"{scene_builders.s1()}\n[[obstacle]]\n{table}"


def test_many_vertices_are_the_same_doubles_as_one_by_one():
    plain = parse_scene(build_ridge())
    one_by_one = parse_scene(build_ridge((5, [repr(float(v)) + " mm" for v in (
        1e3 * plain.obstacles[-1].outline.vertices[5])])))
    assert plain.obstacles[-1].outline == one_by_one.obstacles[-1].outline
    assert len(plain.obstacles[-1].outline) == 3002


@pytest.mark.parametrize(("vertex", "message"), [
    ([1.0, True], r"vertex 7 is \[1.0, True\]; valid: a pair \[x, y\] of numbers"),
    ([1.0], r"vertex 7 is \[1.0\]; valid: a pair"),
    ([1.0, 1e300], "is too large"),
    ([1.0, 10**400], "is too large"),
    ([1.0, 1e-320], "is too near to zero"),
    ([1.0, "3 kg"], "vertex 7 is"),
])
def test_a_vertex_that_is_wrong_is_named(vertex, message):
    with pytest.raises(SceneError, match=message) as caught:
        parse_scene(build_ridge((7, vertex)).replace("True", "true"))
    assert "obstacle.1.outline.vertices" in str(caught.value)
