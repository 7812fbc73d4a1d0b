"""The command `plot` with logs of runs: pictures, tables, lists, and what does not belong to them."""

import pytest

from sim.cli import main
from sim.run.branches import simulate_branches
from sim.run.simulation import simulate
from sim.scene.build import load_scene
from sim.sweep.sweep import sweep


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    simulate(load_scene("block_on_incline"), duration=0.2).save(folder / "a.h5")
    simulate(load_scene("block_on_incline", overrides={"friction.default": 0.1}), duration=0.2).save(folder / "b.h5")
    simulate_branches(load_scene("erdmann_figure_5"), duration=0.1).save(folder / "tree.h5")
    sweep("block_on_incline", mu="0.1,0.3", output=folder / "sweep.h5")
    return folder


@pytest.fixture
def call(folder, monkeypatch, capfd):
    def call(*words):
        monkeypatch.chdir(folder)
        with pytest.raises(SystemExit) as end:
            main(["plot", *map(str, words)])
        out, err = capfd.readouterr()
        return end.value.code, out + err
    return call


def test_pictures_and_tables(call, folder):
    for words in (["a.h5"], ["a.h5", "b.h5", "--y", "speed,contact.fn", "--y", "energy"], ["tree.h5", "--y", "theta"],
                  ["tree.h5", "--branch", "2", "--y", "theta"], ["a.h5", "--x", "x", "--y", "y"],
                  ["a.h5", "--events", "slip,start"],
                  ["sweep.h5", "--cell", "mu=0.1", "--cell", "mu=0.3", "--y", "vx"]):
        for name in ("p.png", "p.svg", "p.pdf"):
            code, said = call(*words, "--save", name)
            assert code == 0 and "Picture: p." in said and (folder / name).stat().st_size > 1000
            (folder / name).unlink()
    code, said = call("a.h5", "--y", "contact.fn,vx", "--save", "t.csv")
    assert code == 0 and "Table: t.csv" in said
    assert (folder / "t.csv").read_text().splitlines()[0] == "time [s],contact.slope.fn [N],vx [m/s],events"
    assert call("tree.h5", "--branch", "2", "--save", "t.csv")[0] == 0
    (folder / "t.csv").unlink()
    assert call("sweep.h5", "--x", "mu", "--y", "end_time", "--save", "s.png")[0] == 0  # a sweep, as ever


def test_lists(call):
    code, said = call("a.h5", "--list")
    assert code == 0 and "contact.slope.fn" in said and "energy" in said and "kinetic + potential" in said
    assert "m/s^2" in said and "depth" not in said and "…" not in said
    code, said = call("sweep.h5", "--list")
    assert code == 0 and "friction.default" in said and "largest_fn" in said and "index into" not in said


@pytest.mark.parametrize("words, said", [
    (["a.h5", "--y", "energi", "--save", "p.png"], "did you mean 'energy'?"),
    (["a.h5", "--color", "x", "--save", "p.png"], "--color cannot be used: a.h5 is the log of a run"),
    (["a.h5", "--where", "mu=1", "--save", "p.png"], "--where cannot be used"),
    (["sweep.h5", "--list", "--events", "all"], "--events cannot be used: sweep.h5 is the table of a sweep"),
    (["sweep.h5", "--branch", "1"], "--branch cannot be used"),
    (["sweep.h5", "--events", "slip"], "--events cannot be used"),
    (["a.h5", "sweep.h5", "--save", "p.png"], "a second file cannot be used: sweep.h5"),
    (["sweep.h5", "--y", "a", "--y", "b"], "a second --y cannot be used"),
    (["sweep.h5", "--cell", "mu=0.2", "--save", "p.png"], "mu"),
    (["a.h5", "--cell", "mu=0.2", "--save", "p.png"], "--cell takes runs of one sweep"),
    (["a.h5", "a.h5", "--save", "p.png"], "given twice"),
    (["a.h5", "b.h5", "--save", "t.csv"], "a CSV file holds one run"),
    (["tree.h5", "--save", "t.csv"], "--branch K, one of 1, 2, 3"),
    (["a.h5", "--events", "slip", "--save", "t.csv"], "leave --events out"),
    (["a.h5", "--x", "x", "--save", "t.csv"], "say which other columns"),
    (["a.h5", "--events", "slap", "--save", "p.png"], "valid: all, none, start"),
    (["a.h5", "--save", "p.gif"], "the suffix '.gif'"),
    (["a.h5", "--branch", "1", "--save", "p.png"], "without branches"),
    (["c.h5"], "there is no file c.h5"),
    (["a.h5"], "--save NAME.png, .svg, .pdf or .csv"),
])
def test_mistakes_are_explained(call, folder, monkeypatch, words, said):
    monkeypatch.setenv("MPLBACKEND", "agg")
    code, text = call(*words)
    assert code == 2 and said in " ".join(text.split()), text
    assert not [name for name in ("p.png", "t.csv", "p.gif") if (folder / name).exists() and words[-1] == name]
