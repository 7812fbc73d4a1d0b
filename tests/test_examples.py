"""The examples of the pages run: in the order in which they stand, one folder for each page."""

import pytest

from sim.cli import main
from tests.documents import PAGES, find_blocks, split_commands

# What the text says that they print.
CLAIMS = {
    "README.md": ["The run reached its end time.", "0.0 start", "several"],
    "scenes/README.md": ["x = 0.169894665 m", "x = 0.00441083115 m", "1 start, 1 impact, 50 slip", "7  at rest",
                         "175  seated", "67  inserted", "64  refused", "34  wedged",
                         "Largest force of the gripper: 7.433 N at a depth of 19.74 mm", "56  jammed",
                         "mu = 0.226953125 at workpiece.pose.theta = 5",
                         "mu = 0.840234375 at workpiece.pose.theta = 3", "jammed 4.1165", "['nn']", "['lr', 'nn']"],
    "sim/README.md": ["a sound log", "Several accelerations are possible"],
    "sim/log/README.md": ["COMPLETED - The run reached its end time.", "['start' 'impact' 'impact']",
                          "stiction trajectory 5", "[[1], [2], [3]]", "8.495709 N, -3.002750 J", "contact.floor.fn",
                          "Table: bounce.csv", "2.356287"],
    "sim/sweep/README.md": ["equal to its row to the last bit", "(11, 2)"],
    "sim/feeding/README.md": ["40.1006", "29.9496", "485 runs", "alternate", "0.1 to 0.363",
                             "at rest on vertex 2, vertex 4"],
    "dynamics/README.md": ["sss [[-4.  1.  0.]]", "Pull along -47.1446 deg, give or take 26.1561 deg"],
    "geometry/README.md": ["generic", "branch point at t = 0.159739"],
}


def test_all_pages_with_examples_are_run():
    assert set(CLAIMS) == {page for page in PAGES if any(info in (["python"], ["sh", "run"]) for info, _ in
                                                         find_blocks(page))}


@pytest.mark.parametrize("page", CLAIMS)
def test_examples_run_and_print_what_the_text_says(page, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for number, (info, body) in enumerate(find_blocks(page)):
        if info[0] == "toml" and info[1].endswith(".toml"):
            (tmp_path / info[1]).write_text(body, encoding="utf-8")
        elif info == ["sh", "run"]:
            for words in split_commands(body):
                with pytest.raises(SystemExit) as end:
                    main(words)
                assert end.value.code == 0, words
        elif info == ["python"]:
            exec(compile(body, f"{page}, block {number}", "exec"), names)
    printed = "".join(capfd.readouterr())
    assert [claim for claim in CLAIMS[page] if claim not in printed] == []
