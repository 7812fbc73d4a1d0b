"""The README keeps its word: its examples run, its scene is a scene, its commands and tables are those of the code."""

import re
import tomllib
from pathlib import Path

import pytest

import scenes
from sim.log import layout
from sim.scene.build import parse_scene

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def find_blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("index", range(len(find_blocks("python"))))
def test_python_examples_run(index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(find_blocks("python")[index], f"README.md, example {index}", "exec"), {})


def test_there_are_examples():
    assert len(find_blocks("python")) == 5 and len(find_blocks("toml")) == 1


def test_scene_example_is_a_scene():
    (text,) = find_blocks("toml")
    scene = parse_scene(text)
    assert scene.summary == "A box slides over a floor, strikes a stop and comes to rest."
    for line in text.splitlines():
        alternative = re.match(r"# (\w+ = .*)", line)
        if alternative:
            tomllib.loads(alternative[1])


def test_every_built_in_scene_is_listed():
    for name in scenes.names():
        assert re.search(rf"^\* `{name}`: .", TEXT, re.MULTILINE), name


def test_every_dataset_is_listed():
    for table in layout.TABLES:
        (row,) = re.findall(rf"^\| `/{table}/` \|.*$", TEXT, re.MULTILINE)
        for spec in layout.LAYOUTS[table]:
            shared = table in ("events", "impulses") and spec.name in {
                column.name for column in layout.LAYOUTS["contacts"]} | {"pose"}
            assert shared or f"`{spec.name}`" in row, f"/{table}/{spec.name}"


def test_commands_exist():
    """README shows every command, and no other."""
    from sim.cli import app

    commands = re.findall(r"^    stiction (\w+)", TEXT, re.MULTILINE)
    assert set(commands) == {command.name for command in app.registered_commands}
