"""`stiction scenes`: the list, the text of one scene, copies that run as the scene does, and what is in the way."""

import pytest

import scenes
from sim.cli import main
from sim.scene.build import load_scene


@pytest.fixture
def call(capsys):
    def call(*words):
        with pytest.raises(SystemExit) as end:
            main(["scenes", *map(str, words)])
        out, err = capsys.readouterr()
        return end.value.code or 0, out, err

    return call


def test_all_are_listed_in_one_line_each(call):
    code, out, _ = call()
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == scenes.names()


@pytest.mark.parametrize("name", ["ladder", "bracket_from_dxf"])
def test_one_is_printed_as_it_stands(call, name):
    code, out, err = call(name)
    assert code == 0 and out == scenes.path(name).read_text(encoding="utf-8")
    assert ("bracket.dxf" in err) == (name == "bracket_from_dxf")


def test_all_are_copied_with_their_drawings_and_are_the_same_scenes(call, tmp_path):
    code, out, _ = call("--save", tmp_path / "mine")
    assert code == 0 and f"stiction run {tmp_path / 'mine'}" in out
    copies = sorted(path.name for path in (tmp_path / "mine").iterdir())
    assert copies == sorted([*(f"{name}.toml" for name in scenes.names()), "bracket.dxf"])
    for name in ("peg_in_hole", "bracket_from_dxf"):
        copy, built_in = load_scene(tmp_path / "mine" / f"{name}.toml"), load_scene(name)
        assert (copy.workpiece.mass, copy.workpiece.rho) == (built_in.workpiece.mass, built_in.workpiece.rho)
    assert call("--save", tmp_path / "mine")[0] == 0  # what is there already says the same


def test_one_is_copied_into_a_file_or_a_folder(call, tmp_path):
    call("bracket_from_dxf", "--save", tmp_path / "my.toml")
    call("ladder", "wiper", "--save", tmp_path / "some")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bracket.dxf", "my.toml", "some"]
    assert sorted(path.name for path in (tmp_path / "some").iterdir()) == ["ladder.toml", "wiper.toml"]


def test_nothing_is_overwritten_and_nothing_half_done(call, tmp_path):
    (tmp_path / "wiper.toml").write_text("my own")
    code, _, err = call("ladder", "wiper", "--save", tmp_path)
    assert code == 2 and "wiper.toml" in err and "ladder" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["wiper.toml"]
    assert (tmp_path / "wiper.toml").read_text() == "my own"


def test_what_cannot_be_is_refused(call, tmp_path):
    code, _, err = call("peg_in_hol")
    assert code == 2 and "Did you mean peg_in_hole?" in err
    assert "Did you mean peg_in_hole?" in call("peg")[2]
    assert "--save FOLDER" in call("ladder", "wiper")[2]
    assert "need a folder" in call("--save", tmp_path / "all.toml")[2]
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    assert call("ladder", "--save", tmp_path / "file" / "deeper")[0] == 2
